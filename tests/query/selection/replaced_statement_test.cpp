// What a new statement takes the place of, by the two texts alone.
// Of: query/selection/replaced_statement.cpp
#include <catch2/catch.hpp>

#include "query/selection/asked_selection.hpp"
#include "query/selection/replaced_statement.hpp"

using namespace mneme;

namespace {

bool replaces(std::string_view said, std::string_view older) {
  return takes_place(read_stated(said), read_stated(older), read_asked(said).subject.terms);
}

} // namespace

TEST_CASE("replaced: the same attribute, or all the same but for one value") {
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
           pair{"Ana works at Initech.", "Ana works at Globex."},
           pair{"I work at Initech.", "I work at Acme."},
           pair{"Caroline now works at a bank.", "Caroline works at Globex."},
           pair{"I now have three kids.", "I have two kids."},
           pair{"The project deadline moved to 20 May.", "The project deadline is 3 May."},
           pair{"The shop opens at 11:00.", "The shop opens at 10:30."},
           pair{"The shop opens at 10:45.", "The shop opens at 10:30."},
           pair{"Coffee costs 1.60 euros.", "Coffee costs 1.50 euros."},
           pair{"We run version 14.3 of the database.", "We run version 14.2 of the database."},
           pair{"Project Apollo costs 2 million.", "Project Apollo costs 1.5 million."},
           pair{"Ana is 31 years old.", "Ana is 30 years old."},
           pair{"Ana weighs 62 kilos.", "Ana weighs 60 kilos."},
           pair{"Room 203 seats 12 people.", "Room 203 seats ten people."},
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
  CHECK(is_contrary("Ben does not live in Porto", "Ben lives in Porto"));
  CHECK(is_contrary("Ben doesn't live in Porto", "Ben lives in Porto"));
  CHECK_FALSE(is_contrary("Ben never lived in Porto", "Ben did not live in Porto"));
  CHECK_FALSE(is_contrary("the trip was cancelled", "We can't go"));
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
           pair{"James and his family visited an animal sanctuary.", "James has two dogs."},
           pair{"Caroline now works at a bank.",
                "Caroline: Phew! Glad it all worked out, now you can rest."},
           pair{"I now have three kids.", "We had three guests at the picnic now."},
           pair{"James has three cats.", "James has two dogs."},
           pair{"Ana visited Rome.", "Ana visited Paris."},
           pair{"Room 204 has a projector.", "Room 203 has a projector."},
           pair{"Room 204 is on the second floor.", "Room 203 is on the second floor."},
           pair{"Meeting room 4 has a projector now.", "Meeting room 3 has a projector."},
           pair{"Chapter 4 covers oats.", "Chapter 3 covers oats."},
           pair{"PR 121 fixes the crash.", "PR 120 fixes the crash."},
           pair{"Gate 5 opens at nine.", "Gate 4 opens at nine."},
           pair{"Version 1.3 has the bug.", "Version 1.2 has the bug."},
           pair{"Three dogs sleep in the yard.", "Two dogs sleep in the yard."},
           pair{"I work at night.", "I work at home."},
           pair{"Ana works at Initech.", "Ana works at Globex. Her sister is a nurse."},
           pair{"Ana no longer works at Globex.", "Ana works at Globex."},
           pair{"I now live in Lisbon, and I learned how to sail there.",
                "I live in Oslo, and I learned how to ski there."},
           pair{"", ""},
       }) {
    INFO(said << " / " << older);
    CHECK_FALSE(replaces(said, older));
  }
}
