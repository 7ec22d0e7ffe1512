#pragma once
/// A world that is used for a year in a moment, and all that its reads rest on, as text.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "messages/codec/records.hpp"
#include "messages/hash.hpp"
#include "state/recovery/verify.hpp"
#include "state/retention/trim.hpp"
#include "tests/index/dice.hpp"
#include "tests/sanitized.hpp"
#include "tests/state/coloured_notes.hpp"
#include "tests/state/erasure/erasable_site.hpp"
#include "tests/state/site.hpp"
#include "views/standing.hpp"

namespace mneme::testing {

/// Whose journal has several segments.
struct trimmed_site : erasable_site {
  world_options options() {
    world_options o = erasable_site::options();
    o.journal.segment_bytes = 16 << 10;
    return o;
  }
  std::unique_ptr<world> open(const std::string& directory = "world") {
    world_options o = options();
    o.directory = directory;
    auto w = open_world(o);
    if (!w) FAIL("open: " << w.error().message);
    return std::move(*w);
  }
  result<trim_report> trim(std::optional<seq_no> before, bool dry_run = false,
                           bool versions = false) {
    trim_options t;
    t.before = before;
    t.by = "ana";
    t.reason = "a year has passed";
    t.dry_run = dry_run;
    t.versions = versions;
    t.time = std::make_shared<manual_clock>(timestamp{2'000'000'000'000'000'000});
    t.random = make_seeded_random(5, 1);
    return trim_files(options(), t);
  }
};

/// What of lineage a view has: since when a content names what it rests on is read by nobody.
enum class lineage_shown : std::uint8_t { all, read };

/// All that reads as of `at` rest on, as text.
inline std::string view_at(world& w, seq_no at, lineage_shown shown = lineage_shown::all) {
  std::string text;
  const read_views views = w.views();
  auto reader = w.store->reader();
  std::map<memory_id, node_no> nodes;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) nodes.emplace(w.nodes.id({i}), node_no{i});
  const auto edges = [&](std::string_view name, const graph& of, node_no node) {
    of.neighbours(node, edge_direction::out, at, true, [&](const neighbour& n) {
      text += fmt::format("  {} {} {} {} {}\n", name, static_cast<int>(n.type),
                          to_string(w.nodes.id(n.node)), n.tombstoned, n.since.value);
      return true;
    });
  };
  for (const auto& [id, node] : nodes) {
    const row_no row = views.attributes->row_of(node, at);
    if (row.value != no_number) {
      const row_line line = views.attributes->rows().line_as_of(row, at);
      const auto standing = lineage_reader(views, at).standing_of(row);
      text += fmt::format("{} flags {} since {} trust {} stale {}\n", to_string(id), line.flags,
                          line.begin, standing.trust, standing.stale);
      auto m = read_memory(views, **reader, id, at);
      REQUIRE((m && m->has_value()));
      const activation& a = (*m)->activation;
      text += to_hex(sha256_of(encode(*(*m)->head)));
      if (!(*m)->head->erased)
        text += fmt::format(" used {} {} {} {} {}\n", a.last_used.ns, a.access_count, a.citations,
                            a.importance, a.topic_salience_e9);
      if (const auto s = views.attributes->colours().signals_of(node, at))
        text += fmt::format("  signals {} {} {} {} {}\n", s->strength_e9, s->last_accessed.ns,
                            s->last_decay_at ? s->last_decay_at->ns : -1, s->ascended, s->rotten);
    }
    edges("edge", w.graph, node);
    edges("order", w.order, node);
    if (shown == lineage_shown::all) edges("lineage", w.lineage, node);
  }
  for (int actor = 0; actor < 3; ++actor) {
    const auto learned = views.attributes->weights_of(fmt::format("actor{}", actor), at);
    text += fmt::format("weights {} {} {}\n", learned.recency, learned.access, learned.citations);
  }
  for (int word = 0; word < 12; ++word) {
    const term_no term = views.lexical->term("word" + std::to_string(word));
    if (term.value == no_number) continue;
    const auto count = views.lexical->document_frequency(corpus::memories, term, at);
    text += fmt::format("word{} {}\n", word, count);
  }
  return text;
}

/// By seq, from `from` on.
inline std::map<seq_no, std::string> views_from(world& w, seq_no from, seq_no last,
                                                lineage_shown shown = lineage_shown::all) {
  std::map<seq_no, std::string> views;
  for (seq_no at = from; at <= last; at = at.next()) views[at] = view_at(w, at, shown);
  return views;
}

inline void require_views(world& w, const std::map<seq_no, std::string>& views,
                          lineage_shown shown = lineage_shown::all) {
  for (const auto& [at, text] : views) {
    INFO("seq " << at.value);
    REQUIRE(w.readable(at));
    REQUIRE(view_at(w, at, shown) == text);
  }
}

template <class Result, class Command, class Request>
result<Result> ask(driven& d, Request request) {
  std::optional<result<Result>> answer;
  d.core.enqueue(Command{.request = std::move(request),
                         .reply = [&](result<Result> r) { answer = std::move(r); }});
  d.pump();
  REQUIRE(answer.has_value());
  return std::move(*answer);
}

