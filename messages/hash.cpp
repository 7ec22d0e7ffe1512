#include "messages/hash.hpp"

#include <array>

#include <openssl/evp.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// Fetched once: looking the algorithm up by name costs more than hashing a tree node.
const EVP_MD* sha256_algorithm() {
  static EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  ensure(algorithm != nullptr, "OpenSSL offers no SHA-256");
  return algorithm;
}

} // namespace

struct sha256::context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();

  context() { ensure(evp != nullptr, "OpenSSL gave no hash context"); }
  ~context() { EVP_MD_CTX_free(evp); }
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  void begin() {
    ensure(EVP_DigestInit_ex2(evp, sha256_algorithm(), nullptr) == 1, "SHA-256 did not start");
  }
};

sha256::sha256() : context_(std::make_unique<context>()) {
  context_->begin();
}
sha256::~sha256() = default;

sha256& sha256::update(std::string_view bytes) {
  ensure(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  return *this;
}

sha256& sha256::update(std::uint8_t byte) {
  const char c = static_cast<char>(byte);
  return update(std::string_view(&c, 1));
}

sha256& sha256::update_u64be(std::uint64_t value) {
  std::array<char, 8> bytes{};
  for (std::size_t i = bytes.size(); i-- > 0; value >>= 8) bytes[i] = static_cast<char>(value);
  return update(std::string_view(bytes.data(), bytes.size()));
}

sha256& sha256::update_u16be(std::uint16_t value) {
  const std::array<char, 2> bytes = {static_cast<char>(value >> 8), static_cast<char>(value)};
  return update(std::string_view(bytes.data(), bytes.size()));
}

digest sha256::finish() {
  digest d;
  unsigned length = 0;
  ensure(EVP_DigestFinal_ex(context_->evp, d.bytes.data(), &length) == 1
             && length == d.bytes.size(),
         "SHA-256 did not finish");
  context_->begin();
  return d;
}

digest sha256_of(std::string_view bytes) {
  thread_local sha256 hasher;
  return hasher.update(bytes).finish();
}

} // namespace mneme
