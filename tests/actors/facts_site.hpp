#pragma once
/// Engines that hold facts, and the directories they may be in.

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "tests/actors/engine_site.hpp"

namespace mneme::testing {

/// A directory that goes with the test.
struct scratch {
  std::filesystem::path path;
  scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "mneme-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~scratch() { std::filesystem::remove_all(path); }
  [[nodiscard]] std::string world() const { return (path / "world").string(); }
};

inline engine_options deterministic(std::string directory, std::uint64_t seed = 1) {
  engine_options o;
  o.directory = std::move(directory);
  o.seed = seed;
  o.clock = std::make_shared<manual_clock>(timestamp{946'684'800'000'000'000});
  o.commit = commit_mode::per_request;
  o.exact_near = true;
  o.embedder_spec = "hash:64";
  return o;
}

inline write_request fact(std::string statement, std::string actor = "ana") {
  write_request r;
  r.type = memory_type::fact;
  r.data["statement"] = std::move(statement);
  r.data["subject"] = std::string("s");
  r.data["predicate"] = std::string("p");
  r.actor = std::move(actor);
  return r;
}

inline find_request by_type(memory_type type, std::int64_t limit = 10) {
  find_request f;
  f.types = {type};
  f.limit = limit;
  return f;
}

inline std::set<std::string> statements(const find_result& r) {
  std::set<std::string> found;
  for (const auto& m : r.memories)
    found.insert(std::get<std::string>(m.version->data.at("statement")));
  return found;
}

} // namespace mneme::testing
