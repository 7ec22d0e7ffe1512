/// The model's hashtags, signals of coloured memories, learned weights and compact records.

#include <algorithm>

#include "mneme/chroma.hpp"
#include "sim/model.hpp"
#include "sim/model_physics.hpp"

namespace mneme::sim {

memory_mode mode_in(const head& h) {
  for (const auto mode :
       {memory_mode::sparse, memory_mode::adaptive, memory_mode::spacey, memory_mode::eidetic})
    if (to_string(mode) == h.colour->mode) return mode;
  return memory_mode::adaptive;
}

void model::reinforce(seq_no seq, const reinforce_payload& p, timestamp at) {
  for (const auto& item : p.items) {
    if (p.door == reinforcing_door::retrieve) {
      set_topic_salience(seq, item.id, item.to_e9);
      continue;
    }
    auto& m = memories_.at(item.id);
    m.signals.put(seq, touched(*m.signals.at(seq), mode_in(*m.heads.at(seq)), at));
    activation used = *m.used.at(seq);
    ++used.access_count;
    m.used.put(seq, used);
  }
}

void model::commit_signals(seq_no seq, const entry_payload& payload, timestamp at) {
  made_.put(seq, at);
  if (const auto* w = std::get_if<write_payload>(&payload)) {
    if (!w->head.colour) return;
    colour_signals fresh;
    fresh.last_accessed = w->head.created_at;
    memories_[w->head.id].signals.put(seq, fresh);
  } else if (const auto* p = std::get_if<reinforce_payload>(&payload)) {
    reinforce(seq, *p, at);
  } else if (const auto* cycle = std::get_if<decay_cycle_payload>(&payload)) {
    for (const auto& item : cycle->items) {
      auto& m = memories_.at(item.id);
      m.signals.put(seq, decayed(*m.signals.at(seq), mode_in(*m.heads.at(seq)), at));
    }
  } else if (const auto* tag = std::get_if<assign_tag_payload>(&payload)) {
    const auto zone = tag->anchor <= 1000   ? colour_zone::core
                      : tag->anchor <= 7500 ? colour_zone::mid
                                            : colour_zone::outer;
    tags_.push_back({seq, {tag->tag, tag->anchor, zone}});
  } else if (const auto* a = std::get_if<attest_payload>(&payload)) {
    const bool blamed = a->reason == "factual_error" || a->reason == "wrong_assumption";
    for (const auto& id : a->cited) {
      auto& m = memories_.at(id);
      activation used = *m.used.at(seq);
      used.last_used = at;
      if (a->outcome == attest_outcome::success) {
        ++used.access_count;
        ++used.citations;
      } else if (blamed && used.citations > 0) {
        --used.citations;
      }
      m.used.put(seq, used);
    }
  } else if (const auto* learned = std::get_if<learn_weights_payload>(&payload)) {
    weights_[learned->actor].put(seq, learned->weights);
  } else if (const auto* set = std::get_if<search_weights_payload>(&payload)) {
    searches_.put(seq, set->weights);
  } else if (const auto* compact = std::get_if<compact_payload>(&payload)) {
    compacts_.push_back({seq, *compact});
  }
}

void model::truncate_signals(seq_no last) {
  while (!tags_.empty() && tags_.back().since > last) tags_.pop_back();
  while (!compacts_.empty() && compacts_.back().seq > last) compacts_.pop_back();
  for (auto& [actor, states] : weights_) states.truncate(last);
  searches_.truncate(last);
  made_.truncate(last);
}

std::string model::search_text_at(seq_no at) const {
  const std::string* text = searches_.at(at);
  return text == nullptr ? std::string() : *text;
}

search_weights model::search_at(seq_no at) const {
  const std::string text = search_text_at(at);
  return text.empty() ? seams_.search : *change_search_weights(seams_.search, text);
}

std::optional<timestamp> model::made_at(seq_no at) const {
  const timestamp* made = made_.at(at);
  return made == nullptr ? std::nullopt : std::optional(*made);
}

std::optional<colour_signals> model::signals_at(const memory_id& id, seq_no at) const {
  const auto found = memories_.find(id);
  if (found == memories_.end()) return std::nullopt;
  const colour_signals* s = found->second.signals.at(at);
  return s == nullptr ? std::nullopt : std::optional(*s);
}

std::vector<tag_assignment> model::tags_at(seq_no at) const {
  std::vector<tag_assignment> found;
  for (const auto& t : tags_)
    if (t.since <= at) found.push_back(t.assignment);
  return found;
}

std::optional<tag_assignment> model::tag_at(std::string_view tag, seq_no at) const {
  for (const auto& t : tags_)
    if (t.since <= at && t.assignment.tag == tag) return t.assignment;
  return std::nullopt;
}

learned_weights model::weights_at(const std::string& actor, seq_no at) const {
  const auto found = weights_.find(actor);
  if (found == weights_.end()) return {};
  const learned_weights* w = found->second.at(at);
  return w == nullptr ? learned_weights{} : *w;
}

} // namespace mneme::sim
