#include "index/lexical/text_terms.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <libstemmer.h>
#include <utf8proc.h>

#include "messages/ensure.hpp"

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

/// Marks that stand on letters. Those of Latin, Greek and Cyrillic are left out when people ask.
bool is_mark(utf8proc_int32_t c) {
  const auto category = utf8proc_category(c);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC
         || category == UTF8PROC_CATEGORY_ME;
}
bool is_accent(utf8proc_int32_t c) {
  return c >= 0x0300 && c <= 0x036F;
}

/// Letters of Latin that are no letter with an accent, as they are written without them: Lukasz is
/// Łukasz. Folded by case before; none = it stays.
std::string_view plain_letters(utf8proc_int32_t c) {
  switch (c) {
  case 0x00E6: // æ
    return "ae";
  case 0x00F0: // ð
  case 0x0111: // đ
    return "d";
  case 0x00F8: // ø
    return "o";
  case 0x00FE: // þ
    return "th";
  case 0x0127: // ħ
    return "h";
  case 0x0131: // ı
    return "i";
  case 0x0142: // ł
    return "l";
  case 0x0153: // œ
    return "oe";
  case 0x0167: // ŧ
    return "t";
  default:
    return {};
  }
}

/// Han and kana: words are not set apart.
bool is_unspaced(utf8proc_int32_t c) {
  if (c < 0x3005) return false;
  return c <= 0x3007 || (c >= 0x3041 && c <= 0x30FF) || (c >= 0x31F0 && c <= 0x31FF)
         || (c >= 0x3400 && c <= 0x4DBF) || (c >= 0x4E00 && c <= 0x9FFF)
         || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x323AF);
}

/// What may stand inside an identifier: an address, a code, a number, a path.
bool joins_identifier(utf8proc_int32_t c) {
  return c < 0x80 && std::string_view("@._-/:#+\\").contains(static_cast<char>(c));
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// As few digits of a hash as people write, and as many as git writes of itself where it cuts one.
constexpr std::size_t least_hash_digits = 7;
constexpr std::size_t most_cut_digits = 12;

/// Is it a hash of git, or what it begins with, and longer than it is ever cut to? Words
/// ("defaced") and numbers are none.
bool is_hash(std::string_view run) {
  constexpr std::size_t whole_hash_digits = 40;
  if (run.size() <= least_hash_digits || run.size() > whole_hash_digits) return false;
  const auto digits = std::ranges::count_if(run, is_digit);
  const auto letters = std::ranges::count_if(run, [](char c) { return c >= 'a' && c <= 'f'; });
  return digits > 0 && letters > 0 && digits + letters == std::ssize(run);
}

/// "1,000" and "12,500,000.50": the bytes of a number whose thousands commas set apart, where the
/// text begins with one; else 0.
std::size_t grouped_number_size(std::string_view text) {
  const auto digits_at = [&](std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && is_digit(text[end])) ++end;
    return end - at;
  };
  constexpr std::size_t group = 3;
  std::size_t size = digits_at(0);
  if (size == 0 || size > group || text.front() == '0') return 0;
  std::size_t groups = 0;
  for (; size < text.size() && text[size] == ','; ++groups) {
    const std::size_t digits = digits_at(size + 1);
    if (digits == 0) break;        // a comma of the sentence
    if (digits != group) return 0; // a list of numbers
    size += 1 + group;
  }
  if (groups == 0) return 0;
  if (size < text.size() && text[size] == '.')
    if (const std::size_t digits = digits_at(size + 1); digits > 0) size += 1 + digits;
  // "1,000km" is none.
  const bool goes_on =
      size < text.size() && ((text[size] | 0x20) >= 'a' && (text[size] | 0x20) <= 'z');
  return goes_on ? 0 : size;
}

