// Tables line up by what a terminal shows, and control bytes never reach it.
// Of: tools/command/console.cpp

#include "tools/command/text_table.hpp"

#include <catch2/catch.hpp>

#include "tools/command/console.hpp"

using namespace mneme::command;

TEST_CASE("columns line up by display width and empty ones are left out") {
  text_table table({"a", "nothing", "b"});
  table.add({"日本", "", "x"});
  table.add({"é", "", "y"});
  CHECK(table.text(no_width, false) == "a     b\n日本  x\né     y\n");
}

TEST_CASE("the last column is cut to the terminal") {
  text_table table({"a", "b"});
  table.add({"1", "abcdefgh"});
  CHECK(table.text(8, false) == "a\n  b\n1\n  abcde…\n");
  CHECK(table.text(4, false) == "a\n  b\n1\n  a…\n");
  CHECK(cut_to_width("日本語", 5) == "日本…");
  CHECK(cut_to_width("abc", 3) == "abc");
}

TEST_CASE("what leaves no room for the last column goes below") {
  text_table table({"score", "id", "text"});
  table.add({"0.1", "01HZZZZZZZZZZZZZZZZZZZZZZ1", "tea is served at five in the afternoon"});
  table.add({"0.2", "01HZZZZZZZZZZZZZZZZZZZZZZ2", ""});
  CHECK(table.text(50, false)
        == "score  id                          text\n"
           "0.1    01HZZZZZZZZZZZZZZZZZZZZZZ1  tea is served …\n"
           "0.2    01HZZZZZZZZZZZZZZZZZZZZZZ2  \n");
  CHECK(table.text(40, false)
        == "score  id\n  text\n"
           "0.1    01HZZZZZZZZZZZZZZZZZZZZZZ1\n  tea is served at five in the afternoon\n"
           "0.2    01HZZZZZZZZZZZZZZZZZZZZZZ2\n");
}

TEST_CASE("control bytes are shown as blanks") {
  text_table table({"a"});
  table.add({"x\033[31m\ny"});
  CHECK(table.text(no_width, false) == "a\nx [31m y\n");
}

TEST_CASE("what turns or hides the text around it is shown by its number") {
  text_table table({"a"});
  table.add({"x\u202Ey\u2066z\u200F\u0085\u2028\uFEFF"});
  CHECK(table.text(no_width, false)
        == "a\nx\\u{202E}y\\u{2066}z\\u{200F}\\u{0085}\\u{2028}\\u{FEFF}\n");
  // What joins letters and emoji stays, and bytes that are no text.
  for (const char* kept : {"👩\u200D🚀", "می\u200Cخواهم", "co\u00ADop", "é", "\xff"})
    CHECK(printable(kept) == kept);
}

TEST_CASE("every code has one exit status") {
  using mneme::errc;
  CHECK(status_of(errc::busy) == status::store);
  CHECK(status_of(errc::corrupt) == status::store);
  CHECK(status_of(errc::format_unsupported) == status::store);
  CHECK(status_of(errc::io) == status::store);
  CHECK(status_of(errc::not_found) == status::bad_input);
  CHECK(status_of(errc::bad_json) == status::bad_input);
}
