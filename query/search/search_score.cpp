/// How the parts of a leg's scores come together. Only rows that can be in the window are scored:
/// first those that are bounded highest, by their texts and by what the codes of their vectors let
/// their cosines be, and what follows or precedes them. When the worst of the window beats whatever
/// any other row can have, the window is what scoring all rows would give; else all rows are scored
/// that can reach that worst one.
///
/// A leg that lists few of the world's rows scores just these. What its scores are relative to, the
/// best text and the best cosine, is taken over what it searches, so the others do not matter.
///
/// A window of 1 with the weights 1 for text and for cosine, not relative, without neighbours: two
/// rows are chosen (first_share), which leaves a frontier of 1.4.
///
///     text over the best one   1.0   0.9   0.6   0.7   0.5
///     cosine at most           0.6   0.7   0.8   0.7   0.6
///     bound                    1.6   1.6   1.4   1.4   1.1
///     score                    1.6   1.5
///
/// The best of them has 1.6 and is the answer. Had it 1.3, whatever is bounded by 1.3 or more would
/// be scored, too, by score_rest(). With neighbours of weight n a row may gain n times the best
/// before and the best after it, so the frontier counts 1 + 2n times (spread_), and with answers of
/// weight a 1 + 2n + a times; in a world that never had such edges, once.

#include <algorithm>
#include <limits>

#include "messages/ensure.hpp"
#include "query/search/best_bounds.hpp"
#include "query/search/best_texts.hpp"
#include "query/search/leg_members.hpp"
#include "query/search/word_sums.hpp"
#include "views/order_edges.hpp"

namespace mneme {

namespace {

/// Of a cosine as a match: the hash embedder's of texts that have nothing to do with each other
/// reach 0.3 here and there.
constexpr double cosine_weight = 0.8;
/// So many times the window's size are scored first.
constexpr std::size_t first_share = 2;
/// Scoring a row by itself costs as much as comparing so many by their codes, or reading so many
/// postings.
constexpr std::uint64_t cost_of_row = 8;
/// Sums of the same parts in another order may differ in their last bits.
constexpr double rounding_down = 1 - 1e-9;

/// What the words of the query weigh in a leg, in the order of the query.
std::vector<weighed_word> weighed_words(const search_state& s, const search_leg& leg,
                                        const lexical& words) {
  std::vector<weighed_word> weighed;
  const corpus_size size = words.size(leg.of, s.context.at);
  if (leg.coverage.searched == 0 || size.length == 0) return weighed;
  const double b = s.length_share(leg);
  const double mean = static_cast<double>(size.length) / static_cast<double>(size.documents);
  constexpr std::uint64_t words_of_check = 256;
  std::uint64_t checks = 0;
  for (const auto& text : s.terms) {
    // What is late here is so at the next look, too.
    if (checks++ % words_of_check == 0 && !s.time.check()) return weighed;
    const term_no term = words.term(text);
    const std::uint64_t frequency = words.document_frequency(leg.of, term, s.context.at);
    if (frequency == 0) continue;
    const double idf = inverse_document_frequency(size.documents, frequency)
                       * term_share(s.weights, text, words.language(), size.documents, frequency);
    weighed.push_back({.term = term, .by = bm25_term(s.weights.k1, b, idf, mean)});
  }
  return weighed;
}

class leg_scorer {
public:
  leg_scorer(const search_state& s, const search_leg& leg, const read_views& views)
      : s_(s),
        leg_(leg),
        views_(views),
        members_(s, leg, views),
        texts_(*views.lexical, leg.of, weighed_words(s, leg, *views.lexical), s.time),
        answers_(was_ever(views, answer_in_order) ? s.weights.answers : 0),
        neighbours_(was_ever(views, edge_type::related_to) || was_ever(views, answer_in_order)
                        ? s.weights.neighbours
                        : 0),
        follows_(neighbours_ > 0 || answers_ > 0),
        text_weight_(s.vector.empty() ? 1.0 : s.weights.text),
        spread_(1 + 2 * neighbours_ + answers_) {}

