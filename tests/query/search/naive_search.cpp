#include "tests/query/search/naive_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "index/vectors/vectors.hpp"
#include "query/asked_words.hpp"
#include "query/search/asked_alone.hpp"
#include "query/search/asked_identifiers.hpp"
#include "query/search/asked_times.hpp"
#include "query/search/question_share.hpp"

namespace mneme::testing {

namespace {

struct scored {
  const naive_row* row;
  double bm25 = 0;
  double cosine = 0;
  double raw = 0;
  double mixed = 0;
  double score = 0;
  double dated = 0;
  bool named = false;
  std::optional<memory_id> older_of{};
};

class naive_leg {
public:
  naive_leg(const naive_world& world, const search_request& r, const search_weights& w,
            timestamp now, bool chunks)
      : world_(world), r_(r), w_(w), now_(now), chunks_(chunks) {}

  std::vector<scored> run(leg_coverage& coverage, bool& raw_floor) {
    read_question();
    find_of_time();
    choose(coverage);
    find_said();
    score();
    const bool is_asked_alone = of_time_ || !said_.empty();
    if (is_asked_alone) add_circumstances();
    std::erase_if(rows_, [](const scored& s) { return s.raw <= 0; });
    sort([](const scored& s) { return s.raw; });
    if (rows_.size() > window()) rows_.resize(window());
    coverage.candidates = static_cast<std::int64_t>(rows_.size());
    if (!chunks_ && !is_asked_alone) add_circumstances();
    raw_floor = rows_.size() < 3;
    if (chunks_ && !r_.include_low_relevance)
      coverage.below_floor += drop([](const scored& s) { return s.raw < 0.3; });
    normalise();
    if (chunks_) {
      sort([](const scored& s) { return s.score; });
      std::map<std::string, int> seen;
      coverage.cut += drop([&](const scored& s) { return ++seen[s.row->path] > 2; });
    }
    if (of_time_) return rows_;
    double best = 0;
    for (const auto& s : rows_) best = std::max(best, s.raw);
    coverage.below_floor += drop([&](const scored& s) {
      const bool is_good = s.raw >= std::max(0.5, r_.similarity_floor) * best;
      return (raw_floor ? s.raw : s.score) < r_.similarity_floor && !is_good
             && !said_.contains(s.row->id);
    });
    return rows_;
  }

  [[nodiscard]] bool holds(const naive_row& row) const { return !superseded(row) && !ended(row); }

private:
  static bool live(const naive_row& row) { return !row.tombstoned; }
  static bool held(const naive_row& row) { return live(row) || row.past_since; }
  [[nodiscard]] bool visible(const naive_row& row) const {
    return !r_.actor || row.actor == *r_.actor || row.is_public;
  }
  [[nodiscard]] bool of_leg(const naive_row& row) const {
    return (row.type == memory_type::chunk) == chunks_;
  }
  [[nodiscard]] bool may_hide(const naive_row& newer, const naive_row& older) const {
    return held(newer) && visible(newer) && begun(newer)
           && (newer.actor == older.actor || newer.actor.empty())
           && (!r_.min_trust || trust(newer) >= *r_.min_trust);
  }
  [[nodiscard]] bool superseded(const naive_row& row) const {
    if (row.past_since && (!r_.as_of || *row.past_since <= *r_.as_of)) return true;
    for (const auto& [id, other] : world_.rows)
      if (other.type == memory_type::decision && may_hide(other, row) && other.reference == row.id
          && id != row.id)
        return true;
    return std::ranges::any_of(world_.supersedes, [&](const auto& edge) {
      const auto newer = world_.rows.find(edge.first.first);
      return edge.second && edge.first.second == row.id && newer != world_.rows.end()
             && may_hide(newer->second, row);
    });
  }
  [[nodiscard]] bool passes(const naive_row& row) const {
    const auto& s = row.state;
    const bool asks_archived = !chunks_ && r_.status == search_status::archived;
    if (s.status == lifecycle_status::archived && !r_.include_archived && !asks_archived)
      return false;
    if (chunks_) return !r_.source_filter || row.path.contains(*r_.source_filter);
    if (r_.type && row.type != *r_.type) return false;
    if (r_.project && s.project != *r_.project) return false;
    if (r_.tag && std::ranges::count(row.tags, *r_.tag) == 0) return false;
    if (r_.due_before && (!s.due_date || *s.due_date > *r_.due_before)) return false;
    if (r_.status == search_status::overdue) {
      if (!s.status || *s.status > lifecycle_status::scheduled || !s.due_date
          || *s.due_date >= now_)
        return false;
    } else if (r_.status
               && (!s.status || static_cast<int>(*s.status) != static_cast<int>(*r_.status))) {
      return false;
    }
    return true;
  }
  [[nodiscard]] bool begun(const naive_row& row) const {
    return !r_.as_of || row.valid_from <= *r_.as_of;
  }
  [[nodiscard]] bool ended(const naive_row& row) const {
    const timestamp by = r_.as_of.value_or(now_);
    return (row.valid_until && *row.valid_until <= by) || (row.expires_at && *row.expires_at <= by);
  }
  [[nodiscard]] bool promoted(const naive_row& row) const {
    if (!row.reference) return false;
    const auto to = world_.rows.find(*row.reference);
    return to != world_.rows.end() && live(to->second) && visible(to->second);
  }

