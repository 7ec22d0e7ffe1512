// base64: the vectors of RFC 4648, round trips, and that exactly one text is accepted per value.

#include "tools/protocol/base64.hpp"

#include <catch2/catch.hpp>
#include <rapidcheck.h>

using namespace mneme;
using protocol::from_base64;
using protocol::to_base64;

TEST_CASE("base64 has the vectors of RFC 4648") {
  const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    CHECK(to_base64(bytes) == text);
    CHECK(from_base64(text).value() == bytes);
  }
}

TEST_CASE("base64 refuses what it would not write") {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Z===", "====", "Zh==", "Zm9=", "Zm 9", "Zm9v\n",
                           "Zm9v====", "=Zm9", "Z=m9", "Zm-_"}) {
    INFO(text);
    CHECK(from_base64(text).error().code == errc::bad_value);
  }
}

TEST_CASE("base64 gives back any bytes") {
  CHECK(rc::check(
      [](const std::string& bytes) { RC_ASSERT(from_base64(to_base64(bytes)).value() == bytes); }));
}
