#pragma once
/// The line protocol over one engine: a request line in, an answer line out. Never dies of a line.

#include <string>
#include <string_view>

#include "mneme/engine.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

class session {
public:
  /// Borrows both. Without a manual clock, `clock` is answered with unsupported.
  explicit session(engine& target, manual_clock* clock = nullptr)
      : engine_(target), clock_(clock) {}

  /// One line without its end to one compact line without its end.
  std::string answer(std::string_view line);

  /// Runs a request that has been parsed; `oversized` as parse_json left it. The members of the
  /// answer come without `ok`.
  result<json> run(const json& request, const std::optional<error>& oversized = {});
  /// The same for a request without `op` (or with this one).
  result<json> run(std::string_view op, json request, const std::optional<error>& oversized = {});

  [[nodiscard]] engine& target() { return engine_; }
  [[nodiscard]] manual_clock* clock() { return clock_; }

private:
  engine& engine_;
  manual_clock* clock_;
};

} // namespace mneme::protocol
