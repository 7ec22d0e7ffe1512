/// How the parts of a leg's scores come together. Only rows that can be in the window are scored:
/// first the best by text, the best by cosine, and what follows or precedes them. When the worst of
/// the window beats whatever any other row can have, the window is what scoring all rows would
/// give; else all rows are scored that can reach that worst one.
///
/// A leg that lists few of the world's rows scores just these. What its scores are relative to, the
/// best text and the best cosine, is taken over what it searches, so the others do not matter.
///
/// A window of 1 with the weights 1 for text and for cosine, not relative, without neighbours: four
/// rows are chosen by either (first_share), and these are their parts, best first.
///
///     by text, over the best one   1.0  0.9  0.6  0.5   no other row has more than 0.5
///     by cosine                    0.8  0.7  0.6  0.6   nor more than 0.6: a frontier of 1.1
///
/// If one of them has 0.9 and 0.8, its 1.7 beats the frontier and is the answer. If the best of
/// them has 1.0 and 0, others may be between 1.0 and 1.1: score_rest() scores those whose bounds
/// reach 1.0. With neighbours of weight n a row may gain n times the best before and the best after
/// it, so the frontier counts 1 + 2n times (spread_).

#include <algorithm>
#include <ranges>

#include "messages/ensure.hpp"
#include "query/search/search_filter.hpp"
#include "query/search/search_texts.hpp"

namespace mneme {

namespace {

/// So many times the window's size are scored first.
constexpr std::size_t first_share = 4;
/// Scoring a row by itself costs as much as comparing so many by their codes, or reading so many
/// postings.
constexpr std::uint64_t cost_of_row = 8;
/// Sums of the same parts in another order may differ in their last bits.
constexpr double rounding_down = 1 - 1e-9;

/// What a leg searches, by slot or row.
class leg_members {
public:
  leg_members(const search_state& s, const search_leg& leg, const read_views& views)
      : leg_(leg), rows_(*views.attributes), at_(s.context.at), filter_(s, views) {}

  /// The row whose content is `slot`, if it is searched; else no_number.
  [[nodiscard]] row_no find(slot_no slot) const {
    if (!leg_.is_counted) return leg_.listed.find(slot);
    const row_no row = rows_.row_of_slot(slot, at_);
    return row.value != no_number && passes(row) ? row : row_no{};
  }
  [[nodiscard]] bool contains(slot_no slot) const { return find(slot).value != no_number; }
  /// As find, before any test that a counted leg would make.
  [[nodiscard]] row_no find_untested(slot_no slot) const {
    return leg_.is_counted ? rows_.row_of_slot(slot, at_) : find(slot);
  }
  /// Precondition: the row comes from find_untested.
  [[nodiscard]] bool contains_row(row_no row) const { return !leg_.is_counted || passes(row); }
  /// The row of `node`, if it is searched.
  [[nodiscard]] row_no find(node_no node) const {
    const row_no row = rows_.row_of(node, at_);
    if (row.value == no_number) return {};
    if (!leg_.is_counted) return find(rows_.slot(row));
    return passes(row) ? row : row_no{};
  }

private:
  [[nodiscard]] bool passes(row_no row) const {
    return rows_.rows().line(row).type != memory_type::chunk && filter_.seen(row)
           && filter_.passes_memory(row);
  }

  const search_leg& leg_;
  const attributes& rows_;
  seq_no at_;
  leg_filter filter_;
};

class leg_scorer {
public:
  leg_scorer(const search_state& s, const search_leg& leg, const read_views& views)
      : s_(s),
        leg_(leg),
        views_(views),
        members_(s, leg, views),
        texts_(s, leg, views),
        // Whether there are such edges now says nothing of the seq that is read.
        follows_(s.weights.neighbours > 0),
        text_weight_(s.vector.empty() ? 1.0 : s.weights.text),
        spread_(follows_ ? 1 + 2 * s.weights.neighbours : 1) {}

