#pragma once
/// The links of a graph's points, level by level, as flat rows: a search reads little else of a
/// graph. Filled once, read only from then on.
///
///     level 0    2m links a point, padded with no_number
///     above      m links for each level of each point that is there, a point's levels in order

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "index/image.hpp"
#include "index/numbers.hpp"
#include "messages/ensure.hpp"

namespace mneme {

class segment_links {
public:
  static constexpr std::uint32_t level_max = 15;

  /// Links of points at levels up to those given; none yet.
  segment_links(std::uint32_t m, std::span<const std::uint8_t> levels);

  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::uint32_t m() const { return m_; }
  [[nodiscard]] std::uint32_t level(std::uint32_t point) const {
    return upper_from_[point + 1] - upper_from_[point];
  }
  /// Where a search begins: a point of the highest level.
  [[nodiscard]] std::uint32_t entry() const { return entry_; }
  /// All there is room for: links end where no_number stands.
  [[nodiscard]] std::span<const std::uint32_t> row(std::uint32_t point, std::uint32_t level) const {
    if (level == 0) return {&level0_[std::size_t{point} * 2 * m_], 2 * m_};
    return {&upper_[(upper_from_[point] + level - 1) * m_], m_};
  }
  void prefetch(std::uint32_t point) const {
    const std::uint32_t* const links = &level0_[std::size_t{point} * 2 * m_];
    for (std::uint32_t i = 0; i < 2 * m_; i += line_links) __builtin_prefetch(links + i);
  }

  // While it is filled.
  /// Precondition: there is room for the links, which are to points of that level.
  void set(std::uint32_t point, std::uint32_t level, std::span<const std::uint32_t> links);
  void set_entry(std::uint32_t point) { entry_ = point; }

  /// How links lie in an image.
  struct saved_form {
    std::uint32_t m = 0;
    bool is_packed = false;                  ///< as builds of before wrote them
    std::shared_ptr<const void> holder = {}; ///< of the image: those of level 0 stay there
  };
  void write(image_writer& out) const;
  /// Those of `size` points; nullopt if what is there are no links of them.
  static std::optional<segment_links> read(image_reader& in, std::uint32_t size,
                                           const saved_form& form);

private:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::uint32_t line_links = line_bytes / sizeof(std::uint32_t);

  struct freed {
    void operator()(std::uint32_t* links) const { std::free(links); }
  };

  using own_links = std::unique_ptr<std::uint32_t[], freed>;

  /// Without links of level 0.
  segment_links(std::uint32_t m, std::uint32_t size) : m_(m), size_(size) {}
  [[nodiscard]] own_links room_at_level_0() const;
  void set_levels(std::span<const std::uint8_t> levels);
  /// The links of what has its levels; false if they are none.
  bool read_packed(image_reader& in);
  bool read_flat(image_reader& in, std::shared_ptr<const void> holder);
  /// Reads one row; false if it is none.
  bool read_row(image_reader& in, std::uint32_t point, std::uint32_t level,
                std::vector<std::uint32_t>& links);

  std::uint32_t m_;
  std::uint32_t size_;
  std::uint32_t entry_ = 0;
  own_links own_level0_;                  ///< aligned to lines; null: they are in an image
  std::shared_ptr<const void> holder_;    ///< of that
  const std::uint32_t* level0_ = nullptr; ///< one of both
  std::vector<std::uint32_t> upper_from_; ///< by point, and the end: row in upper_
  std::vector<std::uint32_t> upper_;
};

} // namespace mneme
