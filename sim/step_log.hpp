#pragma once
/// The running hash over everything that a run did, in order: two runs with the same seed must end
/// with the same one. Optionally keeps the lines themselves.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mneme::sim {

class step_log {
public:
  explicit step_log(bool keep_lines = false) : keep_lines_(keep_lines) {}

  void add(std::uint64_t step, std::string_view what, std::string_view detail = {});
  void add(std::uint64_t step, std::string_view what, std::uint64_t first, std::uint64_t second);

  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

private:
  void mix(std::string_view bytes);
  void mix(std::uint64_t value);

  bool keep_lines_;
  std::uint64_t digest_ = 0xCBF29CE484222325ULL;
  std::vector<std::string> lines_;
};

} // namespace mneme::sim
