// A reader beside a writer, every order of their operations on the disk drawn from a seed: whatever
// the writer does between two reads, the reader sees whole frames in order, and all of those that
// were there when it began.
// Of: journal/segment_walk.cpp
#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/journal/journal_site.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

const journal_options short_segments{.segment_bytes = 900, .extend_bytes = 300};

/// Two threads that take turns: what one does in its turn, the other does not see half of.
class turns {
public:
  explicit turns(std::uint64_t seed) : roll_(seed) {}

  template <class Action>
  auto take(std::size_t who, Action action) {
    {
      std::unique_lock guard(mutex_);
      changed_.wait(guard, [&] { return next_ == who || left_[1 - who]; });
    }
    auto outcome = action();
    const std::lock_guard guard(mutex_);
    next_ = roll_.below(2);
    changed_.notify_all();
    return outcome;
  }

  void leave(std::size_t who) {
    const std::lock_guard guard(mutex_);
    left_[who] = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  dice roll_;
  std::size_t next_ = 0;
  std::array<bool, 2> left_{};
};

class file_in_turn final : public file {
public:
  file_in_turn(std::unique_ptr<file> under, turns& turn, std::size_t who)
      : under_(std::move(under)), turn_(&turn), who_(who) {}
  result<std::string> read_at(std::uint64_t offset, std::size_t size) override {
    return turn_->take(who_, [&] { return under_->read_at(offset, size); });
  }
  result<std::size_t> read_into(std::uint64_t offset, std::span<char> to) override {
    return turn_->take(who_, [&] { return under_->read_into(offset, to); });
  }
  result<void> write_at(std::uint64_t offset, std::string_view bytes) override {
    return turn_->take(who_, [&] { return under_->write_at(offset, bytes); });
  }
  result<void> sync() override {
    return turn_->take(who_, [&] { return under_->sync(); });
  }
  result<std::uint64_t> size() override {
    return turn_->take(who_, [&] { return under_->size(); });
  }
  result<void> truncate(std::uint64_t size) override {
    return turn_->take(who_, [&] { return under_->truncate(size); });
  }

private:
  std::unique_ptr<file> under_;
  turns* turn_;
  std::size_t who_;
};

class files_in_turn final : public file_system {
public:
  files_in_turn(std::shared_ptr<file_system> under, turns& turn, std::size_t who)
      : under_(std::move(under)), turn_(&turn), who_(who) {}
  result<std::unique_ptr<file>> open(const std::string& path, open_mode mode) override {
    return turn_->take(who_, [&]() -> result<std::unique_ptr<file>> {
      auto opened = under_->open(path, mode);
      if (!opened) return propagate(opened);
      return std::make_unique<file_in_turn>(std::move(*opened), *turn_, who_);
    });
  }
  result<bool> exists(const std::string& path) override { return under_->exists(path); }
  result<std::vector<std::string>> list(const std::string& dir) override {
    return turn_->take(who_, [&] { return under_->list(dir); });
  }
  result<void> create_directories(const std::string& dir) override {
    return under_->create_directories(dir);
  }
  result<void> rename(const std::string& from, const std::string& to) override {
    return under_->rename(from, to);
  }
  result<void> remove(const std::string& path) override { return under_->remove(path); }
  result<void> link(const std::string& from, const std::string& to) override {
    return under_->link(from, to);
  }
  result<std::uint64_t> names_of(const std::string& path) override {
    return under_->names_of(path);
  }
  result<void> exchange(const std::string& one, const std::string& other) override {
    return under_->exchange(one, other);
  }
  result<void> sync_directory(const std::string& dir) override {
    return under_->sync_directory(dir);
  }
  result<std::unique_ptr<directory_lock>> lock(const std::string& dir) override {
    return under_->lock(dir);
  }

private:
  std::shared_ptr<file_system> under_;
  turns* turn_;
  std::size_t who_;
};

constexpr std::size_t writer = 0;
constexpr std::size_t reader = 1;
const std::string turn_dir = "/w/journal";

/// Reads from the start or from the end so far; what went wrong, or nothing.
std::string read_beside(file_system& fs, turns& turn, const std::uint64_t& published,
                        bool from_start) {
  const auto at_least = turn.take(reader, [&] { return published; });
  const seq_no from{from_start ? 1 : std::max<std::uint64_t>(1, at_least)};
  seq_no last;
  auto ok = read_journal(fs, turn_dir, test_world, from, true,
                         [&](const journal_frame& frame) -> result<bool> {
                           last = last_seq(frame.prefix);
                           return true;
                         });
  if (!ok) return ok.error().message;
  if (last.value < at_least)
    return "ends at seq " + std::to_string(last.value) + ", before " + std::to_string(at_least);
  return {};
}

} // namespace

TEST_CASE("a reader stands every step of a writer beside it", "[journal][threads]") {
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    INFO("seed " << seed);
    auto disk = std::make_shared<memory_file_system>();
    turns turn(seed);
    std::uint64_t published = 0;
    std::string problem;
    std::thread beside([&] {
      files_in_turn fs(disk, turn, reader);
      for (int i = 0; i < 12 && problem.empty(); ++i)
        problem = read_beside(fs, turn, published, i % 2 == 0);
      turn.leave(reader);
    });
    bool written = true;
    {
      auto j = open_journal(std::make_shared<files_in_turn>(disk, turn, writer), turn_dir,
                            short_segments);
      for (int i = 0; i < 25; ++i) {
        written = written && append_next(*j, seed, 300) && (i % 3 != 0 || j->sync())
                  && (i % 10 != 9 || j->append_seal(root_at(j->last_seq())));
        turn.take(writer, [&] { return published = j->last_seq().value; });
      }
    }
    turn.leave(writer);
    beside.join();
    CHECK(written);
    CHECK(problem == "");
  }
}
