#pragma once
/// Ops that put many questions to one door: {"items":[request…]} → {"results":[answer…]}, in their
/// order; each item fails alone.

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/held_answer.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

/// An item of `op`_many: a request of `op`, which it need not name.
result<void> check_item_of(std::string_view op, std::span<const key_shape> keys, const json& value,
                           const json_path& at);

/// Precondition: the shape of the request was checked. All items are read before the first is
/// asked. The deadline of the list holds for each item, whose own may be earlier: both count from
/// where the list begins.
template <class Request, class Answer, class Print>
result<json> run_many(session& s, const json& request, std::string_view op,
                      result<Request> (*read)(const json&, const json_path&),
                      std::vector<result<Answer>> (engine::*ask)(std::vector<Request>),
                      Print print) {
  const json& items = request["items"];
  if (items.size() > max_batch_items)
    return fail(errc::limit_exceeded,
                fmt::format("{}_many has at most {} items", op, max_batch_items), "items");
  const json_path document;
  const json_path list = document.key("items");
  fault_list faults;
  value_reader in(request, document, faults);
  const auto list_ms = read_deadline(in);
  if (faults) return faults.refusal();
  std::vector<Request> requests;
  std::vector<request_deadline> times;
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto r = read(items[i], list.item(i));
    if (!r) return propagate(r);
    if (list_ms) r->deadline_ms = std::min(*list_ms, r->deadline_ms.value_or(*list_ms));
    times.emplace_back(s, r->deadline_ms);
    requests.push_back(std::move(*r));
  }
  json results = json::array();
  for (auto& found : (s.target().*ask)(std::move(requests))) {
    const std::size_t i = results.size();
    auto printed = [&]() -> result<json> {
      if (!found) return propagate(found);
      if (auto ok = hold(s, *found); !ok) return propagate(ok);
      if constexpr (std::is_invocable_v<Print, const Answer&, const request_deadline&>)
        return print(*found, times[i]);
      else
        return print(*found, times[i], items[i]);
    }();
    results.push_back(printed ? ok_json(std::move(*printed))
                              : error_json(std::move(printed.error()), list.item(i)));
  }
  return json{{"results", std::move(results)}};
}

} // namespace mneme::protocol
