// Random worlds and random questions against the definition, also of the past.
// Of: query/search/bm25.cpp, query/search/search_score.cpp, query/search/search_merge.cpp
#include <catch2/catch.hpp>

#include "messages/text/forms.hpp"
#include "tests/index/dice.hpp"
#include "tests/query/search/naive_search.hpp"
#include "tests/query/search/search_world.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

class random_world {
public:
  random_world(std::uint64_t seed, const std::string& weights) : engine_(weights), dice_(seed) {}

  void change() {
    if (dice_.one_in(3)) engine_.pass(dice_.below(40));
    const auto now = engine_.clock->now();
    switch (ids_.empty() ? 0 : dice_.below(9)) {
    case 0:
    case 1:
    case 2:
      write(memory_type::note);
      break;
    case 3:
      write(dice_.one_in(2) ? memory_type::decision : memory_type::fact);
      break;
    case 4:
      write(memory_type::chunk);
      break;
    case 5: {
      naive_row& row = model_.rows[any_id()];
      if (row.tombstoned) return;
      const bool is_past = dice_.one_in(2);
      engine_.tombstone(row.id, is_past ? tombstone_cause::superseded : tombstone_cause::wrong);
      row.tombstoned = true;
      if (is_past) row.past_since = now;
      row.updated_at = now;
      break;
    }
    case 6: {
      naive_row& row = model_.rows[any_id()];
      if (row.tombstoned) return;
      lifecycle l = any_lifecycle();
      if (row.state.status && l.status) l.status = lifecycle_status::archived;
      engine_.set_lifecycle(row.id, l);
      row.state = l;
      row.updated_at = now;
      break;
    }
    case 7: {
      const auto a = any_id();
      const auto b = any_id();
      if (a == b) return;
      if (dice_.one_in(3)) {
        engine_.edge(a, edge_type::supersedes, b);
        model_.supersedes[{a, b}] = true;
      } else if (dice_.one_in(2)) {
        engine_.edge(a, edge_type::derived_from, b);
        model_.derived[{a, b}] = true;
      } else {
        const bool is_answer = dice_.one_in(3);
        engine_.edge(a, edge_type::related_to, b, is_answer ? "answer" : "next");
        model_.next[{a, b}] = true;
        model_.answers[{a, b}] = is_answer;
      }
      break;
    }
    default: {
      const auto a = any_id();
      const auto b = any_id();
      if (a == b) return;
      remove_edge_request r{};
      r.src = a;
      r.dst = b;
      r.type = static_cast<std::uint8_t>(edge_type::related_to);
      REQUIRE(engine_.target.apply(r));
      model_.next[{a, b}] = false;
      model_.answers[{a, b}] = false;
    }
    }
    keep_state();
  }

  /// So many notes and chunks more, of many words and next to each other, and no past.
  void grow(std::size_t rows) {
    many_words_ = true;
    for (std::size_t i = 0; i < rows; ++i) {
      write(i % 4 == 0 ? memory_type::chunk : memory_type::note);
      if (i % 3 == 0 || ids_.size() < 2) continue;
      const auto before = ids_[ids_.size() - 2];
      engine_.edge(before, edge_type::related_to, ids_.back(), i % 5 == 0 ? "answer" : "next");
      model_.next[{before, ids_.back()}] = true;
      model_.answers[{before, ids_.back()}] = i % 5 == 0;
    }
    history_.clear();
    keep_state();
  }

