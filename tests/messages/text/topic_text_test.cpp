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
}
