// Of: query/search/asked_times.cpp, query/search/asked_alone.cpp
#include "query/search/asked_times.hpp"

#include <catch2/catch.hpp>

#include "query/search/asked_alone.hpp"

#include "messages/text/time_text.hpp"

using namespace mneme;

namespace {

/// Days of 2022 to 2024 that a question names, as "first..last" of each run.
std::string named(std::string_view question, std::string_view now = "2023-05-10T12:00:00Z") {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  const asked_times times(question, *parse_timestamp(now));
  const std::int64_t first = parse_timestamp("2022-01-01T23:59:59Z")->ns;
  std::string runs;
  std::int64_t begin = -1;
  for (std::int64_t day = 0; day <= 1096; ++day) {
    const bool is_in = day < 1096 && times.contains({first + day * day_ns});
    if (is_in && begin < 0) begin = day;
    if (is_in || begin < 0) continue;
    runs += (runs.empty() ? "" : " ") + date_text({first + begin * day_ns}) + ".."
            + date_text({first + (day - 1) * day_ns});
    begin = -1;
  }
  return runs;
}

} // namespace

TEST_CASE("a day is itself and the one after it") {
  for (const auto* question :
       {"What did Ana do on 3 July 2023?", "on July 3rd, 2023", "the 3rd of July 2023",
        "3 jul 2023", "log of 2023-07-03", "JULY 3, 2023"})
    CHECK(named(question) == "2023-07-03..2023-07-04");
  CHECK(named("on 31 December 2023") == "2023-12-31..2024-01-01");
}

TEST_CASE("a day without a year is in every year") {
  CHECK(named("what happened on 29 February?") == "2024-02-29..2024-03-01");
  CHECK(named("on May 7th")
        == "2022-05-07..2022-05-08 2023-05-07..2023-05-08 2024-05-07..2024-05-08");
}

TEST_CASE("months and years") {
  CHECK(named("the trip of July 2023") == "2023-07-01..2023-07-31");
  CHECK(named("31 February 2023") == "2023-02-01..2023-02-28"); // there is no such day
  CHECK(named("in december 2023, was it cold?") == "2023-12-01..2023-12-31");
  CHECK(named("what was planned in 2023") == "2023-01-01..2023-12-31");
  CHECK(named("the beach in early June")
        == "2022-06-01..2022-06-30 2023-06-01..2023-06-30 2024-06-01..2024-06-30");
}

TEST_CASE("what is counted from now") {
  CHECK(named("what did I eat yesterday?") == "2023-05-09..2023-05-09");
  CHECK(named("today") == "2023-05-10..2023-05-10");
  CHECK(named("3 days ago") == "2023-05-07..2023-05-07");
  CHECK(named("this week") == "2023-05-08..2023-05-14"); // 2023-05-10 is a Wednesday
  CHECK(named("last week") == "2023-05-01..2023-05-07");
  CHECK(named("a week ago") == "2023-05-01..2023-05-07");
  CHECK(named("last month") == "2023-04-01..2023-04-30");
  CHECK(named("two months ago") == "2023-03-01..2023-03-31");
  CHECK(named("two years ago", "2024-05-10T12:00:00Z") == "2022-01-01..2022-12-31");
  CHECK(named("how did it begin two years ago", "2024-05-10T12:00:00Z").empty());
  CHECK(named("5 months ago") == "2022-12-01..2022-12-31");
  CHECK(named("one year ago") == "2022-01-01..2022-12-31");
  CHECK(named("this week", "2023-05-14T23:59:59Z") == "2023-05-08..2023-05-14");
  CHECK(named("yesterday", "2024-03-01T00:00:00Z") == "2024-02-29..2024-02-29");
}