/// One per thread: a stemmer keeps its last result, and the stems of the words that it met last: in
/// most texts nearly all words are ones that were there before, and to look one up costs a tenth of
/// its stem.
class word_stemmer {
public:
  explicit word_stemmer(const std::string& language)
      : stemmer_(sb_stemmer_new(language.c_str(), "UTF_8"), sb_stemmer_delete), kept_(kept_count) {
    ensure(stemmer_ != nullptr, "a language has a stemmer");
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

/// That of the calling thread; null for words that stay as they are.
word_stemmer* stemmer_of(std::string_view language) {
  if (language == no_language) return nullptr;
  thread_local std::map<std::string, word_stemmer, std::less<>> stemmers;
  const auto known = stemmers.find(language);
  if (known != stemmers.end()) return &known->second;
  return &stemmers.try_emplace(std::string(language), std::string(language)).first->second;
}

/// Longer runs are no words of a language; stems of theirs would only cost.
constexpr std::size_t stemmed_bytes_max = 256;

class term_reader {
public:
  /// Of plain words there are no stems, and no identifiers.
  explicit term_reader(word_stemmer* stem, bool plain_words = false)
      : stem_(stem), plain_words_(plain_words) {}

  std::vector<std::string> read(std::string_view text) {
    read_all(text);
    return std::move(terms_);
  }
  std::vector<text_run> read_runs(std::string_view text) {
    keeps_runs_ = true;
    read_all(text);
    return std::move(runs_);
  }

private:
  void read_all(std::string_view text) {
    const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    auto left = static_cast<utf8proc_ssize_t>(text.size());
    char before = ' ';
    while (left > 0) {
      const std::size_t grouped =
          is_digit(static_cast<char>(*at)) && begins_number(before)
              ? add_grouped({reinterpret_cast<const char*>(at), static_cast<std::size_t>(left)})
              : 0;
      if (grouped > 0) {
        at += grouped;
        left -= static_cast<utf8proc_ssize_t>(grouped);
        before = '0';
        continue;
      }
      before = static_cast<char>(*at);
      utf8proc_int32_t c = *at;
      utf8proc_ssize_t taken = 1;
      if (*at >= 0x80) taken = utf8proc_iterate(at, left, &c);
      if (taken <= 0) {
        end_identifier();
        taken = 1;
      } else if (c < 0x80) {
        add_ascii(c);
      } else {
        add_folded(c);
      }
      at += taken;
      left -= taken;
    }
    end_identifier();
  }
  /// Behind a letter, a digit or what joins them a digit begins no number of its own.
  [[nodiscard]] bool begins_number(char before) const {
    return !plain_words_ && run_.empty() && parts_ == 0 && before != ',' && before != '.';
  }
  /// Where the text begins with a number whose thousands are set apart, adds it without commas;
  /// answers its bytes. Its groups are no terms: two numbers are not alike for ending with "000".
  std::size_t add_grouped(std::string_view text) {
    const std::size_t size = grouped_number_size(text);
    if (size == 0 || size > stemmed_bytes_max) return 0;
    end_identifier();
    std::string number;
    for (const char c : text.substr(0, size))
      if (c != ',') number.push_back(c);
    ensure(is_digit(number.front()) && number.size() < size, "its commas are left out");
    const std::size_t point = number.find('.');
    terms_.push_back(number.substr(0, point));
    if (keeps_runs_) runs_.push_back({terms_.back(), false});
    if (point == std::string::npos) return size;
    terms_.push_back(number);
    if (keeps_runs_) runs_.push_back({number.substr(point + 1), true});
    return size;
  }
  void add_ascii(utf8proc_int32_t c) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_digit = c >= '0' && c <= '9';
    if (is_upper || is_digit || (c >= 'a' && c <= 'z')) {
      if (!starts_.empty()) end_identifier();
      run_.push_back(static_cast<char>(is_upper ? c + ('a' - 'A') : c));
      has_digit_ = has_digit_ || is_digit;
    } else if (joins_identifier(c) && !run_.empty()) {
      const bool is_point = c == '.' && run_.back() >= '0' && run_.back() <= '9';
      end_run();
      if (c == '@' || is_point) whole_.push_back(static_cast<char>(c));
      has_at_ = has_at_ || c == '@';
    } else {
      end_identifier();
    }
  }
  /// Case and compatibility forms are folded, accents dropped: composed and decomposed text is one.
  void add_folded(utf8proc_int32_t c) {
    std::array<utf8proc_int32_t, 32> folded{};
    int boundary_class = 0;
    const auto count = utf8proc_decompose_char(
        c, folded.data(), static_cast<utf8proc_ssize_t>(folded.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT
                                       | UTF8PROC_IGNORE),
        &boundary_class);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, std::ssize(folded)); ++i) {
      const auto part = folded[static_cast<std::size_t>(i)];
      const auto plain = plain_letters(part);
      if (part < 0x80)
        add_ascii(part);
      else if (!plain.empty())
        add_plain(plain);
      else if (is_letter_or_digit(part) || (is_mark(part) && !is_accent(part) && !run_.empty()))
        add_letter(part);
      else if (!is_accent(part))
        end_identifier();
    }
  }
  void add_plain(std::string_view letters) {
    if (!starts_.empty()) end_identifier();
    run_ += letters;
  }
  void add_letter(utf8proc_int32_t c) {
    if (!is_mark(c)) {
      const bool unspaced = is_unspaced(c);
      if (!run_.empty() && unspaced == starts_.empty()) end_identifier();
      if (unspaced) starts_.push_back(run_.size());
    }
    std::array<utf8proc_uint8_t, 4> encoded;
    const auto size = utf8proc_encode_char(c, encoded.data());
    run_.append(reinterpret_cast<const char*>(encoded.data()), static_cast<std::size_t>(size));
  }

  void end_run() {
    if (run_.empty()) return;
    const bool is_stemmed = stem_ != nullptr && run_.size() <= stemmed_bytes_max;
    if (keeps_runs_)
      runs_.push_back({is_stemmed && starts_.empty() ? (*stem_)(run_) : run_, parts_ > 0});
    if (!starts_.empty())
      add_pairs();
    else
      terms_.push_back(is_stemmed ? (*stem_)(run_) : run_);
    if (whole_.size() <= stemmed_bytes_max) whole_ += run_;
    ++parts_;
    run_.clear();
    starts_.clear();
  }
  /// Any two of them that follow each other may be a word, or part of one.
  void add_pairs() {
    if (starts_.size() == 1) return terms_.push_back(run_);
    starts_.push_back(run_.size());
    for (std::size_t i = 0; i + 2 < starts_.size(); ++i)
      terms_.push_back(run_.substr(starts_[i], starts_[i + 2] - starts_[i]));
  }
  /// An identifier is a term beside its parts, however its separators and zeros were written.
  void end_identifier() {
    end_run();
    while (whole_.ends_with('@') || whole_.ends_with('.')) whole_.pop_back();
    const bool is_identifier = parts_ > 1 && (has_digit_ || has_at_);
    if (is_identifier || (parts_ == 1 && has_digit_)) {
      const bool is_number =
          std::ranges::all_of(whole_, [](char c) { return c >= '0' && c <= '9'; });
      const auto zeros = is_number ? std::min(whole_.find_first_not_of('0'), whole_.size() - 1) : 0;
      if (!plain_words_ && (is_identifier || zeros > 0) && whole_.size() <= stemmed_bytes_max)
        terms_.push_back(whole_.substr(zeros));
      if (!plain_words_ && !is_identifier && is_hash(whole_)) add_beginnings();
    }
    whole_.clear();
    parts_ = 0;
    has_digit_ = has_at_ = false;
  }

  /// People tell a commit by as many digits of its hash as they like. They are stemmed as a run of
  /// that length is, or a question's would be another term.
  void add_beginnings() {
    ensure(whole_.size() > least_hash_digits, "a hash begins with less than it is");
    const std::size_t most = std::min(whole_.size() - 1, most_cut_digits);
    for (std::size_t size = least_hash_digits; size <= most; ++size) {
      const std::string beginning = whole_.substr(0, size);
      terms_.push_back(stem_ != nullptr ? (*stem_)(beginning) : beginning);
    }
  }

  word_stemmer* stem_;
  bool plain_words_;
  bool keeps_runs_ = false;
  std::string run_;
  std::vector<std::size_t> starts_; ///< of han and kana, where each begins; no run has others, too
  std::string whole_; ///< the runs so far that single separators join, with `@`, and a point behind
                      ///< a digit, between them
  std::size_t parts_ = 0;
  bool has_digit_ = false;
  bool has_at_ = false;
  std::vector<std::string> terms_;
  std::vector<text_run> runs_;
};

} // namespace

const std::vector<std::string>& text_languages() {
  static const std::vector<std::string> languages = [] {
    std::vector<std::string> all;
    for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) all.emplace_back(*name);
    std::ranges::sort(all);
    all.emplace_back(no_language);
    return all;
  }();
  return languages;
}

std::vector<std::string> text_terms(std::string_view text, std::string_view language) {
  return term_reader(stemmer_of(language)).read(text);
}

std::vector<text_run> text_runs(std::string_view text, std::string_view language) {
  return term_reader(stemmer_of(language)).read_runs(text);
}

std::vector<std::string> folded_words(std::string_view text) {
  return term_reader(nullptr, true).read(text);
}

std::string term_rules(std::string_view language) {
  static const std::string rules = [] {
    // Words that releases of the English stemmer have treated differently.
    std::string all = fmt::format("6 utf8proc {} unicode {} stems", utf8proc_version(),
                                  utf8proc_unicode_version());
    for (const auto& stem : text_terms("generously skis dying evening internally universities "
                                       "ageing conspiratorially added paste"))
      all += " " + stem;
    return all;
  }();
  return language == default_language ? rules : fmt::format("{} {}", rules, language);
}

} // namespace mneme
