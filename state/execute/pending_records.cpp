#include "state/execute/pending_records.hpp"

#include "messages/ensure.hpp"
#include "state/activation_rules.hpp"

namespace mneme {

activation pending_records::current(const memory_id& id) const {
  if (const auto it = activations_.find(id); it != activations_.end()) return it->second;
  const node_no node = views_.nodes->find(id);
  return node.value == no_number ? activation{} : views_.attributes->activation_of(node, at_);
}

void pending_records::catch_up() {
  const auto put_head = [&](const head& h, bool first) {
    activations_[h.id] = after_head(current(h.id), h, first);
  };
  const auto put_salience = [&](const memory_id& topic, std::int64_t e9) {
    activation changed = current(topic);
    changed.topic_salience_e9 = e9;
    activations_[topic] = changed;
  };
  for (; seen_ < entries_.size(); ++seen_) {
    const entry& e = entries_[seen_];
    const timestamp at = e.header.created_at;
    if (const auto* w = std::get_if<write_payload>(&e.payload)) {
      put_head(w->head, true);
      versions_[{w->version.id, w->version.number}] = seen_;
    } else if (const auto* u = std::get_if<update_payload>(&e.payload)) {
      put_head(u->head, false);
      versions_[{u->version.id, u->version.number}] = seen_;
    } else if (const auto* h = std::get_if<head_payload>(&e.payload)) {
      if (e.header.kind != entry_kind::restore) put_head(h->head, false);
    } else if (const auto* archived = std::get_if<topic_archive_payload>(&e.payload)) {
      put_head(archived->head, false);
      activations_[archived->head.id].topic_salience_e9 = archived->to_e9;
    } else if (const auto* merged = std::get_if<topic_merge_payload>(&e.payload)) {
      put_head(merged->head, false);
    } else if (const auto* set = std::get_if<topic_salience_payload>(&e.payload)) {
      put_salience(set->topic, set->to_e9);
    } else if (const auto* reinforced = std::get_if<reinforce_payload>(&e.payload)) {
      for (const auto& item : reinforced->items) {
        if (reinforced->door == reinforcing_door::retrieve)
          put_salience(item.id, item.to_e9);
        else
          activations_[item.id] = after_chroma_touch(current(item.id));
      }
    } else if (const auto* late = std::get_if<find_late_payload>(&e.payload)) {
      for (const auto& id : late->accessed) activations_[id] = after_touch(current(id), at);
    } else if (const auto* attest = std::get_if<attest_payload>(&e.payload)) {
      for (const auto& id : attest->cited)
        activations_[id] = after_attest(current(id), *attest, at);
    } else if (const auto* learned = std::get_if<learn_weights_payload>(&e.payload)) {
      weights_[learned->actor] = learned->weights;
    }
  }
}

activation pending_records::activation_of(const memory_id& id) {
  catch_up();
  return current(id);
}

result<std::optional<version>> pending_records::version_of(const memory_id& id,
                                                           std::uint32_t number) {
  catch_up();
  if (const auto it = versions_.find({id, number}); it != versions_.end()) {
    ensure(it->second < entries_.size(), "a record of the batch is still in it");
    const entry_payload& p = entries_[it->second].payload;
    if (const auto* w = std::get_if<write_payload>(&p)) return w->version;
    return std::get<update_payload>(p).version;
  }
  return read_version(reader_, id, number);
}

result<bool> pending_records::is_trimmed(const memory_id& id, std::uint32_t number) const {
  auto by = read_trimmed(reader_, id, number);
  if (!by) return propagate(by);
  return by->has_value();
}

learned_weights pending_records::weights_of(const std::string& actor) {
  catch_up();
  if (const auto it = weights_.find(actor); it != weights_.end()) return it->second;
  return views_.attributes->weights_of(actor, at_);
}

} // namespace mneme
