// Scopes in the model: the proofs they carry, what revise and forget see through one, and that the
// workload draws all of it.
// Of: sim/model_proof.cpp, sim/model_scope.cpp, sim/model_topics.cpp, sim/model_write_topics.cpp
// Of: sim/workload.cpp, sim/workload_scope.cpp
#include <catch2/catch.hpp>

#include "journal/proof.hpp"
#include "journal/state_tree.hpp"
#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "sim/model_write.hpp"
#include "sim/workload.hpp"

using namespace mneme;
using namespace mneme::sim;

namespace {

constexpr timestamp noon{946'728'000'000'000'000};

memory_id numbered(std::uint8_t n) {
  memory_id id;
  id.bytes[0] = 1;
  id.bytes[15] = n;
  return id;
}

struct scoped_fixture {
  model state{{.embeds = nullptr, .tokens = make_default_token_counter()}};

  write_outcome apply(const mutation& m, const scope* within = nullptr) {
    imagined_entries entries(state, noon);
    return outcome_of(state, m, noon, entries, within);
  }
  void topic(std::uint8_t n, const std::string& actor, visibility seen_by = visibility::scoped) {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.topic_id = numbered(n);
    r.title = "harbour";
    r.actor = actor;
    r.visibility = seen_by;
    r.salience = 0.01;
    REQUIRE(apply(r).changed);
  }
  void link(std::uint8_t from, std::uint8_t onto) {
    add_edge_request r;
    r.src = numbered(from);
    r.dst = numbered(onto);
    r.type = static_cast<std::uint8_t>(edge_type::related_to);
    REQUIRE(apply(r).changed);
  }
  digest snapshot() {
    const digest root = sha256_of("root " + std::to_string(state.last().value));
    snapshot_payload p;
    p.manifest.overall_root = root;
    state.commit(state.last().next(), entry_kind::snapshot, p, noon);
    return root;
  }
  static scope topics_of(const std::string& actor) {
    scope s;
    s.actor = actor;
    s.granted_to = "bo";
    s.include.types = {memory_type::topic};
    s.writable = true;
    return s;
  }
};

struct drawn_counts {
  int deadlines = 0;
  int proofs = 0;
  int revisions = 0;
  int forgets = 0;
  int assignments = 0;

  void count(const request_message& request) {
    if (const auto* m = std::get_if<search_message>(&request))
      deadlines += m->request.deadline_ms ? 1 : 0;
    const auto scopes = scopes_in(request);
    for (const scope* s : scopes) proofs += s->proofs && !s->proofs->empty() ? 1 : 0;
    if (scopes.empty()) return;
    for (const auto& m : mutations_of(request)) {
      revisions += std::holds_alternative<revise_request>(m) ? 1 : 0;
      forgets += std::holds_alternative<forget_request>(m) ? 1 : 0;
      assignments += std::holds_alternative<assign_tag_request>(m) ? 1 : 0;
    }
  }
};

} // namespace

TEST_CASE_METHOD(scoped_fixture, "the model's proofs hold under the engine's tree") {
  for (std::uint8_t n = 1; n <= 9; ++n) topic(n, "ana");
  std::vector<tree_leaf> leaves;
  for (const auto& id : state.ids_at(state.last()))
    leaves.push_back({state_path(state_namespace::memories, id.raw()),
                      sha256_of(encode(*state.head_at(id, state.last())))});
  const digest root = tree_root_of(leaves);
  const digest pinned = snapshot();
  topic(10, "ana");
  const auto proofs = proofs_of(state, pinned, {numbered(7), numbered(2), numbered(7)});
  REQUIRE(proofs);
  REQUIRE(proofs->size() == 2);
  CHECK(proofs->at(0).path == state_path(state_namespace::memories, numbered(2).raw()));
  for (const auto& p : *proofs) CHECK(verify_tree_proof(p, root));
  CHECK_FALSE(proofs_of(state, pinned, {numbered(10)}));
  CHECK_FALSE(proofs_of(state, digest{}, {numbered(2)}));
}

TEST_CASE_METHOD(scoped_fixture, "revise through a scope merges what it opens, links included") {
  for (std::uint8_t n = 1; n <= 4; ++n) topic(n, "ana");
  topic(5, "cy");
  topic(6, "cy");
  topic(7, "ana", visibility::private_);
  link(3, 5); // which the scope does not open
  const scope within = scoped_fixture::topics_of("ana");
  const auto out = apply(revise_request{}, &within);
  REQUIRE(out.topics->merged.size() == 2);
  for (const auto& m : out.topics->merged) CHECK(m.keeper == numbered(1));
  CHECK(out.topics->merged[0].loser == numbered(2));
  CHECK(out.topics->merged[1].loser == numbered(4));
}

TEST_CASE_METHOD(scoped_fixture, "forget through a scope archives what it opens") {
  topic(1, "ana");
  topic(2, "cy");
  topic(3, "ana", visibility::private_);
  const scope within = scoped_fixture::topics_of("ana");
  CHECK(apply(forget_request{}, &within).topics->archived == std::vector<memory_id>{numbered(1)});
}

TEST_CASE_METHOD(scoped_fixture, "deadlines, proofs and every write through a scope are drawn") {
  for (std::uint8_t n = 1; n <= 9; ++n) topic(n, "ana");
  snapshot();
  profile how;
  how.weights.fill(1);
  how.scoped_percent = 60;
  random_stream draw(1, "draws");
  workload load(how, draw, state);
  drawn_counts drawn;
  for (int i = 0; i < 3000; ++i) drawn.count(load.next(noon).request);
  CHECK(drawn.deadlines > 0);
  CHECK(drawn.proofs > 20);
  CHECK(drawn.revisions > 0);
  CHECK(drawn.forgets > 0);
  CHECK(drawn.assignments > 0);
}
