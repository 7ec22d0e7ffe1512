// What an open finds: a damaged store, a writer, another embedder, no world.
// Of: actors/open_engine.cpp, state/embedding/world_embedder.cpp
// Of: messages/seams/unasked_embedder.cpp, state/recovery/closed_world.cpp
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <map>

#include "actors/open_engine.hpp"
#include "messages/seams/unasked_embedder.hpp"
#include "mneme/arms.hpp"
#include "mneme/diff.hpp"
#include "state/checkpoint/checkpoint.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "tests/actors/facts_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// Makes a world of fifty facts with a checkpoint, and closes it; its roots.
root_set close_fifty_facts(const scratch& dir) {
  engine e = opened(deterministic(dir.world()));
  for (int i = 0; i < 50; ++i) REQUIRE(e.apply(fact("fact " + std::to_string(i))));
  REQUIRE(e.checkpoint());
  const root_set roots = *e.root();
  REQUIRE(e.close());
  return roots;
}

} // namespace

TEST_CASE("a damaged store is made anew when it is needed, and the report says so") {
  scratch dir;
  const root_set before = close_fifty_facts(dir);
  const std::string file = GENERATE("WiredTiger.wt", "WiredTiger.turtle", "state_leaves.wt", "");
  if (file.empty())
    std::filesystem::remove_all(dir.world() + "/store");
  else
    std::filesystem::resize_file(dir.world() + "/store/" + file, 10);
  engine e = opened(deterministic(dir.world()));
  INFO(file);
  CHECK(*e.root() == before);
  // Records come from the journal; the store is opened by the first read that needs it.
  const auto found = e.find(by_type(memory_type::fact, 100));
  REQUIRE(found);
  REQUIRE(found->memories.size() == 50);
  const memory_id& any = found->memories.front().head->id;
  CHECK(e.get_edge({any, edge_type::references, any}).error().code == errc::not_found);
  CHECK(e.opened().store_rebuilt);
  CHECK_FALSE(e.opened().store_problem.empty());
  REQUIRE(e.apply(fact("one more")));
}

TEST_CASE("words that were damaged on the disk are refused, not guessed, until the next opening") {
  scratch dir;
  const root_set before = close_fifty_facts(dir);
  for (const auto& image : std::filesystem::directory_iterator(image_directory(dir.world())))
    if (image.path().extension() == ".lexical") {
      std::fstream file(image.path(), std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(image.file_size() / 2));
      file.write("\x55\xAA\x55\xAA", 4);
    }
  const bool has_thread = GENERATE(false, true);
  search_request words;
  words.query = "fact 7";
  {
    engine_options options = deterministic(dir.world());
    options.exact_near = !has_thread;
    engine e = opened(std::move(options));
    // What asks for neither words nor vectors never hears of it.
    REQUIRE(e.find(by_type(memory_type::fact, 100)));
    CHECK(*e.root() == before);
    CHECK(e.root(before.seq)); // the committer's, which takes no entry for it
    const auto found = e.search(words);
    REQUIRE_FALSE(found);
    CHECK(found.error().code == errc::corrupt);
    CHECK(found.error().message.find("open it again") != std::string::npos);
    const auto written = e.apply(fact("one more"));
    REQUIRE_FALSE(written);
    CHECK(written.error().code == errc::io);
    CHECK(written.error().message.find("lexical") != std::string::npos);
    CHECK_FALSE(e.stats()->stopped.empty());
    CHECK(e.find(by_type(memory_type::fact, 100)));
  }
  engine e = opened(deterministic(dir.world()));
  CHECK(*e.root() == before);
  const auto found = e.search(words);
  REQUIRE(found);
  CHECK(found->results.size() > 0);
  REQUIRE(e.apply(fact("one more")));
}

namespace {

std::vector<std::filesystem::path> images_of_leaves(const std::string& world) {
  std::vector<std::filesystem::path> found;
  for (const auto& file : std::filesystem::directory_iterator(image_directory(world)))
    if (file.path().extension() == ".leaves") found.push_back(file.path());
  return found;
}

} // namespace

