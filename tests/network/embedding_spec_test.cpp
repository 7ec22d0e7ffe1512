// What specs of embedders mean.

#include <catch2/catch.hpp>

#include "mneme/seams.hpp"
#include "network/embedding_spec.hpp"

using namespace mneme;

TEST_CASE("embedders by name") {
  CHECK(make_embedder("hash").value()->space().dim == 384);
  CHECK(make_embedder("hash:8").value()->space().dim == 8);
  CHECK(make_embedder("hash:4096").value()->space().dim == 4096);
  CHECK(make_embedder("hash:64").value()->space().model == make_hash_embedder()->space().model);
  CHECK(make_embedder("none").value() == nullptr);
  for (const std::string_view bad : {"", "hash:", "hash:7", "hash:4097", "hash:0384", "hash:+64",
                                     "hash:64x", "hash:-64", "hash:99999999999", "Hash", "onnx"}) {
    const auto refused = make_embedder(bad);
    CAPTURE(bad);
    REQUIRE(!refused);
    CHECK(refused.error().code == errc::bad_value);
  }
}

TEST_CASE("an http spec names endpoint, model and dimension") {
  const auto spec =
      parse_embedding_spec("http:https://example.org/v1/embeddings#model=small-3,dim=1536").value();
  CHECK(spec.url == "https://example.org/v1/embeddings");
  CHECK(spec.model == "small-3");
  CHECK(spec.dim == 1536);
  CHECK(spec.space_model() == "http:small-3");
  const auto plain = parse_embedding_spec("http://localhost:8080").value();
  CHECK(plain.url == "http://localhost:8080/v1/embeddings");
  CHECK(plain.dim == 0);
  CHECK(plain.space_model() == "http:http://localhost:8080/v1/embeddings");
  CHECK(parse_embedding_spec("http:http://h/v1").value().url == "http://h/v1/embeddings");
  CHECK(parse_embedding_spec("http:http://h/v1/").value().url == "http://h/v1/embeddings");
  CHECK(parse_embedding_spec("https://h/own?v=2").value().url == "https://h/own?v=2");
}

TEST_CASE("an http spec that says too little or too much is refused") {
  for (const std::string_view bad :
       {"http:", "http:localhost:8080", "http://", "http:ftp://h/", "http:http://a b/",
        "http:http://user:secret@h/v1", "http:http://h/#dim=0", "http:http://h/#dim=4097",
        "http:http://h/#dim=8x", "http:http://h/#model=", "http:http://h/#", "http:http://h/#x=1",
        "http:http://h/#dim=8,dim=8", "http:http://h/#model=a,,dim=8"}) {
    CAPTURE(bad);
    const auto refused = parse_embedding_spec(bad);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::bad_value);
    CHECK_FALSE(make_embedder(bad));
  }
}

TEST_CASE("an http embedder is remote, and a key must fit a header") {
  const auto made = make_embedder("http:http://localhost:1/#dim=8", "key").value();
  REQUIRE(made->remote() != nullptr);
  CHECK(made->space().dim == 8);
  CHECK_FALSE(make_embedder("http:http://localhost:1/", "a\r\nb"));
  made->remote()->stop();
  CHECK(made->embed("text").error().code == errc::shutdown);
}

TEST_CASE("nobody behind the endpoint is io") {
  const auto made = make_embedder("http:http://127.0.0.1:1/").value();
  CHECK(made->embed("text").error().code == errc::io);
}
