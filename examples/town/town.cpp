// A town of agents who live some days, and remember them: town.py in C++.
//
//     town DATA WORLD [DAYS] [--check]
//
// DATA is a folder with what is known of them: meta.json (start_date, persona_names),
// personas.jsonl (name, currently), memories.jsonl (scope, type, text, poignancy) and
// movement.jsonl (who, time, act). Each hour is two ticks: all agents look into their memories at
// one moment, and all that comes of it is one commit. What an agent does is what the record says
// for that hour; else it is drawn from what is done in town, by the name, the hour and what the
// agent remembered: in a simulator a model would reply here.
//
// Killed at any moment and started again, it goes on with the hour that it was in, and all remember
// what they would have. --check lives the same days again, in memory: all is the same, and so is
// the root of a town that was lived in one go.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "mneme/engine.hpp"
#include "mneme/tick.hpp"

namespace {

using nlohmann::json;

constexpr std::string_view asleep = "sleeping";
constexpr std::int64_t most_memories = 1'000'000;
constexpr std::int64_t ns_of_an_hour = 3'600'000'000'000;
constexpr int hours_of_a_day = 24;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1); // NOLINT(concurrency-mt-unsafe): this thread alone ends the program
}
template <class T>
T must(mneme::result<T> done) {
  if (!done) fail(done.error().message + " " + done.error().at);
  return std::move(*done);
}
void must(mneme::result<void> done) {
  if (!done) fail(done.error().message);
}

/// The same on every machine. What is drawn in town hangs on it.
std::uint64_t digest_of(std::string_view text) {
  std::uint64_t hash = 14'695'981'039'346'656'037U; // FNV-1a
  for (const char c : text) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 1'099'511'628'211U;
  }
  return hash;
}

/// "March 01, 2024", perhaps with ", 06:00:00": hours since 1970.
std::int64_t hours_of(const std::string& text) {
  constexpr std::array<std::string_view, 12> months = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  const auto month =
      std::ranges::find(months, std::string_view(text).substr(0, text.find(' '))) - months.begin();
  const auto number = [&](std::size_t at) { return std::atoi(text.c_str() + at); };
  const std::size_t day = text.find(' ') + 1;
  const std::size_t year = text.find(' ', day) + 1;
  const std::size_t time = text.find(", ", year);
  const std::chrono::year_month_day date{std::chrono::year(number(year)),
                                         std::chrono::month(static_cast<unsigned>(month) + 1),
                                         std::chrono::day(static_cast<unsigned>(number(day)))};
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return std::int64_t{days} * hours_of_a_day + (time == std::string::npos ? 0 : number(time + 2));
}

std::vector<json> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) fail("cannot read " + path);
  std::vector<json> rows;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) rows.push_back(json::parse(line));
  return rows;
}

mneme::write_request note(const std::string& who, const char* kind, const std::string& text,
                          std::int64_t importance = 3) {
  mneme::write_request r;
  r.type = mneme::memory_type::note;
  r.data["statement"] = text;
  r.actor = who;
  r.tags = {kind};
  r.importance = std::clamp<std::int64_t>(importance, 1, 10);
  return r;
}

/// What is known before the first hour.
class town {
public:
  explicit town(const std::string& folder) {
    std::ifstream file(folder + "/meta.json");
    const json meta = json::parse(file);
    start_ = hours_of(meta["start_date"]);
    names = meta["persona_names"].get<std::vector<std::string>>();
    const auto lives_here = [this](const std::string& name) {
      return std::ranges::find(names, name) != names.end();
    };
    for (const json& row : lines_of(folder + "/memories.jsonl"))
      if (lives_here(row["scope"]))
        past.push_back(note(row["scope"], row["type"].get<std::string>().c_str(), row["text"],
                            row.value("poignancy", 3)));
    for (const json& row : lines_of(folder + "/personas.jsonl"))
      if (lives_here(row["name"]))
        past.push_back(note(row["name"], "thought", row["currently"], 5));
    for (const json& row : lines_of(folder + "/movement.jsonl"))
      recorded_.try_emplace({row["who"], hours_of(row["time"]) - start_},
                            row["act"].get<std::string>());
    for (const auto& [when, act] : recorded_)
      if (!act.starts_with(asleep)) acts_.push_back(act);
    std::ranges::sort(acts_);
    const auto twice = std::ranges::unique(acts_);
    acts_.erase(twice.begin(), twice.end());
    if (acts_.empty()) acts_.emplace_back("walking @ the town:square");
  }

