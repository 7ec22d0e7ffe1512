#include "sim/root_history.hpp"

#include <span>

#include "journal/roots.hpp"
#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"

namespace mneme::sim {

namespace {

std::vector<tree_leaf> leaves_between(const std::map<digest, digest>& leaves, const digest& first,
                                      const digest& last) {
  std::vector<tree_leaf> found;
  for (auto it = leaves.lower_bound(first); it != leaves.end() && it->first <= last; ++it)
    found.push_back({it->first, it->second});
  return found;
}

} // namespace

root_history::root_history(const world_id& world) : world_(world) {
  restart();
}
root_history::root_history(const root_history& other)
    : world_(other.world_), entries_(other.entries_) {
  fold();
}
root_history::~root_history() = default;

void root_history::fold() {
  restart();
  for (const auto& e : entries_) apply(e);
}

void root_history::restart() {
  roots_.assign(1, empty_roots(world_));
  leaves_ = {};
  ledger_ = std::make_unique<ledger>(
      world_,
      ledger_sources{.leaves = [this](state_namespace ns, const digest& first,
                                      const digest& last) -> result<std::vector<tree_leaf>> {
                       return leaves_between(leaves_[static_cast<std::size_t>(ns)], first, last);
                     },
                     .headers = []() -> header_reader {
                       return [](seq_no, std::uint64_t) {
                         return fail(errc::unsupported, "no proofs are asked of a root history");
                       };
                     }});
  ledger_->retain(0);
}

void root_history::apply(const entry& e) {
  auto roots = ledger_->apply(std::span(&e, 1));
  ensure(roots.has_value(), "a ledger over memory cannot fail");
  roots_.push_back(*roots);
  for (const auto& leaf : e.header.leaves) {
    auto& leaves = leaves_[static_cast<std::size_t>(leaf.ns)];
    if (leaf.value_hash == digest{})
      leaves.erase(leaf.path); // of a field that was erased
    else
      leaves.insert_or_assign(leaf.path, leaf.value_hash);
  }
}

void root_history::append(const entry& e) {
  ensure(e.header.seq == last().next(), "roots are kept in order");
  apply(e);
  entries_.push_back(e);
}

void root_history::truncate(seq_no last) {
  if (last.value >= entries_.size()) return;
  entries_.resize(last.value);
  fold();
}

result<root_set> roots_of_contents(const world_id& world, const model& state,
                                   const root_history& past) {
  std::array<std::map<digest, digest>, state_namespace_count> leaves;
  for (const auto& id : state.ids_and_stubs()) {
    const auto h = state.head_at(id, state.last());
    leaves[static_cast<std::size_t>(state_namespace::memories)]
          [state_path(state_namespace::memories, id.raw())] = sha256_of(encode(*h));
  }
  for (const auto& e : state.edges_at(state.last()))
    leaves[static_cast<std::size_t>(state_namespace::edges)]
          [state_path(state_namespace::edges, key_bytes(e.key))] = sha256_of(encode(e));
  for (const auto& f : state.fields_at(state.last()))
    leaves[static_cast<std::size_t>(state_namespace::fields)]
          [state_path(state_namespace::fields, field_key_bytes(f.head.topic, f.head.name))] =
              sha256_of(encode(f.head));
  ledger fresh(world, {.leaves = [&](state_namespace ns, const digest& first,
                                     const digest& last) -> result<std::vector<tree_leaf>> {
                         return leaves_between(leaves[static_cast<std::size_t>(ns)], first, last);
                       },
                       .headers = [&]() -> header_reader {
                         return [&](seq_no first, std::uint64_t count) {
                           std::vector<std::string> headers;
                           headers.reserve(count);
                           for (std::uint64_t i = 0; i < count; ++i)
                             headers.push_back(past.entry_at({first.value + i}).header_bytes);
                           return headers;
                         };
                       }});
  if (state.last().value == 0) return empty_roots(world);
  if (auto ok = fresh.rebuild(state.last()); !ok) return propagate(ok);
  return fresh.roots();
}

} // namespace mneme::sim
