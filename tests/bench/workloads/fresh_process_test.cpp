// Errands in processes of their own.
// Of: bench/workloads/fresh_process.cpp
#include <memory>

#include <catch2/catch.hpp>

#include <unistd.h>

#include "bench/workloads/fresh_process.hpp"

using namespace mneme::workloads;

TEST_CASE("an errand runs in a new process each time, with what was in memory before") {
  int before = 7;
  fresh_process processes(
      {[&]() -> errand_answer {
         ++before;
         return std::vector<double>{static_cast<double>(before), static_cast<double>(::getpid())};
       },
       []() -> errand_answer { return mneme::fail(mneme::errc::io, "nothing is there"); }});
  before = 100;
  const auto one = processes.run(0).value();
  const auto again = processes.run(0).value();
  CHECK(one.at(0) == 8);
  CHECK(again.at(0) == 8);
  CHECK(one.at(1) != again.at(1));
  CHECK(one.at(1) != static_cast<double>(::getpid()));
  CHECK(processes.run(1).error().message == "nothing is there");
}

TEST_CASE("an errand that dies is an error, and the next one runs") {
  fresh_process processes({[]() -> errand_answer { ::_exit(3); },
                           []() -> errand_answer { return std::vector<double>{1}; }});
  CHECK(processes.run(0).error().message == "a process of the benchmark has died");
  CHECK(processes.run(1).value() == std::vector<double>{1});
}

TEST_CASE("processes for errands end in any order") {
  const auto one = [](double n) {
    return [n]() -> errand_answer { return std::vector<double>{n}; };
  };
  auto first = std::make_unique<fresh_process>(std::vector<std::function<errand_answer()>>{one(1)});
  fresh_process second({one(2)});
  CHECK(first->run(0).value().at(0) == 1);
  first.reset();
  CHECK(second.run(0).value().at(0) == 2);
}

TEST_CASE("a process knows how much memory it has in use") {
  CHECK(resident_bytes() > 1e6);
}
