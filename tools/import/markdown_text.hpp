#pragma once
/// The structure of one Markdown text (libcmark): front matter, sections, links. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mneme::importing {

struct markdown_section {
  std::string heading; ///< empty for what stands before the first one
  std::size_t position = 0;
  std::string_view text; ///< with its heading line
};

struct markdown_text {
  std::string title; ///< front matter's, else the first level-1 heading, else empty
  std::vector<std::pair<std::string, std::string>> front_matter; ///< its simple `key: value` lines
  std::vector<markdown_section> sections;                        ///< none is blank
  std::vector<std::string> links;      ///< relative targets, decoded, without fragment
  std::vector<std::string> wiki_links; ///< targets of [[target#part|alias]]
};

/// The result's string_views borrow from `text`, which must be UTF-8.
markdown_text read_markdown(std::string_view text);

} // namespace mneme::importing
