// One field of a topic is nowhere, as of any seq, whatever broke it off; the topic goes on, and a
// copy made from the journal is the same world.
// Of: state/erasure/erase_field.cpp, state/erasure/kept_content.cpp

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/hash.hpp"
#include "state/recovery/verify.hpp"
#include "tests/index/dice.hpp"
#include "tests/sanitized.hpp"
#include "tests/state/erasure/erasable_site.hpp"
#include "views/standing.hpp"
#include "views/topic_reads.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

field_input field_of(std::string name, std::string value, std::string why = {}) {
  field_input f;
  f.name = std::move(name);
  f.value = json_value{std::move(value)};
  f.why_changed = std::move(why);
  return f;
}

ingest_request topic_of(std::string title, std::vector<field_input> fields) {
  ingest_request r;
  r.placement = ingest_placement::new_topic;
  r.title = std::move(title);
  r.actor = "ana";
  r.fields = std::move(fields);
  return r;
}

ingest_request extension(const memory_id& id, std::vector<field_input> fields) {
  ingest_request r;
  r.placement = ingest_placement::extend_topic;
  r.topic_id = id;
  r.actor = "ana";
  r.fields = std::move(fields);
  return r;
}

mutation_result applied(driven& d, mutation m) {
  auto done = d.apply(std::move(m));
  if (!done) FAIL(done.error().message << " at " << done.error().at);
  return *done;
}

erase_request request_for(const memory_id& id, std::string field) {
  erase_request r;
  r.ids = {id};
  r.field = std::move(field);
  return r;
}

struct two_fields {
  memory_id topic;
  seq_no with_both; ///< the last entry before the erasure
  std::vector<float> vector;
};

/// A topic with a vector of its own, and then with fields, whose text has one of its own.
two_fields write_topic(driven& d, world& w) {
  two_fields made;
  made.topic = applied(d, topic_of("Ana of the harbour", {})).uri->id;
  applied(d, extension(made.topic, {field_of("city", "Bergen")}));
  applied(d, extension(made.topic, {field_of("phone", "zyxfirst", "zyxwhy")}));
  applied(d, extension(made.topic, {field_of("phone", "zyxsecond"), field_of("city", "Oslo")}));
  update_request u;
  u.uri = {memory_type::topic, made.topic, 1};
  u.data["title"] = std::string("Ana of the old harbour");
  applied(d, u);
  const row_no row = w.attributes().row_of(w.nodes.find(made.topic), w.published_seq());
  const auto values = w.vectors().get(w.attributes().slot(row));
  made.vector.assign(values.begin(), values.end());
  made.with_both = w.published_seq();
  return made;
}

std::string needles_left(erasable_site& place, world& w, const std::vector<float>& vector) {
  std::string left;
  for_all_bytes(place, w, [&](const std::string& where, std::string_view bytes) {
    for (const std::string_view needle : {"zyxfirst", "zyxsecond", "zyxwhy"})
      if (bytes.find(needle) != std::string_view::npos)
        left += std::string(needle) + " in " + where + "; ";
    if (vector.empty()) return;
    const std::string_view numbers(reinterpret_cast<const char*>(vector.data()),
                                   vector.size() * sizeof(float));
    if (bytes.find(numbers) != std::string_view::npos) left += "the vector in " + where + "; ";
  });
  return left;
}

std::uint64_t found_by(world& w, std::string_view word, seq_no at) {
  const lexical& words = w.lexical();
  const term_no term = words.term(word);
  return term.value == no_number ? 0 : words.document_frequency(corpus::memories, term, at);
}

void check_field_erased(erasable_site& place, world& w, const two_fields& made) {
  CHECK(needles_left(place, w, made.vector) == "");
  const auto report = verify_journal(*place.files, w.directory, {});
  REQUIRE(report);
  INFO(report->problem);
  CHECK(report->ok);
  CHECK(dump_of(w) == dump_of_replay(place, w));
  auto reader = w.store->reader();
  for (const seq_no at : {made.with_both, w.published_seq()}) {
    INFO("seq " << at.value);
    std::vector<topic_field> erased;
    auto fields = read_fields(**reader, made.topic, at, &erased);
    REQUIRE(fields);
    REQUIRE(fields->size() == 1);
    CHECK(fields->front().head.name == "city");
    REQUIRE(erased.size() == 1);
    CHECK(erased.front().head.name == "phone");
    CHECK(erased.front().erased->reason == "asked for");
    CHECK(erased.front().erased->by == "ana");
    CHECK_FALSE(read_field(**reader, made.topic, "phone", at).value());
    CHECK(found_by(w, "zyxsecond", at) == 0);
    CHECK(found_by(w, "harbour", at) == 1);
  }
  CHECK(found_by(w, "oslo", w.published_seq()) == 1);
  auto events = read_events(**reader, made.topic, w.published_seq());
  REQUIRE(events);
  CHECK(std::ranges::count(*events, "erased", &topic_event::reason) == 1);
}

} // namespace