  /// Does the leg list so few rows that scoring them is less work than finding the best of all?
  [[nodiscard]] bool lists_few() const {
    if (leg_.is_counted || s_.context.ranks_all) return false;
    const std::uint64_t compared = s_.vector.empty() ? 0 : views_.vectors->size();
    return leg_.listed.choice().rows().size() * cost_of_row <= compared + texts_.posting_count();
  }

  /// Did the deadline pass while texts or edges were read?
  [[nodiscard]] bool is_late() const { return late_ || texts_.is_late(); }

  /// Scores all that is listed.
  void score_listed(std::vector<leg_row>& rows) {
    texts_.read_very_many();
    is_all_chosen_ = true;
    choice_ = leg_.listed.choice();
    score_chosen(rows);
  }

  /// Do the texts alone make the scores?
  [[nodiscard]] bool is_plain() const { return s_.vector.empty() && !follows_; }

  /// The best `window` rows by their texts alone. Of equal ones, which may be very many, only those
  /// are tested that come first.
  void score_plain(std::size_t window, std::vector<leg_row>& rows) {
    rows.clear();
    most_text_ = most_text();
    if (most_text_ == 0) return;
    const tie_order tie(views_);
    const auto is_better = [&](const leg_row& a, const leg_row& b) {
      return a.raw != b.raw ? a.raw > b.raw : tie(a, b);
    };
    do {
      while (!texts_.may_decide(window) && texts_.read_more()) {
      }
      rows.clear(); // a heap with the worst in front
      // The newest of equal ones come first, and they are mostly in the last slots.
      for (const auto& t : std::views::reverse(texts_.rows())) {
        const bool is_full = rows.size() == window;
        if (is_full && texts_.at_most(t) / most_text_ < rows.front().raw) continue;
        const double text = texts_.score(t) / most_text_;
        const leg_row row{
            .row = members_.find_untested({t.slot}), .slot = {t.slot}, .text = text, .raw = text};
        if (row.row.value == no_number || (is_full && !is_better(row, rows.front()))) continue;
        if (!members_.contains_row(row.row)) continue;
        if (is_full) {
          std::ranges::pop_heap(rows, is_better);
          rows.pop_back();
        }
        rows.push_back(row);
        std::ranges::push_heap(rows, is_better);
      }
    } while ((rows.size() < window || rows.front().raw <= texts_.rest() / most_text_)
             && texts_.read_more());
  }

  /// Scores the `most` best by text and by cosine, and those next to them. True if the best
  /// `window` of `rows` are the best of all then. `compared` is the query's, none without a vector.
  bool score_best(const compared_query& compared, std::size_t most, std::size_t window,
                  std::vector<leg_row>& rows) {
    most_text_ = most_text();
    double frontier = add_by_text(most) * text_weight_;
    if (!s_.vector.empty()) frontier += add_by_cosine(compared, most);
    score_chosen(rows);
    worst_ = worst_of(rows, window);
    return frontier == 0 || worst_ * rounding_down > frontier * spread_;
  }

  /// Scores every row that can be as good as the worst of the window that score_best() found, or
  /// make one next to it so good.
  void score_rest(const compared_query& compared, std::vector<leg_row>& rows) {
    const double least = worst_ * rounding_down / spread_;
    while (text_part(texts_.rest()) >= least && texts_.read_more()) {
    }
    const double unread = text_part(texts_.rest());
    if (vector_weight_ > 0)
      compared.each_at_least((least - unread) / vector_weight_, [&](slot_no slot) { add(slot); });
    for (const auto& t : texts_.rows()) {
      const double by_cosine = vector_weight_ * std::max(0.0, compared.bound_of({t.slot}));
      if (text_part(texts_.at_most(t)) + by_cosine >= least) add({t.slot});
    }
    score_chosen(rows);
  }

private:
  [[nodiscard]] double text_part(double text) const {
    return most_text_ == 0 ? 0 : text_weight_ * (text / most_text_);
  }

  void add(slot_no slot) {
    if (const row_no row = members_.find(slot); row.value != no_number) choice_.add(slot, row);
  }

  /// The best text of all that is searched.
  double most_text() {
    double best = 0;
    do {
      for (const auto& t : texts_.rows())
        if (texts_.at_most(t) > best && members_.contains({t.slot}))
          best = std::max(best, texts_.score(t));
    } while (best <= texts_.rest() && texts_.read_more());
    return best;
  }

