#include "index/colour/colour_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "index/colour/mnemosyne.hpp"
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

constexpr unsigned strength_shift = 3;
constexpr unsigned access_shift = 9;
constexpr point_use strength_mask = 0x3FU << strength_shift;
constexpr point_use access_mask = ~0U << access_shift;
constexpr double strength_steps = 63;
/// 2^40 ns, some 18 minutes: whatever time fits 63 bits fits 23 bits of those.
constexpr unsigned access_unit_bits = 40;

point_use mode_bits(memory_mode mode) {
  return static_cast<point_use>(mode) - 1;
}

/// Bounds of signals, without a mode.
point_use use_of(const colour_signals& s) {
  ensure(s.last_accessed.ns >= 0 && s.strength_e9 >= 0, "times and strengths are never below zero");
  const auto strength =
      static_cast<point_use>(std::ceil(strength_norm_of(s.strength_e9) * strength_steps));
  const auto access = static_cast<point_use>(s.last_accessed.ns >> access_unit_bits);
  return strength << strength_shift | access << access_shift;
}

/// What is at least as strong and as late as both; the mode and what else it says are those of `a`.
point_use greater_of(point_use a, point_use b) {
  const point_use strength = std::max(a & strength_mask, b & strength_mask);
  const point_use access = std::max(a & access_mask, b & access_mask);
  return (a & ~(strength_mask | access_mask)) | strength | access;
}

void raise(point_use& use, point_use other) {
  const point_use most = greater_of(use, other);
  if (most != use) store_release(use, most);
}

/// A box around nothing.
void clear(point_bounds& b) {
  for (float& least : b.least) store_release(least, std::numeric_limits<float>::infinity());
  for (float& greatest : b.greatest)
    store_release(greatest, -std::numeric_limits<float>::infinity());
}

float rounded_down(double x) {
  const auto nearest = static_cast<float>(x);
  return nearest <= x ? nearest : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
}

void cover(point_bounds& bounds, const lab_point& p, memory_mode mode) {
  const std::array<double, 3> at = {p.L, p.a, p.b};
  for (std::size_t i = 0; i < at.size(); ++i) {
    const float below = rounded_down(at[i]);
    const float above = -rounded_down(-at[i]);
    if (below < bounds.least[i]) store_release(bounds.least[i], below);
    if (bounds.greatest[i] < above) store_release(bounds.greatest[i], above);
  }
  store_release(bounds.modes, bounds.modes | (1U << static_cast<unsigned>(mode)));
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

memory_mode mode_of(point_use use) {
  return static_cast<memory_mode>((use & 3U) + 1);
}

timestamp accessed_at_most(point_use use) {
  const auto unit = static_cast<std::int64_t>(use >> access_shift);
  return {unit << access_unit_bits | ((std::int64_t{1} << access_unit_bits) - 1)};
}

double strength_norm_at_most(point_use use) {
  return static_cast<double>((use & strength_mask) >> strength_shift) / strength_steps;
}

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
  return mode_of(points_[last]);
}

colour_index::home colour_index::home_of(const lab_point& at) {
  const std::uint32_t L = step_of(at.L, 0, cubes_of_L);
  const std::uint32_t a = step_of(at.a, least_ab, cubes_of_ab);
  const std::uint32_t b = step_of(at.b, least_ab, cubes_of_ab);
  constexpr std::uint32_t n = cells_per_edge;
  const std::uint32_t cell = ((L % n) * n + a % n) * n + b % n;
  const std::uint32_t number = ((L / n) * cubes_of_ab + a / n) * cubes_of_ab + b / n;
  point_bounds& bounds = cube_bounds_[number];
  auto& slot = cubes_[number];
  if (colour_cube* there = slot.load(std::memory_order_relaxed)) return {*there, bounds, cell};
  owned_.push_back(std::make_unique<colour_cube>());
  colour_cube& fresh = *owned_.back();
  for (auto& c : fresh.cells) clear(c.bounds);
  slot.store(&fresh, std::memory_order_release);
  clear(bounds);
  return {fresh, bounds, cell};
}

/// Where the next brief of a cell goes: behind its last one, or into a fresh run.
std::uint32_t colour_index::next_place(const colour_cell& cell) {
  if (cell.last % briefs_per_run != 0) return cell.last;
  ensure(run_count_ < no_number / briefs_per_run, "the colour space is full");
  const std::uint32_t run = run_count_++;
  run_before_.grow(run) = cell.last;
  return run * briefs_per_run;
}

