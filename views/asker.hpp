#pragma once
/// Who asks, and the one rule of who sees what. Every door and every single read asks here.
///
/// The host sees all. An actor sees its own memories and others' actor_public ones. Who comes with
/// a scope sees what the scope opens and nothing else: memories of the scope's actor that are at
/// least `scoped`, that `include` selects and `exclude` does not.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "index/columns/attributes.hpp"
#include "index/rows/node_table.hpp"
#include "mneme/scope.hpp"
#include "storage/kv_store.hpp"
#include "views/selector_lookup.hpp"

namespace mneme {

class asker {
public:
  /// The host.
  asker() = default;
  /// An actor; the host without one or with the name "". With a scope that was verified, the one it
  /// was granted to.
  explicit asker(std::optional<std::string> actor, std::shared_ptr<const scope> verified = {});

  [[nodiscard]] bool sees_all() const { return !actor_; }
  /// Whose learned weights rank; "" = the host.
  [[nodiscard]] const std::string& name() const;
  /// Whose memories are the asker's own, or opened to it by a scope.
  [[nodiscard]] const std::string& owner() const { return scope_ ? scope_->actor : name(); }
  /// Null when there is none.
  [[nodiscard]] const scope* verified_scope() const { return scope_.get(); }
  /// May what is read be reinforced? Who reads through a scope that is for reading only leaves no
  /// trace.
  [[nodiscard]] bool may_touch() const { return scope_ == nullptr || scope_->writable; }
  /// Refuses a touch that a request asks for under `key` and that may not be: scope_violation.
  result<void> check_touch(bool is_asked_for, std::string_view key) const;
  /// What a read or write of one memory that may not be seen is answered with.
  [[nodiscard]] errc refusal() const { return scope_ ? errc::scope_violation : errc::not_found; }
  /// The same as an error: what is not there and what the asker may not see are the same to it.
  /// `key` is what the request calls the memory.
  [[nodiscard]] std::unexpected<error> hidden(const memory_id& id, std::string_view key) const;

  /// Does the scope name this memory by its id?
  [[nodiscard]] bool is_named(const memory_id& id) const;
  [[nodiscard]] bool may_see(const head& h) const;
  /// The same, of a memory's state as of `at`; false if there was none. The host may see what is
  /// not there: edges may dangle.
  result<bool> may_see(kv_reader& reader, const memory_id& id, seq_no at) const;

private:
  friend class visible_rows;

  /// What a scope opens.
  struct opening {
    selector_lookup include;
    selector_lookup exclude;
  };

  std::optional<std::string> actor_;
  std::shared_ptr<const scope> scope_;
  std::shared_ptr<const opening> opens_; ///< of the scope
};

/// The same rule on columns.
class visible_rows {
public:
  /// `columns` must outlive it; the asker need not.
  visible_rows(const asker& who, const attributes& columns, const node_table& nodes);

  [[nodiscard]] bool operator()(row_no row) const {
    if (!asker_) return true;
    const row_line& line = columns_.rows().line(row);
    if (scope_) return line.actor == asker_->value && opened(row, line);
    return line.actor == asker_->value || line.visibility == visibility::actor_public;
  }

  /// Postings that have every row the asker may see, and few besides; some rows twice. None for
  /// the host, who sees all.
  [[nodiscard]] posting_list postings(seq_no at) const;

private:
  /// A selector in terms of the columns.
  struct column_selector {
    const selector_lookup* names = nullptr; ///< of the asker's scope
    std::vector<term_no> tags;              ///< ascending
    std::vector<std::uint32_t> nodes;       ///< ascending
  };
  static column_selector columns_of(const selector_lookup& s, const attributes& columns,
                                    const node_table& nodes);
  [[nodiscard]] bool has_tag_of(const column_selector& s, row_no row) const;
  [[nodiscard]] bool selects(const column_selector& s, row_no row, const row_line& line) const;
  [[nodiscard]] bool opened(row_no row, const row_line& line) const;

  const attributes& columns_;
  std::optional<term_no> asker_; ///< whose rows; none = all rows
  std::shared_ptr<const asker::opening> scope_;
  std::optional<column_selector> include_; ///< of a scope
  std::optional<column_selector> exclude_;
};

} // namespace mneme
