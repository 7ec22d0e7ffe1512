#include "messages/seams/hash_embedder.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>
#include <utf8proc.h>

#include "messages/ensure.hpp"
#include "messages/hash.hpp"
#include "messages/text/function_words.hpp"
#include "messages/text/utf8_point.hpp"
#include "messages/validate/validate.hpp"
#include "mneme/seams.hpp"

namespace mneme {

namespace {

/// Names the algorithm and all its constants: whoever changes a bit of any vector changes this,
/// so that old and new vectors are never compared.
constexpr std::string_view algorithm =
    "mneme hash embedder 1: words, pairs of words, padded character 3..5-grams";

constexpr std::uint32_t min_dim = 8;

/// What lies behind is not embedded, as with models of a bounded window.
constexpr std::size_t max_embedded_bytes = 32U << 10;

// Weights found by retrieval over conversations and scientific abstracts. A word has some twenty
// n-grams, so that together they weigh about twice as much as the word.
constexpr double pair_weight = 0.25;
constexpr double gram_weight = 0.5;
constexpr double short_word_weight = 0.8; ///< of words of two or three letters
constexpr double letter_weight = 0.25;    ///< of words of one
constexpr double function_word_weight = 0.1;
constexpr std::size_t min_gram = 3;
constexpr std::size_t max_gram = 5;

using code_point = utf8proc_int32_t;
constexpr code_point word_start = '<';
constexpr code_point word_end = '>';

/// The finaliser of MurmurHash3: every input bit moves every output bit.
constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xFF51AFD7ED558CCDULL;
  x = (x ^ (x >> 33)) * 0xC4CEB9FE1A85EC53ULL;
  return x ^ (x >> 33);
}

/// FNV-1a with code points for bytes, finished by mix(). The kind of a feature seeds it.
class feature_hash {
public:
  explicit constexpr feature_hash(std::uint64_t kind)
      : value_((0xCBF29CE484222325ULL ^ kind) * prime) {}
  constexpr void add(std::uint64_t item) { value_ = (value_ ^ item) * prime; }
  [[nodiscard]] constexpr std::uint64_t finished() const { return mix(value_); }

private:
  static constexpr std::uint64_t prime = 0x100000001B3ULL;
  std::uint64_t value_;
};
constexpr std::uint64_t word_kind = 1;
constexpr std::uint64_t pair_kind = 2;
constexpr std::uint64_t gram_kind = 3;

/// They are counted, so that a text of nothing else still has a vector, but have neither n-grams
/// nor pairs.
constexpr std::size_t function_word_count =
    static_cast<std::size_t>(std::ranges::count(function_words, ' '));
/// Sorted, for binary search.
constexpr std::array<std::uint64_t, function_word_count> function_word_hashes = [] {
  std::array<std::uint64_t, function_word_count> hashes{};
  std::size_t next = 0;
  feature_hash hash(word_kind);
  for (const char c : function_words) {
    if (c != ' ') {
      hash.add(static_cast<std::uint64_t>(c));
    } else {
      hashes[next++] = hash.finished();
      hash = feature_hash(word_kind);
    }
  }
  std::ranges::sort(hashes);
  return hashes;
}();

/// Features with their counts, in order of first occurrence, so that sums have a fixed order.
class feature_counts {
public:
  struct feature {
    std::uint64_t hash = 0;
    double weight = 0;
    std::uint32_t count = 0;
    std::uint32_t slot = 0;
  };

  void clear() {
    // One by one: the table may have grown for a text far larger than the next ones.
    for (const feature& f : features_) slots_[f.slot] = empty_slot;
    features_.clear();
  }
  void add(std::uint64_t hash, double weight) {
    if (features_.size() * 2 >= slots_.size()) grow();
    const std::uint32_t slot = slot_of(hash);
    if (slots_[slot] == empty_slot) {
      slots_[slot] = static_cast<std::uint32_t>(features_.size());
      features_.push_back({hash, weight, 0, slot});
    }
    ++features_[slots_[slot]].count;
  }
  [[nodiscard]] const std::vector<feature>& features() const { return features_; }

private:
  static constexpr std::uint32_t empty_slot = 0xFFFF'FFFF;