  /// The least of all that it rests on, met in whatever order.
  [[nodiscard]] double trust(const naive_row& row) const {
    std::set<memory_id> met{row.id};
    for (bool is_more = true; is_more;) {
      is_more = false;
      for (const auto& [edge, is_live] : world_.derived)
        if (is_live && met.contains(edge.first)) is_more |= met.insert(edge.second).second;
    }
    double least = 1;
    for (const auto& id : met) least = std::min(least, world_.rows.at(id).trust);
    return least;
  }

  [[nodiscard]] bool is_asked(const std::string& tag) const {
    return w_.speakers > 0 && tag.starts_with("speaker:")
           && (" " + who_ + " ").contains(" " + tag.substr(8) + " ");
  }
  [[nodiscard]] bool is_named(const naive_row& row) const {
    return std::ranges::any_of(row.tags, [&](const auto& tag) { return is_asked(tag); });
  }
  [[nodiscard]] bool is_there(const naive_row& row) const {
    return row.type != memory_type::chunk && held(row) && visible(row);
  }
  [[nodiscard]] is_name_check is_name() const {
    return [this](const std::string& word) {
      return std::ranges::any_of(world_.rows, [&](const auto& one) {
        return is_there(one.second) && std::ranges::any_of(one.second.tags, [&](const auto& tag) {
                 return is_asked(tag) && (" " + tag.substr(8) + " ").contains(" " + word + " ");
               });
      });
    };
  }
  /// What the question says of when and by whom.
  void read_question() {
    who_ = r_.query;
    if (chunks_) return;
    if (w_.dates > 0) times_ = asked_times(r_.query, now_);
    if (times_.empty()) return;
    if (times_.only_word().empty()) {
      who_.clear();
      for (const auto& word : times_.other_words()) who_ += (who_.empty() ? "" : " ") + word;
    } else if (names_somebody(times_.only_word(), is_name())) {
      times_ = asked_times();
    }
  }
  /// Of a question of a speaker alone, the newest of what he said.
  void find_said() {
    const bool any = std::ranges::any_of(
        world_.rows, [&](const auto& one) { return is_there(one.second) && is_named(one.second); });
    if (chunks_ || !any || !times_.empty()
        || !asks_of_speaker_alone(asked_words(r_.query), is_name(), true))
      return;
    std::vector<scored> said;
    for (const auto& s : rows_)
      if (is_named(*s.row)) said.push_back(s);
    std::ranges::sort(said, [](const scored& a, const scored& b) {
      if (a.row->created_at != b.row->created_at) return a.row->created_at > b.row->created_at;
      return a.row->id < b.row->id;
    });
    if (said.size() > window()) said.resize(window());
    for (const auto& s : said) said_.insert(s.row->id);
  }
  [[nodiscard]] std::size_t window() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(4 * r_.limit, 50));
  }
  /// Of a question of a time alone, what is of that time, and said by whom it names.
  void find_of_time() {
    if (chunks_ || !asks_of_time_alone(times_, is_name())) return;
    std::set<memory_id> then;
    std::set<memory_id> said;
    bool any_then = false;
    bool any_said = false;
    for (const auto& [id, row] : world_.rows) {
      if (!is_there(row) || !times_.contains(row.created_at)) continue;
      const bool is_in = passes(row) && begun(row) && (r_.include_ended || !ended(row))
                         && (!r_.min_trust || trust(row) >= *r_.min_trust)
                         && (r_.include_archived || r_.include_ended || !superseded(row));
      then.insert(id);
      any_then = any_then || is_in;
      if (!is_named(row)) continue;
      said.insert(id);
      any_said = any_said || is_in;
    }
    if (any_said)
      of_time_ = said;
    else if (any_then)
      of_time_ = then;
  }

