#pragma once
/// What the entries of one branch behind a common one have changed, as it is afterwards, and what
/// they say of how it was before.

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messages/codec/entry.hpp"
#include "mneme/diff.hpp"
#include "views/erased_elsewhere.hpp"

namespace mneme {

struct changed_memory {
  memory_type type{};
  std::string actor;
  memory_side now;
  std::optional<memory_side> before; ///< absent: not there
  state_leaf leaf;                   ///< of its head
};
struct changed_field {
  field_side now;
  std::optional<field_side> before;
  state_leaf leaf;
};
struct changed_edge {
  edge_side now;
  edge_side before;
  state_leaf leaf;
};
struct changed_salience {
  std::int64_t now = 0;
  std::optional<std::int64_t> before;
};

struct field_key {
  memory_id topic;
  std::string name;
  friend auto operator<=>(const field_key&, const field_key&) = default;
};
struct salience_key {
  memory_id id;
  bool is_strength = false;
  friend auto operator<=>(const salience_key&, const salience_key&) = default;
};

class side_changes {
public:
  /// In the order of their seqs.
  void take(const entry& e);

  /// Whether the leaves that the headers name, as they are at last, are those of what was changed.
  [[nodiscard]] bool leaves_agree() const;

  /// What was erased though none of the entries says so; for whoever took none of it.
  erased_elsewhere elsewhere;
  std::map<memory_id, changed_memory> memories;
  std::map<field_key, changed_field> fields;
  std::map<edge_key, changed_edge> edges;
  std::map<salience_key, changed_salience> saliences;
  std::map<memory_id, std::uint64_t> uses;
  diff_totals totals;

private:
  void take_head(const entry& e, const head& h, const version* content);
  void take_field(const field_payload& p);
  void take_trimmed(const entry_header& header);
  void take_erased(const entry& e, const erase_payload& p);
  void take_edge(const entry& e, const edge_record& r);
  void take_saliences(const entry& e);
  void set_salience(const memory_id& id, bool is_strength, std::optional<std::int64_t> from,
                    std::int64_t to);

  seq_no last_;
  std::set<digest> written_; ///< paths of the memories whose writes were erased or trimmed since
  std::map<digest, std::uint32_t> updated_; ///< by path: updates that were trimmed
  std::array<std::map<digest, digest>, state_namespace_count> leaves_; ///< hash by path
};

} // namespace mneme
