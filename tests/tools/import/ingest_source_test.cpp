// Sources: how they are cut into chunks, and that a second ingest touches only what changed.
// Of: tools/import/source_chunks.cpp
#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <rapidcheck.h>
#include <sys/stat.h>

#include "mneme/engine.hpp"
#include "tests/storage/temporary_directory.hpp"
#include "tools/import/ingest_source.hpp"
#include "tools/import/source_chunks.hpp"
#include "tools/import/text_chunks.hpp"

using namespace mneme;
using namespace mneme::importing;
using mneme::testing::temporary_directory;

namespace {

std::string lines(const std::string& name, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "  line " + std::to_string(i) + " of " + name + "\n";
  return text;
}
std::string block(const std::string& name, std::size_t count) {
  return "void " + name + "() {\n" + lines(name, count) + "}\n\n";
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

class source_world {
public:
  source_world() : engine(open()) {}

  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
  }
  void remove(const std::string& name) const { std::filesystem::remove(path(name)); }
  [[nodiscard]] std::string path(const std::string& name) const {
    return place_.path() + "/" + name;
  }

  protocol::source_counts ingest(const std::string& actor = {}) {
    protocol::source_request r;
    r.path = place_.path();
    r.actor = actor;
    auto done = ingest_source(engine, r);
    if (!done) FAIL(done.error().message);
    return *done;
  }

  std::vector<memory> chunks() {
    find_request r;
    r.types = {memory_type::chunk};
    r.limit = 1000;
    auto found = engine.find(r);
    REQUIRE(found);
    return found->memories;
  }
  /// Of one file, by chunk_index.
  std::vector<memory> chunks(const std::string& name) {
    auto all = chunks();
    std::erase_if(all, [&](const memory& m) {
      return std::get<std::string>(m.version->data.at("path")) != name;
    });
    std::ranges::sort(all, {}, [](const memory& m) {
      return std::get<std::int64_t>(m.version->data.at("chunk_index"));
    });
    return all;
  }

private:
  static mneme::engine open() {
    engine_options o;
    o.embedder_spec = "none";
    o.seed = 1;
    auto e = open_in_memory(std::move(o));
    if (!e) FAIL(e.error().message);
    return std::move(*e);
  }

  temporary_directory place_;

public:
  mneme::engine engine;
};

} // namespace

TEST_CASE("7 chunking: blocks that begin at the margin after a blank line, small ones together") {
  CHECK(cut_source("a.cpp", "").empty());
  CHECK(cut_source("a.cpp", " \n\n").empty());
  const std::string small = block("one", 3) + block("two", 3);
  const auto together = cut_source("a.cpp", small);
  REQUIRE(together.size() == 1);
  CHECK(together[0].text == small);
  CHECK(together[0].position == 0);

  const std::string first = block("one", 60);
  const std::string second = block("two", 60);
  const std::string both = first + second;
  const auto apart = cut_source("a.cpp", both);
  REQUIRE(apart.size() == 2);
  CHECK(apart[0].text == first);
  CHECK(apart[1].text == second);
  CHECK(apart[1].position == first.size());
}

TEST_CASE("7 chunking: what is longer than a chunk is cut at lines, with overlap") {
  const std::string text = block("long", 200);
  const auto pieces = cut_source("a.cpp", text);
  REQUIRE(pieces.size() > 2);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].text.size() <= chunk_bytes);
    CHECK((pieces[i].position == 0 || text[pieces[i].position - 1] == '\n'));
    if (i == 0) continue;
    const std::size_t before = pieces[i - 1].position + pieces[i - 1].text.size();
    CHECK(pieces[i].position < before);
    CHECK(before - pieces[i].position <= overlap_bytes);
  }
}

TEST_CASE("7 chunking: Markdown is cut by its headings") {
  const std::string text = "# Tea\nGreen.\n\n## Black\nStrong.\n\n## White\nMild.\n";
  const auto pieces = cut_source("tea.md", text);
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].heading == "Tea");
  CHECK(pieces[1].text.contains("Strong."));
  CHECK_FALSE(pieces[1].text.contains("Mild."));
  CHECK(pieces[2].text.contains("Mild."));
  CHECK(cut_source("tea.txt", text).size() == 1);
}

