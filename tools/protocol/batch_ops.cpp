#include "tools/protocol/batch_ops.hpp"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/op_table.hpp"
#include "tools/protocol/request_deadline.hpp"
#include "tools/protocol/scope_json.hpp"
#include "tools/protocol/write_faults.hpp"

namespace mneme::protocol {

namespace {

/// The op of an item that can stand in a batch.
result<const op_spec*> op_of_item(const json& value, const json_path& at) {
  if (!value.is_object()) return wrong_type("a request, an object with an op", value, at);
  const op_spec* op = nullptr;
  if (auto ok = check_op(value, at, op); !ok) return propagate(ok);
  if (op->read == nullptr)
    return fail(errc::bad_value, fmt::format("\"{}\" cannot stand in a batch", op->name),
                at.key("op").text());
  for (const char* key : {"scope", "deadline_ms"})
    if (const auto own = value.find(key); own != value.end() && !own->is_null())
      return fail(errc::bad_value, fmt::format("the {} of a batch stands beside its items", key),
                  at.key(key).text());
  return op;
}

void check_batch_item(const json& value, const json&, const json_path& at, fault_list& faults) {
  if (auto op = op_of_item(value, at); !op)
    faults.add(std::move(op.error()));
  else
    check_members(value, (*op)->keys, true, at, faults);
}
constexpr shape batch_item{.kind = shape_kind::custom,
                           .check_all = check_batch_item,
                           .json_schema = R"({"type":"object","required":["op"]})"};
constexpr shape batch_items{.kind = shape_kind::list, .name = "[request…]", .item = &batch_item};
constexpr std::array batch_table = {key_shape{"items", &batch_items, true},
                                    key_shape{"scope", &shapes::scope},
                                    key_shape{"deadline_ms", &shapes::integer}};

std::optional<error> fault_of_item(const json& item, const json_path& at, const fault_list& known) {
  auto op = op_of_item(item, at);
  if (!op) return std::move(op.error());
  fault_list own;
  const std::string place = at.text() + ".";
  for (const error& fault : known.told())
    if (fault.at.starts_with(place)) own.add(fault);
  return fault_of_write(**op, item, at, std::move(own));
}

} // namespace

std::span<const key_shape> batch_keys() noexcept {
  return batch_table;
}

error batch_fault(const json& request, error first, const fault_list& known) {
  const auto items = request.find("items");
  if (items == request.end() || !items->is_array()) return first;
  const json_path document;
  const json_path list = document.key("items");
  fault_list faults;
  bool has_first = false;
  for (std::size_t i = 0; i < items->size() && !faults.is_full(); ++i) {
    const json_path at = list.item(i);
    auto fault = fault_of_item((*items)[i], at, known);
    if (!fault) continue;
    has_first = has_first || first.at.starts_with(at.text());
    faults.add(std::move(*fault));
  }
  // Items that are looked at no more have at least those that were known.
  if (faults.is_full() && faults.size() < known.size())
    faults.leave_out(known.size() - faults.size());
  if (has_first || !faults) return faults ? faults.refusal().error() : first;
  fault_list all;
  all.add(std::move(first));
  all.add(faults.refusal().error());
  return all.refusal().error();
}

result<json> run_batch(session& s, const json& request) {
  const json& items = request["items"];
  const json_path document;
  const json_path list = document.key("items");
  std::vector<mutation> mutations;
  std::vector<const op_spec*> specs;
  for (std::size_t i = 0; i < items.size(); ++i) {
    specs.push_back(find_op(items[i]["op"].get_ref<const std::string&>()));
    auto m = specs.back()->read(items[i], list.item(i), {});
    if (!m) return std::unexpected(batch_fault(request, std::move(m.error())));
    mutations.push_back(std::move(*m));
  }
  auto within = scope_of(request);
  if (!within) return propagate(within);
  auto done = s.target().write_batch(std::move(mutations), durability::durable, std::move(*within),
                                     deadline_of(request), s.in_sight_of());
  if (!done && done.error().at.starts_with("items["))
    return std::unexpected(batch_fault(request, std::move(done.error())));
  if (!done) return propagate(done);
  json results = json::array();
  for (std::size_t i = 0; i < specs.size(); ++i)
    results.push_back(ok_json(specs[i]->answer_mutation(done->results[i])));
  return json{{"results", std::move(results)}, {"seq", done->seq.value}};
}

} // namespace mneme::protocol
