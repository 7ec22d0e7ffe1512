#pragma once
/// Columns and lists in an image, as they lie in memory, so that who loads it leaves them there.
/// What the sums of an image say is whole was written by this build: only what tells how long
/// something is is looked at, not each entry.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "index/columns/append_list.hpp"
#include "index/columns/paged_column.hpp"
#include "index/image.hpp"
#include "messages/ensure.hpp"

namespace mneme {

/// How many, and the entries.
template <class T>
void put_list(image_writer& out, std::span<const T> entries) {
  out.put(std::uint64_t{entries.size()});
  out.put_array(entries);
}
/// The same of a list that is nowhere as a whole: `put_all` puts its `count` entries, one after the
/// other.
template <class T, class PutAll>
void put_list_of(image_writer& out, std::uint64_t count, PutAll&& put_all) {
  out.put(count);
  out.align();
  const std::size_t from = out.size();
  put_all();
  ensure(out.size() - from == count * sizeof(T), "a list has as many entries as it says");
}
template <class T>
std::span<T> get_list(image_reader& in) {
  return in.get_own_array<T>(in.get_count(sizeof(T)));
}

/// The first `count` entries.
template <class T>
void put_column(image_writer& out, const paged_column<T>& column, std::uint32_t count) {
  out.put(std::uint64_t{count});
  out.align();
  for (std::uint32_t from = 0; from < count;) {
    const column_run<T> run = column.run_of(from);
    const std::uint32_t length = std::min(run.end, count) - from;
    out.put_raw({reinterpret_cast<const char*>(run.entries), length * sizeof(T)});
    from += length;
  }
}
/// Into a column that has none; false if they are not there. How many they are.
template <class T>
bool adopt_column(image_reader& in, paged_column<T>& column, std::uint64_t count) {
  const std::span<T> entries = get_list<T>(in);
  if (!in.ok() || entries.size() != count) return false;
  column.adopt(entries);
  return true;
}

/// The pages that have entries below `limit`, the last one as far as that. The numbers of the pages
/// stand before them.
template <class T>
void put_column(image_writer& out, const sparse_column<T>& column, std::uint32_t limit) {
  constexpr std::uint32_t page_entries = sparse_column<T>::page_entries;
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; std::uint64_t{number} * page_entries < limit; ++number)
    if (column.page(number) != nullptr) numbers.push_back(number);
  out.put(limit);
  put_list<std::uint32_t>(out, numbers);
  out.align();
  for (const std::uint32_t number : numbers) {
    const std::size_t length = std::min(page_entries, limit - number * page_entries);
    out.put_raw({reinterpret_cast<const char*>(column.page(number)), length * sizeof(T)});
  }
}
/// Into a column that has none; false if they are not there, or one of them does not fit. A page
/// that is not whole is copied.
template <class T, class Fits>
bool adopt_column(image_reader& in, sparse_column<T>& column, Fits&& fits) {
  constexpr std::uint32_t page_entries = sparse_column<T>::page_entries;
  const auto limit = in.get<std::uint32_t>();
  const std::span<std::uint32_t> numbers = get_list<std::uint32_t>(in);
  std::uint64_t length = 0;
  std::uint64_t next = 0;
  for (const std::uint32_t number : numbers) {
    if (number < next || std::uint64_t{number} * page_entries >= limit) return false;
    next = std::uint64_t{number} + 1;
    length += std::min(page_entries, limit - number * page_entries);
  }
  std::span<T> entries = in.get_own_array<T>(length);
  if (!in.ok() || !std::ranges::all_of(entries, fits)) return false;
  for (const std::uint32_t number : numbers) {
    const std::uint32_t first = number * page_entries;
    if (limit - first >= page_entries) {
      column.adopt_page(number, entries.template first<page_entries>());
      entries = entries.subspan(page_entries);
    } else {
      std::ranges::copy(entries, &column.grow(first));
    }
  }
  return true;
}
/// The same without a look at any entry.
template <class T>
bool adopt_column(image_reader& in, sparse_column<T>& column) {
  return adopt_column(in, column, [](const T&) { return true; });
}

} // namespace mneme