TEST_CASE("7 chunking: every byte that is not white space is in a piece, in order") {
  const bool holds = rc::check([] {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(
        std::vector<std::string>{"tea ", "\n", "\n\n", "  käse\n", "# Head\n", "void f() {\n",
                                 "}\n", "x", std::string(700, 'y')}));
    std::string text;
    for (const auto& w : words) text += w;
    const std::string name = *rc::gen::element(std::string("a.md"), std::string("a.cpp"));
    std::vector<bool> covered(text.size(), false);
    std::size_t last = 0;
    for (const auto& piece : cut_source(name, text)) {
      RC_ASSERT(piece.position >= last);
      last = piece.position;
      RC_ASSERT(text.substr(piece.position, piece.text.size()) == piece.text);
      for (std::size_t i = 0; i < piece.text.size(); ++i) covered[piece.position + i] = true;
    }
    for (std::size_t i = 0; i < text.size(); ++i) RC_ASSERT(covered[i] || is_space(text[i]));
  });
  CHECK(holds);
}

TEST_CASE("7 ingest_source: chunks know path, position, index and content hash") {
  source_world w;
  const std::string first = block("one", 60);
  w.put("src/a.cpp", first + block("two", 60));
  w.put(".hidden", "secret");
  w.put("raw.bin", std::string("\xFF\x00 raw", 6));
  const auto counts = w.ingest("ana");
  CHECK(counts.files == 1);
  CHECK(counts.added == 2);
  CHECK(counts.left_out.at("files that are not UTF-8 text") == 1);
  CHECK(counts.left_out.at("hidden files") == 1);
  const auto chunks = w.chunks("src/a.cpp");
  REQUIRE(chunks.size() == 2);
  const memory& second = chunks[1];
  CHECK(second.head->actor_scope == "ana");
  CHECK(std::get<std::int64_t>(second.version->data.at("chunk_index")) == 1);
  CHECK(std::get<std::string>(second.version->data.at("source_type")) == "local");
  CHECK(std::get<std::int64_t>(second.head->metadata.at("position"))
        == static_cast<std::int64_t>(first.size()));
  CHECK(second.head->metadata.at("content_hash") != chunks[0].head->metadata.at("content_hash"));
}

TEST_CASE("7 ingest_source: a second ingest of the same writes nothing") {
  source_world w;
  w.put("a.cpp", block("one", 60) + block("two", 60));
  w.put("b.md", "# B\ntext\n");
  w.ingest();
  const seq_no before = w.engine.published();
  const auto again = w.ingest();
  CHECK(again.unchanged == 3);
  CHECK(again.added + again.updated + again.removed == 0);
  CHECK(w.engine.published() == before);
}

TEST_CASE("7 ingest_source: only what changed is written, and the rest keeps its id") {
  source_world w;
  w.put("a.cpp", block("one", 60) + block("two", 60));
  w.put("b.txt", "gone soon\n");
  w.ingest();
  const auto before = w.chunks("a.cpp");
  REQUIRE(before.size() == 2);

  // A new block comes before the two, and one file goes.
  w.put("a.cpp", block("zero", 60) + block("one", 60) + block("two", 61));
  w.remove("b.txt");
  const auto counts = w.ingest();
  CHECK(counts.added == 2);   // zero, and two as it is now
  CHECK(counts.updated == 1); // one has moved
  CHECK(counts.removed == 2); // two as it was, and b.txt
  CHECK(counts.unchanged == 0);
  const auto after = w.chunks("a.cpp");
  REQUIRE(after.size() == 3);
  CHECK(after[1].head->id == before[0].head->id);
  CHECK(after[1].head->current_version == 2);
  CHECK(after[2].head->id != before[1].head->id);
  CHECK(w.chunks("b.txt").empty());
  CHECK(w.engine.get(before[1].head->id)->head->tombstone);
}

