#include "query/selection/replaced_statement.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>
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

constexpr std::array<std::string_view, 10> being = {
    "is", "are", "was", "were", "becomes", "became", "isn't", "aren't", "changed", "moved"};
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

/// "10:30", "1.50", "14.2": one value, though it has the form of an identifier.
bool is_clock_or_decimal(std::string_view word) {
  const auto mark = word.find_first_of(":.,");
  if (mark == 0 || mark == std::string_view::npos || mark + 1 == word.size()) return false;
  return digits_in(word) + 1 == word.size();
}

std::string_view kind_of(std::string_view word) {
  if (is_in(days, word)) return "day";
  if (is_in(months, word)) return "month";
  if (is_in(numbers, word) || digits_in(word) > 0) return "number";
  return {};
}

/// What kind of value it is; none for what names something.
std::string_view value_kind(const asked_word& word) {
  if (word.is_identifier && !is_clock_or_decimal(word.lower)) return {};
  return kind_of(word.lower);
}

/// The values in the text: what kind, and which.
std::vector<std::pair<std::string_view, std::string>> values_in(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string>> all;
  for (const auto& word : words_of(text)) {
    const auto kind = value_kind(word);
    if (kind.empty() || word.quoted || word.lower == "one") continue;
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

/// A verb, and what joins it to the one place.
struct place_of_one {
  std::string_view verb; ///< its term
  std::string_view joint;
};
constexpr std::array places_of_one = std::to_array<place_of_one>({{"work", "at"},
                                                                  {"work", "for"},
                                                                  {"work", "as"},
                                                                  {"live", "in"},
                                                                  {"live", "at"},
                                                                  {"live", "on"},
                                                                  {"base", "in"},
                                                                  {"studi", "at"}});
/// More words are no place.
constexpr std::size_t most_place_words = 4;
/// They make no difference to what is said.
constexpr std::array passed_over =
    std::to_array<std::string_view>({"a", "an", "the", "is", "are", "am", "just"});

/// Behind one of them no word is of what the statement is about.
constexpr std::array verbs_and_pronouns = std::to_array<std::string_view>(
    {"is",   "are",  "was",   "were",    "am",    "isn't",   "aren't", "becomes", "became",
     "has",  "have", "had",   "does",    "do",    "did",     "will",   "can",     "may",
     "must", "i",    "we",    "you",     "he",    "she",     "it",     "they",    "there",
     "i'm",  "i've", "we've", "changed", "moved", "doesn't", "can't",  "won't",   "hasn't"});

/// Tells numbers that are of the subject from those that are values, one word behind the other.
class subject_reader {
public:
  /// Whether `word` is such a number. A statement has a subject and a verb before a value, so that
  /// a number behind one telling word, or before a verb that is known as one, is of the subject.
  bool is_of_subject(const asked_word& word, const stated_word& compared, const asked_word* next) {
    if (word.starts_sentence) *this = {};
    const bool is_before =
        !is_behind_ && next != nullptr && (telling_ <= 1 || is_in(verbs_and_pronouns, next->lower));
    is_behind_ = is_behind_ || is_in(verbs_and_pronouns, word.lower);
    if (compared.tells) ++telling_;
    return is_before && value_kind(word) == "number";
  }

private:
  bool is_behind_ = false;
  std::size_t telling_ = 0;
};

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

/// What stands in two texts where they differ, if they do in one place.
struct differing_words {
  std::span<const stated_word> before; ///< of the first, and the same in the second
  std::span<const stated_word> behind;
  std::span<const stated_word> said;
  std::span<const stated_word> older;
};
differing_words difference_of(const stated_text& said, const stated_text& older) {
  const auto is_same = [](const stated_word& a, const stated_word& b) { return a.term == b.term; };
  const std::span<const stated_word> a = said.words;
  const std::span<const stated_word> b = older.words;
  std::size_t before = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (before < shorter && is_same(a[before], b[before])) ++before;
  std::size_t behind = 0;
  while (before + behind < shorter && is_same(a[a.size() - 1 - behind], b[b.size() - 1 - behind]))
    ++behind;
  ensure(before + behind <= shorter, "no word is of both the beginning and the end");
  return {a.first(before), a.last(behind), a.subspan(before, a.size() - before - behind),
          b.subspan(before, b.size() - before - behind)};
}

/// Nothing but values, of one kind, and what joins them: "three times", "twice".
std::string_view only_kind_of(std::span<const stated_word> words) {
  std::string_view kind;
  for (const auto& word : words) {
    if (word.kind.empty() && word.tells && word.term != "time") return {};
    if (word.kind.empty()) continue;
    if (!kind.empty() && word.kind != kind) return {};
    kind = word.kind;
  }
  return kind;
}
bool are_names(std::span<const stated_word> words) {
  return std::ranges::all_of(words, [](const auto& w) { return w.is_name || !w.tells; })
         && std::ranges::any_of(words, &stated_word::is_name);
}

/// Where somebody lives or works, which is one place at a time as far as is said.
bool says_where(std::span<const stated_word> before) {
  if (before.size() < 3) return false;
  const std::string_view verb = before[before.size() - 2].term;
  const std::string_view joint = before.back().term;
  return std::ranges::any_of(
      places_of_one, [&](const auto& place) { return place.verb == verb && place.joint == joint; });
}

/// Do both say the same but for one value: "opens at ten", "works at Globex"?
bool has_other_value(const stated_text& said, const stated_text& older) {
  const differing_words differing = difference_of(said, older);
  if (differing.said.empty() || differing.older.empty()) return false;
  // Besides whom it is about they must say the same of it.
  const auto says = [](const stated_word& w) { return w.tells && w.kind.empty() && !w.is_name; };
  const auto what = differing.before.empty() ? differing.before : differing.before.subspan(1);
  if (std::ranges::none_of(what, says) && std::ranges::none_of(differing.behind, says))
    return false;
  const auto is_which = [](const stated_word& w) { return w.is_of_subject; };
  if (std::ranges::any_of(differing.said, is_which)
      || std::ranges::any_of(differing.older, is_which))
    return false;
  const auto kind = only_kind_of(differing.said);
  if (!kind.empty()) return kind == only_kind_of(differing.older);
  if (!says_where(differing.before) || differing.said.size() > most_place_words
      || differing.older.size() > most_place_words)
    return false;
  return (are_names(differing.said) && are_names(differing.older)) || said.changes;
}

stated_word compared(const asked_word& word, std::string_view language) {
  stated_word out{.term = word.lower, .kind = value_kind(word)};
  if (is_clock_or_decimal(word.lower)) { // "10:30" and "10:45" begin alike
    out.tells = true;
    return out;
  }
  if (word.lower == "once" || word.lower == "twice") out.kind = "number";
  const auto terms = text_terms(word.bare, language);
  if (!terms.empty()) out.term = terms.front();
  out.is_name = word.is_capital && !word.starts_sentence && out.kind.empty();
  out.tells = std::ranges::any_of(
      terms, [&](const std::string& t) { return !is_function_term(t, language); });
  return out;
}

} // namespace

bool denies(std::string_view text) {
  return std::ranges::any_of(words_of(text), [](const asked_word& w) {
    return is_denial(w.lower) || w.lower == "nobody";
  });
}

namespace {

using words = std::span<const asked_word>;

/// "No, I …" answers, and "no. 5" counts; "without" leaves the rest as it is said.
bool denies_clause(words clause) {
  return std::ranges::any_of(clause, [](const asked_word& w) {
    if (w.quoted || w.lower == "without" || w.lower == "nothing") return false;
    if (w.lower == "no" && w.ends_part) return false;
    return is_denial(w.lower) || w.lower == "nobody";
  });
}

/// What of a text is said by itself: between marks, and what joins statements.
std::vector<words> clauses_of(words list) {
  static constexpr auto joining = std::to_array<std::string_view>(
      {"but", "and", "because", "so", "although", "though", "while", "when", "if"});
  std::vector<words> all;
  std::size_t begin = 0;
  const auto end_at = [&](std::size_t end) {
    if (end > begin) all.push_back(list.subspan(begin, end - begin));
    begin = end;
  };
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (is_in(joining, list[i].lower) && !list[i].quoted) end_at(i);
    if (list[i].ends_part) end_at(i + 1);
  }
  end_at(list.size());
  return all;
}

/// Of words that tell something, but for names: another name of the same may stand in their place.
std::set<std::string> telling_terms(words some, std::string_view language) {
  std::set<std::string> terms;
  for (const auto& word : some) {
    if (is_denial(word.lower) || is_in(changing, word.lower)) continue;
    for (auto& term : text_terms(word.bare, language))
      if (!is_function_term(term, language)) terms.insert(std::move(term));
  }
  return terms;
}

/// Does the clause that says most of the terms deny them?
bool is_denied_in(words text, const std::set<std::string>& asked, std::string_view language) {
  std::ptrdiff_t most = 0;
  bool is_denied = false;
  for (const auto& clause : clauses_of(text)) {
    const auto own = telling_terms(clause, language);
    const auto shared =
        std::ranges::count_if(asked, [&](const auto& t) { return own.contains(t); });
    if (shared > most) is_denied = false;
    if (shared > 0 && shared >= most) is_denied = is_denied || denies_clause(clause);
    most = std::max(most, shared);
  }
  return is_denied;
}

/// Has the text all that the words deny? "I never eat meat" is not that I never eat fish.
bool has_denied(words asked, words text, std::string_view language) {
  const auto own = telling_terms(text, language);
  for (const auto& clause : clauses_of(asked)) {
    auto denied = std::ranges::find_if(clause, [](const auto& w) { return is_denial(w.lower); });
    for (; denied != clause.end(); ++denied)
      if (!denied->is_capital
          && !std::ranges::all_of(telling_terms({denied, 1}, language),
                                  [&](const auto& t) { return own.contains(t); }))
        return false;
  }
  return true;
}

} // namespace

