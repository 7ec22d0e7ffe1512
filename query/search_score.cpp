/// How the parts of a leg's scores come together. Only rows that can be in the window are scored:
/// the best by text, the best by cosine, and what follows or precedes them. When the worst of the
/// window beats whatever any other row can have, the window is what scoring all rows would give;
/// else more rows are scored, in the end all.

#include <algorithm>
#include <limits>

#include "messages/math.hpp"
#include "query/search_state.hpp"

namespace mneme {

namespace {

constexpr std::size_t all_rows = std::numeric_limits<std::size_t>::max();
/// So many times the window's size are scored first, and so many times more then.
constexpr std::size_t first_share = 4;
constexpr std::size_t next_share = 8;

class leg_scorer {
public:
  leg_scorer(const search_state& s, const search_leg& leg, const read_views& views)
      : s_(s),
        leg_(leg),
        views_(views),
        // Whether there are such edges now says nothing of the seq that is read.
        follows_(s.weights.neighbours > 0),
        scored_(leg.found.size(), no_number) {
    for (const auto& f : leg.found) slots_.push_back(f.slot);
  }

  /// Scores the `most` best by text and by cosine, and those next to them. True if the best
  /// `window` of `rows` are the best of all then.
  bool score(std::size_t most, std::size_t window, std::vector<leg_row>& rows) {
    for (const auto& r : rows_) scored_[r] = no_number;
    rows_.clear();
    rows.clear();
    double frontier = add_by_text(most) * text_weight();
    if (!s_.vector.empty()) frontier += add_by_cosine(most) * s_.weights.vector;
    const std::size_t chosen = rows_.size();
    std::size_t whole = chosen;
    if (follows_) {
      add_adjacent(0, chosen);
      whole = rows_.size();
      add_adjacent(chosen, whole);
      frontier *= 1 + 2 * s_.weights.neighbours;
    }
    fill(rows);
    if (follows_) add_neighbours(rows);
    // What stands next to those alone was only needed for their scores.
    if (most != all_rows) rows.resize(whole);
    return most == all_rows || frontier == 0 || worst_of(rows, window) > frontier;
  }

private:
  [[nodiscard]] double text_weight() const { return s_.vector.empty() ? 1.0 : s_.weights.text; }

  void add(std::uint32_t found) {
    if (scored_[found] != no_number) return;
    scored_[found] = static_cast<std::uint32_t>(rows_.size());
    rows_.push_back(found);
  }

  /// Answers the best text of a row that is left out.
  double add_by_text(std::size_t most) {
    std::vector<std::uint32_t> with_text;
    for (std::uint32_t i = 0; i < leg_.texts.size(); ++i)
      if (leg_.texts[i] > 0) with_text.push_back(i);
    double left = 0;
    if (with_text.size() > most) {
      const auto end = with_text.begin() + static_cast<std::ptrdiff_t>(most);
      std::ranges::nth_element(with_text, end, std::ranges::greater(),
                               [&](std::uint32_t i) { return leg_.texts[i]; });
      left = leg_.texts[*end];
      with_text.erase(end, with_text.end());
    }
    for (const std::uint32_t i : with_text) add(i);
    return left;
  }

  /// Answers the best cosine of a row that is left out, as the weights want it.
  double add_by_cosine(std::size_t most) {
    if (most == all_rows) {
      for (std::uint32_t i = 0; i < leg_.found.size(); ++i) add(i);
      return 0;
    }
    const attributes& columns = *views_.attributes;
    const auto id_of = [&](slot_no slot) {
      return views_.nodes->id(columns.node(leg_.found[leg_.place[slot.value]].row));
    };
    const auto nearest = views_.vectors->nearest_of(s_.vector, slots_, most, id_of);
    for (const auto& hit : nearest) add(leg_.place[hit.slot.value]);
    best_cosine_ = nearest.empty() ? 0 : cosine(nearest.front());
    const double least = nearest.size() < most ? 0 : cosine(nearest.back());
    return s_.weights.relative && best_cosine_ > 0 ? least / best_cosine_ : least;
  }

