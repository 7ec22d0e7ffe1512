// Numbers by seq equal a map's, whatever comes and goes.
#include "views/seq_slots.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <rapidcheck.h>
#include <rapidcheck/catch.h>

using namespace mneme;

TEST_CASE("numbers by seq are those of a map") {
  rc::prop("what came and went", [](const std::vector<std::uint16_t>& seqs) {
    seq_slots subject;
    std::map<std::uint64_t, std::uint32_t> model;
    std::uint32_t number = 0;
    for (const std::uint16_t drawn : seqs) {
      // Few of them, so that each comes and goes, and neighbours as well as seqs that are far
      // apart.
      const std::uint64_t seq = 1U + drawn % 97U + (drawn % 3U) * std::uint64_t{1'000'003};
      if (model.erase(seq) != 0) {
        subject.erase({seq});
      } else {
        model[seq] = number;
        subject.insert({seq}, number++);
      }
      for (const std::uint64_t asked : {seq, seq + 1, seq + 1'000'003}) {
        const auto there = model.find(asked);
        RC_ASSERT(subject.find({asked}) == (there == model.end() ? no_number : there->second));
      }
    }
    for (const auto& [seq, its_number] : model) RC_ASSERT(subject.find({seq}) == its_number);
  });
}

TEST_CASE("nothing has a number where nothing was entered") {
  const seq_slots empty;
  CHECK(empty.find({1}) == no_number);
  empty.prefetch({1});
}
