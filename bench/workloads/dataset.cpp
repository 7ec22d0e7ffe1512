#include "bench/workloads/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/workloads/random.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t cluster_count = 200;
constexpr std::uint32_t edge_type_kinds = 14;
constexpr std::array<const char*, 64> words = {
    "agent",   "met",     "market", "guard",   "door",     "key",        "river",  "north",
    "trade",   "debt",    "sword",  "bread",   "night",    "letter",     "ship",   "friend",
    "village", "heard",   "found",  "asked",   "mayor",    "forest",     "bridge", "gold",
    "song",    "storm",   "winter", "plan",    "goal",     "fear",       "helped", "learned",
    "lantern", "orchard", "garden", "harbour", "mountain", "stone",      "copper", "wagon",
    "rider",   "weaver",  "miller", "potter",  "judge",    "oath",       "secret", "rumour",
    "feast",   "harvest", "meadow", "valley",  "island",   "lighthouse", "anchor", "compass",
    "chart",   "ladder",  "window", "cellar",  "kitchen",  "supper",     "story",  "riddle"};

/// Gaussian clusters whose variance falls from axis to axis, in an order of axes of their own: the
/// low effective dimension that embeddings of texts have.
class clusters {
public:
  explicit clusters(generator& g) {
    double total = 0;
    for (std::size_t i = 0; i < dimension; ++i) total += 1.0 / static_cast<double>(1 + i);
    std::vector<std::size_t> axes(dimension);
    for (std::size_t k = 0; k < cluster_count; ++k) {
      std::vector<double> centre(dimension);
      for (auto& x : centre) x = g.gaussian();
      const double norm =
          std::sqrt(std::inner_product(centre.begin(), centre.end(), centre.begin(), 0.0));
      for (const double x : centre) centres_.push_back(x / norm);
      std::iota(axes.begin(), axes.end(), std::size_t{0});
      for (std::size_t i = dimension - 1; i > 0; --i) std::swap(axes[i], axes[g.below(i + 1)]);
      spreads_.resize(spreads_.size() + dimension);
      for (std::size_t i = 0; i < dimension; ++i)
        spreads_[k * dimension + axes[i]] =
            0.7 * std::sqrt(1.0 / static_cast<double>(1 + i) / total);
    }
  }
  void draw(generator& g, std::vector<float>& out) const {
    const std::size_t at = g.below(cluster_count) * dimension;
    std::array<double, dimension> x{};
    double norm = 0;
    for (std::size_t i = 0; i < dimension; ++i) {
      x[i] = centres_[at + i] + spreads_[at + i] * g.gaussian();
      norm += x[i] * x[i];
    }
    for (const double v : x) out.push_back(static_cast<float>(v / std::sqrt(norm)));
  }

private:
  std::vector<double> centres_;
  std::vector<double> spreads_;
};

row draw_row(generator& g, const zipf& tags, std::size_t i, std::size_t size) {
  row r;
  constexpr std::array types = {
      memory_type::fact,     memory_type::belief,     memory_type::goal,    memory_type::pattern,
      memory_type::decision, memory_type::commitment, memory_type::blocker, memory_type::note};
  r.type = types[g.below(types.size())];
  for (std::size_t k = 0; k < r.tags.size();) {
    const auto tag = tags.draw(g);
    const auto end = r.tags.begin() + static_cast<std::ptrdiff_t>(k);
    if (std::find(r.tags.begin(), end, tag) == end) r.tags[k++] = tag;
  }
  r.importance = static_cast<std::uint8_t>(g.below(11));
  const double share = (static_cast<double>(i) + g.unit()) / static_cast<double>(size);
  r.created_at = {first_day.ns
                  + static_cast<std::int64_t>(share * 365.0 * static_cast<double>(day_ns))};
  r.last_used = r.created_at;
  return r;
}

std::string draw_text(generator& g) {
  const std::size_t length = 190 + g.below(20);
  std::string text;
  while (text.size() < length) text.append(words[g.below(words.size())]).append(1, ' ');
  text.pop_back();
  return text;
}

