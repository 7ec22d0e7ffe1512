// What sort a command is, and how one ends that will not be executed.

#include "state/commit/commands.hpp"

namespace mneme {

bool is_of_log(const commit_command& c) {
  return std::holds_alternative<follow_command>(c) || std::holds_alternative<lead_command>(c)
         || std::holds_alternative<yield_command>(c) || std::holds_alternative<halt_command>(c);
}

bool is_bounded(const commit_command& c) {
  if (const auto* barrier = std::get_if<checkpoint_command>(&c))
    return barrier->reply && !barrier->last && !barrier->deferred;
  return !is_of_log(c) && !std::holds_alternative<embed_command>(c)
         && !std::holds_alternative<late_touch_command>(c);
}

bool stands_alone(const commit_command& c) {
  return std::holds_alternative<snapshot_command>(c) || std::holds_alternative<decay_command>(c)
         || std::holds_alternative<erase_command>(c) || std::holds_alternative<trim_command>(c)
         || std::holds_alternative<checkpoint_command>(c) || is_of_log(c);
}

write_deadline deadline_of(const commit_command& c) {
  return std::visit(
      [](const auto& of) -> write_deadline {
        if constexpr (requires { of.deadline; }) return of.deadline;
        return std::nullopt;
      },
      c);
}

void refuse(commit_command& c, const error& e) {
  std::visit(
      [&](auto& of) {
        if (of.reply) of.reply(std::unexpected(e));
      },
      c);
}

} // namespace mneme