  void choose(leg_coverage& coverage) {
    for (const auto& [id, row] : world_.rows) {
      if (of_time_ && !of_time_->contains(id)) continue;
      if (!of_leg(row) || !held(row) || !visible(row) || !passes(row)) continue;
      if (!begun(row)) continue;
      const bool is_over = !r_.include_ended && ended(row);
      const bool is_distrusted = r_.min_trust && trust(row) < *r_.min_trust;
      const bool is_replaced = !r_.include_archived && !r_.include_ended && superseded(row);
      if (is_over || is_distrusted || is_replaced) {
        if (!is_distrusted && !is_replaced) ++coverage.ended;
        if (!is_over && !is_replaced) ++coverage.distrusted;
        if (!is_over && !is_distrusted) ++coverage.superseded;
        continue;
      }
      if (chunks_ && promoted(row)) {
        ++coverage.promoted_hidden;
        continue;
      }
      rows_.push_back({.row = &row, .older_of = {}});
    }
    coverage.searched = static_cast<std::int64_t>(rows_.size());
  }

  void score() {
    const auto terms = distinct_terms(r_.query, default_language);
    std::vector<std::vector<std::string>> corpus;
    double length = 0;
    for (const auto& [id, row] : world_.rows)
      if (of_leg(row) && held(row)) {
        corpus.push_back(text_terms(row.text));
        length += static_cast<double>(corpus.back().size());
      }
    const double n = static_cast<double>(corpus.size());
    double searched_length = 0;
    for (const auto& s : rows_)
      searched_length += static_cast<double>(text_terms(s.row->text).size());
    const double along =
        std::clamp((searched_length / static_cast<double>(rows_.size()) - w_.short_length)
                       / (w_.long_length - w_.short_length),
                   0.0, 1.0);
    const double b = w_.b_short + (w_.b - w_.b_short) * along;
    double most_text = 0;
    double most_cosine = 0;
    for (auto& s : rows_) {
      const auto words = text_terms(s.row->text);
      for (const auto& term : terms) {
        const double df = static_cast<double>(std::ranges::count_if(
            corpus, [&](const auto& d) { return std::ranges::count(d, term) != 0; }));
        const auto tf = static_cast<double>(std::ranges::count(words, term));
        if (tf == 0) continue;
        const double all = n + 30; // so many more are thought of
        const double idf = std::log(1 + (all - df + 0.5) / (df + 0.5))
                           * (is_function_term(term) ? w_.function_words : 1)
                           / (1 + w_.common_words * df / all);
        s.bm25 += idf * tf * (w_.k1 + 1)
                  / (tf + w_.k1 * (1 - b + b * static_cast<double>(words.size()) / (length / n)));
      }
      most_text = std::max(most_text, s.bm25);
      if (r_.vector && !s.row->vector.empty())
        s.cosine = std::max(0.0, 1 - cosine_distance(*r_.vector, s.row->vector));
      most_cosine = std::max(most_cosine, s.cosine);
    }
    std::map<memory_id, double> base;
    for (auto& s : rows_) {
      if (most_text > 0) s.bm25 /= most_text;
      if (w_.relative && most_cosine > 0) s.cosine /= most_cosine;
      base[s.row->id] = s.raw = r_.vector ? w_.vector * s.cosine + w_.text * s.bm25 : s.bm25;
    }
    for (auto& s : rows_) {
      double before = 0;
      double after = 0;
      double asked = 0;
      for (const auto& [edge, is_live] : world_.next) {
        if (!is_live) continue;
        if (edge.first == s.row->id && base.contains(edge.second))
          after = std::max(after, base[edge.second]);
        if (edge.second == s.row->id && base.contains(edge.first))
          before = std::max(before, base[edge.first]);
        const auto answer = world_.answers.find(edge);
        if (edge.second == s.row->id && base.contains(edge.first) && answer != world_.answers.end()
            && answer->second)
          asked = std::max(asked, base[edge.first]);
      }
      s.raw += w_.neighbours * (before + after) + w_.answers * asked;
    }
  }

