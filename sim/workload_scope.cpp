/// Scopes beside requests: most of them good, for memories that somebody made for others to see.

#include <algorithm>
#include <array>

#include "messages/text/time_text.hpp"
#include "sim/model_scope.hpp"
#include "sim/workload.hpp"

namespace mneme::sim {

scope_selector workload::some_selector() {
  scope_selector s;
  for (auto n = draw_.below(6); n > 0; --n) s.types.push_back(some_type());
  for (auto n = draw_.below(3); n > 0; --n) s.tags.push_back(some_tag());
  for (auto n = draw_.below(4); n > 0; --n) s.ids.push_back(some_id());
  if (draw_.percent(20)) {
    s.frame = frame_selector{verb::build, {}};
    if (draw_.percent(50)) s.frame->refs = {some_tag(), some_tag()};
  }
  return s;
}

/// Good for nothing, in one of the ways there are.
void workload::spoil(scope& s) {
  switch (draw_.below(7)) {
  case 0:
    s.granted_by = s.actor == "cy" ? "bo" : "cy";
    break;
  case 1:
    s.schema = 2;
    break;
  case 2:
    s.include = {};
    break;
  case 3:
    s.actor = s.granted_by = "dëa"; // who has no key
    break;
  case 4:
    s.signature[0] = 1; // a mark: it is signed when it is granted
    break;
  case 5:
    s.snapshot_root.bytes[7] ^= 1U;
    break;
  default:
    s.proofs.emplace();
    break;
  }
}

/// Null while there is no snapshot to point at.
std::shared_ptr<const scope> workload::some_scope() {
  const auto roots = truth_.snapshot_roots();
  if (roots.empty()) return nullptr;
  constexpr std::array<std::string_view, 4> owners = {"", "ana", "bo", "cy"};
  auto s = std::make_shared<scope>();
  s->actor = draw_.pick(owners);
  s->snapshot_root = draw_.pick(roots);
  s->include = some_selector();
  if (draw_.percent(30)) s->exclude = some_selector();
  s->expires_at = draw_.percent(80) ? max_timestamp : some_time();
  s->budget_tokens = draw_.between(1, draw_.percent(50) ? 60 : 5000);
  s->granted_by = draw_.percent(50) ? s->actor : std::string();
  s->writable = draw_.percent(70);
  if (draw_.percent(25)) add_proofs(*s);
  if (draw_.percent(15)) spoil(*s);
  return s;
}

/// Mostly of what the snapshot has, and mostly good.
void workload::add_proofs(scope& s) {
  const auto at = truth_.snapshot_seq(s.snapshot_root);
  auto& ids = s.include.ids;
  if (draw_.percent(90))
    std::erase_if(ids, [&](const memory_id& id) { return !truth_.head_at(id, *at); });
  s.proofs = proofs_of(truth_, s.snapshot_root, ids);
  if (!s.proofs) s.proofs.emplace();
  if (s.proofs->empty() || !draw_.percent(20)) return;
  tree_proof& p = (*s.proofs)[draw_.below(s.proofs->size())];
  switch (draw_.below(5)) {
  case 0:
    s.proofs->pop_back();
    break;
  case 1:
    p.value_hash->bytes[3] ^= 1U;
    break;
  case 2:
    if (!p.siblings.empty()) p.siblings.back().bytes[30] ^= 1U;
    break;
  case 3:
    std::ranges::reverse(*s.proofs);
    break;
  default:
    p.siblings.emplace_back();
    break;
  }
}

void workload::add_scopes(planned_request& planned) {
  if (planned.expected_error || !draw_.percent(how_.scoped_percent)) return;
  offer_scopes(planned.request, [&](std::shared_ptr<const scope>& place) {
    if (draw_.percent(70)) place = some_scope();
  });
}

} // namespace mneme::sim
