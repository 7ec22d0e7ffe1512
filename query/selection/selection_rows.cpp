/// The stage look: which rows may be selected, and which of the terms each has.

#include <algorithm>

#include "messages/text/composed.hpp"
#include "query/selection/selection_state.hpp"
#include "query/selection/word_list.hpp"

namespace mneme {

selectable_rows::selectable_rows(const selection_state& s, const read_views& views)
    : s_(s),
      rows_(*views.attributes),
      visible_(s.who, rows_, *views.nodes),
      audience_(views.audience) {
  if (!s.who.sees_all() && s.who.verified_scope() == nullptr)
    owner_ = rows_.actor_term(s.who.owner()).value;
  for (const auto& tag : s.request.tags) tags_.push_back(rows_.tag_term(composed(tag)));
  if (std::ranges::find(s.request.tags, overview_tag) == s.request.tags.end())
    overview_ = rows_.tag_term(overview_tag);
}

bool selectable_rows::operator()(row_no row) const {
  const auto& types = s_.request.types;
  const memory_type type = rows_.rows().line(row).type;
  if (types.empty() ? type == memory_type::chunk : std::ranges::find(types, type) == types.end())
    return false;
  return is_open(row);
}

bool selectable_rows::is_chunk_alike(row_no row) const {
  return s_.request.types.empty() && rows_.rows().line(row).type == memory_type::chunk
         && is_open(row);
}

bool selectable_rows::is_open(row_no row) const {
  const row_line& line = rows_.rows().line(row);
  if ((line.flags & row_gone) != 0 || !rows_.alive(row, s_.context.at) || !visible_(row))
    return false;
  if (owner_ && line.actor != *owner_) return false;
  if (overview_.value != no_number && rows_.has_tag(row, overview_)) return false;
  if (audience_ && rows_.facets(row).audience != static_cast<std::uint8_t>(*audience_))
    return false;
  return std::ranges::all_of(
      tags_, [&](term_no tag) { return tag.value != no_number && rows_.has_tag(row, tag); });
}

term_set selection_state::set_of(const std::vector<std::string>& some) const {
  term_set set = 0;
  for (std::size_t i = 0; i < terms.size(); ++i)
    if (std::ranges::find(some, terms[i]) != some.end()) set |= term_set{1} << i;
  return set;
}

term_set selection_state::meant_by(const std::vector<std::string>& own,
                                   std::string_view language) const {
  const auto has_all = [&](const std::vector<std::string>& some) {
    return std::ranges::all_of(
        some, [&](const auto& term) { return std::ranges::find(own, term) != own.end(); });
  };
  term_set has = set_of(own);
  for (const auto& called : names) {
    const alias_terms meant = terms_of(called, language);
    if (std::ranges::any_of(meant.others, has_all)) has |= set_of(meant.name);
  }
  return has;
}

const std::string* selection_state::claimed_twice() const {
  const auto one = std::ranges::find_if(names, &called_name::is_shared);
  return one == names.end() ? nullptr : &one->name;
}

bool selection_state::is_named(const std::vector<std::string>& words,
                               const std::vector<std::string>& text) const {
  return follow_each_other(words, text) || is_called_otherwise(words, text);
}

bool selection_state::is_called_otherwise(const std::vector<std::string>& words,
                                          const std::vector<std::string>& text) const {
  return std::ranges::any_of(names, [&](const called_name& called) {
    return named_words(called.name) == words
           && std::ranges::any_of(called.others, [&](const std::string& other) {
                return follow_each_other(named_words(other), text);
              });
  });
}

namespace {

/// Whoever is called by another name has the terms of the one that was asked by.
class terms_by_alias {
public:
  terms_by_alias(const selection_state& s, const lexical& words) : words_(words) {
    for (const auto& called : s.names) {
      const alias_terms terms = terms_of(called, words.language());
      one_name name{.has = s.set_of(terms.name), .others = {}};
      for (const auto& other : terms.others) {
        name.others.emplace_back();
        for (const auto& term : other) name.others.back().push_back(words.term(term));
      }
      names_.push_back(std::move(name));
    }
  }

  [[nodiscard]] term_set of(slot_no slot) const {
    term_set has = 0;
    for (const auto& name : names_)
      if (std::ranges::any_of(name.others, [&](const auto& other) { return has_all(slot, other); }))
        has |= name.has;
    return has;
  }

private:
  struct one_name {
    term_set has;
    std::vector<std::vector<term_no>> others;
  };
  [[nodiscard]] bool has_all(slot_no slot, const std::vector<term_no>& terms) const {
    return std::ranges::all_of(
        terms, [&](term_no t) { return t.value != no_number && words_.count(slot, t) > 0; });
  }

  const lexical& words_;
  std::vector<one_name> names_;
};

} // namespace

result<void> selection_state::look(const read_views& views) {
  const attributes& all = *views.attributes;
  const selectable_rows selectable(*this, views);
  std::vector<term_no> numbers;
  numbers.reserve(terms.size());
  const terms_by_alias aliases(*this, *views.lexical);
  for (const auto& term : terms) numbers.push_back(views.lexical->term(term));
  const auto& speaker = asked.said_by.words.empty() ? asked.about : asked.said_by;
  const auto spoken =
      speaker.words.empty() ? std::vector<term_no>{} : all.speaker_tags(speaker.words);
  const std::uint32_t limit = all.rows().count_at(context.at);
  for (row_no row{0}; row.value < limit; ++row.value) {
    if (auto ok = time.check(row.value); !ok) return ok;
    const bool is_chunk = !asked.identifiers.empty() && selectable.is_chunk_alike(row);
    if (!is_chunk && !selectable(row)) continue;
    if (!is_chunk) ++searched;
    term_set has = 0;
    const slot_no slot = all.slot(row);
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].value != no_number && slot.value != no_number
          && views.lexical->count(slot, numbers[i]) > 0)
        has |= term_set{1} << i;
    if (slot.value != no_number) has |= aliases.of(slot);
    if (has != 0) (is_chunk ? chunks : rows).push_back({row, has});
    const auto is_tag = [&](term_no tag) { return all.has_tag(row, tag); };
    if (!is_chunk && std::ranges::any_of(spoken, is_tag)) said.push_back({row, has});
  }
  // What has none of the words is not selected by meaning either.
  std::vector<row_no> having;
  having.reserve(rows.size());
  for (const auto& r : rows) having.push_back(r.row);
  search->narrow_to(std::move(having));
  stage = search->next() == effect_kind::store ? selection_stage::decide : selection_stage::ask;
  return time.check();
}

} // namespace mneme
