#include "sim/workload.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace mneme::sim {

namespace {

constexpr std::array<std::string_view, 12> words = {"rain", "river",  "lamp",  "moss",
                                                    "iron", "market", "ferry", "letter",
                                                    "ash",  "bread",  "käse",  "north"};
constexpr std::array<std::string_view, 5> actors = {"", "ana", "bo", "cy", "dëa"};

operation_kind weighted(const profile& how, random_stream& draw) {
  std::uint64_t whole = 0;
  for (const auto weight : how.weights) whole += weight;
  std::uint64_t point = draw.below(whole);
  std::size_t kind = 0;
  while (point >= how.weights[kind]) point -= how.weights[kind++];
  return static_cast<operation_kind>(kind);
}

} // namespace

memory_id workload::fresh_id() {
  memory_id id;
  // Callers' ids lie far below those that the engine draws by its clock, or between them.
  id.bytes[0] = draw_.percent(50) ? 0x00 : 0x02;
  for (std::size_t i = 1; i < id.bytes.size(); ++i)
    id.bytes[i] = static_cast<std::uint8_t>(draw_.next());
  return id;
}

memory_id workload::known_id() {
  if (const auto gone = truth_.stubs(); !gone.empty() && draw_.percent(5)) return draw_.pick(gone);
  const auto ids = truth_.ids_at(truth_.last());
  if (ids.empty()) return fresh_id();
  // A few memories take most of the traffic.
  const std::size_t hot = std::min<std::size_t>(ids.size(), 12);
  return draw_.percent(60) ? ids[ids.size() - 1 - draw_.below(hot)] : draw_.pick(ids);
}

memory_id workload::some_id() {
  return draw_.percent(6) ? fresh_id() : known_id();
}

std::optional<head> workload::some_head() {
  return truth_.head_at(known_id(), truth_.last());
}

std::string workload::some_text() {
  std::string text(draw_.pick(words));
  for (auto more = draw_.below(draw_.one_in(30) ? 300 : 6); more > 0; --more)
    text += fmt::format(" {}", draw_.pick(words));
  return text;
}

std::string workload::some_tag() {
  if (draw_.percent(10))
    return draw_.percent(30) ? "speaker:user" : fmt::format("speaker:{}", draw_.pick(words));
  return fmt::format("t{}", draw_.below(6));
}

std::string workload::some_actor() {
  return std::string(draw_.pick(actors));
}

std::optional<std::string> workload::some_asker() {
  if (draw_.percent(60)) return std::nullopt;
  return draw_.one_in(10) ? std::string("stranger") : some_actor();
}

memory_type workload::some_type() {
  constexpr std::array<memory_type, 8> frequent = {
      memory_type::fact,  memory_type::goal,     memory_type::pattern, memory_type::constraint,
      memory_type::chunk, memory_type::decision, memory_type::event,   memory_type::topic};
  if (draw_.percent(70)) return draw_.pick(frequent);
  return static_cast<memory_type>(1 + draw_.below(memory_type_count));
}

timestamp workload::some_time() {
  constexpr std::int64_t day_ns = 86'400'000'000'000;
  return {std::max<std::int64_t>(0, now_.ns + draw_.between(-3 * day_ns, 3 * day_ns))};
}

std::vector<float> workload::some_vector(std::size_t dim) {
  std::vector<float> v(dim);
  // Few distinct values, so that distances tie.
  for (auto& x : v) x = static_cast<float>(draw_.between(-2, 2)) * 0.5F;
  v[draw_.below(dim)] = 1.0F;
  return v;
}

std::optional<seq_no> workload::some_past() {
  if (draw_.percent(70)) return std::nullopt;
  const auto last = truth_.last().value;
  if (draw_.one_in(20)) return seq_no{last + 1 + draw_.below(40)};
  // Often near the edge of what is retained.
  const auto kept = std::min(how_.setup.retained_seqs, last);
  const auto back = draw_.percent(50)
                        ? draw_.below(kept + 1)
                        : std::min(last, kept - std::min<std::uint64_t>(kept, 3) + draw_.below(6));
  return seq_no{last - back};
}