  /// Chooses about the best by text; answers what no other row exceeds, over the best of all.
  double add_by_text(std::size_t most) {
    if (most_text_ == 0) return 0;
    // A rest that is small beside the worst that is chosen makes little difference, and one that is
    // small beside the best makes little difference to a mix with cosines.
    constexpr double small_rest = 0.25;
    constexpr double little_rest = 0.02;
    const auto is_enough = [&](const std::vector<partial_text>& best) {
      if (!s_.vector.empty() && texts_.rest() <= little_rest * most_text_) return true;
      return best.size() == most && texts_.rest() <= small_rest * best.front().score;
    };
    std::vector<partial_text> best;
    do {
      best = best_texts(most);
    } while (!is_enough(best) && texts_.read_more());
    for (const auto& t : best) add({t.slot});
    const double left = best.size() < most ? texts_.rest() : texts_.at_most(best.front());
    return left / most_text_;
  }

  /// The searched ones with the highest scores so far, the lowest of them first.
  [[nodiscard]] std::vector<partial_text> best_texts(std::size_t most) const {
    const auto is_better = [](const partial_text& a, const partial_text& b) {
      return a.score > b.score;
    };
    std::vector<partial_text> best; // a heap
    for (const auto& t : texts_.rows()) {
      if (best.size() == most && t.score <= best.front().score) continue;
      if (!members_.contains({t.slot})) continue;
      if (best.size() == most) {
        std::ranges::pop_heap(best, is_better);
        best.pop_back();
      }
      best.push_back(t);
      std::ranges::push_heap(best, is_better);
    }
    return best;
  }

  /// Chooses the best by cosine; answers what the cosine of any other row adds to its score.
  double add_by_cosine(const compared_query& compared, std::size_t most) {
    const auto nearest = compared.nearest(
        most, [this](slot_no slot) { return members_.contains(slot); }, s_.time.goes_on());
    for (const auto& hit : nearest) add(hit.slot);
    best_cosine_ = nearest.empty() ? 0 : cosine(nearest.front());
    vector_weight_ = s_.weights.vector;
    if (s_.weights.relative && best_cosine_ > 0) vector_weight_ /= best_cosine_;
    return nearest.size() < most ? 0 : cosine(nearest.back()) * vector_weight_;
  }

  /// Calls `visit(slot, row)` for what is searched right before or after a row.
  template <class Visit>
  void each_adjacent(row_no row, edge_direction direction, const Visit& visit) {
    if (late_) return;
    const attributes& columns = *views_.attributes;
    views_.order->neighbours(columns.node(row), direction, s_.context.at, false,
                             [&](const neighbour& n) {
                               const row_no other = members_.find(n.node);
                               if (other.value != no_number) visit(columns.slot(other), other);
                               late_ = !s_.time.check(edges_++);
                               return !late_;
                             });
  }

  /// Adds what is adjacent to the rows of `from`.
  void add_adjacent(const row_choice& from, row_choice& to) {
    for (const auto& c : from.rows())
      for (const auto direction : {edge_direction::in, edge_direction::out})
        each_adjacent(c.row, direction, [&](slot_no slot, row_no row) { to.add(slot, row); });
    to.settle();
  }

  /// The rows chosen, and those next to them, with all that makes their scores.
  void score_chosen(std::vector<leg_row>& rows) {
    choice_.settle();
    rows.clear();
    if (!follows_) {
      fill(choice_, rows);
      return;
    }
    row_choice whole = choice_;
    if (!is_all_chosen_) add_adjacent(choice_, whole);
    // What stands next to those alone is only needed for their scores.
    row_choice all = whole;
    if (!is_all_chosen_) add_adjacent(whole, all);
    std::vector<leg_row> parts;
    fill(all, parts);
    const auto part_of = [&](slot_no slot) -> const leg_row& {
      const std::uint32_t place = all.place_of(slot);
      ensure(place < parts.size(), "what counts for a score has one itself");
      return parts[place];
    };
    for (const auto& c : whole.rows()) {
      leg_row row = part_of(c.slot);
      for (const auto direction : {edge_direction::in, edge_direction::out}) {
        double best = 0;
        each_adjacent(c.row, direction,
                      [&](slot_no slot, row_no) { best = std::max(best, part_of(slot).raw); });
        row.neighbours += best;
      }
      row.raw += s_.weights.neighbours * row.neighbours;
      rows.push_back(row);
    }
  }

