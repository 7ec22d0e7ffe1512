#include "query/query_text.hpp"

#include <algorithm>

#include "messages/checked_seams.hpp"

namespace mneme {

std::optional<std::string> text_to_embed(const find_request& r) {
  return r.near;
}

std::optional<std::string> text_to_embed(const retrieve_request& r) {
  const bool is_semantic =
      !r.stages || std::ranges::find(*r.stages, retrieve_stage::semantic) != r.stages->end();
  if (r.vector || !is_semantic) return std::nullopt;
  return r.q;
}

std::optional<std::string> text_to_embed(const search_request& r) {
  if (r.vector || r.memory_ids) return std::nullopt;
  return r.query;
}

result<std::vector<float>> embedded_query(const std::string& text, const query_context& context,
                                          const read_views& views) {
  if (context.embedded != nullptr) return *context.embedded;
  return embedded_by(*views.embedder, text);
}

} // namespace mneme
