#include "state/execute/preparation.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/text/forms.hpp"
#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"
#include "messages/validate/validate_topics.hpp"
#include "state/execute/execution.hpp"

namespace mneme {

namespace {

/// Defaults and rendering add to what was given; what the journal holds keeps to the limit too.
result<void> check_stored_size(memory_type type, const prepared& p) {
  const auto too_large = [](const char* what, const char* at) {
    return fail(errc::limit_exceeded,
                fmt::format("{} would be over the limit of {} bytes", what, max_data_bytes), at);
  };
  if (encode_data(type, p.data).size() > max_data_bytes)
    return too_large("the data with its defaults", "data");
  if (p.forms.short_form.size() > max_data_bytes) return too_large("the short form", "forms.short");
  if (p.forms.medium_form.size() > max_data_bytes)
    return too_large("the medium form", "forms.medium");
  return {};
}

std::string text_to_embed(memory_type type, const memory_data& data,
                          const embedded_content& embedded) {
  return embedding_text(type, data) + field_lines(embedded.values);
}

/// Does a default of the content say when it was written?
bool takes_its_time(memory_type type, const memory_data& data) {
  return std::ranges::any_of(fields_of(type), [&](const field_schema& field) {
    return field.kind == field_kind::time && field.default_text && !data.contains(field.name);
  });
}

/// The content that a request brings; null where it brings none, or adds to one that it does not
/// know.
struct content_ahead {
  memory_type type{};
  memory_data data;
  forms_override forms;
  bool has_vector = false;
  std::optional<timestamp> created_at;
  embedded_content embedded{};
};
std::optional<content_ahead> content_of(const write_request& r) {
  return content_ahead{r.type, r.data, r.forms, r.vector.has_value(), r.created_at};
}
std::optional<content_ahead> content_of(const put_request& r) {
  return content_of(r.content);
}
std::optional<content_ahead> content_of(const update_request& r) {
  if (r.replace) return std::nullopt; // of a version that only the committer knows
  content_ahead c{r.uri.type, r.data, r.forms, r.vector.has_value(), r.created_at};
  c.embedded.is_known = r.uri.type != memory_type::topic;
  return c;
}
std::optional<content_ahead> content_of(const ingest_request& r) {
  if (r.placement != ingest_placement::new_topic) return std::nullopt;
  const write_request w = topic_write_of(r);
  if (!validate(w)) return std::nullopt; // refused in its turn
  auto content = content_of(w);
  content->embedded.values = values_of(r);
  return content;
}
template <class Request>
std::optional<content_ahead> content_of(const Request&) {
  return std::nullopt;
}

} // namespace

bool embeds_at_once(const embedder* by) {
  return by != nullptr && by->remote() == nullptr;
}

prepared_ahead prepare_ahead(const mutation& m, bool is_scoped, const embedder* embedder,
                             const token_counter& tokens) {
  prepared_ahead ahead;
  auto validity = std::visit([](const auto& r) { return validate(r); }, m);
  const bool is_valid = validity.has_value();
  if (!is_scoped) ahead.validity = std::move(validity);
  if (!is_valid) return ahead;
  auto content = std::visit([](const auto& r) { return content_of(r); }, m);
  if (!content || (!content->created_at && takes_its_time(content->type, content->data)))
    return ahead;
  content->data = with_defaults(content->type, std::move(content->data),
                                content->created_at.value_or(timestamp{}));
  if (tokens.is_thread_safe())
    ahead.forms = render_forms(content->type, content->data, content->forms, tokens);
  if (!content->has_vector && content->embedded.is_known && embeds_at_once(embedder))
    ahead.vector =
        embedded_by(*embedder, text_to_embed(content->type, content->data, content->embedded));
  return ahead;
}

std::vector<prepared_ahead> prepare_ahead(std::span<const mutation> items, bool is_scoped,
                                          const embedder* embedder, const token_counter& tokens) {
  std::vector<prepared_ahead> all;
  if (items.size() > max_batch_items) return all;
  all.reserve(items.size());
  for (const auto& m : items) all.push_back(prepare_ahead(m, is_scoped, embedder, tokens));
  return all;
}

std::vector<prepared_ahead> prepare_ahead(std::span<const tick_write> writes,
                                          const embedder* embedder, const token_counter& tokens) {
  std::vector<prepared_ahead> all;
  if (writes.size() > max_tick_items) return all;
  all.reserve(writes.size());
  for (const auto& w : writes) {
    const auto* m = std::get_if<scoped_mutation>(&w);
    all.push_back(m == nullptr ? prepared_ahead{}
                               : prepare_ahead(m->request, m->scope != nullptr, embedder, tokens));
  }
  return all;
}

result<prepared> prepare_content(memory_type type, const memory_data& data,
                                 const forms_override& own,
                                 const std::optional<std::vector<float>>& vector, timestamp now,
                                 const execution_seams& seams, const prepared_ahead& ahead,
                                 const embedded_content& embedded) {
  prepared p;
  p.now = now;
  p.data = with_defaults(type, data, now);
  auto rendered = ahead.forms ? *ahead.forms : render_forms(type, p.data, own, *seams.tokens);
  if (!rendered) return propagate(rendered);
  p.forms = std::move(*rendered);
  if (auto ok = check_stored_size(type, p); !ok) return propagate(ok);
  if (vector) {
    p.vector = vector;
    p.vector_given = true;
  } else if (embedded.is_known && embeds_at_once(seams.embedder)) {
    auto vector_now = ahead.vector
                          ? *ahead.vector
                          : embedded_by(*seams.embedder, text_to_embed(type, p.data, embedded));
    if (!vector_now) return propagate(vector_now);
    if (!vector_now->empty()) p.vector = std::move(*vector_now);
  }
  return p;
}

} // namespace mneme
