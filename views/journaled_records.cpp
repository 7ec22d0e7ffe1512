#include "views/journaled_records.hpp"

#include <utility>

#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "storage/checksum.hpp"

namespace mneme {

namespace {

/// Between the head and the version of a payload: the version's key.
constexpr std::uint64_t version_key_bytes = 1;

/// In the place of a file that cannot be opened, so that it is not tried again by each read.
class no_file final : public file {
public:
  result<std::string> read_at(std::uint64_t, std::size_t) override { return missing(); }
  result<std::size_t> read_into(std::uint64_t, std::span<char>) override { return missing(); }
  result<void> write_at(std::uint64_t, std::string_view) override { return missing(); }
  result<void> sync() override { return missing(); }
  result<std::uint64_t> size() override { return missing(); }
  result<void> truncate(std::uint64_t) override { return missing(); }

private:
  static std::unexpected<error> missing() {
    return fail(errc::not_found, "the segment could not be opened");
  }
};

/// Where a version stands that its head's entry brought.
constexpr std::uint64_t behind_head(const record_place& place) {
  return place.head_offset + place.head_size + version_key_bytes;
}

bool is_in_one_piece(const record_place& place) {
  return place.version_segment == place.head_segment && place.version_offset == behind_head(place);
}

} // namespace

journaled_records::journaled_records(std::shared_ptr<file_system> files,
                                     std::string journal_directory)
    : files_(std::move(files)), directory_(std::move(journal_directory)) {
}

journaled_records::~journaled_records() {
  for (std::uint32_t s = 0; s < segment_count_; ++s) delete opened_[s];
}

std::uint32_t journaled_records::enter_segment(std::uint64_t first) {
  const std::uint32_t count = segment_count_.load(std::memory_order_relaxed);
  if (count > 0 && segments_[count - 1] == first) return count - 1;
  ensure(count == 0 || segments_[count - 1] < first, "segments are entered in order");
  ensure(count < segment_number_bits, "a segment has a number");
  const std::lock_guard hold(open_mutex_);
  segments_.grow(count) = first;
  opened_.grow(count);
  segment_count_.store(count + 1, std::memory_order_release);
  if (count == 0) return count;
  if (file* const before = load_acquire(opened_[count - 1])) before->is_complete();
  return count;
}

void journaled_records::know_segments(std::span<const std::uint64_t> firsts) {
  ensure(segment_count_ == 0, "an image's segments come first");
  for (const std::uint64_t first : firsts) enter_segment(first);
}

std::vector<std::uint64_t> journaled_records::segments(seq_no at) const {
  std::vector<std::uint64_t> firsts;
  const std::uint32_t count = segment_count_.load(std::memory_order_acquire);
  for (std::uint32_t s = 0; s < count && segments_[s] <= at.value; ++s)
    firsts.push_back(segments_[s]);
  return firsts;
}

record_place journaled_records::place_of(const payload_place& at, const entry_record& record) {
  const bool has_content = !record.version_bytes.empty();
  if (!has_content && record.before == nullptr) return {};
  const std::size_t head_at = record.payload.find(record.head_bytes);
  ensure(head_at != std::string_view::npos, "a payload that brings a head has its bytes");
  ensure(at.offset + record.payload.size() <= segment_offset_bits,
         "a segment is as long as offsets reach");
  const std::uint32_t segment = enter_segment(at.segment.value);
  record_place place = has_content ? record_place{} : *record.before;
  place.is_known = 1;
  place.head_offset = (at.offset + head_at) & segment_offset_bits;
  place.head_segment = segment & segment_number_bits;
  place.is_coloured = record.is_coloured ? 1U : 0U;
  place.head_size = static_cast<std::uint32_t>(record.head_bytes.size());
  place.head_check = crc32c(record.head_bytes);
  place.head_held = record.head_held;
  if (!has_content) return place;
  const std::size_t version_at = head_at + record.head_bytes.size() + version_key_bytes;
  ensure(version_at <= record.payload.size()
             && record.payload.substr(version_at).starts_with(record.version_bytes),
         "a version follows its head");
  place.version_offset = (at.offset + version_at) & segment_offset_bits;
  place.version_segment = place.head_segment;
  place.version_size = static_cast<std::uint32_t>(record.version_bytes.size());
  place.version_check = crc32c(record.version_bytes);
  place.version_held = record.version_held;
  return place;
}

file& journaled_records::segment(std::uint64_t number) const {
  // A place that an image brought may name any.
  static no_file none;
  if (number >= segment_count_.load(std::memory_order_acquire)) return none;
  const auto s = static_cast<std::uint32_t>(number);
  if (file* there = load_acquire(opened_[s])) return *there;
  const std::lock_guard hold(open_mutex_);
  if (file* there = load_acquire(opened_[s])) return *there;
  auto opened = files_->open(directory_ + "/" + segment_name({segments_[s]}), open_mode::read);
  std::unique_ptr<file> its_file = opened ? std::move(*opened) : std::make_unique<no_file>();
  const bool is_newest = s + 1 == segment_count_.load(std::memory_order_relaxed);
  if (!is_newest) its_file->is_complete();
  store_release(opened_[s], its_file.release());
  return *opened_[s];
}

bool journaled_records::read_bytes(std::uint64_t number, std::uint64_t offset,
                                   std::span<char> to) const {
  const auto read = segment(number).read_into(offset, to);
  return read && *read == to.size();
}

void journaled_records::expect(const record_place& place) const {
  const std::uint64_t first = is_in_one_piece(place) ? place.head_offset : place.version_offset;
  segment(place.version_segment).expect(first, place.version_offset - first + place.version_size);
}

std::optional<taken_record> journaled_records::read(const record_place& place) const {
  ensure(place.is_known != 0, "a record is read where it is known to be");
  const bool is_one = is_in_one_piece(place);
  const std::size_t version_at = place.head_size + (is_one ? version_key_bytes : 0);
  const std::size_t size = version_at + place.version_size;
  auto bytes = std::make_shared_for_overwrite<char[]>(size); // NOLINT(modernize-avoid-c-arrays)
  const std::span<char> all(bytes.get(), size);
  if (!read_bytes(place.head_segment, place.head_offset, is_one ? all : all.first(place.head_size)))
    return {};
  if (!is_one && !read_bytes(place.version_segment, place.version_offset, all.subspan(version_at)))
    return {};
  if (crc32c({all.data(), place.head_size}) != place.head_check
      || crc32c({all.data() + version_at, place.version_size}) != place.version_check)
    return {};
  return unpack({.bytes = std::move(bytes),
                 .head_size = place.head_size,
                 .version_at = static_cast<std::uint32_t>(version_at),
                 .version_size = place.version_size,
                 .held = std::uint64_t{place.head_held} + place.version_held,
                 .is_coloured = place.is_coloured != 0});
}

} // namespace mneme