bool is_denied_otherwise(std::string_view asked, std::string_view text, std::string_view language) {
  const auto asked_words = words_of(asked);
  const auto own = words_of(text);
  if (denies(asked)) return !denies(text) || !has_denied(asked_words, own, language);
  return is_denied_in(own, telling_terms(asked_words, language), language);
}

bool is_contrary(std::string_view a, std::string_view b, std::string_view language) {
  if (is_denied_otherwise(a, b, language)) return true;
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
  subject_reader subject;
  const auto list = words_of(text);
  out.is_one = true;
  out.is_long = list.size() > most_stating_words;
  for (std::size_t i = 0; i < list.size() && out.parts.size() < most_parts; ++i) {
    const asked_word& word = list[i];
    reader.add(word);
    out.is_one = out.is_one && (i == 0 || !word.starts_sentence);
    stated_word one = compared(word, language);
    one.is_of_subject =
        subject.is_of_subject(word, one, i + 1 < list.size() ? &list[i + 1] : nullptr);
    if (!is_in(passed_over, word.lower) && !is_in(changing, word.lower))
      out.words.push_back(std::move(one));
    out.adds = out.adds || is_in(adding, word.lower);
    out.changes = out.changes || is_in(changing, word.lower);
    if (word.ends_part || i + 1 == list.size()) out.parts.push_back(reader.take());
  }
  return out;
}

bool takes_place(const stated_text& said, const stated_text& older,
                 const std::vector<std::string>& subject) {
  if (said.is_long || said.adds || older.is_long || !older.is_one) return false;
  const auto topic =
      std::ranges::find_if(said.parts, [](const auto& p) { return !p.topic.empty(); });
  if (topic != said.parts.end()) {
    const bool is_of_subject = std::ranges::all_of(topic->topic, [&](const std::string& term) {
      return std::ranges::find(subject, term) != subject.end();
    });
    if ((topic->is_attribute || !is_of_subject) && has_topic(*topic, older)) return true;
  }
  return said.is_one && has_other_value(said, older);
}

} // namespace mneme
