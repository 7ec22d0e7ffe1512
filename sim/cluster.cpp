#include "sim/cluster.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "journal/frame.hpp"
#include "messages/ensure.hpp"
#include "sim/cluster_evidence.hpp"
#include "sim/session.hpp"
#include "state/retention/planned_trim.hpp"

namespace mneme::sim {

namespace {

constexpr std::int64_t lease_ms = 2000;

engine_setup setup_of(std::uint64_t seed) {
  random_stream draw(seed, "cluster setup");
  engine_setup setup;
  setup.seed = seed;
  setup.embedder = draw.one_in(2) ? "none" : "hash:16";
  setup.mode = draw.one_in(3) ? commit_mode::per_request : commit_mode::grouped;
  setup.readers = 1;
  setup.clients = 1 + draw.below(3);
  setup.segment_bytes = draw.pick(std::array<std::uint64_t, 3>{2 << 10, 8 << 10, 64 << 10});
  setup.extend_bytes = draw.pick(std::array<std::uint64_t, 2>{512, 8 << 10});
  setup.checkpoint_journal_bytes = draw.pick(std::array<std::uint64_t, 3>{0, 4 << 10, 32 << 10});
  setup.entries_applied_here = draw.pick(std::array<std::size_t, 2>{1, 8});
  return setup;
}

class cluster {
public:
  explicit cluster(const cluster_options& options)
      : options_(options),
        schedule_(options.seed, "cluster schedule"),
        faults_(options.seed, "cluster faults"),
        draw_(options.seed, "cluster operations"),
        messages_(options.seed, "cluster messages"),
        trims_(options.seed, "cluster trims"),
        log_(options.keep_log),
        known_(site_) {
    site_.seed = options.seed;
    site_.setup = setup_of(options.seed);
    site_.setup.bugs.reply_before_publish = options.reply_before_publish;
    const world_options w = world_options_of(site_.setup, disk{});
    site_.founding = w.fresh;
    const auto founded = site_.server.connect()->create(encode(w.fresh));
    ensure(founded.has_value(), "a log in memory is founded");
    random_stream kinds(options.seed, "cluster kinds");
    constexpr std::array<std::string_view, 7> names = {"one",  "two", "three", "four",
                                                       "five", "six", "seven"};
    ensure(options.engines >= 2 && options.engines <= names.size(), "two to seven engines");
    for (std::size_t i = 0; i < options.engines; ++i) {
      const bool may_lead = i < 2 || kinds.percent(60);
      const auto kind = may_lead            ? node_kind::may_lead
                        : kinds.percent(60) ? node_kind::follows
                                            : node_kind::only_leads;
      nodes_.push_back(
          std::make_unique<cluster_node>(site_, std::string(names[i]), kind, messages_, log_));
    }
    is_gentle_ = kinds.one_in(4);
    next_fault_ = faults_.below(60);
  }

  cluster_report run() {
    check_result ok;
    while (ok && step_ < options_.steps) {
      ++step_;
      ok = turn();
    }
    if (ok) ok = settle();
    if (ok) ok = check_end();
    if (ok) ok = be_wrong();
    if (!ok) {
      report_.failure = ok.error();
      report_.failed_at_step = step_;
    }
    report_.epochs = known_.epochs();
    report_.log_digest = log_.digest();
    report_.log = log_.lines();
    return std::move(report_);
  }

private:
  // --- one turn -------------------------------------------------------------

  check_result turn() {
    pass(static_cast<std::int64_t>(schedule_.below(12)));
    if (!is_settling_ && step_ >= next_fault_) strike();
    const auto movable = free_nodes();
    if (movable.empty()) {
      pass(50);
      return {};
    }
    if (auto ok = move(*schedule_.pick(movable)); !ok) return ok;
    return std::exchange(problem_, check_result{});
  }

  void pass(std::int64_t ms) {
    site_.now_ms += ms;
    site_.server.pass(std::chrono::milliseconds{ms});
  }

  std::vector<cluster_node*> free_nodes() {
    std::vector<cluster_node*> free;
    for (const auto& node : nodes_)
      if (!node->is_moving && node->paused_until <= site_.now_ms
          && (node->is_up() || node->down_until <= site_.now_ms))
        free.push_back(node.get());
    return free;
  }

