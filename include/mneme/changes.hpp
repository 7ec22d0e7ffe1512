#pragma once
/// The change feed: what was committed, change by change in the order of the journal. A reader
/// keeps one number, the seq it has come to, and goes on from there: after a crash, in another
/// process, as slowly as it likes. Nothing is kept for it, and no writer waits for it.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mneme/scope.hpp"
#include "mneme/types.hpp"

namespace mneme {

/// What an entry of the journal did, in terms of memories. From `embedded` on: uses, which change
/// nothing that anybody said.
enum class change_kind : std::uint8_t {
  written = 1,
  updated,      ///< a new version
  head_changed, ///< tags, importance, …; or somebody affirmed it
  tombstoned,
  restored,
  edge_added,
  edge_removed,
  field_changed, ///< of a topic
  archived,      ///< a topic that was forgotten
  unarchived,
  merged,       ///< a topic, into another one
  salience_set, ///< of a topic
  erased,       ///< a memory, an edge of one, or a field of a topic
  hidden,       ///< the asker may see the memory no more
  tag_assigned, ///< to an anchor of the colour space
  weights_set,  ///< of searches
  snapshot_taken,
  scope_violated,
  trimmed,
  embedded, ///< its vector came
  found,    ///< by a find with late binding
  reinforced,
  decayed,
  attested,
  learned,
  compacted,
};
inline constexpr std::uint8_t change_kind_count = 26;
std::string_view to_string(change_kind v) noexcept;
constexpr bool is_use(change_kind v) noexcept {
  return v >= change_kind::embedded;
}

/// Each that is given must hold. What asks for memories is asked of the memory as the change left
/// it, of an edge of either end.
struct change_filter {
  std::vector<change_kind> kinds{};      ///< empty = any but uses
  std::vector<std::string> made_by{};    ///< who acted; "" is the host
  std::vector<memory_type> types{};      ///< of the memory, these five
  std::vector<std::string> owners{};     ///< whose it is
  std::vector<std::string> namespaces{}; ///< that it was put into
  std::vector<std::string> tags{};       ///< all of them
  std::vector<std::string> hashtags{};   ///< all of them
  std::vector<memory_id> ids{};
  bool include_uses = false;
};

struct changes_request {
  /// What comes behind it is told. Absent: what comes from now on. seq_unavailable where at_seq is.
  std::optional<seq_no> since{};
  std::int64_t limit = 100; ///< 1 to 1,000
  std::int64_t wait_ms = 0; ///< for a change, where there is none yet; up to 60,000
  change_filter filter{};
  bool with_record = false; ///< each change also tells the memory as it was then
  /// Also what is not on the disk yet: a relaxed write that a power cut may still take back, and
  /// whose seq another one may then have.
  bool include_unsynced = false;
  std::optional<std::string> actor{}; ///< who is asking; absent or "" = the host, sees all
  std::shared_ptr<const mneme::scope> scope{};
  std::optional<std::int64_t> deadline_ms{}; ///< of reading; waiting does not count
};

struct change {
  seq_no seq;
  timestamp at;
  std::string made_by; ///< "" is the host
  change_kind kind{};
  /// The memory; of an edge or a use none.
  std::optional<memory_id> id{};
  memory_type type{};        ///< with an id
  std::uint32_t version = 0; ///< with an id: the current one then; 0 where it is not told
  std::optional<memory_key> key{};
  /// What is different: "data.statement", "tags", "affirmed", …; of a topic's field its name.
  std::vector<std::string> fields{};
  std::optional<edge_key> edge{};
  std::optional<tombstone_cause> cause{}; ///< of what was tombstoned
  /// What took its place, what it was merged into; cut where the asker may not see it.
  std::optional<memory_id> other{};
  std::string name{};             ///< of a tag
  std::vector<memory_id> used{};  ///< by a use
  bool content_erased = false;    ///< nobody knows any more what it was about
  std::optional<memory> record{}; ///< asked for, and neither erased since nor hidden
};

struct changes_result {
  std::vector<change> changes; ///< in the order of their seqs
  seq_no next;                 ///< `since` of the next request
  seq_no seq;                  ///< the last entry that can be told
  bool more = false;           ///< there are entries behind `next`: ask again at once
  std::uint64_t scanned = 0;   ///< entries that were looked at; at most 10,000
};

/// Changes that come by themselves: engine::subscribe().
class subscription {
public:
  subscription() = default; ///< of nothing
  /// As stop().
  ~subscription();
  subscription(subscription&&) noexcept = default;
  subscription& operator=(subscription&& other) noexcept;

  /// Waits for the call under way; there is none afterwards. From inside a call: it is the last.
  void stop();
  /// Everything up to here was told, or is not wanted: what to resume by.
  [[nodiscard]] seq_no next() const;
  /// Why nothing comes any more; nothing while it goes on.
  [[nodiscard]] std::optional<error> ended() const;

private:
  friend class engine;
  struct state;
  explicit subscription(std::shared_ptr<state> its) : state_(std::move(its)) {}

  std::shared_ptr<state> state_;
};

} // namespace mneme
