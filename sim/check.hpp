#pragma once
/// What an oracle says: nothing, or what is wrong.

#include <expected>
#include <string>
#include <utility>

namespace mneme::sim {

struct wrong_answer {
  std::string oracle; ///< the name of the rule that is broken
  std::string text;
};
using check_result = std::expected<void, wrong_answer>;

inline std::unexpected<wrong_answer> wrong(std::string oracle, std::string text) {
  return std::unexpected(wrong_answer{std::move(oracle), std::move(text)});
}

} // namespace mneme::sim
