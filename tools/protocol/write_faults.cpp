#include "tools/protocol/write_faults.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "messages/validate/validate_topics.hpp"

namespace mneme::protocol {

namespace {

template <class Request>
fault_list rule_faults(const Request& r) {
  if constexpr (requires { faults_of(r); }) {
    return faults_of(r);
  } else {
    fault_list one;
    if (auto ok = validate(r); !ok) one.add(std::move(ok.error()));
    return one;
  }
}

bool is_within(std::string_view inner, std::string_view outer) {
  if (!inner.starts_with(outer)) return false;
  return outer.empty() || inner.size() == outer.size() || inner[outer.size()] == '.'
         || inner[outer.size()] == '[';
}

/// A default stands where something could not be read: what the rules say of it is nobody's fault.
/// Which data there may be depends on the type, and that on the uri.
bool follows_from(const fault_list& faults, const std::string& place, const json_path& at) {
  const bool is_typed = is_within(place, at.key("data").text()) || place == at.key("type").text();
  return std::ranges::any_of(faults.told(), [&](const error& told) {
    if (is_within(told.at, place) || is_within(place, told.at)) return true;
    return is_typed && (told.at == at.key("type").text() || told.at == at.key("uri").text());
  });
}

void add_rule_faults(fault_list& faults, const mutation& read, const json_path& at) {
  const fault_list read_faults = faults;
  const fault_list rules = std::visit([](const auto& r) { return rule_faults(r); }, read);
  const std::string here = at.text();
  faults.leave_out(rules.size() - rules.told().size());
  for (error fault : rules.told()) {
    if (!here.empty()) fault.at = fault.at.empty() ? here : here + "." + fault.at;
    if (!follows_from(read_faults, fault.at, at)) faults.add(std::move(fault));
  }
}

} // namespace

result<mutation> finish_write(fault_list faults, mutation read, const json_path& at) {
  if (!faults) return read;
  add_rule_faults(faults, read, at);
  return faults.refusal();
}

error with_other_faults(const op_spec& op, const json& request, const json_path& at,
                        fault_list faults) {
  const error alone = faults.refusal().error();
  auto read = op.read(without_misshapen(request, op.keys), at, std::move(faults));
  if (read) return alone;
  return std::move(read.error());
}

std::optional<error> fault_of_write(const op_spec& op, const json& request, const json_path& at,
                                    fault_list faults) {
  check_members(request, op.keys, true, at, faults);
  if (faults) return with_other_faults(op, request, at, std::move(faults));
  auto read = op.read(request, at, {});
  if (!read) return std::move(read.error());
  add_rule_faults(faults, *read, at);
  if (!faults) return std::nullopt;
  return faults.refusal().error();
}

} // namespace mneme::protocol
