// What a diff tells is what two dumps have differently, whatever was done on both sides.
// Of: state/branch/diff.cpp, state/branch/side_changes.cpp, state/branch/shared_past.cpp

#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "state/branch/backup.hpp"
#include "state/branch/diff.hpp"
#include "tests/state/branch/disk_of_worlds.hpp"
#include "tests/state/execute/topic_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

std::string bytes_of(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

/// What a dump says of a world, record by record.
struct naive_state {
  std::map<memory_id, head> heads;
  std::map<std::pair<memory_id, std::string>, topic_field> fields;
  std::map<edge_key, edge_record> edges;
  std::map<memory_id, std::int64_t> saliences;
  std::map<memory_id, std::int64_t> uses;
};

naive_state naive_of(const std::string& dump) {
  naive_state s;
  std::istringstream lines(dump);
  memory_id now;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    std::string first;
    words >> kind >> first;
    if (kind == "memory") {
      std::string hex;
      words >> hex;
      const auto h = decode_head(bytes_of(hex));
      REQUIRE(h);
      now = h->id;
      s.heads.emplace(now, *h);
    } else if (kind == "field") {
      const auto f = decode_topic_field(bytes_of(first));
      REQUIRE(f);
      s.fields.emplace(std::pair(now, f->head.name), *f);
    } else if (kind == "out") {
      const auto e = decode_edge(bytes_of(first));
      REQUIRE(e);
      s.edges.emplace(e->key, *e);
    } else if (kind == "activation") {
      std::int64_t accesses = 0;
      std::int64_t citations = 0;
      std::int64_t importance = 0;
      words >> accesses >> citations >> importance >> s.saliences[now];
      s.uses[now] = accesses;
    }
  }
  return s;
}

template <class Map>
auto found(const Map& map, const typename Map::key_type& key) {
  const auto it = map.find(key);
  return it == map.end() ? std::nullopt : std::optional(it->second);
}

/// All differences, each as what it is of.
struct told {
  std::map<memory_id, memory_difference> memories;
  std::map<std::pair<memory_id, std::string>, field_difference> fields;
  std::map<edge_key, edge_difference> edges;
  std::map<memory_id, salience_difference> saliences;
  std::map<memory_id, use_difference> uses;
  diff_report report;
};

told diff(const disk_of_worlds& d, const diff_side& a, const diff_side& b) {
  told t;
  auto report = diff_files(*d.files, a, b, {.fold_roots = true}, [&](const difference& found) {
    if (const auto* m = std::get_if<memory_difference>(&found)) t.memories.emplace(m->id, *m);
    if (const auto* f = std::get_if<field_difference>(&found))
      t.fields.emplace(std::pair(f->topic, f->name), *f);
    if (const auto* e = std::get_if<edge_difference>(&found)) t.edges.emplace(e->key, *e);
    if (const auto* s = std::get_if<salience_difference>(&found)) t.saliences.emplace(s->id, *s);
    if (const auto* u = std::get_if<use_difference>(&found)) t.uses.emplace(u->id, *u);
    return true;
  });
  if (!report) FAIL("diff: " << report.error().message);
  t.report = *report;
  CHECK(t.report.leaves_agree);
  CHECK(t.report.roots_agree.value_or(true));
  return t;
}

template <class Map>
std::set<typename Map::key_type> keys_that_differ(const Map& a, const Map& b) {
  std::set<typename Map::key_type> keys;
  for (const auto& [key, value] : a)
    if (found(b, key) != std::optional(value)) keys.insert(key);
  for (const auto& [key, value] : b)
    if (!a.contains(key)) keys.insert(key);
  return keys;
}

template <class Map>
std::set<typename Map::key_type> keys_of(const Map& map) {
  std::set<typename Map::key_type> keys;
  for (const auto& [key, value] : map) keys.insert(key);
  return keys;
}

void check_side(const std::optional<memory_side>& side, const std::optional<head>& real) {
  REQUIRE(side.has_value() == real.has_value());
  if (!side) return;
  CHECK(side->version == real->current_version);
  if (side->tombstoned) CHECK(*side->tombstoned == real->tombstone.has_value());
}

void check_side(const std::optional<field_side>& side, const std::optional<topic_field>& real) {
  REQUIRE(side.has_value() == real.has_value());
  if (side) CHECK(side->revisions == real->head.revisions);
}

