// A town at one tick, and a hundred ways in which its evening can go on: each arm begins with the
// same past, lives ten ticks in which another one of its people gives the party (or not), and is
// then compared with the evening on which nobody does. Nothing of the arms is written to a disk.
//
// The same seeds give the same table, whatever the machine.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "mneme/arms.hpp"
#include "mneme/tick.hpp"

namespace {

constexpr int people = 10;
constexpr int arms = 100;
constexpr int ticks = 10;

template <class T>
T must(mneme::result<T> done) {
  if (done) return std::move(*done);
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  std::abort();
}

std::string person(int n) {
  return "person " + std::to_string(n);
}

mneme::write_request note(const std::string& actor, const std::string& statement) {
  mneme::write_request r;
  r.type = mneme::memory_type::note;
  r.actor = actor;
  r.data["statement"] = statement;
  return r;
}

/// Everybody knows whom he meets; day by day they have told each other so.
mneme::engine town_at_noon() {
  mneme::engine_options options;
  options.seed = 1;
  options.clock = std::make_shared<mneme::manual_clock>(mneme::timestamp{946'684'800'000'000'000});
  options.commit = mneme::commit_mode::per_request;
  options.exact_near = true;
  options.embedder_spec = "none";
  mneme::engine town = must(mneme::open_in_memory(options));
  for (int day = 1; day <= 5; ++day)
    for (int p = 0; p < people; ++p)
      must(town.apply(note(person(p), "day " + std::to_string(day) + ": I met "
                                          + person((p * 3 + day) % people))));
  return town;
}

/// Who has heard of the party, by what he remembers and nothing else.
std::vector<int> invited(mneme::engine& town) {
  mneme::find_request notes;
  notes.types = {mneme::memory_type::note};
  notes.limit = 10'000;
  std::vector<int> found;
  for (const auto& memory : must(town.find(notes)).memories) {
    if (!memory.version->forms.short_form.contains("party")) continue;
    for (int p = 0; p < people; ++p)
      if (memory.head->actor_scope == person(p)) found.push_back(p);
  }
  std::ranges::sort(found);
  const auto twice = std::ranges::unique(found);
  found.erase(twice.begin(), twice.end());
  return found;
}

/// One tick, as one frame: of those who know of the party some are in the mood to tell, and tell
/// the one whom they meet.
void live(mneme::engine& town, int tick, int habit) {
  mneme::tick_request all;
  for (const int p : invited(town)) {
    const int met = (p * 3 + tick + habit) % people;
    const bool tells = (p * 7 + tick * 3 + habit) % 5 == 0;
    if (tells && met != p)
      all.writes.emplace_back(
          mneme::scoped_mutation{note(person(met), "tick " + std::to_string(tick) + ": " + person(p)
                                                       + " told me of the party")});
  }
  for (const auto& write : must(town.tick(std::move(all))).writes)
    if (!write) std::fprintf(stderr, "%s\n", write.error().message.c_str());
}

struct evening {
  int host = 0;
  int habit = 0;
  std::size_t guests = 0;
  mneme::diff_report difference;
};

} // namespace

int main() {
  mneme::engine town = town_at_noon();
  const mneme::arm_base noon = must(mneme::arm_base::of(town));
  mneme::engine quiet = must(noon.arm()); // an evening without a party: nothing is written at all

  std::vector<mneme::engine> evenings;
  evenings.reserve(arms);
  for (int i = 0; i < arms; ++i)
    evenings.push_back(must(noon.arm({.seed = i + 1U, .random = {}, .clock = {}})));
  for (int i = 0; i < arms; ++i)
    must(evenings[i].apply(note(person(i % people), "I give a party at Hobbs Cafe")));
  // Side by side: all arms live a tick before any lives the next.
  for (int tick = 1; tick <= ticks; ++tick)
    for (int i = 0; i < arms; ++i) live(evenings[i], tick, i / people);

  std::vector<evening> ended;
  ended.reserve(arms);
  for (int i = 0; i < arms; ++i)
    ended.push_back({.host = i % people,
                     .habit = i / people,
                     .guests = invited(evenings[i]).size(),
                     .difference = must(
                         evenings[i].diff(quiet, [](const mneme::difference&) { return true; }))});
  std::ranges::stable_sort(ended, std::ranges::greater{}, &evening::guests);

  std::printf("%d arms from seq %llu, %d ticks each\n", arms,
              static_cast<unsigned long long>(noon.at().value), ticks);
  std::printf("host      habit  guests  memories\n");
  for (const evening& e : {ended.front(), ended[arms / 2], ended.back()})
    std::printf("%s  %5d  %6zu  %8llu\n", person(e.host).c_str(), e.habit, e.guests,
                static_cast<unsigned long long>(e.difference.only_a));
  std::map<std::size_t, int> by_guests;
  for (const evening& e : ended) ++by_guests[e.guests];
  for (const auto& [guests, count] : by_guests)
    std::printf("%3d evenings with %zu guests\n", count, guests);
  const bool all_agree =
      std::ranges::all_of(ended, [](const evening& e) { return e.difference.leaves_agree; });
  std::printf("all differences are what the state trees say: %s\n", all_agree ? "yes" : "no");
  std::printf("root of the first evening %s\n",
              mneme::to_hex(must(evenings.front().root()).overall).c_str());
  std::printf("the town is at seq %llu as before\n",
              static_cast<unsigned long long>(town.published().value));
  return all_agree ? 0 : 1;
}
