#include <algorithm>
#include <numeric>

#include "index/image.hpp"
#include "index/vectors/vectors_state.hpp"

namespace mneme {

namespace {

constexpr std::string_view vectors_image_name = "mnVECTS3";
/// Read, no longer written: a vector's slot and values after the other, and links packed;
constexpr std::string_view packed_image_name = "mnVECTS2";
/// the same without segments.
constexpr std::string_view plain_image_name = "mnVECTS1";

std::unexpected<error> damaged() {
  return fail(errc::corrupt, "the image of the vectors does not fit together");
}

/// Positions ascend with slots, so those of ascending slots do.
std::vector<std::uint32_t> positions_of(const vector_rows& rows, std::span<const slot_no> slots) {
  ensure(std::ranges::is_sorted(slots), "slots are given in order");
  std::vector<std::uint32_t> positions;
  positions.reserve(slots.size());
  for (const slot_no slot : slots)
    if (const std::uint32_t found = rows.position_of(slot); found != no_number)
      positions.push_back(found);
  return positions;
}

/// The segments of an image, and the positions that it has vectors of.
struct saved_part {
  segment_list segments;
  std::vector<std::uint32_t> positions;
};

std::uint32_t end_of(const segment_list& segments) {
  return segments.empty() ? 0 : segments.back()->end();
}

/// Segments are over all vectors at their positions, kept or not. They are saved with those that
/// are not while these are few, as compaction leaves them; and not if they have vectors of later
/// than the last that is kept.
saved_part saved(const segment_list& ready, std::vector<std::uint32_t> kept) {
  saved_part part;
  const std::uint32_t end = kept.empty() ? 0 : kept.back() + 1;
  for (const auto& segment : ready)
    if (segment->end() <= end) part.segments.push_back(segment);
  const std::uint32_t covered = end_of(part.segments);
  const auto behind = std::ranges::lower_bound(kept, covered);
  const auto kept_within = static_cast<std::size_t>(behind - kept.begin());
  if (covered - kept_within > kept.size() / 2) return {{}, std::move(kept)};
  part.positions.resize(covered);
  std::iota(part.positions.begin(), part.positions.end(), 0U);
  part.positions.insert(part.positions.end(), behind, kept.end());
  return part;
}

/// About what an image of this part takes.
std::size_t reserved_bytes(const vector_rows& rows, const saved_part& part) {
  constexpr std::size_t links = 192; // of one point
  const std::size_t each = sizeof(slot_no) + sizeof(double) + sizeof(code_scale) + rows.code_count()
                           + rows.value_count() * sizeof(float)
                           + (part.segments.empty() ? 0 : links);
  return part.positions.size() * each + 4096;
}

/// One array after the other: see vector_rows::saved_rows.
void put_rows(image_writer& out, const vector_rows& rows,
              std::span<const std::uint32_t> positions) {
  const auto put_each = [&](auto part_of) {
    out.align();
    for (const std::uint32_t position : positions) out.put_raw(part_of(position));
  };
  const auto bytes_of = [](const auto* first, std::size_t count) {
    return std::string_view(reinterpret_cast<const char*>(first), count * sizeof *first);
  };
  out.align();
  for (const std::uint32_t position : positions) out.put(rows.slot(position).value);
  out.align();
  for (const std::uint32_t position : positions) out.put(rows.norm(position));
  put_each([&](std::uint32_t position) { return bytes_of(&rows.scale(position), 1); });
  put_each(
      [&](std::uint32_t position) { return bytes_of(rows.codes(position), rows.code_count()); });
  put_each([&](std::uint32_t position) {
    return bytes_of(rows.values(position).data(), rows.value_count());
  });
}

/// The segments behind the vectors; nullopt if they are none of them.
std::optional<segment_list> read_segments(image_reader& in, const vector_rows& rows,
                                          std::uint32_t count,
                                          const segment_links::saved_form& form) {
  segment_list segments;
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::shared_ptr<const hnsw_segment> segment = hnsw_segment::read(in, rows, begin, form);
    if (segment == nullptr || segment->end() % segment_step != 0) return {};
    const std::uint32_t length = segment->end() - begin;
    if (i + 1 == count ? length > segment_max : length != segment_max) return {};
    begin = segment->end();
    segments.push_back(std::move(segment));
  }
  return segments;
}

} // namespace

std::string vectors::save(std::span<const slot_no> kept, seq_no at) const {
  image_writer out;
  save(out, kept, at);
  return out.finish();
}

void vectors::save(image_writer& out, std::span<const slot_no> kept, seq_no at) const {
  const vector_rows& rows = impl_->rows;
  const auto ready = impl_->builder.segments();
  const saved_part part = saved(*ready, positions_of(rows, kept));
  impl_->saved_to.store(end_of(*ready), std::memory_order_relaxed);
  // Fixed for good, whether or not a vector that fixed it is kept.
  const vector_space space = space_at(at);
  ensure(space.dim != 0 || part.positions.empty(), "the space is fixed before its first vector");
  out.begin(vectors_image_name);
  out.reserve(reserved_bytes(rows, part));
  out.put_text(space.model);
  out.put(space.dim);
  out.put(std::uint64_t{part.positions.size()});
  if (space.dim != 0) put_rows(out, rows, part.positions);
  out.put(impl_->options.m);
  // Of links that are made from now on; those that were loaded may have had another. Builds of
  // before take no graphs but those of theirs.
  out.put(impl_->options.ef_construction);
  out.put(static_cast<std::uint32_t>(part.segments.size()));
  for (const auto& segment : part.segments) segment->write(out);
}