void draw_edges(generator& g, dataset& d) {
  const zipf types(edge_type_kinds);
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 1; i < d.rows.size(); ++i)
    for (int k = 0; k < 2; ++k) {
      const bool is_popular = !ends.empty() && g.unit() >= 0.1;
      auto to = is_popular ? ends[g.below(ends.size())] : g.below(i);
      if (to == i) to = i - 1;
      d.edges.push_back({i, to, static_cast<std::uint8_t>(1 + types.draw(g))});
      ends.push_back(i);
      ends.push_back(to);
    }
}

void divide_among_actors(dataset& d) {
  const auto half = d.rows.size() / 2;
  d.large_actors = static_cast<std::uint32_t>(std::max<std::size_t>(1, half / 1000));
  const auto small_actors = static_cast<std::uint32_t>(std::max<std::size_t>(1, half / 100));
  d.own.resize(d.large_actors + small_actors);
  for (std::uint32_t i = 0; i < d.rows.size(); ++i) {
    const auto turn = i / 2;
    d.rows[i].actor = i % 2 == 0 ? turn % d.large_actors : d.large_actors + turn % small_actors;
  }
}

void index_row(dataset& d, std::uint32_t i) {
  for (const auto tag : d.rows[i].tags) d.postings[tag].push_back(i);
  d.own[d.rows[i].actor].push_back(i);
  d.types.push_back(d.rows[i].type);
  d.created_ns.push_back(d.rows[i].created_at.ns);
}

void index(dataset& d) {
  d.postings.resize(tag_count);
  for (std::uint32_t i = 0; i < d.rows.size(); ++i) index_row(d, i);
  auto& a = d.around;
  a.offset.assign(d.rows.size() + 1, 0);
  for (const auto& e : d.edges) {
    ++a.offset[e.src + 1];
    ++a.offset[e.dst + 1];
  }
  std::partial_sum(a.offset.begin(), a.offset.end(), a.offset.begin());
  a.steps.resize(d.edges.size() * 2);
  auto next = a.offset;
  for (const auto& e : d.edges) {
    a.steps[next[e.src]++] = {e.dst, e.type};
    a.steps[next[e.dst]++] = {e.src, e.type};
  }
}

/// Tags of about `share` of the rows; where none is, the one that is closest.
std::vector<std::uint32_t> tags_of_share(const dataset& d, double share) {
  const auto wanted = share * static_cast<double>(d.rows.size());
  std::vector<std::uint32_t> found;
  std::uint32_t closest = 0;
  double least = -1;
  for (std::uint32_t t = 0; t < tag_count; ++t) {
    const auto rows = static_cast<double>(d.postings[t].size());
    if (rows > 0.8 * wanted && rows < 1.25 * wanted) found.push_back(t);
    if (rows > 0 && (least < 0 || std::abs(rows - wanted) < least)) {
      least = std::abs(rows - wanted);
      closest = t;
    }
  }
  if (found.empty()) found.push_back(closest);
  return found;
}

void draw_queries(generator& g, dataset& d) {
  const zipf types(edge_type_kinds);
  const auto common = tags_of_share(d, 0.01);
  const auto rare = tags_of_share(d, 0.001);
  for (std::size_t i = 0; i < query_count; ++i) {
    query q;
    q.tag_1_percent = common[g.below(common.size())];
    q.tag_01_percent = rare[g.below(rare.size())];
    q.tag_of_find = static_cast<std::uint32_t>(std::exp(g.unit() * std::log(40.0))) - 1;
    q.type = d.rows[g.below(d.rows.size())].type;
    q.from = {first_day.ns
              + static_cast<std::int64_t>(g.unit() * 182.5 * static_cast<double>(day_ns))};
    q.until = {q.from.ns + 365 * day_ns / 2};
    q.edge_types[0] = static_cast<std::uint8_t>(1 + types.draw(g));
    do q.edge_types[1] = static_cast<std::uint8_t>(1 + types.draw(g));
    while (q.edge_types[1] == q.edge_types[0]);
    q.start = g.below(d.rows.size());
    const auto near = rows_around(d, q.start, 2, {});
    const auto reached = near.empty() ? q.start : near[g.below(near.size())].first;
    q.tag_in_reach = d.rows[reached].tags[g.below(3)];
    q.large_actor = g.below(d.large_actors);
    q.small_actor = d.large_actors + g.below(d.own.size() - d.large_actors);
    for (std::size_t k = 0; k < q.words.size();) {
      const std::string word = words[g.below(words.size())];
      const auto end = q.words.begin() + static_cast<std::ptrdiff_t>(k);
      if (std::find(q.words.begin(), end, word) == end) q.words[k++] = word;
    }
    d.queries.push_back(std::move(q));
  }
}

} // namespace

