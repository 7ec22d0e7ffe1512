#include "query/search/newer_first.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "messages/ensure.hpp"
#include "views/supersession.hpp"

namespace mneme {

namespace {

/// Who reads an answer reads its first hits; behind them order says little, and to move what is
/// there into them would push out what is not older than anything.
constexpr std::size_t places = 10;
/// One word that both have makes no subject.
constexpr std::size_t least_words = 2;

class same_subject {
public:
  same_subject(std::span<const leg_row> hits, const question_share& share, const newer_rule& rule,
               const read_views& views)
      : rule_(rule), rows_(views.attributes->rows()), owners_(*views.attributes) {
    for (const auto& hit : hits) said_.emplace_back(hit.slot, share.telling(hit.slot));
  }

  /// Says `newer` at least what `older` says of the question?
  [[nodiscard]] bool operator()(const leg_row& newer, const leg_row& older) const {
    const row_line& later = rows_.line(newer.row);
    const row_line& before = rows_.line(older.row);
    if (later.valid_from_ns <= before.valid_from_ns || later.valid_from_ns > rule_.now.ns
        || later.type == memory_type::chunk || before.type == memory_type::chunk
        || !owners_.counts(later, before))
      return false;
    if (newer.raw < rule_.least * older.raw || newer.dates < older.dates
        || newer.speakers < older.speakers)
      return false;
    const auto& said = said_by(older);
    return said.size() >= least_words && std::ranges::includes(said_by(newer), said);
  }

private:
  using terms = std::vector<std::uint32_t>;

  [[nodiscard]] const terms& said_by(const leg_row& hit) const {
    const auto found = std::ranges::find(said_, hit.slot, &std::pair<slot_no, terms>::first);
    ensure(found != said_.end(), "each of the hits was read");
    return found->second;
  }

  std::vector<std::pair<slot_no, terms>> said_; ///< what each hit says of the question
  const newer_rule& rule_;
  const row_store& rows_;
  supersession owners_;
};

} // namespace

void put_newer_first(std::vector<leg_row>& hits, const question_share& share,
                     const newer_rule& rule, const read_views& views) {
  ensure(std::ranges::is_sorted(hits, std::greater(), &leg_row::score), "hits are ranked by score");
  const std::size_t count = std::min(places, hits.size());
  if (count < 2) return;
  const auto first = std::span<const leg_row>(hits).first(count);
  const same_subject is_newer(first, share, rule, views);
  const auto end = hits.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto at = hits.begin(); at != end; ++at) {
    const auto older =
        std::find_if(hits.begin(), at, [&](const leg_row& h) { return is_newer(*at, h); });
    if (older == at) continue;
    ensure(older < at, "what is moved goes up");
    at->score = older->score;
    std::rotate(older, at, at + 1);
  }
  for (auto at = hits.begin(); at != end; ++at) {
    const auto newer =
        std::find_if(hits.begin(), at, [&](const leg_row& h) { return is_newer(h, *at); });
    if (newer != at) at->older_of = newer->row;
  }
}

} // namespace mneme
