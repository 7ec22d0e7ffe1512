#include "query/query_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/validate/validate.hpp"
#include "query/selection/selection.hpp"

namespace mneme {

namespace {

/// What a remote embedder failed with, as the asker is told: the request is not at fault, unless
/// its text is none.
error as_outage(error e) {
  if (e.code != errc::shutdown && e.code != errc::bad_utf8) e.code = errc::io;
  return e;
}

} // namespace

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

std::optional<std::string> text_to_embed(const context_request& r) {
  const bool is_searched =
      !r.tiers || std::ranges::find(*r.tiers, context_tier::found) != r.tiers->end();
  if (r.vector || !is_searched) return std::nullopt;
  return r.query;
}

std::optional<std::string> text_to_embed(const select_request& r) {
  if (r.vector) return std::nullopt;
  return asked_question(r);
}

result<std::vector<float>> embedded_query(const std::string& text, std::uint32_t dim,
                                          const query_context& context, const read_views& views) {
  ensure(views.embedder != nullptr, "a text is embedded by somebody");
  auto v = context.embedded != nullptr ? *context.embedded : embedded_by(*views.embedder, text);
  if (views.embedder->remote() == nullptr) return v;
  if (!v) return std::unexpected(as_outage(std::move(v).error()));
  if (v->empty()) return v;
  if (auto ok = validate_vector(*v); !ok)
    return fail(errc::io, "the embedder gave a bad vector: " + ok.error().message);
  if (dim != 0 && v->size() != dim)
    return fail(errc::io,
                fmt::format("the embedder gave a vector of {} numbers, the world's space has {}: "
                            "is its model another one now?",
                            v->size(), dim));
  return v;
}

} // namespace mneme
