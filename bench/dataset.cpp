#include "bench/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

namespace mneme::bench {

std::uint64_t generator::next() { // splitmix64
  std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

double generator::gaussian() { // the sum of twelve uniform numbers is close enough here
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += unit();
  return sum;
}

namespace {

/// Zipf(1) over [0, tag_count) by inverse transform.
class zipf {
public:
  zipf() {
    double sum = 0;
    for (std::uint32_t i = 0; i < tag_count; ++i) cumulative_.push_back(sum += 1.0 / (i + 1));
  }
  std::uint32_t draw(generator& g) const {
    const double x = g.unit() * cumulative_.back();
    const auto it = std::ranges::lower_bound(cumulative_, x);
    return static_cast<std::uint32_t>(it - cumulative_.begin());
  }

private:
  std::vector<double> cumulative_;
};

void append_unit_vector(generator& g, const std::vector<float>& centres, std::vector<float>& out) {
  const std::size_t cluster = g.below(200);
  double norm = 0;
  const std::size_t start = out.size();
  for (std::size_t k = 0; k < dimension; ++k) {
    // A decaying spread gives the low effective dimension that text embeddings have.
    const double spread =
        0.7 / std::sqrt(1.0 + static_cast<double>((k * 37 + cluster) % dimension));
    const double v = centres[cluster * dimension + k] + spread * g.gaussian();
    out.push_back(static_cast<float>(v));
    norm += v * v;
  }
  const double scale = 1 / std::sqrt(norm);
  for (std::size_t k = start; k < out.size(); ++k) out[k] = static_cast<float>(out[k] * scale);
}

dataset make(std::size_t size) {
  generator g(42);
  dataset d;
  std::vector<float> centres;
  centres.reserve(200 * dimension);
  for (std::size_t i = 0; i < 200 * dimension; ++i)
    centres.push_back(static_cast<float>(g.gaussian() / std::sqrt(static_cast<double>(dimension))));
  const zipf tags;
  for (std::size_t i = 0; i < size; ++i) {
    row r;
    r.type = static_cast<memory_type>(0x0A + g.below(4)); // Decision, Commitment, Blocker, Note
    for (auto& t : r.tags) t = tags.draw(g);
    r.created_at = {first_day.ns
                    + static_cast<std::int64_t>(i)
                          * (365 * day_ns / static_cast<std::int64_t>(size))};
    r.importance = g.below(11);
    d.rows.push_back(r);
    append_unit_vector(g, centres, d.vectors);
    for (int e = 0; e < 2 && i > 0; ++e) {
      // Mostly the end of an earlier edge: preferential attachment.
      const bool popular = !d.edges.empty() && g.below(10) != 0;
      const std::uint32_t to =
          popular ? d.edges[g.below(static_cast<std::uint32_t>(d.edges.size()))].second
                  : g.below(static_cast<std::uint32_t>(i));
      if (to == i) continue;
      d.edges.emplace_back(static_cast<std::uint32_t>(i), to);
      d.edge_types.push_back(static_cast<std::uint8_t>(1 + g.below(14)));
    }
  }
  for (int q = 0; q < 64; ++q) append_unit_vector(g, centres, d.queries);
  return d;
}

struct scratch_root {
  std::filesystem::path path;
  scratch_root() {
    std::string name = (std::filesystem::temp_directory_path() / "mneme-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path = name;
  }
  ~scratch_root() { std::filesystem::remove_all(path); }
};

void check(bool ok, const std::string& what) {
  if (ok) return;
  std::fprintf(stderr, "bench: %s\n", what.c_str());
  std::exit(1); // NOLINT(concurrency-mt-unsafe): removes the scratch directory
}

void load(engine& e, const dataset& d) {
  constexpr std::size_t batch = 256;
  std::vector<mutation> items;
  const auto flush = [&] {
    if (items.empty()) return;
    auto done = e.write_batch(std::exchange(items, {}), durability::relaxed);
    check(done.has_value(), done ? "" : done.error().message);
  };
  for (std::size_t i = 0; i < d.rows.size(); ++i) {
    items.emplace_back(request_of(d, i));
    if (items.size() == batch) flush();
  }
  for (std::size_t i = 0; i < d.edges.size(); ++i) {
    add_edge_request edge;
    edge.src = id_of(d.edges[i].first);
    edge.dst = id_of(d.edges[i].second);
    edge.type = d.edge_types[i];
    items.emplace_back(edge);
    if (items.size() == batch) flush();
  }
  flush();
}

} // namespace

const dataset& dataset_of(std::size_t size) {
  static std::map<std::size_t, dataset> made;
  auto it = made.find(size);
  if (it == made.end()) it = made.emplace(size, make(size)).first;
  return it->second;
}

memory_id id_of(std::size_t row) {
  memory_id id;
  id.bytes[0] = 1;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(row >> (8 * i));
  return id;
}

std::string tag_name(std::uint32_t tag) {
  return "tag" + std::to_string(tag);
}

write_request request_of(const dataset& d, std::size_t i) {
  const row& r = d.rows[i];
  write_request w;
  w.type = r.type;
  std::string text = "memory " + std::to_string(i) + " about";
  while (text.size() < 190) text += " " + tag_name(r.tags[text.size() % 3]);
  w.data["statement"] = std::move(text);
  w.id = id_of(i);
  for (const auto t : r.tags) w.tags.push_back(tag_name(t));
  w.importance = r.importance;
  w.created_at = r.created_at;
  w.vector = std::vector<float>(d.vector_of(i), d.vector_of(i) + dimension);
  return w;
}

std::string scratch_directory(const std::string& name) {
  static scratch_root root;
  return (root.path / name).string();
}

engine& loaded_engine(std::size_t size) {
  static std::map<std::size_t, std::unique_ptr<engine>> engines;
  auto& slot = engines[size];
  if (slot == nullptr) {
    std::fprintf(stderr, "loading %zu memories and their edges …\n", size);
    engine_options o;
    o.directory = scratch_directory("world-" + std::to_string(size));
    o.embedder_spec = "none";
    o.clock = std::make_shared<manual_clock>(timestamp{first_day.ns + 366 * day_ns});
    auto opened = engine::open(o);
    check(opened.has_value(), opened ? "" : opened.error().message);
    slot = std::make_unique<engine>(std::move(*opened));
    load(*slot, dataset_of(size));
  }
  return *slot;
}

} // namespace mneme::bench
