#include "bench/workloads/fresh_process.hpp"

#include <array>
#include <cstdint>
#include <fstream>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mneme::workloads {

namespace {

bool read_all(int from, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const auto got = ::read(from, at, size);
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

void write_all(int to, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const auto put = ::write(to, at, size);
    if (put <= 0) return;
    at += put;
    size -= static_cast<std::size_t>(put);
  }
}

/// Sent ahead of an answer's numbers, or of the text of its error.
struct answer_size {
  std::uint64_t numbers = 0;
  std::uint64_t text = 0;
};

void send_answer(int to, const errand_answer& answer) {
  answer_size size;
  if (answer)
    size.numbers = answer->size();
  else
    size.text = answer.error().message.size();
  write_all(to, &size, sizeof size);
  if (answer)
    write_all(to, answer->data(), answer->size() * sizeof(double));
  else
    write_all(to, answer.error().message.data(), answer.error().message.size());
}

/// Asks the child to end. That its parent's end of the pipe is closed does not say so: children
/// made later have it, too, until they end.
constexpr std::uint64_t no_errand = ~std::uint64_t{0};

/// Until it is told, or the parent goes away: forks for each request, and answers in the child's
/// place if it dies.
[[noreturn]] void serve(const std::vector<std::function<errand_answer()>>& errands, int requests,
                        int answers) {
  std::uint64_t errand = 0;
  while (read_all(requests, &errand, sizeof errand) && errand != no_errand) {
    const auto child = ::fork();
    if (child == 0) {
      send_answer(answers, errands[errand]());
      ::_exit(0);
    }
    int state = -1;
    if (child > 0) ::waitpid(child, &state, 0);
    if (state != 0) send_answer(answers, fail(errc::io, "a process of the benchmark has died"));
  }
  ::_exit(0);
}

} // namespace

fresh_process::fresh_process(std::vector<std::function<errand_answer()>> errands) {
  // What is free here but still this process's own would be memory that an errand takes for
  // nothing.
  ::malloc_trim(0);
  std::array<int, 2> to_child{};
  std::array<int, 2> to_parent{};
  if (::pipe(to_child.data()) != 0) return;
  if (::pipe(to_parent.data()) != 0) {
    ::close(to_child[0]);
    ::close(to_child[1]);
    return;
  }
  child_ = ::fork();
  if (child_ == 0) {
    ::close(to_child[1]);
    ::close(to_parent[0]);
    serve(errands, to_child[0], to_parent[1]);
  }
  ::close(to_child[0]);
  ::close(to_parent[1]);
  requests_ = to_child[1];
  answers_ = to_parent[0];
}

fresh_process::~fresh_process() {
  if (child_ > 0) write_all(requests_, &no_errand, sizeof no_errand);
  if (requests_ >= 0) ::close(requests_);
  if (answers_ >= 0) ::close(answers_);
  if (child_ > 0) ::waitpid(child_, nullptr, 0);
}

errand_answer fresh_process::run(std::size_t errand) {
  if (child_ <= 0) return fail(errc::io, "no process can be made for the benchmark");
  const std::uint64_t number = errand;
  write_all(requests_, &number, sizeof number);
  answer_size size;
  if (!read_all(answers_, &size, sizeof size))
    return fail(errc::io, "a process of the benchmark has died");
  if (size.text > 0) {
    std::string text(size.text, '\0');
    read_all(answers_, text.data(), text.size());
    return fail(errc::io, std::move(text));
  }
  std::vector<double> numbers(size.numbers);
  read_all(answers_, numbers.data(), numbers.size() * sizeof(double));
  return numbers;
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double whole = 0;
  double resident = 0;
  statm >> whole >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

} // namespace mneme::workloads