  void ask(const search_weights& w) {
    search_request r;
    r.query = any_text(1 + dice_.below(3));
    if (dice_.one_in(4)) r.query += dice_.one_in(2) ? " yesterday" : " last month";
    if (dice_.one_in(8)) r.query = dice_.one_in(2) ? "two days ago" : "last summer";
    r.limit = 1 + dice_.below(12);
    r.similarity_floor = dice_.one_in(2) ? 0 : 0.3;
    r.source = static_cast<search_source>(dice_.below(3));
    r.sort = static_cast<search_sort>(1 + dice_.below(4));
    r.include_archived = dice_.one_in(3);
    r.include_ended = dice_.one_in(3);
    if (dice_.one_in(3)) r.min_trust = dice_.below(5) / 4.0;
    if (dice_.one_in(4)) r.as_of = any_time();
    r.include_low_relevance = dice_.one_in(2);
    if (dice_.one_in(2)) r.vector = any_vector();
    if (dice_.one_in(3)) r.actor = any_actor();
    if (dice_.one_in(4)) r.project = "p1";
    if (dice_.one_in(4)) r.tag = "t1";
    if (dice_.one_in(4)) r.status = static_cast<search_status>(1 + dice_.below(7));
    if (dice_.one_in(4)) r.source_filter = "1";
    if (dice_.one_in(6)) r.type = memory_type::note;
    const naive_world* world = &model_;
    timestamp now = engine_.clock->now();
    if (dice_.one_in(2)) {
      auto at = history_.begin();
      std::advance(at, dice_.below(history_.size()));
      r.at_seq = seq_no{at->first};
      world = &at->second;
      now = made_.at(at->first);
    }
    const auto answer = engine_.search(r);
    const auto expected = search_naively(*world, r, w, now);
    check(answer, expected);
  }

private:
  /// As of the last entry, which was made when its seq was first seen.
  void keep_state() {
    const auto seq = engine_.target.published().value;
    history_[seq] = model_;
    made_.try_emplace(seq, engine_.clock->now());
  }

  static void check(const search_result& answer, const naive_answer& expected) {
    const auto same = [](const leg_coverage& a, const leg_coverage& b) {
      CHECK(a.searched == b.searched);
      CHECK(a.candidates == b.candidates);
      CHECK(a.promoted_hidden == b.promoted_hidden);
      CHECK(a.ended == b.ended);
      CHECK(a.distrusted == b.distrusted);
      CHECK(a.superseded == b.superseded);
      CHECK(a.below_floor + a.cut + a.returned == b.below_floor + b.cut + b.returned);
    };
    same(answer.coverage.memory, expected.memory);
    same(answer.coverage.content, expected.content);
    REQUIRE(answer.results.size() == expected.hits.size());
    for (std::size_t i = 0; i < expected.hits.size(); ++i) {
      // Sums in another order may differ in the last bits, and swap what is equal but for them.
      CHECK(answer.results[i].score == Approx(expected.hits[i].score).margin(1e-9));
      const auto found = std::ranges::find(expected.hits, answer.results[i].uri.id, &naive_hit::id);
      REQUIRE(found != expected.hits.end());
      CHECK(answer.results[i].raw_score == Approx(found->raw).margin(1e-9));
      CHECK(answer.results[i].score == Approx(found->score).margin(1e-9));
      CHECK(answer.results[i].older_of == found->older_of);
    }
  }

  /// Before most rows were written, or after them all.
  timestamp any_time() {
    return {test_start.ns + static_cast<std::int64_t>(dice_.below(500)) * one_day_ns};
  }
  memory_id any_id() { return ids_[dice_.below(ids_.size())]; }
  std::string any_actor() { return dice_.one_in(2) ? "ana" : "bo"; }
  std::string any_text(std::uint32_t words) {
    static constexpr const char* vocabulary[] = {"tea",     "boat", "harbour", "green", "Painting",
                                                 "painted", "the",  "river",   "zebra"};
    std::string text;
    if (many_words_)
      for (std::uint32_t i = 0; i < words; ++i)
        text += "the w" + std::to_string(dice_.below(1 + dice_.below(400))) + " ";
    else
      for (std::uint32_t i = 0; i < words; ++i)
        text += std::string(i == 0 ? "" : " ") + vocabulary[dice_.below(std::size(vocabulary))];
    return text;
  }
  std::vector<float> any_vector() {
    return {dice_.number(), dice_.number(), dice_.number() + 1.5F};
  }
  lifecycle any_lifecycle() {
    lifecycle l;
    if (dice_.one_in(2)) l.status = static_cast<lifecycle_status>(1 + dice_.below(6));
    if (dice_.one_in(2)) l.project = dice_.one_in(2) ? "p1" : "p2";
    if (dice_.one_in(2))
      l.due_date =
          timestamp{test_start.ns + static_cast<std::int64_t>(dice_.below(60)) * one_day_ns};
    return l;
  }