  /// A step of one engine. What it asks the log lets others move meanwhile.
  check_result move(cluster_node& node) {
    node.is_moving = true;
    auto ok = move_alone(node);
    node.is_moving = false;
    if (ok && node.is_up()) ok = look_at(node);
    return ok;
  }

  check_result move_alone(cluster_node& node) {
    if (!node.is_up()) return start(node);
    const auto at = node.clock().now().ns;
    const std::int64_t now_ms = site_.now_ms + site_.ahead_ms;
    node.clock().set({std::max(at, start_time.ns + now_ms * 1'000'000)});
    if (node.trimming != nullptr && *node.trimming)
      if (auto ok = take_trim_answer(node); !ok) return ok;
    if (schedule_.one_in(40)) node.runs().scheduler().fire_timers();
    std::vector<std::size_t> idle;
    std::vector<std::size_t> answered;
    auto& clients = node.runs().clients();
    for (std::size_t i = 0; i < clients.size(); ++i) {
      if (clients[i]->is_idle()) idle.push_back(i);
      if (clients[i]->has_answer()) answered.push_back(i);
    }
    const std::uint64_t part = node.takes_part_now() ? 6 : 0;
    const std::uint64_t deliver = node.runs().scheduler().has_job() ? 20 : 0;
    const std::uint64_t issue = idle.empty() || is_settling_ ? 0 : (node.leads() ? 4 : 1);
    const std::uint64_t collect = answered.empty() ? 0 : 8;
    const std::uint64_t whole = part + deliver + issue + collect;
    if (whole == 0) return {};
    const std::uint64_t point = schedule_.below(whole);
    if (point < part) {
      log_.add(step_, "part", node.name());
      node.take_part();
      return after_part(node);
    }
    if (point < part + deliver) {
      node.runs().scheduler().run_one(step_);
      return {};
    }
    if (point < part + deliver + issue) {
      if (node.leads() && depth_ == 0 && node.trimming == nullptr && trims_.one_in(12)) trim(node);
      return issue_write(node, schedule_.pick(idle));
    }
    return collect_answer(node, schedule_.pick(answered));
  }

  check_result after_part(cluster_node& node) {
    if (!node.is_done() || !node.halted().empty()) return {};
    // Another has led since: who only leads is started again, and may be the next.
    if (node.kind() != node_kind::only_leads)
      return wrong("halt", node.name() + " takes part no more, and does not say why");
    if (schedule_.one_in(4)) stop(node, {}, 500);
    return {};
  }

  check_result start(cluster_node& node) {
    node.path().on_the_way = [this] { on_the_way(); };
    node.path().on_a_pause = [this](unsigned again) { return on_a_pause(again); };
    log_.add(step_, "start", node.name());
    const auto started = node.start();
    if (started) return {};
    log_.add(step_, "does not start", to_string(started.error().code));
    node.down_until = site_.now_ms + 100 + static_cast<std::int64_t>(faults_.below(400));
    if (started.error().code == errc::busy || started.error().code == errc::outcome_unknown)
      return {};
    if (is_wrong_ && started.error().code == errc::corrupt) {
      node.down_until = never;
      ++report_.halted;
      return {};
    }
    return wrong("recovery", node.name() + " does not open: " + started.error().message);
  }

  /// Before a call arrives at the log, and before it is answered.
  void on_the_way() {
    if (auto ok = known_.look_at_log(); !ok && problem_) problem_ = ok;
    const bool is_slow = !is_settling_ && faults_.one_in(is_gentle_ ? 400 : 60);
    pass(static_cast<std::int64_t>(is_slow ? faults_.below(2 * lease_ms) : faults_.below(4)));
    constexpr int deepest = 2;
    if (depth_ >= deepest || !schedule_.one_in(3)) return;
    ++depth_;
    for (auto moves = 1 + schedule_.below(is_slow ? 60 : 6); moves > 0 && problem_; --moves) {
      const auto others = free_nodes();
      if (others.empty()) break;
      if (auto ok = move(*schedule_.pick(others)); !ok) problem_ = ok;
    }
    --depth_;
    if (auto ok = known_.look_at_log(); !ok && problem_) problem_ = ok;
  }

