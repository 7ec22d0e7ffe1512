#include "state/embedding/waiting_texts.hpp"

#include "messages/hash.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/utf8_point.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// A head may tell of a vector of another space than the world's, which no index has.
bool has_vector(const read_views& views, const head& h, seq_no at) {
  if (!h.embedding) return false;
  const row_no row = views.attributes->row_of(views.nodes->find(h.id), at);
  return row.value == no_number || views.attributes->columns(row).has_vector;
}

} // namespace

result<waiting_texts> read_waiting_texts(world& w, std::span<const embed_job> jobs) {
  waiting_texts waiting;
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  const seq_no at = w.published_seq();
  const read_views views = w.views();
  for (const auto& job : jobs) {
    auto h = read_head(**reader, job.id, at);
    if (!h) return propagate(h);
    if (!h->has_value() || (*h)->tombstone || (*h)->erased || has_vector(views, **h, at)) continue;
    auto v = read_version(**reader, job.id, (*h)->current_version);
    if (!v) return propagate(v);
    if (!v->has_value()) continue;
    waiting.items.push_back({.id = job.id, .version = (*h)->current_version, .values = {}});
    std::string text = embedding_text((*v)->type, (*v)->data);
    if ((*h)->type == memory_type::topic) {
      auto values = read_field_values(**reader, job.id, at);
      if (!values) return propagate(values);
      text += field_lines(*values);
      waiting.items.back().text = sha256_of(text);
    }
    if (text.size() > job.max_bytes) text.resize(point_start(text, job.max_bytes));
    waiting.texts.push_back(std::move(text));
  }
  return waiting;
}

} // namespace mneme
