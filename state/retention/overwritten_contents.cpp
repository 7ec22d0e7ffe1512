#include "state/retention/overwritten_contents.hpp"

#include <algorithm>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

void add(std::vector<named_version>& to, std::vector<named_version> more) {
  to.insert(to.end(), more.begin(), more.end());
}

} // namespace

void overwritten_contents::take(const entry& e, const index_delta& d, bool stays) {
  if (d.version != nullptr)
    take_content(e, d);
  else if (stays)
    add(named_, named_versions(e.payload));
  if (d.head != nullptr && d.version == nullptr) take_head(e, d, stays);
}

overwritten overwritten_contents::noted(const entry& e, std::uint32_t number) {
  return {.seq = e.header.seq,
          .number = number,
          .bytes = static_cast<std::uint32_t>(e.payload_bytes.size()),
          .is_first_of_frame = std::exchange(is_first_, false)};
}

/// What the content before names as the one that it replaces is what speaks against that one since
/// then: where it changes stays known. So does since when the world has vectors.
void overwritten_contents::take_content(const entry& e, const index_delta& d) {
  ensure(d.head != nullptr, "a content comes with its head");
  contents& its = memories_[d.head->id];
  ensure(its.newest.empty() || its.newest.front().number < d.version->number,
         "versions come in their order");
  if (its.may_go) its.before.insert(its.before.end(), its.newest.begin(), its.newest.end());
  const bool brings_space = d.vector != nullptr && !std::exchange(has_vector_, true);
  const std::uint32_t number = d.version->number;
  its.may_go = d.version->type != memory_type::topic && !brings_space
               && d.reference.value == its.reference.value;
  its.reference = d.reference;
  overwritten one = noted(e, number);
  one.is_version = true;
  const auto* written = std::get_if<write_payload>(&e.payload);
  one.is_drawn = written != nullptr && written->id_drawn;
  its.newest = {one};
  if (auto names = named_versions(e.payload); !names.empty())
    names_of_.emplace(named_version{d.head->id, number}, std::move(names));
}

/// A head that stays is one of its version, as the journal must have it.
void overwritten_contents::take_head(const entry& e, const index_delta& d, bool stays) {
  const auto found = memories_.find(d.head->id);
  if (found == memories_.end()) return;
  contents& its = found->second;
  if (d.is_embedding) {
    if (d.vector != nullptr && !std::exchange(has_vector_, true)) its.may_go = false;
    if (its.may_go) its.newest.push_back(noted(e, d.head->current_version));
  } else if (stays) {
    its.may_go = false;
  }
}

void overwritten_contents::take_behind(const entry& e) {
  add(named_, named_versions(e.payload));
}

/// What stays names others, which then stay, and so on.
void overwritten_contents::keep_named() {
  const auto may_go = [&](const named_version& v) {
    const auto found = memories_.find(v.id);
    return found != memories_.end()
           && std::ranges::binary_search(found->second.before, v.number, {}, &overwritten::number);
  };
  for (const auto& [of, names] : names_of_)
    if (!may_go(of)) add(named_, names);
  while (!named_.empty()) {
    const named_version v = named_.back();
    named_.pop_back();
    if (!may_go(v) || !kept_.insert(v).second) continue;
    if (const auto names = names_of_.find(v); names != names_of_.end()) add(named_, names->second);
  }
}

void overwritten_contents::conclude(
    const std::function<void(const memory_id&, const overwritten&)>& visit) {
  keep_named();
  for (const auto& [id, its] : memories_) {
    ensure(std::ranges::is_sorted(its.before, {}, &overwritten::number),
           "versions are overwritten in their order");
    for (const overwritten& one : its.before)
      if (!kept_.contains({id, one.number})) visit(id, one);
  }
}

} // namespace mneme
