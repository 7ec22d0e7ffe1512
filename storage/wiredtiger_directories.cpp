#include "storage/wiredtiger_directories.hpp"

#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

wiredtiger_directories::wiredtiger_directories(std::vector<std::string> names,
                                               wiredtiger_options options)
    : names_(std::move(names)), options_(options) {
  ensure(names_.size() > 1, "files are made anew beside those that are there");
}

std::vector<std::size_t> wiredtiger_directories::found() const {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (wiredtiger_store_is_there(names_[i])) all.push_back(i);
  return all;
}

result<void> wiredtiger_directories::settle() {
  if (is_settled_) return {};
  const auto all = found();
  if (all.size() > 1)
    for (const std::size_t i : all)
      if (auto ok = remove_wiredtiger_store(names_[i]); !ok) return ok;
  is_settled_ = true;
  current_ = all.size() == 1 ? all.front() : 0;
  return {};
}

result<std::string> wiredtiger_directories::current() {
  const std::lock_guard hold(guard_);
  if (auto ok = settle(); !ok) return propagate(ok);
  return names_[current_];
}

std::string wiredtiger_directories::next() {
  const std::lock_guard hold(guard_);
  return names_[(current_ + 1) % names_.size()];
}

result<std::unique_ptr<kv_store>> wiredtiger_directories::open() {
  auto name = current();
  if (!name) return propagate(name);
  return open_wiredtiger_store(*name, options_);
}

result<void> wiredtiger_directories::remove() {
  auto name = current();
  if (!name) return propagate(name);
  return remove_wiredtiger_store(*name);
}

result<std::unique_ptr<kv_store>> wiredtiger_directories::open_beside() {
  // Whoever looks after this would find two.
  if (auto name = current(); !name) return propagate(name);
  const std::string name = next();
  if (auto ok = remove_wiredtiger_store(name); !ok) return propagate(ok);
  return open_wiredtiger_store(name, options_);
}

void wiredtiger_directories::remove_beside() {
  // What cannot be removed now is removed when the world is opened again.
  static_cast<void>(remove_wiredtiger_store(next()));
}

bool wiredtiger_directories::is_there() const {
  return !found().empty();
}

std::function<void()> wiredtiger_directories::retire() {
  const std::lock_guard hold(guard_);
  static_cast<void>(settle()); // they may not have been needed so far; what fails here fails open()
  std::string before = names_[current_];
  current_ = (current_ + 1) % names_.size();
  // What cannot be removed now is removed when the world is opened again.
  return [before = std::move(before)] { static_cast<void>(remove_wiredtiger_store(before)); };
}

} // namespace mneme
