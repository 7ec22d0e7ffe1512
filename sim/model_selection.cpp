/// Which memories words mean, by its definition: every text is split into terms again, every memory
/// looked at. What the words ask is read by the engine's own rules, which know no world.

#include <algorithm>
#include <map>
#include <set>

#include "index/lexical/text_terms.hpp"
#include "messages/math.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"
#include "query/selection/asked_selection.hpp"
#include "query/selection/replaced_statement.hpp"
#include "query/selection/word_list.hpp"
#include "sim/model_aliases.hpp"
#include "sim/model_lineage.hpp"
#include "sim/searched_state.hpp"

namespace mneme::sim {

namespace {

/// A memory that may be selected.
struct candidate {
  memory_uri uri;
  std::string text;
  std::vector<std::string> terms; ///< in order
  std::vector<std::string> meant; ///< and those of the names that its own ones stand for
  std::string own; ///< of a topic: without its fields, but for what else it is called
  bool is_topic = false;
  const std::vector<naive_alias>* aliases = nullptr;
  double share = 0;
  int names = 0;
  int names_missed = 0;

  [[nodiscard]] bool has(const std::string& term) const {
    return std::ranges::find(meant, term) != meant.end();
  }
  [[nodiscard]] bool is_named(const std::vector<std::string>& words) const {
    return is_named(words, text);
  }
  [[nodiscard]] bool is_named(const std::vector<std::string>& words, std::string_view said) const {
    const auto named = named_words(said);
    return follow_each_other(words, named) || is_called_otherwise(words, named);
  }
  [[nodiscard]] bool is_called_otherwise(const std::vector<std::string>& words,
                                         const std::vector<std::string>& named) const {
    for (const auto& alias : *aliases)
      for (const auto& other : alias.others)
        if (folded_words(alias.name) == words && follow_each_other(folded_words(other), named))
          return true;
    return false;
  }
  [[nodiscard]] bool has_all(const std::vector<std::string>& some) const {
    return std::ranges::all_of(some, [&](const auto& t) { return has(t); });
  }
  [[nodiscard]] bool is_identified(const asked_phrase& p) const {
    return has_identifier(text, p) || is_called_otherwise(named_words(p.shown), named_words(text));
  }
  /// Has it the terms of the identifier, in one of its spellings?
  [[nodiscard]] bool may_have(const asked_phrase& p) const {
    if (!p.terms.empty() && has_all(p.terms)) return true;
    if (!p.runs.empty() && has_all(p.runs)) return true;
    return std::ranges::any_of(p.forms, [&](const auto& form) { return has_all(form); });
  }
  [[nodiscard]] bool has(const asked_phrase& p) const {
    if (p.kind != identifier_kind::none) return may_have(p) && is_identified(p);
    if (p.terms.empty() || !has_all(p.terms)) return false;
    if (!p.token.empty()) return has_token(text, p.token);
    if (p.is_word && !stands_as_name(text, p.words.front())) return false;
    if (!p.words.empty()) return is_named(p.words);
    return !p.in_order || follow_each_other(p.terms, text_terms(text));
  }
};

class selection {
public:
  selection(const model& state, const select_request& r, seq_no at, timestamp now, bool by_words)
      : state_(state),
        r_(r),
        at_(at),
        now_(now),
        by_words_(by_words),
        asked_(read_asked(r.words)),
        aliases_(aliases_in(state, r.words, viewer_of(r), at, {.instant = now})) {}

