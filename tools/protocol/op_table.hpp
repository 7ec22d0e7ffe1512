#pragma once
/// Every op of the line protocol: its keys, what runs it, and what help says of it.

#include <span>
#include <string_view>

#include "mneme/requests.hpp"
#include "tools/protocol/session.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::protocol {

struct op_spec {
  std::string_view name;
  std::string_view summary;
  std::string_view answer;  ///< its members
  std::string_view example; ///< a request that is answered with ok in a world of its own
  std::span<const key_shape> keys;
  /// Precondition: the shape was checked.
  result<json> (*run)(session& s, const json& request) = nullptr;
  /// Of the ops that a batch may hold, else nullptr. `faults` are known already, and told with
  /// those that it finds.
  result<mutation> (*read)(const json& request, const json_path& at, fault_list faults) = nullptr;
  json (*answer_mutation)(const mutation_result& r) = nullptr;
};

std::span<const op_spec> ops() noexcept;
const op_spec* find_op(std::string_view name) noexcept;
/// The op that `request` names: missing_key, wrong_type or unknown_op otherwise.
result<void> check_op(const json& request, const json_path& at, const op_spec*& op);

} // namespace mneme::protocol
