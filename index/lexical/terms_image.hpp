#pragma once
/// A dictionary in an image: where each text ends, the texts, and the table of the hashes. Only
/// while nothing is interned.

#include <string>
#include <vector>

#include "index/columns/column_image.hpp"
#include "index/lexical/term_dictionary.hpp"

namespace mneme {

inline void put_terms(image_writer& out, const term_dictionary& terms) {
  std::vector<std::uint32_t> ends;
  std::string texts;
  for (std::uint32_t t = 0; t < terms.size(); ++t) {
    texts += terms.text(t);
    ends.push_back(static_cast<std::uint32_t>(texts.size()));
  }
  put_list<std::uint32_t>(out, ends);
  put_list<char>(out, texts);
  put_list<std::uint64_t>(out, terms.saved_slots());
}

/// Into an empty one, for whose life the image stays where it is; false if it does not fit
/// together.
inline bool adopt_terms(image_reader& in, term_dictionary& terms) {
  const auto ends = get_list<std::uint32_t>(in);
  const auto texts = get_list<char>(in);
  const auto slots = get_list<std::uint64_t>(in);
  return in.ok()
         && terms.adopt({.ends = ends, .texts = {texts.data(), texts.size()}, .slots = slots});
}

} // namespace mneme