  /// Does the leg list so few rows that scoring them is less work than finding the best of all?
  [[nodiscard]] bool lists_few() const {
    if (s_.dated && leg_.of == corpus::memories) return true; // whatever words they have
    if (leg_.is_counted || s_.context.ranks_all) return false;
    const std::uint64_t compared = s_.vector.empty() ? 0 : views_.vectors->size();
    return leg_.listed.choice().rows().size() * cost_of_row <= compared + texts_.posting_count();
  }

  /// Did the deadline pass while texts or edges were read?
  [[nodiscard]] bool is_late() const { return late_ || texts_.is_late(); }

  /// Scores all that is listed.
  void score_listed(std::vector<leg_row>& rows) {
    is_all_chosen_ = true;
    choice_ = leg_.listed.choice();
    score_chosen(rows);
  }

  /// Do the texts alone make the scores?
  [[nodiscard]] bool is_plain() const {
    return s_.vector.empty() && !follows_ && (s_.said.empty() || leg_.of != corpus::memories);
  }

  /// The best `window` rows by their texts alone, and some that are as good.
  void score_plain(std::size_t window, std::vector<leg_row>& rows) {
    rows.clear();
    find_best_texts(window).each([&](leg_row row) {
      row.text /= most_text_;
      row.raw = row.text;
      rows.push_back(row);
    });
  }

  /// Scores the `most` rows that are bounded highest, and those next to them. True if the best
  /// `window` of `rows` are the best of all then. `compared` is the query's, none without a vector.
  bool score_best(const compared_query& compared, std::size_t most, std::size_t window,
                  std::vector<leg_row>& rows) {
    find_best_texts(1);
    if (!s_.vector.empty()) find_best_cosine(compared);
    const double frontier = choose_best(compared, most);
    if (leg_.of == corpus::memories)
      for (const row_no row : s_.said) add(views_.attributes->slot(row));
    score_chosen(rows);
    worst_ = worst_of(rows, window);
    return frontier == 0 || worst_ * rounding_down > frontier * spread_;
  }

  /// Scores every row that can be as good as the worst of the window that score_best() found, or
  /// make one next to it so good.
  void score_rest(const compared_query& compared, std::vector<leg_row>& rows) {
    const double least = worst_ * rounding_down / spread_;
    if (vector_weight_ > 0)
      compared.each_at_least(least / vector_weight_, [&](slot_no slot) { add(slot); });
    each_bounded(
        compared, [&] { return least; },
        [&](std::span<const summed_text> bounds) {
          for (const auto& b : bounds) add({b.slot});
        });
    score_chosen(rows);
  }

private:
  /// At any seq that can be read: whether there are such edges now says nothing of an earlier one.
  static bool was_ever(const read_views& views, edge_type in_order) {
    return !views.order->ever_led_to(in_order).empty();
  }
  [[nodiscard]] double text_part(double text) const {
    return most_text_ == 0 ? 0 : text_weight_ * (text / most_text_);
  }

  [[nodiscard]] double cosine_part(double cosine) const {
    return vector_weight_ * std::max(0.0, cosine);
  }
  /// No text below gives a part of `part`.
  [[nodiscard]] double text_that_gives(double part) const {
    if (part <= 0) return 0;
    if (text_weight_ == 0) return std::numeric_limits<double>::infinity();
    return part * rounding_down / text_weight_ * most_text_;
  }

  /// Is nothing of the tile searched?
  [[nodiscard]] bool is_left_out_here() const {
    return members_.leaves_out({texts_.first()}, {texts_.end()});
  }

  void add(slot_no slot) {
    if (const row_no row = members_.find(slot); row.value != no_number) choice_.add(slot, row);
  }

  /// The best `most` of what is searched by their texts; then the best of all is known.
  best_texts find_best_texts(std::size_t most) {
    best_texts best(most, members_, views_);
    for (texts_.rewind(); texts_.next();)
      if (!is_left_out_here()) best.offer(texts_.at_least(best.least()));
    most_text_ = best.best();
    return best;
  }

  void find_best_cosine(const compared_query& compared) {
    vector_weight_ = s_.weights.vector;
    if (!s_.weights.relative) return;
    const auto nearest = compared.nearest(
        1, [this](slot_no slot) { return members_.contains(slot); }, s_.time.goes_on());
    best_cosine_ = nearest.empty() ? 0 : cosine(nearest.front());
    if (best_cosine_ > 0) vector_weight_ /= best_cosine_;
  }

