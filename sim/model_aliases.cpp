#include "sim/model_aliases.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/topic_text.hpp"
#include "sim/model_lineage.hpp"

namespace mneme::sim {

namespace {

bool has(const std::vector<std::string>& terms, const std::string& term) {
  return std::ranges::find(terms, term) != terms.end();
}

bool is_believed(const std::string& writer, const viewer& who) {
  return writer.empty() || writer == who.owner();
}

/// Those that somebody else wrote are none.
std::vector<std::string> own_aliases(const model& state, const memory& topic, const viewer& who,
                                     seq_no at) {
  const auto field = state.field_at(topic.head->id, "aliases", at);
  if (!field) return {};
  const field_revision current = state.revisions_of(*field).at(field->current - 1);
  if (!is_believed(current.created_by, who)) return {};
  const std::vector<topic_value> values = {{"aliases", current.value}};
  return aliases_of(values);
}
std::vector<std::string> names_of(const memory& topic, const std::vector<std::string>& aliases,
                                  const viewer& who) {
  std::vector<std::string> all;
  if (is_believed(topic.version->created_by, who)) all.push_back(text_in(topic.version, "title"));
  all.insert(all.end(), aliases.begin(), aliases.end());
  std::vector<std::string> names;
  std::set<std::vector<std::string>> known;
  for (const auto& name : all) {
    const auto terms = text_terms(name);
    const bool says_something =
        !std::ranges::all_of(terms, [](const auto& t) { return is_function_term(t); });
    if (names.size() < 9 && name.size() <= 64 && says_something
        && known.insert(folded_words(name)).second)
      names.push_back(name);
  }
  return names;
}

bool is_in(const std::string& name, const std::string& query) {
  const auto words = folded_words(query);
  const auto its_words = folded_words(name);
  return std::search(words.begin(), words.end(), its_words.begin(), its_words.end()) != words.end();
}

bool may_name(const model& state, const memory& topic, const viewer& who, seq_no at,
              const naive_naming& rule) {
  const head& h = *topic.head;
  const version& v = *topic.version;
  const bool is_own = h.actor_scope.empty() || h.actor_scope == who.owner();
  if (h.type != memory_type::topic || h.tombstone || is_archived(h) || !is_own || !sees(who, h))
    return false;
  if ((v.valid_until && *v.valid_until <= rule.instant)
      || (v.expires_at && *v.expires_at <= rule.instant))
    return false;
  if (rule.audience && state_of(h).audience != rule.audience) return false;
  return trust_in(state, h.id, at) >= 0.5;
}

/// Those that are looked at, by id: of the rarest words first, and of each the lowest ids.
std::vector<memory> topics_of(const model& state, const std::string& text, const viewer& who,
                              seq_no at, const naive_naming& rule) {
  std::vector<std::string> asked;
  for (const auto& term : text_terms(text))
    if (!is_function_term(term) && asked.size() < 64 && !has(asked, term)) asked.push_back(term);
  std::map<std::string, std::int64_t> frequency;
  std::map<memory_id, std::vector<std::string>> naming;
  for (const auto& id : state.ids_at(at)) {
    const memory m = *state.memory_at(id, at);
    if (m.head->tombstone || m.head->type == memory_type::chunk) continue;
    const auto terms = text_terms(state.text_at(id, at));
    for (const auto& term : asked) frequency[term] += has(terms, term) ? 1 : 0;
    if (has(terms, text_terms("aliases").front()) && may_name(state, m, who, at, rule))
      naming[id] = terms;
  }
  std::ranges::stable_sort(asked, {}, [&](const auto& term) { return frequency[term]; });
  std::set<memory_id> ids;
  for (const auto& term : asked)
    for (const auto& [id, terms] : naming)
      if (ids.size() < 16 && has(terms, term)) ids.insert(id);
  std::vector<memory> topics;
  topics.reserve(ids.size());
  for (const auto& id : ids) topics.push_back(*state.memory_at(id, at));
  return topics;
}

/// Has another topic the name? Of those with all of its words the 16 lowest ids are asked.
bool is_of_another(const model& state, const std::string& name, const memory_id& own,
                   const viewer& who, seq_no at, const naive_naming& rule) {
  const auto ids = state.ids_at(at);
  std::size_t asked = 0;
  for (const auto& id : std::set<memory_id>(ids.begin(), ids.end())) {
    const memory m = *state.memory_at(id, at);
    if (id == own || asked == 16 || m.head->tombstone || !may_name(state, m, who, at, rule))
      continue;
    const auto terms = text_terms(state.text_at(id, at));
    const auto sought = text_terms(name);
    if (!std::ranges::all_of(sought, [&](const auto& t) { return has(terms, t); })) continue;
    ++asked;
    for (const auto& its_name : names_of(m, own_aliases(state, m, who, at), who))
      if (folded_words(its_name) == folded_words(name)) return true;
  }
  return false;
}

} // namespace

std::vector<naive_alias> aliases_in(const model& state, const std::string& text, const viewer& who,
                                    seq_no at, const naive_naming& rule) {
  std::vector<naive_alias> found;
  for (const auto& topic : topics_of(state, text, who, at, rule)) {
    const auto aliases = own_aliases(state, topic, who, at);
    if (aliases.empty()) continue;
    const auto names = names_of(topic, aliases, who);
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (is_in(names[i], text)
          && (!longest || folded_words(names[i]).size() > folded_words(names[*longest]).size()))
        longest = i;
    if (!longest || names.size() == 1) continue;
    naive_alias one{.name = names[*longest], .others = names};
    one.others.erase(one.others.begin() + static_cast<std::ptrdiff_t>(*longest));
    const memory_id own = topic.head->id;
    one.is_shared = is_of_another(state, one.name, own, who, at, rule);
    std::erase_if(one.others, [&](const auto& other) {
      return one.is_shared || is_of_another(state, other, own, who, at, rule);
    });
    found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> meant_by(const std::vector<std::string>& terms,
                                  const std::vector<naive_alias>& aliases) {
  std::vector<std::string> meant = terms;
  for (const auto& alias : aliases) {
    const bool has_other = std::ranges::any_of(alias.others, [&](const std::string& other) {
      const auto its_terms = text_terms(other);
      return !its_terms.empty()
             && std::ranges::all_of(its_terms, [&](const auto& t) { return has(terms, t); });
    });
    if (!has_other) continue;
    for (const auto& term : text_terms(alias.name)) meant.push_back(term);
  }
  return meant;
}

} // namespace mneme::sim
