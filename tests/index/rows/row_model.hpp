#pragma once
/// A naive model of the class attributes: every row with its interval in a list, every question
/// answered by looking at all of them.

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "index/columns/attributes.hpp"
#include "tests/index/dice.hpp"

namespace mneme {

struct model_row {
  row_values values; ///< actor, tags and frames point into this object
  std::string actor;
  std::vector<std::string> tags;
  std::vector<intent_frame> frames;
  std::uint64_t begin = 0;
  std::uint64_t end = forever;

  model_row() = default;
  model_row(const model_row& other);
  model_row& operator=(const model_row&) = delete;
  /// The values to give to attributes::put.
  [[nodiscard]] row_values pointed() const;
};

class row_model {
public:
  explicit row_model(std::uint64_t seed) : dice_(seed) {}

  /// A random change of both, at the next seq (sometimes at the same one).
  void change(attributes& subject);
  /// Asks both everything at `at`; fails the test where they differ.
  void check(const attributes& subject, std::uint64_t at) const;

  [[nodiscard]] std::uint64_t seq() const { return seq_; }
  /// The next change gets a seq of its own.
  void close_seq() { closed_ = seq_; }
  [[nodiscard]] dice& draws() { return dice_; }

private:
  static constexpr std::uint32_t node_count = 30;

  void put(attributes& subject);
  void touch(attributes& subject);
  void check_row(const attributes& subject, row_no row, const model_row& expected) const;
  void check_zones(const row_store& rows, const std::set<std::uint32_t>& used,
                   std::uint64_t at) const;
  void check_live(const attributes& subject) const;
  void check_terms(const attributes& subject, std::uint64_t at) const;
  [[nodiscard]] const model_row* row_of(std::uint32_t node, std::uint64_t at) const;

  dice dice_;
  std::uint64_t seq_ = 0;
  std::uint64_t closed_ = 0;
  std::uint32_t next_slot_ = 0;
  std::vector<model_row> rows_;
  std::map<std::uint32_t, std::map<std::uint64_t, activation>> activations_;
};

} // namespace mneme
