#include <fmt/format.h>

#include "messages/codec/records.hpp"
#include "sim/check_state.hpp"
#include "sim/machine.hpp"
#include "state/recovery/dump.hpp"
#include "state/recovery/verify.hpp"
#include "state/retention/trim.hpp"
#include "views/read_views.hpp"

namespace mneme::sim {

namespace {

/// How a copy of the running world's disk is opened, on which nothing of it is open.
world_options options_of_copy(const evidence& known, const world& like, const disk& copy) {
  world_options made = world_options_of(known.setup, copy);
  made.create = false;
  made.embedder = like.embedder;
  made.retained_seqs = ~0ULL;
  made.store.is_there = {};
  return made;
}

/// Heads, uses and signals as of `at`.
result<std::string> uses_as_of(world& w, seq_no at) {
  std::string text;
  const read_views views = w.views();
  auto reader = w.store->reader();
  if (!reader) return propagate(reader);
  std::map<memory_id, node_no> nodes;
  for (std::uint32_t i = 0; i < w.nodes.size(); ++i) nodes.emplace(w.nodes.id({i}), node_no{i});
  for (const auto& [id, node] : nodes) {
    if (views.attributes->row_of(node, at).value == no_number) continue;
    auto m = read_memory(views, **reader, id, at);
    if (!m) return propagate(m);
    if (!m->has_value()) continue;
    text += to_string(id) + encode(*(*m)->head);
    if ((*m)->head->erased) continue; // a copy made from the journal knows nothing of its uses
    const activation& a = (*m)->activation;
    text += fmt::format(" used {} {} {} {} {}\n", a.last_used.ns, a.access_count, a.citations,
                        a.importance, a.topic_salience_e9);
    if (const auto s = views.attributes->colours().signals_of(node, at))
      text += fmt::format("signals {} {} {} {} {}\n", s->strength_e9, s->last_accessed.ns,
                          s->last_decay_at ? s->last_decay_at->ns : -1, s->ascended, s->rotten);
  }
  return text;
}

/// Without its first line, which tells seq and root.
std::string after_first_line(const std::string& dump) {
  return dump.substr(dump.find('\n'));
}

/// Of each memory without the versions before its newest, which a trim may drop.
std::string without_past_versions(const std::string& dump) {
  constexpr std::string_view of_version = "\n  version ";
  std::string made;
  for (std::size_t begin = 0; begin < dump.size();) {
    const std::size_t end = std::min(dump.find('\n', begin + 1), dump.size());
    const std::string_view line(dump.data() + begin, end - begin);
    const std::string_view rest = std::string_view(dump).substr(end);
    if (!line.starts_with(of_version) || !rest.starts_with(of_version)) made += line;
    begin = end;
  }
  return made;
}

check_result check_same_uses(world& w, world& trimmed, seq_no at) {
  if (!w.readable(at)) return {};
  if (!trimmed.readable(at))
    return wrong("trim", fmt::format("seq {} cannot be read any more", at.value));
  auto before = uses_as_of(w, at);
  auto after = uses_as_of(trimmed, at);
  if (!before) return wrong("trim", before.error().message);
  if (!after) return wrong("trim", after.error().message);
  if (*before != *after)
    return wrong("trim", fmt::format("the state as of seq {} is another", at.value));
  return {};
}

} // namespace

check_result check_trims(const evidence& known, world& w) {
  const auto* disk_now = dynamic_cast<const memory_file_system*>(w.files.get());
  if (disk_now == nullptr) return wrong("trim", "the world is on no simulated disk");
  disk copy;
  copy.files = std::make_shared<memory_file_system>(disk_now->image());
  const world_options opening = options_of_copy(known, w, copy);
  const seq_no last = known.truth.last();
  auto live = canonical_dump(w);
  if (!live) return wrong("trim", live.error().message);
  for (const seq_no point : {seq_no{last.value / 2 + 1}, last.next()}) {
    trim_options trim;
    trim.before = point;
    trim.versions = known.setup.seed % 2 == 0 ? point > last : point <= last;
    trim.time = std::make_shared<manual_clock>(timestamp{});
    trim.random = make_seeded_random(known.setup.seed, point.value);
    // Behind the first trim there is one entry more.
    auto done = trim_files(opening, trim);
    // The running world may have been trimmed farther.
    if (!done && done.error().code == errc::seq_unavailable) continue;
    if (!done) return wrong("trim", done.error().message);
    auto verified = verify_journal(*copy.files, w.directory, {});
    if (!verified) return wrong("trim", verified.error().message);
    if (!verified->ok) return wrong("trim", "it does not verify: " + verified->problem);
    auto roots = fold_roots(*copy.files, w.directory, last, {});
    if (!roots || *roots != known.roots.at(last))
      return wrong("trim", "the roots of before are others");
    auto trimmed = open_world(opening);
    if (!trimmed) return wrong("trim", trimmed.error().message);
    auto dump = canonical_dump(**trimmed);
    if (!dump) return wrong("trim", dump.error().message);
    if (without_past_versions(after_first_line(*dump))
        != without_past_versions(after_first_line(*live)))
      return wrong("trim", "the state is another");
    for (const seq_no at : {done->before, seq_no{(done->before.value + last.value) / 2}, last})
      if (at >= done->before && at <= last)
        if (auto ok = check_same_uses(w, **trimmed, at); !ok) return ok;
  }
  return {};
}

} // namespace mneme::sim
