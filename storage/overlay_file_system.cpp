#include "storage/overlay_file_system.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

std::unexpected<error> no_such_file(std::string_view action, const std::string& path) {
  return fail(errc::not_found,
              fmt::format("cannot {} {}: No such file or directory", action, path));
}

result<std::string> all_of(file& from) {
  auto size = from.size();
  if (!size) return propagate(size);
  std::string bytes(*size, '\0');
  auto read = from.read_into(0, bytes);
  if (!read) return propagate(read);
  bytes.resize(*read);
  return bytes;
}

} // namespace

result<std::shared_ptr<file>> fixed_files::open(const std::string& path) {
  const std::lock_guard hold(guard_);
  auto& known = opened_[path];
  if (known == nullptr) {
    auto opened = files_->open(path, open_mode::read);
    if (!opened) {
      opened_.erase(path);
      return propagate(opened);
    }
    known = std::move(*opened);
    known->is_complete();
  }
  return known;
}

/// A file, whatever its names. Its bytes are those of `below` until it is first written to.
struct overlay_file_system::node {
  std::mutex guard;
  std::shared_ptr<file> below; ///< null: `bytes` are all of it
  std::string bytes;

  /// Under the guard.
  result<void> take_over() {
    if (below == nullptr) return {};
    auto all = all_of(*below);
    if (!all) return propagate(all);
    bytes = std::move(*all);
    below = nullptr;
    return {};
  }
  [[nodiscard]] std::shared_ptr<file> where_below() {
    const std::lock_guard hold(guard);
    return below;
  }
};

struct overlay_file_system::state {
  explicit state(std::shared_ptr<fixed_files> files) : below(std::move(files)) {}

  const std::shared_ptr<fixed_files> below;
  std::mutex guard;
  std::map<std::string, std::shared_ptr<node>> files;
  std::set<std::string> gone; ///< names of files below that are no names here
  std::set<std::string> directories;
  std::set<std::string> locked;
};

class overlay_file_system::overlay_file final : public file {
public:
  overlay_file(std::shared_ptr<node> its, bool is_writable)
      : node_(std::move(its)), is_writable_(is_writable) {}

  result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
    auto there = this->size();
    if (!there) return propagate(there);
    const std::uint64_t left = *there - std::min<std::uint64_t>(offset, *there);
    std::string bytes(std::min<std::uint64_t>(size, left), '\0');
    auto read = read_into(offset, bytes);
    if (!read) return propagate(read);
    bytes.resize(*read);
    return bytes;
  }
  result<std::size_t> read_into(std::uint64_t offset, std::span<char> to) override {
    {
      const std::lock_guard hold(node_->guard);
      if (node_->below == nullptr) {
        const std::string& bytes = node_->bytes;
        if (offset >= bytes.size()) return std::size_t{0};
        return bytes.copy(to.data(), to.size(), offset);
      }
    }
    // Nobody changes it: what was below a moment ago is there still, and is what was read then.
    if (const auto below = node_->where_below()) return below->read_into(offset, to);
    return read_into(offset, to);
  }
  void expect(std::uint64_t offset, std::size_t size) override {
    if (const auto below = node_->where_below()) below->expect(offset, size);
  }
  result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    const std::lock_guard hold(node_->guard);
    if (auto ok = begin_writing(); !ok) return ok;
    ensure(node_->below == nullptr, "what is written to is in memory");
    const std::uint64_t end = offset + bytes.size();
    if (node_->bytes.size() < end) node_->bytes.resize(end, '\0');
    std::ranges::copy(bytes, node_->bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    return {};
  }
  result<void> sync() override { return {}; }
  result<std::uint64_t> size() override {
    const std::lock_guard hold(node_->guard);
    if (node_->below != nullptr) return node_->below->size();
    return std::uint64_t{node_->bytes.size()};
  }
  result<void> truncate(std::uint64_t size) override {
    const std::lock_guard hold(node_->guard);
    if (node_->below != nullptr) {
      auto there = node_->below->size();
      if (!there) return propagate(there);
      if (*there == size) return {};
    }
    if (auto ok = begin_writing(); !ok) return ok;
    node_->bytes.resize(size, '\0');
    return {};
  }

private:
  result<void> begin_writing() {
    if (!is_writable_) return fail(errc::io, "cannot write to a file that is open for reading");
    return node_->take_over();
  }

  std::shared_ptr<node> node_;
  bool is_writable_;
};

class overlay_file_system::overlay_lock final : public directory_lock {
public:
  overlay_lock(std::shared_ptr<state> of, std::string dir)
      : state_(std::move(of)), dir_(std::move(dir)) {}
  ~overlay_lock() override {
    const std::lock_guard hold(state_->guard);
    state_->locked.erase(dir_);
  }
  overlay_lock(const overlay_lock&) = delete;
  overlay_lock& operator=(const overlay_lock&) = delete;

private:
  std::shared_ptr<state> state_;
  std::string dir_;
};

overlay_file_system::overlay_file_system(std::shared_ptr<fixed_files> below)
    : state_(std::make_shared<state>(std::move(below))) {
}
overlay_file_system::~overlay_file_system() = default;

