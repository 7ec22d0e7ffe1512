// What a new statement takes the place of, by the two texts alone.
// Of: query/selection/replaced_statement.cpp
#include <algorithm>

#include <catch2/catch.hpp>

#include "query/selection/replaced_statement.hpp"

using namespace mneme;

namespace {

bool replaces(std::string_view said, std::string_view older) {
  const auto terms = text_terms(older);
  const auto shared = shared_with(read_asked(said), [&](const std::string& term) {
    return std::ranges::find(terms, term) != terms.end();
  });
  return takes_place(read_stated(said), read_stated(older), shared);
}

} // namespace

TEST_CASE("replaced: the same attribute, the same kind of value, or two telling words") {
  struct pair {
    std::string_view said;
    std::string_view older;
  };
  for (const auto& [said, older] : {
           pair{"My address is now 12 Oak Street.", "My address is 5 Elm Road."},
           pair{"My address changed to 12 Oak Street.", "By now, my address is 5 Elm Road."},
           pair{"I live in Lisbon now.", "I live in Oslo."},
           pair{"Bruno now works at Globex.", "Bruno works at Northwind."},
           pair{"The team meeting is on Thursday at nine.", "The team meeting is on Monday."},
           pair{"Our dog eats three times a day.", "Our dog eats twice a day."},
           pair{"The library opens at ten.", "The library opens at nine."},
           pair{"Rent is 500 euros.", "Rent is 400 euros."},
       }) {
    INFO(said << " / " << older);
    CHECK(replaces(said, older));
  }
}

TEST_CASE("replaced: texts are contrary by days, months and numbers") {
  CHECK(is_contrary("leaves at six from pier nine", "leaves at noon from pier four"));
  CHECK(is_contrary("on Monday", "on Tuesdays"));
  CHECK_FALSE(is_contrary("on Mondays at nine", "Monday, 9 o'clock"));
  CHECK_FALSE(is_contrary("at nine", "in June"));
  CHECK_FALSE(is_contrary("", "two"));
  CHECK_FALSE(is_contrary("one of them", "two"));
}

TEST_CASE("replaced: what is true beside the new statement stays") {
  struct pair {
    std::string_view said;
    std::string_view older;
  };
  for (const auto& [said, older] : {
           pair{"My passport expires in 2031.", "My passport number is 12345678."},
           pair{"The router is in the cellar.", "The password of the router is hunter2."},
           pair{"The harbour fee is seven euros.", "Ana works at the harbour office."},
           pair{"I am allergic to hazelnuts too.", "I am allergic to peanuts."},
           pair{"I am also allergic to hazelnuts.", "I am allergic to peanuts."},
           pair{"My brother lives in Lisbon.", "My sister lives in Porto."},
           pair{"The train is late today.", "Initech sends spare parts by train."},
           pair{"The train is now late.", "The train to Porto takes three hours."},
           pair{"The kitchen is painted blue.", "The window in the kitchen is broken."},
           pair{"My cat is called Tom.", "My cat is grey."},
           pair{"Lena is ill.", "Lena is a nurse."},
           pair{"My home address is 12 Oak Street.", "My email address is a@b.example."},
           pair{"My address is 12 Oak Street.", "Her address is 5 Elm Road."},
           pair{"Ana lives in Oslo now.", "Ana's sister lives in Porto."},
           pair{"", ""},
       }) {
    INFO(said << " / " << older);
    CHECK_FALSE(replaces(said, older));
  }
}
