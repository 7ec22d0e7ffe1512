#pragma once
/// What there is: memories newest first, all versions of one, namespaces and actors.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/past_marks.hpp"
#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// A page of memories, newest first: by the time of their creation, then by id. What is written
/// between two pages shifts neither.
struct list_request {
  std::vector<memory_type> types{};        ///< union; empty = any
  std::optional<std::string> name_space{}; ///< only what was put into it
  std::optional<std::string> owner{};      ///< only what is this actor's
  std::int64_t limit = 20;                 ///< at least 1
  std::string cursor{};                    ///< list_result::next of the page before
  bool include_tombstoned = false;         ///< as in find_request, these three
  bool include_archived = false;
  bool include_ended = false;
  std::optional<std::string> actor{}; ///< who is asking; absent or "" = the host, sees all
  std::optional<seq_no> at_seq{};
  std::shared_ptr<const mneme::scope> scope{};
  std::optional<std::int64_t> deadline_ms{};
};

struct list_result {
  std::vector<memory> memories;
  std::vector<past_marks> past; ///< of each of them
  std::string next;             ///< cursor of the next page; empty = this was the last one
  seq_no at_seq;
};

/// Something of a memory that two versions of it have differently: "data.statement", "payload", …
struct version_change {
  std::string field;
  std::optional<std::string> before; ///< as text; absent = it was not there
  std::optional<std::string> after;

  friend bool operator==(const version_change&, const version_change&) = default;
};

/// What the newer one has differently, by field.
std::vector<version_change> changes_between(const version& older, const version& newer);

struct history_request {
  memory_id id;
  std::optional<memory_key> key{};       ///< instead of an id
  std::int64_t limit = 50;               ///< at least 1
  std::optional<std::uint32_t> before{}; ///< only versions below this one
  std::optional<std::string> actor{};
  std::optional<seq_no> at_seq{};
  std::shared_ptr<const mneme::scope> scope{};
  std::optional<std::int64_t> deadline_ms{};
};

struct past_version {
  mneme::version version;
  std::vector<version_change> changes; ///< since the version before; none where that is not there
  /// The trim that dropped what it said: of it there is its number alone.
  std::optional<seq_no> trimmed_by{};
};

/// Of a memory that is tombstoned, too.
struct history_result {
  mneme::head head;
  std::vector<past_version> versions; ///< newest first
  seq_no at_seq;
};

/// A namespace or an actor, and how many live memories of it the asker may see.
struct name_count {
  std::string name;
  std::uint64_t memories = 0;

  friend bool operator==(const name_count&, const name_count&) = default;
};

} // namespace mneme
