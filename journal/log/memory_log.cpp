#include "journal/log/memory_log.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "messages/ensure.hpp"
#include "messages/hash.hpp"

namespace mneme {

struct memory_log_server::state {
  struct kept_frame {
    log_frame frame;
    log_epoch epoch; ///< that it was appended in
  };
  mutable std::mutex guard;
  bool is_founded = false;
  std::string founding;
  std::vector<kept_frame> frames;
  log_tail tail;
  std::chrono::milliseconds now{};
  std::chrono::milliseconds lease_end{};
  std::map<digest, std::string> blobs;
  bool has_old_reader = false;
};

namespace {

class memory_log final : public log_store {
public:
  explicit memory_log(std::shared_ptr<memory_log_server::state> server)
      : server_(std::move(server)) {}

  result<void> create(std::string_view founding) override {
    const std::lock_guard hold(server_->guard);
    if (std::exchange(server_->is_founded, true))
      return fail(errc::already_exists, "the log was founded before");
    server_->founding = founding;
    return {};
  }

  result<std::string> founding() override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    return server_->founding;
  }

  result<log_tail> tail() override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    return server_->tail;
  }

  result<append_outcome> append(const log_point& expect, log_epoch epoch,
                                std::chrono::milliseconds ttl, const log_frame& frame) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    if (server_->tail.epoch != epoch || epoch == log_epoch{}) return append_outcome::fenced;
    if (server_->tail.end != expect) return append_outcome::conflict;
    server_->frames.push_back({frame, epoch});
    server_->tail.end = {.frames = server_->frames.size(), .head = frame.hash};
    server_->tail.last_seq = frame.last_seq;
    server_->lease_end = std::max(server_->lease_end, server_->now + ttl);
    return append_outcome::appended;
  }

  result<std::vector<log_frame>> read(std::uint64_t from, std::size_t max_frames,
                                      std::uint64_t max_bytes) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    std::vector<log_frame> read;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = from; i < server_->frames.size() && read.size() < max_frames; ++i) {
      const log_frame& frame = server_->frames[i].frame;
      bytes += frame.head.size() + frame.payloads.size();
      if (bytes > max_bytes && !read.empty()) break;
      read.push_back(frame);
    }
    return read;
  }

  result<claim_answer> claim(log_epoch newest, std::string_view holder,
                             std::chrono::milliseconds ttl) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    const auto left = server_->lease_end - server_->now;
    claim_answer answer{.outcome = claim_outcome::granted,
                        .epoch = server_->tail.epoch,
                        .holder = server_->tail.holder,
                        .lease_left = std::max(left, std::chrono::milliseconds{0})};
    if (server_->tail.epoch != newest) {
      answer.outcome = claim_outcome::stale;
    } else if (left.count() > 0 && server_->tail.holder != holder) {
      answer.outcome = claim_outcome::held;
    } else {
      server_->tail.epoch = answer.epoch = newest.next();
      server_->tail.holder = answer.holder = holder;
      server_->lease_end = server_->now + ttl;
      answer.lease_left = ttl;
    }
    return answer;
  }

  result<bool> renew(log_epoch epoch, std::chrono::milliseconds ttl) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    if (server_->tail.epoch != epoch) return false;
    server_->lease_end = server_->now + ttl;
    return true;
  }

  result<void> may_erase() override { return {}; }

  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = held_by(epoch); !ok) return propagate(ok);
    for (auto& kept : server_->frames) {
      auto prefix = decode_frame_prefix(kept.frame.head);
      if (!prefix) return propagate(prefix);
      if (auto ok = erase_in_block(*prefix, kept.frame.payloads, seqs); !ok) return propagate(ok);
    }
    server_->blobs.clear();
    return server_->has_old_reader ? erase_outcome::kept : erase_outcome::done;
  }

  /// A few at once, as a log does that has many.
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override {
    constexpr std::uint64_t frames_at_once = 8;
    const std::lock_guard hold(server_->guard);
    if (auto ok = held_by(epoch); !ok) return propagate(ok);
    if (by.at > server_->tail.last_seq)
      return fail(errc::out_of_range, "a log is trimmed by an entry that it has");
    std::uint64_t at = from;
    for (; at < server_->frames.size() && at < from + frames_at_once; ++at) {
      log_frame& frame = server_->frames[at].frame;
      if (frame.last_seq >= by.trim.before) break;
      if (auto ok = drop_in_log_frame(by, frame); !ok) return propagate(ok);
    }
    return at;
  }

  result<digest> put_blob(std::string_view bytes) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    const digest hash = sha256_of(bytes);
    server_->blobs.emplace(hash, bytes);
    return hash;
  }

  result<std::string> get_blob(const digest& hash) override {
    const std::lock_guard hold(server_->guard);
    if (auto ok = founded(); !ok) return propagate(ok);
    const auto found = server_->blobs.find(hash);
    if (found == server_->blobs.end()) return fail(errc::not_found, "the log has no such blob");
    return found->second;
  }

private:
  [[nodiscard]] result<void> founded() const {
    if (server_->is_founded) return {};
    return fail(errc::not_found, "the log was never founded");
  }
  [[nodiscard]] result<void> held_by(log_epoch epoch) const {
    if (auto ok = founded(); !ok) return ok;
    if (server_->tail.epoch == epoch) return {};
    return fail(errc::version_conflict, "another leader has the log");
  }

  std::shared_ptr<memory_log_server::state> server_;
};

} // namespace

memory_log_server::memory_log_server() : state_(std::make_shared<state>()) {
}
memory_log_server::~memory_log_server() = default;

std::shared_ptr<log_store> memory_log_server::connect() {
  return std::make_shared<memory_log>(state_);
}

void memory_log_server::pass(std::chrono::milliseconds time) {
  const std::lock_guard hold(state_->guard);
  state_->now += time;
}

void memory_log_server::read_since_before(bool is_read) {
  const std::lock_guard hold(state_->guard);
  state_->has_old_reader = is_read;
}

void memory_log_server::roll_back(std::uint64_t frames) {
  const std::lock_guard hold(state_->guard);
  ensure(frames <= state_->frames.size(), "a log is rolled back to what it had");
  state_->frames.resize(frames);
  state_->tail = {};
  if (frames == 0) return;
  const auto& last = state_->frames.back();
  state_->tail.end = {.frames = frames, .head = last.frame.hash};
  state_->tail.last_seq = last.frame.last_seq;
  state_->tail.epoch = last.epoch;
}

log_epoch memory_log_server::epoch_of(seq_no seq) const {
  const std::lock_guard hold(state_->guard);
  const auto has = std::ranges::lower_bound(
      state_->frames, seq, {}, [](const state::kept_frame& kept) { return kept.frame.last_seq; });
  ensure(has != state_->frames.end(), "the log has the entry");
  return has->epoch;
}

std::string memory_log_server::everything() const {
  const std::lock_guard hold(state_->guard);
  std::string all;
  for (const auto& kept : state_->frames) all += kept.frame.payloads;
  for (const auto& [hash, bytes] : state_->blobs) all += bytes;
  return all;
}

} // namespace mneme
