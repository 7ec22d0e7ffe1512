#include "tools/protocol/session.hpp"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/at_least.hpp"
#include "tools/protocol/at_time.hpp"
#include "tools/protocol/batch_ops.hpp"
#include "tools/protocol/memory_name.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/protocol/receipt.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

std::string session::answer(std::string_view line) {
  const row_form before = std::exchange(rows_, row_form::printed);
  const auto answer = [&]() -> result<json> {
    std::optional<error> oversized;
    auto request = parse_json(line, oversized);
    if (!request) return request;
    return run(*request, oversized);
  }();
  rows_ = before;
  return print(answer ? ok_json(*answer) : error_json(answer.error()));
}

result<void> session::hold(std::uint64_t bytes, bool must) {
  if (!has_room_) return {};
  constexpr std::uint64_t small = 64U << 10;
  const std::uint64_t all = held_ + bytes;
  if (all <= small || has_room_(all, must)) {
    held_ = all;
    return {};
  }
  return fail(errc::busy, "other answers that are under way leave no room for this one; try again, "
                          "or ask for less");
}

namespace {

/// What is wrong beside the items of a batch, which are looked at one by one; all, if nothing is.
error besides_items(const fault_list& faults) {
  fault_list besides;
  for (const error& fault : faults.told())
    if (!fault.at.starts_with("items[")) besides.add(fault);
  return (besides ? besides : faults).refusal().error();
}

/// Whose shape is wrong, or who names what is not there, is told what else is.
result<void> check_shape_of(const op_spec& op, const json& request, fault_list faults) {
  const json_path document;
  const fault_list known = faults;
  check_members(request, op.keys, true, document, faults);
  if (!faults) return {};
  if (op.read != nullptr)
    return std::unexpected(with_other_faults(op, request, document, std::move(faults)));
  if (op.run == run_batch)
    return std::unexpected(batch_fault(request, besides_items(faults), known));
  return faults.refusal();
}

bool has_shape_of(const op_spec& op, const json& request) {
  fault_list faults;
  check_members(request, op.keys, true, {}, faults);
  return !faults;
}

} // namespace

result<json> session::run(const json& request, const std::optional<error>& oversized) {
  const json_path document;
  if (!request.is_object()) return wrong_type("a request, an object with an op", request, document);
  const op_spec* op = nullptr;
  if (auto ok = check_op(request, document, op); !ok) return propagate(ok);
  const bool has_ids = names_by_id(request);
  if (!has_ids)
    if (auto ok = check_shape_of(*op, request, {}); !ok) return propagate(ok);
  // All that is wrong with what names by id is told when its type is known: that says which data
  // there may be.
  const bool is_shaped = !has_ids || has_shape_of(*op, request);
  if (is_shaped && oversized) return std::unexpected(*oversized);
  const bool waits = is_shaped && asks_for_newest(request);
  if (!waits && !has_ids && !names_a_time(request)) return run_checked(*op, request);
  json resolved = request;
  if (waits)
    if (auto ok = wait_for_newest(engine_, resolved); !ok) return propagate(ok);
  if (is_shaped)
    if (auto ok = resolve_times(engine_, resolved, document); !ok) return propagate(ok);
  if (has_ids) {
    fault_list faults;
    name_resolver(engine_, in_sight_of_).resolve(resolved, document, faults);
    if (auto ok = check_shape_of(*op, resolved, std::move(faults)); !ok)
      return std::unexpected(named_as_asked(std::move(ok.error()), request, document));
  }
  auto answer = run_checked(*op, resolved);
  if (!answer && has_ids)
    return std::unexpected(named_as_asked(std::move(answer.error()), request, document));
  return answer;
}

namespace {

/// What is wrong with it is said at the key that the caller used.
error said_of_query(error e, const json& request) {
  if (!request.contains("query")) return e;
  return with_places(std::move(e), [&](std::string_view place) {
    const bool is_other = (place == "near" || place == "q") && !request.contains(place);
    return std::string(is_other ? "query" : place);
  });
}

} // namespace

result<json> session::run_checked(const op_spec& op, const json& request) {
  const bool is_looked_at = asks_for_receipt(request) || op.run == run_replay_receipt;
  const row_form rows = is_looked_at ? std::exchange(rows_, row_form::values) : rows_;
  auto answer =
      asks_for_receipt(request) ? run_with_receipt(*this, op, request) : op.run(*this, request);
  rows_ = rows;
  if (!answer) answer.error() = said_of_query(std::move(answer.error()), request);
  if (answer && answer->is_object())
    if (const auto at = engine_.position())
      (*answer)["log_position"] = {
          {"epoch", at->epoch}, {"seq", at->seq.value}, {"root", to_hex(at->root)}};
  return answer;
}

result<json> session::run(std::string_view op, json request,
                          const std::optional<error>& oversized) {
  if (!request.is_object()) return wrong_type("a request object", request, {});
  if (const auto given = request.find("op"); given == request.end() || given->is_null())
    request["op"] = op;
  else if (*given != op)
    return fail(errc::bad_value, fmt::format("this command runs \"{}\"", op), "op");
  return run(request, oversized);
}

} // namespace mneme::protocol
