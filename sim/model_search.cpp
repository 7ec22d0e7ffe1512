/// Search by its definition: every text is split into terms again, every row scored.

#include <algorithm>
#include <array>
#include <map>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "index/vectors/vectors.hpp"
#include "messages/math.hpp"
#include "messages/text/forms.hpp"
#include "query/asked_words.hpp"
#include "query/search/asked_alone.hpp"
#include "query/search/asked_identifiers.hpp"
#include "query/search/asked_speakers.hpp"
#include "query/search/asked_times.hpp"
#include "query/search/question_share.hpp"
#include "sim/model_lineage.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

struct scored_row {
  memory record;
  std::vector<std::string> terms;
  double text = 0;
  double vector = 0;
  double neighbours = 0;
  double answers = 0;
  double raw = 0;
  double match = 0;
  double dates = 0;
  bool is_said = false;      ///< by who is named in the question
  bool is_all_asked = false; ///< of the time, or by the speaker, that is all that is asked for
  std::optional<memory_id> older_of{};
  double recency = 0;
  double mixed = 0;
  double score = 0;
};

std::vector<std::string> terms_of(const searched_state& s, const memory_id& id) {
  return text_terms(s.state.text_at(id, s.at));
}

/// Those that the request changes are ones that can be changed.
search_weights weights_of(const searched_state& s) {
  const search_weights own = s.state.search_at(s.at);
  return s.r.weights ? *change_search_weights(own, *s.r.weights) : own;
}

class leg {
public:
  leg(const searched_state& s, bool chunks, const std::vector<float>& query, search_sort sort)
      : s_(s), r_(s.r), w_(weights_of(s)), chunks_(chunks), query_(query), sort_(sort) {}

  leg_coverage coverage;

  /// What is still in the answer, before the floor under normalised scores.
  std::vector<scored_row> run() {
    choose();
    score_texts();
    score();
    narrow();
    return std::move(rows_);
  }
  [[nodiscard]] bool is_under_floor(const scored_row& row) const {
    return !row.is_all_asked && (is_few_ ? row.raw : row.score) < r_.similarity_floor
           && row.raw < std::max(0.5, r_.similarity_floor) * best_;
  }

  /// Terms of each live one of the leg, once it ran.
  [[nodiscard]] const std::vector<std::vector<std::string>>& corpus() const { return corpus_; }

private:
  [[nodiscard]] bool passes(const memory& m) const {
    const lifecycle l = state_of(m.head);
    // The status is asked of memories alone: it opens no archived chunks.
    const bool asks_archived = !chunks_ && r_.status == search_status::archived;
    if (l.status == lifecycle_status::archived && !r_.include_archived && !asks_archived)
      return false;
    if (r_.audience == search_audience::personal && l.audience != lifecycle_audience::personal)
      return false;
    if (r_.audience == search_audience::work && l.audience != lifecycle_audience::work)
      return false;
    if (chunks_) {
      const bool github = text_in(m.version, "source_type") == "github";
      if (r_.content_source && (*r_.content_source == chunk_source::github) != github) return false;
      return !r_.source_filter || text_in(m.version, "path").contains(*r_.source_filter);
    }
    if (r_.type && m.head->type != *r_.type) return false;
    if (r_.project && (r_.project->empty() || l.project != *r_.project)) return false;
    if (r_.origin && l.origin != r_.origin) return false;
    if (r_.atomic_only && !l.atomic) return false;
    const auto has_tag = [&](std::string_view tag) {
      return std::ranges::find(m.head->tags, tag) != m.head->tags.end();
    };
    if (r_.tag && !has_tag(*r_.tag)) return false;
    if (r_.status == search_status::overdue) {
      if (!is_overdue(l, s_.now)) return false;
    } else if (r_.status
               && (!l.status || static_cast<int>(*l.status) != static_cast<int>(*r_.status))) {
      return false;
    }
    if (r_.due_after && (!l.due_date || *l.due_date < *r_.due_after)) return false;
    if (r_.due_before && (!l.due_date || *l.due_date > *r_.due_before)) return false;
    return true;
  }
  [[nodiscard]] bool is_overview(const memory& m) const {
    return m.head->type == memory_type::topic && !r_.include_overviews
           && std::ranges::find(m.head->tags, "import:overview") != m.head->tags.end()
           && r_.tag != "import:overview";
  }

