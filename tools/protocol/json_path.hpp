#pragma once
/// Where in a request one is: `where.and[1].gt`. Linked on the stack of the walk; text is made
/// only when there is an error to report.

#include <cstddef>
#include <string>
#include <string_view>

namespace mneme::protocol {

class json_path {
public:
  json_path() = default; ///< the document itself

  /// The child borrows from this path and from `key`.
  [[nodiscard]] json_path key(std::string_view key) const { return {this, key, 0, false}; }
  [[nodiscard]] json_path item(std::size_t index) const { return {this, {}, index, true}; }
  [[nodiscard]] std::string text() const;

private:
  json_path(const json_path* parent, std::string_view key, std::size_t index, bool is_item)
      : parent_(parent), key_(key), index_(index), is_item_(is_item) {}

  const json_path* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_item_ = false;
};

} // namespace mneme::protocol