void check_side(const edge_side& side, const std::optional<edge_record>& real) {
  REQUIRE(side.is_there.has_value());
  CHECK(*side.is_there == (real && !real->tombstoned));
  if (side.weight) CHECK(*side.weight == real->weight);
}

void check_against_dumps(const told& t, const std::string& dump_a, const std::string& dump_b) {
  const naive_state a = naive_of(dump_a);
  const naive_state b = naive_of(dump_b);
  CHECK(keys_of(t.memories) == keys_that_differ(a.heads, b.heads));
  for (const auto& [id, m] : t.memories) {
    check_side(m.a, found(a.heads, id));
    check_side(m.b, found(b.heads, id));
  }
  // A salience that somebody sets is no revision: what is told of is what is in a root.
  for (const auto& [key, f] : t.fields) {
    check_side(f.a, found(a.fields, key));
    check_side(f.b, found(b.fields, key));
  }
  for (const auto& key : keys_that_differ(a.fields, b.fields)) CHECK(t.fields.contains(key));
  CHECK(keys_of(t.edges) == keys_that_differ(a.edges, b.edges));
  for (const auto& [key, e] : t.edges) {
    check_side(e.a, found(a.edges, key));
    check_side(e.b, found(b.edges, key));
  }
  for (const auto& [id, s] : t.saliences) {
    if (s.a && a.saliences.contains(id)) CHECK(*s.a == a.saliences.at(id));
    if (s.b && b.saliences.contains(id)) CHECK(*s.b == b.saliences.at(id));
  }
  for (const auto& [id, u] : t.uses) {
    if (!a.uses.contains(id) || !b.uses.contains(id)) continue;
    CHECK(static_cast<std::int64_t>(u.a) - static_cast<std::int64_t>(u.b)
          == a.uses.at(id) - b.uses.at(id));
  }
}

class chooser {
public:
  explicit chooser(std::uint64_t seed) : random_(make_seeded_random(seed, 99)) {}
  std::uint64_t below(std::uint64_t n) {
    std::array<std::uint8_t, 8> bytes{};
    random_->fill(bytes);
    std::uint64_t v = 0;
    for (const auto b : bytes) v = (v << 8) | b;
    return v % n;
  }

private:
  std::shared_ptr<random_source> random_;
};

void random_step(world& w, driven& d, chooser& c, std::vector<memory_uri>& uris) {
  d.time->set({d.time->now().ns + static_cast<std::int64_t>(1 + c.below(1'000'000'000'000))});
  const auto any = [&] { return uris[c.below(uris.size())]; };
  const auto topic = static_cast<std::uint8_t>(1 + c.below(3));
  switch (uris.size() < 3 ? 0 : c.below(9)) {
  case 0:
    uris.push_back(*d.apply(note("note " + std::to_string(c.below(1000))))->uri);
    break;
  case 1: {
    update_request u;
    u.uri = any();
    u.data["statement"] = "update " + std::to_string(c.below(1000));
    (void)d.apply(u);
    break;
  }
  case 2: {
    update_head_request u;
    u.uri = any();
    u.importance = static_cast<std::int64_t>(c.below(11));
    (void)d.apply(u);
    break;
  }
  case 3: {
    tombstone_request t;
    t.uri = any();
    t.reason = "r";
    (void)d.apply(t);
    break;
  }
  case 4: {
    add_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + c.below(3));
    (void)d.apply(a);
    break;
  }
  case 5: {
    remove_edge_request a;
    a.src = any().id;
    a.dst = any().id;
    a.type = static_cast<std::uint8_t>(1 + c.below(3));
    (void)d.apply(a);
    break;
  }
  case 6:
    if (!d.apply(new_topic(topic, "Topic " + std::to_string(topic))))
      (void)d.apply(extend(topic, {field("f" + std::to_string(c.below(3)),
                                         {static_cast<std::int64_t>(c.below(9))})}));
    break;
  case 7: {
    (void)d.apply(new_topic(topic, "Topic " + std::to_string(topic)));
    const auto node = w.nodes.find(id_of(topic));
    const auto now = w.attributes().activation_of(node, w.published_seq()).topic_salience_e9;
    const auto more = static_cast<std::int64_t>(c.below(9));
    (void)d.touch(reinforce_payload{.door = reinforcing_door::retrieve,
                                    .actor = "",
                                    .items = {{id_of(topic), now, now + more}},
                                    .nonce = {}});
    break;
  }
  default:
    (void)d.touch(find_late_payload{.predicate = "",
                                    .types = {},
                                    .tags = {},
                                    .limit = {},
                                    .result_count = 1,
                                    .accessed = {any().id},
                                    .actor = ""});
  }
}

