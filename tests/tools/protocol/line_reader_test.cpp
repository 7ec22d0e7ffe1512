// Lines are found whatever their length, and one that is too long costs only itself.

#include "tools/protocol/line_reader.hpp"

#include <memory>

#include <catch2/catch.hpp>

using mneme::protocol::line_reader;

namespace {

struct read_line {
  line_reader::outcome outcome;
  std::string text;
};

std::vector<read_line> read_all(const std::string& input, std::size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), &std::fclose);
  REQUIRE(file != nullptr);
  REQUIRE(std::fwrite(input.data(), 1, input.size(), file.get()) == input.size());
  std::rewind(file.get());
  line_reader reader(file.get(), max_bytes);
  std::vector<read_line> lines;
  for (;;) {
    std::string text;
    const auto outcome = reader.next(text);
    if (outcome == line_reader::outcome::end) break;
    lines.push_back({outcome, text});
  }
  CHECK(reader.position() == input.size());
  CHECK_FALSE(reader.failed());
  return lines;
}

} // namespace

TEST_CASE("lines come one by one, the last one also without an end") {
  const auto lines = read_all("one\n\nthree", 10);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].text == "one");
  CHECK(lines[1].text.empty());
  CHECK(lines[2].text == "three");
  CHECK(read_all("", 10).empty());
  CHECK(read_all("one\n", 10).size() == 1);
}

TEST_CASE("a line over the bound is skipped whole, also over many buffers") {
  const auto lines =
      read_all("1234567890\n12345678901\n" + std::string(1U << 20, 'x') + "\nok\n", 10);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].outcome == line_reader::outcome::line);
  CHECK(lines[1].outcome == line_reader::outcome::too_long);
  CHECK(lines[2].outcome == line_reader::outcome::too_long);
  CHECK(lines[3].text == "ok");
}

TEST_CASE("a line may span buffers") {
  const std::string line(200'000, 'y');
  const auto lines = read_all(line + "\n" + line, 1U << 20);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].text == line);
  CHECK(lines[1].text == line);
}
