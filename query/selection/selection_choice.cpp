/// The stage decide: by identifier, else by name, else by meaning.

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/math.hpp"
#include "messages/text/forms.hpp"
#include "messages/text/quoted_text.hpp"
#include "messages/text/topic_text.hpp"
#include "messages/text/utf8_point.hpp"
#include "query/selection/replaced_statement.hpp"
#include "query/selection/selection_state.hpp"
#include "query/selection/word_list.hpp"
#include "views/standing.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

constexpr std::size_t shown_bytes = 600;
/// Words of the same weights make the same sum, but for its last bits, in whatever order.
constexpr double same_weight = 1e-9;
constexpr std::size_t noted_bytes = 100;

/// Of the words' weight that a memory must have to say what they say: a third is what is left when
/// the same is said in other words.
constexpr double least_share = 0.34;
/// The same where it misses some of the names.
constexpr double least_share_of_some = 0.5;
/// Where a fact is new, half of its words are those of the new value.
constexpr double least_share_of_new = 0.2;
/// What the last word of a new fact says less than its first.
constexpr double last_place = 0.6;
/// What a name that is no subject says of what it would say as another word.
constexpr double named_value = 0.8;
/// Two memories say the same if they have so much of their terms in common.
constexpr double same_share = 0.8;

std::string listed(const std::vector<asked_phrase>& phrases) {
  std::string all;
  for (const auto& phrase : phrases) all += (all.empty() ? "" : ", ") + phrase.shown;
  return all;
}

/// A phrase, and the terms that a memory with it has.
struct sought_phrase {
  const asked_phrase* phrase;
  term_set terms;
  std::vector<term_set> forms{}; ///< of an identifier: of its other spellings
};
std::vector<sought_phrase> sought_in(const std::vector<asked_phrase>& phrases,
                                     const selection_state& s) {
  std::vector<sought_phrase> all;
  all.reserve(phrases.size());
  for (const auto& p : phrases) {
    all.push_back({&p, s.set_of(p.terms)});
    auto& forms = all.back().forms;
    if (!p.runs.empty()) forms.push_back(s.set_of(p.runs));
    for (const auto& form : p.forms) forms.push_back(s.set_of(form));
  }
  return all;
}

/// Whom a new fact is about, if anybody is known by the name it begins with; the other names in it
/// may be new.
std::vector<sought_phrase> subject_of(const selection_state& s) {
  const term_set terms = s.set_of(s.asked.subject.terms);
  const bool is_known = std::ranges::any_of(
      s.rows, [&](const selection_row& r) { return terms != 0 && (r.has & terms) == terms; });
  if (!is_known) return {};
  return {{&s.asked.subject, terms}};
}

class chooser {
public:
  /// `asked` is what the words ask, or one part of it.
  chooser(selection_state& s, const asked_selection& asked, const read_views& views,
          kv_reader& reader)
      : s_(s),
        asked_(asked),
        views_(views),
        reader_(reader),
        content_(s.set_of(asked_.content)),
        identifiers_(sought_in(asked_.identifiers, s)),
        names_(s.request.states_new ? subject_of(s) : sought_in(asked_.names, s)) {
    if (!asked_.told_of.terms.empty())
      told_of_.push_back({&asked_.told_of, s.set_of(asked_.told_of.terms)});
    for (const auto& kept : asked_.kept) kept_.push_back(s.set_of(kept));
    has_kept_.resize(kept_.size());
    term_set named = 0;
    for (const auto& name : names_) named |= name.terms;
    // Names are had or not; of the words the others count, if there are any.
    telling_ = (content_ & ~named) != 0 ? content_ & ~named : content_;
  }

  result<void> choose() {
    if (!s_.request.states_new && !asked_.refusal.empty()) return nothing(asked_.refusal);
    if (const auto* name = s_.claimed_twice(); name != nullptr && !s_.request.states_new)
      return nothing(
          fmt::format("{} may be one or another: ask by a name that one has alone", *name));
    if (!s_.request.states_new && !asked_.parts.empty()) return by_parts();
    if (!s_.request.states_new && !asked_.identifiers.empty()) return by_identifier();
    if (!s_.request.states_new && !asked_.said_by.words.empty() && !s_.said.empty())
      return by_speaker();
    const bool is_entity = asked_.extent == asked_extent::all
                           || (asked_.extent == asked_extent::thing && !asked_.is_whose);
    if (!s_.request.states_new && is_entity && !asked_.content.empty()) return by_entity();
    return by_meaning();
  }

private:
  struct ranked_row {
    row_no row;
    double share = 0; ///< of the words' weight
    int names = 0;    ///< of those asked for
    int names_missed = 0;
  };