  /// Who asks again waits, and gives up after some time.
  bool on_a_pause(unsigned again) {
    pass(25 << std::min(again, 5U));
    on_the_way();
    return is_settling_ || !schedule_.one_in(is_gentle_ ? 20 : 3);
  }

  check_result look_at(cluster_node& node) {
    if (auto ok = known_.check_roots(node); !ok) return ok;
    const std::string stopped = node.state().stopped.get();
    if (stopped.empty() || is_wrong_) return {};
    // It was away for longer than a trim leaves anybody what it drops.
    if (stopped.contains("open it again")) {
      log_.add(step_, "lacks what was trimmed", node.name());
      stop(node, {}, 500);
      return {};
    }
    return wrong("halt", fmt::format("{} has stopped: {}", node.name(), stopped));
  }

  // --- what is asked --------------------------------------------------------

  check_result issue_write(cluster_node& node, std::size_t client) {
    const std::uint64_t number = ++report_.operations;
    cluster_write write{.text = fmt::format("statement {} of {}.", number, options_.seed),
                        .by = node.holder()};
    auto& asks = *node.runs().clients()[client];
    const std::uint64_t kind = draw_.below(20);
    const auto* earlier = kind >= 12 && kind < 18 ? some_kept() : nullptr;
    if (kind == 19) {
      asks.ask(node.runs().engine(), checkpoint_message{});
      write.text.clear();
    } else if (kind == 18) {
      find_request use;
      use.types = {memory_type::note};
      use.limit = 5;
      use.late_binding = true;
      write.text.clear();
      asks.ask(node.runs().engine(), find_message{use});
    } else if (earlier != nullptr && kind == 17) {
      erase_request r;
      r.ids = {*earlier->id};
      r.reason = "asked for";
      r.by = "eraser";
      erasing_[number] = earlier->text;
      log_.add(step_, "erase", earlier->text);
      write.text.clear();
      asks.ask_to_erase(node.runs().engine(), r);
    } else {
      request_message request;
      const auto how = draw_.one_in(5) ? durability::relaxed : durability::durable;
      if (earlier != nullptr) {
        update_request u;
        u.uri = {.type = memory_type::note, .id = *earlier->id, .version = 1};
        u.data["statement"] = write.text;
        request = apply_message{.request = std::move(u), .durability = how};
      } else {
        write_request w;
        w.type = memory_type::note;
        w.data["statement"] = write.text;
        w.actor = draw_.one_in(2) ? "" : "ann";
        request = apply_message{.request = std::move(w), .durability = how};
      }
      stamp(request, number);
      asks.ask(node.runs().engine(), request);
    }
    log_.add(step_, "ask", fmt::format("{} {} {}", node.name(), number, write.text));
    node.asked[client] = number;
    known_.writes.emplace(number, std::move(write));
    return {};
  }

  // --- trims ----------------------------------------------------------------

  /// What is a minute old goes from the log, too: the engines' clocks are set forward for some,
  /// while nobody is in the middle of anything.
  void trim(cluster_node& node) {
    trim_options o;
    o.reason = "simulated";
    o.by = "trimmer";
    const seq_no last = node.state().published_seq();
    if (last.value < 2) return;
    if (trims_.percent(70)) o.before = seq_no{1 + trims_.below(last.value + 1)};
    o.versions = trims_.percent(80);
    memory_file_system beside(node.files().files->image());
    planned_trim planned(beside, std::string(world_directory), site_.founding.id, o, last);
    if (!planned.look()) return; // below one of before, say
    const trim_report report = planned.report();
    if (report.dropped == 0) return;
    log_.add(step_, "trim", fmt::format("{} before {}", node.name(), report.before.value));
    constexpr std::int64_t more_than_a_minute = 70'000;
    is_out_of_log_[node.name()] = trims_.one_in(2);
    if (is_out_of_log_[node.name()]) site_.ahead_ms += more_than_a_minute;
    node.clock().set({std::max(node.clock().now().ns,
                               start_time.ns + (site_.now_ms + site_.ahead_ms) * 1'000'000)});
    trimmed_in_[node.name()] = node.standing().epoch();
    node.trimming = std::make_shared<std::optional<result<trim_end>>>();
    node.runs().tell(
        trim_command{.payload = planned.payload(),
                     .planned_at = last,
                     .reply = [to = node.trimming](result<trim_end> r) { *to = std::move(r); }});
  }

