#include <array>

#include "sim/workload.hpp"

namespace mneme::sim {

std::optional<memory_id> workload::some_topic() {
  std::vector<memory_id> topics;
  for (const auto& id : truth_.ids_at(truth_.last()))
    if (truth_.head_at(id, truth_.last())->type == memory_type::topic) topics.push_back(id);
  if (topics.empty()) return std::nullopt;
  return draw_.pick(topics);
}

/// Few, so that revise finds equal ones.
std::string workload::some_title() {
  return "title " + std::to_string(draw_.below(5));
}

json_value workload::some_value() {
  switch (draw_.below(6)) {
  case 0:
    return {some_text()};
  case 1:
    return {draw_.between(-5, 5)};
  case 2:
    return {static_cast<double>(draw_.below(9)) / 4.0};
  case 3:
    return {draw_.percent(50)};
  case 4:
    return {std::vector<json_value>{{some_text()}, {draw_.between(0, 3)}}};
  default:
    return {std::vector<json_member>{{"a", {some_text()}}, {"b", {}}}};
  }
}

field_input workload::some_field_input() {
  constexpr std::array<std::string_view, 5> names = {"role", "home", "note", "käse", "aliases"};
  field_input f;
  f.name = draw_.pick(names);
  f.value = some_value();
  if (f.name == "aliases" && draw_.percent(70)) {
    const std::string text = some_text();
    f.value = {some_title() + ", " + text.substr(0, text.find(' '))};
  }
  if (draw_.percent(20)) f.type = static_cast<topic_field_type>(1 + draw_.below(8));
  if (draw_.percent(20)) f.ref_topic_id = draw_.percent(80) ? some_topic() : some_id();
  if (draw_.percent(20)) f.salience = static_cast<double>(draw_.below(40)) / 4.0;
  if (draw_.percent(40)) f.valid_from = some_time();
  // Whether an interval is one must not depend on when the request is executed.
  if (f.valid_from && draw_.percent(50))
    f.valid_until = timestamp{f.valid_from->ns
                              + draw_.between(draw_.one_in(8) ? 0 : 1, 9) * 43'200'000'000'000};
  if (draw_.percent(30)) f.why_changed = some_text();
  if (draw_.percent(20)) f.operation = some_text();
  return f;
}

ingest_request workload::some_ingest() {
  ingest_request r;
  const auto topic = draw_.percent(60) ? some_topic() : std::nullopt;
  r.actor = some_actor();
  if (topic) {
    r.placement =
        draw_.percent(50) ? ingest_placement::extend_topic : ingest_placement::version_field;
    r.topic_id = draw_.one_in(15) ? some_id() : *topic;
  } else {
    r.placement = ingest_placement::new_topic;
    if (draw_.percent(10)) r.topic_id = draw_.percent(80) ? fresh_id() : known_id();
    r.visibility = static_cast<visibility>(1 + draw_.below(3));
  }
  if (r.placement == ingest_placement::version_field) {
    r.fields.push_back(some_field_input());
    return r;
  }
  const bool is_new = r.placement == ingest_placement::new_topic;
  if (is_new || draw_.percent(25)) r.title = some_title();
  if (draw_.percent(is_new ? 60 : 15)) r.summary = some_text();
  if (draw_.percent(20)) r.topic_kind = some_text();
  if (draw_.percent(30)) r.salience = draw_.percent(50) ? 0.01 : 2.5;
  if (draw_.percent(15)) r.trust = static_cast<double>(draw_.below(5)) / 4.0;
  if (draw_.percent(15)) r.source_class = static_cast<source_class>(1 + draw_.below(4));
  const bool embeds = how_.setup.embedder != "none";
  if (draw_.percent(embeds ? 10 : 40)) r.vector = some_vector(embeds ? 16 : 4);
  for (auto n = draw_.below(4); n > 0; --n) r.fields.push_back(some_field_input());
  for (auto n = draw_.below(3); n > 0; --n) {
    topic_link link;
    link.topic_id = draw_.percent(70) ? some_topic().value_or(fresh_id()) : some_id();
    if (r.topic_id && link.topic_id == *r.topic_id) link.topic_id = fresh_id();
    if (draw_.percent(50)) link.kind = some_tag();
    r.links.push_back(std::move(link));
  }
  return r;
}

mutation workload::some_unarchive() {
  unarchive_request r;
  r.id = draw_.percent(80) ? some_topic().value_or(fresh_id()) : some_id();
  return r;
}

retrieve_request workload::some_retrieve() {
  retrieve_request r;
  r.q = some_text();
  if (draw_.percent(60)) {
    r.stages.emplace();
    for (const auto stage :
         {retrieve_stage::semantic, retrieve_stage::structural, retrieve_stage::temporal})
      if (draw_.percent(60)) r.stages->push_back(stage);
  }
  const bool structural =
      !r.stages || std::ranges::find(*r.stages, retrieve_stage::structural) != r.stages->end();
  r.explain = draw_.percent(40);
  r.top_k = draw_.between(1, draw_.percent(50) ? 3 : 12);
  if (draw_.percent(35)) {
    r.topic_ids.emplace();
    for (auto n = draw_.below(5); n > 0; --n)
      r.topic_ids->push_back(draw_.percent(80) ? some_topic().value_or(fresh_id()) : some_id());
  }
  if (draw_.percent(30)) r.field_names = std::vector<std::string>{"note", "role", "none"};
  const bool embeds = how_.setup.embedder != "none";
  if (draw_.percent(embeds ? 20 : 70)) r.vector = some_vector(embeds ? 16 : 4);
  if (draw_.percent(25)) r.as_of = some_time();
  r.include_ended = draw_.percent(30);
  if (draw_.percent(20)) r.min_trust = static_cast<double>(draw_.below(5)) / 4.0;
  r.at_seq = some_past();
  if (draw_.percent(20)) r.now = some_time();
  r.expand_refs = structural && draw_.percent(30);
  if (!r.at_seq && draw_.percent(30)) r.touch = draw_.percent(50);
  r.actor = some_asker();
  if (draw_.percent(20)) r.history_limit = draw_.between(1, 3);
  r.deadline_ms = some_deadline();
  return r;
}

planned_request workload::invalid_retrieve() {
  retrieve_request r = some_retrieve();
  r.at_seq.reset();
  r.expand_refs = false;
  const auto refused = [&](errc code) { return planned_request{retrieve_message{r}, code}; };
  switch (draw_.below(5)) {
  case 4:
    r.deadline_ms = 0;
    return refused(errc::out_of_range);
  case 0:
    r.q = " ";
    return refused(errc::empty_query);
  case 1:
    r.top_k = 0;
    return refused(errc::out_of_range);
  case 2:
    r.at_seq = truth_.last();
    r.touch = true;
    return refused(errc::unsupported);
  default:
    r.stages = {retrieve_stage::temporal};
    r.expand_refs = true;
    return refused(errc::unsupported);
  }
}

} // namespace mneme::sim
