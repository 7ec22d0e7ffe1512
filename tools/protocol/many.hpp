#pragma once
/// Ops that put many questions to one door: {"items":[request…]} → {"results":[answer…]}, in their
/// order; each item fails alone.

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

/// An item of `op`_many: a request of `op`, which it need not name.
result<void> check_item_of(std::string_view op, std::span<const key_shape> keys, const json& value,
                           const json_path& at);

/// Precondition: the shape of the request was checked. All items are read before the first is
/// asked.
template <class Request, class Answer>
result<json> run_many(session& s, const json& request, std::string_view op,
                      result<Request> (*read)(const json&, const json_path&),
                      std::vector<result<Answer>> (engine::*ask)(std::vector<Request>),
                      json (*print)(const Answer&)) {
  const json& items = request["items"];
  if (items.size() > max_batch_items)
    return fail(errc::limit_exceeded,
                fmt::format("{}_many has at most {} items", op, max_batch_items), "items");
  const json_path document;
  const json_path list = document.key("items");
  std::vector<Request> requests;
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto r = read(items[i], list.item(i));
    if (!r) return propagate(r);
    requests.push_back(std::move(*r));
  }
  json results = json::array();
  for (auto& found : (s.target().*ask)(std::move(requests)))
    results.push_back(found ? ok_json(print(*found))
                            : error_json(found.error(), list.item(results.size())));
  return json{{"results", std::move(results)}};
}

} // namespace mneme::protocol