  void write(memory_type type) {
    write_request r;
    r.type = type;
    const std::string text = any_text(1 + dice_.below(10));
    naive_row row;
    row.type = type;
    if (type == memory_type::chunk) {
      row.path = "p" + std::to_string(dice_.below(3));
      r.data = {{"content", text}, {"path", row.path}};
      if (!ids_.empty() && dice_.one_in(4)) row.reference = any_id();
      if (row.reference && model_.rows[*row.reference].type == memory_type::chunk)
        row.reference.reset();
      if (row.reference) r.data["promoted_to"] = *row.reference;
    } else {
      r.data["statement"] = text;
    }
    if (type == memory_type::fact) {
      r.data["subject"] = std::string("ana");
      r.data["predicate"] = std::string("says");
    }
    if (type == memory_type::decision && !ids_.empty() && dice_.one_in(2)) {
      row.reference = any_id();
      r.data["replaces"] = *row.reference;
    }
    if (dice_.one_in(4)) row.trust = dice_.below(5) / 4.0;
    if (row.trust < 1) r.provenance.trust = row.trust;
    row.text = type == memory_type::chunk ? text : full_text(type, r.data);
    row.actor = r.actor = any_actor();
    row.is_public = dice_.one_in(2);
    if (row.is_public) r.visibility = visibility::actor_public;
    if (dice_.one_in(2)) row.state = any_lifecycle();
    if (row.state != lifecycle{}) r.lifecycle = row.state;
    if (dice_.one_in(2)) row.tags = r.tags = {dice_.one_in(2) ? "t1" : "t2"};
    if (dice_.one_in(3)) {
      row.tags.push_back(dice_.one_in(2) ? "speaker:tea" : "speaker:green boat");
      r.tags = row.tags;
    }
    if (!dice_.one_in(4)) row.vector = any_vector();
    if (!row.vector.empty()) r.vector = row.vector;
    row.created_at = row.updated_at = row.valid_from = engine_.clock->now();
    if (dice_.one_in(6)) row.valid_from = *(r.valid_from = any_time());
    if (dice_.one_in(5)) row.expires_at = r.expires_at = any_time();
    if (dice_.one_in(5)) {
      row.valid_until = any_time();
      if (*row.valid_until <= row.valid_from) row.valid_until.reset();
      r.valid_until = row.valid_until;
    }
    row.id = engine_.put(r);
    ids_.push_back(row.id);
    model_.rows[row.id] = row;
  }

  search_world engine_;
  dice dice_;
  bool many_words_ = false;
  std::vector<memory_id> ids_;
  naive_world model_;
  std::map<std::uint64_t, naive_world> history_;
  std::map<std::uint64_t, timestamp> made_; ///< when the entries were that end the states
};

void run(const std::string& weights, std::uint64_t seed) {
  random_world world(seed, weights);
  const auto w = *parse_search_weights(weights, "none");
  for (int i = 0; i < 45; ++i) {
    world.change();
    if (i % 3 == 2) world.ask(w);
  }
}

} // namespace

TEST_CASE("search against its definition, with the plain weights") {
  for (std::uint64_t seed = 1; seed <= 25; ++seed) run("vector=0.8,text=0.2", seed);
}

TEST_CASE("search against its definition, with relative cosines and neighbours") {
  for (std::uint64_t seed = 100; seed <= 125; ++seed)
    run("vector=0.3,text=0.7,b=0.9,b_short=0.1,short_length=3,long_length=8,neighbours=0.6,"
        "answers=0.5,dates=0.4,speakers=0.1,newer=0.8,relative=1",
        seed);
}

TEST_CASE("search against its definition, in worlds of which only candidates are scored") {
  for (const std::string weights :
       {"vector=0.8,text=0.2",
        "vector=0.3,text=0.7,b=1,b_short=0.1,short_length=3,long_length=12,neighbours=0.4,"
        "answers=0.4,dates=0.4,speakers=0.1,newer=0.6,relative=1"}) {
    random_world world(7, weights);
    const auto w = *parse_search_weights(weights, "none");
    world.grow(1200);
    for (int i = 0; i < 14; ++i) world.ask(w);
  }
}