  check_result take_trim_answer(cluster_node& node) {
    const auto answered = std::exchange(node.trimming, nullptr);
    const result<trim_end>& done = **answered;
    log_.add(step_, "answer", done ? "trimmed" : std::string(to_string(done.error().code)));
    if (done) {
      ++report_.trims;
      cluster_write trim{.text = {}, .by = node.holder()};
      // Where another has led since, what is left in the log is his next trim's.
      const auto tail = site_.server.connect()->tail();
      if (is_out_of_log_[node.name()] && tail->epoch == trimmed_in_[node.name()])
        known_.trims.insert(done->at);
      return known_.acknowledged(trim, done->at);
    }
    const errc why = done.error().code;
    if (why == errc::busy || why == errc::read_only || why == errc::version_conflict
        || why == errc::outcome_unknown || is_wrong_)
      return {};
    return wrong("trim", node.name() + " trims nothing: " + done.error().message);
  }

  const cluster_write* some_kept() {
    std::vector<const cluster_write*> kept;
    for (const auto& [number, write] : known_.writes)
      if (write.is == promise::kept && write.id && number + 60 > report_.operations)
        kept.push_back(&write);
    return kept.empty() ? nullptr : draw_.pick(kept);
  }

  check_result collect_answer(cluster_node& node, std::size_t client) {
    const std::uint64_t number = node.asked.at(client);
    node.asked.erase(client);
    cluster_write& write = known_.writes.at(number);
    const auto answer = node.runs().clients()[client]->collect();
    log_.add(step_, "answer",
             fmt::format("{} {} {}", node.name(), number,
                         answer ? std::string("ok") : std::string(to_string(answer.error().code))));
    if (!answer) return refused(node, number, write, answer.error());
    if (const auto* done = std::get_if<erase_result>(&*answer)) {
      ++report_.acknowledged;
      // Else it was erased before, and that it is still gone is what is answered.
      if (!done->changed) return {};
      known_.erased.insert(erasing_.at(number));
      return known_.acknowledged(write, done->seq);
    }
    const auto* done = std::get_if<mutation_result>(&*answer);
    if (done == nullptr) return {}; // a checkpoint
    ++report_.acknowledged;
    if (done->uri && !write.text.empty() && done->uri->version == 1) write.id = done->uri->id;
    return known_.acknowledged(write, done->seq);
  }

  check_result refused(const cluster_node& node, std::uint64_t number, cluster_write& write,
                       const error& why) {
    if (why.code == errc::outcome_unknown) {
      ++report_.unknown;
      return {};
    }
    ++report_.refused;
    // Of a memory that was erased or deleted since it was chosen.
    const bool is_of_memory = why.code == errc::not_found || why.code == errc::erased
                              || why.code == errc::version_conflict;
    // Of a question that a trim has overtaken.
    const bool is_of_trim = write.text.empty() && why.code == errc::seq_unavailable;
    const bool is_of_log = why.code == errc::busy || why.code == errc::read_only;
    write.is = promise::refused;
    if (is_of_memory || is_of_trim || is_of_log || is_wrong_) return {};
    return wrong("refused", fmt::format("{} answers write {} with {}: {}", node.name(), number,
                                        to_string(why.code), why.message));
  }

  // --- faults ---------------------------------------------------------------

  void strike() {
    next_fault_ = step_ + 1 + faults_.below(is_gentle_ ? 600 : 160);
    cluster_node& node = *faults_.pick(nodes_);
    const auto soon = static_cast<std::int64_t>(faults_.below(4 * lease_ms));
    const std::uint64_t kind = faults_.below(10);
    log_.add(step_, "fault", fmt::format("{} {}", node.name(), kind));
    if (kind < 2) {
      node.path().is_cut = !node.path().is_cut;
    } else if (kind < 4) {
      node.path().faults = some_faults();
    } else if (kind == 4) {
      node.path().is_cut = false;
      node.path().faults = {};
    } else if (kind == 5) {
      node.paused_until = site_.now_ms + soon;
    } else if (kind == 6) {
      node.deliver_late();
    } else if (kind == 7) {
      pass(soon);
    } else if (!node.is_moving && node.is_up()) {
      const bool is_killed = faults_.one_in(3);
      stop(node,
           is_killed ? std::nullopt
                     : std::optional(faults_.one_in(2) ? crash_mode::drop : crash_mode::random),
           soon);
      if (faults_.one_in(5)) node.lose_disk();
    }
  }