  [[nodiscard]] bool is_there(const memory& m) const {
    return m.head->type != memory_type::chunk && sees(viewer_of(r_), m.head);
  }
  /// By whom the asker sees.
  [[nodiscard]] is_name_check is_name() const {
    return [this](const std::string& word) {
      return std::ranges::any_of(s_.live, [&](const auto& one) {
        return is_there(one.second) && names_speaker(*one.second.head, &word);
      });
    };
  }
  /// What the question says of when and by whom. The workload names no roles.
  void read_question() {
    who_ = r_.query;
    if (chunks_) return;
    if (w_.dates > 0) times_ = asked_times(r_.query, s_.now);
    if (times_.empty()) return;
    if (times_.only_word().empty()) {
      who_.clear();
      for (const auto& word : times_.other_words()) who_ += word + " ";
    } else if (names_somebody(times_.only_word(), is_name())) {
      times_ = asked_times();
    }
  }
  /// Of a question of a speaker alone, the newest of what he said.
  void find_said() {
    const bool any = std::ranges::any_of(s_.live, [&](const auto& one) {
      return is_there(one.second) && names_speaker(*one.second.head);
    });
    if (chunks_ || !any || !times_.empty()
        || !asks_of_speaker_alone(asked_words(r_.query), is_name(), true))
      return;
    std::vector<const memory*> said;
    for (const auto& row : rows_)
      if (names_speaker(*row.record.head)) said.push_back(&row.record);
    std::ranges::sort(said, [](const memory* a, const memory* b) {
      if (a->head->created_at != b->head->created_at)
        return a->head->created_at > b->head->created_at;
      return a->head->id < b->head->id;
    });
    if (said.size() > window()) said.resize(window());
    for (const memory* m : said) said_.insert(m->head->id);
  }
  [[nodiscard]] std::size_t window() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(4 * r_.limit, 50));
  }

  /// Of a question of a time alone, what is of that time, and said by whom it names.
  void find_of_time() {
    if (chunks_ || s_.only != nullptr || !asks_of_time_alone(times_, is_name())) return;
    std::set<memory_id> then;
    std::set<memory_id> said;
    bool any_then = false;
    bool any_said = false;
    for (const auto& [id, m] : s_.live) {
      if (!is_there(m) || !times_.contains(m.head->created_at)) continue;
      const bool is_in =
          s_.has_begun(m.version) && passes(m)
          && (!r_.stale || standing_in(s_.state, id, s_.at).stale == *r_.stale)
          && (r_.include_ended || !s_.has_ended(m.version)) && !s_.past_topics.contains(id)
          && (!r_.min_trust || trust_in(s_.state, id, s_.at) >= *r_.min_trust) && !is_overview(m)
          && (r_.include_archived || r_.include_ended || !s_.is_superseded(id));
      then.insert(id);
      any_then = any_then || is_in;
      if (!names_speaker(*m.head)) continue;
      said.insert(id);
      any_said = any_said || is_in;
    }
    if (any_said)
      of_time_ = said;
    else if (any_then)
      of_time_ = then;
  }

  void choose() {
    read_question();
    find_of_time();
    std::set<std::string> paths;
    for (const auto& [id, m] : s_.live) {
      if ((m.head->type == memory_type::chunk) != chunks_) continue;
      corpus_.push_back(terms_of(s_, id));
      if (!sees(viewer_of(r_), m.head)) continue;
      const std::string path = chunks_ ? text_in(m.version, "path") : std::string();
      if (!path.empty()) paths.insert(path);
      if (s_.only != nullptr && !s_.only->contains(id)) continue;
      if (of_time_ && !of_time_->contains(id)) continue;
      if (!s_.has_begun(m.version) || !passes(m)) continue;
      if (r_.stale && standing_in(s_.state, id, s_.at).stale != *r_.stale) continue;
      const bool has_ended =
          (!r_.include_ended && s_.has_ended(m.version)) || s_.past_topics.contains(id);
      const bool is_distrusted = r_.min_trust && trust_in(s_.state, id, s_.at) < *r_.min_trust;
      const bool is_overview_left_out = !chunks_ && is_overview(m);
      const bool is_superseded = !r_.include_archived && !r_.include_ended && s_.is_superseded(id);
      if (has_ended + is_distrusted + is_overview_left_out + is_superseded > 1) continue;
      if (has_ended)
        ++coverage.ended;
      else if (is_distrusted)
        ++coverage.distrusted;
      else if (is_overview_left_out)
        ++coverage.overviews;
      else if (is_superseded)
        ++coverage.superseded;
      else if (chunks_ && s_.is_promoted(m))
        ++coverage.promoted_hidden;
      else
        rows_.push_back({.record = m, .terms = corpus_.back()});
    }
    coverage.searched = static_cast<std::int64_t>(rows_.size());
    coverage.indexed_sources = static_cast<std::int64_t>(paths.size());
    find_said();
  }

  void score_texts() {
    const auto asked = distinct_terms(r_.query, default_language);
    double all_length = 0;
    double length = 0;
    for (const auto& d : corpus_) all_length += static_cast<double>(d.size());
    for (const auto& row : rows_) length += static_cast<double>(row.terms.size());
    if (rows_.empty() || all_length == 0) return;
    const double along = std::clamp((length / static_cast<double>(rows_.size()) - w_.short_length)
                                        / (w_.long_length - w_.short_length),
                                    0.0, 1.0);
    const double b = w_.b_short + (w_.b - w_.b_short) * along;
    const double mean = all_length / static_cast<double>(corpus_.size());
    double whole = 0;
    for (const auto& term : asked) {
      const auto with = static_cast<double>(std::ranges::count_if(
          corpus_, [&](const auto& d) { return std::ranges::find(d, term) != d.end(); }));
      const auto all = static_cast<double>(corpus_.size() + 30); // so many more are thought of
      const double share =
          (is_function_term(term) ? w_.function_words : 1) / (1 + w_.common_words * (with / all));
      const double idf = stable_log(1.0 + (all - with + 0.5) / (with + 0.5)) * share;
      const double weight = is_function_term(term) ? w_.function_words : 1;
      whole += weight;
      for (auto& row : rows_) {
        const auto tf = static_cast<double>(std::ranges::count(row.terms, term));
        if (tf > 0 || is_of_name(term, *row.record.head)) row.match += weight;
        if (tf == 0) continue;
        row.text +=
            idf * (w_.k1 + 1) * tf
            / (tf + w_.k1 * (1 - b) + w_.k1 * b / mean * static_cast<double>(row.terms.size()));
      }
    }
    double most = 0;
    for (auto& row : rows_) {
      if (whole > 0) row.match = std::min(1.0, row.match / whole);
      most = std::max(most, row.text);
    }
    if (most > 0)
      for (auto& row : rows_) row.text /= most;
  }

  void score() {
    double most = 0;
    for (auto& row : rows_) {
      const auto v = s_.state.vector_at(row.record.head->id, s_.at);
      if (!query_.empty() && !v.empty())
        row.vector = std::max(0.0, 1.0 - cosine_distance(query_, v));
      row.match = std::max(row.match, 0.8 * row.vector);
      most = std::max(most, row.vector);
    }
    std::map<memory_id, double> own;
    for (auto& row : rows_) {
      if (w_.relative && most > 0) row.vector /= most;
      row.raw = query_.empty() ? row.text : w_.vector * row.vector + w_.text * row.text;
      own[row.record.head->id] = row.raw;
    }
    const auto best = [&](const std::vector<edge_record>& edges, bool incoming, bool any) {
      double found = 0;
      for (const auto& e : edges) {
        const auto other = own.find(incoming ? e.key.src : e.key.dst);
        const bool is_kind = e.kind == "answer" || (any && e.kind == "next");
        if (!e.tombstoned && e.key.type == edge_type::related_to && is_kind && other != own.end())
          found = std::max(found, other->second);
      }
      return found;
    };
    for (auto& row : rows_) {
      const memory_id& id = row.record.head->id;
      const auto before = s_.state.edges_in(id, s_.at);
      row.neighbours = best(before, true, true) + best(s_.state.edges_out(id, s_.at), false, true);
      row.answers = best(before, true, false);
      row.raw += w_.neighbours * row.neighbours + w_.answers * row.answers;
      const auto age = static_cast<double>(
          std::max<std::int64_t>(0, s_.now.ns - row.record.head->created_at.ns));
      row.recency = stable_exp(-0.693147180559945309417 * (age / (90.0 * 86'400e9)));
    }
  }

  template <class Value>
  void sort_by(Value value) {
    std::ranges::sort(rows_, [&](const scored_row& a, const scored_row& b) {
      if (value(a) != value(b)) return value(a) > value(b);
      if (a.record.head->created_at != b.record.head->created_at)
        return a.record.head->created_at > b.record.head->created_at;
      return a.record.head->id < b.record.head->id;
    });
  }
  template <class Test>
  std::int64_t drop(Test test) {
    return static_cast<std::int64_t>(std::erase_if(rows_, test));
  }

  /// The names by which the question means whoever said it, in folded words.
  [[nodiscard]] std::vector<std::vector<std::string>> names_asked(const head& h) const {
    static const std::string prefix = "speaker:";
    std::vector<std::vector<std::string>> found;
    if (!(w_.speakers > 0)) return found;
    const auto words = folded_words(who_);
    const auto is_asked = [&](const std::string& word) {
      return std::ranges::find(words, word) != words.end();
    };
    const bool is_mine = is_asked("i") || is_asked("me") || is_asked("my") || is_asked("mine");
    for (const auto& tag : h.tags) {
      if (!tag.starts_with(prefix)) continue;
      auto name = folded_words(tag.substr(prefix.size()));
      const bool is_role = name == std::vector<std::string>{"user"};
      if (is_role ? is_mine
                  : !name.empty() && name.size() <= most_name_words
                        && !std::ranges::search(words, name).empty())
        found.push_back(std::move(name));
    }
    return found;
  }
  /// With `part`, by a name that has this word.
  [[nodiscard]] bool names_speaker(const head& h, const std::string* part = nullptr) const {
    return std::ranges::any_of(names_asked(h), [&](const auto& name) {
      return part == nullptr || std::ranges::find(name, *part) != name.end();
    });
  }
  /// Is it a term of the name of whom the question means, and who said this?
  [[nodiscard]] bool is_of_name(const std::string& term, const head& h) const {
    return !chunks_ && std::ranges::any_of(names_asked(h), [&](const auto& name) {
      std::string text;
      for (const auto& word : name) text += word + " ";
      const auto terms = text_terms(text);
      return std::ranges::find(terms, term) != terms.end();
    });
  }
  void add_circumstances() {
    for (auto& row : rows_) {
      // What weighs nothing is not looked for, and says nothing of what is newer either.
      row.dates = times_.fit(row.record.head->created_at);
      row.raw += w_.dates * row.dates;
      row.is_said = names_speaker(*row.record.head);
      if (row.is_said) row.raw += w_.speakers;
    }
  }

  void narrow() {
    const bool is_asked_alone = of_time_ || !said_.empty();
    if (is_asked_alone) add_circumstances();
    drop([](const scored_row& row) { return !(row.raw > 0); });
    sort_by([](const scored_row& row) { return row.raw; });
    if (rows_.size() > window())
      rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(window()), rows_.end());
    coverage.candidates = static_cast<std::int64_t>(rows_.size());
    if (!chunks_ && !is_asked_alone) add_circumstances();
    for (auto& row : rows_) {
      row.is_all_asked = of_time_ || said_.contains(row.record.head->id);
      if (row.is_all_asked) row.match = 1;
    }
    if (!said_.empty() && r_.similarity_floor > 0)
      coverage.below_floor += drop(
          [&](const scored_row& row) { return !row.is_all_asked && row.match < w_.least_match; });
    is_few_ = rows_.size() < 3;
    if (chunks_ && !r_.include_low_relevance)
      coverage.below_floor += drop([](const scored_row& row) { return row.raw < 0.3; });
    double least = 0;
    double most = 0;
    for (auto& row : rows_) {
      best_ = std::max(best_, row.raw);
      row.mixed =
          sort_ == search_sort::hybrid && !chunks_ ? 0.7 * row.raw + 0.3 * row.recency : row.raw;
      least = &row == &rows_.front() ? row.mixed : std::min(least, row.mixed);
      most = &row == &rows_.front() ? row.mixed : std::max(most, row.mixed);
    }
    for (auto& row : rows_)
      row.score = most - least > 0 ? (row.mixed - least) / (most - least) : 1.0;
    if (chunks_) {
      sort_by([](const scored_row& row) { return row.score; });
      std::map<std::string, int> of_path;
      coverage.cut += drop([&](const scored_row& row) {
        return ++of_path[text_in(row.record.version, "path")] > 2;
      });
    }
  }

  const searched_state& s_;
  const search_request& r_;
  search_weights w_;
  bool chunks_;
  bool is_few_ = false; ///< too few to normalise by
  double best_ = 0;     ///< the largest raw score
  const std::vector<float>& query_;
  search_sort sort_;
  asked_times times_;
  std::string who_; ///< the words by which somebody may be named
  std::optional<std::set<memory_id>> of_time_;
  std::set<memory_id> said_;
  std::vector<std::vector<std::string>> corpus_;
  std::vector<scored_row> rows_;
};

/// The workload's queries are words in lower case.
bool asks_for_newest(const std::string& query) {
  return (" " + query + " ").contains(" recent ");
}

/// Of two rows that say the same of the question, is `a` the newer?
class newer_row {
public:
  /// `corpus`: terms of each live memory.
  newer_row(const searched_state& s, double least, std::vector<std::vector<std::string>> corpus)
      : s_(s),
        least_(least),
        corpus_(std::move(corpus)),
        now_(s.r.as_of.value_or(s.now)),
        identifiers_(s.r.query, default_language) {
    for (const auto& t : distinct_terms(s.r.query, default_language))
      if (!is_function_term(t)) asked_.insert(t);
  }

  bool operator()(const scored_row& a, const scored_row& b) const {
    const head& ours = *a.record.head;
    const head& theirs = *b.record.head;
    const bool may_be = ours.type != memory_type::chunk && theirs.type != memory_type::chunk
                        && a.record.version->valid_from <= now_
                        && (ours.actor_scope == theirs.actor_scope || ours.actor_scope.empty());
    if (!may_be) return false;
    if ((s_.r.include_ended || s_.r.include_archived) && holds(a) != holds(b))
      return holds(a) && are_alike(a, b) && identifiers_in(a) == identifiers_in(b);
    return a.record.version->valid_from > b.record.version->valid_from && a.raw >= least_ * b.raw
           && a.dates >= b.dates && a.is_said >= b.is_said && says_as_much(a, b) && are_alike(a, b)
           && identifiers_in(a) == identifiers_in(b);
  }

private:
  [[nodiscard]] bool holds(const scored_row& row) const {
    return !s_.is_superseded(row.record.head->id) && !s_.has_ended(row.record.version);
  }
  [[nodiscard]] std::vector<bool> identifiers_in(const scored_row& row) const {
    return identifiers_.whole_in(s_.state.text_at(row.record.head->id, s_.at));
  }
  [[nodiscard]] bool says_as_much(const scored_row& a, const scored_row& b) const {
    const auto has = [](const scored_row& row, const std::string& term) {
      return std::ranges::find(row.terms, term) != row.terms.end();
    };
    std::size_t said = 0;
    for (const auto& term : asked_) {
      if (!has(b, term)) continue;
      if (!has(a, term)) return false;
      ++said;
    }
    return said >= 2;
  }

  /// Of the shorter one's terms, by how rare they are, the other has a third.
  [[nodiscard]] bool are_alike(const scored_row& a, const scored_row& b) const {
    const std::set<std::string> left(a.terms.begin(), a.terms.end());
    const std::set<std::string> right(b.terms.begin(), b.terms.end());
    double of_left = 0;
    double of_right = 0;
    double shared = 0;
    for (const auto& term : left) {
      of_left += tells(term);
      shared += right.contains(term) ? tells(term) : 0;
    }
    for (const auto& term : right) of_right += tells(term);
    return shared + 1e-9 >= 0.3 * std::min(of_left, of_right);
  }
  [[nodiscard]] double tells(const std::string& term) const {
    const auto with = std::ranges::count_if(
        corpus_, [&](const auto& d) { return std::ranges::find(d, term) != d.end(); });
    return stable_log(1 + static_cast<double>(corpus_.size()) / (static_cast<double>(with) + 1));
  }

  const searched_state& s_;
  double least_;
  std::vector<std::vector<std::string>> corpus_;
  timestamp now_; ///< what begins later is no newer yet
  std::set<std::string> asked_;
  asked_identifiers identifiers_;
};

void put_newer_first(std::vector<scored_row>& rows, const newer_row& is_newer) {
  const std::size_t most = std::min<std::size_t>(rows.size(), 10);
  for (std::size_t i = 0; i < most; ++i) {
    std::size_t to = 0;
    while (to < i && !is_newer(rows[i], rows[to])) ++to;
    if (to == i) continue;
    scored_row moved = rows[i];
    moved.score = rows[to].score;
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(i));
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
  }
  for (std::size_t i = 0; i < most; ++i)
    for (std::size_t j = 0; j < i && !rows[i].older_of; ++j)
      if (is_newer(rows[j], rows[i])) rows[i].older_of = rows[j].record.head->id;
}