  /// The text that is searched, read once.
  result<const std::string*> text_of(row_no row) {
    auto found = read(row);
    if (!found) return propagate(found);
    return &(*found)->text;
  }
  result<const std::string*> text_of(const selection_row& r) {
    if (!r.is_own_text) return text_of(r.row);
    auto found = read(r.row);
    if (!found) return propagate(found);
    return &(*found)->own.value();
  }
  /// A memory that was read.
  struct read_row {
    memory_uri uri;
    std::string text;
    /// Of a topic: without its fields, but for what else it is called; else none.
    std::optional<std::string> own;
    memory_standing standing;
    bool trust_told = false;
    std::optional<source_class> from{};
  };
  result<const read_row*> read(row_no row) {
    if (const auto it = texts_.find(row.value); it != texts_.end()) return &it->second;
    const memory_id& id = views_.nodes->id(views_.attributes->node(row));
    auto record = read_memory(views_, reader_, id, s_.context.at);
    if (!record) return propagate(record);
    if (!record->has_value())
      return fail(errc::corrupt, "memory " + to_string(id) + " is missing in the store");
    const memory& m = **record;
    std::string text = searched_text(m.version->type, m.version->data);
    std::optional<std::string> own;
    if (m.head->type == memory_type::topic) {
      auto values = read_field_values(reader_, id, s_.context.at);
      if (!values) return propagate(values);
      text = searched_topic_text(m.version->data, *values);
      std::erase_if(*values, [](const topic_value& v) { return v.name != aliases_field; });
      own = searched_topic_text(m.version->data, *values);
    }
    const provenance& told = m.version->provenance;
    read_row made{.uri = {m.head->type, m.head->id, m.head->current_version},
                  .text = std::move(text),
                  .own = std::move(own),
                  .standing = lineage_reader(views_, s_.context.at).standing_of(row),
                  .trust_told = told.trust || told.source_class,
                  .from = told.source_class};
    return &texts_.emplace(row.value, std::move(made)).first->second;
  }