TEST_CASE("days near today, and days of the week") {
  CHECK(named("what happened the day before yesterday?") == "2023-05-08..2023-05-08");
  CHECK(named("what did I eat this morning?") == "2023-05-10..2023-05-10");
  CHECK(named("plans for tonight") == "2023-05-10..2023-05-10");
  CHECK(named("who called last night?") == "2023-05-09..2023-05-09");
  // 2023-05-10 is a Wednesday.
  CHECK(named("the trip on Wednesday") == "2023-05-10..2023-05-10");
  CHECK(named("the trip last Wednesday") == "2023-05-03..2023-05-03");
  CHECK(named("on Friday") == "2023-05-05..2023-05-05");
  CHECK(named("Monday?") == "2023-05-08..2023-05-08");
  for (const auto* question : {"Friday prayers", "this time", "last one", "before yesterday"})
    CHECK(named(question).empty());
}

TEST_CASE("the day after a named one fits by half") {
  const auto fit = [](std::string_view question, std::string_view day) {
    return asked_times(question, {0}).fit(*parse_timestamp(day));
  };
  for (const auto* question : {"on 10 February 2026", "on 10 February"}) {
    CHECK(fit(question, "2026-02-09T23:59:59Z") == 0);
    CHECK(fit(question, "2026-02-10T00:00:00Z") == 1);
    CHECK(fit(question, "2026-02-11T23:59:59Z") == 0.5);
    CHECK(fit(question, "2026-02-12T00:00:00Z") == 0);
  }
  CHECK(fit("10 February and 11 February 2026", "2026-02-11T08:00:00Z") == 1);
  CHECK(fit("after 10 February 2026", "2026-02-11T08:00:00Z") == 0);
}

TEST_CASE("seasons") {
  CHECK(named("last summer") == "2022-06-01..2022-08-31");
  CHECK(named("last summer", "2023-09-01T00:00:00Z") == "2023-06-01..2023-08-31");
  CHECK(named("previous winter", "2023-03-01T00:00:00Z") == "2022-12-01..2023-02-28");
  CHECK(named("last winter", "2024-02-29T00:00:00Z") == "2022-12-01..2023-02-28");
  CHECK(named("this winter", "2024-02-29T00:00:00Z") == "2023-12-01..2024-02-29");
  CHECK(named("this summer") == "2023-06-01..2023-08-31");
  CHECK(named("the fall of 2023") == "2023-09-01..2023-11-30");
  CHECK(named("winter 2023") == "2022-12-01..2023-02-28 2023-12-01..2024-02-29");
  CHECK(named("in the spring")
        == "2022-03-01..2022-05-31 2023-03-01..2023-05-31 2024-03-01..2024-05-31");
}

TEST_CASE("a month or a year that is all of the question") {
  CHECK(named("2023") == "2023-01-01..2023-12-31");
  CHECK(named("2023-06") == "2023-06-01..2023-06-30");
  CHECK_FALSE(asked_times("2023-06-01", {0}).has_words());
  CHECK(asked_times("June 2023", {0}).has_words());
  CHECK(named("June?") == "2022-06-01..2022-06-30 2023-06-01..2023-06-30 2024-06-01..2024-06-30");
}

TEST_CASE("several times are all of them") {
  CHECK(named("between 3 July 2023 and 2023-09-01")
        == "2023-07-03..2023-07-04 2023-09-01..2023-09-02");
}

TEST_CASE("words that name no time") {
  for (const auto* question :
       {"", "may I march?", "this may be it", "the 3 may be late", "You may go", "chapter 2023",
        "the week", "days ago", "2023-13-01", "the 3rd time", "summer", "fall in love",
        "he may fall", "hot spring", "the summer", "1500 days ago", "last days", "in 99999"})
    CHECK(named(question).empty());
  CHECK(asked_times("tea", {0}).empty());
  CHECK_FALSE(asked_times().contains({0}));
}

TEST_CASE("the ends of time are no trouble") {
  CHECK_FALSE(asked_times("1000 years ago", {0}).contains({0}));
  CHECK(asked_times("in 2261", {0}).contains(max_timestamp));
  CHECK(asked_times("today", max_timestamp).contains(max_timestamp));
}