bool is_chunk(const scored_row& row) {
  return row.record.head->type == memory_type::chunk;
}

struct ranked_rows {
  std::vector<scored_row> hits;
  std::vector<scored_row> behind; ///< what the limit cut
};

/// The windows of both legs, merged.
ranked_rows ranked(const searched_state& s, const std::vector<float>& query, search_result& out) {
  const search_request& r = s.r;
  out.coverage = {};
  std::vector<scored_row> all;
  // The best match is that of all candidates, also of those that a floor leaves out.
  double& best_match = out.coverage.best_match;
  const bool by_time = out.sort == search_sort::recency || out.sort == search_sort::updated;
  std::vector<std::vector<std::string>> memories;
  for (const bool chunks : {false, true}) {
    if (chunks ? r.source == search_source::memory || r.atomic_only
               : r.source == search_source::content)
      continue;
    leg one(s, chunks, query, out.sort);
    auto rows = one.run();
    if (!chunks) memories = one.corpus();
    leg_coverage& coverage = chunks ? out.coverage.content : out.coverage.memory;
    coverage = one.coverage;
    double most = 0;
    bool has_date = false;
    for (const auto& row : rows) {
      most = std::max(most, row.match);
      has_date = has_date || row.dates > 0;
    }
    best_match = std::max(best_match, most);
    const bool is_bad =
        !by_time && !has_date && r.similarity_floor > 0 && most < weights_of(s).least_match;
    for (auto& row : rows) {
      if (is_bad || one.is_under_floor(row))
        ++coverage.below_floor;
      else
        all.push_back(std::move(row));
    }
  }
  const auto time = [&](const scored_row& row) {
    return out.sort == search_sort::updated ? row.record.head->last_updated_at
                                            : row.record.head->created_at;
  };
  std::ranges::sort(all, [&](const scored_row& a, const scored_row& b) {
    if (by_time && is_chunk(a) != is_chunk(b)) return is_chunk(b);
    if (by_time && !is_chunk(a) && time(a) != time(b)) return time(a) > time(b);
    if (a.score != b.score) return a.score > b.score;
    if (is_chunk(a) != is_chunk(b)) return is_chunk(b);
    if (a.record.head->created_at != b.record.head->created_at)
      return a.record.head->created_at > b.record.head->created_at;
    return a.record.head->id < b.record.head->id;
  });
  if (const double newer = weights_of(s).newer; !by_time && newer > 0)
    put_newer_first(all, newer_row(s, newer, std::move(memories)));
  std::vector<scored_row> behind;
  while (std::ssize(all) > r.limit) {
    ++(is_chunk(all.back()) ? out.coverage.content : out.coverage.memory).cut;
    behind.push_back(all.back());
    all.pop_back();
  }
  return {std::move(all), std::move(behind)};
}

