// What `mneme verify --proof` says of each text on standard input (base64, one a line): a line
// "ok" or the refusal. For both_verifiers_test.py.
#include <iostream>
#include <string>

#include <nlohmann/json.hpp>

#include "journal/proof.hpp"
#include "tools/protocol/base64.hpp"
#include "tools/protocol/proof_json.hpp"

using namespace mneme;

namespace {

std::string judged(const std::string& text) {
  const auto answer = protocol::parse_json(text);
  if (!answer) return answer.error().message;
  const auto bundle = protocol::read_proof(*answer);
  if (!bundle) return bundle.error().at + ": " + bundle.error().message;
  const auto verified = protocol::verify_proofs(*bundle);
  return verified ? "ok" : verified.error().message;
}

} // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto text = protocol::from_base64(line);
    if (!text) return 2;
    std::string verdict = judged(*text);
    for (char& c : verdict)
      if (c == '\n') c = ' ';
    std::cout << verdict << '\n';
  }
}