  log_faults some_faults() {
    const auto some = [&] {
      const std::uint64_t most = faults_.one_in(5) ? 600 : 150;
      return faults_.one_in(2) ? 0 : static_cast<std::uint32_t>(faults_.below(most));
    };
    log_faults f;
    f.away = some();
    f.lost_request = some();
    f.lost_answer = some();
    f.doubled = some();
    f.late = some();
    return f;
  }

  void stop(cluster_node& node, std::optional<crash_mode> mode, std::int64_t for_ms) {
    ++report_.crashes;
    node.crash(mode, faults_.next());
    node.down_until = site_.now_ms + for_ms;
  }

  // --- the end --------------------------------------------------------------

  void heal() {
    for (const auto& node : nodes_) {
      node->path().is_cut = false;
      node->path().faults = {};
      node->paused_until = 0;
      if (node->down_until != never) node->down_until = 0;
      node->deliver_late();
    }
  }

  [[nodiscard]] bool is_quiet(cluster_node& node) const {
    return node.is_up() && !node.runs().scheduler().has_job() && node.asked.empty();
  }

  /// When nothing fails any more one leads, and all have all that there is.
  check_result settle() {
    is_settling_ = true;
    heal();
    constexpr std::uint64_t most = 200'000;
    for (std::uint64_t i = 0; i < most; ++i) {
      if (auto ok = turn(); !ok) return ok;
      if (i % 32 == 0 && is_settled()) return {};
    }
    std::string where;
    for (const auto& node : nodes_)
      where += fmt::format("; {} {}", node->name(),
                           !node->is_up()  ? "is down"
                           : node->leads() ? fmt::format("leads at {}", node->seen.value)
                                           : fmt::format("is at {}", node->seen.value));
    return wrong("progress", "nothing fails any more, and yet not all have all" + where);
  }

  bool is_settled() {
    const auto tail = site_.server.connect()->tail();
    std::size_t leaders = 0;
    for (const auto& node : nodes_) {
      // Another leads: it is down, or shows what it had.
      if (node->kind() == node_kind::only_leads && !node->leads()) {
        if (node->is_up() && !is_quiet(*node)) return false;
        continue;
      }
      if (!is_quiet(*node) || node->state().published_seq() != tail->last_seq) return false;
      // A seal has no seq.
      if (node->state().journal->last_frame() != tail->end.head) return false;
      if (node->leads() && node->holder() == tail->holder) ++leaders;
    }
    return leaders == 1 && tail->end.frames > 0;
  }

  check_result check_end() {
    if (auto ok = known_.check_log(); !ok) return ok;
    std::string root;
    for (const auto& node : nodes_) {
      if (!node->is_up()) continue;
      const bool is_whole = node->kind() != node_kind::only_leads || node->leads();
      const root_set now = node->state().published_roots();
      if (is_whole && root.empty()) root = to_hex(now.overall);
      if (is_whole && root != to_hex(now.overall))
        return wrong("roots", node->name() + " ends with another root");
      if (is_whole)
        if (auto ok = known_.check_erased(*node); !ok) return ok;
      if (is_whole)
        if (auto ok = known_.check_trimmed(*node); !ok) return ok;
      if (is_whole) report_.last = now.seq.value;
    }
    report_.root = root;
    return check_found();
  }

  /// All copies answer alike.
  check_result check_found() {
    std::optional<std::vector<std::string>> all;
    for (const auto& node : nodes_) {
      if (!node->is_up() || (node->kind() == node_kind::only_leads && !node->leads())) continue;
      find_request find;
      find.types = {memory_type::note};
      find.limit = 10'000;
      auto& client = *node->runs().clients().front();
      client.ask(node->runs().engine(), find_message{find});
      for (std::uint64_t i = 0; !client.has_answer(); ++i) {
        if (!node->runs().scheduler().has_job() || i == steps_to_settle)
          return wrong("progress", node->name() + " answers no question");
        node->runs().scheduler().run_one(i);
      }
      const auto answer = client.collect();
      if (!answer) return wrong("found", answer.error().message);
      std::vector<std::string> found;
      for (const auto& m : std::get<find_reply>(*answer)->memories)
        found.push_back(fmt::format("{} {}", std::get<std::string>(m.version->data.at("statement")),
                                    m.activation.access_count));
      std::ranges::sort(found);
      if (!all) all = found;
      if (*all != found)
        return wrong("found", fmt::format("{} finds {} notes, and others {}", node->name(),
                                          found.size(), all->size()));
    }
    return {};
  }

