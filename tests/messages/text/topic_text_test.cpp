// What of a topic's fields is its text.
// Of: messages/text/topic_text.cpp
#include <catch2/catch.hpp>

#include "messages/text/forms.hpp"
#include "messages/text/topic_text.hpp"

using namespace mneme;

namespace {

json_value said(std::string t) {
  return {std::move(t)};
}
json_value items(std::vector<json_value> of) {
  return {std::move(of)};
}

} // namespace

TEST_CASE("values are written plainly: no quotes, no brackets, nothing of what is null") {
  CHECK(plain_text(said("hazel\"nuts\"")) == "hazel\"nuts\"");
  CHECK(plain_text({std::int64_t{-5}}) == "-5");
  CHECK(plain_text({12.5}) == "12.5");
  CHECK(plain_text({true}) == "true");
  CHECK(plain_text({false}) == "false");
  CHECK(plain_text({}).empty());
  CHECK(plain_text(items({said("Bo"), {}, {std::int64_t{3}}, said("Cy")})) == "Bo, 3, Cy");
  CHECK(plain_text(items({})).empty());
  CHECK(plain_text({std::vector<json_member>{{"m", {12.5}}, {"none", {}}, {"of", said("lead")}}})
        == "m: 12.5, of: lead");
  CHECK(plain_text(items({items({said("a"), said("b")}), said("c")})) == "a, b, c");
}

TEST_CASE("aliases are a list of names, or names with commas between them") {
  const auto aliases = [](json_value value) {
    const std::vector<topic_value> values = {{"a", said("x")}, {"aliases", std::move(value)}};
    return aliases_of(values);
  };
  const std::vector<std::string> both = {"Bob Smith", "Bobby"};
  CHECK(aliases(said("Bob Smith,Bobby")) == both);
  CHECK(aliases(said(" Bob Smith , ,Bobby\n,")) == both);
  CHECK(aliases(items({said("Bob Smith"), {std::int64_t{3}}, {}, said(" "), said("Bobby ")}))
        == both);
  CHECK(aliases(items({said("Smith, Bob")})) == std::vector<std::string>{"Smith, Bob"});
  CHECK(aliases({std::int64_t{3}}).empty());
  CHECK(aliases({}).empty());
  CHECK(aliases_of({}).empty());
}

TEST_CASE("each field that says something has a line, and a topic's text ends with them") {
  const std::vector<topic_value> values = {
      {"allergy", said("hazelnuts")}, {"gone", {}}, {"home", said("Porto")}};
  CHECK(field_lines(values) == "\nallergy: hazelnuts\nhome: Porto");
  CHECK(field_lines({}).empty());
  const memory_data ana = {{"title", "Ana"}, {"summary", "a friend"}};
  CHECK(searched_topic_text(ana, values)
        == searched_text(memory_type::topic, ana) + field_lines(values));
  CHECK(embedded_topic_text(ana, values) == "Ana\na friend\nallergy: hazelnuts\nhome: Porto");
}

TEST_CASE("the lines of fields are bounded, and cut between code points") {
  const std::string long_value = "a" + std::string(max_field_lines_bytes, 'b');
  std::string umlauts;
  while (umlauts.size() < max_field_lines_bytes) umlauts += "ü";
  for (const auto& value : {long_value, umlauts, umlauts + "a"})
    for (const char* name : {"n", "no"}) {
      const std::vector<topic_value> values = {{name, said(value)}, {"z", said("unseen")}};
      const auto lines = field_lines(values);
      CHECK(lines.size() <= max_field_lines_bytes);
      CHECK(lines.size() + 1 >= max_field_lines_bytes);
      CHECK((static_cast<unsigned char>(lines.back()) & 0xC0U) != 0xC0U);
      CHECK_FALSE(lines.contains("unseen"));
    }
}

TEST_CASE("values are told whole and in one line, as far as they fit") {
  const std::vector<topic_value> values = {{"allergy", {"hazelnuts"}},
                                           {"nothing", {}},
                                           {"notes", {"two\nlines"}},
                                           {"size", {std::int64_t{42}}}};
  CHECK(told_values(values, 600) == " (allergy: hazelnuts; notes: two lines; size: 42)");
  CHECK(told_values(values, 20) == " (allergy: hazelnuts)");
  CHECK(told_values(values, 12) == " (size: 42)");
  CHECK(told_values(values, 3).empty());
  CHECK(told_values({}, 600).empty());
  // The one that is asked for comes first where it would not be told, and is cut if it must be.
  CHECK(told_values(values, 600, "size") == told_values(values, 600));
  CHECK(told_values(values, 24, "size") == " (size: 42)");
  CHECK(told_values(values, 24, "notes") == " (notes: two lines)");
  CHECK(told_values(values, 16, "allergy") == " (allergy: hazel)");
  CHECK(told_values(values, 40, "none") == told_values(values, 40));
}

TEST_CASE("what has ended is not told, or since when") {
  const std::vector<topic_value> values = {
      {.name = "city", .value = {"Oslo"}, .valid_until = timestamp{10}},
      {.name = "size", .value = {std::int64_t{42}}, .valid_from = timestamp{20}},
      {.name = "nothing", .value = {}, .valid_until = timestamp{10}}};
  const auto told = [&](std::int64_t at, bool is_asked, bool includes_ended) {
    return told_values(
        values_told(values,
                    {.instant = {at}, .is_asked = is_asked, .includes_ended = includes_ended}),
        600);
  };
  CHECK(told(9, false, false) == " (city: Oslo; size: 42)");
  CHECK(told(10, false, false) == " (size: 42)");
  CHECK(told(10, true, false).empty());
  CHECK(told(20, true, false) == " (size: 42)");
  CHECK(told(10, false, true) == " (city: Oslo (until 1970-01-01); size: 42)");
}

TEST_CASE("the line that is asked for is among the first that are shown") {
  const memory_data data = {{"title", std::string("Ana")}};
  std::vector<topic_value> values;
  for (char c = 'a'; c < 'h'; ++c) values.push_back({std::string(1, c), {std::string(10, c)}});
  bool is_cut = false;
  const auto shown = [&](std::string_view wanted) {
    return told_topic_text(data, values, 60, wanted, is_cut);
  };
  CHECK(shown("") == "Ana\na: aaaaaaaaaa\nb: bbbbbbbbbb\nc: cccccccccc\nd: dddddddddd\n");
  CHECK(is_cut);
  CHECK(shown("a") == shown(""));
  CHECK(shown("none") == shown(""));
  CHECK(shown("g").starts_with("Ana\ng: gggggggggg\na: aaaaaaaaaa\n"));
  CHECK(shown("g").size() == 60);
  const memory_data wordy = {{"title", std::string(100, 't')}};
  CHECK(told_topic_text(wordy, values, 60, "g", is_cut)
        == std::string(46, 't') + "\ng: gggggggggg");
}
