#include "tools/import/text_words.hpp"

#include <algorithm>
#include <array>

#include <utf8proc.h>

#include "messages/text/hashtag.hpp"
#include "messages/text/lower_case.hpp"
#include "messages/text/utf8_point.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/text_chunks.hpp"

namespace mneme::importing {

namespace {

constexpr std::size_t min_word_letters = 3;

/// Sorted. English, as the chats and sources are that importers meet most; words of other languages
/// are kept.
constexpr std::array<std::string_view, 143> empty_words = {
    "about",   "after",   "again",  "all",    "also",  "and",     "another", "any",    "are",
    "aren",    "because", "been",   "before", "being", "both",    "but",     "can",    "cannot",
    "cool",    "could",   "did",    "didn",   "does",  "doesn",   "doing",   "don",    "done",
    "down",    "each",    "even",   "ever",   "every", "for",     "from",    "get",    "gets",
    "getting", "good",    "got",    "great",  "had",   "has",     "have",    "having", "her",
    "here",    "hers",    "hey",    "him",    "his",   "how",     "ill",     "into",   "isn",
    "its",     "ive",     "just",   "know",   "let",   "like",    "lot",     "made",   "make",
    "many",    "may",     "might",  "more",   "most",  "much",    "must",    "myself", "never",
    "nor",     "not",     "now",    "off",    "okay",  "once",    "one",     "only",   "onto",
    "other",   "our",     "out",    "over",   "own",   "really",  "said",    "same",   "say",
    "see",     "seen",    "she",    "should", "since", "some",    "still",   "such",   "than",
    "thank",   "thanks",  "that",   "the",    "their", "them",    "then",    "there",  "these",
    "they",    "thing",   "things", "this",   "those", "through", "too",     "under",  "until",
    "upon",    "use",     "used",   "very",   "was",   "way",     "well",    "were",   "what",
    "when",    "where",   "which",  "while",  "who",   "why",     "will",    "with",   "within",
    "without", "would",   "wow",    "yeah",   "yes",   "you",     "your",    "yours"};
static_assert(std::ranges::is_sorted(empty_words));

bool is_letter(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_inside_word(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return is_letter(c) || c == '_'
         || (category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ND);
}

} // namespace

std::vector<std::string> telling_words(std::string_view text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  std::size_t letters = 0;
  const auto end_word = [&](std::size_t end) {
    if (letters >= min_word_letters && end - begin <= max_tag_bytes) {
      std::string word = normalise_hashtag(text.substr(begin, end - begin));
      if (word.size() <= max_tag_bytes && !std::ranges::binary_search(empty_words, word))
        words.push_back(std::move(word));
    }
    letters = 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const utf8_point p = first_point(text.substr(at));
    if (is_inside_word(p.value)) {
      if (is_letter(p.value)) ++letters;
    } else {
      end_word(at);
      begin = at + p.bytes;
    }
    at += p.bytes;
  }
  end_word(text.size());
  return words;
}

void word_counts::add(std::string_view text) {
  for (auto& word : telling_words(text))
    ++counted_.try_emplace(std::move(word), occurrences{0, counted_.size()}).first->second.times;
}

std::vector<std::string> word_counts::most(std::size_t count) const {
  std::vector<const decltype(counted_)::value_type*> ranked;
  ranked.reserve(counted_.size());
  for (const auto& entry : counted_) ranked.push_back(&entry);
  std::ranges::sort(ranked, [](const auto* a, const auto* b) {
    return a->second.times != b->second.times ? a->second.times > b->second.times
                                              : a->second.first < b->second.first;
  });
  std::vector<std::string> words;
  for (const auto* entry : ranked) {
    if (words.size() == count) break;
    words.push_back(entry->first);
  }
  return words;
}

std::vector<std::string> innermost_first(std::string_view path, char separator) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const auto at = path.rfind(separator);
    const bool is_last = at == std::string_view::npos;
    parts.emplace_back(is_last ? path : path.substr(at + 1));
    path = is_last ? std::string_view() : path.substr(0, at);
  }
  return parts;
}

std::string name_as_hashtag(std::string_view name) {
  std::string tag;
  for (const auto& word : hashtag_words(name)) tag += (tag.empty() ? "" : "-") + word;
  return std::string(cut_text(tag, max_tag_bytes));
}

} // namespace mneme::importing