  /// Adds what was found right before and right after each of rows_[first, end).
  void add_adjacent(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i)
      for (const auto direction : {edge_direction::in, edge_direction::out})
        each_adjacent(rows_[i], direction, [&](std::uint32_t found) { add(found); });
  }

  template <class Visit>
  void each_adjacent(std::uint32_t found, edge_direction direction, const Visit& visit) const {
    const attributes& columns = *views_.attributes;
    const node_no node = columns.node(leg_.found[found].row);
    views_.order->neighbours(node, direction, s_.context.at, false, [&](const neighbour& n) {
      const row_no row = columns.row_of(n.node, s_.context.at);
      if (row.value == no_number) return true;
      const std::uint32_t slot = columns.slot(row).value;
      const std::uint32_t place = slot < leg_.place.size() ? leg_.place[slot] : no_number;
      if (place != no_number) visit(place);
      return true;
    });
  }

  static double cosine(const near_hit& hit) { return std::max(0.0, 1.0 - hit.distance); }

  /// Text, cosine and their mix.
  void fill(std::vector<leg_row>& rows) {
    std::vector<slot_no> slots;
    for (const std::uint32_t i : rows_) {
      rows.push_back({.row = leg_.found[i].row, .slot = leg_.found[i].slot, .text = leg_.texts[i]});
      slots.push_back(leg_.found[i].slot);
    }
    if (s_.vector.empty()) {
      for (auto& r : rows) r.raw = r.text;
      return;
    }
    const auto distances = views_.vectors->distances(s_.vector, slots);
    std::size_t next = 0;
    for (auto& r : rows) {
      if (next == distances.size()) break;
      if (distances[next].slot == r.slot) r.vector = cosine(distances[next++]);
      best_cosine_ = std::max(best_cosine_, r.vector);
    }
    const search_weights& w = s_.weights;
    for (auto& r : rows) {
      if (w.relative && best_cosine_ > 0) r.vector /= best_cosine_;
      r.raw = w.vector * r.vector + w.text * r.text;
    }
  }

  /// The best score among the rows right before each row, and the best right after it.
  void add_neighbours(std::vector<leg_row>& rows) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (const auto direction : {edge_direction::in, edge_direction::out}) {
        double best = 0;
        each_adjacent(rows_[i], direction, [&](std::uint32_t found) {
          if (scored_[found] != no_number) best = std::max(best, rows[scored_[found]].raw);
        });
        rows[i].neighbours += best;
      }
    for (auto& r : rows) r.raw += s_.weights.neighbours * r.neighbours;
  }

  static double worst_of(const std::vector<leg_row>& rows, std::size_t window) {
    if (rows.size() < window) return 0;
    std::vector<double> scores;
    for (const auto& r : rows) scores.push_back(r.raw);
    const auto last = scores.begin() + static_cast<std::ptrdiff_t>(window - 1);
    std::ranges::nth_element(scores, last, std::ranges::greater());
    return *last;
  }

  const search_state& s_;
  const search_leg& leg_;
  const read_views& views_;
  bool follows_; ///< what is right before and after a row counts
  std::vector<slot_no> slots_;
  std::vector<std::uint32_t> scored_; ///< by place in found: place in rows_, or no_number
  std::vector<std::uint32_t> rows_;   ///< places in found
  double best_cosine_ = 0;
};

} // namespace

result<void> search_state::score_rows(search_leg& leg, const read_views& views) const {
  leg_scorer scorer(*this, leg, views);
  const auto size = static_cast<std::size_t>(window());
  for (std::size_t most = first_share * size;; most *= next_share) {
    const bool is_most = most >= leg.found.size() / 2;
    if (scorer.score(is_most ? all_rows : most, size, leg.rows)) return {};
    if (auto ok = check_deadline(); !ok) return ok;
  }
}

} // namespace mneme