  [[nodiscard]] std::uint32_t slot_of(std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at] != empty_slot && features_[slots_[at]].hash != hash) at = (at + 1) & mask;
    return static_cast<std::uint32_t>(at);
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), empty_slot);
    for (std::uint32_t i = 0; i < features_.size(); ++i) {
      features_[i].slot = slot_of(features_[i].hash);
      slots_[features_[i].slot] = i;
    }
  }

  std::vector<feature> features_;
  std::vector<std::uint32_t> slots_;
};

bool is_letter_or_digit(code_point c) {
  switch (utf8proc_category(c)) {
  case UTF8PROC_CATEGORY_LU:
  case UTF8PROC_CATEGORY_LL:
  case UTF8PROC_CATEGORY_LT:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_LO:
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_MC:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_ND:
  case UTF8PROC_CATEGORY_NL:
  case UTF8PROC_CATEGORY_NO:
    return true;
  default:
    return false;
  }
}

/// Han and kana are written without spaces: each character is taken as a word.
bool is_word_by_itself(code_point c) {
  return (c >= 0x3040 && c <= 0x30FF && c != 0x3099 && c != 0x309A) || (c >= 0x3400 && c <= 0x4DBF)
         || (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF)
         || (c >= 0x20000 && c <= 0x3FFFF);
}

/// Accents of Latin, Greek and Cyrillic. People leave them out when they ask, so they are dropped.
bool is_accent(code_point c) {
  return c >= 0x0300 && c <= 0x036F;
}

/// Cuts text into folded words and counts what they are made of.
class feature_extractor {
public:
  explicit feature_extractor(feature_counts& counts) : counts_(counts) {}

  /// Precondition: `text` is UTF-8.
  void extract(std::string_view text) {
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto size = static_cast<utf8proc_ssize_t>(text.size());
    for (utf8proc_ssize_t at = 0; at < size;) {
      if (bytes[at] < 0x80) {
        add_ascii(bytes[at++]);
        continue;
      }
      code_point c = 0;
      at += utf8proc_iterate(bytes + at, size - at, &c);
      add_folded(c);
    }
    end_word();
  }

private:
  void add_ascii(code_point c) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      word_.push_back(is_upper ? c + ('a' - 'A') : c);
    else
      end_word();
  }
  /// Folds case and compatibility forms; composed and decomposed text becomes the same.
  void add_folded(code_point c) {
    if (is_word_by_itself(c)) return add_ideograph(c);
    std::array<code_point, 32> folded{};
    int boundary_class = 0;
    const auto count = utf8proc_decompose_char(
        c, folded.data(), static_cast<utf8proc_ssize_t>(folded.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT
                                       | UTF8PROC_IGNORE),
        &boundary_class);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, 32); ++i) {
      const code_point part = folded[static_cast<std::size_t>(i)];
      if (part < 0x80)
        add_ascii(part);
      else if (is_word_by_itself(part))
        add_ideograph(part);
      else if (is_accent(part))
        continue;
      else if (is_letter_or_digit(part))
        word_.push_back(part);
      else
        end_word();
    }
  }
  void add_ideograph(code_point c) {
    end_word();
    feature_hash hash(word_kind);
    hash.add(static_cast<std::uint64_t>(c));
    add_content_word(hash.finished(), 1.0);
  }

  void end_word() {
    const std::size_t letters = word_.size() - 1; // the start mark is no letter
    if (letters == 0) return;
    feature_hash hash(word_kind);
    for (std::size_t i = 1; i < word_.size(); ++i) hash.add(static_cast<std::uint64_t>(word_[i]));
    const std::uint64_t word_hash = hash.finished();
    if (std::ranges::binary_search(function_word_hashes, word_hash)) {
      counts_.add(word_hash, function_word_weight);
    } else {
      const double weight = letters == 1 ? letter_weight : letters <= 3 ? short_word_weight : 1.0;
      add_content_word(word_hash, weight);
      add_grams(weight);
    }
    word_.resize(1);
  }
  void add_content_word(std::uint64_t word_hash, double weight) {
    counts_.add(word_hash, weight);
    if (has_previous_) {
      feature_hash pair(pair_kind);
      pair.add(previous_word_);
      pair.add(word_hash);
      counts_.add(pair.finished(), pair_weight * std::sqrt(previous_weight_ * weight));
    }
    has_previous_ = true;
    previous_word_ = word_hash;
    previous_weight_ = weight;
  }
  void add_grams(double word_weight) {
    word_.push_back(word_end);
    for (std::size_t from = 0; from + min_gram <= word_.size(); ++from) {
      feature_hash gram(gram_kind);
      const std::size_t end = std::min(from + max_gram, word_.size());
      for (std::size_t i = from; i < end; ++i) {
        gram.add(static_cast<std::uint64_t>(word_[i]));
        if (i + 1 - from >= min_gram) counts_.add(gram.finished(), gram_weight * word_weight);
      }
    }
  }

  feature_counts& counts_;
  std::vector<code_point> word_{word_start};
  bool has_previous_ = false;
  std::uint64_t previous_word_ = 0;
  double previous_weight_ = 0;
};

