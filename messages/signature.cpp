#include "messages/signature.hpp"

#include <memory>

#include <openssl/evp.h>

namespace mneme {

namespace {

struct free_key {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct free_context {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, free_key>;
using context_pointer = std::unique_ptr<EVP_MD_CTX, free_context>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

key_pointer private_pkey(const ed25519_key& key) {
  return key_pointer(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, key.data(), key.size()));
}

std::unexpected<error> failed(const char* what) {
  return fail(errc::io, std::string("OpenSSL could not ") + what);
}

} // namespace

result<ed25519_signature> sign(const ed25519_key& private_key, std::string_view message) {
  const key_pointer key = private_pkey(private_key);
  const context_pointer context(EVP_MD_CTX_new());
  ed25519_signature signature{};
  std::size_t size = signature.size();
  if (!key || !context
      || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1
      || EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(message), message.size())
             != 1
      || size != signature.size())
    return failed("sign");
  return signature;
}

bool verify_signature(const ed25519_key& public_key, std::string_view message,
                      const ed25519_signature& signature) {
  const key_pointer key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, public_key.data(), public_key.size()));
  const context_pointer context(EVP_MD_CTX_new());
  return key && context
         && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1
         && EVP_DigestVerify(context.get(), signature.data(), signature.size(), bytes_of(message),
                             message.size())
                == 1;
}

result<ed25519_key> public_key_of(const ed25519_key& private_key) {
  const key_pointer key = private_pkey(private_key);
  ed25519_key found{};
  std::size_t size = found.size();
  if (!key || EVP_PKEY_get_raw_public_key(key.get(), found.data(), &size) != 1
      || size != found.size())
    return failed("derive the public key");
  return found;
}

} // namespace mneme
