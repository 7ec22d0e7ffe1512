#include "bench/workloads/floors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fcntl.h>
#include <unistd.h>

namespace mneme::workloads {

namespace {

float dot(const float* a, const float* b) {
  std::array<float, 16> lanes{};
  for (std::size_t k = 0; k < dimension; k += lanes.size())
    for (std::size_t l = 0; l < lanes.size(); ++l) lanes[l] += a[k + l] * b[k + l];
  float sum = 0;
  for (const float l : lanes) sum += l;
  return sum;
}

template <class Score>
rows best_of(std::vector<std::pair<Score, std::uint32_t>>& scored, std::size_t k) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(k, scored.size()));
  std::partial_sort(scored.begin(), scored.begin() + count, scored.end());
  rows best;
  for (auto it = scored.begin(); it != scored.begin() + count; ++it) best.push_back(it->second);
  return best;
}

} // namespace

rows nearest_of(const dataset& d, const float* vector, const rows& among, std::size_t k) {
  std::vector<std::pair<float, std::uint32_t>> scored;
  scored.reserve(among.size());
  for (const auto i : among) scored.emplace_back(-dot(vector, d.vector_of(i)), i);
  return best_of(scored, k);
}

rows in_tag_type_time(const dataset& d, const query& q) {
  const auto& posting = d.postings[q.tag_of_find];
  const auto created = [&](std::uint32_t i) { return d.rows[i].created_at.ns; };
  rows found;
  for (auto it = std::ranges::lower_bound(posting, q.from.ns, {}, created);
       it != posting.end() && created(*it) < q.until.ns; ++it)
    if (d.rows[*it].type == q.type) found.push_back(*it);
  return found;
}

rows best_in_tag_type_time(const dataset& d, const query& q) {
  std::vector<std::pair<double, std::uint32_t>> scored;
  for (const auto i : in_tag_type_time(d, q)) {
    const auto age = static_cast<double>(query_time.ns - d.rows[i].created_at.ns);
    const double recency = std::exp(-age / (30.0 * static_cast<double>(day_ns)));
    scored.emplace_back(-0.5 * static_cast<double>(d.rows[i].importance) - 0.3 * recency, i);
  }
  return best_of(scored, 20);
}

rows tagged_in_reach(const dataset& d, const query& q) {
  rows found;
  for (const auto& [i, hops] : rows_around(d, q.start, 2, {}))
    if (std::ranges::count(d.rows[i].tags, q.tag_in_reach) > 0) found.push_back(i);
  return found;
}

synced_file::synced_file(const std::string& path)
    : descriptor_(::open(path.c_str(), O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600)) {
}
synced_file::~synced_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void synced_file::append(std::size_t bytes) {
  // Zeros first, so that a sync moves no metadata of the file.
  static const std::string zeros(4U << 20, '\0');
  while (at_ + bytes > end_) {
    if (::pwrite(descriptor_, zeros.data(), zeros.size(), static_cast<off_t>(end_)) < 0) return;
    end_ += zeros.size();
    if (::fdatasync(descriptor_) != 0) return;
  }
  const std::string block(bytes, 'x');
  const auto written = ::pwrite(descriptor_, block.data(), block.size(), static_cast<off_t>(at_));
  if (written > 0 && ::fdatasync(descriptor_) == 0) at_ += static_cast<std::uint64_t>(written);
}

} // namespace mneme::workloads