TEST_CASE("leaves that no image had get one: when that is asked for, or by the next write") {
  scratch dir;
  const root_set before = close_fifty_facts(dir);
  REQUIRE(images_of_leaves(dir.world()).size() == 1);
  std::filesystem::remove(images_of_leaves(dir.world()).front());
  engine e = opened(deterministic(dir.world()));
  CHECK(*e.root() == before);
  if (GENERATE(true, false)) {
    REQUIRE(e.checkpoint());
  } else {
    REQUIRE(e.apply(fact("one more")));
    REQUIRE(e.apply(fact("and another"))); // by then the first is published
    REQUIRE(e.checkpoint());               // behind that one
  }
  CHECK(images_of_leaves(dir.world()).size() == 1);
}

TEST_CASE("a directory that is moved away from an open world is not made anew") {
  scratch dir;
  const std::string moved = dir.world() + ".moved";
  const bool is_replaced = GENERATE(false, true);
  const bool is_checkpointed = GENERATE(false, true);
  {
    engine e = opened(deterministic(dir.world()));
    REQUIRE(e.apply(fact("before")));
    if (is_checkpointed) REQUIRE(e.checkpoint());
    std::filesystem::rename(dir.world(), moved);
    if (is_replaced) REQUIRE(opened(deterministic(dir.world(), 2)).close());
    REQUIRE(e.apply(fact("after")));
    const auto refused = e.checkpoint();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::io);
    CHECK(refused.error().message.starts_with(
        dir.world()
        + (is_replaced ? " became another world's while" : " was moved or removed while")));
    REQUIRE(e.apply(fact("later")));
    // The store is open, or known to have nothing.
    const memory_id none{};
    CHECK(e.get_edge({none, edge_type::references, none}).error().code == errc::not_found);
    static_cast<void>(e.close());
  }
  CHECK(std::filesystem::exists(dir.world()) == is_replaced);
  CHECK_FALSE(std::filesystem::exists(image_directory(dir.world())));
  engine e = opened(deterministic(moved));
  CHECK(statements(*e.find(by_type(memory_type::fact)))
        == std::set<std::string>{"before", "after", "later"});
}