dataset make_dataset(std::size_t size, std::uint64_t seed) {
  generator g(seed);
  dataset d;
  const clusters shapes(g);
  const zipf tags(tag_count);
  d.vectors.reserve(size * dimension);
  for (std::size_t i = 0; i < size; ++i) {
    d.rows.push_back(draw_row(g, tags, i, size));
    d.texts.push_back(draw_text(g));
    shapes.draw(g, d.vectors);
  }
  for (std::size_t i = 0; i < query_count; ++i) shapes.draw(g, d.query_vectors);
  draw_edges(g, d);
  divide_among_actors(d);
  index(d);
  draw_queries(g, d);
  return d;
}

std::uint32_t add_row(dataset& d, std::size_t like) {
  const auto i = static_cast<std::uint32_t>(d.rows.size());
  row copy = d.rows[like];
  copy.created_at = copy.last_used = query_time;
  copy.access_count = 0;
  d.rows.push_back(copy);
  d.texts.push_back(std::string(d.texts[like]));
  const std::vector<float> vector(d.vector_of(like), d.vector_of(like) + dimension);
  d.vectors.insert(d.vectors.end(), vector.begin(), vector.end());
  index_row(d, i);
  return i;
}

void touch(row& r) {
  r.last_used = query_time;
  ++r.access_count;
}

std::vector<std::pair<std::uint32_t, std::uint32_t>>
rows_around(const dataset& d, std::uint32_t start, std::uint32_t hops,
            const std::vector<std::uint8_t>& types) {
  // Kept between calls: a walk touches few rows of many.
  thread_local std::vector<std::uint8_t> is_seen;
  is_seen.resize(std::max(is_seen.size(), d.rows.size()));
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order{{start, 0}};
  is_seen[start] = 1;
  for (std::size_t at = 0; at < order.size() && order[at].second < hops; ++at) {
    const auto [from, depth] = order[at];
    for (auto k = d.around.offset[from]; k < d.around.offset[from + 1]; ++k) {
      const auto [to, type] = d.around.steps[k];
      if (is_seen[to] != 0 || (!types.empty() && std::ranges::count(types, type) == 0)) continue;
      is_seen[to] = 1;
      order.emplace_back(to, depth + 1);
    }
  }
  for (const auto& [reached, depth] : order) is_seen[reached] = 0;
  order.erase(order.begin());
  return order;
}

memory_id id_of(std::size_t row) {
  memory_id id;
  id.bytes[0] = 1;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(row >> (8 * i));
  return id;
}

std::size_t row_of(const memory_id& id) {
  std::size_t row = 0;
  for (std::size_t i = 8; i < 16; ++i) row = row << 8 | id.bytes[i];
  return row;
}

std::string tag_name(std::uint32_t tag) {
  return "tag" + std::to_string(tag);
}

std::string actor_name(std::uint32_t actor) {
  return "actor" + std::to_string(actor);
}

write_request request_of(const dataset& d, std::size_t i) {
  const row& r = d.rows[i];
  write_request w;
  w.type = r.type;
  w.data["statement"] = d.texts[i];
  // What else the types require.
  if (r.type == memory_type::belief) w.data["stance"] = std::string("believe");
  if (r.type == memory_type::goal) w.data["status"] = std::string("active");
  if (r.type == memory_type::fact) {
    w.data["subject"] = std::string("world");
    w.data["predicate"] = std::string("says");
  }
  w.actor = actor_name(r.actor);
  w.id = id_of(i);
  for (const auto t : r.tags) w.tags.push_back(tag_name(t));
  w.importance = r.importance;
  w.created_at = r.created_at;
  w.vector = std::vector<float>(d.vector_of(i), d.vector_of(i) + dimension);
  return w;
}

std::vector<float> query_values(const dataset& d, std::size_t q) {
  return {d.query_vector(q), d.query_vector(q) + dimension};
}

} // namespace mneme::workloads