  std::expected<select_result, errc> run() {
    if (names_too_much()) return std::unexpected(errc::limit_exceeded);
    gather();
    auto asked = terms();
    for (const auto& form : forms_in(asked_)) asked.push_back(form);
    std::set<memory_id> having;
    for (const auto& c : all_)
      if (std::ranges::any_of(asked, [&](const auto& t) { return c.has(t); }))
        having.insert(c.uri.id);
    const auto ranked = search_in(state_, question(), at_, now_, by_words_, &having);
    if (!ranked) return std::unexpected(ranked.error()); // refused before anything is selected
    select_result out;
    out.at_seq = at_;
    const auto found = choose(*ranked);
    if (std::ssize(found) > r_.limit) return std::unexpected(errc::limit_exceeded);
    for (const auto* c : found) {
      bool is_cut = false;
      const provenance told = state_.memory_at(c->uri.id, at_)->version->provenance;
      out.selected.push_back({.uri = c->uri,
                              .why = reason_of(*c),
                              .because = {},
                              .text = first_bytes(c->text, is_cut),
                              .standing = standing_in(state_, c->uri.id, at_),
                              .trust_told = told.trust || told.source_class,
                              .source_class = told.source_class});
    }
    std::ranges::sort(out.selected, {}, [](const auto& m) { return m.uri.id; });
    return out;
  }

private:
  [[nodiscard]] selection_reason reason_of(const candidate& c) const {
    const auto own = reasons_.find(c.uri.id);
    return own == reasons_.end() ? why_ : own->second;
  }
  void gather() {
    const viewer who = viewer_of(r_);
    for (const auto& id : state_.ids_at(at_)) {
      const auto m = state_.memory_at(id, at_);
      if (m->head->tombstone || !sees(who, *m->head)) continue;
      if (!who.sees_all() && m->head->actor_scope != who.owner()) continue;
      const bool fits = r_.types.empty()
                            ? m->head->type != memory_type::chunk
                            : std::ranges::find(r_.types, m->head->type) != r_.types.end();
      if (!fits) continue;
      if (!std::ranges::all_of(r_.tags, [&](const auto& tag) {
            return std::ranges::find(m->head->tags, tag) != m->head->tags.end();
          }))
        continue;
      const auto has_tag = [](const std::vector<std::string>& tags) {
        return std::ranges::find(tags, overview_tag) != tags.end();
      };
      if (has_tag(m->head->tags) && !has_tag(r_.tags)) continue;
      candidate c;
      c.uri = {m->head->type, id, m->head->current_version};
      // A topic is found by the words of the request that changed it last, and shown as it is.
      c.terms = text_terms(state_.text_at(id, at_));
      c.text = m->head->type == memory_type::topic
                   ? searched_topic_text(m->version->data, state_.values_at(id, at_))
                   : state_.text_at(id, at_);
      if (m->head->type == memory_type::topic) {
        auto named = state_.values_at(id, at_);
        std::erase_if(named, [](const auto& v) { return v.name != aliases_field; });
        c.own = searched_topic_text(m->version->data, named);
        c.is_topic = true;
      }
      c.meant = meant_by(c.terms, aliases_);
      c.aliases = &aliases_;
      all_.push_back(std::move(c));
    }
  }

  [[nodiscard]] search_request question() const {
    search_request s;
    s.query = asked_.question;
    s.limit = 1001;
    s.source = search_source::memory;
    s.sort = search_sort::relevance;
    s.similarity_floor = 0;
    s.vector = r_.vector;
    s.actor = r_.actor;
    s.scope = r_.scope;
    s.include_archived = s.include_ended = !r_.states_new;
    if (r_.types.size() == 1 && r_.types.front() != memory_type::chunk) s.type = r_.types.front();
    if (!r_.tags.empty()) s.tag = r_.tags.front();
    s.weights = "neighbours=0,answers=0";
    return s;
  }

  /// More words that must be had than are looked for.
  [[nodiscard]] bool names_too_much() const {
    std::set<std::string> deciding;
    for (const auto* phrases : {&asked_.identifiers, &asked_.names})
      for (const auto& p : *phrases) {
        deciding.insert(p.terms.begin(), p.terms.end());
        deciding.insert(p.runs.begin(), p.runs.end());
      }
    for (const auto& kept : asked_.kept) deciding.insert(kept.begin(), kept.end());
    for (const auto& part : asked_.parts)
      for (const auto& term : terms_in(part)) deciding.insert(term);
    deciding.insert(asked_.listed.terms.begin(), asked_.listed.terms.end());
    if (asked_.extent != asked_extent::fact && asked_.identifiers.empty())
      deciding.insert(asked_.content.begin(), asked_.content.end());
    return !r_.states_new && deciding.size() > 64;
  }
  [[nodiscard]] bool is_kept(const candidate& c) const {
    return std::ranges::any_of(asked_.kept, [&](const auto& kept) { return c.has_all(kept); });
  }

