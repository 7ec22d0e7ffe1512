#pragma once
/// What the entries of the batch being built have done already: activation, contents and weights
/// over the published state. Looks at the entries only when it is asked, so that plain writes pay
/// nothing for it. Owned by the committer beside the overlay, which has heads and edges.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/learning.hpp"
#include "views/read_views.hpp"

namespace mneme {

class pending_records {
public:
  /// Reads the published state `at` through `reader`; all must outlive it. Entries are only
  /// appended to `entries`.
  pending_records(const read_views& views, kv_reader& reader, seq_no at,
                  const std::vector<entry>& entries)
      : views_(views), reader_(reader), at_(at), entries_(entries) {}

  activation activation_of(const memory_id& id);
  /// Whether a trim has dropped what the version said, or is about to.
  result<bool> is_trimmed(const memory_id& id, std::uint32_t number) const;
  result<std::optional<version>> version_of(const memory_id& id, std::uint32_t number);
  learned_weights weights_of(const std::string& actor);

private:
  void catch_up();
  [[nodiscard]] activation current(const memory_id& id) const;

  const read_views& views_;
  kv_reader& reader_;
  seq_no at_;
  const std::vector<entry>& entries_;
  std::size_t seen_ = 0;
  std::map<memory_id, activation> activations_;
  std::map<std::pair<memory_id, std::uint32_t>, std::size_t> versions_; ///< place in entries
  std::map<std::string, learned_weights> weights_;
};

} // namespace mneme