TEST_CASE("a field that was erased is nowhere, and its topic goes on") {
  for (const std::string embedder : {"none", "hash:8"}) {
    INFO(embedder);
    erasable_site place;
    place.embedder = embedder;
    two_fields made;
    root_set before;
    {
      auto w = place.open();
      driven d(*w);
      made = write_topic(d, *w);
      REQUIRE(d.checkpoint());
      before = w->published_roots();
      CHECK_FALSE(needles_left(place, *w, made.vector).empty());
      erase_request asked = request_for(made.topic, "phone");
      asked.dry_run = true;
      auto told = erase(d, asked);
      REQUIRE(told);
      CHECK(told->fields == std::vector{erased_topic_field{made.topic, "phone"}});
      CHECK_FALSE(told->changed);
      CHECK(w->published_roots() == before);
      auto done = erase(d, request_for(made.topic, "phone"));
      if (!done) FAIL(done.error().message);
      CHECK(done->changed);
      CHECK(done->fields.size() == 1);
      CHECK(done->erased.empty());
      CHECK(done->entries == told->entries);
      check_field_erased(place, *w, made);
      auto again = erase(d, request_for(made.topic, "phone"));
      REQUIRE(again);
      CHECK_FALSE(again->changed);
      CHECK(again->erased_before == std::vector{made.topic});
      REQUIRE(close_world(*w));
    }
    auto w = place.open();
    check_field_erased(place, *w, made);
    auto folded = fold_roots(*place.files, w->directory, before.seq, {});
    REQUIRE(folded);
    CHECK(*folded == before);
  }
}

TEST_CASE("a field that was erased is set anew, and erased again") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const two_fields made = write_topic(d, *w);
  auto reader = w->store->reader();
  const topic_field old =
      read_field(**reader, made.topic, "phone", w->published_seq()).value().value();
  const auto revisions = read_revisions(**reader, old.head).value();
  reader->reset();
  REQUIRE(erase(d, request_for(made.topic, "phone")));
  // An export of before does not bring it back, and there is nothing to give a next value to.
  CHECK_FALSE(applied(d, put_field_record_request{old, revisions}).changed);
  ingest_request next = extension(made.topic, {field_of("phone", "555-0102")});
  next.placement = ingest_placement::version_field;
  auto refused = d.apply(next);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::erased);
  applied(d, extension(made.topic, {field_of("phone", "555-0102")}));
  const seq_no anew = w->published_seq();
  reader = w->store->reader();
  std::vector<topic_field> erased;
  CHECK(read_fields(**reader, made.topic, anew, &erased)->size() == 2);
  CHECK(erased.empty());
  CHECK(read_fields(**reader, made.topic, made.with_both, &erased)->size() == 1);
  CHECK(erased.size() == 1);
  CHECK(read_field(**reader, made.topic, "phone", anew).value()->head.revisions == 1);
  reader->reset();
  REQUIRE(erase(d, request_for(made.topic, "phone")));
  CHECK(needles_left(place, *w, {}) == "");
  for_all_bytes(place, *w, [](const std::string& where, std::string_view bytes) {
    INFO(where);
    CHECK(bytes.find("555-0102") == std::string_view::npos);
  });
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
  // With the topic the name goes, too.
  REQUIRE(erase(d, {.ids = {made.topic}}));
  for_all_bytes(place, *w, [](const std::string& where, std::string_view bytes) {
    INFO(where);
    CHECK(bytes.find("phone") == std::string_view::npos);
    CHECK(bytes.find("old harbour") == std::string_view::npos);
  });
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
}

