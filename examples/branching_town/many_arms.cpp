// What arms cost in memory:
//
//     many_arms DIRECTORY [ARMS]
//
// Opens the world in the directory as a base, and says by how much the process has grown for it,
// for so many arms (1,000) with a find in each, and for the first write of every tenth of them.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

#include <unistd.h>

#include "mneme/arms.hpp"

namespace {

template <class T>
T must(mneme::result<T> done) {
  if (done) return std::move(*done);
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  std::exit(1); // NOLINT(concurrency-mt-unsafe): this thread alone ends the program
}

/// Of this process, what is in memory and not of a file, in MB.
double memory_now() {
  std::ifstream in("/proc/self/statm");
  long whole = 0;
  long resident = 0;
  long of_files = 0;
  in >> whole >> resident >> of_files;
  return static_cast<double>(resident - of_files) * static_cast<double>(sysconf(_SC_PAGESIZE))
         / 1e6;
}

} // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "many_arms DIRECTORY [ARMS]\n");
    return 2;
  }
  const unsigned long arms = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 1000;
  double before = memory_now();
  const auto print_growth = [&](const char* what) {
    const double now = memory_now();
    std::printf("%-32s %7.1f MB more\n", what, now - before);
    before = now;
  };
  mneme::engine_options options;
  options.directory = arguments[1];
  options.create = false;
  const mneme::arm_base base = must(mneme::arm_base::open(options));
  print_growth("the base");
  std::vector<mneme::engine> all;
  all.reserve(arms);
  for (unsigned long i = 0; i < arms; ++i) {
    all.push_back(must(base.arm({.seed = i + 1, .random = {}, .clock = {}})));
    mneme::find_request any;
    any.limit = 10;
    must(all.back().find(any));
  }
  print_growth("arms, and a find in each");
  for (unsigned long i = 0; i < arms; i += 10) {
    mneme::write_request note;
    note.type = mneme::memory_type::note;
    note.data["statement"] = "arm " + std::to_string(i) + " goes its own way";
    must(all[i].apply(std::move(note)));
  }
  print_growth("the first write of every tenth");
  return 0;
}
