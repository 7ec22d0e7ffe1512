#pragma once
/// Bytes of an owner's checkpoint image: an 8-byte name, fields in little-endian order, and at the
/// end check sums of all that is before them, one for each 64 KiB. The reader checks name and sums
/// first and every length before it is used, so no damage makes it crash or allocate beyond the
/// image's own size.
///
///     name ‖ fields ‖ u32 CRC-32C of each page ‖ u64 bytes of name and fields
///                   ‖ u32 CRC-32C of sums and length ‖ "mnPAGES1"
///
/// Images of before end with the CRC-32 of all that is before it, and nothing else.

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "messages/ensure.hpp"
#include "mneme/error.hpp"

namespace mneme {

static_assert(std::endian::native == std::endian::little, "images are written as memory is");

/// Arrays of an image begin at multiples of this many bytes from its start, as it does in a file.
inline constexpr std::size_t image_alignment = 64;

/// An image, and who keeps its bytes where they are: what is loaded of it may leave parts of it
/// there, and change them, which nobody else sees. Without a holder the bytes go when the load has
/// ended.
struct image_bytes {
  std::string_view bytes;
  std::shared_ptr<const void> holder{};
  /// Reads what the image has from a place on; false if it cannot. For the check of bytes that are
  /// mapped, most of which nobody looks at then: reading them in turn costs less than mapping them.
  std::function<bool(std::size_t from, std::span<char> to)> read{};
  bool is_checked = false; ///< its pages were, as part of something else

  image_bytes(std::string_view b, std::shared_ptr<const void> h = {})
      : bytes(b), holder(std::move(h)) {}
  image_bytes(const std::string& b) : bytes(b) {}
};

/// An image that stays where it is, and whose arrays are aligned as they are in it: the same, or a
/// copy.
image_bytes kept(const image_bytes& image);
/// What an image that is whole is known by: the sum of its sums. 0 if it cannot be one, or is one
/// of before.
std::uint32_t image_sum(std::string_view image);
/// The check of an image's pages in parts, which may be looked at side by side: each says whether
/// its pages have their sums. Where all say so, an image may be loaded as one that `is_checked`.
/// None: the image is of before, has been checked, or is small; it is checked when it is loaded.
/// They look at its bytes where they are, or read them.
std::vector<std::function<bool()>> page_checks(const image_bytes& image);
/// Of an image that was loaded: says whether its file still has what was loaded, by reading all of
/// it; from any thread. Keeps the file open, whatever its name means meanwhile. Null if the image
/// is in memory.
std::function<bool()> check_again(const image_bytes& image);

/// Where an image goes while it is written.
class image_sink {
public:
  virtual ~image_sink() = default;
  /// The next bytes of it. After a failure nothing more is given.
  virtual result<void> take(std::string_view bytes) = 0;
};

/// In memory as a whole, or, with a sink, no more of it than a few pages.
class image_writer {
public:
  image_writer() = default;
  /// `to` must outlive it.
  explicit image_writer(image_sink& to) : sink_(&to) {}
  /// Begun.
  explicit image_writer(std::string_view name) { begin(name); }

  /// First. `name` has 8 characters; the last ones are the format's number.
  void begin(std::string_view name);
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    put_raw({reinterpret_cast<const char*>(&value), sizeof value});
  }
  /// Length and bytes.
  void put_text(std::string_view text);
  void put_raw(std::string_view bytes) {
    if (sink_ == nullptr || bytes_.size() + bytes.size() < given_at_once)
      bytes_.append(bytes);
    else
      put_through(bytes);
  }
  /// An array, which begins at the next aligned place.
  template <class T>
  void put_array(std::span<const T> entries) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= image_alignment);
    align();
    put_raw({reinterpret_cast<const char*>(entries.data()), entries.size_bytes()});
  }
  /// Zeros up to where an array may begin, so that it can be used where it lies.
  void align() {
    const std::size_t past = size() % image_alignment;
    if (past != 0) bytes_.append(image_alignment - past, '\0');
  }
  /// Of an image in memory: about so long it becomes.
  void reserve(std::size_t bytes) {
    if (sink_ == nullptr) bytes_.reserve(bytes);
  }
  [[nodiscard]] std::size_t size() const { return given_ + bytes_.size(); }
  /// The sink has failed: whatever is put now goes nowhere.
  [[nodiscard]] bool has_failed() const { return !failure_; }
  /// The finished image, which is in memory; call once.
  std::string finish();
  /// The same of one with a sink: what it is known by (image_sum), or why the sink failed.
  result<std::uint32_t> finish_into_sink();

private:
  static constexpr std::size_t given_at_once = 1 << 20;
  void put_through(std::string_view bytes);
  void give(std::string_view bytes);

  image_sink* sink_ = nullptr;
  std::string bytes_;     ///< that the sink does not have yet; all of them where there is none
  std::size_t given_ = 0; ///< bytes that it has
  std::string sums_;      ///< of the pages that it has
  result<void> failure_{};
};

/// Reads fields in order. After the first short read every further read gives zeros and ok() is
/// false.
class image_reader {
public:
  /// corrupt if the name or the checksum differ.
  static result<image_reader> open(std::string_view image, std::string_view name);
  static result<image_reader> open_kept(const image_bytes& image, std::string_view name);

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
  /// `count` entries of an array that begins at the next aligned place; empty and not ok() if they
  /// are not there. They lie in the image.
  template <class T>
  std::span<const T> get_array(std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= image_alignment);
    const std::size_t past = read_ % image_alignment;
    get_raw(past == 0 ? 0 : image_alignment - past);
    if (count > rest_.size() / sizeof(T)) ok_ = false;
    const std::string_view raw = ok_ ? get_raw(count * sizeof(T)) : std::string_view();
    if (reinterpret_cast<std::uintptr_t>(raw.data()) % alignof(T) != 0) {
      ok_ = false; // an image within one, whose parts nobody put where arrays may begin
      return {};
    }
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }
  /// The same of an image that is kept: whoever loads it may change them.
  template <class T>
  std::span<T> get_own_array(std::size_t count) {
    const std::span<const T> found = get_array<T>(count);
    return {const_cast<T*>(found.data()), found.size()};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  /// Bytes not read yet.
  [[nodiscard]] std::size_t left() const { return rest_.size(); }
  /// True if everything was read and nothing was short.
  [[nodiscard]] bool at_end() const { return ok_ && rest_.empty(); }

private:
  explicit image_reader(std::string_view rest) : rest_(rest) {}

  std::string_view rest_;
  std::size_t read_ = 8; ///< bytes before rest_: the name
  bool ok_ = true;
};

} // namespace mneme
