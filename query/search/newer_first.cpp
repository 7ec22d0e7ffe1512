#include "query/search/newer_first.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "messages/ensure.hpp"
#include "messages/math.hpp"
#include "messages/text/forms.hpp"
#include "query/search/asked_identifiers.hpp"
#include "query/search/search_filter.hpp"
#include "views/supersession.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// Who reads an answer reads its first hits; behind them order says little, and to move what is
/// there into them would push out what is not older than anything.
constexpr std::size_t places = 10;
/// One word that both have makes no subject.
constexpr std::size_t least_words = 2;
/// Of what the shorter of two tells, by how rare its terms are, that both have if they are alike.
constexpr double least_alike = 0.3;

/// Which of the question's identifiers each of the hits has whole. Read where it is asked for.
class identifiers_had {
public:
  identifiers_had(const search_state& run, const read_views& views)
      : run_(run), views_(views), asked_(run.request.query, views.language) {}

  /// Is what both say of the same identifiers?
  result<bool> are_same(const leg_row& a, const leg_row& b) {
    if (asked_.empty()) return true;
    auto ours = of(a.row);
    if (!ours) return propagate(ours);
    auto theirs = of(b.row);
    if (!theirs) return propagate(theirs);
    return **ours == **theirs;
  }

private:
  result<const std::vector<bool>*> of(row_no row) {
    const auto known = known_.find(row.value);
    if (known != known_.end()) return &known->second;
    auto text = text_of(row);
    if (!text) return propagate(text);
    return &known_.emplace(row.value, asked_.whole_in(*text)).first->second;
  }

  /// As it is indexed.
  result<std::string> text_of(row_no row) {
    if (!reader_) {
      auto reader = reader_in_time(views_, run_.time);
      if (!reader) return propagate(reader);
      reader_ = std::move(*reader);
    }
    const node_no node = views_.attributes->node(row);
    auto record = read_memory(views_, *reader_, node, row, run_.context.at);
    if (!record) return propagate(record);
    if (!record->has_value()) return fail(errc::corrupt, "a hit has a row, but no record");
    const version& said = *(*record)->what.version;
    if (said.type != memory_type::topic) return searched_text(said.type, said.data);
    auto values = read_field_values(*reader_, views_.nodes->id(node), run_.context.at);
    if (!values) return propagate(values);
    return searched_topic_text(said.data, *values);
  }

  const search_state& run_;
  const read_views& views_;
  asked_identifiers asked_;
  std::unique_ptr<kv_reader> reader_;
  std::map<std::uint32_t, std::vector<bool>> known_; ///< by row
};

class same_subject {
public:
  same_subject(std::span<const leg_row> hits, const question_share& share, const newer_rule& rule,
               const search_state& run, const read_views& views)
      : rule_(rule),
        rows_(views.attributes->rows()),
        owners_(*views.attributes),
        words_(*views.lexical),
        at_(run.context.at),
        documents_(words_.size(corpus::memories, at_).documents),
        identifiers_(run, views),
        filter_(run, views),
        all_hold_(leaves_out_superseded(run.request)) {
    for (const auto& hit : hits) said_.emplace_back(hit.slot, share.telling(hit.slot));
  }

  /// Says `newer` at least what `older` says of the question, and are they alike besides? Of what
  /// holds beside what does not any more it is enough that they are alike.
  result<bool> operator()(const leg_row& newer, const leg_row& older) {
    if (!may_be_newer(newer, older) || !are_alike(newer, older)) return false;
    return identifiers_.are_same(newer, older);
  }

  /// The first of `others` that `hit` is newer than, or that is newer than `hit`; how many they are
  /// where there is none.
  result<std::size_t> first_older(const leg_row& hit, std::span<const leg_row> others) {
    return first_of(others, [&](const leg_row& other) { return (*this)(hit, other); });
  }
  result<std::size_t> first_newer(const leg_row& hit, std::span<const leg_row> others) {
    return first_of(others, [&](const leg_row& other) { return (*this)(other, hit); });
  }

private:
  using terms = std::vector<std::uint32_t>;

