#include "query/search/asked_times.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <optional>
#include <string>

#include "messages/ensure.hpp"
#include "query/asked_words.hpp"

namespace mneme {

namespace {

using std::chrono::sys_days;
using std::chrono::year_month;
using std::chrono::year_month_day;

constexpr std::int64_t day_ns = 86'400'000'000'000;
constexpr int first_year = 1900;
constexpr int last_year = 2261;

std::optional<unsigned> month_named(std::string_view word) {
  static constexpr std::array<std::string_view, 12> names = {
      "january", "february", "march",     "april",   "may",      "june",
      "july",    "august",   "september", "october", "november", "december"};
  const bool is_short = word.size() == 3 || word == "sept";
  for (unsigned i = 0; i < names.size(); ++i)
    if (word == names[i] || (is_short && names[i].starts_with(word))) return i + 1;
  return std::nullopt;
}

std::optional<int> number_in(std::string_view digits) {
  int n = 0;
  const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (digits.empty() || status != std::errc() || end != digits.data() + digits.size())
    return std::nullopt;
  return n;
}

/// "3", "03", "3rd"
std::optional<unsigned> day_named(std::string_view word) {
  for (const std::string_view ending : {"st", "nd", "rd", "th"})
    if (word.ends_with(ending)) {
      word.remove_suffix(ending.size());
      break;
    }
  const auto n = number_in(word);
  if (word.size() > 2 || !n || *n < 1 || *n > 31) return std::nullopt;
  return static_cast<unsigned>(*n);
}

std::optional<int> year_named(std::string_view word) {
  const auto n = number_in(word);
  if (word.size() != 4 || !n || *n < first_year || *n > last_year) return std::nullopt;
  return n;
}

std::int64_t number_of(sys_days day) {
  return day.time_since_epoch().count();
}

sys_days day_of(timestamp t) {
  return sys_days(std::chrono::days(t.ns / day_ns - (t.ns % day_ns < 0 ? 1 : 0)));
}

/// A word before a month or a year by which it is one: "may" and "march" are other words, too.
bool leads_to_time(std::string_view word) {
  static constexpr std::array<std::string_view, 14> words = {
      "in",     "of",    "during", "since", "from", "until", "till",
      "before", "after", "early",  "late",  "mid",  "last",  "by"};
  return std::ranges::find(words, word) != words.end();
}

/// Behind such a word a time is none that something happened at, but one that bounds it.
bool bounds_time(std::string_view word) {
  static constexpr std::array<std::string_view, 5> words = {"before", "after", "since", "until",
                                                            "till"};
  return std::ranges::find(words, word) != words.end();
}

/// Between such a word and the time: "before the end of June", "since early 2023".
bool is_part_of_time(std::string_view word) {
  static constexpr std::array<std::string_view, 9> words = {
      "the", "of", "early", "mid", "late", "start", "beginning", "middle", "end"};
  return std::ranges::find(words, word) != words.end();
}

/// The first month of a season; it has three.
std::optional<unsigned> season_named(std::string_view word) {
  if (word == "spring") return 3;
  if (word == "summer") return 6;
  if (word == "autumn" || word == "fall") return 9;
  if (word == "winter") return 12;
  return std::nullopt;
}

/// "2", "two"
std::optional<int> count_named(std::string_view word) {
  static constexpr std::array<std::string_view, 12> words = {"one",  "two", "three",  "four",
                                                             "five", "six", "seven",  "eight",
                                                             "nine", "ten", "eleven", "twelve"};
  if (word == "a" || word == "an") return 1;
  const auto* at = std::ranges::find(words, word);
  return at == words.end() ? number_in(word)
                           : std::optional(static_cast<int>(at - words.begin()) + 1);
}

std::optional<std::chrono::weekday> weekday_named(std::string_view word) {
  static constexpr std::array<std::string_view, 7> names = {
      "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};
  const auto* at = std::ranges::find(names, word);
  if (at == names.end()) return std::nullopt;
  return std::chrono::weekday(static_cast<unsigned>(at - names.begin()));
}

enum class unit { day, week, month, year };

std::optional<unit> unit_named(std::string_view word) {
  if (word.ends_with('s')) word.remove_suffix(1);
  static constexpr std::array<std::string_view, 4> names = {"day", "week", "month", "year"};
  const auto* at = std::ranges::find(names, word);
  if (at == names.end()) return std::nullopt;
  return static_cast<unit>(at - names.begin());
}

} // namespace

/// Reads the words from left to right; each rule says how many it took.
class time_reader {
public:
  time_reader(asked_times& into, std::string_view question, timestamp now)
      : into_(into), words_(asked_words(question)), today_(day_of(now)) {
    if (words_.size() > most_asked_words) words_.resize(most_asked_words);
  }

