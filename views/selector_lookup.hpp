#pragma once
/// A selector of a scope, sorted once: a look then costs the logarithm of what it names.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

class selector_lookup {
public:
  explicit selector_lookup(const scope_selector& s);

  [[nodiscard]] bool selects(const head& h) const;
  [[nodiscard]] bool selects(const intent_frame& frame) const;
  [[nodiscard]] bool has_type(memory_type type) const;
  [[nodiscard]] bool has_id(const memory_id& id) const;

  /// Composed, ascending.
  [[nodiscard]] std::span<const std::string> tags() const { return tags_; }
  [[nodiscard]] std::span<const memory_id> ids() const { return ids_; }
  [[nodiscard]] bool has_frame() const { return frame_.has_value(); }

private:
  std::uint64_t types_ = 0; ///< bit by type byte
  std::vector<std::string> tags_;
  std::vector<memory_id> ids_;
  std::optional<frame_selector> frame_; ///< its refs ascending
};

} // namespace mneme
