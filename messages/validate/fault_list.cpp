#include "messages/validate/fault_list.hpp"

#include <algorithm>
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

} // namespace

void fault_list::add(error fault) {
  if (!fault.faults.empty()) {
    for (error& each : fault.faults) add(std::move(each));
    return;
  }
  if (std::ranges::find(faults_, fault.at, &error::at) != faults_.end()) return;
  if (is_full())
    ++left_out_;
  else
    faults_.push_back(std::move(fault));
}

bool fault_list::is_full() const {
  return faults_.size() >= most_told;
}

std::unexpected<error> fault_list::refusal() const {
  ensure(!faults_.empty(), "what is refused has a fault");
  error all = faults_.front();
  if (size() == 1) return std::unexpected(std::move(all));
  all.message = told_at_once(faults_);
  if (left_out_ > 0) all.message += fmt::format("; and {} more", left_out_);
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