  void read() {
    for (std::size_t at = 0; at < words_.size();) {
      std::size_t taken = 0;
      const std::size_t spans = into_.spans_.size();
      const std::size_t after = into_.days_after_.size();
      const std::size_t yearly = into_.yearly_.size();
      for (const auto rule :
           {&time_reader::iso_day, &time_reader::iso_month, &time_reader::day_first,
            &time_reader::month_first, &time_reader::near_day, &time_reader::weekday,
            &time_reader::relative, &time_reader::counted, &time_reader::season,
            &time_reader::month_alone, &time_reader::year_alone})
        if (taken == 0) taken = (this->*rule)(at);
      if (taken == 0) into_.other_words_.push_back(words_[at]);
      if (taken > 0) into_.names_time_ = true;
      if (taken > 0 && is_bound(at)) {
        into_.spans_.resize(spans);
        into_.days_after_.resize(after);
        into_.yearly_.resize(yearly);
      }
      at += std::max<std::size_t>(taken, 1);
    }
    into_.has_words_ =
        !std::ranges::all_of(words_, [](const auto& word) { return number_in(word).has_value(); });
  }

private:
  [[nodiscard]] std::string_view word(std::size_t at) const {
    return at < words_.size() ? std::string_view(words_[at]) : std::string_view();
  }

  /// "The week before 16 November" is near it, and no bound.
  [[nodiscard]] bool is_bound(std::size_t at) const {
    while (at > 0 && is_part_of_time(word(at - 1))) --at;
    return at > 0 && bounds_time(word(at - 1)) && (at < 2 || !unit_named(word(at - 2)));
  }

  void add(sys_days from, sys_days to) { into_.spans_.push_back({number_of(from), number_of(to)}); }
  void add_one(sys_days day) { add(day, day + std::chrono::days(1)); }

  /// False if the year has no such day.
  bool add_day(int year, unsigned month, unsigned day) {
    const year_month_day date{std::chrono::year(year), std::chrono::month(month),
                              std::chrono::day(day)};
    if (!date.ok()) return false;
    const sys_days named(date);
    add_one(named);
    into_.days_after_.push_back({number_of(named) + 1, number_of(named) + 2});
    return true;
  }
  void add_month(year_month month) {
    add(sys_days(month / 1), sys_days((month + std::chrono::months(1)) / 1));
  }
  void add_year(std::chrono::year year) {
    add(sys_days(year / 1 / 1), sys_days((year + std::chrono::years(1)) / 1 / 1));
  }

  std::size_t iso_day(std::size_t at) {
    const auto year = year_named(word(at));
    const auto month = day_named(word(at + 1));
    const auto day = day_named(word(at + 2));
    const bool has_form = word(at + 1).size() == 2 && word(at + 2).size() == 2;
    return year && month && day && has_form && add_day(*year, *month, *day) ? 3 : 0;
  }

  /// "2023-06", as all of the question: "2023 12" in others may be anything.
  std::size_t iso_month(std::size_t at) {
    const auto year = year_named(word(at));
    const auto month = day_named(word(at + 1));
    const bool has_form = words_.size() == 2 && word(at + 1).size() == 2;
    if (!year || !month || !has_form || *month > 12) return 0;
    add_month(std::chrono::year(*year) / std::chrono::month(*month));
    return 2;
  }

