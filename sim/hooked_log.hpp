#pragma once
/// A connection of one engine of several to their log: each call takes time, meets the faults that
/// the engine's path has now, and lets others move before it arrives and before it is answered.

#include <functional>
#include <memory>
#include <utility>

#include "journal/log/faulty_log.hpp"

namespace mneme::sim {

/// What is between one engine and the log.
struct log_path {
  bool is_cut = false;
  log_faults faults{};
  std::function<void()> on_the_way{};         ///< called twice by each call
  std::function<bool(unsigned)> on_a_pause{}; ///< as log_store::pause()
};

class hooked_log final : public log_store {
public:
  hooked_log(std::shared_ptr<log_store> to, std::shared_ptr<const log_path> over,
             std::uint64_t seed)
      : log_(std::move(to), seed, log_faults{}), path_(std::move(over)) {}

  /// What a connection that is gone had sent may arrive all the same.
  void deliver_late() { log_.deliver_late(); }

  bool pause(unsigned again) override {
    return again == 0 || !path_->on_a_pause || path_->on_a_pause(again);
  }
  result<void> create(std::string_view founding) override {
    return on_the_way([&] { return log_.create(founding); });
  }
  result<std::string> founding() override {
    return on_the_way([&] { return log_.founding(); });
  }
  result<log_tail> tail() override {
    return on_the_way([&] { return log_.tail(); });
  }
  result<append_outcome> append(const log_point& expect, log_epoch epoch,
                                std::chrono::milliseconds ttl, const log_frame& frame) override {
    return on_the_way([&] { return log_.append(expect, epoch, ttl, frame); });
  }
  result<std::vector<log_frame>> read(std::uint64_t from, std::size_t max_frames,
                                      std::uint64_t max_bytes) override {
    return on_the_way([&] { return log_.read(from, max_frames, max_bytes); });
  }
  result<claim_answer> claim(log_epoch newest, std::string_view holder,
                             std::chrono::milliseconds ttl) override {
    return on_the_way([&] { return log_.claim(newest, holder, ttl); });
  }
  result<bool> renew(log_epoch epoch, std::chrono::milliseconds ttl) override {
    return on_the_way([&] { return log_.renew(epoch, ttl); });
  }
  result<void> may_trim() override {
    return on_the_way([&] { return log_.may_trim(); });
  }
  result<void> may_erase() override {
    return on_the_way([&] { return log_.may_erase(); });
  }
  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override {
    return on_the_way([&] { return log_.erase(seqs, epoch); });
  }
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override {
    return on_the_way([&] { return log_.trim(by, from, epoch); });
  }
  result<digest> put_blob(std::string_view bytes) override {
    return on_the_way([&] { return log_.put_blob(bytes); });
  }
  result<std::string> get_blob(const digest& hash) override {
    return on_the_way([&] { return log_.get_blob(hash); });
  }

private:
  template <class Call>
  auto on_the_way(const Call& call) -> decltype(call()) {
    if (path_->on_the_way) path_->on_the_way();
    log_.cut_off(path_->is_cut);
    log_.change(path_->faults);
    auto answer = call();
    if (path_->on_the_way) path_->on_the_way();
    return answer;
  }

  faulty_log log_;
  std::shared_ptr<const log_path> path_;
};

} // namespace mneme::sim
