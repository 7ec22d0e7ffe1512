#pragma once
/// What is wrong with a request, place by place, told at once: who is told of one fault at a time
/// asks again for each.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/types.hpp"

namespace mneme {

class fault_list {
public:
  /// The first fault of a place is the one that is told. One that is made of several is those, and
  /// those that its message only counts.
  void add(error fault);
  /// So many more, which are only counted.
  void leave_out(std::size_t count);
  explicit operator bool() const { return !faults_.empty(); }
  [[nodiscard]] std::size_t size() const { return faults_.size() + left_out_; }
  /// Further faults are only counted.
  [[nodiscard]] bool is_full() const;
  [[nodiscard]] std::span<const error> told() const { return faults_; }
  /// The first one, whose message says where the others are and what, as its `faults` do.
  /// Precondition: there is one.
  [[nodiscard]] std::unexpected<error> refusal() const;

private:
  std::vector<error> faults_;
  std::size_t left_out_ = 0;
};

/// The error with each place that it names, its own and those of the other faults, as `placed` says
/// it: of an item of a list it is known only there which item it is.
error with_places(error told, const std::function<std::string(std::string_view)>& placed);
/// The same within `outer`: its own place may be empty.
error placed_within(error told, std::string_view outer);

} // namespace mneme
