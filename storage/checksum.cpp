#include "storage/checksum.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include <wiredtiger.h>

namespace mneme {

namespace {

#if defined(__x86_64__)

/// Its bits reversed, as the sum's are.
constexpr std::uint32_t polynomial = 0x82F63B78;

/// What a sum becomes by zeros behind what it is of, as a table for each of its bytes.
class zeros_behind {
public:
  explicit zeros_behind(std::size_t bytes) {
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
      std::uint32_t sum = std::uint32_t{1} << bit;
      for (std::size_t i = 0; i < 8 * bytes; ++i)
        sum = (sum >> 1) ^ ((sum & 1) != 0 ? polynomial : 0);
      // Sums of several bits are those of each put together.
      auto& of_byte = table_[bit / 8];
      const std::uint32_t value = std::uint32_t{1} << (bit % 8);
      for (std::uint32_t lower = 0; lower < value; ++lower)
        of_byte[value + lower] = of_byte[lower] ^ sum;
    }
  }
  std::uint32_t operator()(std::uint32_t sum) const {
    return table_[0][sum & 0xFF] ^ table_[1][(sum >> 8) & 0xFF] ^ table_[2][(sum >> 16) & 0xFF]
           ^ table_[3][sum >> 24];
  }

private:
  std::array<std::array<std::uint32_t, 256>, 4> table_{};
};

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

constexpr std::size_t lane_bytes = 1 << 10;

/// An instruction's result is there after three cycles, and one begins in each: three sums are made
/// beside each other and put together.
__attribute__((target("sse4.2"))) std::uint32_t in_three_lanes(std::string_view bytes) {
  static const zeros_behind one_lane(lane_bytes);
  std::uint64_t sum = 0xFFFFFFFF;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  for (; static_cast<std::size_t>(end - at) >= 3 * lane_bytes; at += 3 * lane_bytes) {
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < lane_bytes; i += sizeof sum) {
      sum = __builtin_ia32_crc32di(sum, word_at(at + i));
      second = __builtin_ia32_crc32di(second, word_at(at + lane_bytes + i));
      third = __builtin_ia32_crc32di(third, word_at(at + 2 * lane_bytes + i));
    }
    sum = one_lane(static_cast<std::uint32_t>(sum)) ^ second;
    sum = one_lane(static_cast<std::uint32_t>(sum)) ^ third;
  }
  for (; static_cast<std::size_t>(end - at) >= sizeof sum; at += sizeof sum)
    sum = __builtin_ia32_crc32di(sum, word_at(at));
  auto last = static_cast<std::uint32_t>(sum);
  for (; at != end; ++at) last = __builtin_ia32_crc32qi(last, static_cast<unsigned char>(*at));
  return ~last;
}

#endif

using summing = std::uint32_t (*)(std::string_view);

summing fastest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return in_three_lanes;
#endif
  return [](std::string_view bytes) {
    static const auto checksum = wiredtiger_crc32c_func();
    return checksum(bytes.data(), bytes.size());
  };
}

} // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static const summing sum = fastest();
  return sum(bytes);
}

} // namespace mneme
