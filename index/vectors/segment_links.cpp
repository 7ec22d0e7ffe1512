#include "index/vectors/segment_links.hpp"

#include <algorithm>
#include <bit>
#include <new>

namespace mneme {

namespace {

/// How many bytes a packed link has: as many as the largest number.
std::size_t link_bytes(std::uint32_t size) {
  return (static_cast<std::size_t>(std::bit_width(size)) + 7) / 8;
}

} // namespace

segment_links::own_links segment_links::room_at_level_0() const {
  const std::size_t bytes = std::size_t{size_} * 2 * m_ * sizeof(std::uint32_t);
  const std::size_t lines = (bytes + line_bytes - 1) / line_bytes;
  own_links links(static_cast<std::uint32_t*>(std::aligned_alloc(line_bytes, lines * line_bytes)));
  if (links == nullptr) throw std::bad_alloc();
  return links;
}

void segment_links::set_levels(std::span<const std::uint8_t> levels) {
  upper_from_.reserve(std::size_t{size_} + 1);
  upper_from_.push_back(0);
  for (const std::uint8_t level : levels) upper_from_.push_back(upper_from_.back() + level);
}

segment_links::segment_links(std::uint32_t m, std::span<const std::uint8_t> levels)
    : segment_links(m, static_cast<std::uint32_t>(levels.size())) {
  ensure(m >= 2 && size_ > 0, "a graph has points and room for links");
  own_level0_ = room_at_level_0();
  std::fill_n(own_level0_.get(), std::size_t{size_} * 2 * m, no_number);
  level0_ = own_level0_.get();
  set_levels(levels);
  upper_.assign(std::size_t{upper_from_.back()} * m, no_number);
}

void segment_links::set(std::uint32_t point, std::uint32_t level,
                        std::span<const std::uint32_t> links) {
  ensure(own_level0_ != nullptr, "links in an image are not written to");
  const auto room = row(point, level);
  ensure(links.size() <= room.size(), "a point has room for its links");
  std::ranges::copy(links, const_cast<std::uint32_t*>(room.data()));
}

// Levels and links as they lie in memory.
void segment_links::write(image_writer& out) const {
  out.put(entry_);
  for (std::uint32_t point = 0; point < size_; ++point)
    out.put(static_cast<std::uint8_t>(level(point)));
  const auto put_array = [&out](const std::uint32_t* links, std::size_t count) {
    out.align();
    out.put_raw({reinterpret_cast<const char*>(links), count * sizeof *links});
  };
  put_array(level0_, std::size_t{size_} * 2 * m_);
  put_array(upper_.data(), upper_.size());
}

bool segment_links::read_flat(image_reader& in, std::shared_ptr<const void> holder) {
  const auto level0 = in.get_array<std::uint32_t>(std::size_t{size_} * 2 * m_);
  const auto upper = in.get_array<std::uint32_t>(std::size_t{upper_from_.back()} * m_);
  if (!in.ok()) return false;
  const auto is_beyond = [this](std::uint32_t link) { return link >= size_ && link != no_number; };
  if (std::ranges::any_of(upper, is_beyond)) return false;
  upper_.assign(upper.begin(), upper.end());
  if (holder != nullptr && reinterpret_cast<std::uintptr_t>(level0.data()) % line_bytes == 0) {
    holder_ = std::move(holder);
    level0_ = level0.data();
  } else {
    if (std::ranges::any_of(level0, is_beyond)) return false;
    own_level0_ = room_at_level_0();
    std::ranges::copy(level0, own_level0_.get());
    level0_ = own_level0_.get();
  }
  for (std::uint32_t point = 0; point < size_; ++point)
    for (std::uint32_t l = 1; l <= level(point); ++l)
      for (const std::uint32_t link : row(point, l))
        if (link != no_number && level(link) < l) return false;
  return true;
}

bool segment_links::read_packed(image_reader& in) {
  std::vector<std::uint32_t> one;
  for (std::uint32_t point = 0; point < size_; ++point)
    for (std::uint32_t l = 0; l <= level(point); ++l)
      if (!read_row(in, point, l, one)) return false;
  return true;
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
                                                 const saved_form& form) {
  const auto entry = in.get<std::uint32_t>();
  const std::string_view raw = in.get_raw(size);
  if (!in.ok() || entry >= size || in.left() < sizeof(std::uint16_t) * size) return {};
  const std::vector<std::uint8_t> levels(raw.begin(), raw.end());
  if (std::ranges::max(levels) > level_max || levels[entry] != std::ranges::max(levels)) return {};
  if (form.is_packed) {
    segment_links links(form.m, levels);
    links.entry_ = entry;
    if (!links.read_packed(in)) return {};
    return links;
  }
  segment_links links(form.m, size);
  links.entry_ = entry;
  links.set_levels(levels);
  if (!links.read_flat(in, form.holder)) return {};
  return links;
}

} // namespace mneme