std::unique_ptr<vectors>
vectors::copy(std::span<const slot_no> kept,
              const std::map<std::uint32_t, std::span<const float>>& replaced,
              std::optional<seq_no> since) const {
  auto fresh = std::make_unique<vectors>(impl_->options);
  fresh->impl_->failed_before = failed_builds();
  const vector_space space = this->space();
  if (space.dim == 0 || since == seq_no{}) return fresh;
  fresh->set_space(space, since.value_or(impl_->fixed_since));
  const vector_rows& rows = impl_->rows;
  ensure(std::ranges::is_sorted(kept), "slots are given in order");
  for (const slot_no slot : kept) {
    if (const auto other = replaced.find(slot.value); other != replaced.end()) {
      if (!other->second.empty()) fresh->append(slot, other->second);
    } else if (const std::uint32_t position = rows.position_of(slot); position != no_number) {
      fresh->append(slot, rows.values(position));
    }
  }
  return fresh;
}

bool vectors::has_unsaved_segments() const {
  return end_of(*impl_->builder.segments()) > impl_->saved_to.load(std::memory_order_relaxed);
}

bool vectors::knows(std::string_view image) {
  return image.starts_with(vectors_image_name);
}

result<void> vectors::load(const image_bytes& image) {
  ensure(impl_->space.load() == nullptr, "an image is loaded into empty vectors");
  const bool is_plain = image.bytes.starts_with(plain_image_name);
  const bool is_packed = is_plain || image.bytes.starts_with(packed_image_name);
  auto in = image_reader::open_kept(image, is_plain    ? plain_image_name
                                           : is_packed ? packed_image_name
                                                       : vectors_image_name);
  if (!in) return propagate(in);
  auto loaded = std::make_unique<impl>(impl_->options);
  const bool has_rows = is_packed ? loaded->read_rows(*in) : loaded->adopt_rows(*in, image.holder);
  if (!has_rows) return damaged();
  const segment_links::saved_form form{
      .m = impl_->options.m, .is_packed = is_packed, .holder = image.holder};
  if (!is_plain && !loaded->read_segments(*in, form)) return damaged();
  if (!in->at_end()) return damaged();
  if (loaded->space.load() == nullptr) return {};
  impl_ = std::move(loaded);
  if (impl_->builds()) impl_->builder.wake();
  return {};
}

bool vectors::impl::adopt_rows(image_reader& in, const std::shared_ptr<const void>& holder) {
  vector_space fixed;
  fixed.model = in.get_text();
  fixed.dim = in.get<std::uint32_t>();
  const auto count = in.get<std::uint64_t>();
  if (!in.ok() || fixed.dim > dimension_max) return false;
  if (fixed.dim == 0) return count == 0 && fixed.model.empty();
  if (count > in.left() / fixed.dim) return false;
  fix_space(fixed, {});
  vector_rows::saved_rows saved;
  saved.slots = in.get_own_array<std::uint32_t>(count);
  saved.norms = in.get_own_array<double>(count);
  saved.scales = in.get_own_array<code_scale>(count);
  saved.codes = in.get_array<std::int8_t>(count * rows.code_count());
  saved.values = in.get_array<float>(count * rows.value_count());
  return in.ok() && rows.adopt(saved, holder);
}

bool vectors::impl::read_rows(image_reader& in) {
  vector_space fixed;
  fixed.model = in.get_text();
  fixed.dim = in.get<std::uint32_t>();
  if (!in.ok() || fixed.dim > dimension_max) return false;
  const std::size_t bytes = fixed.dim * sizeof(float);
  const std::uint64_t count = in.get_count(sizeof(std::uint32_t) + bytes);
  if (fixed.dim == 0) return in.ok() && count == 0 && fixed.model.empty();
  fix_space(fixed, {});
  std::vector<float> values(fixed.dim);
  std::uint64_t slots_from = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const slot_no slot{in.get<std::uint32_t>()};
    const std::string_view raw = in.get_raw(bytes);
    if (!in.ok() || slot.value < slots_from || slot.value == no_number) return false;
    slots_from = std::uint64_t{slot.value} + 1;
    std::memcpy(values.data(), raw.data(), raw.size());
    rows.append(slot, values);
  }
  return in.ok();
}

// Graphs of other links than this index makes are passed over, and made anew. One that was looked
// for more or less widely, or by builds that kept one point on their way down, serves nearly as
// well (it finds .98 of 1,000,000 where a new one finds .99), and is gone on with.
bool vectors::impl::read_segments(image_reader& in, const segment_links::saved_form& form) {
  const auto m = in.get<std::uint32_t>();
  static_cast<void>(in.get<std::uint32_t>()); // how widely
  const auto count = in.get<std::uint32_t>();
  if (!in.ok()) return false;
  if (m != options.m || !options.background_segments) {
    static_cast<void>(in.get_raw(in.left()));
    return true;
  }
  auto segments = mneme::read_segments(in, rows, count, form);
  if (!segments) return false;
  saved_to.store(end_of(*segments), std::memory_order_relaxed);
  if (!segments->empty()) builder.adopt(std::move(*segments));
  return true;
}

} // namespace mneme
