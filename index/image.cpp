#include "index/image.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include <zlib.h>

#include "messages/ensure.hpp"
#include "storage/checksum.hpp"

namespace mneme {

namespace {

constexpr std::size_t name_bytes = 8;
constexpr std::size_t page_bytes = 64 << 10;
constexpr std::string_view pages_mark = "mnPAGES1";

template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Takes a number from the end of `bytes`; nullopt if they are too few.
template <class T>
std::optional<T> take_last(std::string_view& bytes) {
  T value{};
  if (bytes.size() < sizeof value) return std::nullopt;
  std::memcpy(&value, bytes.data() + bytes.size() - sizeof value, sizeof value);
  bytes.remove_suffix(sizeof value);
  return value;
}

std::size_t pages_of(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes;
}

using page_reader = std::function<bool(std::size_t from, std::span<char> to)>;

bool has_sum(std::string_view bytes, std::string_view sums, std::size_t page) {
  std::uint32_t expected = 0;
  std::memcpy(&expected, sums.data() + page * sizeof expected, sizeof expected);
  return crc32c(bytes) == expected;
}

/// Pages of an image, by their numbers.
struct page_range {
  std::size_t begin;
  std::size_t end;
};

/// Does each page that is read have its sum?
bool are_read_whole(const page_reader& read, std::size_t length, std::string_view sums,
                    page_range pages) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(page_bytes);
  for (std::size_t page = pages.begin; page < pages.end; ++page) {
    const std::span<char> to(buffer.get(), std::min(page_bytes, length - page * page_bytes));
    if (!read(page * page_bytes, to) || !has_sum({to.data(), to.size()}, sums, page)) return false;
  }
  return true;
}

/// Does each page have its sum?
bool are_whole(std::string_view body, std::string_view sums, const page_reader& read,
               page_range pages) {
  if (read) return are_read_whole(read, body.size(), sums, pages);
  for (std::size_t page = pages.begin; page < pages.end; ++page)
    if (!has_sum(body.substr(page * page_bytes, page_bytes), sums, page)) return false;
  return true;
}

std::string sums_of(std::string_view body) {
  std::string sums;
  for (std::size_t from = 0; from < body.size(); from += page_bytes)
    append(sums, crc32c(body.substr(from, page_bytes)));
  return sums;
}

/// What stands behind `length` bytes of an image, whose pages have these sums.
std::string image_end(std::size_t length, std::string sums) {
  std::string end = std::move(sums);
  append(end, std::uint64_t{length});
  append(end, crc32c(end));
  end += pages_mark;
  return end;
}

/// What is before the sums, and these, which are those that were written.
struct summed_body {
  std::string_view body;
  std::string_view sums;

  [[nodiscard]] page_range pages() const { return {0, pages_of(body.size())}; }
};

/// nullopt if they do not fit.
std::optional<summed_body> summed(std::string_view image) {
  image.remove_suffix(pages_mark.size());
  const auto sum = take_last<std::uint32_t>(image);
  const std::string_view before = image;
  const auto length = take_last<std::uint64_t>(image);
  if (!sum || !length || *length > image.size()) return std::nullopt;
  const std::string_view body = image.substr(0, *length);
  const std::string_view sums = image.substr(*length);
  if (sums.size() != pages_of(body.size()) * sizeof(std::uint32_t)) return std::nullopt;
  if (crc32c(before.substr(body.size())) != *sum) return std::nullopt;
  return summed_body{body, sums};
}

/// What is before the sums; nullopt if they do not fit, or one of its pages is damaged.
std::optional<std::string_view> checked_by_page(const image_bytes& whole) {
  const auto found = summed(whole.bytes);
  if (!found) return std::nullopt;
  if (!whole.is_checked && !are_whole(found->body, found->sums, whole.read, found->pages()))
    return std::nullopt;
  return found->body;
}

/// The same of an image of before.
std::optional<std::string_view> checked_whole(std::string_view image) {
  const auto sum = take_last<std::uint32_t>(image);
  if (!sum || crc32_z(0, reinterpret_cast<const Bytef*>(image.data()), image.size()) != *sum)
    return std::nullopt;
  return image;
}

} // namespace

image_bytes kept(const image_bytes& image) {
  const auto address = reinterpret_cast<std::uintptr_t>(image.bytes.data());
  if (image.holder != nullptr && address % image_alignment == 0) return image;
  const std::size_t size = image.bytes.size();
  const std::size_t room = size / image_alignment * image_alignment + image_alignment;
  const std::shared_ptr<char> copy(static_cast<char*>(std::aligned_alloc(image_alignment, room)),
                                   [](char* bytes) { std::free(bytes); });
  ensure(copy != nullptr, "out of memory for an image");
  std::ranges::copy(image.bytes, copy.get());
  return {{copy.get(), size}, copy};
}

