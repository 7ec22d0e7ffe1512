#include <cstdio>

#include <mneme/proof.hpp>

int main() {
  // Roots that do not hash to each other prove nothing.
  const auto refused = mneme::verify(mneme::proof_bundle{});
  if (refused || refused.error().code != mneme::errc::proof_mismatch) return 1;
  std::puts("verifier: ok");
}
