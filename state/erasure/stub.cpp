#include "state/erasure/stub.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

head stub_of(const head& h, tombstone why, const nonce& fresh) {
  ensure(why.cause == tombstone_cause::erased, "a stub says that it was erased");
  head left;
  left.id = h.id;
  left.type = h.type;
  left.current_version = h.current_version;
  left.actor_scope = h.actor_scope;
  left.visibility = h.visibility;
  left.created_at = h.created_at;
  left.last_updated_at = why.at;
  left.version_hash = h.version_hash;
  left.tombstone = std::move(why);
  left.erased = true;
  left.nonce = fresh;
  return left;
}

bool is_stub(const head& h) {
  if (!h.erased || !h.tombstone || h.tombstone->cause != tombstone_cause::erased) return false;
  return h == stub_of(h, *h.tombstone, h.nonce) && !h.tombstone->superseded_by;
}

edge_record stub_of(const edge_record& e, const nonce& fresh) {
  edge_record left = e;
  left.data.clear();
  left.kind.clear();
  left.tombstoned_reason.clear();
  left.nonce = fresh;
  return left;
}

bool is_stub(const edge_record& e) {
  return e == stub_of(e, e.nonce);
}

} // namespace mneme
