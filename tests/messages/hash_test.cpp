// SHA-256 against the published vectors, in pieces and from several threads.

#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "messages/hash.hpp"

using namespace mneme;

namespace {

constexpr auto empty_hex = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr auto abc_hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

} // namespace

TEST_CASE("FIPS 180-4 vectors") {
  CHECK(to_hex(sha256_of("")) == empty_hex);
  CHECK(to_hex(sha256_of("abc")) == abc_hex);
  CHECK(to_hex(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(to_hex(sha256_of(std::string(1'000'000, 'a')))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a hasher takes pieces and starts again after each message") {
  sha256 hasher;
  CHECK(to_hex(hasher.update("a").update(std::uint8_t{'b'}).update("c").finish()) == abc_hex);
  CHECK(to_hex(hasher.finish()) == empty_hex);
  CHECK(hasher.update_u64be(0x0102030405060708).update_u16be(0x090A).finish()
        == sha256_of("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0A"));
}

TEST_CASE("threads hash independently") {
  std::vector<std::string> hashes(4);
  std::vector<std::thread> threads;
  for (std::string& hash : hashes)
    threads.emplace_back([&hash] {
      for (int i = 0; i < 1000; ++i) hash = to_hex(sha256_of("abc"));
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& hash : hashes) CHECK(hash == abc_hex);
}
