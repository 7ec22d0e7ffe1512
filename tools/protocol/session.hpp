#pragma once
/// The line protocol over one engine: a request line in, an answer line out. Never dies of a line.

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "mneme/engine.hpp"
#include "tools/protocol/json_text.hpp"

namespace mneme::protocol {

/// A file, folder or git working tree to cut into chunks.
struct source_request {
  std::string path;
  std::string actor; ///< of the chunks
  /// Absent: chunks that are there keep theirs, and new ones have none and are private.
  std::optional<lifecycle_audience> audience;
  std::optional<mneme::visibility> visibility;
  std::optional<mneme::source_class> source_class; ///< whose word it is; absent as above: not told
  bool brings_back_erased = false;                 ///< else a piece that was erased stays away
  /// Asked before each file and each removal: what it refuses with ends the work. What was found by
  /// then is written and stays; another time goes on from there. Empty = it takes as long as it
  /// takes.
  std::function<result<void>()> in_time;
};
struct source_counts {
  std::uint64_t files = 0;
  std::uint64_t added = 0;
  std::uint64_t updated = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t removed = 0;
  std::map<std::string, std::uint64_t> left_out;
};
using source_ingester = std::function<result<source_counts>(engine&, const source_request&)>;

struct op_spec;

class session {
public:
  /// Borrows both. Without a manual clock, `clock` is answered with unsupported.
  explicit session(engine& target, manual_clock* clock = nullptr, source_ingester ingester = {})
      : engine_(target), clock_(clock), ingest_source_(std::move(ingester)) {}
  /// For somebody whose writes name only what the actor sees (engine::apply()).
  session(engine& target, std::optional<std::string> in_sight_of)
      : engine_(target), clock_(nullptr), in_sight_of_(std::move(in_sight_of)) {}

  /// Asked before an answer is rendered, with what the session's answers hold together. `must`: it
  /// is given whatever the answer, and counts.
  using room_check = std::function<bool(std::uint64_t bytes, bool must)>;
  void bound_answers(room_check has_room) { has_room_ = std::move(has_room); }
  /// busy where there is no room now for an answer that holds so much more. Up to 64 KiB, all of
  /// the session's together, there always is.
  [[nodiscard]] result<void> hold(std::uint64_t bytes, bool must);

  /// Whoever does nothing with an answer but print() it says so: rows are printed as they are made
  /// then, where that is faster.
  void only_prints(row_form how) { rows_ = how; }
  [[nodiscard]] row_form rows() const { return rows_; }

  /// One line without its end to one compact line without its end.
  std::string answer(std::string_view line);

  /// Runs a request that has been parsed; `oversized` as parse_json left it. The members of the
  /// answer come without `ok`.
  result<json> run(const json& request, const std::optional<error>& oversized = {});
  /// The same for a request without `op` (or with this one).
  result<json> run(std::string_view op, json request, const std::optional<error>& oversized = {});

  [[nodiscard]] engine& target() { return engine_; }
  [[nodiscard]] const std::optional<std::string>& in_sight_of() const { return in_sight_of_; }
  [[nodiscard]] manual_clock* clock() { return clock_; }
  /// Empty where the session reads no files.
  [[nodiscard]] const source_ingester& ingest_source() const { return ingest_source_; }

private:
  result<json> run_checked(const op_spec& op, const json& request);

  engine& engine_;
  manual_clock* clock_;
  source_ingester ingest_source_;
  std::optional<std::string> in_sight_of_;
  room_check has_room_; ///< empty: there always is
  row_form rows_ = row_form::values;
  std::uint64_t held_ = 0;
};

} // namespace mneme::protocol
