#include "query/records/keyed_memory.hpp"

#include "messages/validate/validate.hpp"
#include "views/memory_keys.hpp"

namespace mneme {

result<memory_id> named_memory(const read_views& views, kv_reader& reader, const memory_id& id,
                               const std::optional<memory_key>& key, const asker& who, seq_no at) {
  if (!key) return id;
  if (auto ok = validate_key(*key); !ok) return propagate(ok);
  const node_no node = keyed_node(views, *key, at);
  if (node.value != no_number) {
    const memory_id found = views.nodes->id(node);
    auto h = read_head(reader, found, at);
    if (!h) return propagate(h);
    if (h->has_value() && who.may_see(**h)) return found;
  }
  return fail(who.refusal(), "there is no memory with the key", "key");
}

} // namespace mneme
