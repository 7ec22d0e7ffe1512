#include "journal/ledger.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "journal/hash_rounds.hpp"
#include "journal/leaf_cache.hpp"
#include "journal/ledger_state.hpp"
#include "journal/roots.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Headers are read back in portions of this many.
constexpr std::uint64_t headers_at_once = 16'384;

/// The room of so many hashes is kept for the next change.
constexpr std::size_t kept_hashes = 1 << 17;

using namespace_values = std::array<std::vector<tree_leaf>, state_namespace_count>;

tree_leaf& value_of(std::vector<tree_leaf>& values, const digest& path) {
  const auto found = std::ranges::lower_bound(values, path, {}, &tree_leaf::path);
  ensure(found != values.end() && found->path == path, "a changed path has a value before");
  return *found;
}

/// What `header` overwrites; `values` are the ones before it and become those after it.
std::vector<state_leaf> overwrite(const entry_header& header, namespace_values& values) {
  std::vector<state_leaf> overwritten;
  for (const auto& leaf : header.leaves) {
    auto& current = value_of(values[static_cast<std::size_t>(leaf.ns)], leaf.path);
    if (current.value_hash == leaf.value_hash) continue;
    overwritten.push_back({leaf.ns, leaf.path, current.value_hash});
    current.value_hash = leaf.value_hash;
  }
  return overwritten;
}

std::uint64_t bytes_of(const std::vector<digest>& siblings) {
  return siblings.size() * sizeof(digest);
}

result<void> may_go_on(const keep_going& go_on) {
  return go_on ? go_on() : result<void>();
}

/// The journal's headers for one question. Those of the last tile are kept: whoever proves an entry
/// asks for the leaves of its tile, and then for its header.
class journal_headers {
public:
  explicit journal_headers(const ledger_sources& sources) : read_(sources.headers()) {}

  [[nodiscard]] result<std::vector<std::string>> range(seq_no first, std::uint64_t count) const {
    auto read = read_(first, count);
    if (read && read->size() != count)
      return fail(errc::corrupt, "the journal gave " + std::to_string(read->size())
                                     + " headers instead of " + std::to_string(count));
    return read;
  }

  /// The header of an entry of the log, which has `size` of them.
  result<std::string> of(seq_no seq, std::uint64_t size) {
    ensure(seq.value >= 1 && seq.value <= size, "a header is asked for of an entry of the log");
    const std::uint64_t index = seq.value - 1;
    const std::uint64_t first = index - index % merkle_log::tile_leaves;
    if (auto ok = load(first, std::min(merkle_log::tile_leaves, size - first)); !ok)
      return propagate(ok);
    return tile_[index - first];
  }

  /// Must not outlive this.
  log_leaf_source leaves() {
    return [this](std::uint64_t first, std::uint64_t count) -> result<std::vector<digest>> {
      if (auto ok = load(first, count); !ok) return propagate(ok);
      std::vector<digest> hashes;
      hashes.reserve(tile_.size());
      for (const auto& header : tile_) hashes.push_back(log_leaf_hash(header));
      return hashes;
    };
  }

private:
  result<void> load(std::uint64_t first, std::uint64_t count) {
    if (first == first_ && tile_.size() == count) return {};
    auto read = range({first + 1}, count);
    if (!read) return propagate(read);
    first_ = first;
    tile_ = std::move(*read);
    return {};
  }

  header_reader read_;
  std::uint64_t first_ = 0;
  std::vector<std::string> tile_; ///< headers of the leaves from first_ on
};

std::unexpected<error> unavailable(seq_no seq, std::string_view why) {
  return fail(errc::seq_unavailable, "seq " + std::to_string(seq.value) + std::string(why));
}

} // namespace

struct ledger::impl {
  ledger_sources sources;
  ledger_state state;
  std::uint64_t retained_seqs = UINT64_MAX;
  std::uint64_t leaf_cache_bytes;
  hash_rounds hashes; ///< of the change that is being made to the trees

  impl(const world_id& world, ledger_sources from, std::uint64_t cache_bytes)
      : sources(std::move(from)), leaf_cache_bytes(cache_bytes) {
    state = fresh_state();
    state.roots = empty_roots(world);
  }
  impl(const impl&) = delete; // the trees' sources refer to this
  impl& operator=(const impl&) = delete;

