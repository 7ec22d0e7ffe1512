// The embedder behind an endpoint: what it says of itself, and what it answers when nobody is
// there.
// Of: network/http_client.cpp

#include "mneme/http_embedder.hpp"

#include <catch2/catch.hpp>

using namespace mneme;

TEST_CASE("an http embedder is remote, and a key must fit a header") {
  const auto made = make_http_embedder("http:http://localhost:1/#dim=8", "key").value();
  REQUIRE(made->remote() != nullptr);
  CHECK(made->space().dim == 8);
  CHECK(make_http_embedder("http:http://localhost:1/", "a\r\nb").error().code == errc::bad_value);
  CHECK(make_http_embedder("http:localhost").error().code == errc::bad_value);
  made->stop();
  CHECK(made->embed("text").error().code == errc::shutdown);
}

TEST_CASE("an http embedder is what a spec of an endpoint means where it is linked") {
  const auto made = make_embedder("http://localhost:1/v1#model=m", make_http_embedder).value();
  REQUIRE(made->remote() != nullptr);
  CHECK(made->space() == vector_space{.model = "http:m", .dim = 0});
}

TEST_CASE("nobody behind the endpoint is io") {
  const auto made = make_http_embedder("http:http://127.0.0.1:1/").value();
  CHECK(made->embed("text").error().code == errc::io);
}