namespace {

/// What is in a directory: names, and bytes of files.
std::map<std::string, std::string> contents_of(const std::string& directory) {
  std::map<std::string, std::string> all;
  for (const auto& at : std::filesystem::recursive_directory_iterator(directory)) {
    std::string& bytes = all[at.path().string()];
    if (!at.is_regular_file()) continue;
    std::ifstream in(at.path(), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  return all;
}

/// Makes another world, and closes it.
void close_another(const std::string& directory, bool is_checkpointed) {
  engine e = opened(deterministic(directory, 2));
  REQUIRE(e.apply(fact("another's")));
  if (is_checkpointed) REQUIRE(e.checkpoint());
  REQUIRE(e.close());
}

/// What goes by the names of a world's files.
std::optional<error> refusal_of(engine& e, std::string_view what, const memory_id& any) {
  const auto error_of = [](const auto& done) {
    return done ? std::nullopt : std::optional<error>(done.error());
  };
  if (what == "store") return error_of(e.get_edge({any, edge_type::references, any}));
  if (what == "erasure") return error_of(e.erase({.ids = {any}, .reason = "asked", .by = "ana"}));
  return error_of(e.checkpoint());
}

} // namespace

TEST_CASE("a world that is put in the place of an open one is left as it is") {
  // Of a store without a checkpoint it is known that it has nothing.
  const auto [what, is_checkpointed] = GENERATE(table<std::string, bool>({{"store", true},
                                                                          {"erasure", false},
                                                                          {"erasure", true},
                                                                          {"checkpoint", false},
                                                                          {"checkpoint", true}}));
  CAPTURE(what, is_checkpointed);
  scratch dir;
  const std::string moved = dir.world() + ".moved";
  std::map<std::string, std::string> another;
  {
    engine first = opened(deterministic(dir.world()));
    REQUIRE(first.apply(fact("before")));
    if (is_checkpointed) REQUIRE(first.checkpoint());
    REQUIRE(first.close());
    engine e = opened(deterministic(dir.world()));
    const memory_id any = e.find(by_type(memory_type::fact))->memories.front().head->id;
    std::filesystem::rename(dir.world(), moved);
    close_another(dir.world(), is_checkpointed);
    another = contents_of(dir.world());
    REQUIRE(e.apply(fact("after")));
    const auto refused = refusal_of(e, what, any);
    REQUIRE(refused);
    CHECK(refused->code == errc::io);
    CHECK(refused->message.starts_with(dir.world() + " became another world's while"));
    static_cast<void>(e.close());
  }
  CHECK(contents_of(dir.world()) == another);
  engine there = opened(deterministic(dir.world(), 2));
  CHECK(statements(*there.find(by_type(memory_type::fact))) == std::set<std::string>{"another's"});
  engine e = opened(deterministic(moved));
  CHECK(statements(*e.find(by_type(memory_type::fact)))
        == std::set<std::string>{"before", "after"});
}

TEST_CASE("a world retains as many seqs as it is opened with, and not too few") {
  scratch dir;
  engine_options options = deterministic(dir.world());
  options.retained_seqs = least_retained_seqs - 1;
  const auto refused = engine::open(options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::out_of_range);
  CHECK(refused.error().at == "retained_seqs");
  options.retained_seqs = least_retained_seqs;
  engine e = opened(options);
  for (int round = 0; round < 5; ++round) {
    std::vector<mutation> items;
    for (int i = 0; i < 300; ++i) items.emplace_back(fact("fact " + std::to_string(i)));
    REQUIRE(e.write_batch(std::move(items)));
  }
  const std::uint64_t last = e.root()->seq.value;
  find_request by = by_type(memory_type::fact, 2'000);
  by.at_seq = seq_no{last - least_retained_seqs};
  const auto found = e.find(by);
  REQUIRE(found);
  CHECK(found->memories.size() == last - least_retained_seqs);
  by.at_seq = seq_no{last - least_retained_seqs - 1};
  CHECK(e.find(by).error().code == errc::seq_unavailable);
}

TEST_CASE("a world in memory retains all seqs, one on disk 100,000") {
  const auto in_memory = open_engine(deterministic(""));
  REQUIRE(in_memory);
  CHECK(in_memory->state->window.retained_seqs() == all_seqs_retained);
  scratch dir;
  const auto on_disk = open_engine(deterministic(dir.world()));
  REQUIRE(on_disk);
  CHECK(on_disk->state->window.retained_seqs() == 100'000);
}

TEST_CASE("a world with little behind its checkpoint leaves its files alone when it is closed") {
  scratch dir;
  {
    engine e = opened(deterministic(dir.world()));
    REQUIRE(e.apply(fact("first")));
    REQUIRE(e.close());
  }
  CHECK_FALSE(std::filesystem::exists(dir.world() + "/CHECKPOINT"));
  CHECK_FALSE(std::filesystem::exists(dir.world() + "/store"));
  {
    engine e = opened(deterministic(dir.world()));
    CHECK(e.opened().replayed_entries == 1);
    CHECK(e.find(by_type(memory_type::fact, 10))->memories.size() == 1);
    std::vector<mutation> many;
    for (int i = 0; i < 300; ++i) many.emplace_back(fact("fact " + std::to_string(i)));
    REQUIRE(e.write_batch(std::move(many)));
    REQUIRE(e.close());
  }
  CHECK(std::filesystem::exists(dir.world() + "/CHECKPOINT"));
  {
    engine e = opened(deterministic(dir.world()));
    CHECK(e.opened().replayed_entries == 0);
    REQUIRE(e.apply(fact("last")));
    REQUIRE(e.close());
  }
  engine e = opened(deterministic(dir.world()));
  CHECK(e.opened().replayed_entries == 1);
  CHECK_FALSE(e.opened().store_rebuilt);
  CHECK(e.find(by_type(memory_type::fact, 1000))->memories.size() == 302);
}

TEST_CASE("an open world is forked as of what is published, and both go on") {
  scratch s;
  engine e = opened(deterministic(s.world()));
  REQUIRE(e.apply(fact("one")));
  const auto id = e.apply(fact("two"))->uri->id;
  const auto root = *e.root();
  const std::string to = (s.path / "fork").string();
  auto made = e.fork_to(to);
  REQUIRE(made);
  CHECK(made->at == root.seq);
  CHECK(made->root == root.overall);
  REQUIRE(e.fork_to((s.path / "early").string(), {.at_seq = seq_no{1}, .random = {}}));
  REQUIRE(e.apply(fact("three")));
  engine branch = opened(deterministic(to));
  CHECK(*branch.root() == root);
  CHECK(branch.get(id));
  REQUIRE(branch.apply(fact("another third")));
  CHECK(branch.root()->overall != e.root()->overall);
  CHECK(branch.root()->world == e.root()->world);
  CHECK(e.fork_to(to).error().code == errc::already_exists);
  REQUIRE(branch.close());
  CHECK(verify_world(to)->ok);
  std::size_t only_here = 0;
  auto apart = diff_worlds({s.world(), {}}, {to, {}}, {}, [&](const difference& d) {
    if (const auto* m = std::get_if<memory_difference>(&d)) only_here += m->b ? 0U : 1U;
    return true;
  });
  REQUIRE(apart);
  CHECK(apart->common == root.seq);
  CHECK(only_here == 1);
  auto nowhere = open_in_memory();
  REQUIRE(nowhere);
  CHECK(nowhere->fork_to((s.path / "x").string()).error().code == errc::unsupported);
}

TEST_CASE("a world stays where it was opened, wherever the host works later") {
  scratch s;
  const std::filesystem::path before = std::filesystem::current_path();
  const struct back {
    const std::filesystem::path& to;
    ~back() { std::filesystem::current_path(to); }
  } back{before};
  const auto elsewhere = s.path / "elsewhere";
  std::filesystem::create_directories(elsewhere);
  std::filesystem::current_path(s.path);
  {
    engine e = opened(deterministic("town"));
    std::filesystem::current_path(elsewhere);
    REQUIRE(e.apply(fact("one")));
    REQUIRE(e.checkpoint()); // makes files by their names
    REQUIRE(e.verify());
    REQUIRE(e.fork_to((s.path / "fork").string()));
    auto base = arm_base::of(e);
    REQUIRE(base);
    CHECK(base->arm({})->root()->seq.value == 1);
    REQUIRE(e.close());
  }
  CHECK(std::filesystem::is_empty(elsewhere));
  std::filesystem::current_path(s.path);
  engine_options beside = deterministic("town");
  beside.read_only = true;
  engine reader = opened(beside);
  auto base = arm_base::open(deterministic("town"), seq_no{1});
  REQUIRE(base);
  std::filesystem::current_path(elsewhere);
  CHECK(reader.verify());
  CHECK(base->arm({})->apply(fact("two")));
  CHECK(std::filesystem::is_empty(elsewhere));
}

TEST_CASE("replay into a new directory gives the same root; a read-only engine runs beside") {
  scratch s;
  engine e = opened(deterministic(s.world()));
  const auto id = e.apply(fact("one"))->uri->id;
  REQUIRE(e.apply(fact("two")));
  const auto root = *e.root();
  auto replayed = replay_world(s.world(), (s.path / "copy").string());
  REQUIRE(replayed);
  CHECK(*replayed == root);
  CHECK(replay_world(s.world(), (s.path / "copy").string()).error().code == errc::already_exists);
  engine copy = opened(deterministic((s.path / "copy").string()));
  CHECK(*copy.root() == root);

  CHECK(engine::open(deterministic(s.world())).error().code == errc::busy);
  engine_options beside;
  beside.directory = s.world();
  beside.read_only = true;
  engine reader = opened(beside);
  CHECK(*reader.root() == root);
  CHECK(reader.get(id));
  CHECK(verify(*reader.prove(
      {.ids = {id}, .edges = {}, .fields = {}, .seqs = {{1}}, .root = {}, .actor = {}})));
  CHECK(reader.apply(fact("three")).error().code == errc::read_only);
}

TEST_CASE("a reader beside the writer knows of its checkpoint") {
  scratch dir;
  engine e = opened(deterministic(dir.world()));
  REQUIRE(e.apply(fact("one")));
  REQUIRE(e.checkpoint());
  REQUIRE(e.apply(fact("two")));
  engine_options beside;
  beside.directory = dir.world();
  beside.read_only = true;
  engine reader = opened(beside);
  CHECK(reader.stats()->checkpoint_seq == seq_no{1});
  CHECK(reader.stats()->seq == seq_no{2});
}

TEST_CASE("bad options and missing worlds are plain errors") {
  scratch s;
  engine_options o;
  o.directory = s.world();
  o.create = false;
  CHECK(engine::open(o).error().code == errc::not_found);
  o.create = true;
  o.embedder_spec = "word2vec";
  CHECK(engine::open(o).error().code == errc::bad_value);
  CHECK(verify_world(s.world()).error().code == errc::not_found);
  CHECK(replay_world(s.world(), (s.path / "x").string()).error().code == errc::not_found);
}

TEST_CASE("a new world gets no name that could not be shown; one that has it opens") {
  scratch s;
  const std::string names[] = {"a\nb", std::string("a\0b", 3), std::string(257, 'x'), "\xff", " "};
  for (const auto& name : names) {
    for (const auto& directory : {s.world(), std::string()}) {
      engine_options o = deterministic(directory);
      o.world_name = name;
      const auto refused = engine::open(o);
      REQUIRE_FALSE(refused);
      CHECK(refused.error().at == "world_name");
    }
  }
  CHECK_FALSE(std::filesystem::exists(s.world()));
  REQUIRE(opened(deterministic(s.world())).close());
  const auto disk = make_posix_file_system();
  world_file of_before = *read_world_file(*disk, s.world());
  of_before.name = names[0];
  REQUIRE(replace_file(*disk, world_path(s.world()), encode(of_before)));
  engine_options o = deterministic(s.world());
  o.world_name = names[0];
  {
    engine e = opened(o);
    CHECK(e.stats()->world_name == names[0]);
  }
  o.read_only = true;
  CHECK(opened(o).stats()->world_name == names[0]);
}

TEST_CASE("a world behind an endpoint opens where something can ask it") {
  scratch s;
  engine_options o = deterministic(s.world());
  o.embedder_spec = "http:http://127.0.0.1:1/#model=m,dim=2";
  const auto refused = engine::open(o);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::no_embedder);
  CHECK(refused.error().at == "embedder");
  CHECK(refused.error().message.contains("mneme::remote_embedder"));
  CHECK_FALSE(std::filesystem::exists(s.world()));

  engine_options linked = o;
  linked.remote_embedders = make_unasked_embedder;
  root_set roots;
  {
    engine e = opened(linked);
    CHECK(e.stats()->space == vector_space{.model = "http:m", .dim = 2});
    REQUIRE(e.apply(fact("one")));
    roots = *e.root();
    REQUIRE(e.close());
  }
  CHECK(engine::open(o).error().code == errc::no_embedder);
  o.read_only = true;
  CHECK(engine::open(o).error().code == errc::no_embedder);
  // What asks nobody needs nothing that could.
  CHECK(verify_world(s.world())->ok);
  CHECK(replay_world(s.world(), (s.path / "again").string())->overall == roots.overall);
  CHECK(opened(linked).root()->overall == roots.overall);
}