void random_steps(const disk_of_worlds& d, const std::string& directory, std::uint64_t seed,
                  std::uint64_t count, std::vector<memory_uri>& uris) {
  auto w = d.open(directory);
  chooser c(seed);
  driven run(*w, seed);
  for (std::uint64_t i = 0; i < count; ++i) random_step(*w, run, c, uris);
  REQUIRE(close_world(*w));
}

} // namespace

TEST_CASE("a diff of two branches is what their dumps have differently") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    disk_of_worlds d;
    (void)close_world(*d.open("world", true));
    std::vector<memory_uri> uris;
    chooser c(seed);
    random_steps(d, "world", seed, c.below(60), uris);
    REQUIRE(fork(d, "world", "fork", {}, seed));
    const seq_no common = d.open("world")->published_seq();
    std::vector<memory_uri> own = uris;
    random_steps(d, "world", seed + 100, c.below(3) == 0 ? 0 : c.below(60), uris);
    random_steps(d, "fork", seed + 200, c.below(3) == 0 ? 0 : c.below(60), own);
    const std::string a = d.dump_of("world");
    const std::string b = d.dump_of("fork");
    const told t = diff(d, {"world", {}}, {"fork", {}});
    CHECK(t.report.common == common);
    check_against_dumps(t, a, b);
    check_against_dumps(diff(d, {"fork", {}}, {"world", {}}), b, a);
    const told none = diff(d, {"world", {}}, {"world", {}});
    CHECK(none.memories.empty());
    CHECK(none.edges.empty());
  }
}

TEST_CASE("a diff of two moments of a world is what its dumps then have differently") {
  disk_of_worlds d;
  (void)close_world(*d.open("world", true));
  std::vector<memory_uri> uris;
  std::map<seq_no, std::string> dumps;
  for (std::uint64_t step = 0; step < 8; ++step) {
    random_steps(d, "world", step + 7, 12, uris);
    auto w = d.open("world");
    dumps[w->published_seq()] = dump(*w);
  }
  for (const auto& [first, a] : dumps)
    for (const auto& [second, b] : dumps)
      check_against_dumps(diff(d, {"world", first}, {"world", second}), a, b);
}

TEST_CASE("branches of branches, backups and other worlds are told apart") {
  disk_of_worlds d;
  (void)close_world(*d.open("world", true));
  d.write("world", "first ", 30);
  REQUIRE(fork(d, "world", "left", seq_no{20}, 1));
  REQUIRE(fork(d, "world", "right", seq_no{10}, 2));
  d.write("left", "l ", 40);
  REQUIRE(fork(d, "left", "leaf", seq_no{33}, 3));
  d.write("right", "r ", 5);
  CHECK(diff(d, {"left", {}}, {"world", {}}).report.common.value == 20);
  CHECK(diff(d, {"leaf", {}}, {"world", {}}).report.common.value == 20);
  CHECK(diff(d, {"leaf", {}}, {"left", {}}).report.common.value == 33);
  CHECK(diff(d, {"leaf", {}}, {"right", {}}).report.common.value == 10);
  const told t = diff(d, {"leaf", seq_no{31}}, {"right", seq_no{12}});
  CHECK(t.report.only_a == 21);
  CHECK(t.report.only_b == 2);
  CHECK(t.report.a.by_actor.at("ana").at("write") == 21);
  REQUIRE(backup_files(*d.files, "left", "copy"));
  CHECK(diff(d, {"copy", {}}, {"left", {}}).memories.empty());
  auto o = d.options("other", true);
  o.fresh.id = seeded_world_id("other", 2);
  REQUIRE(open_world(o));
  const auto refused = diff_files(*d.files, {"other", {}}, {"world", {}}, {},
                                  [](const difference&) { return true; });
  CHECK(refused.error().code == errc::bad_value);
}
