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
  for (const char* text : {"Zg",           "Zg=",      "Zg===",
                           "Z===",         "====",     "Zh==",
                           "Zm9=",         "Zm 9",     "Zm9v\n",
                           "Zm9v====",     "=Zm9",     "Z=m9",
                           "Zm-_",         " Zm9v   ", "Zm9v\n\n\n\n",
                           "\t\t\t\tZm9v", "Zg==Zg==", "Zm8=Zm8=",
                           "Zm9v----",     "-m9v",     "=m9v",
                           "Z===",         "    ",     "Zm9v\x80\x80\x80\x80",
                           "\xC3\xA9==",   "=",        "=="}) {
    INFO(text);
    CHECK(from_base64(text).error().code == errc::bad_value);
  }
}

TEST_CASE("base64 takes no text but the one that it would write") {
  // Near a real text: what a lenient decoder would pass over stands somewhere in it.
  CHECK(rc::check([](const std::string& bytes) {
    std::string text = to_base64(bytes);
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size() + 1);
    const auto put = *rc::gen::element<std::string>(" ", "\n", "=", "-", "\t", "A", "/", "    ",
                                                    "====", "\n\n\n\n");
    if (*rc::gen::arbitrary<bool>())
      text.insert(at, put);
    else
      text.replace(at, std::min(put.size(), text.size() - at), put);
    const auto read = from_base64(text);
    if (read) RC_ASSERT(to_base64(*read) == text);
    RC_ASSERT(read || read.error().code == errc::bad_value);
  }));
}

TEST_CASE("base64 gives back any bytes") {
  CHECK(rc::check(
      [](const std::string& bytes) { RC_ASSERT(from_base64(to_base64(bytes)).value() == bytes); }));
}
