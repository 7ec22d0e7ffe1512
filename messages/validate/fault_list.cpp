#include "messages/validate/fault_list.hpp"

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t most_told = 8;

std::string told_at_once(std::span<const error> faults) {
  std::string all = faults.front().message;
  for (const error& other : faults | std::views::drop(1))
    all += fmt::format("; also at {}: {}", other.at, other.message);
  return all;
}

constexpr std::string_view before_count = "; and ";
constexpr std::string_view behind_count = " more";

/// How many faults an error of several does not name: its message ends with that.
std::size_t left_out_of(const error& several) {
  const std::string told = told_at_once(several.faults);
  const auto begin = several.message.find(told);
  if (begin == std::string::npos) return 0;
  std::string_view rest = std::string_view(several.message).substr(begin + told.size());
  if (!rest.starts_with(before_count) || !rest.ends_with(behind_count)) return 0;
  rest.remove_prefix(before_count.size());
  std::size_t count = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), count);
  return std::string_view(read.ptr, rest.end()) == behind_count ? count : 0;
}

} // namespace

void fault_list::add(error fault) {
  if (!fault.faults.empty()) {
    leave_out(left_out_of(fault));
    for (error& each : fault.faults) add(std::move(each));
    return;
  }
  if (std::ranges::find(faults_, fault.at, &error::at) != faults_.end()) return;
  if (is_full())
    ++left_out_;
  else
    faults_.push_back(std::move(fault));
}

void fault_list::leave_out(std::size_t count) {
  left_out_ += count;
}

bool fault_list::is_full() const {
  return faults_.size() >= most_told;
}

std::unexpected<error> fault_list::refusal() const {
  ensure(!faults_.empty(), "what is refused has a fault");
  error all = faults_.front();
  if (size() == 1) return std::unexpected(std::move(all));
  all.message = told_at_once(faults_);
  if (left_out_ > 0) all.message += fmt::format("{}{}{}", before_count, left_out_, behind_count);
  all.faults = faults_;
  return std::unexpected(std::move(all));
}

error with_places(error told, const std::function<std::string(std::string_view)>& placed) {
  told.at = placed(told.at);
  if (told.faults.empty()) return told;
  const std::string before = told_at_once(told.faults);
  for (error& fault : told.faults) fault.at = placed(fault.at);
  if (const auto at = told.message.find(before); at != std::string::npos)
    told.message.replace(at, before.size(), told_at_once(told.faults));
  return told;
}

error placed_within(error told, std::string_view outer) {
  return with_places(std::move(told), [&](std::string_view place) {
    return place.empty() ? std::string(outer) : fmt::format("{}.{}", outer, place);
  });
}

} // namespace mneme