  /// Empty trees over the sources, in this world.
  [[nodiscard]] ledger_state fresh_state() const {
    ledger_state fresh;
    fresh.roots.world = state.roots.world;
    const auto kept = std::make_shared<leaf_cache>(leaf_cache_bytes);
    for (std::size_t i = 0; i < state_namespace_count; ++i)
      fresh.trees.emplace_back(
          [this, ns = static_cast<state_namespace>(i)](const digest& first, const digest& last) {
            return sources.leaves(ns, first, last);
          },
          kept);
    return fresh;
  }

  /// Calls visit(header bytes, header) for the entries [first, last].
  template <class Visit>
  result<void> each_header(std::uint64_t first, std::uint64_t last, Visit visit) const {
    const journal_headers headers(sources);
    while (first <= last) {
      const std::uint64_t count = std::min(headers_at_once, last - first + 1);
      auto read = headers.range({first}, count);
      if (!read) return propagate(read);
      for (const auto& bytes : *read) {
        auto header = decode_entry_header(bytes);
        if (!header) return propagate(header);
        if (header->seq.value != first)
          return fail(errc::corrupt, "the journal's entry " + std::to_string(first)
                                         + " carries seq " + std::to_string(header->seq.value));
        visit(bytes, *header);
        ++first;
      }
    }
    return {};
  }

  /// Log and undo from the headers 1..last: the values before the retained entries are the last
  /// ones written earlier, so only paths that those entries touch are followed.
  result<void> replay_headers(std::uint64_t last, ledger_state& fresh) const {
    ensure(fresh.log.size() == 0 && fresh.undo.size() == 0, "headers are replayed from the first");
    const std::uint64_t first_retained = last - std::min(last, retained_seqs) + 1;
    namespace_values values;
    auto ok = each_header(first_retained, last, [&](const std::string&, const entry_header& h) {
      for (const auto& leaf : h.leaves)
        values[static_cast<std::size_t>(leaf.ns)].push_back({leaf.path, {}});
    });
    if (!ok) return ok;
    for (auto& paths : values) {
      std::ranges::sort(paths, {}, &tree_leaf::path);
      const auto rest = std::ranges::unique(paths, {}, &tree_leaf::path);
      paths.erase(rest.begin(), rest.end());
    }
    return each_header(1, last, [&](const std::string& bytes, const entry_header& h) {
      fresh.log.append(log_leaf_hash(bytes));
      if (h.seq.value >= first_retained) {
        fresh.undo.append(overwrite(h, values));
        return;
      }
      for (const auto& leaf : h.leaves) {
        auto& followed = values[static_cast<std::size_t>(leaf.ns)];
        const auto found = std::ranges::lower_bound(followed, leaf.path, {}, &tree_leaf::path);
        if (found != followed.end() && found->path == leaf.path)
          found->value_hash = leaf.value_hash;
      }
    });
  }

  [[nodiscard]] result<void> check_available(seq_no seq) const {
    if (seq > state.roots.seq)
      return unavailable(seq, " is after the end, " + std::to_string(state.roots.seq.value));
    if (state.roots.seq.value - seq.value > state.undo.size())
      return unavailable(seq, " is before the retained window");
    return {};
  }

  /// The trees as they were at an available seq.
  [[nodiscard]] std::vector<tree_view> views_at(seq_no seq) const {
    const auto changes = state.undo.back(state.roots.seq.value - seq.value);
    std::vector<tree_view> views;
    views.reserve(state_namespace_count);
    for (std::size_t i = 0; i < state_namespace_count; ++i)
      views.push_back(state.trees[i].with(changes[i]));
    return views;
  }

  [[nodiscard]] result<root_set> roots_of(std::vector<tree_view>& views, seq_no seq) const {
    if (seq == state.roots.seq) return state.roots;
    root_set roots{.seq = seq,
                   .world = state.roots.world,
                   .journal_root = {},
                   .state_roots = {},
                   .overall = {}};
    journal_headers headers(sources);
    auto journal_root = state.log.root_at(seq.value, headers.leaves());
    if (!journal_root) return propagate(journal_root);
    roots.journal_root = *journal_root;
    for (std::size_t i = 0; i < state_namespace_count; ++i) {
      auto root = views[i].root();
      if (!root) return propagate(root);
      roots.state_roots[i] = *root;
    }
    roots.overall = overall_root_of(roots.world, seq, roots.journal_root, roots.state_roots);
    return roots;
  }

