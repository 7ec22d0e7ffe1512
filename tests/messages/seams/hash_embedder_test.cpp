// The hash embedder: the same bits for ever, unit length, and nearer where words are shared.

#include <cmath>
#include <cstring>
#include <thread>

#include <catch2/catch.hpp>
#include <rapidcheck/catch.h>

#include "messages/hash.hpp"
#include "mneme/seams.hpp"
#include "tests/messages/codec/any_record.hpp"

using namespace mneme;
using namespace mneme::test;

namespace {

std::vector<float> embedded(std::string_view text, std::uint32_t dim = 384) {
  auto vector = make_hash_embedder(dim)->embed(text);
  REQUIRE(vector);
  return *vector;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

double similarity(std::string_view a, std::string_view b) {
  return cosine(embedded(a), embedded(b));
}

std::string checksum(const std::vector<float>& v) {
  return to_hex(sha256_of({reinterpret_cast<const char*>(v.data()), v.size() * sizeof(float)}));
}

} // namespace

TEST_CASE("vectors are fixed for ever") {
  // A change here is a change of the space: the algorithm's name must change with it.
  CHECK(make_hash_embedder()->space() == vector_space{"hash@9c16e165ccaaf5db", 384});
  CHECK(checksum(embedded("The quick brown fox jumps over the lazy dog."))
        == "a16d77509f99e91153f09183cd8588a11a0e1798a2eb0758a6aa4c1b45a83f02");
  CHECK(checksum(embedded("Größe, ÉTÉ, Ωμέγα, 東京の天気, ﬁne — naïve 42", 64))
        == "01b9fb07a833cdc9f6298141cc54bc48350d1c0012345e7cce20acf7296c6817");
}

TEST_CASE("every vector has unit length and finite numbers") {
  const auto embedder = make_hash_embedder(128);
  rc::prop("length", [&] {
    const auto v = embedder->embed(any_text(60));
    RC_ASSERT(v.has_value());
    if (v->empty()) return;
    RC_ASSERT(v->size() == 128U);
    RC_ASSERT(std::abs(cosine(*v, *v) - 1.0) < 1e-6);
    for (const float x : *v) RC_ASSERT(std::isfinite(x) && !(x == 0 && std::signbit(x)));
  });
}

TEST_CASE("text without words has no vector") {
  for (const std::string_view text : {"", " \n\t", "... --- !!!", "—…“”", "😀"})
    CHECK(embedded(text).empty());
  CHECK(!embedded("a").empty());
  CHECK(!embedded("7").empty());
  CHECK(!embedded("水").empty());
}

TEST_CASE("case, punctuation, accents and composition make no difference") {
  const auto plain = embedded("the cafe is open");
  CHECK(embedded("The CAFE -- is open!") == plain);
  CHECK(embedded("caf\xC3\xA9") == embedded("CAFE\xCC\x81"));
  CHECK(embedded("caf\xC3\xA9") == embedded("cafe"));
  CHECK(embedded("STRASSE") == embedded("straße"));
  CHECK(embedded("ﬁne") == embedded("fine"));
  CHECK(embedded("ΣΟΦΟΣ") == embedded("σοφος"));
}

TEST_CASE("shared words and word parts bring texts together") {
  const auto query = "Where did Alice buy the red bicycle?";
  const double same_matter = similarity(query, "Alice bought a red bicycle in Paris.");
  const double same_person = similarity(query, "Alice likes to sleep late on Sundays.");
  const double unrelated = similarity(query, "Quarterly revenue grew by twelve percent.");
  CHECK(same_matter > same_person);
  CHECK(same_person > unrelated);
  CHECK(same_matter > 0.3);
  CHECK(unrelated < 0.2);
  CHECK(similarity("configuration", "configured") > similarity("configuration", "banana") + 0.2);
  CHECK(similarity("deploy database server", "database server deploy") > 0.6);
  CHECK(similarity("deploy database server", "database server deploy") < 0.999);
  CHECK(similarity("東京の天気", "東京の地図") > similarity("東京の天気", "経済成長率") + 0.2);
  // A misspelt word is nearer than another word.
  CHECK(similarity("accommodation", "accomodation") > similarity("accommodation", "restaurant"));
}

TEST_CASE("function words count little, but are not nothing") {
  CHECK(similarity("what is the weather in Paris", "Paris weather") > 0.9);
  CHECK(similarity("what is the price of tea", "what is the colour of the sky") < 0.3);
  CHECK(similarity("to be or not to be", "to be or not to be") > 0.999);
}

TEST_CASE("text that is not UTF-8 is refused") {
  const auto refused = make_hash_embedder()->embed("abc\xFF");
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::bad_utf8);
}

TEST_CASE("what lies behind the window is not read") {
  std::string text;
  while (text.size() < (32U << 10)) text += "wörds ";
  const auto whole = embedded(text);
  CHECK(embedded(text + "zebra") == whole);
  CHECK(embedded(std::string(1U << 20, 'x')).size() == 384);
}

TEST_CASE("threads embed independently") {
  const auto embedder = make_hash_embedder();
  const auto expected = *embedder->embed("one memory of many");
  std::vector<int> faults(4, 0);
  std::vector<std::thread> threads;
  for (int& fault : faults)
    threads.emplace_back([&embedder, &expected, &fault] {
      for (int i = 0; i < 200; ++i) {
        fault += embedder->embed("another " + std::to_string(i)).has_value() ? 0 : 1;
        fault += *embedder->embed("one memory of many") == expected ? 0 : 1;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(faults == std::vector<int>(4, 0));
}