TEST_CASE("a field goes where merges filed it from, and from a topic that is gone or archived") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const memory_id first =
      applied(d, topic_of("same title", {field_of("phone", "zyxfirst")})).uri->id;
  const memory_id second =
      applied(d, topic_of("same title", {field_of("phone", "zyxsecond")})).uri->id;
  applied(d, revise_request{.actor = "ana"});
  const memory_id keeper = std::min(first, second);
  auto done = erase(d, request_for(keeper, "phone"));
  if (!done) FAIL(done.error().message);
  CHECK(done->fields.size() == 2);
  CHECK(needles_left(place, *w, {}) == "");
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
  const memory_id gone = applied(d, topic_of("a lantern", {field_of("phone", "zyxfirst")})).uri->id;
  tombstone_request t;
  t.uri = {memory_type::topic, gone, 1};
  t.reason = "over";
  applied(d, t);
  CHECK(erase(d, request_for(gone, "phone")).error().code == errc::tombstoned);
  CHECK(found_by(*w, "lantern", w->published_seq()) == 0);
  applied(d, restore_request{.id = gone, .actor = {}});
  REQUIRE(erase(d, request_for(gone, "phone")));
  auto again = erase(d, request_for(gone, "phone"));
  REQUIRE(again);
  CHECK(again->fields_erased_before == std::vector<erased_topic_field>{{gone, "phone"}});
  CHECK(needles_left(place, *w, {}) == "");
  CHECK(found_by(*w, "lantern", w->published_seq()) == 1);
  CHECK(dump_of(*w) == dump_of_replay(place, *w));
}

TEST_CASE("what names no field of one topic is refused, and changes nothing") {
  erasable_site place;
  auto w = place.open();
  driven d(*w);
  const two_fields made = write_topic(d, *w);
  const memory_id other = applied(d, note("a note")).uri->id;
  const root_set before = w->published_roots();
  const auto code_of = [&](erase_request r) {
    auto done = erase(d, std::move(r));
    REQUIRE_FALSE(done);
    return done.error().code;
  };
  CHECK(code_of(request_for(made.topic, "fax")) == errc::not_found);
  CHECK(code_of(request_for(id_of(99), "phone")) == errc::not_found);
  CHECK(code_of(request_for(other, "phone")) == errc::type_data_mismatch);
  CHECK(code_of(request_for(made.topic, "")) == errc::missing_key);
  erase_request more = request_for(made.topic, "phone");
  more.owned_by = "ana";
  CHECK(code_of(more) == errc::bad_value);
  erase_request two = request_for(made.topic, "phone");
  two.ids.push_back(other);
  CHECK(code_of(two) == errc::bad_value);
  CHECK(w->published_roots() == before);
}

TEST_CASE("an erasure of a field that was broken off anywhere is finished by the next open") {
  for (std::uint64_t nth = 1;; nth += operations_apart) {
    INFO("operation " << nth);
    erasable_site place;
    place.embedder = "hash:8";
    two_fields made;
    bool was_broken_off = false;
    {
      auto w = place.open();
      driven d(*w);
      made = write_topic(d, *w);
      REQUIRE(d.checkpoint());
      place.files->fail_nth(io_operation::any, nth, true);
      d.fails_quietly = true;
      auto done = erase(d, request_for(made.topic, "phone"));
      was_broken_off = !done.has_value();
      place.files->clear_faults();
    }
    place.files->crash(nth, nth % 2 == 0 ? crash_mode::random : crash_mode::keep);
    auto w = place.open();
    auto reader = w->store->reader();
    std::vector<topic_field> erased;
    auto fields = read_fields(**reader, made.topic, w->published_seq(), &erased);
    REQUIRE(fields);
    if (erased.empty()) {
      CHECK(was_broken_off);
      CHECK(fields->size() == 2);
      CHECK(dump_of(*w) == dump_of_replay(place, *w));
    } else {
      check_field_erased(place, *w, made);
    }
    if (!was_broken_off) break;
  }
}

