#include "sim/session.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "sim/check_journal.hpp"
#include "sim/check_reply.hpp"
#include "sim/check_state.hpp"
#include "sim/workload.hpp"

namespace mneme::sim {

namespace {

constexpr timestamp end_time{8'000'000'000'000'000'000}; // in 2223, some way before time ends

} // namespace

session::session(run_options options, profile how, std::string name, evidence known)
    : options_(std::move(options)),
      how_(std::move(how)),
      name_(std::move(name)),
      schedule_(options_.seed, name_ + "schedule"),
      time_(options_.seed, name_ + "time"),
      log_(options_.keep_log),
      known_(std::move(known)),
      clock_(known_.clock) {
}

check_result session::take_turn() {
  if (time_.one_in(how_.clock_moves_one_in)) {
    move_clock();
    machine_->scheduler().fire_timers();
  }
  std::vector<std::size_t> idle;
  std::vector<std::size_t> answered;
  look_at_clients(idle, answered);
  const std::uint64_t deliver = machine_->scheduler().has_job() ? how_.deliver_weight : 0;
  const std::uint64_t issue = idle.empty() ? 0 : 4;
  const std::uint64_t collect = answered.empty() ? 0 : 6;
  if (deliver + issue + collect == 0) return stuck();
  const std::uint64_t point = schedule_.below(deliver + issue + collect);
  if (point < deliver) {
    machine_->scheduler().run_one(step_);
    return {};
  }
  if (point < deliver + issue) {
    issue_request(schedule_.pick(idle));
    return {};
  }
  return collect_answer(schedule_.pick(answered));
}

void session::look_at_clients(std::vector<std::size_t>& idle, std::vector<std::size_t>& answered) {
  auto& clients = machine_->clients();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    if (clients[i]->is_idle()) idle.push_back(i);
    if (clients[i]->has_answer()) answered.push_back(i);
  }
}

std::unexpected<wrong_answer> session::stuck() {
  return wrong("progress", "somebody waits for an answer, and no message is under way");
}

void session::move_clock() {
  constexpr std::array<std::int64_t, 5> spans_ns = {1, 1'000'000, 1'000'000'000, 3'600'000'000'000,
                                                    864'000'000'000'000};
  const std::int64_t unit = time_.pick(spans_ns);
  const std::int64_t span = unit * time_.between(1, 9);
  const bool back = how_.clock_may_go_back && time_.one_in(4);
  const std::int64_t now = clock_->now().ns;
  clock_->set({back ? std::max(start_time.ns / 2, now - span) : std::min(end_time.ns, now + span)});
  log_.add(step_, "clock", static_cast<std::uint64_t>(clock_->now().ns), 0);
}

void session::issue_request(std::size_t client) {
  const std::uint64_t number = ++issued_;
  const std::string name = fmt::format("{}{}", name_, number);
  if (!is_wanted(name)) return;
  random_stream draw(options_.seed, fmt::format("{}operation {}", name_, number));
  planned_request planned = workload(how_, draw, known_.truth).next(clock_->now());
  if (is_left_out(planned.request)) return;
  operation op;
  op.number = number;
  op.request = std::move(planned.request);
  stamp(op.request, number);
  op.expected_error = planned.expected_error;
  op.published_at_send = machine_->state()->published_seq();
  op.clock_mark = clock_->mark();
  op.begins = known_.begins;
  const std::string text = describe(op.request);
  report_.plan.push_back(fmt::format("{}: {}", name, text));
  log_.add(step_, "ask", fmt::format("{} client {} {}", number, client, text));
  machine_->clients()[client]->ask(machine_->engine(), op.request);
  asked_[client] = number;
  known_.operations.emplace(number, std::move(op));
  ++report_.operations;
}

check_result session::collect_answer(std::size_t client) {
  operation& op = known_.operations.at(asked_.at(client));
  const auto answer = machine_->clients()[client]->collect();
  asked_.erase(client);
  const auto w = machine_->state();
  if (w == nullptr) return wrong("progress", "the engine is gone");
  const seq_no published = w->published_seq();
  ++report_.answers;
  if (!answer) ++report_.errors;
  log_.add(step_, "answer",
           fmt::format("{} {} at {}", op.number,
                       answer ? std::string("ok") : std::string(to_string(answer.error().code)),
                       published.value));
  if (auto ok = check_visible(answer, published); !ok) return ok;
  if (auto ok = follow(published); !ok) return ok;
  return check_reply(known_, op, answer, published);
}

/// Lets everything under way end.
check_result session::settle() {
  for (std::uint64_t i = 0; i < steps_to_settle; ++i) {
    std::vector<std::size_t> idle;
    std::vector<std::size_t> answered;
    look_at_clients(idle, answered);
    if (!answered.empty()) {
      if (auto ok = collect_answer(answered.front()); !ok) return ok;
    } else if (machine_->scheduler().has_job()) {
      machine_->scheduler().run_one(step_);
    } else {
      return idle.size() == machine_->clients().size() ? no_stray_messages() : stuck();
    }
  }
  return wrong("progress", fmt::format("nothing new was asked, and yet {} messages were not "
                                       "enough to end it",
                                       steps_to_settle));
}

/// However often the embedder failed: when it works, every content gets its vector.
check_result session::wait_for_vectors() {
  machine_->remote()->heal();
  for (int tries = 0; tries < 10'000; ++tries) {
    if (auto ok = settle(); !ok) return ok;
    if (auto ok = follow(machine_->state()->published_seq()); !ok) return ok;
    if (known_.truth.without_vector().empty()) return {};
    machine_->scheduler().fire_timers();
  }
  return wrong("late vectors",
               to_string(known_.truth.without_vector().front()) + " never gets its vector");
}

check_result session::no_stray_messages() {
  for (auto& client : machine_->clients())
    if (client->has_stray_message())
      return wrong("exactly once", "a client got an answer to nothing");
  return {};
}

check_result session::check_world() {
  const auto w = machine_->state();
  if (auto ok = follow(w->published_seq()); !ok) return ok;
  if (auto ok = check_state(known_, *w); !ok) return ok;
  if (auto ok = check_both_ends(known_, *w); !ok) return ok;
  if (auto ok = check_roots(known_, *w); !ok) return ok;
  return check_replay(known_, *w);
}

check_result session::follow(seq_no published) {
  return follow_journal(known_, *machine_->state()->files, published);
}

} // namespace mneme::sim