std::uint32_t image_sum(std::string_view image) {
  if (!image.ends_with(pages_mark)) return 0;
  image.remove_suffix(pages_mark.size());
  return take_last<std::uint32_t>(image).value_or(0);
}

std::vector<std::function<bool()>> page_checks(const image_bytes& image) {
  constexpr std::size_t pages_at_once = 128; // 8 MiB: few parts, and none that others wait for
  if (image.is_checked || !image.bytes.ends_with(pages_mark)) return {};
  const auto found = summed(image.bytes);
  if (!found || found->pages().end <= pages_at_once) return {};
  std::vector<std::function<bool()>> parts;
  for (std::size_t page = 0; page < found->pages().end; page += pages_at_once)
    parts.emplace_back([image, of = *found, page] {
      return are_whole(of.body, of.sums, image.read,
                       {page, std::min(page + pages_at_once, of.pages().end)});
    });
  return parts;
}

std::function<bool()> check_again(const image_bytes& image) {
  if (!image.read) return nullptr;
  std::string_view body = image.bytes;
  std::string sums;
  if (body.ends_with(pages_mark)) {
    body.remove_suffix(pages_mark.size() + sizeof(std::uint32_t));
    const auto length = take_last<std::uint64_t>(body).value_or(0);
    sums = body.substr(std::min<std::uint64_t>(length, body.size()));
    body = body.substr(0, length);
  } else {
    sums = sums_of(body);
  }
  const bool fit = sums.size() == pages_of(body.size()) * sizeof(std::uint32_t);
  return [read = image.read, length = body.size(), sums = std::move(sums), fit] {
    return fit && are_read_whole(read, length, sums, {0, pages_of(length)});
  };
}

void image_writer::begin(std::string_view name) {
  ensure(name.size() == name_bytes && size() == 0, "an image begins with a name of 8 characters");
  put_raw(name);
}

void image_writer::put_text(std::string_view text) {
  ensure(text.size() <= std::numeric_limits<std::uint32_t>::max(), "a text is under 4 GiB");
  put(static_cast<std::uint32_t>(text.size()));
  put_raw(text);
}

std::string image_writer::finish() {
  ensure(sink_ == nullptr, "what a sink has is not in memory");
  const std::size_t length = bytes_.size();
  bytes_.reserve(length + pages_of(length) * sizeof(std::uint32_t) + 32);
  bytes_ += image_end(length, sums_of(bytes_));
  return std::move(bytes_);
}

result<std::uint32_t> image_writer::finish_into_sink() {
  ensure(given_ % page_bytes == 0, "a sink is given whole pages before the end");
  ensure(sink_ != nullptr, "an image in memory is given as a whole");
  const std::size_t length = size();
  sums_ += sums_of(bytes_);
  give(std::exchange(bytes_, {}));
  const std::string end = image_end(length, std::move(sums_));
  give(end);
  if (!failure_) return propagate(failure_);
  return image_sum(end);
}

void image_writer::put_through(std::string_view bytes) {
  static_assert(given_at_once % page_bytes == 0, "the sums are of whole pages");
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, given_at_once - bytes_.size());
    bytes_.append(part);
    bytes.remove_prefix(part.size());
    if (bytes_.size() < given_at_once) return;
    sums_ += sums_of(bytes_);
    give(bytes_);
    bytes_.clear();
  }
}

void image_writer::give(std::string_view bytes) {
  given_ += bytes.size();
  if (failure_) failure_ = sink_->take(bytes);
}

result<image_reader> image_reader::open(std::string_view image, std::string_view name) {
  return open_kept(image_bytes(image), name);
}

result<image_reader> image_reader::open_kept(const image_bytes& image, std::string_view name) {
  const auto body =
      image.bytes.ends_with(pages_mark) ? checked_by_page(image) : checked_whole(image.bytes);
  if (!body)
    return fail(errc::corrupt,
                "the checksum of the image " + std::string(name) + " does not match");
  if (body->substr(0, name_bytes) != name)
    return fail(errc::corrupt, "this is not an image " + std::string(name));
  return image_reader(body->substr(name_bytes));
}

std::string_view image_reader::get_raw(std::size_t length) {
  if (!ok_ || length > rest_.size()) {
    ok_ = false;
    return {};
  }
  const std::string_view raw = rest_.substr(0, length);
  rest_.remove_prefix(length);
  read_ += length;
  return raw;
}

std::uint64_t image_reader::get_count(std::size_t bytes_each) {
  const auto count = get<std::uint64_t>();
  if (ok_ && count > rest_.size() / bytes_each) ok_ = false;
  return ok_ ? count : 0;
}

} // namespace mneme
