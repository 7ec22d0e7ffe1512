// What a directory is.
// Of: state/checkpoint/world_file.cpp
#include <catch2/catch.hpp>

#include "state/checkpoint/world_file.hpp"

using namespace mneme;

TEST_CASE("a WORLD file comes back as it was written, with weights and a language or without") {
  for (const char* search : {"", "vector=1"})
    for (const char* language : {"english", "german", "none"}) {
      world_file w;
      w.id.bytes[3] = 7;
      w.name = "house";
      w.embedder = "hash:384";
      w.search = search;
      w.language = language;
      const auto read = decode_world_file(encode(w));
      REQUIRE(read);
      CHECK(*read == w);
    }
}

TEST_CASE("a WORLD file names the embedders of before, and a copy has that of its time") {
  world_file w;
  w.name = "house";
  w.embedder = "http:http://localhost/";
  w.former = {{"none", seq_no{0}}, {"hash:64", seq_no{7}}};
  CHECK(w.vectors_since() == seq_no{8});
  for (const bool is_under_way : {false, true})
    for (const char* language : {"english", "german"}) {
      w.is_being_embedded = is_under_way;
      w.language = language;
      const std::string bytes = encode(w);
      CHECK(bytes.at(10) == 4);
      const auto read = decode_world_file(bytes);
      REQUIRE(read);
      CHECK(*read == w);
    }
  CHECK(as_of(w, seq_no{8}) == w);
  CHECK(as_of(w, seq_no{7}).embedder == "hash:64");
  CHECK_FALSE(as_of(w, seq_no{7}).is_being_embedded);
  CHECK(as_of(w, seq_no{1}).vectors_since() == seq_no{1});
  CHECK(as_of(w, seq_no{0}).embedder == "none");
  CHECK(as_of(w, seq_no{0}).former.empty());
}

TEST_CASE("a WORLD file of an English world is as builds of before wrote it") {
  world_file w;
  w.name = "house";
  w.embedder = "none";
  const std::string plain = encode(w);
  CHECK(plain.at(8) == char(0x85)); // a map of five
  CHECK(plain.at(10) == 1);         // format 1
  w.search = "vector=1";
  CHECK(encode(w).at(10) == 2);
  w.language = "german";
  CHECK(encode(w).at(10) == 3);
}