void colour_index::append(stored_point p, const lab_point& at, point_use use) {
  const std::uint32_t number = size_.load(std::memory_order_relaxed);
  ensure(number != no_number, "the colour space is full");
  ensure(std::isfinite(at.L) && std::isfinite(at.a) && std::isfinite(at.b), "a point has a place");
  ensure(number == 0 || points_[number - 1].begin <= p.begin, "points come in seq order");
  const home its = home_of(at);
  colour_cell& cell = its.cube.cells[its.cell];
  p.place = next_place(cell);
  const memory_mode mode = mneme::mode_of(use);
  // Of a memory that comes back, what it was used for before bounds what it is.
  if (const std::uint32_t before = last_of({p.node}); before != no_number)
    use = greater_of(use, briefs_[points_[before].place].use);
  points_.grow(number) = p;
  briefs_.grow(p.place) = {at, number, use};
  // The bounds cover the point before a reader can reach it.
  cover(its.cube_bounds, at, mode);
  cover(cell.bounds, at, mode);
  for (point_use* bound : {&its.cube_bounds.use, &cell.bounds.use, &cell.others})
    raise(*bound, use);
  store_release(cell.last, p.place + 1);
  store_release(its.cube.occupied, its.cube.occupied | std::uint64_t{1} << its.cell);
  store_release(last_of_node_.grow(p.node), number + 1);
  size_.store(number + 1, std::memory_order_release);
}

void colour_index::mark_erased(const stored_point& p, bool erased) {
  point_use& use = briefs_[p.place].use;
  store_release(use, erased ? use | use_erased : use & ~use_erased);
}

void colour_index::put(const coloured_state& state, seq_no begin) {
  const std::uint32_t last = last_of(state.node);
  const bool was_findable = last != no_number && points_[last].end == forever;
  if (state.findable == was_findable && last != no_number) return;
  if (was_findable) {
    ensure(points_[last].begin <= begin.value, "a point ends after it began");
    mark_erased(points_[last], state.erased);
    store_release(points_[last].end, begin.value);
    return;
  }
  append({.begin = begin.value,
          .end = state.findable ? forever : begin.value,
          .created_at_ns = state.created_at.ns,
          .node = state.node.value,
          .place = 0},
         state.point, mode_bits(state.mode) | (state.erased ? use_erased : 0));
}

// A reader looks at the foremost first and at what bounds the others then: whoever was foremost is
// among those before somebody else is.
void colour_index::set_signals(node_no node, seq_no seq, const colour_signals& values) {
  const std::uint32_t last = last_of(node);
  ensure(last != no_number, "signals belong to a coloured memory");
  const std::uint32_t place = points_[last].place;
  point_brief& brief = briefs_[place];
  const home its = home_of(brief.at);
  colour_cell& cell = its.cube.cells[its.cell];
  raise(brief.use, use_of(values));
  raise(its.cube_bounds.use, brief.use);
  raise(cell.bounds.use, brief.use);
  if (cell.foremost == 0
      || briefs_[cell.foremost - 1].use >> access_shift < brief.use >> access_shift) {
    if (cell.foremost != 0 && cell.foremost != place + 1)
      raise(cell.others, briefs_[cell.foremost - 1].use);
    store_release(cell.foremost, place + 1);
  } else if (cell.foremost != place + 1) {
    raise(cell.others, brief.use);
  }
  signals_.set(node, seq, values);
}

std::uint32_t colour_index::points_through(seq_no at) const {
  std::uint32_t count = point_count();
  while (count > 0 && points_[count - 1].begin > at.value) --count;
  return count;
}

void colour_index::save(image_writer& out, seq_no from, seq_no at,
                        const std::function<bool(node_no)>& is_kept) const {
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
    const point_brief& brief = briefs_[p.place];
    const point_use use = load_acquire(brief.use);
    const bool is_erased = (use & use_erased) != 0;
    const bool is_last_point = *last_of_node.find(p.node) == number + 1;
    const bool is_needed = end > from.value || (is_last_point && !is_erased);
    if (!is_needed || !is_kept({p.node})) continue;
    kept.push_back({.begin = p.begin,
                    .end = end,
                    .L = brief.at.L,
                    .a = brief.at.a,
                    .b = brief.at.b,
                    .created_at_ns = p.created_at_ns,
                    .node = p.node,
                    .mode = static_cast<std::uint8_t>(mneme::mode_of(use)),
                    .erased = static_cast<std::uint8_t>(end != forever && is_erased ? 1 : 0),
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
            .created_at_ns = p.created_at_ns,
            .node = p.node,
            .place = 0},
           {p.L, p.a, p.b},
           mode_bits(static_cast<memory_mode>(p.mode)) | (p.erased != 0 ? use_erased : 0));
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
  cover_earlier_points();
  return in.ok();
}

/// Signals were set of the last point of each memory; some are from when an earlier one was alive.
void colour_index::cover_earlier_points() {
  for (std::uint32_t number = 0; number < point_count(); ++number) {
    const std::uint32_t last = last_of({points_[number].node});
    if (last == number) continue;
    point_brief& brief = briefs_[points_[number].place];
    const home its = home_of(brief.at);
    raise(brief.use, briefs_[points_[last].place].use);
    raise(its.cube.cells[its.cell].others, brief.use);
  }
}

} // namespace mneme