  template <class Test>
  static result<std::size_t> first_of(std::span<const leg_row> hits, Test test) {
    for (std::size_t i = 0; i < hits.size(); ++i) {
      auto is_it = test(hits[i]);
      if (!is_it) return propagate(is_it);
      if (*is_it) return i;
    }
    return hits.size();
  }

  [[nodiscard]] bool may_be_newer(const leg_row& newer, const leg_row& older) const {
    const row_line& later = rows_.line(newer.row);
    const row_line& before = rows_.line(older.row);
    if (later.valid_from_ns > rule_.now.ns || later.type == memory_type::chunk
        || before.type == memory_type::chunk || !owners_.counts(later, before))
      return false;
    // Where what no longer holds is asked for, too, that was told: no rule of thumb is needed.
    const bool holds = all_hold_ || filter_.holds(newer.row);
    if (!all_hold_ && holds != filter_.holds(older.row)) return holds;
    if (later.valid_from_ns <= before.valid_from_ns) return false;
    if (newer.raw < rule_.least * older.raw || newer.dates < older.dates
        || newer.speakers < older.speakers)
      return false;
    const auto& said = said_by(older);
    return said.size() >= least_words && std::ranges::includes(said_by(newer), said);
  }

  /// Two that answer the same question may speak of different things all the same.
  [[nodiscard]] bool are_alike(const leg_row& a, const leg_row& b) const {
    const auto left = words_.terms(a.slot);
    const auto right = words_.terms(b.slot);
    double shared = 0;
    double of_left = 0;
    double of_right = 0;
    auto x = left.begin();
    auto y = right.begin();
    while (x != left.end() || y != right.end()) {
      const bool is_left = y == right.end() || (x != left.end() && x->term <= y->term);
      const bool is_right = x == left.end() || (y != right.end() && y->term <= x->term);
      const double tells = weight_of(is_left ? x->term : y->term);
      shared += is_left && is_right ? tells : 0;
      of_left += is_left ? tells : 0;
      of_right += is_right ? tells : 0;
      x += is_left ? 1 : 0;
      y += is_right ? 1 : 0;
    }
    constexpr double same = 1e-9; // sums in another order are not another answer
    return shared + same >= least_alike * std::min(of_left, of_right);
  }
  [[nodiscard]] double weight_of(std::uint32_t term) const {
    const auto with = static_cast<double>(words_.document_frequency(corpus::memories, {term}, at_));
    return stable_log(1 + static_cast<double>(documents_) / (with + 1));
  }

  [[nodiscard]] const terms& said_by(const leg_row& hit) const {
    const auto found = std::ranges::find(said_, hit.slot, &std::pair<slot_no, terms>::first);
    ensure(found != said_.end(), "each of the hits was read");
    return found->second;
  }

  std::vector<std::pair<slot_no, terms>> said_; ///< what each hit says of the question
  const newer_rule& rule_;
  const row_store& rows_;
  supersession owners_;
  const lexical& words_;
  seq_no at_;
  std::uint64_t documents_;
  identifiers_had identifiers_;
  leg_filter filter_;
  bool all_hold_; ///< what does not is not among the hits
};

} // namespace

result<void> put_newer_first(std::vector<leg_row>& hits, const question_share& share,
                             const newer_rule& rule, const search_state& run,
                             const read_views& views) {
  ensure(std::ranges::is_sorted(hits, std::greater(), &leg_row::score), "hits are ranked by score");
  const std::size_t count = std::min(places, hits.size());
  if (count < 2) return {};
  const auto first = std::span<leg_row>(hits).first(count);
  same_subject by_subject(first, share, rule, run, views);
  for (std::size_t at = 0; at < count; ++at) {
    auto older = by_subject.first_older(first[at], first.first(at));
    if (!older) return propagate(older);
    if (*older == at) continue;
    ensure(*older < at, "what is moved goes up");
    first[at].score = first[*older].score;
    std::ranges::rotate(first.subspan(*older, at + 1 - *older),
                        first.begin() + static_cast<std::ptrdiff_t>(at));
  }
  for (std::size_t at = 0; at < count; ++at) {
    auto newer = by_subject.first_newer(first[at], first.first(at));
    if (!newer) return propagate(newer);
    if (*newer != at) first[at].older_of = first[*newer].row;
  }
  return {};
}

} // namespace mneme
