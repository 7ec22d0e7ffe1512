#pragma once
/// What a context carries from stage to stage: select takes candidate rows from the postings, fetch
/// reads what the tiers need, renders and trims.

#include <cstdint>
#include <vector>

#include "query/context/context.hpp"
#include "query/deadline.hpp"
#include "query/find/row_order.hpp"
#include "views/answer_room.hpp"
#include "views/asker.hpp"

namespace mneme {

enum class context_stage : std::uint8_t { select, fetch, done };

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
  context_stage stage = context_stage::select;
  std::vector<context_row> pinned; ///< Identities; Constraints and Goals that may be pinned
  std::vector<context_row> framed; ///< whatever is framed on the verb and an object
  context_result answer;

  result<void> select(const read_views& views);
  result<void> fetch(const read_views& views);
};

} // namespace mneme
