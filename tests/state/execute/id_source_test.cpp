// What is given back is drawn again: a command that fails leaves no trace in what later ones draw.
#include <catch2/catch.hpp>

#include "state/execute/id_source.hpp"

using namespace mneme;

namespace {

const timestamp now{1'704'067'200'000'000'000};
bool nobody(const memory_id&) {
  return false;
}

} // namespace

TEST_CASE("draws that are given back come again, whatever is drawn then") {
  id_source straight(make_seeded_random(7, 1), {});
  id_source failing(make_seeded_random(7, 1), {});
  failing.mark();
  (void)failing.draw_nonce();
  (void)failing.draw_id(now, nobody);
  (void)failing.draw_nonce();
  failing.give_back();
  CHECK(failing.last_drawn() == memory_id{});
  failing.mark();
  CHECK(failing.draw_id(now, nobody) == straight.draw_id(now, nobody));
  failing.give_back(); // also what had come again
  CHECK(failing.last_drawn() == memory_id{});
  failing.mark();
  CHECK(failing.draw_id(now, nobody) == straight.last_drawn());
  failing.keep();
  for (int i = 0; i < 4; ++i) CHECK(failing.draw_nonce() == straight.draw_nonce());
  CHECK(failing.draw_id(now, nobody) == straight.draw_id(now, nobody));
}
