#include "storage/kv_store.hpp"

#include "storage/key_layout.hpp"

namespace mneme {

result<std::optional<kv_reader::row>> kv_reader::newest(kv_table table, std::string_view prefix,
                                                        seq_no at) {
  return first(table, std::string(prefix) + keys::u64be(~at.value),
               keys::prefix_end(std::string(prefix)));
}

std::unexpected<error> store_stopped(const error& cause) {
  return fail(cause.code,
              "the store has stopped (" + cause.message + "); close and open it again to recover");
}

result<void> kv_store::visit_checkpoint(const file_visitor&) {
  return fail(errc::unsupported, "the store has no files");
}

} // namespace mneme
