#include "tests/journal/log/log_rules.hpp"

#include "tests/journal/journal_site.hpp"

namespace mneme::testing {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds lease{400};

/// Its value; what failed is told.
template <class Value>
Value got(result<Value> answer) {
  INFO((answer ? std::string() : answer.error().message));
  REQUIRE(answer.has_value());
  return std::move(*answer);
}
void done(const auto& answer) {
  INFO((answer ? std::string() : answer.error().message));
  REQUIRE(answer.has_value());
}
template <class Value>
void refused(const result<Value>& answer, errc code) {
  REQUIRE_FALSE(answer.has_value());
  INFO(answer.error().message);
  CHECK(to_string(answer.error().code) == to_string(code));
}

log_epoch taken(log_store& log, const std::string& holder) {
  const auto answer = got(log.claim(got(log.tail()).epoch, holder, lease));
  REQUIRE(answer.outcome == claim_outcome::granted);
  return answer.epoch;
}

/// Appended behind the tail.
log_frame appended(log_store& log, log_epoch epoch, const std::vector<std::string>& payloads) {
  const auto tail = got(log.tail());
  auto frame = frame_behind(tail, payloads);
  CHECK(got(log.append(tail.end, epoch, lease, frame)) == append_outcome::appended);
  return frame;
}

std::vector<log_frame> everything(log_store& log) {
  return got(log.read(0, 1000, 1ULL << 30));
}

void is_founded_once(log_site& site) {
  auto log = site.connect();
  refused(log->founding(), errc::not_found);
  refused(log->tail(), errc::not_found);
  refused(log->read(0, 1, 1), errc::not_found);
  refused(log->claim(log_epoch{0}, "anybody", lease), errc::not_found);
  const std::string founding("what a world is\0made of\xFF", 24);
  done(log->create(founding));
  refused(log->create("another"), errc::already_exists);
  CHECK(got(site.connect()->founding()) == founding);
  CHECK(got(log->tail()) == log_tail{});
  CHECK(everything(*log).empty());
}

void keeps_frames_in_order(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto epoch = taken(*log, "one");
  std::vector<log_frame> all;
  all.push_back(appended(*log, epoch, {"first"}));
  all.push_back(appended(*log, epoch, {"second", std::string("\0\x01\xFF\\x", 5)}));
  all.push_back(appended(*log, epoch, {}));
  all.push_back(appended(*log, epoch, {std::string(100'000, 'x')}));
  const auto tail = got(log->tail());
  CHECK(tail.end == log_point{.frames = 4, .head = all.back().hash});
  CHECK(tail.last_seq == seq_no{4});
  auto other = site.connect();
  CHECK(everything(*other) == all);
  CHECK(got(other->read(4, 10, 1)).empty());
  CHECK(got(other->read(9, 10, 1)).empty());
  CHECK(got(other->read(1, 2, 1 << 20)) == std::vector<log_frame>{all[1], all[2]});
  CHECK(got(other->read(3, 10, 1)) == std::vector<log_frame>{all[3]});
  CHECK(got(other->read(0, 10, 1)).size() == 1);
}

void refuses_gaps_and_forks(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto epoch = taken(*log, "one");
  const auto empty = got(log->tail());
  appended(*log, epoch, {"first"});
  const auto one = got(log->tail());
  const auto frame = frame_behind(one, {"second"});
  const auto conflicts = [&](const log_point& behind) {
    CHECK(got(log->append(behind, epoch, lease, frame)) == append_outcome::conflict);
  };
  conflicts(empty.end);                                   // where one stands
  conflicts({.frames = 2, .head = one.end.head});         // with a gap
  conflicts({.frames = 1, .head = sha256_of("another")}); // behind another frame
  conflicts({.frames = 0, .head = one.end.head});
  CHECK(got(log->tail()) == one);
  CHECK(got(log->append(one.end, epoch, lease, frame)) == append_outcome::appended);
  conflicts(one.end); // the same once more
  CHECK(everything(*log).size() == 2);
}

void fences_old_epochs(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto frame = frame_behind(got(log->tail()), {"first"});
  CHECK(got(log->append({}, log_epoch{0}, lease, frame)) == append_outcome::fenced);
  const auto before = got(log->tail());
  const auto old = taken(*log, "one");
  CHECK(old == before.epoch.next());
  site.pass(lease * 2);
  auto other = site.connect();
  const auto newer = taken(*other, "two");
  CHECK(newer == old.next());
  CHECK(got(other->tail()).holder == "two");
  const auto tail = got(log->tail());
  const auto next = frame_behind(tail, {"second"});
  CHECK(got(log->append(tail.end, old, lease, next)) == append_outcome::fenced);
  CHECK(got(log->append(tail.end, newer.next(), lease, next)) == append_outcome::fenced);
  // Fenced is what an old leader is told wherever it believes that the log ends.
  CHECK(got(log->append({.frames = 7, .head = {}}, old, lease, next)) == append_outcome::fenced);
  CHECK_FALSE(got(log->renew(old, lease)));
  CHECK(got(log->renew(newer, lease)));
  CHECK(got(log->tail()) == tail);
  CHECK(got(other->append(tail.end, newer, lease, next)) == append_outcome::appended);
}

void leases_keep_others_away(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto one = taken(*log, "one");
  auto other = site.connect();
  const auto held = got(other->claim(one, "two", lease));
  CHECK(held.outcome == claim_outcome::held);
  CHECK(held.holder == "one");
  CHECK(held.epoch == one);
  CHECK(held.lease_left > milliseconds{0});
  CHECK(held.lease_left <= lease);
  CHECK(got(other->claim(log_epoch{0}, "two", lease)).outcome == claim_outcome::stale);
  // Its own holder may go on in a new epoch.
  CHECK(taken(*log, "one") == one.next());
  // Renewing and appending extend it.
  site.pass(lease * 3 / 4);
  CHECK(got(log->renew(one.next(), lease)));
  site.pass(lease * 3 / 4);
  CHECK(got(other->claim(one.next(), "two", lease)).outcome == claim_outcome::held);
  appended(*log, one.next(), {"first"});
  site.pass(lease * 3 / 4);
  CHECK(got(other->claim(one.next(), "two", lease)).outcome == claim_outcome::held);
  // It runs out, or is let go.
  site.pass(lease);
  CHECK(got(other->claim(one.next(), "two", lease)).outcome == claim_outcome::granted);
  CHECK(got(other->renew(one.next().next(), milliseconds{0})));
  CHECK(got(log->claim(one.next().next(), "one", lease)).outcome == claim_outcome::granted);
}

void erases_payloads_alone(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto epoch = taken(*log, "one");
  const auto first = appended(*log, epoch, {"stays", "goes-for-good", "stays-too"});
  const auto second = appended(*log, epoch, {std::string(50'000, 'y') + "long-goes-for-good"});
  appended(*log, epoch, {"untouched"});
  const auto blob = got(log->put_blob("an image with goes-for-good in it"));
  const auto tail = got(log->tail());
  REQUIRE(site.holds("goes-for-good"));
  const std::vector<seq_no> seqs{{2}, {4}};
  refused(log->erase(seqs, epoch.next()), errc::version_conflict);
  CHECK(everything(*log)[0] == first);
  done(log->erase(seqs, epoch));
  done(log->erase(seqs, epoch)); // once more, as after a failure
  CHECK_FALSE(site.holds("goes-for-good"));
  CHECK(site.holds("stays-too"));
  refused(log->get_blob(blob), errc::not_found);
  CHECK(got(log->tail()) == tail);
  const auto frames = everything(*site.connect());
  REQUIRE(frames.size() == 3);
  CHECK(frames[0].head == first.head);
  CHECK(frames[1].head == second.head);
  for (const auto& frame : frames) {
    const auto prefix = got(check_log_frame(frame));
    const auto entries = got(decode_frame_body(
        prefix, std::string_view(frame.head).substr(frame_prefix_bytes), frame.payloads));
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const seq_no seq{prefix.first_seq.value + i};
      CHECK(entries[i].erased == (std::ranges::find(seqs, seq) != seqs.end()));
    }
  }
}

/// Has the log drop all that is left of it; how often it was asked.
int trim_all(log_store& log, const journaled_trim& by, log_epoch epoch) {
  int asked = 0;
  for (std::uint64_t done = 0;; ++asked) {
    const auto reached = got(log.trim(by, done, epoch));
    if (reached == done) return asked;
    CHECK(reached > done);
    done = reached;
  }
}

void trims_what_is_named(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto epoch = taken(*log, "one");
  const auto first = appended(*log, epoch, {"stays", "trimmed-away", "erased-behind-a-trim"});
  const auto second = appended(*log, epoch, {"trimmed-away as well"});
  const auto seal = appended(*log, epoch, {});
  const auto behind = appended(*log, epoch, {"stays behind"});
  journaled_trim by{.at = {5}, .trim = {}};
  by.trim.before = {5};
  by.trim.drop({2});
  by.trim.drop({4});
  const auto tail = got(log->tail());
  done(log->may_trim());
  refused(log->trim(by, 0, epoch.next()), errc::version_conflict);
  refused(log->trim({.at = {6}, .trim = by.trim}, 0, epoch), errc::out_of_range);
  CHECK(everything(*log) == std::vector<log_frame>{first, second, seal, behind});
  CHECK(trim_all(*log, by, epoch) > 0);
  trim_all(*log, by, epoch); // once more, as after a failure
  CHECK(got(log->tail()) == tail);
  CHECK(site.holds("erased-behind-a-trim"));
  const auto frames = everything(*site.connect());
  REQUIRE(frames.size() == 4);
  CHECK(frames[2] == seal);
  CHECK(frames[3] == behind);
  CHECK(frames[0].hash == first.hash);
  CHECK(frames[0].payloads.size() < first.payloads.size());
  for (const auto& frame : frames) {
    const auto prefix = got(check_log_frame(frame));
    const auto entries = got(decode_frame_body(
        prefix, std::string_view(frame.head).substr(prefix_bytes(prefix)), frame.payloads));
    for (std::size_t i = 0; i < entries.size(); ++i)
      CHECK(entries[i].trimmed.has_value() == by.trim.drops({prefix.first_seq.value + i}));
  }
  // What is erased then is beside what was dropped, and may be of that.
  const std::vector<seq_no> seqs{{2}, {3}};
  done(log->erase(seqs, epoch));
  CHECK_FALSE(site.holds("erased-behind-a-trim"));
  CHECK(site.holds("stays behind"));
  CHECK(check_log_frame(everything(*log)[0]));
}

/// More than a log takes at once.
void trims_in_parts(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const auto epoch = taken(*log, "one");
  journaled_trim by{.at = {301}, .trim = {}};
  by.trim.before = {301};
  for (std::uint64_t seq = 1; seq <= 300; ++seq) {
    appended(*log, epoch, {"goes " + std::to_string(seq)});
    if (seq % 2 == 0) by.trim.drop({seq});
  }
  appended(*log, epoch, {"the trim's own"});
  CHECK(trim_all(*log, by, epoch) > 1);
  std::uint64_t lack = 0;
  for (const auto& frame : everything(*log))
    if (got(check_log_frame(frame)).trimmed_by == by.at) ++lack;
  CHECK(lack == 150);
}

void keeps_blobs_by_their_hash(log_site& site) {
  auto log = site.connect();
  done(log->create("w"));
  const std::string bytes(300'000, '\x07');
  const auto hash = got(log->put_blob(bytes));
  CHECK(hash == sha256_of(bytes));
  CHECK(got(log->put_blob(bytes)) == hash);
  CHECK(got(log->put_blob("")) == sha256_of(""));
  CHECK(got(site.connect()->get_blob(hash)) == bytes);
  CHECK(got(log->get_blob(sha256_of(""))).empty());
  refused(log->get_blob(sha256_of("nothing")), errc::not_found);
}

} // namespace

log_frame frame_behind(const log_tail& tail, const std::vector<std::string>& payloads) {
  std::vector<entry> entries;
  for (const auto& payload : payloads) {
    const seq_no seq{tail.last_seq.value + entries.size() + 1};
    entries.push_back(raw_bytes_entry(seq, "header of " + to_hex(sha256_of(payload)), payload));
  }
  const auto frame = encode_frame(entries, tail.last_seq.next(), entries.empty(), tail.end.head,
                                  root_at(tail.last_seq), seq_no{0});
  return got(split_frame(frame.bytes));
}

const std::vector<log_rule>& log_rules() {
  static const std::vector<log_rule> rules{
      {"it is founded once", is_founded_once},
      {"frames are kept in order", keeps_frames_in_order},
      {"gaps and forks are refused", refuses_gaps_and_forks},
      {"old epochs are fenced", fences_old_epochs},
      {"a lease keeps others away", leases_keep_others_away},
      {"an erasure takes payloads alone", erases_payloads_alone},
      {"a trim takes what it names, and leaves headers", trims_what_is_named},
      {"a long log is trimmed in parts", trims_in_parts},
      {"blobs are kept by their hash", keeps_blobs_by_their_hash}};
  return rules;
}

} // namespace mneme::testing
