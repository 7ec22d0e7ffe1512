#pragma once
/// The salience weights that actors have learned, by actor and seq. One writer, many readers. Part
/// of the attributes owner.

#include <string_view>

#include "index/columns/seq_chain.hpp"
#include "index/image.hpp"
#include "index/lexical/term_dictionary.hpp"
#include "mneme/agents.hpp"

namespace mneme {

template <>
struct chain_words<learned_weights> {
  static constexpr std::size_t count = 5;

  static std::array<std::uint64_t, count> pack(const learned_weights& w) {
    return {static_cast<std::uint64_t>(w.recency), static_cast<std::uint64_t>(w.access),
            static_cast<std::uint64_t>(w.citations), static_cast<std::uint64_t>(w.importance),
            static_cast<std::uint64_t>(w.similarity)};
  }
  static learned_weights unpack(const std::array<std::uint64_t, count>& w) {
    return {.recency = static_cast<std::int64_t>(w[0]),
            .access = static_cast<std::int64_t>(w[1]),
            .citations = static_cast<std::int64_t>(w[2]),
            .importance = static_cast<std::int64_t>(w[3]),
            .similarity = static_cast<std::int64_t>(w[4])};
  }
};

class weight_table {
public:
  // Writer. Seqs ascend over all calls.
  void put(std::string_view actor, seq_no seq, const learned_weights& weights);
  void retain_from(seq_no seq) { chain_.retain_from(seq); }

  /// The actor's weights as of `at`; the defaults if it had learned nothing.
  [[nodiscard]] learned_weights find(std::string_view actor, seq_no at) const;

  /// Actors that ever had any.
  [[nodiscard]] std::uint32_t actor_count() const { return actors_.size(); }

  /// The state as of `at` with what reads back to `from` need.
  void save(image_writer& out, seq_no from, seq_no at) const;
  /// Into an empty table; false if it cannot be right.
  bool load(image_reader& in, seq_no at);

private:
  term_dictionary actors_;
  seq_chain<learned_weights> chain_; ///< by the actor's number
};

} // namespace mneme