/// Searched again without the topics of which only the past speaks, as long as there are any.
std::vector<scored_row> ranked_without_past(searched_state& s, const std::vector<float>& query,
                                            search_result& out) {
  const auto note_past = [&](const std::vector<scored_row>& rows) {
    std::size_t found = 0;
    for (const auto& row : rows)
      if (is_past_topic(s, row.record)) {
        s.past_topics.insert(row.record.head->id);
        ++found;
      }
    return found;
  };
  for (int times = 0;; ++times) {
    auto rows = ranked(s, query, out);
    if (s.r.include_ended || note_past(rows.hits) == 0) return rows.hits;
    if (times < 8) {
      note_past(rows.behind);
      continue;
    }
    const auto left_out = static_cast<std::int64_t>(std::erase_if(
        rows.hits, [&](const auto& row) { return s.past_topics.contains(row.record.head->id); }));
    out.coverage.memory.searched -= left_out;
    out.coverage.memory.candidates -= left_out;
    out.coverage.memory.ended += left_out;
    return rows.hits;
  }
}

} // namespace

std::expected<search_result, errc> search_in(const model& state, const search_request& r, seq_no at,
                                             timestamp now, bool by_words,
                                             const std::set<memory_id>* only) {
  searched_state s{state, r, at, now, {}, only};
  for (const auto& id : state.ids_at(at))
    if (auto m = state.memory_at(id, at); may_have_held(m->head)) s.live.emplace(id, std::move(*m));
  search_result out;
  out.source = r.source;
  out.similarity_floor = r.similarity_floor;
  out.include_siblings = r.include_siblings;
  out.at_seq = at;
  out.form = r.form;
  if (!r.form && r.budget_tokens) out.form = form_kind::medium;
  if (r.memory_ids) {
    look_up(s, out);
    return out;
  }
  const auto query = by_words ? std::vector<float>{} : query_vector(state, r.query, r.vector, at);
  if (!query) return std::unexpected(query.error());
  out.query = r.query;
  out.applied_audience = r.audience;
  out.sort = r.sort;
  if (r.sort == search_sort::automatic)
    out.sort = asks_for_newest(r.query) ? search_sort::hybrid : search_sort::relevance;
  const std::vector<scored_row> all = ranked_without_past(s, *query, out);
  for (const auto& row : all) {
    ++(is_chunk(row) ? out.coverage.content : out.coverage.memory).returned;
    out.results.push_back(hit_of(s, out, row.record, row.score, row.raw));
    out.results.back().older_of = row.older_of;
  }
  pack(r, out);
  return out;
}

} // namespace mneme::sim
