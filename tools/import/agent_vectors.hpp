#pragma once
/// The vectors that come with a Generative Agents simulation: vectors.bin (rows of little-endian
/// 32-bit floats) and vectors.keys.jsonl ({scope, key, row} a line).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "mneme/error.hpp"

namespace mneme::importing {

class agent_vectors {
public:
  /// Reads the two files of `folder`; nullopt where there is neither. An error names file and line
  /// (or row).
  static result<std::optional<agent_vectors>> read(const std::string& folder);

  [[nodiscard]] std::uint32_t dim() const { return dim_; }
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  /// nullopt where there is none.
  [[nodiscard]] std::optional<std::vector<float>> find(std::string_view scope,
                                                       std::string_view key) const;

private:
  std::uint32_t dim_ = 0;
  std::string bytes_;
  std::map<std::pair<std::string, std::string>, std::uint64_t, std::less<>> rows_;
};

} // namespace mneme::importing
