/// The stage look: which rows may be selected, and which of the terms each has.

#include <algorithm>

#include "messages/text/composed.hpp"
#include "query/selection/selection_state.hpp"

namespace mneme {

selectable_rows::selectable_rows(const selection_state& s, const read_views& views)
    : s_(s),
      rows_(*views.attributes),
      visible_(s.who, rows_, *views.nodes),
      audience_(views.audience) {
  if (!s.who.sees_all() && s.who.verified_scope() == nullptr)
    owner_ = rows_.actor_term(s.who.owner()).value;
  for (const auto& tag : s.request.tags) tags_.push_back(rows_.tag_term(composed(tag)));
}

bool selectable_rows::operator()(row_no row) const {
  const row_line& line = rows_.rows().line(row);
  if ((line.flags & row_gone) != 0 || !rows_.alive(row, s_.context.at) || !visible_(row))
    return false;
  if (owner_ && line.actor != *owner_) return false;
  const auto& types = s_.request.types;
  if (types.empty() ? line.type == memory_type::chunk
                    : std::ranges::find(types, line.type) == types.end())
    return false;
  if (audience_ && rows_.facets(row).audience != static_cast<std::uint8_t>(*audience_))
    return false;
  return std::ranges::all_of(
      tags_, [&](term_no tag) { return tag.value != no_number && rows_.has_tag(row, tag); });
}

term_set selection_state::set_of(const std::vector<std::string>& some) const {
  term_set set = 0;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (std::ranges::find(some, terms[i]) != some.end()) set |= term_set{1} << i;
  return set;
}

result<void> selection_state::look(const read_views& views) {
  const attributes& all = *views.attributes;
  const selectable_rows selectable(*this, views);
  std::vector<term_no> numbers;
  numbers.reserve(terms.size());
  for (const auto& term : terms) numbers.push_back(views.lexical->term(term));
  const std::uint32_t limit = all.rows().count_at(context.at);
  for (row_no row{0}; row.value < limit; ++row.value) {
    if (auto ok = time.check(row.value); !ok) return ok;
    if (!selectable(row)) continue;
    ++searched;
    term_set has = 0;
    const slot_no slot = all.slot(row);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].value != no_number && slot.value != no_number
          && views.lexical->count(slot, numbers[i]) > 0)
        has |= term_set{1} << i;
    if (has != 0) rows.push_back({row, has});
  }
  // What has none of the words is not selected by meaning either.
  std::vector<row_no> having;
  having.reserve(rows.size());
  for (const auto& r : rows) having.push_back(r.row);
  search->narrow_to(std::move(having));
  stage = search->next() == effect_kind::store ? selection_stage::decide : selection_stage::ask;
  return time.check();
}

} // namespace mneme
