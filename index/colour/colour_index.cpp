#include "index/colour/colour_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

constexpr double cube_edge = 16;
constexpr double cell_edge = cube_edge / cells_per_edge;
constexpr double least_ab = -128;

/// Cell number along one axis; what lies outside belongs to the outermost one.
std::uint32_t step_of(double x, double origin, std::uint32_t cubes) {
  const double step = std::floor((x - origin) / cell_edge);
  const double last = static_cast<double>(cubes * cells_per_edge - 1);
  return static_cast<std::uint32_t>(std::clamp(step, 0.0, last));
}

/// A box around nothing; times and strengths are never below zero.
void clear(point_bounds& b) {
  b.least.fill(std::numeric_limits<double>::infinity());
  b.greatest.fill(-std::numeric_limits<double>::infinity());
}

template <class T>
void raise(T& field, T value) {
  if (field < value) store_release(field, value);
}

void cover(point_bounds& bounds, const stored_point& p) {
  const std::array<double, 3> at = {p.L, p.a, p.b};
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] < bounds.least[i]) store_release(bounds.least[i], at[i]);
    raise(bounds.greatest[i], at[i]);
  }
  store_release(bounds.modes, bounds.modes | (std::uint64_t{1} << static_cast<unsigned>(p.mode)));
}

void cover(point_bounds& bounds, const colour_signals& s) {
  raise(bounds.last_accessed_ns, s.last_accessed.ns);
  raise(bounds.strength_e9, s.strength_e9);
}

/// A point in the image, as its bytes are.
struct saved_point {
  std::uint64_t begin;
  std::uint64_t end;
  double L;
  double a;
  double b;
  std::int64_t created_at_ns;
  std::uint32_t node;
  std::uint8_t mode;
  std::uint8_t erased;
  std::uint16_t zero;
};
static_assert(sizeof(saved_point) == 56, "no padding may enter the image");

constexpr std::size_t saved_signals_bytes = 4 + 8 + 8 + 8 + 8 + 1;
constexpr std::uint8_t saved_ascended = 1;
constexpr std::uint8_t saved_rotten = 2;
constexpr std::uint8_t saved_decayed = 4;

void put_signals(image_writer& out, const signal_record& r) {
  const colour_signals& s = r.values;
  out.put(r.node.value);
  out.put(r.seq);
  out.put(s.strength_e9);
  out.put(s.last_accessed.ns);
  out.put(s.last_decay_at ? s.last_decay_at->ns : std::int64_t{0});
  out.put(static_cast<std::uint8_t>((s.ascended ? saved_ascended : 0)
                                    | (s.rotten ? saved_rotten : 0)
                                    | (s.last_decay_at ? saved_decayed : 0)));
}

signal_record get_signals(image_reader& in) {
  signal_record r;
  r.node.value = in.get<std::uint32_t>();
  r.seq = in.get<std::uint64_t>();
  r.values.strength_e9 = in.get<std::int64_t>();
  r.values.last_accessed.ns = in.get<std::int64_t>();
  const auto decayed_ns = in.get<std::int64_t>();
  const auto flags = in.get<std::uint8_t>();
  r.values.ascended = (flags & saved_ascended) != 0;
  r.values.rotten = (flags & saved_rotten) != 0;
  if ((flags & saved_decayed) != 0) r.values.last_decay_at = timestamp{decayed_ns};
  return r;
}

} // namespace

colour_index::~colour_index() = default;

std::uint32_t colour_index::last_of(node_no node) const {
  const std::uint32_t* last = last_of_node_.find(node.value);
  return last == nullptr ? no_number : load_acquire(*last) - 1;
}

bool colour_index::is_last(std::uint32_t number) const {
  return last_of({points_[number].node}) == number;
}

std::optional<memory_mode> colour_index::mode_of(node_no node) const {
  const std::uint32_t last = last_of(node);
  if (last == no_number) return {};
  return points_[last].mode;
}

colour_cube& colour_index::cube_of(const stored_point& p, std::uint32_t& cell) {
  const std::uint32_t L = step_of(p.L, 0, cubes_of_L);
  const std::uint32_t a = step_of(p.a, least_ab, cubes_of_ab);
  const std::uint32_t b = step_of(p.b, least_ab, cubes_of_ab);
  constexpr std::uint32_t n = cells_per_edge;
  cell = ((L % n) * n + a % n) * n + b % n;
  auto& slot = cubes_[((L / n) * cubes_of_ab + a / n) * cubes_of_ab + b / n];
  if (colour_cube* there = slot.load(std::memory_order_relaxed)) return *there;
  owned_.push_back(std::make_unique<colour_cube>());
  colour_cube& fresh = *owned_.back();
  clear(fresh.bounds);
  for (auto& c : fresh.cells) clear(c.bounds);
  slot.store(&fresh, std::memory_order_release);
  return fresh;
}

void colour_index::append(const stored_point& p) {
  const std::uint32_t number = size_.load(std::memory_order_relaxed);
  ensure(number != no_number, "the colour space is full");
  ensure(std::isfinite(p.L) && std::isfinite(p.a) && std::isfinite(p.b), "a point has a place");
  ensure(number == 0 || points_[number - 1].begin <= p.begin, "points come in seq order");
  std::uint32_t cell = 0;
  colour_cube& cube = cube_of(p, cell);
  stored_point& stored = points_.grow(number);
  stored = p;
  stored.next = cube.cells[cell].head;
  // The bounds cover the point before a reader can reach it.
  cover(cube.bounds, p);
  cover(cube.cells[cell].bounds, p);
  store_release(cube.cells[cell].head, number + 1);
  store_release(last_of_node_.grow(p.node), number + 1);
  size_.store(number + 1, std::memory_order_release);
}