  void add_circumstances() {
    for (auto& s : rows_) {
      s.dated = times_.fit(s.row->created_at);
      s.raw += w_.dates * s.dated;
      s.named = is_named(*s.row);
      if (s.named) s.raw += w_.speakers;
    }
  }

  void normalise() {
    if (rows_.empty()) return;
    double least = 1e9;
    double most = -1e9;
    for (auto& s : rows_) {
      const double age_days =
          static_cast<double>(std::max<std::int64_t>(0, now_.ns - s.row->created_at.ns)) / 86'400e9;
      s.mixed = r_.sort == search_sort::hybrid && !chunks_
                    ? 0.7 * s.raw + 0.3 * std::exp2(-age_days / 90)
                    : s.raw;
      least = std::min(least, s.mixed);
      most = std::max(most, s.mixed);
    }
    for (auto& s : rows_) s.score = most > least ? (s.mixed - least) / (most - least) : 1.0;
  }

  template <class By>
  void sort(By by) {
    std::ranges::sort(rows_, [&](const scored& a, const scored& b) {
      if (by(a) != by(b)) return by(a) > by(b);
      if (a.row->created_at != b.row->created_at) return a.row->created_at > b.row->created_at;
      return a.row->id < b.row->id;
    });
  }
  template <class Test>
  std::int64_t drop(Test test) {
    std::int64_t dropped = 0;
    std::vector<scored> kept;
    for (const auto& s : rows_) {
      if (test(s))
        ++dropped;
      else
        kept.push_back(s);
    }
    rows_ = std::move(kept);
    return dropped;
  }

  const naive_world& world_;
  const search_request& r_;
  const search_weights& w_;
  timestamp now_;
  bool chunks_;
  asked_times times_;
  std::string who_; ///< the words by which somebody may be named
  std::optional<std::set<memory_id>> of_time_;
  std::set<memory_id> said_;
  std::vector<scored> rows_;
};

/// Have both a third of what the shorter one tells, by how rare its words are?
bool are_alike(const scored& a, const scored& b, const naive_world& world) {
  std::vector<std::set<std::string>> corpus;
  for (const auto& [id, row] : world.rows) {
    const auto words = text_terms(row.text);
    if (row.type != memory_type::chunk && (!row.tombstoned || row.past_since))
      corpus.emplace_back(words.begin(), words.end());
  }
  const auto tells = [&](const std::string& term) {
    const auto with =
        std::ranges::count_if(corpus, [&](const auto& words) { return words.contains(term); });
    return std::log(1 + static_cast<double>(corpus.size()) / (static_cast<double>(with) + 1));
  };
  const auto distinct = [](const scored& s) {
    const auto words = text_terms(s.row->text);
    return std::set<std::string>(words.begin(), words.end());
  };
  const auto left = distinct(a);
  const auto right = distinct(b);
  double shared = 0;
  double of_left = 0;
  double of_right = 0;
  for (const auto& term : left) of_left += tells(term);
  for (const auto& term : right) of_right += tells(term);
  for (const auto& term : left) shared += right.contains(term) ? tells(term) : 0;
  return shared + 1e-9 >= 0.3 * std::min(of_left, of_right);
}