TEST_CASE("7 ingest_source: a promotion stays as long as the text does") {
  source_world w;
  w.put("a.cpp", block("one", 60) + block("two", 60));
  w.ingest();
  write_request note;
  note.type = memory_type::note;
  note.data["statement"] = std::string("about one");
  const memory_id memory = w.engine.apply(note)->uri->id;
  REQUIRE(
      w.engine.promote({.chunk = w.chunks("a.cpp")[0].head->id, .memory = memory, .actor = ""}));
  w.put("a.cpp", block("zero", 60) + block("one", 60) + block("two", 60));
  w.ingest();
  const auto chunks = w.chunks("a.cpp");
  REQUIRE(chunks.size() == 3);
  CHECK(std::get<memory_id>(chunks[1].version->data.at("promoted_to")) == memory);
}

TEST_CASE("7 ingest_source: text that was gone comes back under an id of its own") {
  source_world w;
  w.put("a.txt", "tea\n");
  w.ingest();
  const memory_id first = w.chunks("a.txt")[0].head->id;
  w.remove("a.txt");
  w.put("b.txt", "stays\n");
  CHECK(w.ingest().removed == 1);
  w.put("a.txt", "tea\n");
  CHECK(w.ingest().added == 1);
  REQUIRE(w.chunks("a.txt").size() == 1);
  CHECK(w.chunks("a.txt")[0].head->id != first);
}

TEST_CASE("7 ingest_source: an archived chunk is not written again") {
  source_world w;
  w.put("a.txt", "tea\n");
  w.ingest();
  const memory chunk = w.chunks("a.txt")[0];
  update_head_request archive;
  archive.uri = {memory_type::chunk, chunk.head->id, 1};
  archive.lifecycle.emplace().status = lifecycle_status::archived;
  REQUIRE(w.engine.apply(archive));
  CHECK(w.ingest().unchanged == 1);
  w.remove("a.txt");
  w.put("b.txt", "stays\n");
  CHECK(w.ingest().removed == 1);
  CHECK(w.engine.get(chunk.head->id)->head->tombstone);
}

TEST_CASE("7 ingest_source: the same text twice in one file is two chunks") {
  source_world w;
  const std::string same = block("same", 60);
  w.put("a.cpp", same + same);
  CHECK(w.ingest().added == 2);
  w.put("a.cpp", same);
  const auto counts = w.ingest();
  CHECK(counts.unchanged == 1);
  CHECK(counts.removed == 1);
}

TEST_CASE("7 ingest_source: actors have their own chunks of a source") {
  source_world w;
  w.put("a.txt", "tea\n");
  CHECK(w.ingest("ana").added == 1);
  CHECK(w.ingest("bo").added == 1);
  CHECK(w.ingest("ana").unchanged == 1);
  CHECK(w.chunks("a.txt").size() == 2);
}

TEST_CASE("7 ingest_source: a path that is not there is not_found") {
  source_world w;
  protocol::source_request r;
  r.path = w.path("nothing");
  const auto done = ingest_source(w.engine, r);
  REQUIRE_FALSE(done);
  CHECK(done.error().code == errc::not_found);
}

TEST_CASE(
    "7 ingest_source: a folder is not left by its symbolic links, and what is hidden counts") {
  source_world w;
  const temporary_directory elsewhere;
  std::ofstream(elsewhere.path() + "/secret.txt") << "not of this folder\n";
  w.put("a.txt", "tea\n");
  w.put(".git-like/config", "hidden\n");
  w.put(".env", "hidden\n");
  std::filesystem::create_symlink(elsewhere.path() + "/secret.txt", w.path("link.txt"));
  std::filesystem::create_directory_symlink(elsewhere.path(), w.path("folder"));
  REQUIRE(::mkfifo(w.path("pipe").c_str(), 0600) == 0);
  const auto counts = w.ingest();
  CHECK(counts.files == 1);
  CHECK(counts.added == 1);
  CHECK(counts.left_out
        == std::map<std::string, std::uint64_t>{{"hidden files", 1},
                                                {"hidden folders", 1},
                                                {"symbolic links", 2},
                                                {"what is no regular file", 1}});
}

TEST_CASE("7 ingest_source: what is no file is refused by name") {
  source_world w;
  protocol::source_request r;
  for (const auto& path : {std::string("/dev/null"), w.path("pipe")}) {
    if (path != "/dev/null") REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    r.path = path;
    const auto done = ingest_source(w.engine, r);
    REQUIRE_FALSE(done);
    CHECK(done.error().code == errc::bad_value);
    CHECK(done.error().at == "path");
    CHECK(done.error().message == path + " is neither a file nor a folder");
  }
  w.put("named.txt", "tea\n");
  std::filesystem::create_symlink(w.path("named.txt"), w.path("by-name"));
  r.path = w.path("by-name"); // whoever names a link means what it leads to
  REQUIRE(ingest_source(w.engine, r));
}

