// Well-formed UTF-8 as Unicode defines it, and blankness.

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/text/utf8_point.hpp"
#include "messages/validate/validate.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;
using namespace std::string_literals;

TEST_CASE("well-formed UTF-8 is accepted wherever it stands") {
  rc::prop("any text", [] { RC_ASSERT(is_utf8(any_text(40))); });
  CHECK(is_utf8(""));
  CHECK(is_utf8("\0"s));
  CHECK(is_utf8("\xED\x9F\xBF"));
  CHECK(is_utf8("\xEE\x80\x80"));
  CHECK(is_utf8("\xF4\x8F\xBF\xBF"));
}

TEST_CASE("ill-formed UTF-8 is refused wherever it stands") {
  for (const std::string bad :
       {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x9F\x98", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
        "\xFE", "\xFF", "\xC3\x28"}) {
    for (std::size_t before = 0; before < 17; ++before) {
      const std::string prefix(before, 'x');
      CHECK(!is_utf8(prefix + bad));
      CHECK(!is_utf8(prefix + bad + "xxxxxxxxx"));
    }
  }
}

TEST_CASE("blank is nothing but ASCII white space") {
  CHECK(is_blank(""));
  CHECK(is_blank(" \t\n\v\f\r"));
  CHECK(!is_blank(" x "));
  CHECK(!is_blank("\xC2\xA0"));
  CHECK(!is_blank("\0"s));
}

TEST_CASE("the start of a code point is found from any of its bytes") {
  const std::string text = "aé漢🙂";
  const std::size_t starts[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6};
  for (std::size_t at = 0; at < text.size(); ++at) CHECK(point_start(text, at) == starts[at]);
  CHECK(point_start(text, text.size()) == text.size());
  // Of what is no UTF-8, not far before.
  CHECK(point_start(std::string(100, '\x80'), 50) == 47);
}