  /// Is it excepted? Each exception that keeps something is noted.
  bool is_kept(term_set has) {
    bool is_any = false;
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      if ((has & kept_[i]) != kept_[i]) continue;
      is_any = has_kept_[i] = true;
    }
    return is_any;
  }

  /// The row as what is asked for by identifier or name must have it: a topic of which a field
  /// alone has it is about something else.
  result<selection_row> in_own_text(const selection_row& r) {
    if (views_.attributes->rows().line(r.row).type != memory_type::topic) return r;
    auto topic = read(r.row);
    if (!topic) return propagate(topic);
    ensure((*topic)->own.has_value(), "a topic has a text of its own");
    const std::string_view language = views_.language;
    return selection_row{r.row, s_.meant_by(text_terms((*topic)->own.value(), language), language),
                         true};
  }

  /// Does a row with these terms have the phrase?
  result<bool> has(const selection_row& r, const sought_phrase& sought) {
    const asked_phrase& phrase = *sought.phrase;
    const auto has_terms = [&](term_set terms) { return terms != 0 && (r.has & terms) == terms; };
    if (phrase.kind != identifier_kind::none) {
      if (!has_terms(sought.terms) && std::ranges::none_of(sought.forms, has_terms)) return false;
      auto text = text_of(r);
      if (!text) return propagate(text);
      return has_identifier(**text, phrase)
             || s_.is_called_otherwise(named_words(phrase.shown), named_words(**text));
    }
    if (!has_terms(sought.terms)) return false;
    const bool in_order = phrase.in_order && phrase.terms.size() > 1;
    if (!in_order && phrase.token.empty() && phrase.words.empty()) return true;
    auto text = text_of(r);
    if (!text) return propagate(text);
    if (!phrase.token.empty()) return has_token(**text, phrase.token);
    if (phrase.is_word && !stands_as_name(**text, phrase.words.front())) return false;
    if (!phrase.words.empty()) return s_.is_named(phrase.words, named_words(**text));
    return follow_each_other(phrase.terms, text_terms(**text, views_.language));
  }
  result<bool> has_all(const selection_row& r, const std::vector<sought_phrase>& phrases) {
    for (const auto& phrase : phrases) {
      auto found = has(r, phrase);
      if (!found || !*found) return found;
    }
    return true;
  }
  result<bool> has_any(const selection_row& r, const std::vector<sought_phrase>& phrases) {
    for (const auto& phrase : phrases) {
      auto found = has(r, phrase);
      if (!found || *found) return found;
    }
    return false;
  }

  /// What each part of a list selects for certain.
  result<void> by_parts() {
    auto name = one_name();
    if (!name) return propagate(name);
    if (!name->empty())
      return nothing(
          fmt::format("\"{}\" may be one name: ask for each, or put it in quotes", *name));
    std::map<std::uint32_t, part_row> all;
    for (const auto& one : asked_.parts) {
      chooser part(s_, one, views_, reader_);
      const bool by_id = !one.identifiers.empty();
      auto found = by_id ? part.with_identifiers() : part.with_all_words();
      if (!found) return propagate(found);
      const std::string shown = by_id               ? listed(one.identifiers)
                                : one.names.empty() ? one.question
                                                    : listed(one.names);
      if (found->empty())
        return nothing(part.left_ > 0 ? part.why_left(shown) : part.why_none(by_id));
      left_ += part.left_;
      for (std::size_t i = 0; i < has_kept_.size(); ++i)
        has_kept_[i] = has_kept_[i] || part.has_kept_[i];
      for (const auto& r : *found)
        all.try_emplace(r.row.value, r,
                        by_id ? selection_reason::identifier : selection_reason::entity, shown);
    }
    if (std::ssize(all) > s_.request.limit) return too_many();
    for (const auto& [number, one] : all)
      if (auto ok = take(one.row.row, one.why, one.because); !ok) return ok;
    return finish();
  }
  struct part_row {
    selection_row row;
    selection_reason why;
    std::string because;
  };
  /// What of the list a memory has as it would a name of several words: the list word by word, or
  /// two that follow each other in it, with no more than a short word between them. Empty = none.
  result<std::string> one_name() {
    const sought_phrase list{&asked_.listed, s_.set_of(asked_.listed.terms)};
    const std::vector<neighbours> pairs = neighbours_in_list();
    for (std::size_t i = 0; i < s_.rows.size(); ++i) {
      const selection_row& r = s_.rows[i];
      if (auto ok = s_.time.check(i); !ok) return propagate(ok);
      auto found = has(r, list);
      if (!found) return propagate(found);
      if (*found) return asked_.listed.shown;
      for (const auto& pair : pairs) {
        if ((r.has & pair.terms) != pair.terms) continue;
        auto text = text_of(r.row);
        if (!text) return propagate(text);
        const auto own = folded_words(**text);
        if (stand_together(pair.first, pair.second, own)
            || (!pair.turned.empty() && follow_each_other(pair.turned, own)))
          return pairs.size() == 1 ? asked_.listed.shown : pair.shown;
      }
    }
    return std::string();
  }
  struct neighbours {
    std::vector<std::string> first; ///< folded words
    std::vector<std::string> second;
    std::vector<std::string> turned; ///< the second, then the first: "Smith, John"; empty = none
    term_set terms;                  ///< of both
    std::string shown;
  };
  [[nodiscard]] std::vector<neighbours> neighbours_in_list() const {
    std::vector<neighbours> all;
    for (std::size_t i = 1; i < asked_.parts.size(); ++i) {
      const asked_selection& first = asked_.parts[i - 1];
      const asked_selection& second = asked_.parts[i];
      all.push_back({folded_words(first.question), folded_words(second.question),
                     i + 1 < asked_.parts.size()
                         ? folded_words(second.question + " " + first.question)
                         : std::vector<std::string>{},
                     s_.set_of(first.content) | s_.set_of(second.content),
                     first.question + ", " + second.question});
    }
    return all;
  }
  /// Of a part that selects nothing: what is looked for and not there.
  [[nodiscard]] std::string why_none(bool by_id) const {
    std::string sought = listed(by_id ? asked_.identifiers : asked_.names);
    const bool is_name = asked_.names.size() == 1
                         && std::ranges::all_of(asked_.content, [&](const std::string& term) {
                              const auto& own = asked_.names.front().terms;
                              return std::ranges::find(own, term) != own.end();
                            });
    if (!by_id && !is_name) sought = fmt::format("all of \"{}\"", asked_.question);
    return fmt::format("nothing has {}{}", sought,
                       asked_.kept.empty() ? "" : " but what is to stay");
  }

  result<void> by_identifier() {
    auto having = with_identifiers();
    if (!having) return propagate(having);
    std::vector<selection_row>& found = *having;
    if (found.empty() && left_ > 0) return nothing(why_left(listed(asked_.identifiers)));
    if (found.empty()) {
      auto is_in_chunks = any_chunk_has();
      if (!is_in_chunks) return propagate(is_in_chunks);
      return nothing(fmt::format("{} {}{}", *is_in_chunks ? "only Chunks have" : "nothing has",
                                 listed(asked_.identifiers),
                                 *is_in_chunks ? ": ask for that type to forget them" : ""));
    }
    if (asked_.extent == asked_extent::fact) {
      const auto having_them = found.size();
      if (auto ok = drop_denials(found); !ok) return ok;
      if (!narrow(found))
        return nothing(fmt::format("{} of {} memories say nothing else of what the words say",
                                   listed(asked_.identifiers), having_them));
    }
    return take_all(found, selection_reason::identifier, listed(asked_.identifiers));
  }
  result<bool> has_identifiers(const selection_row& r) {
    return asked_.any_identifier ? has_any(r, identifiers_) : has_all(r, identifiers_);
  }
  result<std::vector<selection_row>> with_identifiers() {
    std::vector<selection_row> found;
    for (std::size_t i = 0; i < s_.rows.size(); ++i) {
      const selection_row& r = s_.rows[i];
      if (auto ok = s_.time.check(i); !ok) return propagate(ok);
      auto has_them = has_identifiers(r);
      if (!has_them) return propagate(has_them);
      if (!*has_them || is_kept(r.has)) continue;
      const auto has = [&](const selection_row& own) { return has_identifiers(own); };
      if (auto ok = take_if_about(r, has, found); !ok) return propagate(ok);
    }
    return found;
  }
  /// What has it somewhere is taken if its own text has it; a topic of which a field alone has it
  /// is counted.
  template <class Has>
  result<void> take_if_about(const selection_row& r, const Has& has,
                             std::vector<selection_row>& found) {
    auto own = in_own_text(r);
    if (!own) return propagate(own);
    auto is_about = has(*own);
    if (!is_about) return propagate(is_about);
    if (*is_about)
      found.push_back(r);
    else
      ++left_;
    return {};
  }

  /// "KX-12 is not blue" is not that it is blue.
  result<void> drop_denials(std::vector<selection_row>& found) {
    std::vector<selection_row> said;
    for (const auto& r : found) {
      auto text = text_of(r.row);
      if (!text) return propagate(text);
      if (!is_denied_otherwise(asked_.question, **text, views_.language)) said.push_back(r);
    }
    found = std::move(said);
    return {};
  }
  /// Chunks go with what they are of; they are selected where their type is asked for.
  result<bool> any_chunk_has() {
    for (std::size_t i = 0; i < s_.chunks.size(); ++i) {
      const selection_row& r = s_.chunks[i];
      if (auto ok = s_.time.check(i); !ok) return propagate(ok);
      auto has_them = has_identifiers(r);
      if (!has_them || *has_them) return has_them;
    }
    return false;
  }

  /// Of several that have what identifies them, those that say most of the other words.
  /// False if there are other words and none says any.
  bool narrow(std::vector<selection_row>& found) const {
    term_set identifying = 0;
    for (const auto& phrase : asked_.identifiers)
      identifying |= s_.set_of(text_terms(phrase.shown, views_.language));
    const term_set others = content_ & ~identifying;
    double best = 0;
    for (const auto& r : found) best = std::max(best, weight(r.has & others));
    std::erase_if(found,
                  [&](const auto& r) { return weight(r.has & others) < best - same_weight; });
    return !found.empty() && (best > 0 || others == 0);
  }

  result<void> by_speaker() {
    std::vector<selection_row> found;
    for (const auto& r : s_.said)
      if (!is_kept(r.has)) found.push_back(r);
    if (found.empty()) return nothing(fmt::format("all that {} said is to stay", speaker()));
    return take_all(found, selection_reason::entity, "said by " + speaker());
  }
  [[nodiscard]] const std::string& speaker() const {
    return asked_.said_by.words.empty() ? asked_.about.shown : asked_.said_by.shown;
  }
  /// What somebody said is not about him, and stays where all that is about him is asked for.
  [[nodiscard]] std::string unselected_words() const {
    if (asked_.about.words.empty() || asked_.extent != asked_extent::all) return {};
    const auto is_left = [&](const selection_row& r) { // what is selected is in id order by now
      const memory_id& id = views_.nodes->id(views_.attributes->node(r.row));
      return !std::ranges::binary_search(s_.answer.selected, id, {},
                                         [](const auto& m) { return m.uri.id; });
    };
    const auto left = std::ranges::count_if(s_.said, is_left);
    if (left == 0) return {};
    return fmt::format("{} memor{} that {} said {}: ask for everything that {} said", left,
                       left == 1 ? "y" : "ies", speaker(), left == 1 ? "stays" : "stay", speaker());
  }

  result<void> by_entity() {
    auto found = with_all_words();
    if (!found) return propagate(found);
    if (found->empty() && left_ > 0) return nothing(why_left(asked_.question));
    if (found->empty() && asked_.is_one_name) return nothing(why_none(false));
    if (found->empty()) return by_meaning();
    return take_all(*found, selection_reason::entity,
                    asked_.names.empty() ? asked_.question : listed(asked_.names));
  }
  result<std::vector<selection_row>> with_all_words() {
    std::vector<selection_row> found;
    for (std::size_t i = 0; i < s_.rows.size(); ++i) {
      const selection_row& r = s_.rows[i];
      if (auto ok = s_.time.check(i); !ok) return propagate(ok);
      auto has_them = has_words(r);
      if (!has_them) return propagate(has_them);
      if (!*has_them || is_kept(r.has)) continue;
      if (asked_.is_mine) {
        auto text = text_of(r.row);
        if (!text) return propagate(text);
        if (is_anothers(**text)) continue;
      }
      const auto has = [&](const selection_row& own) { return has_words(own); };
      if (auto ok = take_if_about(r, has, found); !ok) return propagate(ok);
    }
    return found;
  }
  result<bool> has_words(const selection_row& r) {
    if ((r.has & content_) != content_) return false;
    return has_all(r, names_);
  }
  /// What only fields have is no reason to forget the topics that they are of.
  [[nodiscard]] std::string why_left(const std::string& sought) const {
    return fmt::format("only fields of {} topic{} have {}: erase or revise the field", left_,
                       left_ == 1 ? "" : "s", sought);
  }

  // -- meaning ------------------------------------------------------------------------------------

  /// What a term says: much where few have it.
  [[nodiscard]] double weight(term_set of) const {
    double sum = 0;
    for (std::size_t i = 0; i < s_.terms.size(); ++i)
      if ((of & (term_set{1} << i)) != 0) sum += weight_of(i);
    return sum;
  }
  [[nodiscard]] double weight_of(std::size_t term) const {
    if (weights_.empty()) {
      const auto all = static_cast<double>(s_.searched);
      for (std::size_t i = 0; i < s_.terms.size(); ++i) {
        const auto with = static_cast<double>(std::ranges::count_if(
            s_.rows, [&](const auto& r) { return (r.has & (term_set{1} << i)) != 0; }));
        is_known_.push_back(with > 0);
        weights_.push_back(stable_log(1 + (all - with + 0.5) / (with + 0.5)) * place_weight(i));
      }
    }
    ensure(term < weights_.size(), "every term has a weight");
    return weights_[term];
  }
  /// Of what is new the first words say what it is about, the last ones the new value. So do names
  /// behind the beginning, and small numbers, which are in texts of all kinds.
  [[nodiscard]] double place_weight(std::size_t term) const {
    const auto& content = asked_.content;
    const auto place = std::ranges::find(content, s_.terms[term]) - content.begin();
    if (!s_.request.states_new || place == std::ssize(content)) return 1;
    if (is_small_number(s_.terms[term])) return 0;
    const double share =
        1 - last_place * static_cast<double>(place) / static_cast<double>(content.size());
    return is_value(asked_, s_.terms[term]) ? share * named_value : share;
  }
  /// All that the words say; of what is new only words that somebody has.
  [[nodiscard]] double whole() const {
    double sum = 0;
    for (std::size_t i = 0; i < s_.terms.size(); ++i) {
      const double w = weight_of(i);
      if ((telling_ & (term_set{1} << i)) != 0 && (is_known_[i] || !s_.request.states_new))
        sum += w;
    }
    return sum;
  }

  [[nodiscard]] term_set terms_of(row_no row) const {
    const auto at =
        std::ranges::lower_bound(s_.rows, row.value, {}, [](const auto& r) { return r.row.value; });
    return at != s_.rows.end() && at->row == row ? at->has : 0;
  }

  /// The first name that nobody has.
  [[nodiscard]] const asked_phrase* unknown_name() const {
    if (s_.request.states_new) return nullptr;
    for (const auto& name : names_)
      if (name.terms == 0 || std::ranges::none_of(s_.rows, [&](const selection_row& r) {
            return (r.has & name.terms) == name.terms;
          }))
        return name.phrase;
    return nullptr;
  }
  /// Of what is mine. What is new is compared with what begins alike, which takes_place() does.
  [[nodiscard]] bool is_anothers(std::string_view text) const {
    return s_.request.states_new ? begins_with_name(text)
                                 : is_of_another(asked_, text, views_.language);
  }
  /// Is the row about what the words are about, and not about something else with their words?
  result<bool> is_of_matter(const selection_row& r) {
    if (!told_of_.empty()) {
      auto is_told = has_all(r, told_of_);
      if (!is_told || !*is_told) return is_told;
      auto text = text_of(r.row);
      if (!text) return propagate(text);
      const auto& name = asked_.told_of;
      if (!name.shown.contains('-')
          && !s_.is_named(name.words, named_words(without_joined_names(**text))))
        return false;
    }
    if (!asked_.head.empty() && (r.has & s_.set_of(asked_.head)) == 0) return false;
    auto text = text_of(r.row);
    if (!text) return propagate(text);
    return !is_contrary(asked_.question, **text, views_.language);
  }

  result<void> by_meaning() {
    ensure(s_.stage == selection_stage::decide, "what is looked for is known");
    if (const auto* name = unknown_name())
      return asked_.extent == asked_extent::all
                 ? nothing(fmt::format("nothing is about {}", asked_.question))
                 : nothing(fmt::format("nothing has {}", name->shown));
    ensure(s_.search != nullptr, "a search ranks what is chosen by meaning");
    while (s_.search->next())
      if (auto ok = s_.search->run(views_); !ok) return ok;
    const search_result ranked = s_.search->take();
    std::vector<ranked_row> rows;
    for (const auto& hit : ranked.results) {
      const node_no node = views_.nodes->find(hit.uri.id);
      const row_no row = views_.attributes->row_of(node, s_.context.at);
      if (row.value == no_number) continue;
      if (share_of(terms_of(row)) < least()) continue; // before its text is read
      if (is_kept(terms_of(row))) continue;
      if (asked_.is_mine) {
        auto text = text_of(row);
        if (!text) return propagate(text);
        if (is_anothers(**text)) continue;
      }
      if (!s_.request.states_new) {
        auto is_it = is_of_matter({row, terms_of(row)});
        if (!is_it) return propagate(is_it);
        if (!*is_it) continue;
      }
      auto one = ranked_of({row, terms_of(row)});
      if (!one) return propagate(one);
      if (one->names_missed > 0 && asked_.extent == asked_extent::fact && !s_.request.states_new) {
        // "that Ben lives in Porto" is not that he lives in Rome.
        auto text = text_of(row);
        if (!text) return propagate(text);
        if (names_another(**text, asked_.question)) continue;
      }
      rows.push_back(*one);
    }
    keep_those_named(rows);
    if (auto ok = keep_those_mine(rows); !ok) return ok;
    if (s_.request.states_new && !rows.empty()) {
      const row_no like = rows.front().row;
      if (auto ok = keep_those_replaced(rows); !ok) return ok;
      if (rows.empty()) return nothing_but(like);
    }
    if (rows.empty())
      return nothing(asked_.extent == asked_extent::all
                         ? fmt::format("nothing is about {}", asked_.question)
                         : "no good match");
    // The first of the best: search says which of them that is.
    const double most = std::ranges::max(rows, {}, &ranked_row::share).share;
    const auto is_best = [&](const ranked_row& r) { return r.share >= most - same_weight; };
    const auto best = *std::ranges::find_if(rows, is_best);
    if (s_.request.states_new && !std::ranges::all_of(rows, [&](const auto& r) {
          return r.row == best.row || says_the_same(r, best);
        }))
      return nothing("several may be replaced: give words that say which");
    for (const auto& r : rows) {
      const bool is_as_good =
          r.row == best.row
          || (is_best(r) && (asked_.extent == asked_extent::all || says_the_same(r, best)));
      if (is_as_good)
        if (auto ok = take(r.row, selection_reason::meaning, shared_words(r.row)); !ok) return ok;
    }
    return finish();
  }

  [[nodiscard]] double least() const {
    return s_.request.states_new ? least_share_of_new : least_share;
  }
  [[nodiscard]] double share_of(term_set has) const {
    const double all = whole();
    return all > 0 ? weight(has & telling_) / all : 0;
  }
  result<ranked_row> ranked_of(const selection_row& r) {
    ranked_row one{.row = r.row};
    one.share = share_of(r.has);
    for (const auto& name : names_) {
      auto found = has(r, name);
      if (!found) return propagate(found);
      ++(*found ? one.names : one.names_missed);
    }
    return one;
  }

  /// Drops what says too little of the words, or names nobody who is named. What has all names
  /// goes before what has some, which must say more of the rest.
  void keep_those_named(std::vector<ranked_row>& rows) const {
    const bool any_whole = std::ranges::any_of(
        rows, [&](const auto& r) { return r.names_missed == 0 && r.share >= least(); });
    std::erase_if(rows, [&](const auto& r) {
      if (r.names_missed == 0) return r.share < least();
      return any_whole || r.names == 0 || r.share < least_share_of_some;
    });
  }

  /// "My car": where something is said of it, what else speaks of a car is not meant; and hers
  /// never.
  result<void> keep_those_mine(std::vector<ranked_row>& rows) {
    const auto& noun = asked_.whose.noun;
    if (s_.request.states_new || !asked_.whose.is_my || noun.empty()) return {};
    std::vector<ranked_row> mine;
    std::vector<ranked_row> nobodys;
    for (const auto& r : rows) {
      auto text = text_of(r.row);
      if (!text) return propagate(text);
      const auto owner = owner_in(**text, noun, views_.language);
      if (owner == noun_owner::mine) mine.push_back(r);
      if (owner == noun_owner::nobody) nobodys.push_back(r);
    }
    rows = mine.empty() ? std::move(nobodys) : std::move(mine);
    return {};
  }

  /// Drops what is true beside what is new.
  result<void> keep_those_replaced(std::vector<ranked_row>& rows) {
    const auto language = views_.language;
    const stated_text said = read_stated(s_.request.words, language);
    const bool is_unknown = !asked_.subject.terms.empty() && names_.empty();
    std::vector<ranked_row> replaced;
    for (const auto& r : rows) {
      auto text = text_of(r.row);
      if (!text) return propagate(text);
      if (!is_unknown && takes_place(said, read_stated(**text, language), asked_.subject.terms))
        replaced.push_back(r);
    }
    rows = std::move(replaced);
    return {};
  }
  /// In doubt nothing, and what it could have been is said.
  result<void> nothing_but(row_no like) {
    auto found = read(like);
    if (!found) return propagate(found);
    const read_row& nearest = **found;
    std::string shown = nearest.text;
    if (shown.size() > noted_bytes) shown = shown.substr(0, point_start(shown, noted_bytes)) + "…";
    // The note is ours, and what a memory says in it is a quotation.
    shown = nearest.standing.trust < trust_unquoted ? quoted_as_data(shown, nearest.from)
                                                    : as_one_line(shown);
    return nothing(fmt::format("nothing is surely replaced; the nearest is {}: {}",
                               to_string(nearest.uri), shown));
  }

  [[nodiscard]] bool says_the_same(const ranked_row& a, const ranked_row& b) const {
    const auto left = views_.lexical->terms(views_.attributes->slot(a.row));
    const auto right = views_.lexical->terms(views_.attributes->slot(b.row));
    std::size_t shared = 0;
    for (auto x = left.begin(), y = right.begin(); x != left.end() && y != right.end();) {
      if (x->term == y->term)
        ++shared, ++x, ++y;
      else if (x->term < y->term)
        ++x;
      else
        ++y;
    }
    const auto both = static_cast<double>(left.size() + right.size() - shared);
    return both > 0 && static_cast<double>(shared) >= same_share * both;
  }

  [[nodiscard]] std::string shared_words(row_no row) const {
    const term_set shared = terms_of(row) & content_;
    std::string all;
    for (std::size_t i = 0; i < s_.terms.size(); ++i)
      if ((shared & (term_set{1} << i)) != 0) all += (all.empty() ? "" : " ") + s_.terms[i];
    return all;
  }

  // -- answer -------------------------------------------------------------------------------------

  result<void> take_all(const std::vector<selection_row>& found, selection_reason why,
                        const std::string& because) {
    if (std::ssize(found) > s_.request.limit) return too_many(); // before any is read
    for (const auto& r : found)
      if (auto ok = take(r.row, why, because); !ok) return ok;
    return finish();
  }
  [[nodiscard]] result<void> too_many() const {
    return fail(
        errc::limit_exceeded,
        fmt::format("more than {} memories match: say more of what is meant", s_.request.limit),
        "limit");
  }
  result<void> take(row_no row, selection_reason why, std::string because) {
    auto one = read(row);
    if (!one) return propagate(one);
    std::string shown = (*one)->text;
    if (shown.size() > shown_bytes) shown.resize(point_start(shown, shown_bytes));
    selected_memory found{.uri = (*one)->uri,
                          .why = why,
                          .because = std::move(because),
                          .text = std::move(shown),
                          .standing = (*one)->standing,
                          .trust_told = (*one)->trust_told,
                          .source_class = (*one)->from};
    if (auto ok = s_.room.take(sizeof(found) + found.because.size() + found.text.size()); !ok)
      return ok;
    auto& all = s_.answer.selected;
    all.push_back(std::move(found));
    if (std::ssize(all) > s_.request.limit) return too_many();
    return {};
  }
  /// What is to be known beside what is selected.
  [[nodiscard]] std::string beside() const {
    std::string note;
    if (s_.request.states_new) return note; // what is new excepts nothing
    for (std::size_t i = 0; i < has_kept_.size(); ++i)
      if (!has_kept_[i])
        note += fmt::format("{}nothing of it has \"{}\", and nothing stays for that",
                            note.empty() ? "" : "; ", asked_.kept_shown[i]);
    if (left_ > 0)
      note += fmt::format("{}also in fields of {} topic{}, which stay{}: erase or revise the field",
                          note.empty() ? "" : "; ", left_, left_ == 1 ? "" : "s",
                          left_ == 1 ? "s" : "");
    if (const auto said = unselected_words(); !said.empty())
      note += (note.empty() ? "" : "; ") + said;
    return note;
  }
  result<void> finish() {
    std::ranges::sort(s_.answer.selected, {}, [](const auto& m) { return m.uri.id; });
    s_.answer.note = beside();
    s_.stage = selection_stage::done;
    return {};
  }
  result<void> nothing(std::string why) {
    ensure(!why.empty() && s_.answer.selected.empty(), "a note says why nothing is selected");
    if (const auto said = unselected_words(); !said.empty()) why += "; " + said;
    s_.answer.note = std::move(why);
    s_.stage = selection_stage::done;
    return {};
  }

  selection_state& s_;
  const asked_selection& asked_;
  const read_views& views_;
  kv_reader& reader_;
  std::vector<term_set> kept_; ///< terms of each thing that stays
  std::vector<bool> has_kept_; ///< each of them, if it kept something that would be selected
  term_set content_;
  std::vector<sought_phrase> identifiers_;
  std::vector<sought_phrase> names_;        ///< that must be had
  std::vector<sought_phrase> told_of_;      ///< of them whom a statement is about
  std::size_t left_ = 0;                    ///< topics that have what is asked for in fields alone
  term_set telling_ = 0;                    ///< the words by which a share is taken
  std::map<std::uint32_t, read_row> texts_; ///< by row
  mutable std::vector<double> weights_;     ///< by term; empty = not asked for yet
  mutable std::vector<bool> is_known_;
};

} // namespace

result<void> selection_state::decide(const read_views& views) {
  auto reader = reader_in_time(views, time);
  if (!reader) return propagate(reader);
  return chooser(*this, asked, views, **reader).choose();
}

} // namespace mneme