void colour_index::put(const coloured_state& state, seq_no begin) {
  const std::uint32_t last = last_of(state.node);
  const bool was_findable = last != no_number && points_[last].end == forever;
  if (state.findable == was_findable && last != no_number) return;
  if (was_findable) {
    ensure(points_[last].begin <= begin.value, "a point ends after it began");
    store_release(points_[last].erased, state.erased);
    store_release(points_[last].end, begin.value);
    return;
  }
  append({.begin = begin.value,
          .end = state.findable ? forever : begin.value,
          .L = state.point.L,
          .a = state.point.a,
          .b = state.point.b,
          .created_at_ns = state.created_at.ns,
          .node = state.node.value,
          .next = 0,
          .mode = state.mode,
          .erased = state.erased});
}

void colour_index::set_signals(node_no node, seq_no seq, const colour_signals& values) {
  const std::uint32_t last = last_of(node);
  ensure(last != no_number, "signals belong to a coloured memory");
  std::uint32_t cell = 0;
  colour_cube& cube = cube_of(points_[last], cell);
  cover(cube.bounds, values);
  cover(cube.cells[cell].bounds, values);
  signals_.set(node, seq, values);
}

std::uint32_t colour_index::points_through(seq_no at) const {
  std::uint32_t count = point_count();
  while (count > 0 && points_[count - 1].begin > at.value) --count;
  return count;
}

void colour_index::save(image_writer& out, seq_no from, seq_no at) const {
  tags_.save(out, at);
  const std::uint32_t size = points_through(at);
  // The last point of a memory says its mode and place, should it come back; the last one as of
  // `at`, since the writer goes on meanwhile.
  sparse_column<std::uint32_t> last_of_node; // point + 1
  for (std::uint32_t number = 0; number < size; ++number)
    last_of_node.grow(points_[number].node) = number + 1;
  std::vector<saved_point> kept;
  std::vector<signal_record> records;
  for (std::uint32_t number = 0; number < size; ++number) {
    const stored_point& p = points_[number];
    std::uint64_t end = load_acquire(p.end);
    if (end > at.value) end = forever;
    const bool is_last_point = *last_of_node.find(p.node) == number + 1;
    const bool is_needed = end > from.value || (is_last_point && !load_acquire(p.erased));
    if (!is_needed) continue;
    kept.push_back(
        {.begin = p.begin,
         .end = end,
         .L = p.L,
         .a = p.a,
         .b = p.b,
         .created_at_ns = p.created_at_ns,
         .node = p.node,
         .mode = static_cast<std::uint8_t>(p.mode),
         .erased = static_cast<std::uint8_t>(end != forever && load_acquire(p.erased) ? 1 : 0),
         .zero = 0});
  }
  std::vector<std::uint32_t> nodes;
  nodes.reserve(kept.size());
  for (const saved_point& p : kept) nodes.push_back(p.node);
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  for (const std::uint32_t node : nodes) signals_.append_records({node}, from, at, records);
  std::ranges::sort(records, {}, [](const signal_record& r) { return std::pair(r.seq, r.node); });
  out.put(std::uint64_t{kept.size()});
  out.put_raw({reinterpret_cast<const char*>(kept.data()), kept.size() * sizeof(saved_point)});
  out.put(std::uint64_t{records.size()});
  for (const signal_record& r : records) put_signals(out, r);
}

bool colour_index::load(image_reader& in, seq_no at) {
  if (!tags_.load(in, at)) return false;
  const std::uint64_t count = in.get_count(sizeof(saved_point));
  std::uint64_t last_begin = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::string_view raw = in.get_raw(sizeof(saved_point));
    if (raw.empty()) return false;
    saved_point p;
    std::memcpy(&p, raw.data(), sizeof p);
    const bool is_sound = p.begin >= last_begin && p.begin <= at.value && p.end >= p.begin
                          && (p.end <= at.value || p.end == forever) && p.node != no_number
                          && !to_string(static_cast<memory_mode>(p.mode)).empty()
                          && std::isfinite(p.L) && std::isfinite(p.a) && std::isfinite(p.b);
    if (!is_sound) return false;
    const std::uint32_t before = last_of({p.node});
    if (before != no_number && points_[before].end > p.begin) return false;
    last_begin = p.begin;
    append({.begin = p.begin,
            .end = p.end,
            .L = p.L,
            .a = p.a,
            .b = p.b,
            .created_at_ns = p.created_at_ns,
            .node = p.node,
            .next = 0,
            .mode = static_cast<memory_mode>(p.mode),
            .erased = p.erased != 0});
  }
  const std::uint64_t records = in.get_count(saved_signals_bytes);
  std::uint64_t last_seq = 0;
  for (std::uint64_t i = 0; i < records; ++i) {
    const signal_record r = get_signals(in);
    if (!in.ok() || r.seq < last_seq || r.seq > at.value || r.values.strength_e9 < 0
        || last_of(r.node) == no_number)
      return false;
    last_seq = r.seq;
    set_signals(r.node, {r.seq}, r.values);
  }
  return in.ok();
}

} // namespace mneme
