#pragma once
/// Deterministic MessagePack: integer-keyed maps in ascending key order or fixed arrays, shortest
/// integers, floats as declared (raw float32/float64, no NaN, -0 as +0), checked UTF-8, no
/// extension types. The reader refuses every encoding that the writer would not have produced.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mneme/error.hpp"

namespace mneme {

/// Appends canonical MessagePack to a string.
class canonical_writer {
public:
  canonical_writer() = default;
  /// With room for so many bytes; there may be more.
  explicit canonical_writer(std::size_t expected_bytes) { out_.reserve(expected_bytes); }

  void array(std::uint32_t size);
  void map(std::uint32_t size);
  /// A map of which the items are written before their number is known: those that follow, until
  /// end_map() gets what this answers.
  [[nodiscard]] std::size_t begin_map();
  void end_map(std::size_t begin, std::uint32_t size);
  void unsigned_integer(std::uint64_t v) {
    if (v < 128)
      out_.push_back(static_cast<char>(v));
    else
      long_unsigned_integer(v);
  }
  void integer(std::int64_t v);
  void boolean(bool v);
  void nil();
  /// Precondition: not NaN.
  void real32(float v);
  /// Precondition: not NaN.
  void real64(double v);
  /// Precondition: valid UTF-8.
  void text(std::string_view v);
  void binary(std::string_view v);
  /// An item that is canonical already.
  void encoded(std::string_view item) { out_.append(item); }
  [[nodiscard]] std::string take() { return std::move(out_); }
  [[nodiscard]] const std::string& bytes() const { return out_; }

private:
  void long_unsigned_integer(std::uint64_t v);

  std::string out_;
};

/// Pull reader over canonical bytes. Every getter consumes one item; on anything not canonical it
/// answers nullopt, and problem() says what and where. Never allocates by an untrusted count.
class canonical_reader {
public:
  explicit canonical_reader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<std::uint32_t> array();
  std::optional<std::uint32_t> map();
  std::optional<std::uint64_t> unsigned_integer() {
    if (!at_end() && byte_at(offset_) < 128) return byte_at(offset_++);
    return long_unsigned_integer();
  }
  std::optional<std::int64_t> integer();
  std::optional<bool> boolean();
  std::optional<float> real32();
  std::optional<double> real64();
  std::optional<std::string_view> text();
  std::optional<std::string_view> binary();
  /// True and consumed if the next item is nil.
  bool take_nil();
  /// Which kind of item comes next.
  enum class kind : std::uint8_t {
    end,
    nil,
    boolean,
    integer,
    real32,
    real64,
    text,
    binary,
    array,
    map,
    other
  };
  [[nodiscard]] kind peek() const;
  [[nodiscard]] bool at_end() const { return offset_ == bytes_.size(); }
  [[nodiscard]] std::size_t offset() const { return offset_; }
  /// Of the getter that failed last: errc::corrupt. Precondition: one has, and nothing was read
  /// since.
  [[nodiscard]] error problem() const;

private:
  [[nodiscard]] std::size_t remaining() const { return bytes_.size() - offset_; }
  [[nodiscard]] std::uint8_t byte_at(std::size_t offset) const {
    return static_cast<std::uint8_t>(bytes_[offset]);
  }
  std::nullopt_t refuse(const char* why) {
    why_ = why;
    return std::nullopt;
  }
  /// The same, of an item that begins at `start`.
  std::nullopt_t refuse_from(std::size_t start, const char* why) {
    offset_ = start;
    return refuse(why);
  }
  std::optional<std::uint64_t> long_unsigned_integer();
  std::optional<std::uint64_t> big_endian(unsigned width_log2);
  std::optional<std::uint32_t> length(std::uint8_t fix_tag, std::uint8_t fix_max, std::uint8_t tag8,
                                      std::uint8_t tag16, const char* expected);
  std::optional<std::string_view> take(std::uint32_t size);

  std::string_view bytes_;
  std::size_t offset_ = 0;
  const char* why_ = nullptr; ///< a literal
};

} // namespace mneme