  /// Calls `visit(bounds)` for the rows that have a word of the query and whose bounds reach
  /// `least()`, tile by tile, with their bounds where their texts are.
  template <class Least, class Visit>
  void each_bounded(const compared_query& compared, const Least& least, const Visit& visit) {
    if (most_text_ == 0) return;
    for (texts_.rewind(); texts_.next();) {
      if (is_left_out_here()) continue;
      const auto cosines = compared.within({texts_.first()}, {texts_.end()});
      const double wanted = least();
      const auto found = texts_.at_least(text_that_gives(wanted - cosine_part(cosines.most())));
      std::size_t count = 0;
      for (const auto& t : found) {
        const double bound = text_part(t.text) + cosine_part(cosines.of({t.slot}));
        if (bound >= wanted) found[count++] = {t.slot, bound};
      }
      visit(found.first(count));
    }
  }

  /// Chooses the `most` rows that are bounded highest; answers what no other row exceeds.
  double choose_best(const compared_query& compared, std::size_t most) {
    best_bounds best(most, members_);
    each_bounded(
        compared, [&] { return best.least(); },
        [&](std::span<summed_text> bounds) { best.offer(bounds); });
    if (vector_weight_ > 0) {
      // What has a word and is not among the best by now will not be by its cosine alone.
      std::vector<slot_no> known;
      for (const auto& row : best.rows()) known.push_back(row.slot);
      std::ranges::sort(known);
      compared.each_at_least(best.least() / vector_weight_, [&](slot_no slot) {
        const double bound = cosine_part(compared.bound_of(slot));
        if (bound > best.least() && !std::ranges::binary_search(known, slot))
          best.offer(slot, bound);
      });
    }
    for (const auto& row : best.rows()) choice_.add(row.slot, row.row);
    return best.least();
  }

  /// Calls `visit(slot, row, is_answer)` for what is searched right before or after a row.
  template <class Visit>
  void each_adjacent(row_no row, edge_direction direction, const Visit& visit) {
    if (late_) return;
    const attributes& columns = *views_.attributes;
    views_.order->neighbours(columns.node(row), direction, s_.context.at, false,
                             [&](const neighbour& n) {
                               const row_no other = members_.find(n.node);
                               if (other.value != no_number)
                                 visit(columns.slot(other), other, n.type == answer_in_order);
                               late_ = !s_.time.check(edges_++);
                               return !late_;
                             });
  }

  /// Adds what is adjacent to the rows of `from`.
  void add_adjacent(const row_choice& from, row_choice& to) {
    for (const auto& c : from.rows())
      for (const auto direction : {edge_direction::in, edge_direction::out})
        each_adjacent(c.row, direction, [&](slot_no slot, row_no row, bool) { to.add(slot, row); });
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
        each_adjacent(c.row, direction, [&](slot_no slot, row_no, bool is_answer) {
          const double score = part_of(slot).raw;
          best = std::max(best, score);
          if (is_answer && direction == edge_direction::in)
            row.answers = std::max(row.answers, score);
        });
        row.neighbours += best;
      }
      row.raw += neighbours_ * row.neighbours + answers_ * row.answers;
      rows.push_back(row);
    }
  }

  static double cosine(const near_hit& hit) { return std::max(0.0, 1.0 - hit.distance); }

  /// Text, cosine and their mix.
  void fill(const row_choice& choice, std::vector<leg_row>& rows) {
    std::vector<slot_no> slots;
    for (const auto& c : choice.rows()) {
      rows.push_back({.row = c.row, .slot = c.slot, .text = texts_.sum_of(c.slot)});
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
    r.match = cosine_weight * r.vector;
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
  word_sums texts_;
  double answers_;     ///< weight of the question; 0 where nothing ever answered one
  double neighbours_;  ///< weight of what is right before and after; 0 where nothing ever was
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
    compared = vector.empty()
                   ? compared_query()
                   : views.vectors->compare(vector, time.goes_on(), slots_over(views, context.at));
  if (auto ok = in_time(); !ok) return ok;
  const bool is_whole = scorer.score_best(*compared, first_share * size, size, leg.rows);
  if (auto ok = in_time(); !ok || is_whole) return ok;
  scorer.score_rest(*compared, leg.rows);
  return in_time();
}

} // namespace mneme