  /// Proofs of the entries of `request`, each once, in the order first asked.
  [[nodiscard]] result<std::vector<entry_proof>> prove_entries(const std::vector<seq_no>& seqs,
                                                               seq_no seq, const keep_going& go_on,
                                                               const take_room& room) const {
    std::map<seq_no, entry_proof> proofs;
    std::vector<std::uint64_t> indices;
    for (const seq_no wanted : seqs)
      if (proofs.try_emplace(wanted).second) indices.push_back(wanted.value - 1);
    std::ranges::sort(indices);
    journal_headers headers(sources);
    const auto prove_one = [&](std::uint64_t index, std::vector<digest> siblings) -> result<void> {
      if (auto ok = may_go_on(go_on); !ok) return ok;
      auto header = headers.of({index + 1}, state.log.size());
      if (!header) return propagate(header);
      if (room)
        if (auto ok = room(header->size() + bytes_of(siblings)); !ok) return ok;
      proofs.at({index + 1}) = {{index + 1}, std::move(*header), std::move(siblings)};
      return {};
    };
    if (auto ok = state.log.inclusions(indices, seq.value, headers.leaves(), prove_one); !ok)
      return propagate(ok);
    std::vector<entry_proof> found;
    found.reserve(proofs.size());
    for (const seq_no wanted : seqs)
      if (auto proof = proofs.extract(wanted)) found.push_back(std::move(proof.mapped()));
    return found;
  }

  /// All that reads leaves and may fail; changes nothing.
  result<std::vector<tree_change>> prepare(std::span<const entry> entries) {
    std::uint64_t last = state.roots.seq.value;
    for (const auto& e : entries) {
      ensure(!e.header_bytes.empty(), "an entry is sealed before it is applied");
      if (e.header.seq.value != ++last)
        return fail(errc::corrupt, "entry " + std::to_string(e.header.seq.value)
                                       + " stands where entry " + std::to_string(last)
                                       + " belongs");
    }
    ensure(state.log.size() == state.roots.seq.value, "the log ends where the roots stand");
    const tree_changes changes = changes_of(entries);
    std::vector<tree_change> prepared;
    hashes.clear();
    for (std::size_t i = 0; i < state_namespace_count; ++i) {
      auto change = state.trees[i].prepare(changes[i], hashes);
      if (!change) return propagate(change);
      prepared.push_back(std::move(*change));
    }
    return prepared;
  }

  root_set finish(std::span<const entry> entries, std::vector<tree_change> prepared) {
    hashes.run();
    namespace_values values;
    for (std::size_t i = 0; i < state_namespace_count; ++i) {
      values[i] = prepared[i].before();
      state.trees[i].commit(std::move(prepared[i]));
    }
    hashes.give_back(kept_hashes);
    for (const auto& e : entries) {
      state.log.append(log_leaf_hash(e.header_bytes));
      state.undo.append(overwrite(e.header, values));
    }
    state.undo.retain(retained_seqs);
    refresh_roots(state);
    return state.roots;
  }
};

ledger::ledger(const world_id& world, ledger_sources sources, std::uint64_t leaf_cache_bytes)
    : impl_(std::make_unique<impl>(world, std::move(sources), leaf_cache_bytes)) {
}
ledger::~ledger() = default;
ledger::ledger(ledger&&) noexcept = default;
ledger& ledger::operator=(ledger&&) noexcept = default;

const root_set& ledger::roots() const {
  return impl_->state.roots;
}

std::uint64_t ledger::leaf_count(state_namespace ns) const {
  return impl_->state.trees[static_cast<std::size_t>(ns)].leaf_count();
}

result<root_set> ledger::apply(std::span<const entry> entries) {
  auto prepared = impl_->prepare(entries);
  if (!prepared) return propagate(prepared);
  return impl_->finish(entries, std::move(*prepared));
}

