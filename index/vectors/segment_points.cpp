#include "index/vectors/segment_points.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

struct hashed_position {
  std::size_t hash;
  std::uint32_t position;
  friend auto operator<=>(const hashed_position&, const hashed_position&) = default;
};

std::string_view codes_of(const vector_rows& rows, std::uint32_t position) {
  return {reinterpret_cast<const char*>(rows.codes(position)), rows.code_count()};
}

/// For each of [begin, end) the first position with its codes. Sorted, not looked up in a table:
/// whoever chooses vectors whose hashes meet makes one sort longer, no more.
std::vector<std::uint32_t> first_alike(const vector_rows& rows, std::uint32_t begin,
                                       std::uint32_t end) {
  std::vector<hashed_position> all;
  all.reserve(end - begin);
  for (std::uint32_t i = begin; i < end; ++i)
    all.push_back({std::hash<std::string_view>()(codes_of(rows, i)), i});
  std::ranges::sort(all);
  std::vector<std::uint32_t> firsts(end - begin);
  for (auto from = all.begin(); from != all.end();) {
    const auto to = std::find_if(
        from, all.end(), [&](const hashed_position& other) { return other.hash != from->hash; });
    const auto codes = [&](const hashed_position& one) { return codes_of(rows, one.position); };
    const bool are_alike =
        std::all_of(from, to, [&](const auto& one) { return codes(one) == codes(*from); });
    if (!are_alike)
      std::stable_sort(from, to, [&](const auto& a, const auto& b) { return codes(a) < codes(b); });
    for (auto first = from; from != to; ++from) {
      if (codes(*from) != codes(*first)) first = from;
      firsts[from->position - begin] = first->position;
    }
  }
  return firsts;
}

} // namespace

segment_points::segment_points(const vector_rows& rows, std::uint32_t begin, std::uint32_t end)
    : begin_(begin) {
  ensure(begin < end && end <= rows.size(), "points are of vectors that are there");
  number(first_alike(rows, begin, end));
}

void segment_points::number(std::span<const std::uint32_t> first_alike) {
  size_ = 0;
  std::vector<std::uint32_t> point_of(first_alike.size());
  for (std::uint32_t i = 0; i < first_alike.size(); ++i) {
    const std::uint32_t first = first_alike[i] - begin_;
    ensure(first <= i, "a point is met at its first position");
    point_of[i] = first == i ? size_++ : point_of[first];
  }
  if (size_ == first_alike.size()) return;
  firsts_.reserve(size_);
  further_from_.resize(size_ + 1);
  for (std::uint32_t i = 0; i < first_alike.size(); ++i) {
    if (point_of[i] == firsts_.size())
      firsts_.push_back(begin_ + i);
    else
      ++further_from_[point_of[i] + 1];
  }
  for (std::uint32_t p = 0; p < size_; ++p) further_from_[p + 1] += further_from_[p];
  further_.resize(further_from_.back());
  std::vector<std::uint32_t> next(further_from_.begin(), further_from_.end() - 1);
  for (std::uint32_t i = 0; i < first_alike.size(); ++i)
    if (firsts_[point_of[i]] != begin_ + i) further_[next[point_of[i]]++] = begin_ + i;
}

// The further positions, each with the first one of its point.
void segment_points::write(image_writer& out) const {
  out.put(static_cast<std::uint32_t>(further_.size()));
  for (std::uint32_t point = 0; point < size_; ++point) {
    for (const std::uint32_t position : further(point)) {
      out.put(position);
      out.put(first(point));
    }
  }
}

std::optional<segment_points> segment_points::read(image_reader& in, const vector_rows& rows,
                                                   std::uint32_t begin, std::uint32_t end) {
  ensure(begin < end && end <= rows.size(), "points are of vectors that are there");
  segment_points points(begin, end - begin);
  const auto count = in.get<std::uint32_t>();
  if (!in.ok() || count > in.left() / (2 * sizeof(std::uint32_t))) return {};
  if (count == 0) return points;
  std::vector<std::uint32_t> firsts(end - begin);
  std::iota(firsts.begin(), firsts.end(), begin);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto position = in.get<std::uint32_t>();
    const auto first = in.get<std::uint32_t>();
    if (first < begin || position <= first || position >= end) return {};
    if (codes_of(rows, position) != codes_of(rows, first)) return {};
    firsts[position - begin] = first;
  }
  // What is first of others is not itself behind another.
  const bool are_first =
      std::ranges::all_of(firsts, [&](std::uint32_t at) { return firsts[at - begin] == at; });
  if (!are_first) return {};
  points.number(firsts);
  return points;
}

} // namespace mneme
