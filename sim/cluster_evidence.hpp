#pragma once
/// What several engines on a log have promised, and what there is: the oracles of a cluster.

#include <map>
#include <set>
#include <string>

#include "sim/check.hpp"
#include "sim/cluster_node.hpp"

namespace mneme::sim {

enum class promise : std::uint8_t {
  none,    ///< not answered, or its outcome is unknown
  refused, ///< nothing of it is there, nor will be
  kept,    ///< it is there for good
};

struct cluster_write {
  std::string text; ///< what it says, like no other; empty: it erases or deletes
  promise is = promise::none;
  std::string by; ///< holder that was asked
  seq_no seq{};
  std::optional<memory_id> id{};
};

class cluster_evidence {
public:
  explicit cluster_evidence(cluster_site& site) : site_(site) {}

  std::map<std::uint64_t, cluster_write> writes{}; ///< by number
  std::set<std::string> erased{};                  ///< texts that are nowhere any more
  std::set<seq_no> trims{};                        ///< whose log has nothing more of what they drop

  /// Who has claimed the newest epoch.
  check_result look_at_log();
  [[nodiscard]] std::uint64_t epochs() const { return holders_.size(); }
  /// Acknowledged just now: the log has it, of the one who acknowledged it.
  check_result acknowledged(cluster_write& write, seq_no seq);
  /// All that a copy shows has one root.
  check_result check_roots(cluster_node& node);
  /// Of the whole log: every promise, the order of epochs, the chain of roots.
  check_result check_log();
  /// That nothing of what was erased is in the log or on the node's disk.
  check_result check_erased(cluster_node& node) const;
  /// The same of what the log's trims drop.
  check_result check_trimmed(cluster_node& node) const;
  /// The log is not what it was: from now on copies differ from it, and what was behind is lost.
  void forget_behind(seq_no last);

private:
  cluster_site& site_;
  [[nodiscard]] check_result check_lacks(cluster_node& node, const std::string& text,
                                         const char* oracle) const;

  std::map<log_epoch, std::string> holders_;
  std::map<seq_no, trim_payload> in_log_; ///< trims
  std::map<seq_no, digest> roots_;
};

} // namespace mneme::sim