namespace {

/// What reads as of `at` have of topics, as text.
std::string topics_at(world& w, seq_no at) {
  std::string text;
  const read_views views = w.views();
  auto reader = w.store->reader();
  std::map<memory_id, node_no> nodes;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) nodes.emplace(w.nodes.id({i}), node_no{i});
  for (const auto& [id, node] : nodes) {
    const row_no row = views.attributes->row_of(node, at);
    if (row.value == no_number) continue;
    const row_line line = views.attributes->rows().line_as_of(row, at);
    auto m = read_memory(views, **reader, id, at);
    REQUIRE((m && m->has_value()));
    text += fmt::format("{} flags {} {} {}\n", to_string(id), line.flags,
                        to_hex(sha256_of(encode(*(*m)->head))), (*m)->version->number);
    if ((line.flags & row_has_vector) != 0) {
      for (const float v : views.vectors->get(views.attributes->slot(row)))
        text += fmt::format(" {}", v);
      text += "\n";
    }
    std::vector<topic_field> erased;
    auto fields = read_fields(**reader, id, at, &erased);
    REQUIRE(fields);
    for (const auto& f : *fields) {
      auto revisions = read_revisions(**reader, f.head);
      REQUIRE(revisions);
      text += fmt::format("  {} {} {}\n", f.head.name, f.current, encode(revisions->back().value));
    }
    for (const auto& f : erased)
      text += fmt::format("  {} erased {}\n", f.head.name, f.erased->since.value);
    auto events = read_events(**reader, id, at);
    REQUIRE(events);
    for (const auto& e : *events)
      text += fmt::format("  event {} {} {}\n", e.seq.value, to_string(e.kind), e.field);
  }
  const corpus_size size = views.lexical->size(corpus::memories, at);
  text += fmt::format("corpus {} {}\n", size.documents, size.length);
  for (int word = 0; word < 12; ++word)
    text += fmt::format("word{} {}\n", word, found_by(w, fmt::format("word{}", word), at));
  return text;
}

struct random_topics {
  driven& d;
  dice& c;
  std::vector<memory_id>& ids;
  bool has_vectors;

  std::string words() const {
    std::string text;
    for (int i = 0; i < 3; ++i) text += fmt::format("word{} ", c.below(12));
    return text;
  }
  memory_id any() const { return ids[c.below(ids.size())]; }
  std::vector<field_input> some_fields() const {
    std::vector<field_input> fields;
    for (std::size_t i = c.below(3); i > 0; --i)
      fields.push_back(field_of(fmt::format("field{}", c.below(3)), words()));
    return fields;
  }
  void put_vector(ingest_request& r) const {
    if (has_vectors && c.below(2) == 0)
      r.vector = std::vector<float>{1, static_cast<float>(c.below(9)), 2};
  }
  void step() const {
    d.time->set({d.time->now().ns + static_cast<std::int64_t>(c.below(1'000'000'000))});
    switch (ids.size() < 3 ? 0 : c.below(10)) {
    case 0: {
      ingest_request r = topic_of(c.below(3) == 0 ? "one title" : words(), some_fields());
      put_vector(r);
      ids.push_back(applied(d, r).uri->id);
      break;
    }
    case 1:
    case 2:
    case 3: {
      ingest_request r = extension(any(), some_fields());
      if (c.below(3) == 0) r.summary = words();
      put_vector(r);
      (void)d.apply(r);
      break;
    }
    case 4:
      (void)d.apply(revise_request{.actor = "ana"});
      break;
    case 5: {
      tombstone_request t;
      t.uri = {memory_type::topic, any(), 1};
      t.reason = "r";
      (void)d.apply(t);
      break;
    }
    case 6:
      (void)d.apply(restore_request{.id = any(), .actor = {}});
      break;
    case 7:
      (void)d.apply(unarchive_request{.id = any(), .actor = "ana"});
      break;
    case 8:
      if (c.below(4) == 0) (void)erase(d, {.ids = {any()}});
      break;
    default:
      (void)erase(d, request_for(any(), fmt::format("field{}", c.below(3))));
    }
  }
};

} // namespace

TEST_CASE("a world that erased fields and a copy made from its journal are the same at every seq") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    erasable_site place;
    if (seed % 2 == 0) place.embedder = "hash:8";
    auto w = place.open();
    auto d = std::make_unique<driven>(*w, seed);
    dice c(seed);
    std::vector<memory_id> ids;
    for (int step = 0; step < 60; ++step) {
      random_topics{*d, c, ids, seed % 2 == 1}.step();
      if (c.below(20) == 0) REQUIRE(d->checkpoint());
      if (c.below(25) != 0) continue;
      d.reset();
      if (c.below(2) == 0) REQUIRE(close_world(*w));
      w.reset();
      place.files->crash(seed, crash_mode::keep);
      w = place.open();
      d = std::make_unique<driven>(*w, seed);
    }
    erasable_site copy;
    copy.embedder = place.embedder;
    auto replayed = copy.open();
    auto ok = replay_journal(*place.files, w->directory, *replayed, {}, {});
    if (!ok) FAIL(ok.error().message);
    CHECK(dump_of(*w) == dump_of(*replayed));
    for (seq_no at{1}; at <= w->published_seq(); at = at.next()) {
      INFO("seq " << at.value);
      REQUIRE(topics_at(*w, at) == topics_at(*replayed, at));
    }
  }
}