  /// "3 July 2023", "the 3rd of July"
  std::size_t day_first(std::size_t at) {
    const std::size_t of = word(at + 1) == "of" ? 1 : 0;
    const auto day = day_named(word(at));
    const auto month = month_named(word(at + 1 + of));
    if (!day || !month) return 0;
    // "the 3 may be late" is no date; "the 3rd of may", "on 3 may" and "3 may 2023" are.
    const bool is_certain = of == 1 || !number_in(word(at)) || year_named(word(at + 2))
                            || (at > 0 && word(at - 1) == "on");
    if (!is_certain && (word(at + 1) == "may" || word(at + 1) == "march")) return 0;
    return dated(2 + of, *month, *day, word(at + 2 + of));
  }
  /// "July 3rd, 2023", "July 2023"
  std::size_t month_first(std::size_t at) {
    const auto month = month_named(word(at));
    if (!month) return 0;
    if (const auto day = day_named(word(at + 1))) return dated(2, *month, *day, word(at + 2));
    const auto year = year_named(word(at + 1));
    if (!year) return 0;
    add_month(std::chrono::year(*year) / std::chrono::month(*month));
    return 2;
  }
  std::size_t dated(std::size_t taken, unsigned month, unsigned day, std::string_view behind) {
    if (const auto year = year_named(behind)) return add_day(*year, month, day) ? taken + 1 : 0;
    into_.yearly_.push_back({month, day});
    return taken;
  }

  /// "today", "the day before yesterday", "this morning", "last night"
  std::size_t near_day(std::size_t at) {
    const auto ago = [&](int days, std::size_t taken) {
      add_one(today_ - std::chrono::days(days));
      return taken;
    };
    if (word(at) == "today" || word(at) == "tonight") return ago(0, 1);
    if (word(at) == "yesterday") return ago(1, 1);
    if (word(at) == "day" && word(at + 1) == "before" && word(at + 2) == "yesterday")
      return ago(2, 3);
    if (word(at) == "last" && word(at + 1) == "night") return ago(1, 2);
    const bool is_part =
        word(at + 1) == "morning" || word(at + 1) == "afternoon" || word(at + 1) == "evening";
    return word(at) == "this" && is_part ? ago(0, 2) : 0;
  }
  /// "last Friday" is over, "on Friday" may be today.
  std::size_t weekday(std::size_t at) {
    const bool is_last = word(at) == "last";
    const bool is_led = is_last || word(at) == "on" || word(at) == "this";
    const auto day = weekday_named(word(at + (is_led ? 1 : 0)));
    if (!day || (!is_led && words_.size() > 1)) return 0;
    const auto newest = today_ - std::chrono::days(is_last ? 1 : 0);
    add_one(newest - (std::chrono::weekday(newest) - *day));
    return is_led ? 2 : 1;
  }

  /// "last week", "this month"
  std::size_t relative(std::size_t at) {
    const bool is_last = word(at) == "last" || word(at) == "previous";
    const auto of = unit_named(word(at + 1));
    if (!of || *of == unit::day || word(at + 1).ends_with('s') || (!is_last && word(at) != "this"))
      return 0;
    add_before(*of, is_last ? 1 : 0);
    return 2;
  }
  /// "2 days ago", "a week ago"
  std::size_t counted(std::size_t at) {
    const auto of = unit_named(word(at + 1));
    const auto n = count_named(word(at));
    constexpr int most = 1000;
    if (!of || !n || *n < 0 || *n > most || word(at + 2) != "ago") return 0;
    // Beside other words "two years ago" is some time then; "2 years ago" is counted.
    const bool is_exact = *n == 1 || number_in(word(at)) || *of != unit::year;
    if (!is_exact && words_.size() > 3) return 0;
    add_before(*of, *n);
    return 3;
  }
  /// The day, week, month or year that was `count` of them before today's.
  void add_before(unit of, int count) {
    const year_month_day date(today_);
    switch (of) {
    case unit::day:
      return add_one(today_ - std::chrono::days(count));
    case unit::week: {
      const auto monday = today_ - (std::chrono::weekday(today_) - std::chrono::Monday);
      return add(monday - std::chrono::weeks(count), monday - std::chrono::weeks(count - 1));
    }
    case unit::month:
      return add_month(date.year() / date.month() - std::chrono::months(count));
    case unit::year:
      return add_year(date.year() - std::chrono::years(count));
    }
  }

