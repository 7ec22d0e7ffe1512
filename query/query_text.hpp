#pragma once
/// The text by which a query asks for a vector, and its vector. A remote embedder may take long, so
/// a driver that must not wait has the text embedded before the query is compiled.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/agents.hpp"
#include "mneme/query.hpp"
#include "mneme/search.hpp"
#include "mneme/selection.hpp"
#include "mneme/topics.hpp"
#include "query/query_run.hpp"

namespace mneme {

/// What compile() of the request's door will ask the embedder for; nullopt = nothing.
std::optional<std::string> text_to_embed(const find_request& r);
std::optional<std::string> text_to_embed(const retrieve_request& r);
std::optional<std::string> text_to_embed(const search_request& r);
std::optional<std::string> text_to_embed(const context_request& r);
std::optional<std::string> text_to_embed(const select_request& r);
template <class Request>
std::optional<std::string> text_to_embed(const Request&) {
  return std::nullopt;
}

/// The vector of a query's text: what the context brings, else the embedder is asked now. `dim` is
/// what it must have; 0 = any. Whatever keeps a remote embedder from giving a vector that this
/// world can use is `io`: to the asker it is one that gives none. Precondition: there is an
/// embedder.
result<std::vector<float>> embedded_query(const std::string& text, std::uint32_t dim,
                                          const query_context& context, const read_views& views);

} // namespace mneme