  static double cosine(const near_hit& hit) { return std::max(0.0, 1.0 - hit.distance); }

  /// Text, cosine and their mix.
  void fill(const row_choice& choice, std::vector<leg_row>& rows) {
    std::vector<slot_no> slots;
    for (const auto& c : choice.rows()) {
      rows.push_back({.row = c.row, .slot = c.slot, .text = texts_.score(c.slot)});
      slots.push_back(c.slot);
    }
    const auto distances =
        s_.vector.empty() ? std::vector<near_hit>() : views_.vectors->distances(s_.vector, slots);
    std::size_t next = 0;
    for (auto& r : rows) {
      if (next == distances.size()) break;
      if (distances[next].slot == r.slot) r.vector = cosine(distances[next++]);
    }
    if (is_all_chosen_) take_best(rows);
    for (auto& r : rows) mix(r);
  }

  /// The best of the parts, from all that is searched.
  void take_best(const std::vector<leg_row>& rows) {
    for (const auto& r : rows) {
      most_text_ = std::max(most_text_, r.text);
      best_cosine_ = std::max(best_cosine_, r.vector);
    }
  }

  void mix(leg_row& r) const {
    const search_weights& w = s_.weights;
    r.text = most_text_ == 0 ? 0 : r.text / most_text_;
    if (w.relative && best_cosine_ > 0) r.vector /= best_cosine_;
    r.raw = s_.vector.empty() ? r.text : w.vector * r.vector + w.text * r.text;
  }

  static double worst_of(const std::vector<leg_row>& rows, std::size_t window) {
    ensure(window > 0, "a window holds something");
    if (rows.size() < window) return 0;
    std::vector<double> scores;
    scores.reserve(rows.size());
    for (const auto& r : rows) scores.push_back(r.raw);
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(window - 1);
    std::ranges::nth_element(scores, last, std::ranges::greater());
    return *last;
  }

  const search_state& s_;
  const search_leg& leg_;
  const read_views& views_;
  leg_members members_;
  search_texts texts_;
  bool follows_;       ///< what is right before and after a row counts
  double text_weight_; ///< of a text over the best one
  double spread_;      ///< what follows and precedes can make of a score
  double most_text_ = 0;
  double best_cosine_ = 0;
  double vector_weight_ = 0; ///< of a cosine
  double worst_ = 0;         ///< of the window found first
  row_choice choice_;
  bool is_all_chosen_ = false; ///< what is chosen is all that is searched
  std::uint64_t edges_ = 0;    ///< looked at
  bool late_ = false;
};

} // namespace

result<void> search_state::score_rows(search_leg& leg, const read_views& views,
                                      std::optional<compared_query>& compared) const {
  if (leg.coverage.searched == 0) return {};
  leg_scorer scorer(*this, leg, views);
  const auto in_time = [&] { return scorer.is_late() ? late() : time.check(); };
  if (auto ok = in_time(); !ok) return ok;
  if (scorer.lists_few()) {
    scorer.score_listed(leg.rows);
    return in_time();
  }
  const auto size = static_cast<std::size_t>(window());
  if (scorer.is_plain()) {
    scorer.score_plain(size, leg.rows);
    return in_time();
  }
  if (!compared)
    compared = vector.empty() ? compared_query() : views.vectors->compare(vector, time.goes_on());
  if (auto ok = in_time(); !ok) return ok;
  const bool is_whole = scorer.score_best(*compared, first_share * size, size, leg.rows);
  if (auto ok = in_time(); !ok || is_whole) return ok;
  scorer.score_rest(*compared, leg.rows);
  return in_time();
}

} // namespace mneme