  std::vector<const candidate*> choose(const search_result& ranked) {
    if (!r_.states_new && (!asked_.refusal.empty() || is_claimed_twice())) return {};
    if (!r_.states_new && !asked_.parts.empty()) return by_parts();
    if (!r_.states_new && !asked_.identifiers.empty()) return by_identifier();
    if (!r_.states_new && !asked_.said_by.words.empty()
        && std::ranges::any_of(all_, [&](const auto& c) { return said_it(c); }))
      return by_speaker();
    const bool is_entity = asked_.extent == asked_extent::all
                           || (asked_.extent == asked_extent::thing && !asked_.is_whose);
    if (!r_.states_new && is_entity && !asked_.content.empty()) {
      auto found = by_entity();
      if (!found.empty() || asked_.is_one_name || is_left_) return found;
    }
    return by_meaning(ranked);
  }

  [[nodiscard]] bool said_it(const candidate& c) const {
    const auto h = state_.head_at(c.uri.id, at_);
    return std::ranges::any_of(h->tags, [&](const std::string& tag) {
      return tag.starts_with("speaker:") && folded_words(tag.substr(8)) == asked_.said_by.words;
    });
  }
  std::vector<const candidate*> by_speaker() {
    why_ = selection_reason::entity;
    std::vector<const candidate*> found;
    for (const auto& c : all_)
      if (said_it(c) && !is_kept(c)) found.push_back(&c);
    return found;
  }

  /// Has the memory the list, or two neighbours of it as one name?
  [[nodiscard]] bool has_as_one(const candidate& c) const {
    if (c.has(asked_.listed)) return true;
    const auto own = folded_words(c.text);
    std::set<std::string> between = {""};
    for (const auto& word : own)
      if (std::ranges::count_if(word, [](char b) { return (b & 0xC0) != 0x80; }) <= 3)
        between.insert(word);
    for (std::size_t i = 1; i < asked_.parts.size(); ++i) {
      const bool is_last = i + 1 == asked_.parts.size();
      if (!is_last
          && follow_each_other(
              folded_words(asked_.parts[i].question + " " + asked_.parts[i - 1].question), own))
        return true;
      for (const auto& word : between)
        if (follow_each_other(folded_words(asked_.parts[i - 1].question + " " + word + " "
                                           + asked_.parts[i].question),
                              own))
          return true;
    }
    return false;
  }

  [[nodiscard]] bool is_claimed_twice() const {
    return std::ranges::any_of(aliases_, &naive_alias::is_shared);
  }

  /// All that any part of a list selects, if each selects something, and no memory has the list.
  std::vector<const candidate*> by_parts() {
    if (std::ranges::any_of(all_, [&](const auto& c) { return has_as_one(c); })) return {};
    const asked_selection whole = asked_;
    std::vector<const candidate*> found;
    for (const auto& part : whole.parts) {
      asked_ = part;
      const auto some = part.identifiers.empty() ? by_entity() : by_identifier();
      if (some.empty()) return {};
      for (const auto* c : some)
        if (reasons_.try_emplace(c->uri.id, why_).second) found.push_back(c);
    }
    asked_ = whole;
    return found;
  }

  std::vector<const candidate*> by_identifier() {
    why_ = selection_reason::identifier;
    std::vector<const candidate*> found;
    const auto has = [](const candidate& c) {
      return [&c](const asked_phrase& p) { return c.has(p); };
    };
    for (const auto& c : all_) {
      const auto has_them = [&](const candidate& one) {
        return asked_.any_identifier ? std::ranges::any_of(asked_.identifiers, has(one))
                                     : std::ranges::all_of(asked_.identifiers, has(one));
      };
      if (!has_them(c) || is_kept(c)) continue;
      if (has_them(in_own_text(c)))
        found.push_back(&c);
      else
        is_left_ = true;
    }
    if (asked_.extent != asked_extent::fact) return found;
    std::erase_if(found,
                  [&](const auto* c) { return is_denied_otherwise(asked_.question, c->text); });
    std::vector<std::string> others;
    for (const auto& term : terms())
      if (std::ranges::find(asked_.content, term) != asked_.content.end()
          && !std::ranges::any_of(asked_.identifiers, [&](const auto& p) {
               const auto own = text_terms(p.shown);
               return std::ranges::find(own, term) != own.end();
             }))
        others.push_back(term);
    double best = 0;
    for (const auto* c : found) best = std::max(best, weight(*c, others));
    std::erase_if(found, [&](const auto* c) { return weight(*c, others) < best - 1e-9; });
    if (best <= 0 && !others.empty()) return {};
    return found;
  }

