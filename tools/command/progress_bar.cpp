#include "tools/command/progress_bar.hpp"

#include <fmt/format.h>

#include "tools/command/console.hpp"

namespace mneme::command {

progress_bar::progress_bar(std::string_view what) : what_(what), enabled_(is_terminal(stderr)) {
}

progress_bar::~progress_bar() {
  if (drawn_) tell("\r\033[K");
}

void progress_bar::show(std::uint64_t done, std::uint64_t total, std::uint64_t items,
                        std::string_view item_name) {
  if (!enabled_) return;
  const auto now = clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double seconds = std::chrono::duration<double>(now - started_).count();
  const double rate = seconds > 0 ? static_cast<double>(items) / seconds : 0;
  std::string bar;
  if (total > 0) {
    constexpr std::uint64_t columns = 24;
    const auto full = std::min<std::uint64_t>(columns, done * columns / total);
    bar = fmt::format(" [{}{}] {:3}%", std::string(full, '#'), std::string(columns - full, '.'),
                      std::min<std::uint64_t>(100, done * 100 / total));
  }
  tell("\r\033[K{}{} {} {}, {:.0f}/s", what_, bar, items, item_name, rate);
  std::fflush(stderr);
}

} // namespace mneme::command
