#include <array>

#include <fmt/format.h>

#include "sim/own_profile.hpp"
#include "sim/workload.hpp"

namespace mneme::sim {

namespace {

std::vector<std::string> tags_of_zone(const model& truth, colour_zone zone) {
  std::vector<std::string> found;
  for (const auto& t : truth.tags_at(truth.last()))
    if (t.zone == zone) found.push_back(t.tag);
  return found;
}

} // namespace

/// Mostly a set that has a colour; none while there are too few tags.
std::vector<std::string> workload::some_hashtags() {
  const auto core = tags_of_zone(truth_, colour_zone::core);
  const auto mid = tags_of_zone(truth_, colour_zone::mid);
  const auto outer = tags_of_zone(truth_, colour_zone::outer);
  if (core.empty() || outer.empty() || mid.size() < 6) return {};
  std::vector<std::string> tags = {draw_.pick(core), draw_.pick(outer)};
  const std::size_t wanted = draw_.one_in(15) ? 3 : 6;
  const std::size_t from = draw_.below(mid.size());
  for (std::size_t i = 0; i < wanted; ++i) tags.push_back(mid[(from + i) % mid.size()]);
  if (draw_.one_in(20)) tags.push_back("unknown");
  return tags;
}

assign_tag_request workload::some_assignment() {
  assign_tag_request r;
  r.tag = "h" + std::to_string(draw_.below(40));
  if (draw_.percent(20))
    r.anchor = draw_.between(1, 30);
  else
    r.zone = draw_.percent(75) ? colour_zone::mid
                               : (draw_.percent(50) ? colour_zone::core : colour_zone::outer);
  return r;
}

batch_message workload::some_assignments() {
  batch_message batch;
  batch.durability = some_durability();
  const bool few = truth_.tags_at(truth_.last()).size() < 10;
  if (few && truth_.tags_at(truth_.last()).empty()) {
    // The first ones are enough for a colour.
    for (int i = 0; i < 10; ++i) {
      assign_tag_request r;
      r.tag = "h" + std::to_string(i);
      r.zone = i == 0 ? colour_zone::core : (i == 1 ? colour_zone::outer : colour_zone::mid);
      batch.items.emplace_back(std::move(r));
    }
    return batch;
  }
  for (auto n = 1 + draw_.below(2); n > 0; --n) batch.items.emplace_back(some_assignment());
  return batch;
}

/// Some that the world may have, and now and then some that it may not.
set_weights_request workload::some_weights() {
  constexpr std::array<std::string_view, 8> settings = {
      "neighbours=0", "newer=0",       "vector=0.5,text=0.5",    "dates=0.2,speakers=0",
      "b=0.3",        "least_match=0", "newer=0.85,answers=0.1", "function_words=1"};
  constexpr std::array<std::string_view, 3> refused = {"b=2", "bee=1", "vector=0,text=0"};
  set_weights_request r;
  r.reset = draw_.percent(25);
  if (!r.reset || draw_.percent(50))
    r.weights.emplace(draw_.percent(10) ? draw_.pick(refused) : draw_.pick(settings));
  return r;
}

/// The profile, and now and then the hashtags as words for it to read.
void workload::add_words(chroma_request& r) {
  const auto profile = draw_.below(10);
  if (profile < 2) r.profile = std::string(own_profile_name);
  if (profile == 2) r.profile = "default";
  if (profile == 3 || profile == 4) {
    r.profile = "knowledge_patch";
    if (draw_.percent(80)) return add_patch(r);
  }
  if (!draw_.percent(25)) return;
  r.text.emplace(draw_.percent(30) ? "recent" : "of");
  if (draw_.percent(20)) *r.text += fmt::format(" top {}", draw_.between(1, 4));
  for (const auto& tag : r.hashtags) *r.text += " " + tag + ",";
  if (r.profile != "knowledge_patch" || draw_.percent(50)) r.hashtags.clear();
}

/// paradigm | sub:path | cutoff | release | format, beside hashtags that are enough for a colour.
void workload::add_patch(chroma_request& r) {
  constexpr std::array<std::string_view, 5> releases = {"", "latest", "beta", "v2.1", "none"};
  r.text = fmt::format("{} | {}", some_paradigm(), some_domain());
  *r.text += draw_.percent(40) ? " |" : " | " + to_string(some_time());
  if (draw_.percent(90)) *r.text += fmt::format(" | {}", draw_.pick(releases));
  if (draw_.percent(30)) *r.text += " | table";
  if (draw_.one_in(20)) *r.text += " | rows";
}

std::string workload::some_paradigm() {
  return fmt::format("h{}", 2 + draw_.below(2));
}
std::string workload::some_domain() {
  return draw_.percent(50) ? "h4:h5" : "h6";
}

chroma_request workload::some_chroma() {
  chroma_request r;
  r.hashtags = some_hashtags();
  if (r.hashtags.empty()) r.hashtags = {"h1", "unknown"};
  add_words(r);
  if (draw_.percent(70)) r.k = draw_.between(1, 8);
  if (draw_.percent(30)) r.max_distance = static_cast<double>(draw_.below(80));
  if (draw_.percent(25)) {
    const timestamp start = some_time();
    r.temporal_range = {start, timestamp{start.ns + 2 * 86'400'000'000'000}};
    if (draw_.percent(30)) r.temporal_range->start.reset();
  }
  if (draw_.percent(20)) {
    metadata_filter& level = r.filters["level"];
    if (draw_.percent(50))
      level.any_of = {std::int64_t{1}, std::int64_t{3}};
    else
      level.gte = std::int64_t{2};
  }
  if (draw_.percent(40)) r.include_rotten = draw_.percent(50);
  r.include_ended = draw_.percent(30);
  if (draw_.percent(30)) r.weights = score_weights{0.25, 0.25, 0.5};
  r.at_seq = some_past();
  if (!r.at_seq && draw_.percent(25)) r.touch = draw_.percent(50);
  r.actor = some_asker();
  r.deadline_ms = some_deadline();
  return r;
}

planned_request workload::invalid_chroma() {
  chroma_request r = some_chroma();
  const auto refused = [&](errc code) { return planned_request{chroma_message{r}, code}; };
  switch (draw_.below(4)) {
  case 3:
    r.deadline_ms = -1;
    return refused(errc::out_of_range);
  case 0:
    r.k = 0;
    return refused(errc::out_of_range);
  case 1:
    r.weights = score_weights{0.5, 0.5, 0.5};
    return refused(errc::out_of_range);
  default:
    r.at_seq = truth_.last();
    r.touch = true;
    return refused(errc::unsupported);
  }
}

search_request workload::some_search() {
  search_request r;
  r.query = some_text();
  if (draw_.percent(15)) r.query += draw_.percent(50) ? " recent" : " today";
  if (draw_.percent(10)) r.query += " 2 days ago my";
  if (draw_.percent(10)) r.query += " title " + std::to_string(draw_.below(5));
  r.limit = draw_.between(1, draw_.percent(50) ? 4 : 30);
  r.source = static_cast<search_source>(draw_.below(3));
  if (draw_.percent(20)) {
    r.memory_ids.emplace();
    for (auto n = draw_.below(5); n > 0; --n) r.memory_ids->push_back(some_id());
    r.include_lineage = draw_.percent(70);
  }
  if (draw_.percent(20)) {
    r.type = some_type();
    if (r.type == memory_type::chunk) r.type.reset();
  }
  if (draw_.percent(10)) r.project = some_text();
  if (draw_.percent(20)) r.status = static_cast<search_status>(1 + draw_.below(7));
  if (draw_.percent(10)) r.due_after = some_time();
  if (draw_.percent(10)) r.due_before = some_time();
  if (draw_.percent(10)) r.origin = static_cast<lifecycle_origin>(1 + draw_.below(4));
  if (draw_.percent(20)) r.tag = some_tag();
  if (draw_.percent(60)) r.sort = static_cast<search_sort>(draw_.below(5));
  r.include_archived = draw_.percent(30);
  r.include_ended = draw_.percent(30);
  r.include_overviews = draw_.percent(30);
  if (draw_.percent(10)) r.stale = draw_.percent(40);
  if (draw_.percent(20)) r.min_trust = static_cast<double>(draw_.below(5)) / 4.0;
  if (draw_.percent(15)) r.as_of = some_time();
  r.atomic_only = draw_.percent(10);
  if (draw_.percent(15)) r.audience = static_cast<search_audience>(draw_.below(3));
  if (draw_.percent(20)) r.source_filter = "p" + std::to_string(draw_.below(4));
  if (draw_.percent(10)) r.content_source = static_cast<chunk_source>(draw_.below(2));
  r.include_low_relevance = draw_.percent(40);
  r.similarity_floor = static_cast<double>(draw_.below(3)) * 0.3;
  if (draw_.percent(25)) r.budget_tokens = draw_.between(1, draw_.percent(50) ? 40 : 300);
  if (draw_.percent(20)) r.form = static_cast<form_kind>(draw_.below(3));
  const bool embeds = how_.setup.embedder != "none";
  if (draw_.percent(embeds ? 15 : 50)) r.vector = some_vector(embeds ? 16 : 4);
  r.actor = some_asker();
  r.at_seq = some_past();
  r.deadline_ms = some_deadline();
  return r;
}

select_request workload::some_selection() {
  constexpr std::array<std::string_view, 7> asks = {"",
                                                    "forget everything about ",
                                                    "delete all notes that mention ",
                                                    "forget that ",
                                                    "drop ",
                                                    "remove the note about ",
                                                    "forget about "};
  select_request r;
  std::string about = some_text();
  // The first word as a name, which stands in no other request.
  if (draw_.percent(30)) about[0] = static_cast<char>(about[0] - 'a' + 'A');
  r.words = std::string(draw_.pick(asks)) + about;
  if (draw_.percent(15)) r.words += " except " + some_text();
  if (draw_.percent(10)) r.words = "forget \"" + some_text() + "\"";
  const auto some_name = [&] {
    std::string name = some_text();
    name = name.substr(0, name.find(' '));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
  };
  if (draw_.percent(10))
    r.words = draw_.percent(30)
                  ? fmt::format("forget everything {} said", some_name())
                  : fmt::format("forget all about {} and {}", some_name(), some_name());
  if (draw_.percent(20)) r.types = {some_type(), some_type()};
  if (draw_.percent(15)) r.tags = {some_tag()};
  if (draw_.percent(20)) r.limit = draw_.between(1, 5);
  r.states_new = draw_.percent(25);
  const bool embeds = how_.setup.embedder != "none";
  if (draw_.percent(embeds ? 15 : 50)) r.vector = some_vector(embeds ? 16 : 4);
  if (draw_.percent(15)) r.now = some_time();
  r.actor = some_asker();
  r.at_seq = some_past();
  r.deadline_ms = some_deadline();
  return r;
}

planned_request workload::invalid_search() {
  search_request r = some_search();
  r.memory_ids.reset();
  const auto refused = [&](errc code) { return planned_request{search_message{r}, code}; };
  switch (draw_.below(4)) {
  case 3:
    r.deadline_ms = 0;
    return refused(errc::out_of_range);
  case 0:
    r.query = "  ";
    return refused(errc::empty_query);
  case 1:
    r.limit = 0;
    return refused(errc::out_of_range);
  default:
    r.similarity_floor = 1.5;
    return refused(errc::out_of_range);
  }
}

context_request workload::some_context() {
  context_request r;
  if (draw_.percent(70)) r.action = verb::build;
  for (auto n = draw_.below(3); n > 0; --n) r.objects.emplace_back(object_kind::plan, some_tag());
  if (draw_.percent(50)) {
    r.query = some_text();
    if (draw_.percent(15)) *r.query += draw_.percent(50) ? " recent" : " today";
    const bool embeds = how_.setup.embedder != "none";
    if (draw_.percent(embeds ? 15 : 50)) r.vector = some_vector(embeds ? 16 : 4);
  }
  if (draw_.percent(60)) r.budget_tokens = draw_.between(1, draw_.percent(50) ? 60 : 5000);
  if (draw_.percent(25))
    r.tiers = std::vector<context_tier>{static_cast<context_tier>(draw_.below(5)),
                                        static_cast<context_tier>(draw_.below(5))};
  if (draw_.percent(30)) r.outcome_limit = draw_.between(0, 2);
  if (draw_.percent(40)) r.form = static_cast<form_kind>(draw_.below(3));
  if (draw_.percent(20)) r.min_trust = static_cast<double>(draw_.below(5)) / 4.0;
  if (draw_.percent(20)) r.now = some_time();
  r.include_ended = draw_.percent(30);
  r.actor = some_asker();
  r.at_seq = some_past();
  r.deadline_ms = some_deadline();
  return r;
}

/// Of memories that are there, mostly.
std::vector<std::string> workload::some_uris(std::size_t most) {
  std::vector<std::string> uris;
  for (auto n = draw_.below(most + 1); n > 0; --n) {
    const auto h = some_head();
    if (!h || draw_.one_in(20))
      uris.emplace_back("not a uri");
    else
      uris.push_back(
          to_string(memory_uri{draw_.one_in(20) ? some_type() : h->type, h->id, version_of(*h)}));
  }
  return uris;
}

attest_request workload::some_attest() {
  attest_request r;
  r.outcome = draw_.percent(60) ? attest_outcome::success : attest_outcome::failure;
  if (r.outcome == attest_outcome::failure)
    r.reason =
        draw_.percent(50) ? "factual_error" : (draw_.percent(50) ? "wrong_assumption" : "other");
  r.cited = some_uris(5);
  if (r.cited.empty()) r.cited.emplace_back("nothing");
  r.actor = some_actor();
  return r;
}

compact_request workload::some_compact() {
  compact_request r;
  r.in_context = some_uris(8);
  r.load_bearing = some_uris(3);
  r.budget_tokens = draw_.between(1, draw_.percent(50) ? 60 : 4000);
  r.intent_id = some_tag();
  r.actor = some_actor();
  return r;
}

load_compact_request workload::some_load_compact() {
  load_compact_request r{.intent_id = some_tag(), .step_id = "none", .actor = {}, .at_seq = {}};
  if (!truth_.compacts().empty() && !draw_.one_in(10)) {
    const auto& known = draw_.pick(truth_.compacts());
    r.intent_id = known.payload.intent_id;
    r.step_id = known.payload.step_id;
  }
  r.actor = some_asker();
  r.at_seq = some_past();
  return r;
}

tick_read workload::some_tick_read() {
  const auto h = some_head();
  switch (draw_.below(8)) {
  case 4:
    return some_retrieve();
  case 5:
    return some_chroma();
  case 6:
    return some_search();
  case 0:
    return some_context();
  case 1:
    return get_read{some_id(), some_options()};
  case 2:
    if (h) return resolve_read{{h->type, h->id, version_of(*h)}, some_options()};
    [[fallthrough]];
  case 3:
    return edges_read{some_id(), static_cast<edge_direction>(draw_.below(3)), {}, some_options()};
  default:
    return some_find(draw_.percent(40));
  }
}

tick_message workload::some_tick() {
  tick_request r;
  for (auto n = draw_.below(6); n > 0; --n) r.reads.push_back(some_tick_read());
  for (auto n = draw_.below(5); n > 0; --n) {
    switch (draw_.below(6)) {
    case 0:
      r.writes.emplace_back(some_attest());
      break;
    case 1:
      r.writes.emplace_back(some_compact());
      break;
    case 2:
      r.writes.emplace_back(scoped_mutation{some_ingest(), {}});
      break;
    default:
      r.writes.emplace_back(
          scoped_mutation{puts()       ? some_keyed_write()
                          : restores() ? some_restore()
                                       : mutation_of(static_cast<operation_kind>(draw_.below(6))),
                          {}});
    }
  }
  return {std::make_shared<const tick_request>(std::move(r))};
}

/// The request of a newer door; nullopt for the kinds that are not of one.
std::optional<planned_request> workload::next_door(operation_kind kind) {
  const bool invalid = draw_.percent(how_.invalid_percent);
  const auto apply = [&](mutation m) {
    return planned_request{apply_message{std::move(m), some_durability()}, {}};
  };
  const auto many = [&](auto messages, auto one) {
    for (auto n = draw_.below(4); n > 0; --n) messages.requests.push_back((this->*one)());
    return planned_request{std::move(messages), {}};
  };
  switch (kind) {
  case operation_kind::ingest:
    return apply(some_ingest());
  case operation_kind::revise:
    return apply(revise_request{});
  case operation_kind::forget:
    return apply(forget_request{});
  case operation_kind::unarchive:
    return apply(some_unarchive());
  case operation_kind::assign_tags:
    return planned_request{some_assignments(), {}};
  case operation_kind::retrieve:
    return invalid ? invalid_retrieve() : planned_request{retrieve_message{some_retrieve()}, {}};
  case operation_kind::retrieve_many:
    return many(retrieve_many_message{}, &workload::some_retrieve);
  case operation_kind::fields: {
    fields_message m{some_topic().value_or(some_id()), {}, some_options()};
    m.fields.history = draw_.percent(50);
    if (draw_.percent(40)) m.fields.as_of = some_time();
    return planned_request{std::move(m), {}};
  }
  case operation_kind::events:
    return planned_request{events_message{some_topic().value_or(some_id()), some_options()}, {}};
  case operation_kind::chroma:
    return invalid ? invalid_chroma() : planned_request{chroma_message{some_chroma()}, {}};
  case operation_kind::chroma_many:
    return many(chroma_many_message{}, &workload::some_chroma);
  case operation_kind::decay:
    return planned_request{decay_message{}, {}};
  case operation_kind::search:
    return invalid ? invalid_search() : planned_request{search_message{some_search()}, {}};
  case operation_kind::search_many:
    return many(search_many_message{}, &workload::some_search);
  case operation_kind::context:
    return planned_request{context_message{some_context()}, {}};
  case operation_kind::attest:
    return planned_request{attest_message{some_attest()}, {}};
  case operation_kind::compact:
    return planned_request{compact_message{some_compact()}, {}};
  case operation_kind::load_compact:
    return planned_request{load_compact_message{some_load_compact()}, {}};
  case operation_kind::tick:
    return planned_request{some_tick(), {}};
  case operation_kind::set_weights:
    return apply(some_weights());
  case operation_kind::select:
    return planned_request{select_message{some_selection()}, {}};
  default:
    return std::nullopt;
  }
}

} // namespace mneme::sim
