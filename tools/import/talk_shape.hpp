#pragma once
/// What kind of talk the turns of a scope are, which decides how they are joined.

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace mneme::importing {

class talk_shape {
public:
  void add(std::string_view speaker, std::string_view text);

  /// Do people talk with each other, in short turns? Then what follows a question answers it. To an
  /// assistant one speaks at length, it speaks at more, and the question is what will be looked
  /// for.
  [[nodiscard]] bool is_among_peers() const;

private:
  std::set<std::string, std::less<>> speakers_;
  std::uint64_t turns_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Does a turn end with a question?
bool asks(std::string_view text);

} // namespace mneme::importing