  std::vector<const candidate*> by_entity() {
    why_ = selection_reason::entity;
    std::vector<const candidate*> found;
    const auto has_them = [&](const candidate& c) {
      return c.has_all(asked_.content)
             && std::ranges::all_of(asked_.names, [&](const auto& name) { return c.has(name); });
    };
    for (const auto& c : all_) {
      if (is_kept(c) || !has_them(c) || (asked_.is_mine && is_anothers(c))) continue;
      if (has_them(in_own_text(c)))
        found.push_back(&c);
      else
        is_left_ = true;
    }
    return found;
  }
  /// As what is asked for by identifier or name must have it.
  [[nodiscard]] candidate in_own_text(const candidate& c) const {
    candidate own = c;
    if (!c.is_topic) return own;
    own.text = c.own;
    own.terms = text_terms(c.own);
    own.meant = meant_by(own.terms, aliases_);
    return own;
  }

  std::vector<const candidate*> by_meaning(const search_result& ranked) {
    why_ = selection_reason::meaning;
    for (const auto& name : asked_.names)
      if (!r_.states_new && std::ranges::none_of(all_, [&](const auto& c) {
            return !name.terms.empty() && c.has_all(name.terms);
          }))
        return {};
    std::vector<candidate*> rows;
    for (const auto& hit : ranked.results) {
      const auto c = std::ranges::find(all_, hit.uri.id, [](const auto& x) { return x.uri.id; });
      if (c == all_.end() || is_kept(*c)) continue;
      if (asked_.is_mine && is_anothers(*c)) continue;
      if (!r_.states_new && !is_of_matter(*c)) continue;
      share_of(*c);
      const bool is_fact = asked_.extent == asked_extent::fact && !r_.states_new;
      if (is_fact && c->names_missed > 0 && names_another(c->text, asked_.question)) continue;
      rows.push_back(&*c);
    }
    const double least = r_.states_new ? 0.2 : 0.34;
    const bool any_whole = std::ranges::any_of(
        rows, [&](const auto* c) { return c->names_missed == 0 && c->share >= least; });
    std::erase_if(rows, [&](const auto* c) {
      if (c->names_missed == 0) return c->share < least;
      return any_whole || c->names == 0 || c->share < 0.5;
    });
    if (r_.states_new) std::erase_if(rows, [&](const auto* c) { return !is_replaced(*c); });
    std::vector<const candidate*> found;
    double most = 0;
    for (const auto* c : rows) most = std::max(most, c->share);
    const auto is_best = [&](const candidate* c) { return c->share >= most - 1e-9; };
    const candidate* best = nullptr;
    for (const auto* c : rows)
      if (best == nullptr && is_best(c)) best = c;
    // In doubt nothing is replaced.
    if (r_.states_new && std::ranges::any_of(rows, [&](const auto* c) {
          return c != best && !says_the_same(*c, *best);
        }))
      return {};
    for (const auto* c : rows)
      if (c == best
          || (is_best(c) && (asked_.extent == asked_extent::all || says_the_same(*c, *best))))
        found.push_back(c);
    return found;
  }

  /// In the order in which their weights are summed up.
  [[nodiscard]] std::vector<std::string> terms() const { return terms_in(asked_); }
  static std::vector<std::string> terms_in(const asked_selection& asked) {
    std::vector<std::string> list;
    const auto add = [&](const std::vector<std::string>& more) {
      for (const auto& term : more)
        if (list.size() < 64 && std::ranges::find(list, term) == list.end()) list.push_back(term);
    };
    for (const auto* phrases : {&asked.identifiers, &asked.names})
      for (const auto& p : *phrases) {
        add(p.terms);
        add(p.runs);
      }
    add(asked.subject.terms);
    for (const auto& kept : asked.kept) add(kept);
    add(asked.content);
    for (const auto& part : asked.parts) add(terms_in(part));
    add(asked.listed.terms);
    return list;
  }
  /// Of other spellings.
  static std::vector<std::string> forms_in(const asked_selection& asked) {
    std::vector<std::string> all;
    for (const auto& p : asked.identifiers)
      for (const auto& form : p.forms) all.insert(all.end(), form.begin(), form.end());
    for (const auto& part : asked.parts)
      for (auto& form : forms_in(part)) all.push_back(std::move(form));
    return all;
  }
  [[nodiscard]] double having(const std::string& term) const {
    return static_cast<double>(
        std::ranges::count_if(all_, [&](const auto& c) { return c.has(term); }));
  }
  [[nodiscard]] double weight_of(const std::string& term) const {
    const double with = having(term);
    const double rare =
        stable_log(1 + (static_cast<double>(all_.size()) - with + 0.5) / (with + 0.5));
    const auto place = std::ranges::find(asked_.content, term) - asked_.content.begin();
    if (!r_.states_new || place == std::ssize(asked_.content)) return rare;
    if (is_small_number(term)) return 0;
    const double share =
        1 - 0.6 * static_cast<double>(place) / static_cast<double>(asked_.content.size());
    return rare * (is_value(asked_, term) ? share * 0.8 : share);
  }
  [[nodiscard]] double weight(const candidate& c, const std::vector<std::string>& some) const {
    double sum = 0;
    for (const auto& term : some)
      if (c.has(term)) sum += weight_of(term);
    return sum;
  }

