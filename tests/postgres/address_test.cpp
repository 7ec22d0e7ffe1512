// Where a log is, as people write it.
#include "postgres/address.hpp"

#include <catch2/catch.hpp>

#include "mneme/postgres_log.hpp"

using namespace mneme;

TEST_CASE("an address names a database and a log in it", "[postgres]") {
  const auto plain =
      parse_postgres_address("postgresql://somebody@host:5433/db?sslmode=verify-full");
  REQUIRE(plain);
  CHECK(plain->database == "postgresql://somebody@host:5433/db?sslmode=verify-full");
  CHECK(plain->log == "main");
  const auto with_name = parse_postgres_address("postgres:///db#notes-2.a_B");
  REQUIRE(with_name);
  CHECK(with_name->database == "postgres:///db");
  CHECK(with_name->log == "notes-2.a_B");
}

TEST_CASE("what is no address is refused, and a password in it not repeated", "[postgres]") {
  for (const char* text :
       {"", "host=x dbname=y", "mysql://x:secret@host/db", "postgresql://x:secret@host/db#",
        "postgresql://x:secret@host/db#a b", "postgresql://x:secret@host/db#a#b",
        "postgresql://x:secret@host/db?flavour=1"}) {
    const auto address = make_postgres_log(text);
    INFO(text);
    REQUIRE_FALSE(address);
    CHECK(address.error().code == errc::bad_value);
    CHECK(address.error().message.find("secret") == std::string::npos);
  }
  CHECK(make_postgres_log("postgresql:///db#").error().message.find("without a '#'")
        != std::string::npos);
  CHECK_FALSE(parse_postgres_address("postgresql:///db#" + std::string(65, 'x')));
  CHECK_FALSE(parse_postgres_address(std::string("postgresql:///d\0b", 17)));
}