/// Does `a` say what `b` says of the question, later?
bool is_newer(const scored& a, const scored& b, const search_request& r, const search_weights& w,
              const naive_world& world, timestamp now) {
  if (a.row->valid_from > r.as_of.value_or(now)) return false;
  if (a.row->type == memory_type::chunk || b.row->type == memory_type::chunk) return false;
  if (a.row->actor != b.row->actor && !a.row->actor.empty()) return false;
  const asked_identifiers named(r.query, default_language);
  const bool same_names = named.whole_in(a.row->text) == named.whole_in(b.row->text);
  if (r.include_ended || r.include_archived) {
    const naive_leg leg(world, r, w, now, false);
    if (leg.holds(*a.row) != leg.holds(*b.row))
      return leg.holds(*a.row) && same_names && are_alike(a, b, world);
  }
  if (a.row->valid_from <= b.row->valid_from) return false;
  if (a.raw < w.newer * b.raw || a.dated < b.dated || (b.named && !a.named)) return false;
  std::set<std::string> asked;
  for (const auto& t : distinct_terms(r.query, default_language))
    if (!is_function_term(t)) asked.insert(t);
  const auto ours = text_terms(a.row->text);
  const auto theirs = text_terms(b.row->text);
  std::erase_if(asked, [&](const auto& t) { return std::ranges::count(theirs, t) == 0; });
  if (!same_names) return false;
  if (!are_alike(a, b, world)) return false;
  return asked.size() >= 2 && std::ranges::all_of(asked, [&](const auto& t) {
           return std::ranges::count(ours, t) != 0;
         });
}

/// Among the first ten, each moves before the first that it is newer than.
void newer_first(std::vector<scored>& hits, const search_request& r, const search_weights& w,
                 const naive_world& world, timestamp now) {
  for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), 10); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (is_newer(hits[i], hits[j], r, w, world, now)) {
        scored moved = hits[i];
        moved.score = hits[j].score;
        hits.erase(hits.begin() + static_cast<std::ptrdiff_t>(i));
        hits.insert(hits.begin() + static_cast<std::ptrdiff_t>(j), moved);
        break;
      }
  for (std::size_t i = 0; i < std::min<std::size_t>(hits.size(), 10); ++i)
    for (std::size_t j = 0; j < i && !hits[i].older_of; ++j)
      if (is_newer(hits[j], hits[i], r, w, world, now)) hits[i].older_of = hits[j].row->id;
}

} // namespace

naive_answer search_naively(const naive_world& world, const search_request& r,
                            const search_weights& w, timestamp now) {
  naive_answer answer;
  bool raw_floor = false;
  std::vector<scored> all;
  if (r.source != search_source::content)
    all = naive_leg(world, r, w, now, false).run(answer.memory, raw_floor);
  if (r.source != search_source::memory) {
    const auto chunks = naive_leg(world, r, w, now, true).run(answer.content, raw_floor);
    all.insert(all.end(), chunks.begin(), chunks.end());
  }
  const auto is_chunk = [](const scored& s) { return s.row->type == memory_type::chunk; };
  const bool by_time = r.sort == search_sort::recency || r.sort == search_sort::updated;
  std::ranges::sort(all, [&](const scored& a, const scored& b) {
    if (by_time) {
      if (is_chunk(a) != is_chunk(b)) return is_chunk(b);
      const auto time = [&](const scored& s) {
        return r.sort == search_sort::updated ? s.row->updated_at : s.row->created_at;
      };
      if (!is_chunk(a) && time(a) != time(b)) return time(a) > time(b);
    }
    if (a.score != b.score) return a.score > b.score;
    if (is_chunk(a) != is_chunk(b)) return is_chunk(b);
    if (a.row->created_at != b.row->created_at) return a.row->created_at > b.row->created_at;
    return a.row->id < b.row->id;
  });
  if (!by_time && w.newer > 0) newer_first(all, r, w, world, now);
  while (static_cast<std::int64_t>(all.size()) > r.limit) {
    ++(is_chunk(all.back()) ? answer.content : answer.memory).cut;
    all.pop_back();
  }
  for (const auto& s : all) {
    ++(is_chunk(s) ? answer.content : answer.memory).returned;
    answer.hits.push_back({s.row->id, s.score, s.raw, s.older_of});
  }
  return answer;
}

} // namespace mneme::testing
