#include "query/search/newer_first.hpp"

#include <algorithm>
#include <functional>

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
  same_subject(const question_share& share, const newer_rule& rule, const read_views& views)
      : share_(share), rule_(rule), rows_(views.attributes->rows()), owners_(*views.attributes) {}

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
    const auto said = share_.telling(older.slot);
    return said.size() >= least_words && std::ranges::includes(share_.telling(newer.slot), said);
  }

private:
  const question_share& share_;
  const newer_rule& rule_;
  const row_store& rows_;
  supersession owners_;
};

} // namespace

void put_newer_first(std::vector<leg_row>& hits, const question_share& share,
                     const newer_rule& rule, const read_views& views) {
  ensure(std::ranges::is_sorted(hits, std::greater(), &leg_row::score), "hits are ranked by score");
  const same_subject is_newer(share, rule, views);
  const auto end = hits.begin() + static_cast<std::ptrdiff_t>(std::min(places, hits.size()));
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
