#include "journal/ledger.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "journal/ledger_state.hpp"
#include "journal/roots.hpp"
#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Headers are read back in portions of this many.
constexpr std::uint64_t headers_at_once = 16'384;

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

std::unexpected<error> unavailable(seq_no seq, std::string_view why) {
  return fail(errc::seq_unavailable, "seq " + std::to_string(seq.value) + std::string(why));
}

} // namespace

struct ledger::impl {
  ledger_sources sources;
  ledger_state state;
  std::uint64_t retained_seqs = UINT64_MAX;

  impl(const world_id& world, ledger_sources from) : sources(std::move(from)) {
    state = fresh_state();
    state.roots = empty_roots(world);
  }
  impl(const impl&) = delete; // the trees' sources refer to this
  impl& operator=(const impl&) = delete;

  /// Empty trees over the sources, in this world.
  [[nodiscard]] ledger_state fresh_state() const {
    ledger_state fresh;
    fresh.roots.world = state.roots.world;
    for (std::size_t i = 0; i < state_namespace_count; ++i)
      fresh.trees.emplace_back(
          [this, ns = static_cast<state_namespace>(i)](const digest& first, const digest& last) {
            return sources.leaves(ns, first, last);
          });
    return fresh;
  }

  [[nodiscard]] result<std::vector<std::string>> headers(seq_no first, std::uint64_t count) const {
    auto read = sources.headers(first, count);
    if (read && read->size() != count)
      return fail(errc::corrupt, "the journal gave " + std::to_string(read->size())
                                     + " headers instead of " + std::to_string(count));
    return read;
  }

  [[nodiscard]] log_leaf_source log_leaves() const {
    return [this](std::uint64_t first, std::uint64_t count) -> result<std::vector<digest>> {
      auto read = headers({first + 1}, count);
      if (!read) return propagate(read);
      std::vector<digest> hashes;
      hashes.reserve(read->size());
      for (const auto& header : *read) hashes.push_back(log_leaf_hash(header));
      return hashes;
    };
  }

  /// Calls visit(header bytes, header) for the entries [first, last].
  template <class Visit>
  result<void> each_header(std::uint64_t first, std::uint64_t last, Visit visit) const {
    while (first <= last) {
      const std::uint64_t count = std::min(headers_at_once, last - first + 1);
      auto read = headers({first}, count);
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
    auto journal_root = state.log.root_at(seq.value, log_leaves());
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

  [[nodiscard]] result<entry_proof> prove_entry(seq_no entry_seq, seq_no seq) const {
    auto header = headers(entry_seq, 1);
    if (!header) return propagate(header);
    auto siblings = state.log.inclusion(entry_seq.value - 1, seq.value, log_leaves());
    if (!siblings) return propagate(siblings);
    return entry_proof{entry_seq, std::move(header->front()), std::move(*siblings)};
  }
};

ledger::ledger(const world_id& world, ledger_sources sources)
    : impl_(std::make_unique<impl>(world, std::move(sources))) {
}
ledger::~ledger() = default;
ledger::ledger(ledger&&) noexcept = default;
ledger& ledger::operator=(ledger&&) noexcept = default;

const root_set& ledger::roots() const {
  return impl_->state.roots;
}

result<root_set> ledger::apply(std::span<const entry> entries) {
  ledger_state& state = impl_->state;
  std::uint64_t last = state.roots.seq.value;
  for (const auto& e : entries) {
    ensure(!e.header_bytes.empty(), "an entry is sealed before it is applied");
    if (e.header.seq.value != ++last)
      return fail(errc::corrupt, "entry " + std::to_string(e.header.seq.value)
                                     + " stands where entry " + std::to_string(last) + " belongs");
  }

  const tree_changes changes = changes_of(entries);
  std::vector<tree_change> prepared;
  namespace_values values;
  for (std::size_t i = 0; i < state_namespace_count; ++i) {
    auto change = state.trees[i].prepare(changes[i]);
    if (!change) return propagate(change);
    values[i] = change->before();
    prepared.push_back(std::move(*change));
  }
  for (std::size_t i = 0; i < state_namespace_count; ++i)
    state.trees[i].commit(std::move(prepared[i]));
  for (const auto& e : entries) {
    state.log.append(log_leaf_hash(e.header_bytes));
    state.undo.append(overwrite(e.header, values));
  }
  state.undo.retain(impl_->retained_seqs);
  refresh_roots(state);
  return state.roots;
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
  return {impl_->state.roots.seq.value - impl_->state.undo.size()};
}

result<proof_bundle> ledger::prove(const proof_request& request, seq_no seq) const {
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
  for (const auto& [ns, key] : request.keys) {
    auto proof = views[static_cast<std::size_t>(ns)].prove(state_path(ns, key));
    if (!proof) return propagate(proof);
    bundle.states.push_back({ns, key, std::move(*proof)});
  }
  for (const auto& entry_seq : request.seqs) {
    auto proof = impl_->prove_entry(entry_seq, seq);
    if (!proof) return propagate(proof);
    bundle.entries.push_back(std::move(*proof));
  }
  // A source that has drifted from the log must not pass for a proof.
  if (auto ok = verify(bundle); !ok)
    return fail(errc::corrupt, "store or journal do not fit the ledger: " + ok.error().message);
  return bundle;
}

result<std::vector<digest>> ledger::prove_consistency(seq_no old_seq, seq_no new_seq) const {
  if (new_seq > impl_->state.roots.seq) return unavailable(new_seq, " is after the end");
  if (old_seq > new_seq) return unavailable(old_seq, " is after the seq to compare with");
  return impl_->state.log.consistency(old_seq.value, new_seq.value, impl_->log_leaves());
}

std::string ledger::save() const {
  return encode_image(impl_->state);
}

result<void> ledger::load(std::string_view image) {
  auto fresh = impl_->fresh_state();
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
