#pragma once
/// Metadata filters of a chroma request against the metadata of many memories.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "mneme/chroma.hpp"

namespace mneme {

/// The values of an any_of, sorted once by kind.
class scalar_set {
public:
  explicit scalar_set(const std::vector<scalar>& values);

  [[nodiscard]] bool empty() const { return is_empty_; }
  /// Numbers equal numbers of either kind; else text equals text, truth truth.
  [[nodiscard]] bool contains(const scalar& value) const;

private:
  bool is_empty_;
  std::vector<std::string> texts_;
  std::vector<std::int64_t> integers_;
  std::vector<double> rounded_; ///< the integers, as numbers with a fraction are compared with them
  std::vector<double> numbers_; ///< with a fraction
  std::array<bool, 2> truths_{};
};

class metadata_match {
public:
  /// `filters` must outlive it.
  explicit metadata_match(const metadata_filters& filters);

  /// All conditions hold; a missing key, or a value of another kind, passes none.
  [[nodiscard]] bool operator()(const metadata_map& metadata) const;

private:
  struct condition {
    const std::string& key;
    const metadata_filter& filter;
    scalar_set any_of;
  };
  [[nodiscard]] static bool passes(const condition& c, const meta_value& value);

  std::vector<condition> conditions_;
};

} // namespace mneme
