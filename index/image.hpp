#pragma once
/// Bytes of an owner's checkpoint image: an 8-byte name, fields in little-endian order, and the
/// CRC-32 of everything before it at the end. The reader checks name and CRC first and every length
/// before it is used, so no damage makes it crash or allocate beyond the image's own size.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "messages/ensure.hpp"
#include "mneme/error.hpp"

namespace mneme {

static_assert(std::endian::native == std::endian::little, "images are written as memory is");

class image_writer {
public:
  /// `name` has 8 characters; the last ones are the format's number.
  explicit image_writer(std::string_view name);

  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// Length and bytes.
  void put_text(std::string_view text);
  void put_raw(std::string_view bytes) { bytes_.append(bytes); }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Overwrites a count that was not known when its place was written.
  template <class T>
  void put_at(std::size_t position, T value) {
    static_assert(std::is_arithmetic_v<T>);
    ensure(position + sizeof value <= bytes_.size(), "a count is put where its place was written");
    std::memcpy(bytes_.data() + position, &value, sizeof value);
  }
  /// Forgets what was written from `position` on.
  void cut(std::size_t position) {
    ensure(position <= bytes_.size(), "an image is cut where something was written");
    bytes_.resize(position);
  }
  /// The finished image; call once.
  std::string finish();

private:
  std::string bytes_;
};

/// Reads fields in order. After the first short read every further read gives zeros and ok() is
/// false.
class image_reader {
public:
  /// corrupt if the name or the checksum differ.
  static result<image_reader> open(std::string_view image, std::string_view name);

  template <class T>
  T get() {
    static_assert(std::is_arithmetic_v<T>);
    T value{};
    const std::string_view raw = get_raw(sizeof value);
    if (raw.size() == sizeof value) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view get_text() { return get_raw(get<std::uint32_t>()); }
  std::string_view get_raw(std::size_t length);
  /// A count of things of at least `bytes_each` bytes: 0 and not ok() if they cannot all be there.
  std::uint64_t get_count(std::size_t bytes_each);
  [[nodiscard]] bool ok() const { return ok_; }
  /// Bytes not read yet.
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  /// True if everything was read and nothing was short.
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }

private:
  explicit image_reader(std::string_view rest) : rest_(rest) {}

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace mneme