  [[nodiscard]] mneme::timestamp time(std::int64_t hour) const {
    return {(start_ + hour) * ns_of_an_hour};
  }
  /// The id of what is written then: a time, a number, and a digest of both. An engine that was
  /// started anew draws others than one that went on.
  [[nodiscard]] mneme::memory_id id(std::int64_t hour, std::size_t number) const {
    mneme::memory_id made;
    const auto put = [&made](std::size_t from, std::size_t bytes, std::uint64_t value) {
      for (std::size_t i = bytes; i-- > 0; value >>= 8U)
        made.bytes[from + i] = static_cast<std::uint8_t>(value);
    };
    put(0, 6, static_cast<std::uint64_t>(time(hour).ns / 1'000'000));
    put(6, 2, number);
    put(8, 8, digest_of(std::to_string(hour) + " " + std::to_string(number)));
    return made;
  }
  /// The record, or else a reply that stands in for a model's.
  [[nodiscard]] std::string act(const std::string& name, std::int64_t hour,
                                const std::vector<std::string>& remembered) const {
    if (const auto found = recorded_.find({name, hour}); found != recorded_.end())
      return found->second;
    constexpr int morning = 6;
    if (hour % hours_of_a_day < morning) return std::string(asleep) + " @ " + name + "'s home";
    std::string said = name + "\n" + std::to_string(hour);
    for (const auto& text : remembered) said += "\n" + text;
    return acts_[digest_of(said) % acts_.size()];
  }

  std::vector<std::string> names;
  std::vector<mneme::write_request> past;

private:
  std::int64_t start_ = 0; ///< in hours since 1970
  std::map<std::pair<std::string, std::int64_t>, std::string> recorded_;
  std::vector<std::string> acts_;
};

/// Of "painting @ the town:cafe:kitchen:sink" the room.
std::string place_of(const std::string& act) {
  std::string place = act.substr(std::min(act.size(), act.find(" @ ") + 3));
  std::size_t end = 0;
  for (int parts = 0; parts < 3 && end != std::string::npos; ++parts)
    end = place.find(':', end + (parts == 0 ? 0 : 1));
  return place.substr(0, end);
}

/// A world that repeats: all that is drawn comes from the seed, all times from the town.
struct living {
  std::shared_ptr<mneme::manual_clock> clock =
      std::make_shared<mneme::manual_clock>(mneme::timestamp{});
  mneme::engine world;

  explicit living(const std::string& place) : world(opened(place, clock)) {}

private:
  static mneme::engine opened(const std::string& place,
                              const std::shared_ptr<mneme::manual_clock>& clock) {
    mneme::engine_options options;
    options.world_name = "town";
    options.seed = 1;
    options.clock = clock;
    options.commit = mneme::commit_mode::per_request;
    options.exact_near = true;
    if (place.empty()) return must(mneme::open_in_memory(options));
    options.directory = place;
    return must(mneme::engine::open(options));
  }
};

mneme::find_request notes_of(const std::string& who) {
  mneme::find_request all;
  all.types = {mneme::memory_type::note};
  all.limit = most_memories;
  all.include_ended = true;
  all.actor = who;
  return all;
}

