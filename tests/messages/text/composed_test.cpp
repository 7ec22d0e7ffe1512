// Names in one spelling, and what is no name.

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "messages/text/composed.hpp"

using namespace mneme;

TEST_CASE("what is spelt in one code point or in two is one name") {
  CHECK(composed("cafe\u0301") == "caf\u00E9");
  CHECK(composed("caf\u00E9") == "caf\u00E9");
  CHECK(decomposed("caf\u00E9") == "cafe\u0301");
  CHECK(decomposed("cafe\u0301") == "cafe\u0301");
  CHECK(decomposed("tea") == "tea");
  CHECK(decomposed("\xFF\xFE") == "\xFF\xFE");
  CHECK(composed("\u212B") == "\u00C5");
  CHECK(composed("tea") == "tea");
  CHECK(composed("").empty());
  CHECK(composed("\xFF\xFE") == "\xFF\xFE");
}

TEST_CASE("a name is among others in whatever spelling they are") {
  const std::vector<std::string> names = {"cafe\u0301", "tea"};
  CHECK(is_among(names, "caf\u00E9"));
  CHECK(is_among(names, "tea"));
  CHECK_FALSE(is_among(names, "cafe"));
  CHECK_FALSE(is_among({}, "tea"));
}

TEST_CASE("blanks and control characters are no names") {
  CHECK(name_fault("").empty());
  CHECK(name_fault("ana").empty());
  CHECK(name_fault("Ana Mar\u00EDa").empty());
  CHECK(name_fault("\u200Dx").empty());
  const std::string nul("a\0b", 3);
  for (const std::string& name :
       {std::string(" "), std::string("\u00A0\u2003"), nul, std::string("a\nb"), std::string("\t"),
        std::string("a\x7F"), std::string("a\u0085"), std::string("a\u2028b")})
    CHECK_FALSE(name_fault(name).empty());
}
