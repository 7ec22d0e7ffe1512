// Bodies of embeddings endpoints: what is sent, and every answer that is not believed.

#include <catch2/catch.hpp>

#include "network/embedding_json.hpp"

using namespace mneme;

namespace {

errc refusal(const std::string& body, std::size_t count = 1, std::uint32_t dim = 0) {
  const auto read = read_embedding_answer(body, count, dim);
  CAPTURE(body);
  REQUIRE_FALSE(read);
  return read.error().code;
}

} // namespace

TEST_CASE("a request has the texts, and the model where there is one") {
  const std::vector<std::string> texts = {"a\"b", "\xC3\xA4"};
  CHECK(embedding_request_json("m", texts)
        == "{\"encoding_format\":\"float\",\"input\":[\"a\\\"b\",\"\xC3\xA4\"],\"model\":\"m\"}");
  CHECK(embedding_request_json("", std::span(texts).first(1))
        == R"({"encoding_format":"float","input":["a\"b"]})");
}

TEST_CASE("vectors come in the order of the texts") {
  const auto v =
      read_embedding_answer(
          R"({"data":[{"index":1,"embedding":[0,2]},{"index":0,"embedding":[1,0.5]}]})", 2, 2)
          .value();
  CHECK(v[0] == std::vector<float>{1, 0.5F});
  CHECK(v[1] == std::vector<float>{0, 2});
  CHECK(read_embedding_answer(R"({"data":[{"embedding":[3]}]})", 1, 0).value()[0].front() == 3);
}

TEST_CASE("an answer that is none of embeddings is io") {
  for (const char* body :
       {"", "[]", "{", "{}", R"({"data":1})", R"({"data":[1]})", R"({"data":[]})",
        R"({"data":[{}]})", R"({"data":[{"embedding":"AAAA"}]})",
        R"({"data":[{"embedding":[true]}]})", R"({"data":[{"embedding":[1e999]}]})",
        R"({"data":[{"index":-1,"embedding":[1]}]})", R"({"data":[{"index":1,"embedding":[1]}]})",
        R"({"data":[{"embedding":[1]},{"embedding":[1]}]})"})
    CHECK(refusal(body) == errc::io);
  CHECK(refusal(R"({"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]})", 2)
        == errc::io);
}

TEST_CASE("vectors of another dimension, infinite or zero ones are refused") {
  CHECK(refusal(R"({"data":[{"embedding":[1,2]}]})", 1, 3) == errc::dim_mismatch);
  CHECK(refusal(R"({"data":[{"embedding":[]}]})") == errc::dim_mismatch);
  CHECK(refusal(R"({"data":[{"embedding":[1]},{"embedding":[1,2]}]})", 2) == errc::dim_mismatch);
  CHECK(refusal(R"({"data":[{"embedding":[1e300]}]})") == errc::bad_vector);
  CHECK(refusal(R"({"data":[{"embedding":[0,0]}]})") == errc::bad_vector);
}

TEST_CASE("what an error answer says is kept short and printable") {
  CHECK(embedding_error_text(R"({"error":{"message":"no such model"}})") == "no such model");
  CHECK(embedding_error_text(R"({"error":"busy"})") == "busy");
  CHECK(embedding_error_text("<html>\x1b[1m") == "<html> [1m");
  CHECK(embedding_error_text(std::string(1000, 'x')).size() == 200);
}