/// One random change over few ids: most are touches.
class random_year {
public:
  random_year(driven& d, dice& c, std::vector<memory_id>& ids) : d_(d), c_(c), ids_(ids) {}

  void step() {
    d_.time->set({d_.time->now().ns + static_cast<std::int64_t>(c_.below(1'000'000'000'000))});
    if (ids_.size() < 5) return write();
    switch (c_.below(14)) {
    case 0:
      return write();
    case 1:
      return update();
    case 2:
    case 3:
      return change_head();
    case 4:
      return link();
    case 5:
      return end_link();
    case 6:
      return attest();
    case 7:
      REQUIRE(d_.decay());
      return;
    case 8:
      return reinforce(reinforcing_door::chroma);
    case 9:
      return topic();
    case 10:
      return end();
    default:
      return touch();
    }
  }

private:
  memory_id any() { return ids_[c_.below(ids_.size())]; }
  std::string words() {
    std::string text;
    for (int i = 0; i < 4; ++i) text += "word" + std::to_string(c_.below(12)) + " ";
    return text;
  }
  void write() {
    const bool is_coloured = c_.below(2) == 0;
    write_request r = is_coloured ? coloured(words()) : note(words());
    r.actor = "actor" + std::to_string(c_.below(3));
    r.tags = {"tag" + std::to_string(c_.below(4))};
    if (!ids_.empty() && c_.below(2) == 0)
      r.provenance.derived_from = {to_string(memory_uri{memory_type::note, any(), 1})};
    if (c_.below(3) == 0) r.vector = std::vector<float>{1, static_cast<float>(c_.below(9)), 2};
    auto written = d_.apply(r);
    if (!written) FAIL(written.error().message);
    ids_.push_back(written->uri->id);
    if (is_coloured) coloured_.push_back(written->uri->id);
  }
  /// Whatever version it has.
  template <class Request>
  void with_current(Request r) {
    const memory_id id = any();
    for (std::uint32_t version = 1; version < 40; ++version) {
      r.uri = {memory_type::note, id, version};
      auto done = d_.apply(r);
      if (done || done.error().code != errc::version_conflict) return;
    }
  }
  void update() {
    update_request u;
    u.data["statement"] = words();
    with_current(u);
  }
  void change_head() {
    update_head_request u;
    if (c_.below(5) == 0)
      u.affirm = true;
    else if (c_.below(2) == 0)
      u.tags = {"tag" + std::to_string(c_.below(4)), "again"};
    else
      u.importance = static_cast<std::int64_t>(1 + c_.below(9));
    with_current(u);
  }
  add_edge_request edge() {
    const std::vector<std::string> kinds{"", "next", "answer", "likes"};
    return {.src = ids_[c_.below(3)],
            .type = static_cast<std::uint8_t>(c_.below(2) == 0 ? 15 : 1 + c_.below(4)),
            .dst = ids_[3 + c_.below(2)],
            .actor = {},
            .kind = kinds[c_.below(kinds.size())],
            .data = {},
            .by = {},
            .created_at = {}};
  }
  void link() { (void)d_.apply(edge()); }
  void end_link() {
    const add_edge_request e = edge();
    remove_edge_request r;
    r.src = e.src;
    r.type = e.type;
    r.dst = e.dst;
    (void)d_.apply(r);
  }
  void attest() {
    attest_request r;
    r.actor = "actor" + std::to_string(c_.below(3));
    r.intent_id = "intent";
    r.outcome = c_.below(2) == 0 ? attest_outcome::success : attest_outcome::failure;
    r.cited = {to_string(memory_uri{memory_type::note, any(), 1})};
    (void)ask<attest_result, attest_command>(d_, r);
  }
  void touch() {
    find_late_payload late;
    late.predicate = "all of it";
    late.accessed = {any()};
    if (c_.below(2) == 0) late.accessed.push_back(any());
    (void)d_.touch(late);
  }
  void reinforce(reinforcing_door door) {
    reinforce_payload p;
    p.door = door;
    if (coloured_.empty()) return;
    p.items = {{coloured_[c_.below(coloured_.size())], 0, 0}};
    (void)d_.touch(p);
  }
  void topic() {
    ingest_request r;
    r.placement = ingest_placement::new_topic;
    r.title = words();
    field_input field;
    field.name = "field";
    field.value = json_value(words());
    r.fields = {field};
    (void)d_.apply(r);
  }
  void end() {
    tombstone_request t;
    t.uri = {memory_type::note, any(), 1};
    if (c_.below(2) == 0) {
      restore_request r;
      r.id = t.uri.id;
      (void)d_.apply(r);
    } else {
      (void)d_.apply(t);
    }
  }

  driven& d_;
  dice& c_;
  std::vector<memory_id>& ids_;
  std::vector<memory_id> coloured_;
};

inline void check_whole(trimmed_site& place, world& w) {
  const auto report = verify_journal(*place.files, w.directory, {});
  REQUIRE(report);
  INFO(report->problem);
  CHECK(report->ok);
  CHECK(report->roots.overall == w.published_roots().overall);
}

} // namespace mneme::testing
