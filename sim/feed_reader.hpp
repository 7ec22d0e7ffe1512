#pragma once
/// Readers of the change feed that keep nothing but a seq, over crashes and erasures: what they are
/// told is what the model says of the entries, each once and in order, and nothing that is lost
/// later.

#include "sim/check.hpp"
#include "sim/evidence.hpp"
#include "sim/random_stream.hpp"

namespace mneme::sim {

class feed_reader {
public:
  explicit feed_reader(std::uint64_t seed) : draw_(seed, "feed") {}

  /// Whether it reads on in this step.
  bool is_due() { return draw_.one_in(steps_between_reads); }
  /// A page for who has been told everything so far, and one for somebody from anywhere on.
  /// Precondition: the model has followed to what is published.
  check_result read_on(const evidence& known, world& w);
  /// All the rest.
  check_result read_all(const evidence& known, world& w);

private:
  static constexpr std::uint64_t steps_between_reads = 40;

  check_result read_page(const evidence& known, world& w, seq_no& since);
  check_result read_somewhere(const evidence& known, world& w);

  random_stream draw_;
  seq_no since_; ///< of who has been told everything
};

} // namespace mneme::sim
