#include "storage/wiredtiger_directories.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

/// The number behind "<base>."; 0 of anything else.
std::uint32_t number_of(std::string_view path, std::string_view base) {
  if (path.size() <= base.size() + 1 || !path.starts_with(base) || path[base.size()] != '.')
    return 0;
  const std::string_view digits = path.substr(base.size() + 1);
  std::uint32_t number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return end.ec == std::errc() && end.ptr == digits.data() + digits.size() ? number : 0;
}

} // namespace

wiredtiger_directories::wiredtiger_directories(std::string base, wiredtiger_options options)
    : base_(std::move(base)), options_(options) {
}

std::string wiredtiger_directories::current() const {
  return number_ == 0 ? base_ : fmt::format("{}.{}", base_, number_);
}

std::vector<std::string> wiredtiger_directories::found() const {
  std::vector<std::string> all;
  std::error_code cause;
  const std::filesystem::path base(base_);
  for (std::filesystem::directory_iterator it(base.parent_path(), cause), end; !cause && it != end;
       it.increment(cause)) {
    const std::string path = it->path().string();
    if (path == base_ || number_of(path, base_) != 0) all.push_back(path);
  }
  std::ranges::sort(all);
  return all;
}

result<void> wiredtiger_directories::settle() {
  if (std::exchange(is_settled_, true)) return {};
  const auto all = found();
  if (all.size() > 1)
    for (const std::string& path : all)
      if (auto ok = remove_wiredtiger_store(path); !ok) return ok;
  number_ = all.size() == 1 ? number_of(all.front(), base_) : 0;
  return {};
}

result<std::unique_ptr<kv_store>> wiredtiger_directories::open() {
  if (auto ok = settle(); !ok) return propagate(ok);
  return open_wiredtiger_store(current(), options_);
}

result<void> wiredtiger_directories::remove() {
  if (auto ok = settle(); !ok) return ok;
  return remove_wiredtiger_store(current());
}

bool wiredtiger_directories::is_there() const {
  return !found().empty() || wiredtiger_store_is_there(base_);
}

std::function<void()> wiredtiger_directories::retire() {
  ensure(is_settled_, "what is retired was opened");
  std::string before = current();
  ++number_;
  // What cannot be removed now is removed when the world is opened again.
  return [before = std::move(before)] { static_cast<void>(remove_wiredtiger_store(before)); };
}

} // namespace mneme
