// The structure of Markdown: what is a section, a title, a link, and what only looks like one.

#include "tools/import/markdown_text.hpp"

#include <catch2/catch.hpp>

using mneme::importing::read_markdown;

TEST_CASE("sections start at headings and keep every byte that is not blank") {
  const std::string text = "Before.\n\n# One\nText.\n\nTwo\n---\nMore.\n\n\n# Three\n";
  const auto m = read_markdown(text);
  REQUIRE(m.sections.size() == 4);
  CHECK(m.title == "One");
  CHECK(m.sections[0].heading.empty());
  CHECK(m.sections[0].text == "Before.\n\n");
  CHECK(m.sections[1].heading == "One");
  CHECK(m.sections[1].position == text.find("# One"));
  CHECK(m.sections[2].heading == "Two");
  CHECK(m.sections[2].text == "Two\n---\nMore.\n\n\n");
  CHECK(m.sections[3].text == "# Three\n");
}

TEST_CASE("code is neither heading nor link") {
  const auto m = read_markdown("# Real\n```\n# no [[no]] [x](no.md)\n```\n`[[no]]`\n");
  CHECK(m.sections.size() == 1);
  CHECK(m.links.empty());
  // A code span is text of its heading, but its brackets are no link.
  CHECK(m.wiki_links.empty());
}

TEST_CASE("front matter gives simple pairs and the title") {
  const std::string text = "---\ntitle: \"A b\"\nx: 1\nlist:\n  - a\nempty:\n---\n# H\n";
  const auto m = read_markdown(text);
  CHECK(m.title == "A b");
  CHECK(m.front_matter
        == std::vector<std::pair<std::string, std::string>>{{"title", "A b"}, {"x", "1"}});
  REQUIRE(m.sections.size() == 1);
  CHECK(m.sections[0].position == text.find("# H"));
  // Without an end it is no front matter.
  CHECK(read_markdown("---\ntitle: x\n").front_matter.empty());
}

TEST_CASE("links are relative, decoded and without fragments; wiki links without alias") {
  const auto m =
      read_markdown("[a](x%20y.md#z) [b](../q.md?v=1) [c](https://e.org/a.md) [d](#top) "
                    "[e](/abs.md) [f](mailto:a@b) [[Page|alias]] [[Other#part]] [[ ]] [[x\n\n"
                    "[g][r]\n\n[r]: sub/r.md\n");
  CHECK(m.links == std::vector<std::string>{"x y.md", "../q.md", "sub/r.md"});
  CHECK(m.wiki_links == std::vector<std::string>{"Page", "Other"});
}

TEST_CASE("an empty or blank text has no sections") {
  CHECK(read_markdown("").sections.empty());
  CHECK(read_markdown(" \n\n").sections.empty());
}
