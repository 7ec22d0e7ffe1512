// Writes to a world, or erases in it, until it is killed; says on stdout what was acknowledged, one
// line each.
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "mneme/engine.hpp"

using namespace mneme;

namespace {

void say(const std::string& line) {
  const std::string whole = line + "\n";
  if (::write(STDOUT_FILENO, whole.data(), whole.size()) < 0) _exit(3);
}

/// Writes notes and edges between them, updates some, for ever.
void work(engine& e, const std::string& name) {
  memory_id before;
  for (int i = 0;; ++i) {
    write_request w;
    w.type = memory_type::note;
    w.data["statement"] = name + "-" + std::to_string(i);
    w.tags = {"kill"};
    auto written = e.apply(w);
    if (!written) _exit(4);
    say("memory " + to_string(*written->uri) + " " + name + "-" + std::to_string(i));
    if (!before.is_zero()) {
      auto linked = e.apply(add_edge_request{.src = written->uri->id,
                                             .type = 1,
                                             .dst = before,
                                             .actor = {},
                                             .weight = 1,
                                             .kind = {},
                                             .data = {},
                                             .by = {},
                                             .created_at = {}});
      if (!linked) _exit(4);
      say("edge " + to_string(written->uri->id) + " " + to_string(before));
    }
    if (i % 5 == 4) {
      update_request u;
      u.uri = *written->uri;
      u.data["statement"] = "updated " + name;
      auto updated = e.apply(u);
      if (!updated) _exit(4);
      say("memory " + to_string(*updated->uri) + " updated " + name);
    }
    before = written->uri->id;
  }
}

/// Writes notes and erases every other one, for ever.
void erase(engine& e, const std::string& name) {
  for (int i = 0;; ++i) {
    write_request w;
    w.type = memory_type::note;
    const std::string secret = "secret-" + name + "-" + std::to_string(i) + ".";
    w.data["statement"] = secret + " word";
    w.tags = {secret};
    auto written = e.apply(w);
    if (!written) _exit(4);
    if (i % 2 == 1) continue;
    if (i % 6 == 4 && !e.checkpoint()) _exit(4);
    erase_request r;
    r.ids = {written->uri->id};
    r.reason = "asked for";
    r.by = "host";
    if (auto erased = e.erase(r); !erased) _exit(4);
    say("erased " + to_string(written->uri->id) + " " + secret);
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) return 2;
  engine_options o;
  o.directory = argv[1];
  o.embedder_spec = "hash:32";
  o.checkpoint_journal_bytes = 32 << 10;
  auto e = engine::open(o);
  if (!e) {
    std::fprintf(stderr, "open: %s\n", e.error().message.c_str());
    return 3;
  }
  auto root = e->root();
  say("opened " + std::to_string(root->seq.value) + " " + to_hex(root->overall));
  if (argc == 4) erase(*e, argv[2]);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back(work, std::ref(*e), std::string(argv[2]) + "." + std::to_string(t));
  for (auto& t : threads) t.join();
}
