#include "sim/model_aliases.hpp"

#include <algorithm>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/topic_text.hpp"

namespace mneme::sim {

namespace {

bool has(const std::vector<std::string>& terms, const std::string& term) {
  return std::ranges::find(terms, term) != terms.end();
}

std::vector<std::string> names_of(const model& state, const memory& topic, seq_no at) {
  const auto aliases = aliases_of(state.values_at(topic.head->id, at));
  if (aliases.empty()) return {};
  std::vector<std::string> names{text_in(topic.version, "title")};
  names.insert(names.end(), aliases.begin(), aliases.end());
  std::erase_if(names, [](const std::string& name) {
    return std::ranges::all_of(text_terms(name), [](const auto& t) { return is_function_term(t); });
  });
  return names;
}

bool is_in(const std::string& name, const std::string& query) {
  const auto words = folded_words(query);
  const auto its_words = folded_words(name);
  return std::search(words.begin(), words.end(), its_words.begin(), its_words.end()) != words.end();
}

/// Those that are looked at, by id.
std::vector<memory> topics_of(const model& state, const std::string& text, const viewer& who,
                              seq_no at) {
  std::set<std::string> asked;
  for (const auto& term : text_terms(text))
    if (!is_function_term(term) && asked.size() < 64) asked.insert(term);
  std::vector<std::pair<std::int64_t, memory>> counted;
  for (const auto& id : state.ids_at(at)) {
    const memory m = *state.memory_at(id, at);
    const head& h = *m.head;
    const bool is_own = h.actor_scope.empty() || h.actor_scope == who.owner();
    if (h.type != memory_type::topic || h.tombstone || is_archived(h) || !is_own || !sees(who, h))
      continue;
    const auto terms = text_terms(state.text_at(id, at));
    const auto count =
        std::ranges::count_if(asked, [&](const std::string& term) { return has(terms, term); });
    if (count > 0 && has(terms, text_terms("aliases").front())) counted.emplace_back(count, m);
  }
  std::ranges::sort(counted, [](const auto& a, const auto& b) {
    return std::pair(-a.first, a.second.head->id) < std::pair(-b.first, b.second.head->id);
  });
  if (counted.size() > 16) counted.resize(16);
  std::vector<memory> topics;
  for (auto& one : counted) topics.push_back(std::move(one.second));
  std::ranges::sort(topics, {}, [](const memory& m) { return m.head->id; });
  return topics;
}

} // namespace

std::vector<naive_alias> aliases_in(const model& state, const std::string& text, const viewer& who,
                                    seq_no at) {
  std::vector<naive_alias> found;
  for (const auto& topic : topics_of(state, text, who, at)) {
    auto names = names_of(state, topic, at);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!is_in(names[i], text)) continue;
      naive_alias one{.name = names[i], .others = names};
      one.others.erase(one.others.begin() + static_cast<std::ptrdiff_t>(i));
      if (!one.others.empty()) found.push_back(std::move(one));
      break;
    }
  }
  return found;
}

std::vector<std::string> other_terms(const std::vector<naive_alias>& aliases,
                                     const std::vector<std::string>& asked) {
  std::vector<std::string> terms;
  for (const auto& alias : aliases)
    for (const auto& other : alias.others)
      for (const auto& term : text_terms(other))
        if (!has(asked, term) && !has(terms, term)) terms.push_back(term);
  return terms;
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

std::string with_others(std::string text, const std::vector<naive_alias>& aliases) {
  for (const auto& alias : aliases)
    for (const auto& other : alias.others) text += "\n" + other;
  return text;
}

} // namespace mneme::sim