read_options workload::some_options() {
  return {.actor = some_asker(), .at_seq = some_past()};
}

std::uint32_t workload::version_of(const head& h) {
  return static_cast<std::uint32_t>(1
                                    + draw_.below(h.current_version + (draw_.one_in(10) ? 1 : 0)));
}

/// Short enough to be missed now and then, or enough for whatever it is.
std::optional<std::int64_t> workload::some_deadline() {
  if (!draw_.percent(10)) return std::nullopt;
  return draw_.percent(60) ? draw_.between(1, short_deadline_ms) : 3'600'000;
}

planned_request workload::next(timestamp now) {
  now_ = now;
  planned_request planned = some_request();
  add_scopes(planned);
  return planned;
}

/// By the names that hosts have for memories, or of all that there is.
planned_request workload::some_keyed_read() {
  const read_options options = some_options();
  switch (draw_.below(3)) {
  case 0:
    return {get_message{.id = {}, .options = options, .key = some_key()}, {}};
  case 1: {
    history_request r{.id = some_id(), .actor = options.actor, .at_seq = options.at_seq};
    if (draw_.one_in(3)) r.key = some_key();
    if (draw_.one_in(3)) r.limit = draw_.between(1, 3);
    if (draw_.one_in(4)) r.before = static_cast<std::uint32_t>(draw_.between(1, 4));
    return {history_message{std::move(r)}, {}};
  }
  default:
    list_request r{.limit = draw_.between(1, 9),
                   .include_tombstoned = draw_.one_in(3),
                   .include_archived = true,
                   .include_ended = true,
                   .actor = options.actor,
                   .at_seq = options.at_seq};
    if (draw_.one_in(3)) r.types = {some_type(), some_type()};
    if (draw_.one_in(4)) r.name_space = some_key().name_space;
    if (draw_.one_in(4)) r.owner = some_actor();
    return {list_message{std::move(r)}, {}};
  }
}

planned_request workload::some_request() {
  const auto kind = weighted(how_, draw_);
  if (auto door = next_door(kind)) return std::move(*door);
  const auto h = some_head();
  switch (kind) {
  case operation_kind::batch:
    return some_batch();
  case operation_kind::find:
  case operation_kind::find_late:
    if (draw_.percent(how_.invalid_percent)) return invalid_find();
    return {find_message{some_find(kind == operation_kind::find_late)}, {}};
  case operation_kind::find_many: {
    find_many_message many;
    for (auto n = draw_.below(4); n > 0; --n) many.requests.push_back(some_find(draw_.one_in(5)));
    return {std::move(many), {}};
  }
  case operation_kind::get:
    return {get_message{some_id(), some_options()}, {}};
  case operation_kind::resolve:
    if (!h) return {get_message{some_id(), {}}, {}};
    return {resolve_message{{draw_.one_in(20) ? some_type() : h->type, h->id, version_of(*h)},
                            some_options()},
            {}};
  case operation_kind::edges: {
    edges_message m{some_id(), static_cast<edge_direction>(draw_.below(3)), {}, some_options()};
    m.filter.include_tombstoned = draw_.percent(40);
    if (draw_.percent(30)) m.filter.types = {static_cast<edge_type>(1 + draw_.below(4))};
    return {std::move(m), {}};
  }
  case operation_kind::list:
    return some_keyed_read();
  case operation_kind::stale: {
    stale_message m{{.id = some_id(), .options = some_options()}};
    if (draw_.one_in(4)) m.request.limit = 1 + static_cast<std::int64_t>(draw_.below(3));
    if (draw_.one_in(8)) m.request.offset = 1;
    return {std::move(m), {}};
  }
  case operation_kind::root:
    return {root_message{some_past()}, {}};
  case operation_kind::prove:
    return {prove_message{some_proof()}, {}};
  case operation_kind::snapshot:
    return {snapshot_message{some_text(), {}}, {}};
  case operation_kind::checkpoint:
    return {checkpoint_message{}, {}};
  default:
    if (draw_.percent(how_.invalid_percent)) return invalid_mutation();
    return {apply_message{mutation_of(kind), some_durability()}, {}};
  }
}

} // namespace mneme::sim