  /// "last summer", "summer of 2023", "in the summer"
  std::size_t season(std::size_t at) {
    const bool is_last = word(at) == "last" || word(at) == "previous";
    const std::size_t said = is_last || word(at) == "this" ? 1 : 0;
    const auto first = season_named(word(at + said));
    if (!first) return 0;
    if (said != 0) {
      add_season(is_last ? year_of_last(*first) : year_of_this(*first), *first);
      return 2;
    }
    const std::size_t of = word(at + 1) == "of" ? 1 : 0;
    if (const auto year = year_named(word(at + 1 + of))) {
      add_season(std::chrono::year(*year), *first);
      if (*first == 12) add_season(std::chrono::year(*year - 1), *first);
      return 2 + of;
    }
    const std::size_t article = at > 0 && word(at - 1) == "the" ? 1 : 0;
    if (at == article || !leads_to_time(word(at - article - 1))) return 0;
    for (unsigned i = 0; i < 3; ++i) into_.yearly_.push_back({(*first + i - 1) % 12 + 1, 0});
    return 1;
  }
  /// That begins in the year.
  void add_season(std::chrono::year year, unsigned first) {
    const year_month begin = year / std::chrono::month(first);
    add(sys_days(begin / 1), sys_days((begin + std::chrono::months(3)) / 1));
  }
  /// Until spring is over "this winter" is the one that began last year.
  [[nodiscard]] std::chrono::year year_of_this(unsigned first) const {
    const year_month_day date(today_);
    const bool is_past_winter = first == 12 && date.month() < std::chrono::June;
    return date.year() - std::chrono::years(is_past_winter ? 1 : 0);
  }
  /// The newest that is over.
  [[nodiscard]] std::chrono::year year_of_last(unsigned first) const {
    const auto year = year_month_day(today_).year();
    const year_month end = year / std::chrono::month(first) + std::chrono::months(3);
    const bool is_over = sys_days(end / 1) <= today_;
    if (is_over) return year;
    const year_month end_before = end - std::chrono::years(1);
    return year - std::chrono::years(sys_days(end_before / 1) <= today_ ? 1 : 2);
  }

  /// Nothing but a month or a year.
  [[nodiscard]] bool is_all(std::size_t at) {
    if (words_.size() != 1) return false;
    into_.only_word_ = words_[at];
    return true;
  }
  [[nodiscard]] bool stands_alone(std::size_t at) {
    return at == 0 ? is_all(at) : leads_to_time(word(at - 1));
  }
  /// "in July", "in early July"
  std::size_t month_alone(std::size_t at) {
    const auto month = month_named(word(at));
    if (!month || !stands_alone(at)) return 0;
    into_.yearly_.push_back({*month, 0});
    return 1;
  }
  /// "in 2023"
  std::size_t year_alone(std::size_t at) {
    const auto year = year_named(word(at));
    if (!year || !stands_alone(at)) return 0;
    add_year(std::chrono::year(*year));
    return 1;
  }

  asked_times& into_;
  std::vector<std::string> words_;
  sys_days today_;
};

asked_times::asked_times(std::string_view question, timestamp now) {
  time_reader(*this, question, now).read();
  const auto make_distinct = [](auto& all) {
    std::ranges::sort(all);
    const auto again = std::ranges::unique(all);
    all.erase(again.begin(), again.end());
  };
  make_distinct(spans_);
  make_distinct(days_after_);
  make_distinct(yearly_);
  ensure(names_time_ || (spans_.empty() && yearly_.empty()), "what is named names a time");
}

double asked_times::fit(timestamp t) const {
  constexpr double day_after = 0.5;
  if (empty()) return 0;
  const sys_days day = day_of(t);
  const auto is_in = [n = number_of(day)](const span& s) { return s.from <= n && n < s.to; };
  const auto is_on = [](const year_month_day& d, const yearly& y) {
    return static_cast<unsigned>(d.month()) == y.month
           && (y.day == 0 || static_cast<unsigned>(d.day()) == y.day);
  };
  const year_month_day date(day);
  if (std::ranges::any_of(spans_, is_in)
      || std::ranges::any_of(yearly_, [&](const yearly& y) { return is_on(date, y); }))
    return 1;
  const year_month_day before(day - std::chrono::days(1));
  const bool is_after =
      std::ranges::any_of(days_after_, is_in) || std::ranges::any_of(yearly_, [&](const yearly& y) {
        return y.day != 0 && is_on(before, y);
      });
  return is_after ? day_after : 0;
}

} // namespace mneme