TEST_CASE("a question of a time alone has no word that tells what is looked for") {
  const auto is_of_time = [](std::string_view question) {
    return asks_of_time_alone(asked_times(question, *parse_timestamp("2024-05-15T12:00:00Z")),
                              [](const std::string& word) { return word == "caroline"; });
  };
  CHECK(is_of_time("What did Caroline do in June?"));
  CHECK(is_of_time("What did they talk about on 17 August 2023?"));
  CHECK(is_of_time("what happened last month"));
  CHECK(is_of_time("What's new in Caroline's life this week?") == false);
  CHECK(is_of_time("what did I say yesterday"));
  // The question may be the time, in whatever words, but a name.
  for (const auto question :
       {"June", "june?", "2023", "in June 2023", "June 2023", "in 2023", "two months ago",
        "a year ago", "last summer", "in the summer", "summer of 2023", "yesterday", "2023-06-01",
        "on 3 June", "last week"})
    CHECK(is_of_time(question));
  CHECK_FALSE(is_of_time("Caroline"));
  CHECK_FALSE(is_of_time("June 42"));
  CHECK_FALSE(is_of_time("may happen"));
  CHECK_FALSE(is_of_time("summer"));
  CHECK_FALSE(is_of_time("2023 4"));
  CHECK_FALSE(is_of_time("What did Caroline do?"));
  CHECK_FALSE(is_of_time("What did Melanie do in June?"));
  CHECK_FALSE(is_of_time("What did Caroline paint in June?"));
  // A time that is a bound says what it is not.
  CHECK_FALSE(is_of_time("What happened after June 2023?"));
  CHECK_FALSE(is_of_time("What happened before 17 August 2023?"));
}

TEST_CASE("a time that bounds another is named, and nothing is of it") {
  for (const std::string bound : {"before", "after", "since", "until", "till", "Before the end of",
                                  "since early", "until the end of"})
    for (const std::string time :
         {"June 2023", "3 June 2023", "2023", "2023-06-03", "last month"}) {
      const asked_times times(bound + " " + time + " Caroline",
                              timestamp{1'688'000'000'000'000'000});
      CAPTURE(bound + " " + time);
      CHECK_FALSE(times.empty());
      for (const std::int64_t day : {-400, -30, -27, -20, 0})
        CHECK_FALSE(
            times.contains(timestamp{1'688'000'000'000'000'000 + day * 86'400'000'000'000}));
      CHECK(std::ranges::count(times.other_words(), "june") == 0);
    }
  // What is told from a time by days or weeks is near it.
  const asked_times near("the week before 3 June 2023", timestamp{1'688'000'000'000'000'000});
  CHECK(near.contains(timestamp{1'685'800'000'000'000'000}));
  // Others of the question are as they were.
  const asked_times both("in June 2023, before July 2023", timestamp{1'688'000'000'000'000'000});
  CHECK(both.contains(timestamp{1'686'000'000'000'000'000}));
  CHECK_FALSE(both.contains(timestamp{1'690'000'000'000'000'000}));
}

TEST_CASE("a question of a speaker alone has no word that tells what is looked for") {
  const auto asks = [](const std::vector<std::string>& words, bool is_english = true) {
    return asks_of_speaker_alone(
        words, [](const std::string& word) { return word == "bob"; }, is_english);
  };
  CHECK(asks({"what", "did", "bob", "say"}));
  CHECK(asks({"tell", "me", "about", "bob"}));
  CHECK(asks({"bob"}));
  CHECK(asks({"what", "did", "bob", "say", "lately"}));
  CHECK_FALSE(asks({"what", "did", "bob", "sell"}));
  CHECK_FALSE(asks({}));
  // Of another language nothing but the name is known.
  CHECK(asks({"bob"}, false));
  CHECK_FALSE(asks({"what", "did", "bob", "say"}, false));
}