// Under the guard, so that one file has one node.
result<std::shared_ptr<overlay_file_system::node>>
overlay_file_system::find(const std::string& path) {
  if (const auto known = state_->files.find(path); known != state_->files.end())
    return known->second;
  if (state_->gone.contains(path)) return nullptr;
  auto below = state_->below->open(path);
  if (!below && below.error().code == errc::not_found) return nullptr;
  if (!below) return propagate(below);
  auto made = std::make_shared<node>();
  made->below = std::move(*below);
  state_->files.emplace(path, made);
  return made;
}

result<std::unique_ptr<file>> overlay_file_system::open(const std::string& path, open_mode mode) {
  const std::lock_guard hold(state_->guard);
  auto found = find(path);
  if (!found) return propagate(found);
  if (*found == nullptr) {
    if (mode != open_mode::create) return no_such_file("open", path);
    *found = std::make_shared<node>();
    state_->files.emplace(path, *found);
  }
  return std::make_unique<overlay_file>(std::move(*found), mode != open_mode::read);
}

result<bool> overlay_file_system::exists(const std::string& path) {
  const std::lock_guard hold(state_->guard);
  if (state_->files.contains(path) || state_->directories.contains(path)) return true;
  if (state_->gone.contains(path)) return false;
  return state_->below->all().exists(path);
}

result<file_content> overlay_file_system::content(const std::string& path) {
  std::shared_ptr<node> own;
  {
    const std::lock_guard hold(state_->guard);
    if (const auto known = state_->files.find(path); known != state_->files.end())
      own = known->second;
    else if (state_->gone.contains(path))
      return no_such_file("open", path);
  }
  if (own != nullptr) {
    const std::lock_guard hold(own->guard);
    if (own->below == nullptr) return file_content::of(own->bytes);
  }
  auto found = state_->below->all().content(path);
  if (!found) return found;
  found->source = nullptr;
  found->is_checked = true;
  return found;
}

result<std::vector<std::string>> overlay_file_system::list(const std::string& dir) {
  auto below = state_->below->all().list(dir);
  if (!below) return below;
  const std::string front = dir + "/";
  const std::lock_guard hold(state_->guard);
  std::set<std::string> names;
  for (std::string& name : *below)
    if (!state_->gone.contains(front + name)) names.insert(std::move(name));
  for (auto at = state_->files.lower_bound(front);
       at != state_->files.end() && at->first.starts_with(front); ++at)
    if (at->first.find('/', front.size()) == std::string::npos)
      names.insert(at->first.substr(front.size()));
  return std::vector<std::string>(names.begin(), names.end());
}

result<void> overlay_file_system::create_directories(const std::string& dir) {
  const std::lock_guard hold(state_->guard);
  for (std::size_t end = dir.find('/', 1); end != std::string::npos; end = dir.find('/', end + 1))
    state_->directories.insert(dir.substr(0, end));
  state_->directories.insert(dir);
  return {};
}

result<void> overlay_file_system::rename(const std::string& from, const std::string& to) {
  const std::lock_guard hold(state_->guard);
  auto found = find(from);
  if (!found) return propagate(found);
  if (*found == nullptr) return no_such_file("rename", from);
  if (from == to) return {};
  ensure(state_->files.contains(from), "a file that was found has a node");
  state_->files[to] = std::move(*found);
  state_->files.erase(from);
  state_->gone.insert(from);
  return {};
}

result<void> overlay_file_system::remove(const std::string& path) {
  const std::lock_guard hold(state_->guard);
  auto found = find(path);
  if (!found) return propagate(found);
  if (*found == nullptr) return no_such_file("remove", path);
  state_->files.erase(path);
  state_->gone.insert(path);
  return {};
}

result<void> overlay_file_system::link(const std::string& from, const std::string& to) {
  const std::lock_guard hold(state_->guard);
  auto source = find(from);
  if (!source) return propagate(source);
  if (*source == nullptr) return no_such_file("link", from);
  auto there = find(to);
  if (!there) return propagate(there);
  if (*there != nullptr)
    return fail(errc::already_exists, fmt::format("cannot link {}: {} exists", from, to));
  state_->files.emplace(to, std::move(*source));
  return {};
}

result<std::uint64_t> overlay_file_system::names_of(const std::string& path) {
  const std::lock_guard hold(state_->guard);
  auto found = find(path);
  if (!found) return propagate(found);
  if (*found == nullptr) return no_such_file("examine", path);
  return static_cast<std::uint64_t>(std::ranges::count_if(
      state_->files, [&](const auto& named) { return named.second == *found; }));
}

result<void> overlay_file_system::exchange(const std::string& one, const std::string& other) {
  return fail(errc::unsupported,
              fmt::format("cannot exchange {} and {}: they are not on a disk", one, other));
}

result<void> overlay_file_system::sync_directory(const std::string&) {
  return {};
}

result<std::unique_ptr<directory_lock>> overlay_file_system::lock(const std::string& dir) {
  const std::lock_guard hold(state_->guard);
  if (!state_->locked.insert(dir).second) return fail(errc::busy, dir + " is open");
  return std::make_unique<overlay_lock>(state_, dir);
}

std::uint64_t overlay_file_system::own_bytes() const {
  const std::lock_guard hold(state_->guard);
  std::uint64_t sum = 0;
  for (const auto& [path, its] : state_->files) {
    const std::lock_guard hold_file(its->guard);
    sum += its->bytes.size();
  }
  return sum;
}

} // namespace mneme
