#include "index/vectors/segment_links.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace mneme {

namespace {

/// How many bytes of a link are written: as many as the largest number has.
std::size_t link_bytes(std::uint32_t size) {
  return (static_cast<std::size_t>(std::bit_width(size)) + 7) / 8;
}

} // namespace

segment_links::segment_links(std::uint32_t m, std::span<const std::uint8_t> levels)
    : m_(m), size_(static_cast<std::uint32_t>(levels.size())) {
  ensure(m >= 2 && size_ > 0, "a graph has points and room for links");
  const std::size_t count = std::size_t{size_} * 2 * m;
  const std::size_t bytes = (count * sizeof(std::uint32_t) + line_bytes - 1) / line_bytes;
  level0_.reset(static_cast<std::uint32_t*>(std::aligned_alloc(line_bytes, bytes * line_bytes)));
  if (level0_ == nullptr) throw std::bad_alloc();
  std::fill_n(level0_.get(), count, no_number);
  upper_from_.reserve(std::size_t{size_} + 1);
  upper_from_.push_back(0);
  for (const std::uint8_t level : levels) upper_from_.push_back(upper_from_.back() + level);
  upper_.assign(std::size_t{upper_from_.back()} * m, no_number);
}

void segment_links::set(std::uint32_t point, std::uint32_t level,
                        std::span<const std::uint32_t> links) {
  const auto room = row(point, level);
  ensure(links.size() <= room.size(), "a point has room for its links");
  std::ranges::copy(links, const_cast<std::uint32_t*>(room.data()));
}

void segment_links::write(image_writer& out) const {
  const std::size_t each = link_bytes(size_);
  out.put(entry_);
  for (std::uint32_t point = 0; point < size_; ++point)
    out.put(static_cast<std::uint8_t>(level(point)));
  for (std::uint32_t point = 0; point < size_; ++point) {
    for (std::uint32_t l = 0; l <= level(point); ++l) {
      const auto room = row(point, l);
      const auto end = std::ranges::find(room, no_number);
      out.put(static_cast<std::uint16_t>(end - room.begin()));
      for (auto link = room.begin(); link != end; ++link)
        out.put_raw({reinterpret_cast<const char*>(&*link), each});
    }
  }
}

bool segment_links::read_row(image_reader& in, std::uint32_t point, std::uint32_t level,
                             std::vector<std::uint32_t>& links) {
  const std::size_t each = link_bytes(size_);
  const std::size_t count = in.get<std::uint16_t>();
  if (count > row(point, level).size()) return false;
  const std::string_view raw = in.get_raw(count * each);
  if (!in.ok()) return false;
  links.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(&links[i], raw.data() + i * each, each);
    if (links[i] >= size_ || this->level(links[i]) < level) return false;
  }
  set(point, level, links);
  return true;
}

std::optional<segment_links> segment_links::read(image_reader& in, std::uint32_t size,
                                                 std::uint32_t m) {
  const auto entry = in.get<std::uint32_t>();
  const std::string_view raw = in.get_raw(size);
  if (!in.ok() || entry >= size || in.left() < sizeof(std::uint16_t) * size) return {};
  std::vector<std::uint8_t> levels(raw.begin(), raw.end());
  if (std::ranges::max(levels) > level_max || levels[entry] != std::ranges::max(levels)) return {};
  segment_links links(m, levels);
  links.entry_ = entry;
  std::vector<std::uint32_t> one;
  for (std::uint32_t point = 0; point < size; ++point)
    for (std::uint32_t l = 0; l <= levels[point]; ++l)
      if (!links.read_row(in, point, l, one)) return {};
  return links;
}

} // namespace mneme
