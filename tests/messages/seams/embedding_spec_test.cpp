// What specs of embedders mean.
// Of: messages/seams/make_embedder.cpp, messages/seams/unasked_embedder.cpp

#include "messages/seams/embedding_spec.hpp"

#include <catch2/catch.hpp>

#include "messages/seams/unasked_embedder.hpp"

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
  CHECK(spec.space() == vector_space{.model = "http:small-3", .dim = 1536});
  const auto plain = parse_embedding_spec("http://localhost:8080").value();
  CHECK(plain.url == "http://localhost:8080/v1/embeddings");
  CHECK(plain.dim == 0);
  CHECK(plain.space().model == "http:http://localhost:8080/v1/embeddings");
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

TEST_CASE("an endpoint's embedder is made by who can ask endpoints") {
  constexpr std::string_view spec = "http:http://h/v1#model=m,dim=8";
  const auto alone = make_embedder(spec);
  REQUIRE_FALSE(alone);
  CHECK(alone.error().code == errc::no_embedder);
  CHECK(alone.error().at == "embedder");
  CHECK(alone.error().message.contains("mneme::remote_embedder"));
  CHECK(alone.error().message.contains("engine_options::remote_embedders"));

  std::string asked;
  const auto make = [&](std::string_view s, std::string_view key) {
    asked = std::string(s) + " with " + std::string(key);
    return make_unasked_embedder(s);
  };
  CHECK(make_embedder(spec, make, "secret").value()->space()
        == vector_space{.model = "http:m", .dim = 8});
  CHECK(asked == std::string(spec) + " with secret");
  const auto makes_none = [](std::string_view, std::string_view) {
    return result<std::shared_ptr<remote_embedder>>(nullptr);
  };
  CHECK(make_embedder(spec, makes_none).error().code == errc::no_embedder);
  asked.clear();
  CHECK(make_embedder("http:nowhere", make).error().code == errc::bad_value);
  CHECK(make_embedder("hash:8", make));
  CHECK(make_embedder("none", make).value() == nullptr);
  CHECK(asked.empty());
}

TEST_CASE("an embedder that nobody asks knows its space and embeds nothing") {
  const auto made = make_unasked_embedder("http:http://h/#model=m,dim=8").value();
  CHECK(made->space() == vector_space{.model = "http:m", .dim = 8});
  CHECK(made->embed("text").error().code == errc::no_embedder);
  CHECK(made->embed_many({}).error().code == errc::no_embedder);
  CHECK(make_unasked_embedder("hash:8").error().code == errc::bad_value);
}
