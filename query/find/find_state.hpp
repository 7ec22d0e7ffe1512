#pragma once
/// What a find carries from stage to stage. walk → select → near → fetch; stages that have nothing
/// to do are skipped. Exactly one party holds it at a time.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/deadline.hpp"
#include "query/find/find.hpp"
#include "query/find/find_checks.hpp"
#include "query/find/row_filter.hpp"
#include "query/find/row_order.hpp"
#include "query/predicate/compiled_predicate.hpp"
#include "views/answer_room.hpp"

namespace mneme {

enum class find_stage : std::uint8_t { walk, select, near, fetch, done };

struct find_state {
  find_request request;
  query_context context;
  asker who;
  salience_weights weights;
  std::optional<compiled_predicate> where;
  std::vector<float> near_query;         ///< empty without near
  std::vector<std::string> tags;         ///< that every row must have
  std::vector<std::string> driving_tags; ///< these, and those of namespaces
  std::vector<order_by> order;
  deadline time;
  answer_room room;
  distrusted_memories distrusted; ///< below min_trust

  find_stage stage = find_stage::select;
  walk_result walk;
  std::vector<candidate> rows;     ///< what is still in the answer
  bool some_open = false;          ///< rows whose predicate needs the record
  bool near_direct = false;        ///< the vectors propose rows; there was no selection
  std::uint64_t near_expected = 0; ///< rows that near_direct will accept, by a sample
  std::uint64_t near_listed = 0;   ///< not 0: near_direct looks at all of so few, exactly
  bool arranged = false;           ///< rows are the page: offset and limit are applied
  std::vector<memory> fetched;
  find_result answer;
  std::vector<memory_id> accessed; ///< returned ids, with late_binding

  // Stages (find_select.cpp, find_near.cpp, find_fetch.cpp).
  result<void> run_walk(const read_views& views);
  result<void> run_select(const read_views& views);
  result<void> run_near(const read_views& views);
  result<void> run_fetch(const read_views& views);

  /// Keeps the rows that the vectors named, with their distances.
  void keep_hits(std::span<const near_hit> hits);
  /// Keeps of the lists (ascending, alive or not, the asker may see them) the page of the most
  /// salient rows that pass, in order. Most rows are passed over by bounds, so that nobody knows
  /// how many would pass; returns how many of them the asker is told of. Precondition: the order
  /// begins with salience, the request has a limit, and the columns decide.
  result<std::uint64_t> select_salient(std::span<const std::vector<std::uint32_t>> lists,
                                       const row_filter& filter, const read_views& views);
  /// Orders the rows, of which none is open, and keeps the page.
  result<void> arrange(const read_views& views);
  /// The rows, ordered up to the page's end, become the page.
  void cut_offset();
  /// Keeps the first so many rows, in order; they are fewer than half.
  result<void> keep_first(const row_order& by, std::uint64_t count);
  /// Orders the rows up to the page's end, or divides them where the page begins, without a limit.
  result<void> order_all(const row_order& by);
  /// Ends the selection of rows: arranges them if that is possible, and names the next stage.
  result<void> selected(const read_views& views);

  [[nodiscard]] row_order ordering(const read_views& views) const;
  [[nodiscard]] compiled_predicate* predicate_or_null() { return where ? &*where : nullptr; }
  /// Adds a stage to the plan, if it was asked for.
  void note(const char* name, std::string detail, std::uint64_t in, std::uint64_t out,
            std::int64_t since_ns);
};

} // namespace mneme
