#pragma once
/// Which contents of memories before a point say nothing any more: the memory has said something
/// else since, also before the point, and nothing that stays speaks of that version.

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "state/apply/apply.hpp"
#include "state/retention/named_versions.hpp"

namespace mneme {

/// An entry that may go with its content: the version, or what gave it a vector.
struct overwritten {
  seq_no seq;
  std::uint32_t number = 0;
  std::uint32_t bytes = 0;
  bool is_version = false;
  bool is_drawn = false; ///< the first version of a memory whose id was drawn
  bool is_first_of_frame = false;
};

/// Topics are left out: what their fields say goes with none of their versions.
class overwritten_contents {
public:
  void begin_frame() { is_first_ = true; }
  /// An entry before the point, in order; `stays`: it does whatever comes behind it.
  void take(const entry& e, const index_delta& d, bool stays);
  /// One behind it, which stays.
  void take_behind(const entry& e);
  /// Visits what goes, memory by memory, in the order of the journal. Once, when all was taken.
  void conclude(const std::function<void(const memory_id&, const overwritten&)>& visit);

private:
  /// The newest content of a memory so far, and those before it that may go.
  struct contents {
    std::vector<overwritten> newest; ///< its version first
    node_no reference;
    bool may_go = false;
    std::vector<overwritten> before;
  };

  void take_content(const entry& e, const index_delta& d);
  void take_head(const entry& e, const index_delta& d, bool stays);
  overwritten noted(const entry& e, std::uint32_t number);
  void keep_named();

  std::map<memory_id, contents> memories_;
  /// What each version names that may go, and what all names that stays.
  std::map<named_version, std::vector<named_version>> names_of_;
  std::vector<named_version> named_;
  std::set<named_version> kept_;
  bool has_vector_ = false;
  bool is_first_ = false;
};

} // namespace mneme
