#include "query/selection/other_names.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/ensure.hpp"
#include "messages/text/quoted_text.hpp"
#include "messages/text/topic_text.hpp"
#include "views/standing.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

class name_finder {
public:
  name_finder(std::string_view text, const asker& who, seq_no at, const naming_rule& rule,
              const read_views& views, const deadline& time)
      : words_(folded_words(text)),
        who_(who.owner()),
        at_(at),
        rule_(rule),
        views_(views),
        rows_(*views.attributes),
        visible_(who, *views.attributes, *views.nodes),
        owner_(rows_.actor_term(who_)),
        host_(rows_.actor_term("")),
        lineage_(views, at),
        time_(time) {}

  result<std::vector<called_name>> find(std::string_view text) {
    std::vector<called_name> found;
    auto topics = topics_with_words(text);
    if (!topics) return propagate(topics);
    if (topics->empty()) return found;
    auto reader = reader_in_time(views_, time_);
    if (!reader) return propagate(reader);
    for (const auto& id : *topics) {
      auto called = read(id, **reader);
      if (!called) return propagate(called);
      if (called->others.empty()) continue;
      if (auto ok = leave_out_shared(*called, id, **reader); !ok) return propagate(ok);
      found.push_back(std::move(*called));
    }
    return found;
  }

private:
  /// The words by which topics are looked for, the rarest first.
  [[nodiscard]] std::vector<term_no> words_by_rarity(std::string_view text) const {
    const lexical& index = *views_.lexical;
    std::vector<std::pair<std::uint64_t, term_no>> counted;
    std::set<std::string> known; // only asked
    for (const auto& word : text_terms(text, index.language())) {
      if (is_function_term(word, index.language()) || !known.insert(word).second) continue;
      if (known.size() > most_naming_words) break;
      const term_no term = index.term(word);
      if (term.value != no_number)
        counted.emplace_back(index.document_frequency(corpus::memories, term, at_), term);
    }
    std::ranges::stable_sort(counted, {}, [](const auto& one) { return one.first; });
    std::vector<term_no> words;
    words.reserve(counted.size());
    for (const auto& [count, term] : counted) words.push_back(term);
    return words;
  }

  /// Topics whose text has the field's name and a word of `text`, by id. What they are called is in
  /// their text, as far as that is found by words at all.
  result<std::set<memory_id>> topics_with_words(std::string_view text) const {
    std::set<memory_id> topics;
    const lexical& index = *views_.lexical;
    const auto name = text_terms(aliases_field, index.language());
    const term_no field = name.empty() ? term_no{} : index.term(name.front());
    if (field.value == no_number) return topics;
    const auto having = index.postings(corpus::memories, field);
    for (const term_no term : words_by_rarity(text)) {
      const auto with = index.postings(corpus::memories, term);
      const bool is_shorter = posting_count(with) < posting_count(having);
      std::set<memory_id> more;
      const std::array others = {is_shorter ? field : term};
      if (auto ok = add_topics(is_shorter ? with : having, others, more); !ok) return propagate(ok);
      for (const auto& id : more)
        if (topics.size() < most_named_topics) topics.insert(id);
      if (topics.size() == most_named_topics) break;
    }
    return topics;
  }

  /// Of the contents in `blocks`, those that have `others`, too, and may say what somebody is
  /// called.
  result<void> add_topics(std::span<const posting_block> blocks, std::span<const term_no> others,
                          std::set<memory_id>& topics) const {
    std::uint64_t looked_at = 0;
    for (const auto& block : blocks)
      for (std::uint32_t i = 0, size = block.size(); i < size; ++i) {
        if (auto ok = time_.check(looked_at++); !ok) return ok;
        const slot_no slot{block.slot(i)};
        if (!std::ranges::all_of(others,
                                 [&](term_no t) { return views_.lexical->count(slot, t) > 0; }))
          continue;
        const row_no row = rows_.row_of_slot(slot, at_);
        if (row.value != no_number && may_name(row))
          topics.insert(views_.nodes->id(rows_.node(row)));
      }
    return {};
  }
  [[nodiscard]] bool may_name(row_no row) const {
    const row_line& line = rows_.rows().line(row);
    const bool is_own = line.actor == owner_.value || line.actor == host_.value;
    if (line.type != memory_type::topic || (line.flags & row_unfindable) != 0 || !is_own
        || !visible_(row) || line.valid_until_ns <= rule_.instant.ns)
      return false;
    if (rule_.audience && rows_.facets(row).audience != static_cast<std::uint8_t>(*rule_.audience))
      return false;
    return lineage_.standing_of(row).trust >= trust_unquoted;
  }
  [[nodiscard]] bool is_believed(const std::string& writer) const {
    return writer.empty() || writer == who_;
  }

  /// What the field holds, if who is believed wrote that.
  result<std::vector<std::string>> aliases_in(const memory_id& topic, kv_reader& reader) const {
    std::vector<std::string> none;
    auto field = read_field(reader, topic, aliases_field, at_);
    if (!field) return propagate(field);
    if (!field->has_value()) return none;
    auto current = read_revision(reader, (*field)->head, (*field)->current);
    if (!current) return propagate(current);
    if (!is_believed(current->created_by)) return none;
    const topic_value value{std::string(aliases_field), std::move(current->value)};
    return aliases_of(std::span(&value, 1));
  }