result<root_set> ledger::roots_at(seq_no seq) const {
  if (auto ok = impl_->check_available(seq); !ok) return propagate(ok);
  auto views = impl_->views_at(seq);
  return impl_->roots_of(views, seq);
}

void ledger::retain(std::uint64_t count) {
  impl_->retained_seqs = count;
  impl_->state.undo.retain(count);
}

seq_no ledger::earliest() const {
  const ledger_state& state = impl_->state;
  ensure(state.undo.size() <= state.roots.seq.value, "no more is undone than there are entries");
  return {state.roots.seq.value - state.undo.size()};
}

result<proof_bundle> ledger::prove(const proof_request& request, seq_no seq,
                                   const keep_going& go_on, const take_room& room) const {
  if (auto ok = impl_->check_available(seq); !ok) return propagate(ok);
  for (std::size_t i = 0; i < request.seqs.size(); ++i)
    if (request.seqs[i].value == 0 || request.seqs[i] > seq)
      return fail(errc::seq_unavailable,
                  "seq " + std::to_string(request.seqs[i].value)
                      + " is no entry of the journal at seq " + std::to_string(seq.value),
                  "seqs[" + std::to_string(i) + "]");
  auto views = impl_->views_at(seq);
  auto roots = impl_->roots_of(views, seq);
  if (!roots) return propagate(roots);
  proof_bundle bundle{.roots = *roots, .states = {}, .entries = {}};
  std::set<std::pair<state_namespace, std::string_view>> proven;
  for (const auto& [ns, key] : request.keys) {
    if (!proven.emplace(ns, key).second) continue;
    if (auto ok = may_go_on(go_on); !ok) return propagate(ok);
    auto proof = views[static_cast<std::size_t>(ns)].prove(state_path(ns, key));
    if (!proof) return propagate(proof);
    if (room)
      if (auto ok = room(key.size() + bytes_of(proof->siblings)); !ok) return propagate(ok);
    bundle.states.push_back({ns, key, std::move(*proof)});
  }
  auto entries = impl_->prove_entries(request.seqs, seq, go_on, room);
  if (!entries) return propagate(entries);
  bundle.entries = std::move(*entries);
  // A source that has drifted from the log must not pass for a proof.
  if (auto ok = verify(bundle); !ok)
    return fail(errc::corrupt, "store or journal do not fit the ledger: " + ok.error().message);
  return bundle;
}

result<std::vector<digest>> ledger::prove_consistency(seq_no old_seq, seq_no new_seq) const {
  if (new_seq > impl_->state.roots.seq) return unavailable(new_seq, " is after the end");
  if (old_seq > new_seq) return unavailable(old_seq, " is after the seq to compare with");
  journal_headers headers(impl_->sources);
  return impl_->state.log.consistency(old_seq.value, new_seq.value, headers.leaves());
}

struct frozen_ledger::impl {
  frozen_ledger_state state;
};
frozen_ledger::frozen_ledger(std::shared_ptr<const impl> frozen) : impl_(std::move(frozen)) {
}
std::string frozen_ledger::save() const {
  return encode_image(impl_->state);
}

frozen_ledger ledger::freeze() const {
  return frozen_ledger(std::make_shared<const frozen_ledger::impl>(
      frozen_ledger::impl{.state = mneme::freeze(impl_->state)}));
}

std::string ledger::save() const {
  return freeze().save();
}

result<void> ledger::load(std::string_view image, std::shared_ptr<const void> holder) {
  auto fresh = impl_->fresh_state();
  if (holder == nullptr) {
    const auto copy = std::make_shared<std::string>(image);
    image = *copy;
    holder = copy;
  }
  fresh.image = std::move(holder);
  if (auto ok = decode_image(image, fresh); !ok) return ok;
  fresh.undo.retain(impl_->retained_seqs);
  impl_->state = std::move(fresh);
  return {};
}

result<void> ledger::rebuild(seq_no seq) {
  auto fresh = impl_->fresh_state();
  for (auto& tree : fresh.trees)
    if (auto ok = tree.rebuild(); !ok) return ok;
  if (auto ok = impl_->replay_headers(seq.value, fresh); !ok) return ok;
  refresh_roots(fresh);
  impl_->state = std::move(fresh);
  return {};
}

} // namespace mneme