  /// The names that must be had: of a new fact whom it is about, if anybody is known by that.
  [[nodiscard]] std::vector<asked_phrase> names() const {
    if (!r_.states_new) return asked_.names;
    const auto& subject = asked_.subject;
    const bool is_known = !subject.terms.empty() && std::ranges::any_of(all_, [&](const auto& c) {
      return c.has_all(subject.terms);
    });
    return is_known ? std::vector{subject} : std::vector<asked_phrase>{};
  }

  [[nodiscard]] bool is_anothers(const candidate& c) const {
    return r_.states_new ? begins_with_name(c.text) : is_of_another(asked_, c.text);
  }
  [[nodiscard]] bool is_of_matter(const candidate& c) const {
    const auto& told_of = asked_.told_of;
    if (!told_of.terms.empty()) {
      if (!c.has(told_of)) return false;
      if (!told_of.shown.contains('-') && !c.is_named(told_of.words, without_joined_names(c.text)))
        return false;
    }
    if (!asked_.head.empty()
        && std::ranges::none_of(asked_.head, [&](const auto& t) { return c.has(t); }))
      return false;
    return !is_contrary(asked_.question, c.text);
  }

  [[nodiscard]] bool is_replaced(const candidate& c) const {
    if (!asked_.subject.terms.empty() && names().empty()) return false;
    return takes_place(read_stated(r_.words), read_stated(c.text), asked_.subject.terms);
  }

  void share_of(candidate& c) const {
    const auto must = names();
    const auto is_named = [&](const std::string& term) {
      return std::ranges::any_of(must, [&](const auto& name) {
        return std::ranges::find(name.terms, term) != name.terms.end();
      });
    };
    std::vector<std::string> asked;
    for (const auto& term : terms())
      if (std::ranges::find(asked_.content, term) != asked_.content.end()) asked.push_back(term);
    if (!std::ranges::all_of(asked, is_named)) std::erase_if(asked, is_named);
    double whole = 0;
    for (const auto& term : asked)
      if (!r_.states_new || having(term) > 0) whole += weight_of(term);
    if (whole > 0) c.share = weight(c, asked) / whole;
    for (const auto& name : must) ++(c.has(name) ? c.names : c.names_missed);
  }

  static bool says_the_same(const candidate& a, const candidate& b) {
    const std::set<std::string> left(a.terms.begin(), a.terms.end());
    const std::set<std::string> right(b.terms.begin(), b.terms.end());
    const auto shared = static_cast<double>(
        std::ranges::count_if(left, [&](const auto& t) { return right.contains(t); }));
    const double both = static_cast<double>(left.size() + right.size()) - shared;
    return both > 0 && shared >= 0.8 * both;
  }

  const model& state_;
  const select_request& r_;
  seq_no at_;
  timestamp now_;
  bool by_words_;
  asked_selection asked_;
  std::vector<naive_alias> aliases_;
  selection_reason why_{};
  bool is_left_ = false;                          ///< a topic has what is asked for in fields alone
  std::map<memory_id, selection_reason> reasons_; ///< of what parts of a list selected
  std::vector<candidate> all_;
};

} // namespace

std::expected<select_result, errc> select_in(const model& state, const select_request& r, seq_no at,
                                             timestamp now, bool by_words) {
  return selection(state, r, at, r.now.value_or(now), by_words).run();
}

} // namespace mneme::sim
