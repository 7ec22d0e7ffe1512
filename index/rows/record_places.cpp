#include "index/rows/record_places.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "index/image.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr std::string_view places_image_name = "mnPLACE2";

template <class T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

bool names_segments(std::span<const record_place> places, std::size_t segments) {
  return std::ranges::all_of(places, [segments](const record_place& p) {
    return p.is_known == 0 || (p.head_segment < segments && p.version_segment < segments);
  });
}

} // namespace

result<saved_places> saved_places::open(const image_bytes& image) {
  auto in = image_reader::open_kept(image, places_image_name);
  if (!in) return propagate(in);
  saved_places saved;
  const std::uint64_t segment_count = in->get_count(sizeof(std::uint64_t));
  const std::uint64_t count = in->get_count(sizeof(std::uint64_t) + sizeof(record_place));
  saved.segments = in->get_array<std::uint64_t>(segment_count);
  saved.made = in->get_array<std::uint64_t>(count);
  saved.places = in->get_own_array<record_place>(count);
  if (!in->at_end() || segment_count > segment_number_bits || count >= no_number
      || std::ranges::adjacent_find(saved.segments, std::greater_equal()) != saved.segments.end()
      || (image.holder == nullptr && !names_segments(saved.places, saved.segments.size())))
    return fail(errc::corrupt, "the image of the records' places does not fit together");
  return saved;
}

bool saved_places::are_of(const row_store& rows) const {
  if (made.size() != rows.size()) return false;
  for (row_no row{0}; row.value < rows.size(); ++row.value)
    if (rows.line(row).begin != made[row.value]) return false;
  return true;
}

void record_places::append(const record_place& place) {
  const std::uint32_t number = count_.load(std::memory_order_relaxed);
  ensure(number < no_number, "places are numbered like rows");
  places_.grow(number) = place;
  count_.store(number + 1, std::memory_order_release);
}

void record_places::fill(std::span<record_place> places, std::shared_ptr<const void> holder) {
  ensure(size() == 0, "an image is loaded into empty places");
  ensure(places.size() < no_number, "places are numbered like rows");
  holder_ = std::move(holder);
  if (holder_ != nullptr)
    places_.adopt(places);
  else
    places_.fill(places);
  count_.store(static_cast<std::uint32_t>(places.size()), std::memory_order_release);
}

std::string record_places::save(std::span<const std::uint64_t> segments, const row_store& rows,
                                std::span<const row_no> kept) const {
  image_writer out;
  save(out, segments, rows, kept);
  return out.finish();
}

void record_places::save(image_writer& out, std::span<const std::uint64_t> segments,
                         const row_store& rows, std::span<const row_no> kept) const {
  out.begin(places_image_name);
  out.reserve((segments.size() + kept.size()) * sizeof(std::uint64_t)
              + kept.size() * sizeof(record_place) + 5 * image_alignment);
  out.put(std::uint64_t{segments.size()});
  out.put(std::uint64_t{kept.size()});
  out.align();
  out.put_raw(bytes_of(segments));
  out.align();
  for (const row_no row : kept) out.put(rows.line(row).begin);
  out.align();
  for (const row_no row : kept) {
    ensure(row.value < size(), "each row has a place");
    out.put_raw(bytes_of(std::span(&places_[row.value], 1)));
  }
}

} // namespace mneme
