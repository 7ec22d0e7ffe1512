#pragma once
/// The times that a question names, so that what was written then counts for more.
///
///     "3 July 2023", "July 3rd, 2023", "2023-07-03"    the day, and by half the one after it, when
///                                                      people tell; without a year, in any
///     "July 2023", "in July", "in 2023"                the month (in any year), the year
///     "July", "2023"                                   the same, if the question is nothing else
///     "in summer", "last summer", "summer of 2023"     June to August; a winter is of both years
///     "today", "yesterday", "two days ago",            the day
///     "the day before yesterday", "this morning",
///     "tonight", "last night"
///     "last Friday", "on Friday"                       the newest before today, up to today
///     "this week", "last month", "3 years ago"         of the calendar; weeks begin on Monday
///     "before June 2023", "since July", "until 2023"   none: a bound says when it was not
///
/// Days are those of UTC, seasons those of the northern half of the earth. English alone.

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/ids.hpp"

namespace mneme {

class asked_times {
public:
  asked_times() = default;
  /// `now` is what "yesterday" is counted from.
  asked_times(std::string_view question, timestamp now);

  /// Names the question no time, not even one that is a bound?
  [[nodiscard]] bool empty() const { return !names_time_; }
  /// 1 on what the question names, 0.5 on the day after a day that it names, else 0. Never more
  /// where the times are bounds.
  [[nodiscard]] double fit(timestamp t) const;
  [[nodiscard]] bool contains(timestamp t) const { return fit(t) > 0; }
  /// The words of the question that name no time, in their order.
  [[nodiscard]] const std::vector<std::string>& other_words() const { return other_words_; }
  /// The word that is all of the question, and may be somebody's name as well ("June"); else empty.
  [[nodiscard]] const std::string& only_word() const { return only_word_; }
  /// False for numbers alone ("2023-06-01", "2023"), which are of no language.
  [[nodiscard]] bool has_words() const { return has_words_; }

private:
  friend class time_reader;
  /// Days since 1970, [from, to).
  struct span {
    std::int64_t from;
    std::int64_t to;
    friend auto operator<=>(const span&, const span&) = default;
  };
  /// Of any year; day 0 is the whole month.
  struct yearly {
    unsigned month;
    unsigned day;
    friend auto operator<=>(const yearly&, const yearly&) = default;
  };

  std::vector<std::string> other_words_;
  std::string only_word_;
  bool has_words_ = false;
  bool names_time_ = false;
  std::vector<span> spans_;
  std::vector<span> days_after_; ///< of days that are named
  std::vector<yearly> yearly_;
};

} // namespace mneme
