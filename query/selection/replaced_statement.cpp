#include "query/selection/replaced_statement.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "index/lexical/function_terms.hpp"
#include "messages/ensure.hpp"
#include "query/selection/word_list.hpp"

namespace mneme {

namespace {

/// Behind so many words somebody talks, and does not state one thing.
constexpr std::size_t most_stating_words = 16;
/// Of an older text so many parts are compared.
constexpr std::size_t most_parts = 64;

constexpr std::array<std::string_view, 9> being = {"is",     "are",   "was",    "were",   "becomes",
                                                   "became", "isn't", "aren't", "changed"};
constexpr std::array<std::string_view, 2> mine = {"my", "our"};
constexpr std::array<std::string_view, 5> of_somebody = {"his", "her", "your", "their", "its"};
constexpr std::array<std::string_view, 6> adding = {"too",     "also",       "another",
                                                    "besides", "additional", "additionally"};
constexpr std::array<std::string_view, 6> changing = {"now",    "nowadays", "currently",
                                                      "longer", "anymore",  "instead"};
/// Of them somebody or something has one at a time.
constexpr std::array attributes_of_one = std::to_array<std::string_view>(
    {"address", "number",   "name",     "email",     "mail",     "password", "code",
     "pin",     "budget",   "deadline", "favourite", "favorite", "birthday", "age",
     "weight",  "height",   "price",    "fee",       "rent",     "salary",   "goal",
     "job",     "employer", "title",    "phone",     "size",     "score",    "record",
     "limit",   "version",  "language", "date",      "colour",   "color",    "capital",
     "status",  "username", "nickname", "timezone",  "balance"});
constexpr std::array<std::string_view, 14> days = {
    "monday",  "tuesday",  "wednesday",  "thursday",  "friday",  "saturday",  "sunday",
    "mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"};
constexpr std::array<std::string_view, 11> months = {"january", "february", "march",   "april",
                                                     "june",    "july",     "august",  "september",
                                                     "october", "november", "december"};
constexpr std::array<std::string_view, 14> numbers = {"one",  "two",    "three",  "four",    "five",
                                                      "six",  "seven",  "eight",  "nine",    "ten",
                                                      "noon", "twelve", "twenty", "midnight"};

constexpr std::array<int, numbers.size()> number_values = {1, 2, 3,  4,  5,  6,  7,
                                                           8, 9, 10, 12, 12, 20, 24};

std::string_view kind_of(std::string_view word) {
  if (is_in(days, word)) return "day";
  if (is_in(months, word)) return "month";
  if (is_in(numbers, word) || digits_in(word) > 0) return "number";
  return {};
}

/// The values in the text: what kind, and which.
std::vector<std::pair<std::string_view, std::string>> values_in(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string>> all;
  for (const auto& word : words_of(text)) {
    const auto kind = kind_of(word.lower);
    if (kind.empty() || word.is_identifier || word.quoted || word.lower == "one") continue;
    const auto named = std::ranges::find(numbers, word.lower);
    if (named != numbers.end()) {
      all.emplace_back(
          kind, std::to_string(number_values[static_cast<std::size_t>(named - numbers.begin())]));
    } else {
      std::string value = word.lower;
      if (kind == "day" && value.ends_with('s')) value.pop_back();
      all.emplace_back(kind, std::move(value));
    }
  }
  return all;
}

/// Puts the words of one part together.
class part_reader {
public:
  explicit part_reader(std::string_view language) : language_(language) {}

  void add(const asked_word& word) {
    if (is_empty_) begin(word);
    is_empty_ = false;
    if (const auto kind = kind_of(word.lower); !kind.empty()) out_.kinds.push_back(kind);
    if (is_behind_) return;
    if (is_in(being, word.lower)) {
      is_behind_ = true;
      return;
    }
    is_attribute_ = is_attribute_ || is_in(attributes_of_one, word.lower);
    for (auto& term : text_terms(word.bare, language_))
      if (!is_function_term(term, language_)) before_.push_back(std::move(term));
  }

  stated_part take() {
    ensure(!is_empty_, "a part has words");
    if (is_behind_) {
      std::ranges::sort(before_);
      before_.erase(std::ranges::unique(before_).begin(), before_.end());
      out_.topic = std::move(before_);
      out_.is_attribute = is_attribute_;
    }
    stated_part done = std::move(out_);
    *this = part_reader(language_);
    return done;
  }

private:
  void begin(const asked_word& word) {
    if (is_in(mine, word.lower)) out_.by = stated_by::me;
    if (is_in(of_somebody, word.lower)) out_.by = stated_by::somebody;
    if (!word.is_possessive) out_.first = word.lower;
  }