/// All of an hour in one commit, and that it has been.
void commit(living& in, const town& known, std::vector<mneme::write_request> writes,
            std::int64_t hour) {
  writes.push_back(note("town", "clock", "hour " + std::to_string(hour) + " is over"));
  writes.back().metadata["hour"] = hour;
  mneme::tick_request all;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    writes[i].id = known.id(hour, i);
    all.writes.emplace_back(mneme::scoped_mutation{std::move(writes[i])});
  }
  for (auto& written : must(in.world.tick(std::move(all))).writes) must(std::move(written));
}

/// The last hour that is over; nothing: the town has not begun.
std::optional<std::int64_t> hours_lived(living& in) {
  std::optional<std::int64_t> last;
  for (const auto& memory : must(in.world.find(notes_of("town"))).memories)
    if (const auto found = memory.head->metadata.find("hour"); found != memory.head->metadata.end())
      if (const auto* hour = std::get_if<std::int64_t>(&found->second))
        last = std::max(last.value_or(*hour), *hour);
  return last;
}

mneme::search_request remembering(const std::string& who, const std::string& question,
                                  const char* kind, std::int64_t limit) {
  mneme::search_request r;
  r.query = question;
  r.actor = who;
  r.tag = kind;
  r.limit = limit;
  return r;
}

std::vector<std::string> texts_of(mneme::result<mneme::tick_read_answer> answer) {
  const auto found = must(std::move(answer));
  std::vector<std::string> texts;
  for (const auto& hit : std::get<mneme::search_result>(found).results)
    texts.push_back(hit.content);
  return texts;
}

/// Those who are awake in one room talk, two by two.
void talk(const std::map<std::string, std::vector<std::string>>& rooms,
          const std::map<std::string, std::string>& news,
          std::vector<mneme::write_request>& writes) {
  constexpr std::size_t most_told = 160;
  for (const auto& [place, together] : rooms)
    for (std::size_t i = 0; i + 1 < together.size(); i += 2)
      for (const auto& [teller, listener] :
           {std::pair(together[i], together[i + 1]), std::pair(together[i + 1], together[i])}) {
        std::string said = teller + " tells ";
        said.append(listener).append(": ").append(news.at(teller), 0, most_told);
        writes.push_back(note(teller, "chat", said, 5));
        writes.push_back(note(listener, "chat", said, 5));
      }
}

/// One hour: everybody remembers, does something, and talks to whom he meets.
void live(living& in, const town& known, std::int64_t hour) {
  const std::int64_t of_day = hour % hours_of_a_day;
  mneme::tick_request asked;
  for (const auto& name : known.names) {
    asked.reads.emplace_back(remembering(
        name, "what does " + name + " do at " + std::to_string(of_day) + "?", "event", 3));
    asked.reads.emplace_back(
        remembering(name, "what does " + name + " think of, and plan?", "thought", 1));
  }
  auto found = must(in.world.tick(std::move(asked)));
  std::vector<mneme::write_request> writes;
  std::map<std::string, std::vector<std::string>> rooms;
  std::map<std::string, std::string> news;
  constexpr std::int64_t evening = 22;
  std::vector<mneme::write_request> thoughts;
  for (std::size_t i = 0; i < known.names.size(); ++i) {
    const std::string& name = known.names[i];
    const auto remembered = texts_of(std::move(found.reads[2 * i]));
    const auto thought = texts_of(std::move(found.reads[2 * i + 1]));
    const std::string act = known.act(name, hour, remembered);
    writes.push_back(note(name, "event", std::string(name).append(" is ").append(act)));
    news[name] = thought.empty() ? "nothing new" : thought.front();
    if (!act.starts_with(asleep)) rooms[place_of(act)].push_back(name);
    if (of_day == evening && !remembered.empty())
      thoughts.push_back(note(name, "thought", name + " thinks back: " + remembered.front(), 7));
  }
  talk(rooms, news, writes);
  std::ranges::move(thoughts, std::back_inserter(writes));
  commit(in, known, std::move(writes), hour);
}