TEST_CASE("7 ingest_source: another visibility or audience reaches the chunks that are there") {
  source_world w;
  w.put("a.txt", "tea\n");
  protocol::source_request r;
  r.path = w.path("");
  r.audience = lifecycle_audience::work;
  r.visibility = visibility::actor_public;
  REQUIRE(ingest_source(w.engine, r)->added == 1);
  update_head_request due;
  due.uri = {memory_type::chunk, w.chunks("a.txt")[0].head->id, 1};
  due.lifecycle = w.chunks("a.txt")[0].head->lifecycle;
  due.lifecycle->project = "tea";
  REQUIRE(w.engine.apply(due));

  r.visibility.reset(); // what is not given stays
  r.audience = lifecycle_audience::personal;
  auto done = ingest_source(w.engine, r);
  REQUIRE(done);
  CHECK(done->updated == 1);
  CHECK(done->unchanged + done->added + done->removed == 0);
  memory chunk = w.chunks("a.txt")[0];
  CHECK(chunk.head->lifecycle->audience == lifecycle_audience::personal);
  CHECK(chunk.head->lifecycle->project == "tea");
  CHECK(chunk.head->visibility == visibility::actor_public);

  r.visibility = visibility::private_;
  CHECK(ingest_source(w.engine, r)->updated == 1);
  CHECK(w.chunks("a.txt")[0].head->visibility == visibility::private_);
  r.audience.reset();
  CHECK(ingest_source(w.engine, r)->unchanged == 1);
}

TEST_CASE(
    "7 ingest_source: a folder that becomes a git tree, and gets a remote, keeps its chunks") {
  source_world w;
  w.put("a.txt", "tea\n");
  w.put("b.txt", "coffee\n");
  REQUIRE(w.ingest().added == 2);
  const memory_id first = w.chunks("a.txt")[0].head->id;
  const auto git = [&](const std::string& arguments) {
    REQUIRE(std::system(("git -C '" + w.path("") + "' " + arguments).c_str()) == 0);
  };
  git("init -q");
  auto counts = w.ingest();
  CHECK(counts.updated == 2); // the name of the source
  CHECK(counts.added + counts.removed == 0);
  CHECK(w.ingest().unchanged == 2);

  git("remote add origin https://github.com/example/tea.git");
  w.put("b.txt", "cocoa\n");
  counts = w.ingest();
  CHECK(counts.updated == 1);
  CHECK(counts.added == 1);
  CHECK(counts.removed == 1);
  REQUIRE(w.chunks().size() == 2);
  const memory chunk = w.chunks("a.txt")[0];
  CHECK(chunk.head->id == first);
  CHECK(std::get<std::string>(chunk.version->data.at("source_type")) == "github");
  CHECK(std::get<std::string>(chunk.head->metadata.at("source"))
        == "https://github.com/example/tea.git");
  CHECK(w.ingest().unchanged == 2);
}

TEST_CASE("7 a source that takes too long ends between two files; each time it comes further") {
  source_world f;
  for (const char* name : {"a.cpp", "b.cpp", "c.cpp"}) f.put(name, block(name, 3));
  protocol::source_request r;
  r.path = f.path("");
  int looks = 0;
  int most = 2; // the first is before anything is read
  r.in_time = [&]() -> result<void> {
    if (++looks <= most) return {};
    return fail(errc::deadline_exceeded, "late");
  };
  for (std::size_t done = 1; done <= 3; ++done, ++most) {
    looks = 0;
    const auto late = ingest_source(f.engine, r);
    CHECK(f.chunks().size() == done);
    REQUIRE_FALSE(late.has_value());
    CHECK(late.error().code == errc::deadline_exceeded);
  }
  r.in_time = {};
  REQUIRE(ingest_source(f.engine, r).has_value());
  CHECK(f.chunks().size() == 3);
}