  // --- a log that is not what it was ------------------------------------------

  /// Of some seeds: rolled back, or with a frame of somebody who has another state.
  check_result be_wrong() {
    const std::uint64_t kind = options_.seed % 4;
    if (kind > 1) return {};
    is_wrong_ = true;
    return kind == 0 ? roll_back() : forge();
  }

  check_result go_on(std::uint64_t turns) {
    for (; turns > 0; --turns)
      if (auto ok = turn(); !ok) return ok;
    return {};
  }

  check_result forge() {
    const auto log = site_.server.connect();
    const auto tail = *log->tail();
    digest other;
    other.bytes.fill(7);
    const auto seal =
        encode_frame({}, tail.last_seq.next(), true, tail.end.head, other, tail.last_seq);
    const auto appended = log->append(tail.end, tail.epoch, std::chrono::milliseconds{lease_ms},
                                      *split_frame(seal.bytes));
    ensure(appended && *appended == append_outcome::appended, "a log in memory takes a frame");
    if (auto ok = go_on(8'000); !ok) return ok;
    const std::string root = report_.root;
    for (const auto& node : nodes_) {
      if (!node->is_up() || node->kind() == node_kind::only_leads || node->leads()) continue;
      const std::string why = node->halted();
      if (!why.contains(root) || !why.contains(to_hex(other)) || !why.contains("at seq "))
        return wrong("halt", fmt::format("{} does not name both roots: '{}'", node->name(), why));
      ++report_.halted;
    }
    return {};
  }

  check_result roll_back() {
    const auto log = site_.server.connect();
    const log_point end = log->tail()->end;
    const std::uint64_t by = 1 + faults_.below(std::min<std::uint64_t>(end.frames, 5));
    site_.server.roll_back(end.frames - by);
    known_.forget_behind(log->tail()->last_seq);
    pass(2 * lease_ms);
    if (auto ok = go_on(8'000); !ok) return ok;
    // A seal is made of what stands before it. Where nothing but one was lost, who leads next
    // without ever having had it makes the same again, byte for byte. Who looked in between has
    // halted; who looks only then has what the log has, lacks nothing, and is right to go on.
    const bool is_whole_again = log->tail()->end == end;
    for (const auto& node : nodes_) {
      if (!node->is_up() || node->kind() == node_kind::only_leads || node->leads()) continue;
      const std::string why = node->halted();
      if (why.empty() && is_whole_again) continue;
      if (why.empty())
        return wrong("halt", node->name() + " goes on with a log that was rolled back");
      if (!why.contains("rolled back"))
        return wrong("halt", fmt::format("{} halts for another reason: {}", node->name(), why));
      ++report_.halted;
    }
    return {};
  }

  static constexpr std::int64_t never = std::int64_t{1} << 60;

  cluster_options options_;
  cluster_site site_{};
  random_stream schedule_;
  random_stream faults_;
  random_stream draw_;
  random_stream messages_;
  random_stream trims_;
  step_log log_;
  cluster_evidence known_;
  std::vector<std::unique_ptr<cluster_node>> nodes_;
  std::map<std::uint64_t, std::string> erasing_; ///< texts, by number
  std::map<std::string, bool> is_out_of_log_;    ///< what the newest trim of a node drops
  std::map<std::string, log_epoch> trimmed_in_;  ///< the same
  cluster_report report_;
  check_result problem_; ///< of a move inside another one
  std::uint64_t step_ = 0;
  std::uint64_t next_fault_ = 0;
  int depth_ = 0;
  bool is_gentle_ = false;
  bool is_settling_ = false;
  bool is_wrong_ = false;
};

} // namespace

cluster_report simulate_cluster(const cluster_options& options) {
  return cluster(options).run();
}

} // namespace mneme::sim
