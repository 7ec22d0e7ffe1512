#include "journal/log/faulty_log.hpp"

#include <array>
#include <utility>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

std::unexpected<error> no_answer() {
  return fail(errc::outcome_unknown, "the log did not answer");
}

std::unexpected<error> not_reached() {
  return fail(errc::busy, "the log cannot be reached");
}

} // namespace

faulty_log::faulty_log(std::shared_ptr<log_store> inner, std::uint64_t seed,
                       const log_faults& faults)
    : inner_(std::move(inner)), random_(make_seeded_random(seed, 0)), faults_(faults) {
}

std::uint32_t faulty_log::below(std::uint32_t bound) {
  ensure(bound > 0, "a number is drawn below something");
  std::array<std::uint8_t, 4> raw{};
  random_->fill(raw);
  std::uint32_t drawn = 0;
  for (const std::uint8_t byte : raw) drawn = drawn << 8 | byte;
  return drawn % bound;
}

faulty_log::fate faulty_log::draw() {
  if (is_cut_) return fate::away;
  std::uint32_t at = below(1000);
  const std::array<std::pair<std::uint32_t, fate>, 5> all{
      {{faults_.away, fate::away},
       {faults_.lost_request, fate::lost_request},
       {faults_.lost_answer, fate::lost_answer},
       {faults_.doubled, fate::doubled},
       {faults_.late, fate::late}}};
  for (const auto& [in_thousand, what] : all) {
    if (at < in_thousand) return what;
    at -= in_thousand;
  }
  return fate::fine;
}

void faulty_log::deliver_late() {
  for (const auto& call : std::exchange(late_, {})) call();
}

template <class Answer>
result<Answer> faulty_log::change_by(const std::function<result<Answer>()>& call) {
  if (!late_.empty() && below(2) == 0) {
    late_.front()();
    late_.pop_front();
  }
  switch (draw()) {
  case fate::fine:
    return call();
  case fate::away:
    return not_reached();
  case fate::lost_request:
    return no_answer();
  case fate::lost_answer:
    (void)call();
    return no_answer();
  case fate::doubled: {
    auto first = call();
    auto second = call();
    return below(2) == 0 ? std::move(first) : std::move(second);
  }
  case fate::late:
    late_.emplace_back([call] { (void)call(); });
    return no_answer();
  }
  return not_reached();
}

template <class Answer>
result<Answer> faulty_log::look_by(const std::function<result<Answer>()>& call) {
  if (!late_.empty() && below(4) == 0) {
    late_.front()();
    late_.pop_front();
  }
  const fate drawn = draw();
  if (drawn == fate::fine || drawn == fate::doubled) return call();
  return not_reached();
}

result<void> faulty_log::create(std::string_view founding) {
  return change_by<void>(
      [inner = inner_, founding = std::string(founding)] { return inner->create(founding); });
}

result<std::string> faulty_log::founding() {
  return look_by<std::string>([this] { return inner_->founding(); });
}

result<log_tail> faulty_log::tail() {
  return look_by<log_tail>([this] { return inner_->tail(); });
}

result<append_outcome> faulty_log::append(const log_point& expect, log_epoch epoch,
                                          std::chrono::milliseconds ttl, const log_frame& frame) {
  auto outcome = change_by<append_outcome>([inner = inner_, expect, epoch, ttl, frame] {
    return inner->append(expect, epoch, ttl, frame);
  });
  if (!outcome && outcome.error().code == errc::outcome_unknown) return append_outcome::unknown;
  return outcome;
}

result<std::vector<log_frame>> faulty_log::read(std::uint64_t from, std::size_t max_frames,
                                                std::uint64_t max_bytes) {
  return look_by<std::vector<log_frame>>([&] { return inner_->read(from, max_frames, max_bytes); });
}

result<claim_answer> faulty_log::claim(log_epoch newest, std::string_view holder,
                                       std::chrono::milliseconds ttl) {
  return change_by<claim_answer>([inner = inner_, newest, holder = std::string(holder), ttl] {
    return inner->claim(newest, holder, ttl);
  });
}

result<bool> faulty_log::renew(log_epoch epoch, std::chrono::milliseconds ttl) {
  return change_by<bool>([inner = inner_, epoch, ttl] { return inner->renew(epoch, ttl); });
}

result<void> faulty_log::may_trim() {
  return look_by<void>([this] { return inner_->may_trim(); });
}

result<void> faulty_log::may_erase() {
  return look_by<void>([this] { return inner_->may_erase(); });
}

result<erase_outcome> faulty_log::erase(std::span<const seq_no> seqs, log_epoch epoch) {
  return change_by<erase_outcome>([inner = inner_,
                                   seqs = std::vector<seq_no>(seqs.begin(), seqs.end()),
                                   epoch] { return inner->erase(seqs, epoch); });
}

result<std::uint64_t> faulty_log::trim(const journaled_trim& by, std::uint64_t from,
                                       log_epoch epoch) {
  return change_by<std::uint64_t>(
      [inner = inner_, by, from, epoch] { return inner->trim(by, from, epoch); });
}

result<digest> faulty_log::put_blob(std::string_view bytes) {
  return change_by<digest>(
      [inner = inner_, bytes = std::string(bytes)] { return inner->put_blob(bytes); });
}

result<std::string> faulty_log::get_blob(const digest& hash) {
  return look_by<std::string>([&] { return inner_->get_blob(hash); });
}

} // namespace mneme