  result<void> leave_out_shared(called_name& called, const memory_id& own, kv_reader& reader) {
    auto is_shared = is_of_another(called.name, own, reader);
    if (!is_shared) return propagate(is_shared);
    called.is_shared = *is_shared;
    std::vector<std::string> others;
    for (auto& other : called.others) {
      if (called.is_shared) break;
      auto is_taken = is_of_another(other, own, reader);
      if (!is_taken) return propagate(is_taken);
      if (!*is_taken) others.push_back(std::move(other));
    }
    called.others = std::move(others);
    ensure(!called.is_shared || called.others.empty(), "who is not known has no other names");
    return {};
  }
  /// Has another topic this name, as its title or as an alias?
  result<bool> is_of_another(const std::string& name, const memory_id& own, kv_reader& reader) {
    std::set<memory_id> topics;
    if (auto ok = add_topics_with_all(text_terms(name, views_.language), topics); !ok)
      return propagate(ok);
    topics.erase(own);
    std::size_t looked_at = 0;
    for (const auto& id : topics) {
      if (++looked_at > most_named_topics) break;
      auto aliases = aliases_in(id, reader);
      if (!aliases) return propagate(aliases);
      auto topic = read_memory(views_, reader, id, at_);
      if (!topic) return propagate(topic);
      if (!topic->has_value()) continue;
      for (const auto& its_name : names_of((*topic)->version, *aliases))
        if (folded_words(its_name) == folded_words(name)) return true;
    }
    return false;
  }
  result<void> add_topics_with_all(const std::vector<std::string>& terms,
                                   std::set<memory_id>& topics) const {
    std::vector<term_no> numbers;
    std::span<const posting_block> fewest;
    for (const auto& term : terms) {
      const term_no number = views_.lexical->term(term);
      if (number.value == no_number) return {};
      const auto having = views_.lexical->postings(corpus::memories, number);
      if (numbers.empty() || posting_count(having) < posting_count(fewest)) fewest = having;
      numbers.push_back(number);
    }
    return add_topics(fewest, numbers, topics);
  }

  /// Without others, where the text has none of its names.
  result<called_name> read(const memory_id& id, kv_reader& reader) const {
    called_name called;
    auto aliases = aliases_in(id, reader);
    if (!aliases) return propagate(aliases);
    if (aliases->empty()) return called;
    auto topic = read_memory(views_, reader, id, at_);
    if (!topic) return propagate(topic);
    if (!topic->has_value()) return called;
    auto names = names_of((*topic)->version, *aliases);
    std::size_t most = 0;
    auto longest = names.end();
    for (auto name = names.begin(); name != names.end(); ++name) {
      const std::size_t words = folded_words(*name).size();
      if (words <= most || !is_in_text(*name)) continue;
      most = words;
      longest = name;
    }
    if (longest == names.end()) return called;
    called.name = *longest;
    names.erase(longest);
    called.others = std::move(names);
    return called;
  }
  [[nodiscard]] bool is_in_text(const std::string& name) const {
    return !std::ranges::search(words_, folded_words(name)).empty();
  }

  /// Its title, unless somebody else wrote that, then its aliases, each once.
  [[nodiscard]] std::vector<std::string> names_of(const version& topic,
                                                  const std::vector<std::string>& aliases) const {
    std::vector<std::string> names;
    std::set<std::vector<std::string>> known; // only asked
    const auto add = [&](const std::string& name) {
      if (names.size() < most_names && name.size() <= most_name_bytes && says_something(name)
          && known.insert(folded_words(name)).second)
        names.push_back(name);
    };
    const auto title = topic.data.find("title");
    if (title != topic.data.end() && is_believed(topic.created_by))
      if (const auto* text = std::get_if<std::string>(&title->second)) add(*text);
    std::ranges::for_each(aliases, add);
    return names;
  }
  /// Are not all of its words function words?
  [[nodiscard]] bool says_something(const std::string& name) const {
    const std::string_view language = views_.language;
    return !std::ranges::all_of(text_terms(name, language), [&](const std::string& term) {
      return is_function_term(term, language);
    });
  }

  std::vector<std::string> words_;
  std::string who_; ///< "" = the host
  seq_no at_;
  const naming_rule& rule_;
  const read_views& views_;
  const attributes& rows_;
  visible_rows visible_;
  term_no owner_; ///< of who owns nothing the missing term, which no row has
  term_no host_;
  lineage_reader lineage_;
  const deadline& time_;
};

} // namespace

result<std::vector<called_name>> other_names(std::string_view text, const asker& who, seq_no at,
                                             const naming_rule& rule, const read_views& views,
                                             const deadline& time) {
  return name_finder(text, who, at, rule, views, time).find(text);
}

alias_terms terms_of(const called_name& called, std::string_view language) {
  alias_terms terms{.name = text_terms(called.name, language), .others = {}};
  for (const auto& other : called.others)
    if (auto its_terms = text_terms(other, language); !its_terms.empty())
      terms.others.push_back(std::move(its_terms));
  return terms;
}

} // namespace mneme