class hash_embedder final : public embedder {
public:
  explicit hash_embedder(std::uint32_t dim)
      : space_{"hash@" + to_hex(sha256_of(algorithm)).substr(0, 16), dim} {}

  [[nodiscard]] vector_space space() const override { return space_; }

  [[nodiscard]] result<std::vector<float>> embed(std::string_view text) const override {
    if (!is_utf8(text)) return fail(errc::bad_utf8, "the text to embed is not UTF-8");
    thread_local feature_counts counts;
    counts.clear();
    feature_extractor(counts).extract(window(text));
    if (counts.features().empty()) return std::vector<float>{};
    return projected(counts.features());
  }

private:
  static std::string_view window(std::string_view text) {
    if (text.size() <= max_embedded_bytes) return text;
    return text.substr(0, point_start(text, max_embedded_bytes));
  }

  /// Every feature adds its weight, with a sign, to one number; the sum is made a unit vector.
  [[nodiscard]] std::vector<float>
  projected(const std::vector<feature_counts::feature>& features) const {
    std::vector<double> sums(space_.dim, 0.0);
    for (const auto& f : features) {
      const std::uint64_t bucket = ((f.hash >> 32) * space_.dim) >> 32;
      const double weight = f.weight * std::sqrt(static_cast<double>(f.count));
      sums[static_cast<std::size_t>(bucket)] += (f.hash & 1U) != 0 ? weight : -weight;
    }
    double square = 0;
    for (const double x : sums) square += x * x;
    if (square == 0) return {}; // every feature met its opposite
    const double length = std::sqrt(square);
    std::vector<float> out(sums.size());
    for (std::size_t i = 0; i < sums.size(); ++i)
      out[i] = sums[i] == 0 ? 0.0F : static_cast<float>(sums[i] / length);
    return out;
  }

  vector_space space_;
};

} // namespace

const std::string& hash_embedder_rules() {
  static const std::string rules =
      fmt::format("utf8proc {} unicode {}", utf8proc_version(), utf8proc_unicode_version());
  return rules;
}

std::shared_ptr<embedder> make_hash_embedder(std::uint32_t dim) {
  ensure(dim >= min_dim && dim <= max_vector_dim, "a hash embedder has 8 to 4096 dimensions");
  return std::make_shared<hash_embedder>(dim);
}

} // namespace mneme
