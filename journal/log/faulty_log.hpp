#pragma once
/// Any log behind a bad network, for tests and the simulator: by seed, requests and answers are
/// lost, requests arrive twice or late, and nothing gets through at all. What is read is never
/// wrong: no network makes a transaction of half a request.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include "journal/log/log_store.hpp"
#include "mneme/seams.hpp"

namespace mneme {

/// Each in a thousand calls.
struct log_faults {
  std::uint32_t away = 0;         ///< nothing was sent, and that is known: busy
  std::uint32_t lost_request = 0; ///< unknown, and nothing happened
  std::uint32_t lost_answer = 0;  ///< unknown, and it happened
  std::uint32_t doubled = 0;      ///< it arrived twice; the answer is that of one of the two
  std::uint32_t late = 0;         ///< unknown, and it happens before some later call, or after all
};

class faulty_log final : public log_store {
public:
  faulty_log(std::shared_ptr<log_store> inner, std::uint64_t seed, const log_faults& faults);

  /// While it is set, nothing gets through, and that is known.
  void cut_off(bool is_cut) { is_cut_ = is_cut; }
  void change(const log_faults& faults) { faults_ = faults; }
  /// What is still on its way arrives now.
  void deliver_late();

  result<void> create(std::string_view founding) override;
  result<std::string> founding() override;
  result<log_tail> tail() override;
  result<append_outcome> append(const log_point& expect, log_epoch epoch,
                                std::chrono::milliseconds ttl, const log_frame& frame) override;
  result<std::vector<log_frame>> read(std::uint64_t from, std::size_t max_frames,
                                      std::uint64_t max_bytes) override;
  result<claim_answer> claim(log_epoch newest, std::string_view holder,
                             std::chrono::milliseconds ttl) override;
  result<bool> renew(log_epoch epoch, std::chrono::milliseconds ttl) override;
  result<void> may_trim() override;
  result<void> may_erase() override;
  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override;
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override;
  result<digest> put_blob(std::string_view bytes) override;
  result<std::string> get_blob(const digest& hash) override;

private:
  enum class fate : std::uint8_t { fine, away, lost_request, lost_answer, doubled, late };

  fate draw();
  std::uint32_t below(std::uint32_t bound);
  /// One that changes something, with the fate that is drawn for it.
  template <class Answer>
  result<Answer> change_by(const std::function<result<Answer>()>& call);
  /// One that only looks: it fails or not.
  template <class Answer>
  result<Answer> look_by(const std::function<result<Answer>()>& call);

  std::shared_ptr<log_store> inner_;
  std::shared_ptr<random_source> random_;
  log_faults faults_;
  bool is_cut_ = false;
  std::deque<std::function<void()>> late_;
};

} // namespace mneme
