#pragma once
/// Notes with a colour, and the hashtags that give it to them.

#include "tests/state/site.hpp"

namespace mneme::testing {

inline const std::vector<std::string> eight = {"c1", "m1", "m2", "m3", "m4", "m5", "m6", "o1"};

inline void assign_eight(driven& d) {
  for (const auto& tag : eight) {
    assign_tag_request r;
    r.tag = tag;
    r.zone = tag[0] == 'c'   ? colour_zone::core
             : tag[0] == 'm' ? colour_zone::mid
                             : colour_zone::outer;
    auto done = d.apply(r);
    REQUIRE(done);
    CHECK(done->changed);
  }
}

inline write_request coloured(const std::string& text, memory_mode mode = memory_mode::adaptive) {
  write_request r = note(text);
  r.hashtags = eight;
  r.mode = mode;
  return r;
}

} // namespace mneme::testing
