#include "views/journaled_records.hpp"

#include <span>
#include <utility>

#include "journal/segment.hpp"
#include "messages/ensure.hpp"
#include "storage/checksum.hpp"

namespace mneme {

namespace {

/// Between the head and the version of a payload: the version's key.
constexpr std::size_t version_key_bytes = 1;

/// What the place of new content points to: from the head to the end of the version.
std::size_t whole_size(const record_place& place) {
  return std::size_t{place.head_size} + version_key_bytes + place.version_size;
}

} // namespace

journaled_records::journaled_records(std::shared_ptr<file_system> files,
                                     std::string journal_directory)
    : files_(std::move(files)), directory_(std::move(journal_directory)) {
}

journaled_records::~journaled_records() {
  for (std::uint32_t s = 0; s < places_.segment_count(); ++s) delete opened_[s];
}

void journaled_records::note(seq_no seq, const payload_place& at, const entry_record& record) {
  const bool has_content = !record.version_bytes.empty();
  if (!has_content && record.content_before == no_number) return;
  const std::size_t head_at = record.payload.find(record.head_bytes);
  ensure(head_at != std::string_view::npos, "a payload that brings a head has its bytes");
  const std::uint32_t segment = places_.enter_segment(at.segment);
  opened_.grow(segment);
  record_place place{};
  place.offset = (at.offset + head_at) & segment_offset_bits;
  ensure(place.offset == at.offset + head_at, "a segment is as long as offsets reach");
  place.segment = segment & segment_number_bits;
  place.head_size = static_cast<std::uint32_t>(record.head_bytes.size());
  place.content = record.content_before;
  place.head_held = record.head_held;
  place.version_held = record.version_held;
  place.is_coloured = record.is_coloured ? 1U : 0U;
  std::size_t size = record.head_bytes.size();
  if (has_content) {
    place.version_size = static_cast<std::uint32_t>(record.version_bytes.size());
    place.content = no_number;
    size = whole_size(place);
    ensure(record.payload.substr(head_at, size).ends_with(record.version_bytes),
           "a version follows its head");
  } else {
    const record_place& before = places_[record.content_before];
    place.version_size = before.version_size;
    place.version_held = before.version_held;
  }
  place.check = crc32c(record.payload.substr(head_at, size));
  places_.note(seq, place);
}

result<void> journaled_records::load(std::string_view image) {
  if (auto ok = places_.load(image); !ok) return ok;
  for (std::uint32_t s = 0; s < places_.segment_count(); ++s) opened_.grow(s);
  return {};
}

std::uint32_t journaled_records::content_of(seq_no made) const {
  const std::uint32_t number = places_.find(made);
  return number == no_number ? no_number : places_[number].content;
}

file* journaled_records::segment(std::uint32_t number) const {
  if (file* there = load_acquire(opened_[number])) return there;
  const std::lock_guard hold(open_mutex_);
  if (file* there = load_acquire(opened_[number])) return there;
  auto opened =
      files_->open(directory_ + "/" + segment_name(places_.first_of(number)), open_mode::read);
  if (!opened) return nullptr;
  store_release(opened_[number], opened->release());
  return opened_[number];
}

bool journaled_records::read_checked(const record_place& place, std::size_t size, char* to) const {
  file* const from = segment(place.segment);
  if (from == nullptr) return false;
  const auto read = from->read_into(place.offset, {to, size});
  return read && *read == size && crc32c({to, size}) == place.check;
}

void journaled_records::expect(seq_no made) const {
  const std::uint32_t number = places_.find(made);
  if (number == no_number) return;
  const record_place& content = places_[places_[number].content];
  if (file* const from = segment(content.segment))
    from->expect(content.offset, whole_size(content));
}

std::optional<taken_record> journaled_records::read(seq_no made) const {
  const std::uint32_t number = places_.find(made);
  if (number == no_number) return {};
  const record_place& own = places_[number];
  const record_place& content = places_[own.content];
  // A new head stands before the head and the content of before.
  const std::size_t new_head = own.content == number ? 0 : own.head_size;
  const std::size_t size = new_head + whole_size(content);
  auto bytes = std::make_shared_for_overwrite<char[]>(size); // NOLINT(modernize-avoid-c-arrays)
  if (new_head > 0 && !read_checked(own, new_head, bytes.get())) return {};
  if (!read_checked(content, whole_size(content), bytes.get() + new_head)) return {};
  return unpack({.bytes = std::move(bytes),
                 .head_size = own.head_size,
                 .version_at = static_cast<std::uint32_t>(size - content.version_size),
                 .version_size = content.version_size,
                 .held = std::uint64_t{own.head_held} + content.version_held,
                 .is_coloured = own.is_coloured != 0});
}

} // namespace mneme
