// Parsing is strict, and what is printed reads back.

#include "tools/protocol/json_text.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <rapidcheck.h>

using namespace mneme;
using protocol::json;
using protocol::parse_json;

namespace {

errc code_of(std::string_view text) {
  return parse_json(text).error().code;
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

} // namespace

TEST_CASE("what is not one JSON document is bad_json") {
  for (const char* text :
       {"",         " ",      "{",       "}",           "{\"a\":}",    "{\"a\" 1}", "[1,]", "{} {}",
        "nul",      "'a'",    "{a:1}",   "01",          "1.",          ".5",        "+1",   "NaN",
        "Infinity", "\"\t\"", "\"\\x\"", "\"\\ud800\"", "\"\\udc00\"", "/*c*/1",    "[1] x"}) {
    INFO(text);
    CHECK(code_of(text) == errc::bad_json);
  }
  CHECK(code_of(std::string_view("\"a\0b\"", 5)) == errc::bad_json);
  CHECK(code_of(std::string_view("{}\0", 3)) == errc::bad_json);
  CHECK(code_of(std::string_view("{}\0}", 4)) == errc::bad_json);
  CHECK(code_of("\xEF\xBB\xBF{}") == errc::bad_json);
}

TEST_CASE("a key that is there twice is bad_json, at any depth") {
  CHECK(code_of(R"({"a":1,"a":1})") == errc::bad_json);
  CHECK(code_of(R"([{"b":{"a":1,"\u0061":2}}])") == errc::bad_json);
  CHECK(parse_json(R"({"a":{"a":1},"b":{"a":1}})").has_value());
}

TEST_CASE("nesting is bounded") {
  CHECK(parse_json(nested(protocol::max_depth)).has_value());
  CHECK(code_of(nested(protocol::max_depth + 1)) == errc::bad_json);
  // Far too deep must not cost the stack.
  CHECK(code_of(nested(1'000'000)) == errc::bad_json);
}

TEST_CASE("bytes that are not UTF-8 are bad_utf8") {
  for (const char* text :
       {"\"\xff\"", "\"\xc0\xaf\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\""}) {
    CHECK(code_of(text) == errc::bad_utf8);
  }
  CHECK(parse_json("\"\xc3\xa4\"").value() == "ä");
}

TEST_CASE("a document is at most 16 MiB") {
  std::string text(protocol::max_line_bytes, ' ');
  text.front() = '1';
  CHECK(parse_json(text).has_value());
  text.push_back(' ');
  CHECK(code_of(text) == errc::line_too_long);
}

TEST_CASE("numbers without a point or exponent are integers, the others floats") {
  const json numbers =
      parse_json("[0,-1,9223372036854775807,-9223372036854775808,1.0,1e2,-0.0]").value();
  for (std::size_t i = 0; i < 4; ++i) CHECK(numbers[i].is_number_integer());
  for (std::size_t i = 4; i < 7; ++i) CHECK(numbers[i].is_number_float());
  CHECK(numbers[2] == std::numeric_limits<std::int64_t>::max());
  CHECK(numbers[3] == std::numeric_limits<std::int64_t>::min());
}

TEST_CASE("numbers that do not fit are out_of_range with their path") {
  for (const auto& [text, at] :
       {std::pair{"9223372036854775808", ""},
        std::pair{R"({"a":[1,{"b":18446744073709551616}]})", "a[1].b"},
        std::pair{R"({"a":-9223372036854775809})", "a"}, std::pair{R"({"a":1e999})", "a"}}) {
    const auto parsed = parse_json(text);
    REQUIRE(!parsed);
    CHECK(parsed.error().code == errc::out_of_range);
    CHECK(parsed.error().at == at);
  }
  // Where the shape is judged first, an oversized integer parses.
  std::optional<error> oversized;
  CHECK(parse_json(R"({"a":99999999999999999999})", oversized).has_value());
  REQUIRE(oversized.has_value());
  CHECK(oversized->at == "a");
}

TEST_CASE("an object of many keys parses in order and without a look through all of them") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += (i ? ",\"" : "\"") + std::to_string(i) + "\":0";
  const auto parsed = parse_json(text + "}");
  REQUIRE(parsed.has_value());
  CHECK(parsed->size() == 200'000);
  CHECK(parsed->begin().key() == "0");
}

TEST_CASE("floats are printed as the shortest text that reads back") {
  CHECK(protocol::print(json(0.1)) == "0.1");
  CHECK(protocol::print(json(1.0)) == "1.0");
  CHECK(protocol::print(json(protocol::shortest(0.1F))) == "0.1");
  CHECK(protocol::print(json(protocol::shortest(16777216.0F))) == "16777216.0");
  CHECK(rc::check([](double value) {
    RC_PRE(std::isfinite(value));
    RC_ASSERT(parse_json(protocol::print(json(value))).value().get<double>() == value);
  }));
  CHECK(rc::check([](float value) {
    RC_PRE(std::isfinite(value));
    RC_ASSERT(static_cast<float>(protocol::shortest(value)) == value);
  }));
}

TEST_CASE("no text makes the parser throw") {
  CHECK(rc::check([](const std::string& text) { (void)parse_json(text); }));
  CHECK(rc::check([] {
    // Texts that are nearly JSON go deeper than random ones.
    static const std::string pieces[] = {"{", "}",  "[",    "]",    "\"a\"", ":",  ",",     "1",
                                         "-", "e9", "null", "true", "\\u00", "\"", "1e999", " "};
    std::string text;
    for (const auto i : *rc::gen::container<std::vector<std::size_t>>(
             rc::gen::inRange<std::size_t>(0, std::size(pieces))))
      text += pieces[i];
    (void)parse_json(text);
  }));
}

TEST_CASE("what is printed is what the library prints") {
  const auto by_the_library = [](const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
  };
  for (const double number :
       {0.0, -0.0, 1.0, 1.5, 1e15, 1e16, 1e-5, 123456.789, 5e-324, 1.7976931348623157e308, 0.1,
        std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
    CHECK(protocol::print(json(number)) == by_the_library(json(number)));
  for (const auto number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                            std::numeric_limits<std::int64_t>::max()})
    CHECK(protocol::print(json(number)) == by_the_library(json(number)));
  CHECK(protocol::print(json(~std::uint64_t{0})) == by_the_library(json(~std::uint64_t{0})));
  // Texts, also those that are no UTF-8, as keys and as values.
  CHECK(rc::check([](std::string bytes) {
    for (int letter = 0; letter < 3; ++letter)
      bytes += static_cast<char>(*rc::gen::inRange(0, 256));
    const json value =
        json::array({json{{bytes, nullptr}}, bytes, true, json::array(), json::object()});
    RC_ASSERT(protocol::print(value) == value.dump(-1, ' ', false, json::error_handler_t::replace));
  }));
  const json beside{{"a", protocol::printed_before("[1, 2]")}, {"b", 1}};
  CHECK(protocol::print(beside) == R"({"a":[1, 2],"b":1})");
}

TEST_CASE("a key that is there twice among many is bad_json") {
  std::string text = "{";
  for (int i = 0; i < 40; ++i) text += fmt::format("\"k{}\":{},", i, i);
  CHECK(parse_json(text + R"("last":0})")->size() == 41);
  for (const int twice : {0, 15, 16, 39})
    CHECK(code_of(text + fmt::format("\"k{}\":0}}", twice)) == errc::bad_json);
}
