// The text by which a topic with fields is found: what changed of it becomes one entry, when all
// that a request changes has changed.

#include "messages/seams/checked_seams.hpp"
#include "messages/text/forms.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// The vector of the text that the topic has now.
result<std::optional<spaced_vector>> vector_for(execution& x, const head& h, text_change change,
                                                std::string_view text) {
  prepared p;
  p.vector = std::move(change.vector);
  const bool keeps = change.keeps_vector || x.seams.embedder == nullptr;
  if (!p.vector && keeps && h.embedding) {
    if (auto values = x.state.vector_of(h.id); !values.empty()) p.vector = std::move(values);
  } else if (!p.vector && !keeps && embeds_at_once(x.seams.embedder)) {
    auto embedded = embedded_by(*x.seams.embedder, text);
    if (!embedded) return propagate(embedded);
    if (!embedded->empty()) p.vector = std::move(*embedded);
  }
  return place_vector(p, x.state, x.seams);
}

result<void> put_text(execution& x, const memory_id& topic, text_change change) {
  auto found = x.state.head(topic);
  if (!found) return propagate(found);
  if (!found->has_value() || (*found)->tombstone || (*found)->erased) return {};
  head h = std::move(**found);
  auto values = x.state.values(topic);
  if (!values) return propagate(values);
  if (values->empty()) return {}; // its own content is its text
  auto v = x.state.topic_version(h);
  if (!v) return propagate(v);
  auto vector = vector_for(x, h, std::move(change), embedded_topic_text(v->data, *values));
  if (!vector) return propagate(vector);
  h.embedding.reset();
  if (*vector)
    h.embedding =
        embedding_ref{static_cast<std::uint32_t>((*vector)->values.size()), h.current_version};
  x.state.put(h);
  if (*vector) x.state.put_vector(h.id, **vector);
  const state_leaf leaf = leaf_of(h);
  append_entry(
      x, entry_kind::embed, {}, {leaf},
      embed_payload{std::move(h), std::move(*vector), searched_topic_text(v->data, *values)});
  return {};
}

} // namespace

result<std::string> embedded_topic_text(overlay& state, const head& topic) {
  auto v = state.topic_version(topic);
  if (!v) return propagate(v);
  auto values = state.values(topic.id);
  if (!values) return propagate(values);
  return embedded_topic_text(v->data, *values);
}

result<void> embed_update(execution& x, const head& topic, prepared& p) {
  auto fields = x.state.fields(topic.id);
  if (!fields) return propagate(fields);
  if (!fields->empty()) p.vector_is_later = true;
  if (p.vector || p.vector_is_later || !embeds_at_once(x.seams.embedder)) return {};
  auto embedded = embedded_by(*x.seams.embedder, embedding_text(memory_type::topic, p.data));
  if (!embedded) return propagate(embedded);
  if (!embedded->empty()) p.vector = std::move(*embedded);
  return {};
}

void hold_back(execution& x, head& topic, std::optional<spaced_vector>& vector) {
  text_change& change = x.changed_texts[topic.id];
  if (vector) change.vector = std::move(vector->values);
  vector.reset();
  topic.embedding.reset();
}

result<void> settle_topic_texts(execution& x) {
  for (auto& [topic, change] : x.changed_texts)
    if (auto ok = put_text(x, topic, std::move(change)); !ok) return ok;
  x.changed_texts.clear();
  return {};
}

} // namespace mneme
