#pragma once
/// What a context carries from stage to stage: select takes candidate rows from the postings, ask
/// has another door rank rows where that is wanted, fetch reads what the tiers need, renders and
/// trims.

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "query/context/context.hpp"
#include "query/deadline.hpp"
#include "query/find/find.hpp"
#include "query/find/row_order.hpp"
#include "query/rendering.hpp"
#include "query/search/search.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"
#include "views/standing.hpp"

namespace mneme {

enum class context_stage : std::uint8_t { select, ask, fetch, done };

/// A memory in its tier.
struct context_row {
  context_tier tier{};
  row_no row;
  node_no node;
  memory_uri uri;
  std::int64_t created_at_ns = 0;
  double salience = 0; ///< with the floor of what is pinned
};

struct context_state {
  context_request request;
  query_context context;
  asker who;
  salience_weights weights;
  deadline time;
  answer_room room;
  distrusted_memories distrusted{}; ///< below min_trust
  context_stage stage = context_stage::select;
  std::vector<context_row> pinned; ///< Identities; Constraints and Goals that may be pinned
  std::vector<context_row> framed; ///< whatever is framed on the verb and an object
  /// Ranks Found or Notable; null = neither is wanted. At most one is there.
  std::unique_ptr<search_run> search;
  std::unique_ptr<find_run> salient;
  context_result answer;
  std::set<std::uint32_t> shown;     ///< rows in the answer
  std::vector<context_row> left_out; ///< what did not fit, best first

  result<void> select(const read_views& views);
  /// One stage of whoever ranks.
  result<void> ask(const read_views& views);
  result<void> fetch(const read_views& views);
  /// Fills what the tiers left of the budget with what was ranked (context_fill.cpp).
  result<void> fill(const read_views& views, kv_reader& reader);
  /// fetch comes next, unless whoever ranks has a stage before it reads records.
  void ask_next();

  [[nodiscard]] bool wants(context_tier tier) const;
  /// Neither a query, nor a verb with objects.
  [[nodiscard]] bool is_unasked() const;
  /// Whoever ranks; null = nobody.
  [[nodiscard]] query_run* ranking() const;
  [[nodiscard]] timestamp now() const { return request.now.value_or(context.now); }
  /// The request by which Found is searched.
  [[nodiscard]] static search_request search_of(const context_request& r, std::int64_t budget);
  /// The most salient rows beside those that are pinned, and how many rows there are.
  [[nodiscard]] find_request salient_request(const read_views& views) const;
};

/// The row as of the seq read, in no tier yet.
context_row context_row_of(row_no row, const context_state& run, const read_views& views);
result<memory> read_row(const context_row& row, const context_state& run, const read_views& views,
                        kv_reader& reader);
/// Of a record of the row, without its text.
context_item item_of(const context_row& row, const memory& m, const context_state& run,
                     const read_views& views);
/// Its text as a model may read it: quoted, where it is trusted too little.
/// The form that is asked for; of a topic, unless that is the short one, with what its fields hold:
/// who asks what to know first asks for no field.
result<std::string> text_in_context(const memory& m, const context_state& run,
                                    const read_views& views, kv_reader& reader);
rendered_text as_trusted(const context_item& item, std::string text, const token_counter& tokens);
std::uint64_t bytes_of(const context_item& item);

/// Of Notable no more than so many are looked at.
std::int64_t most_notable(std::int64_t budget_tokens);

} // namespace mneme
