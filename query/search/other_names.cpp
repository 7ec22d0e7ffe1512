#include "query/search/other_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/topic_text.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

/// A topic's names in their order: its title, then its aliases.
std::vector<std::string> names_of(const version& topic, const std::vector<std::string>& aliases) {
  std::vector<std::string> names;
  const auto title = topic.data.find("title");
  if (title != topic.data.end())
    if (const auto* text = std::get_if<std::string>(&title->second)) names.push_back(*text);
  names.insert(names.end(), aliases.begin(), aliases.end());
  return names;
}

class name_finder {
public:
  name_finder(std::string_view text, const asker& who, seq_no at, const read_views& views,
              const deadline& time)
      : words_(folded_words(text)),
        at_(at),
        views_(views),
        rows_(*views.attributes),
        visible_(who, *views.attributes, *views.nodes),
        owner_(rows_.actor_term(who.owner())),
        host_(rows_.actor_term("")),
        time_(time) {}

  result<std::vector<called_name>> find(std::string_view text) {
    std::vector<called_name> found;
    auto counted = topics_with_words(text);
    if (!counted) return propagate(counted);
    if (counted->empty()) return found;
    auto reader = reader_in_time(views_, time_);
    if (!reader) return propagate(reader);
    for (const auto& id : with_most_words(*counted)) {
      auto called = read(id, **reader);
      if (!called) return propagate(called);
      if (!called->others.empty()) found.push_back(std::move(*called));
    }
    return found;
  }

private:
  using counted_topics = std::map<memory_id, std::size_t>;

  /// By id.
  static std::vector<memory_id> with_most_words(const counted_topics& counted) {
    std::vector<std::pair<std::size_t, memory_id>> all;
    for (const auto& [id, count] : counted) all.emplace_back(count, id);
    std::ranges::stable_sort(all, std::greater(), [](const auto& one) { return one.first; });
    all.resize(std::min(all.size(), most_named_topics));
    std::vector<memory_id> topics;
    for (const auto& [count, id] : all) topics.push_back(id);
    std::ranges::sort(topics);
    return topics;
  }

  /// Live topics whose text has the field's name and a word of `text`, and how many of its words.
  /// What they are called is in their text, so that the shorter of both lists of contents has them
  /// all.
  result<counted_topics> topics_with_words(std::string_view text) const {
    counted_topics topics;
    const lexical& index = *views_.lexical;
    const auto name = text_terms(aliases_field, index.language());
    const term_no field = name.empty() ? term_no{} : index.term(name.front());
    if (field.value == no_number) return topics;
    const auto having = index.postings(corpus::memories, field);
    std::set<std::string> known; // only asked
    for (const auto& word : text_terms(text, index.language())) {
      if (is_function_term(word, index.language()) || !known.insert(word).second) continue;
      if (known.size() > most_naming_words) break;
      const term_no term = index.term(word);
      if (term.value == no_number) continue;
      const auto with = index.postings(corpus::memories, term);
      const bool is_shorter = posting_count(with) < posting_count(having);
      if (auto ok = add_topics(is_shorter ? with : having, is_shorter ? field : term, topics); !ok)
        return propagate(ok);
    }
    return topics;
  }

  /// Of the contents in `blocks`, those that have `other`, too.
  result<void> add_topics(std::span<const posting_block> blocks, term_no other,
                          counted_topics& topics) const {
    std::uint64_t looked_at = 0;
    for (const auto& block : blocks)
      for (std::uint32_t i = 0, size = block.size(); i < size; ++i) {
        if (auto ok = time_.check(looked_at++); !ok) return ok;
        const slot_no slot{block.slot(i)};
        if (views_.lexical->count(slot, other) == 0) continue;
        const row_no row = rows_.row_of_slot(slot, at_);
        if (row.value == no_number) continue;
        const row_line& line = rows_.rows().line(row);
        const bool is_own = line.actor == owner_.value || line.actor == host_.value;
        if (line.type == memory_type::topic && (line.flags & row_unfindable) == 0 && is_own
            && visible_(row))
          ++topics[views_.nodes->id({line.node})];
      }
    return {};
  }

  /// Without others, where the text has none of its names.
  result<called_name> read(const memory_id& id, kv_reader& reader) const {
    called_name called;
    auto values = read_field_values(reader, id, at_);
    if (!values) return propagate(values);
    const auto aliases = aliases_of(*values);
    if (aliases.empty()) return called;
    auto topic = read_memory(views_, reader, id, at_);
    if (!topic) return propagate(topic);
    if (!topic->has_value()) return called;
    auto names = names_of((*topic)->version, aliases);
    std::erase_if(names, [&](const std::string& name) { return !says_something(name); });
    const auto in_text = std::ranges::find_if(names, [&](const std::string& name) {
      return !std::ranges::search(words_, folded_words(name)).empty();
    });
    if (in_text == names.end()) return called;
    called.name = *in_text;
    names.erase(in_text);
    called.others = std::move(names);
    return called;
  }

  /// Are not all of its words function words?
  [[nodiscard]] bool says_something(std::string_view name) const {
    const std::string& language = views_.lexical->language();
    return !std::ranges::all_of(text_terms(name, language), [&](const std::string& term) {
      return is_function_term(term, language);
    });
  }

  std::vector<std::string> words_;
  seq_no at_;
  const read_views& views_;
  const attributes& rows_;
  visible_rows visible_;
  term_no owner_; ///< the missing term, which no row has, who owns nothing
  term_no host_;
  const deadline& time_;
};

} // namespace

result<std::vector<called_name>> other_names(std::string_view text, const asker& who, seq_no at,
                                             const read_views& views, const deadline& time) {
  return name_finder(text, who, at, views, time).find(text);
}

alias_terms terms_of(const called_name& called, std::string_view language) {
  alias_terms terms{.name = text_terms(called.name, language), .others = {}};
  for (const auto& other : called.others)
    if (auto its_terms = text_terms(other, language); !its_terms.empty())
      terms.others.push_back(std::move(its_terms));
  return terms;
}

} // namespace mneme
