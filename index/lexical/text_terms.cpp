#include "index/lexical/text_terms.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <libstemmer.h>
#include <utf8proc.h>

#include "messages/ensure.hpp"
#include "messages/text/composed.hpp"

namespace mneme {

namespace {

bool is_letter_or_digit(utf8proc_int32_t c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
    return true;
  default:
    return false;
  }
}

constexpr utf8proc_int32_t capital_i_with_dot = 0x130;
constexpr utf8proc_int32_t combining_dot_above = 0x307;
constexpr utf8proc_int32_t small_sigma = 0x3C3;
constexpr utf8proc_int32_t final_sigma = 0x3C2;

/// Lower case by the default mapping, which makes of a capital sigma one or the other small one by
/// where it stands: both are one here.
utf8proc_int32_t lowered(utf8proc_int32_t c) {
  if (c == capital_i_with_dot) return 'i';
  const utf8proc_int32_t lower = utf8proc_tolower(c);
  return lower == final_sigma ? small_sigma : lower;
}

/// One per thread: a stemmer keeps its last result, and the stems of the words that it met last: in
/// most texts nearly all words are ones that were there before, and to look one up costs a tenth of
/// its stem.
class english_stemmer {
public:
  english_stemmer()
      : stemmer_(sb_stemmer_new("english", "UTF_8"), sb_stemmer_delete), kept_(kept_count) {
    ensure(stemmer_ != nullptr, "libstemmer has an English stemmer");
  }

  const std::string& operator()(const std::string& word) {
    kept_stem& kept = kept_[std::hash<std::string>()(word) % kept_count];
    if (kept.word != word) {
      kept.stem = stem_of(word);
      kept.word = word;
    }
    return kept.stem;
  }

private:
  static constexpr std::size_t kept_count = 2048;

  struct kept_stem {
    std::string word; ///< empty: of none
    std::string stem;
  };

  std::string stem_of(std::string_view word) {
    const sb_symbol* stem =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                        static_cast<int>(word.size()));
    ensure(stem != nullptr, "out of memory for a stem");
    return {reinterpret_cast<const char*>(stem),
            static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
  std::vector<kept_stem> kept_; ///< each where its word's hash says
};

/// Longer runs are no words of a language; stems of theirs would only cost.
constexpr std::size_t stemmed_bytes_max = 256;

class term_reader {
public:
  std::vector<std::string> read(std::string_view text) {
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    while (left > 0) {
      utf8proc_int32_t c = *at;
      utf8proc_ssize_t taken = 1;
      if (*at >= 0x80) taken = utf8proc_iterate(at, left, &c);
      if (taken > 0 && is_letter_or_digit(c)) {
        add(c);
      } else if (c != combining_dot_above || !run_.ends_with('i')) {
        end_run();
      }
      if (taken <= 0) taken = 1;
      at += taken;
      left -= taken;
    }
    end_run();
    return std::move(terms_);
  }

private:
  void add(utf8proc_int32_t c) {
    utf8proc_uint8_t encoded[4];
    const auto size = utf8proc_encode_char(lowered(c), encoded);
    run_.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
  }
  void end_run() {
    if (run_.empty()) return;
    thread_local english_stemmer stem;
    terms_.push_back(run_.size() > stemmed_bytes_max ? run_ : stem(run_));
    run_.clear();
  }

  std::string run_;
  std::vector<std::string> terms_;
};

} // namespace

std::vector<std::string> text_terms(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(text, is_ascii)) return term_reader().read(text);
  return term_reader().read(composed(std::string(text)));
}

const std::string& term_rules() {
  static const std::string rules = [] {
    // Words that releases of the English stemmer have treated differently.
    std::string all = fmt::format("3 utf8proc {} unicode {} stems", utf8proc_version(),
                                  utf8proc_unicode_version());
    for (const auto& stem : text_terms("generously skis dying evening internally universities "
                                       "ageing conspiratorially added paste"))
      all += " " + stem;
    return all;
  }();
  return rules;
}

} // namespace mneme
