// Proofs that are asked of a world itself: when they give up.
#include "state/inspection/proofs.hpp"

#include "tests/state/site.hpp"

using namespace mneme;
using namespace mneme::testing;

TEST_CASE(
    "a proof asks before each thing whether there is time, and gives up where there is none") {
  site place;
  const auto w = place.open();
  driven by(*w);
  prove_request r;
  for (int i = 0; i < 20; ++i) {
    const auto done = by.apply(note("n" + std::to_string(i)));
    REQUIRE(done);
    r.ids.push_back(done->uri->id);
    r.seqs.push_back(done->seq);
  }
  int asked = 0;
  const auto always = [&]() -> result<void> {
    ++asked;
    return {};
  };
  REQUIRE(prove(*w, r, always));
  CHECK(asked >= 40);
  for (int until = 0; until < asked; ++until) {
    int left = until;
    const auto refused = prove(*w, r, [&]() -> result<void> {
      if (left-- > 0) return {};
      return fail(errc::deadline_exceeded, "late", "deadline_ms");
    });
    REQUIRE_FALSE(refused);
    REQUIRE(refused.error().code == errc::deadline_exceeded);
    REQUIRE(left == -1);
  }
}

TEST_CASE("a proof without any time at all is out of range") {
  site place;
  const auto w = place.open();
  prove_request r;
  r.deadline_ms = 0;
  const auto refused = prove(*w, r);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::out_of_range);
  CHECK(refused.error().at == "deadline_ms");
}
