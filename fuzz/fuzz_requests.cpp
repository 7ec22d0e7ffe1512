// Requests of the line protocol, from the line to the typed request: every line is read or refused
// with a code and a message. The op is in the request; those that the engine alone reads are not
// here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fuzz/property.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/mutation_json.hpp"

namespace {

using namespace mneme;
using namespace mneme::protocol;

struct reader {
  std::string_view op;
  std::span<const key_shape> (*keys)() noexcept;
  result<mutation> (*read)(const json&, const json_path&, fault_list);
};
constexpr std::array readers = {reader{"write", write_import_keys, read_write},
                                reader{"update", update_keys, read_update},
                                reader{"update_head", update_head_keys, read_update_head},
                                reader{"tombstone", tombstone_keys, read_tombstone},
                                reader{"add_edge", add_edge_import_keys, read_add_edge},
                                reader{"remove_edge", remove_edge_keys, read_remove_edge}};

template <class T>
void check_answer(const result<T>& answer) {
  if (!answer) fuzz::require(!answer.error().message.empty(), "an error says what is wrong");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::optional<error> oversized;
  auto request = parse_json({reinterpret_cast<const char*>(data), size}, oversized);
  check_answer(request);
  if (!request) return 0;
  const std::string text = print(*request);
  auto again = parse_json(text, oversized);
  fuzz::require(again.has_value() && print(*again) == text, "what is printed is read back");
  if (!request->is_object()) return 0;
  const json_path document;
  for (const auto& r : readers) {
    auto shaped = check_members(*request, r.keys(), true, document);
    check_answer(shaped);
    if (shaped) check_answer(r.read(*request, document, {}));
  }
  auto shaped = check_members(*request, find_keys(), true, document);
  check_answer(shaped);
  if (shaped) check_answer(read_find(*request, document));
  return 0;
}
