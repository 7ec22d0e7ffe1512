#include "messages/validate/fault_list.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::size_t most_told = 8;
constexpr std::string_view also_at = "; also at ";

} // namespace

void fault_list::add(error fault) {
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
  for (const error& other : faults_ | std::views::drop(1))
    all.message += fmt::format("{}{}: {}", also_at, other.at, other.message);
  if (left_out_ > 0) all.message += fmt::format("; and {} more", left_out_);
  return std::unexpected(std::move(all));
}

error with_places(error told, const std::function<std::string(std::string_view)>& placed) {
  told.at = placed(told.at);
  for (auto next = told.message.find(also_at); next != std::string::npos;
       next = told.message.find(also_at, next)) {
    next += also_at.size();
    const auto end = told.message.find(": ", next);
    if (end == std::string::npos) break;
    const std::string place = placed(std::string_view(told.message).substr(next, end - next));
    told.message.replace(next, end - next, place);
    next += place.size();
  }
  return told;
}

error placed_within(error told, std::string_view outer) {
  return with_places(std::move(told), [&](std::string_view place) {
    return place.empty() ? std::string(outer) : fmt::format("{}.{}", outer, place);
  });
}

} // namespace mneme
