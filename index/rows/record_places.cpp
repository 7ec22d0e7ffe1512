#include "index/rows/record_places.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "index/image.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view places_image_name = "mnPLACE1";

constexpr std::uint64_t most_segments = segment_number_bits;

/// The bits below bit `n` of a word.
constexpr std::uint64_t below(std::uint64_t n) {
  return (std::uint64_t{1} << n) - 1;
}

constexpr std::uint64_t ones(std::uint64_t word) {
  return static_cast<std::uint64_t>(std::popcount(word));
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

} // namespace

std::uint32_t record_places::enter_segment(seq_no first) {
  const std::uint32_t count = segment_count_.load(std::memory_order_relaxed);
  if (count > 0 && segments_[count - 1] == first.value) return count - 1;
  ensure(count == 0 || segments_[count - 1] < first.value, "segments are entered in order");
  ensure(count < most_segments, "a segment has a number");
  segments_.grow(count) = first.value;
  segment_count_.store(count + 1, std::memory_order_release);
  return count;
}

record_places::line& record_places::grow_line(std::uint64_t number) {
  ensure(number < no_number, "seqs are fewer than lines have room for");
  // Lines without places are there, too: readers may ask about any seq.
  for (auto next = line_count_.load(std::memory_order_relaxed); next <= number; ++next) {
    lines_.grow(static_cast<std::uint32_t>(next)).before = count_.load(std::memory_order_relaxed);
    line_count_.store(next + 1, std::memory_order_release);
  }
  return lines_[static_cast<std::uint32_t>(number)];
}

void record_places::note(seq_no seq, record_place place) {
  const std::uint32_t number = count_.load(std::memory_order_relaxed);
  ensure(number < no_number, "places are numbered like rows");
  line& l = grow_line(seq.value / seqs_each);
  ensure(seq.value / seqs_each + 1 == line_count_.load(std::memory_order_relaxed),
         "places are noted in the order of their seqs");
  if (place.content == no_number) place.content = number;
  ensure(place.content <= number, "content is there before it is named");
  places_.grow(number) = place;
  std::uint64_t& word = l.has[seq.value % seqs_each / 64];
  ensure(word >> (seq.value % 64) == 0, "places are noted in the order of their seqs");
  store_release(word, word | std::uint64_t{1} << (seq.value % 64));
  count_.store(number + 1, std::memory_order_release);
}

/// How many of the line's first `bits` seqs have a place, and those of the lines before.
std::uint64_t record_places::count_below(const line& l, std::uint64_t bits) {
  std::uint64_t count = l.before;
  for (std::uint64_t w = 0; w < bits / 64; ++w) count += ones(load_acquire(l.has[w]));
  return count + ones(load_acquire(l.has[bits / 64]) & below(bits % 64));
}

std::uint32_t record_places::find(seq_no seq) const {
  const std::uint64_t number = seq.value / seqs_each;
  if (number >= line_count_.load(std::memory_order_acquire)) return no_number;
  const line& l = line_of(seq.value);
  const std::uint64_t bit = seq.value % seqs_each;
  if (((load_acquire(l.has[bit / 64]) >> (bit % 64)) & 1) == 0) return no_number;
  return static_cast<std::uint32_t>(count_below(l, bit));
}

std::string record_places::save(seq_no at) const {
  // Seqs that the writer notes meanwhile are later.
  const std::uint64_t end = at.value + 1;
  const std::uint64_t lines =
      std::min(line_count_.load(std::memory_order_acquire), at.value / seqs_each + 1);
  image_writer out(places_image_name);
  out.reserve(size() * sizeof(record_place) + lines * sizeof(line) + 64);
  const std::uint32_t segments = segment_count();
  out.put(std::uint64_t{segments});
  for (std::uint32_t s = 0; s < segments; ++s) out.put(segments_[s]);
  out.put(lines);
  std::uint64_t count = 0;
  for (std::uint64_t n = 0; n < lines; ++n) {
    const line& l = line_of(n * seqs_each);
    for (std::uint64_t w = 0; w < words_each; ++w) {
      const std::uint64_t first = n * seqs_each + w * 64;
      const std::uint64_t shown = first < end ? std::min<std::uint64_t>(end - first, 64) : 0;
      const std::uint64_t word =
          load_acquire(l.has[w]) & (shown == 64 ? ~std::uint64_t{0} : below(shown));
      out.put(word);
      count += ones(word);
    }
  }
  out.put(count);
  for (std::uint32_t n = 0; n < count; ++n) out.put_raw(bytes_of(places_[n]));
  return out.finish();
}

namespace {

template <class T>
T value_at(std::string_view raw, std::uint64_t index) {
  T value;
  std::memcpy(&value, raw.data() + index * sizeof(T), sizeof(T));
  return value;
}

/// The three lists of an image, and whether what they say fits together.
struct saved_places {
  std::uint64_t segments = 0;
  std::uint64_t lines = 0;
  std::uint64_t count = 0;
  std::string_view segment_bytes;
  std::string_view word_bytes;
  std::string_view place_bytes;

  [[nodiscard]] bool fit() const {
    if (count >= no_number || lines >= no_number || segments > most_segments) return false;
    for (std::uint64_t s = 1; s < segments; ++s)
      if (value_at<std::uint64_t>(segment_bytes, s - 1)
          >= value_at<std::uint64_t>(segment_bytes, s))
        return false;
    std::uint64_t bits = 0;
    for (std::uint64_t w = 0; w < word_bytes.size() / sizeof(std::uint64_t); ++w)
      bits += ones(value_at<std::uint64_t>(word_bytes, w));
    if (bits != count) return false;
    for (std::uint64_t n = 0; n < count; ++n) {
      const auto place = value_at<record_place>(place_bytes, n);
      if (place.segment >= segments || place.content > n) return false;
      // The place that is named has content of its own.
      if (value_at<record_place>(place_bytes, place.content).content != place.content) return false;
    }
    return true;
  }
};

} // namespace

result<void> record_places::load(std::string_view image) {
  ensure(line_count_ == 0 && segment_count_ == 0, "an image is loaded into empty places");
  auto in = image_reader::open(image, places_image_name);
  if (!in) return propagate(in);
  saved_places saved;
  saved.segments = in->get_count(sizeof(std::uint64_t));
  saved.segment_bytes = in->get_raw(saved.segments * sizeof(std::uint64_t));
  saved.lines = in->get_count(words_each * sizeof(std::uint64_t));
  saved.word_bytes = in->get_raw(saved.lines * words_each * sizeof(std::uint64_t));
  saved.count = in->get_count(sizeof(record_place));
  saved.place_bytes = in->get_raw(saved.count * sizeof(record_place));
  if (!in->at_end() || !saved.fit())
    return fail(errc::corrupt, "the image of the records' places does not fit together");
  for (std::uint64_t s = 0; s < saved.segments; ++s)
    enter_segment({value_at<std::uint64_t>(saved.segment_bytes, s)});
  std::uint64_t before = 0;
  for (std::uint64_t n = 0; n < saved.lines; ++n) {
    line& l = lines_.grow(static_cast<std::uint32_t>(n));
    l.before = before;
    for (std::uint64_t w = 0; w < words_each; ++w) {
      l.has[w] = value_at<std::uint64_t>(saved.word_bytes, n * words_each + w);
      before += ones(l.has[w]);
    }
  }
  for (std::uint32_t n = 0; n < saved.count; ++n)
    places_.grow(n) = value_at<record_place>(saved.place_bytes, n);
  count_ = static_cast<std::uint32_t>(saved.count);
  line_count_ = saved.lines;
  return {};
}

} // namespace mneme
