// Proof bundles: whatever a stranger sends is verified or refused, and a proof that verifies is
// printed as it was read.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nlohmann/json.hpp>

#include "fuzz/property.hpp"
#include "tools/protocol/json_text.hpp"
#include "tools/protocol/proof_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mneme;
  using namespace mneme::protocol;
  auto answer = parse_json({reinterpret_cast<const char*>(data), size});
  if (!answer) return 0;
  auto bundle = read_proof(*answer);
  if (!bundle) {
    fuzz::require(!bundle.error().message.empty(), "an error says what is wrong");
    return 0;
  }
  const auto verified = verify(*bundle);
  auto again = read_proof(proof_json(*bundle));
  fuzz::require(again.has_value(), "what is printed is read back");
  fuzz::require(verify(*again).has_value() == verified.has_value(), "and verifies as before");
  return 0;
}