/// Lives on from where the world is until the days are over.
void run(living& in, const town& known, std::int64_t days, bool tells) {
  auto lived = hours_lived(in);
  if (!lived) {
    in.clock->set(known.time(-1));
    commit(in, known, known.past, -1);
    lived = -1;
  } else if (tells) {
    std::printf("goes on behind hour %lld\n", static_cast<long long>(*lived));
  }
  for (std::int64_t hour = *lived + 1; hour < days * hours_of_a_day; ++hour) {
    in.clock->set(known.time(hour));
    live(in, known, hour);
    if (!tells) continue;
    std::printf("hour %lld: seq %llu\n", static_cast<long long>(hour),
                static_cast<unsigned long long>(must(in.world.root()).seq.value));
    std::fflush(stdout);
  }
}

/// What they remember: a bar for each day and kind.
void plot(living& in, const town& known, std::int64_t days) {
  constexpr std::int64_t memories_of_a_dot = 25;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> made;
  for (const auto& name : known.names)
    for (const auto& memory : must(in.world.find(notes_of(name))).memories) {
      const std::int64_t day =
          (memory.head->created_at.ns - known.time(0).ns) / (ns_of_an_hour * hours_of_a_day);
      const bool is_past = memory.head->created_at.ns < known.time(0).ns;
      if (!is_past && day < days) ++made[{day, memory.head->tags.front()}];
    }
  std::printf("\nmemories made on each day (. = %lld)\n",
              static_cast<long long>(memories_of_a_dot));
  for (const auto& [when, count] : made)
    std::printf("  day %lld  %-8s %s %lld\n", static_cast<long long>(when.first) + 1,
                when.second.c_str(),
                std::string(static_cast<std::size_t>(count / memories_of_a_dot), '.').c_str(),
                static_cast<long long>(count));
}

/// Of all that all of them remember.
std::uint64_t digest(living& in, const town& known) {
  std::vector<std::string> all;
  std::vector<std::string> everybody = known.names;
  everybody.emplace_back("town");
  for (const auto& name : everybody)
    for (const auto& memory : must(in.world.find(notes_of(name))).memories)
      all.push_back(to_string(memory.head->id) + name + memory.head->tags.front()
                    + std::get<std::string>(memory.version->data.at("statement")));
  std::ranges::sort(all);
  std::string text;
  for (const auto& one : all) text += one + "\n";
  return digest_of(text);
}

} // namespace

int main(int count, char** given) {
  std::vector<std::string> asked(given + 1, given + count);
  const bool checks = std::erase(asked, "--check") > 0;
  if (asked.size() < 2) {
    std::fprintf(stderr, "town DATA WORLD [DAYS] [--check]\n");
    return 2;
  }
  const town known(asked[0]);
  const std::int64_t days = asked.size() > 2 ? std::atoll(asked[2].c_str()) : 2;
  std::printf("%zu agents, %zu memories of their past\n", known.names.size(), known.past.size());
  living in(asked[1]);
  const bool in_one_go = !hours_lived(in);
  run(in, known, days, true);
  plot(in, known, days);
  const auto root = must(in.world.root());
  const std::uint64_t memories = digest(in, known);
  std::printf("\nroot %s at seq %llu\nmemories %016llx\n", to_hex(root.overall).c_str(),
              static_cast<unsigned long long>(root.seq.value),
              static_cast<unsigned long long>(memories));
  must(in.world.close());
  if (!checks) return 0;
  living again("");
  run(again, known, days, false);
  const bool has_same_root = must(again.world.root()).overall == root.overall;
  const bool is_same = digest(again, known) == memories && (has_same_root || !in_one_go);
  std::printf("lived again: %s%s\n", is_same ? "the same" : "ANOTHER TOWN",
              has_same_root ? " and the same root" : "");
  return is_same ? 0 : 1;
}
