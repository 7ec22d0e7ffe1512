// Preloaded to what scripts/test runs. WiredTiger 3.2 ends what it does once in a process with 300
// million turns of an empty loop, in which it measures the clock of the CPU: more than half a
// second in every command that opens a world. Here it leaves that out, and asks the system for the
// time instead, as it does on a CPU without such a clock.
#include <csetjmp>
#include <ctime>
#include <mutex>

#include <dlfcn.h>

namespace {

using epoch = void (*)(void* session, std::timespec* now);

std::mutex once;
bool has_begun = false;
thread_local std::jmp_buf* before_measuring = nullptr;

epoch own_epoch() {
  void* const library = dlopen("libwiredtiger.so.0", RTLD_LAZY | RTLD_NOLOAD);
  return reinterpret_cast<epoch>(dlsym(library, "__wt_epoch"));
}

} // namespace

extern "C" {

int __wt_once(void (*begin)());
void __wt_epoch(void* session, std::timespec* now);

int __wt_once(void (*begin)()) {
  const std::lock_guard lock(once);
  if (has_begun) return 0;
  std::jmp_buf back;
  before_measuring = &back;
  if (setjmp(back) == 0) begin();
  before_measuring = nullptr;
  has_begun = true;
  return 0;
}

// The measuring begins with the time, which nothing before it asks for.
void __wt_epoch(void* session, std::timespec* now) {
  if (before_measuring != nullptr) std::longjmp(*before_measuring, 1);
  static const epoch own = own_epoch();
  own(session, now);
}
}
