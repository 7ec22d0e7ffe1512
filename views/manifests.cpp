#include "views/manifests.hpp"

#include "storage/key_layout.hpp"

namespace mneme {

result<std::optional<manifest>> find_manifest(kv_store& store, const digest& overall_root,
                                              seq_no at) {
  auto reader = store.reader();
  if (!reader) return propagate(reader);
  std::optional<manifest> found;
  result<void> decoded;
  const std::string last = keys::manifest(at);
  auto scanned = (*reader)->scan(kv_table::manifests, "", "",
                                 [&](std::string_view key, std::string_view value) {
                                   if (key > last) return false;
                                   auto m = decode_manifest(value);
                                   if (!m) {
                                     decoded = propagate(m);
                                     return false;
                                   }
                                   if (m->overall_root == overall_root) found = std::move(*m);
                                   return !found.has_value();
                                 });
  if (!scanned) return propagate(scanned);
  if (!decoded) return propagate(decoded);
  return found;
}

} // namespace mneme
