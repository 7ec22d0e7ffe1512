#include "tools/command/word_marks.hpp"

#include <catch2/catch.hpp>

using mneme::command::word_marks;

TEST_CASE("words that differ in their endings are marked") {
  const word_marks marks("When is green tea served?");
  CHECK(marks.in_bold("Green teas are serving.")
        == "\033[1mGreen\033[0m teas are \033[1mserving\033[0m.");
  CHECK(marks.in_bold("is it? whenever") == "is it? whenever");
  CHECK(word_marks().in_bold("tea") == "tea");
  CHECK(word_marks("CAFÉ").in_bold("a café") == "a \033[1mcafé\033[0m");
}

TEST_CASE("function words are not marked") {
  const word_marks marks("What is with the kettle and the lamp?");
  CHECK(marks.in_bold("the kettle, with the lid and")
        == "the \033[1mkettle\033[0m, with the lid and");
  CHECK(marks.excerpt("the lid").find("the") == 0);
}

TEST_CASE("an excerpt is one line, from shortly before what matches") {
  CHECK(word_marks("tea").excerpt("green\n\n  tea \tat five ") == "green tea at five ");
  const std::string far =
      "one two three four five six seven eight nine ten eleven twelve tea at five";
  CHECK(word_marks("tea").excerpt(far) == "…six seven eight nine ten eleven twelve tea at five");
  CHECK(word_marks("nothing").excerpt(far) == far);
  CHECK(word_marks("tea").excerpt(std::string(100, 'x') + "-tea")
        == std::string(100, 'x') + "-tea");
  CHECK(word_marks("tea").excerpt("").empty());
}