  std::string_view language_;
  stated_part out_;
  std::vector<std::string> before_;
  bool is_empty_ = true;
  bool is_behind_ = false; ///< the verb was there
  bool is_attribute_ = false;
};

bool is_one_value(const stated_part& said, const stated_part& older) {
  if (said.is_attribute) return true;
  return std::ranges::any_of(said.kinds, [&](auto kind) {
    return std::ranges::find(older.kinds, kind) != older.kinds.end();
  });
}

bool is_of_others(stated_by a, stated_by b) {
  return a != b && (a == stated_by::somebody || b == stated_by::somebody);
}

/// Does the older text say the same of the same topic?
bool has_topic(const stated_part& said, const stated_text& older) {
  return std::ranges::any_of(older.parts, [&](const stated_part& part) {
    return part.topic == said.topic && !is_of_others(said.by, part.by) && is_one_value(said, part);
  });
}

std::string_view person_of(const stated_part& part) {
  return part.first.starts_with("i'") ? std::string_view("i") : std::string_view(part.first);
}

} // namespace

bool is_contrary(std::string_view a, std::string_view b) {
  const auto left = values_in(a);
  const auto right = values_in(b);
  return std::ranges::any_of(left, [&](const auto& value) {
    const auto of_kind = [&](const auto& v) { return v.first == value.first; };
    const auto is_had = [&](const auto& v) {
      return of_kind(v) && std::ranges::find(left, v) != left.end();
    };
    return std::ranges::any_of(right, of_kind) && std::ranges::none_of(right, is_had);
  });
}

stated_text read_stated(std::string_view text, std::string_view language) {
  stated_text out;
  part_reader reader(language);
  const auto list = words_of(text);
  out.is_long = list.size() > most_stating_words;
  for (std::size_t i = 0; i < list.size() && out.parts.size() < most_parts; ++i) {
    const asked_word& word = list[i];
    reader.add(word);
    out.adds = out.adds || is_in(adding, word.lower);
    out.changes = out.changes || is_in(changing, word.lower);
    if (word.ends_part || i + 1 == list.size()) out.parts.push_back(reader.take());
  }
  return out;
}

shared_words shared_with(const asked_selection& asked,
                         const std::function<bool(const std::string&)>& has) {
  shared_words shared;
  const auto& subject = asked.subject.terms;
  bool is_first = true;
  for (const auto& term : asked.content) {
    const bool of_subject = std::ranges::find(subject, term) != subject.end();
    const bool is_had = has(term);
    if (!of_subject) {
      if (is_first) shared.has_first = is_had;
      is_first = false;
    }
    if (!is_had || is_small_number(term) || is_value(asked, term)) continue;
    if (of_subject) ++shared.of_subject;
    shared.terms.push_back(term);
  }
  ensure(shared.of_subject <= shared.terms.size(), "the subject's words are among what is shared");
  return shared;
}

bool takes_place(const stated_text& said, const stated_text& older, const shared_words& shared) {
  if (said.parts.empty()) return false;
  ensure(shared.of_subject <= shared.terms.size(), "the subject's words are among what is shared");
  const std::size_t telling = shared.terms.size() - shared.of_subject;
  if (said.is_long) return telling >= 2;
  if (said.adds) return false;
  const auto topic =
      std::ranges::find_if(said.parts, [](const auto& p) { return !p.topic.empty(); });
  const auto is_shared = [&](const std::string& term) {
    return std::ranges::find(shared.terms, term) != shared.terms.end();
  };
  if (topic != said.parts.end()
      && (topic->is_attribute || topic->topic.size() > shared.of_subject)) {
    if (has_topic(*topic, older)) return true;
    // The same topic in other words, and something that is said of it.
    return !topic->is_attribute && std::ranges::all_of(topic->topic, is_shared)
           && shared.terms.size() > topic->topic.size() && telling >= 2;
  }
  if (telling >= 2) return true;
  // "Ana now works at …": what Ana does is the one word that is left.
  const auto person = person_of(said.parts.front());
  const bool is_person = shared.of_subject > 0 || person == "i" || person == "we";
  return said.changes && shared.has_first && is_person
         && std::ranges::any_of(older.parts,
                                [&](const auto& part) { return person_of(part) == person; });
}

} // namespace mneme
