// Predicates of find: JSON in, canonical text out.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fuzz/property.hpp"
#include "query/find/find.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/predicate_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mneme;
  using namespace mneme::protocol;
  std::optional<error> oversized;
  auto where = parse_json({reinterpret_cast<const char*>(data), size}, oversized);
  if (!where || oversized) return 0;
  if (auto ok = check_predicate(*where, *where, {}); !ok) {
    fuzz::require(!ok.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const std::string text = to_text(read_predicate(*where));
  fuzz::require(text.starts_with('(') && text.ends_with(')'), "the canonical text is bracketed");
  return 0;
}
