// RFC 3339 in and out, to the nanosecond, over the whole range.

#include <ctime>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/text/time_text.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

std::string normalised(std::string_view text) {
  const auto t = parse_timestamp(text);
  REQUIRE(t);
  return to_string(*t);
}

} // namespace

TEST_CASE("times are written as the C library writes them") {
  rc::prop("strftime", [] {
    const timestamp t = any_time();
    const std::time_t seconds = t.ns / 1'000'000'000;
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    char expected[32] = {};
    std::strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S", &parts);
    RC_ASSERT(to_string(t).substr(0, 19) == expected);
    RC_ASSERT(date_text(t) == std::string(expected, 10));
    RC_ASSERT(parse_timestamp(to_string(t)).value() == t);
  });
  rc::prop("whole seconds have no fraction", [] {
    const timestamp t{any_time().ns / 1'000'000'000 * 1'000'000'000};
    RC_ASSERT(to_string(t).size() == 20U);
    RC_ASSERT(parse_timestamp(to_string(t)).value() == t);
  });
}

TEST_CASE("edges of the range") {
  CHECK(to_string(timestamp{}) == "1970-01-01T00:00:00Z");
  CHECK(to_string(timestamp{1}) == "1970-01-01T00:00:00.000000001Z");
  CHECK(to_string(timestamp{1'500'000'000}) == "1970-01-01T00:00:01.5Z");
  CHECK(to_string(timestamp{946'684'800'000'000'000}) == "2000-01-01T00:00:00Z");
  CHECK(to_string(max_timestamp) == "2261-12-31T23:59:59.999999999Z");
  CHECK(parse_timestamp("2261-12-31T23:59:59.999999999Z").value() == max_timestamp);
  CHECK(is_valid(timestamp{}));
  CHECK(is_valid(max_timestamp));
  CHECK(!is_valid(timestamp{-1}));
  CHECK(!is_valid(timestamp{max_timestamp.ns + 1}));
  // Out of the range, yet never nonsense: what was wrong can still be shown.
  CHECK(to_string(timestamp{-1}) == "1969-12-31T23:59:59.999999999Z");
}

TEST_CASE("input has any offset, either case, and up to nine digits") {
  CHECK(normalised("2024-02-29T12:00:00Z") == "2024-02-29T12:00:00Z");
  CHECK(normalised("2024-02-29t12:00:00z") == "2024-02-29T12:00:00Z");
  CHECK(normalised("2024-03-01T01:30:00+02:00") == "2024-02-29T23:30:00Z");
  CHECK(normalised("2024-02-29T18:30:00-05:45") == "2024-03-01T00:15:00Z");
  CHECK(normalised("2024-02-29T12:00:00-00:00") == "2024-02-29T12:00:00Z");
  CHECK(normalised("2024-02-29T12:00:00.120Z") == "2024-02-29T12:00:00.12Z");
  CHECK(normalised("2024-02-29T12:00:00.000000000Z") == "2024-02-29T12:00:00Z");
  CHECK(normalised("2024-02-29T12:00:00.123456789Z") == "2024-02-29T12:00:00.123456789Z");
  CHECK(normalised("1970-01-01T00:30:00+00:30") == "1970-01-01T00:00:00Z");
  CHECK(normalised("2262-01-01T00:00:00+00:01") == "2261-12-31T23:59:00Z");
  CHECK(normalised("1969-12-31T23:59:00-00:01") == "1970-01-01T00:00:00Z");
}

TEST_CASE("what is no time") {
  for (const std::string text : {"",
                                 "2024",
                                 "2024-02-29T12:00Z",
                                 "2024-02-29T12:00:00",
                                 "2024-02-29 12:00:00Z",
                                 "2023-02-29T12:00:00Z",
                                 "1900-02-29T12:00:00Z",
                                 "2024-00-01T12:00:00Z",
                                 "2024-13-01T12:00:00Z",
                                 "2024-01-00T12:00:00Z",
                                 "2024-01-32T12:00:00Z",
                                 "2024-04-31T12:00:00Z",
                                 "2024-01-01T24:00:00Z",
                                 "2024-01-01T12:60:00Z",
                                 "2024-01-01T12:00:60Z",
                                 "2024-01-01T12:00:00.Z",
                                 "2024-01-01T12:00:00.1234567890Z",
                                 "2024-01-01T12:00:00,5Z",
                                 "2024-01-01T12:00:00+24:00",
                                 "2024-01-01T12:00:00+01:60",
                                 "2024-01-01T12:00:00+0100",
                                 "2024-01-01T12:00:00+01",
                                 "2024-01-01T12:00:00ZZ",
                                 "2024-01-01T12:00:00Z ",
                                 " 2024-01-01T12:00:00Z",
                                 "+024-01-01T12:00:00Z",
                                 "20240101T120000Z",
                                 "1969-12-31T23:59:59Z",
                                 "1970-01-01T00:00:00+00:01",
                                 "2262-01-01T00:00:00Z",
                                 "2261-12-31T23:59:00-00:01",
                                 "9999-12-31T23:59:59Z",
                                 "0000-01-01T00:00:00Z"}) {
    const auto t = parse_timestamp(text);
    CAPTURE(text);
    REQUIRE(!t);
    CHECK(t.error().code == errc::bad_time);
  }
}
