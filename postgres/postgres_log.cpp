#include "postgres/postgres_log.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "journal/log/log_store.hpp"
#include "messages/ensure.hpp"
#include "messages/hash.hpp"
#include "mneme/postgres_log.hpp"
#include "postgres/address.hpp"
#include "postgres/schema.hpp"

namespace mneme {

namespace {

constexpr std::string_view tail_query =
    "SELECT format, frames, head, last_seq, epoch, holder FROM mneme.log WHERE name = $1::text";

// The row of the log is compared and set, and the frame goes in by the same statement, which is a
// transaction: it is all there, or none of it.
// Where the settings have become unsafe since the session began, it does nothing.
const std::string& append_statement() {
  static const std::string text =
      "WITH moved AS ("
      " UPDATE mneme.log SET frames = frames + 1, head = $5::bytea, last_seq = $6::bigint,"
      "  lease_until = greatest(lease_until, clock_timestamp() + $7::bigint * interval '1 ms')"
      " WHERE name = $1::text AND frames = $2::bigint AND head = $3::bytea AND epoch = $4::bigint"
      "  AND epoch > 0 AND "
      + std::string(keeps_commits)
      + " RETURNING frames)"
        " INSERT INTO mneme.frame (log, at, last_seq, hash, epoch, head, payloads)"
        " SELECT $1::text, frames, $6::bigint, $5::bytea, $4::bigint, $8::bytea, $9::bytea FROM "
        "moved";
  return text;
}

const std::string& claim_statement() {
  static const std::string text =
      "UPDATE mneme.log SET epoch = epoch + 1, holder = $3::text,"
      " lease_until = clock_timestamp() + $4::bigint * interval '1 ms'"
      " WHERE name = $1::text AND epoch = $2::bigint"
      "  AND (lease_until <= clock_timestamp() OR holder = $3::text) AND "
      + std::string(keeps_commits);
  return text;
}

const std::string& renew_statement() {
  static const std::string text =
      "UPDATE mneme.log SET lease_until = clock_timestamp() + $3::bigint * interval '1 ms'"
      " WHERE name = $1::text AND epoch = $2::bigint AND "
      + std::string(keeps_commits);
  return text;
}

constexpr std::string_view lease_query =
    "SELECT epoch, holder, ceil(greatest(0, extract(epoch FROM lease_until - clock_timestamp())"
    " * 1000))::bigint FROM mneme.log WHERE name = $1::text";

// As many as their bytes allow, but the first in any case.
constexpr std::string_view read_query =
    "SELECT at, last_seq, hash, head, payloads FROM ("
    " SELECT at, last_seq, hash, head, payloads,"
    "  sum(octet_length(head) + octet_length(payloads)) OVER (ORDER BY at) AS bytes"
    " FROM (SELECT * FROM mneme.frame WHERE log = $1::text AND at > $2::bigint"
    "  ORDER BY at LIMIT $3::bigint) AS next_frames) AS counted"
    " WHERE bytes <= $4::bigint OR at = $2::bigint + 1 ORDER BY at";

/// Appends stand behind an erasure that waits for a reader; each such wait is no longer than this.
constexpr std::chrono::milliseconds longest_lock_wait{300};

/// By one transaction, behind which appends stand.
constexpr std::size_t frames_trimmed_at_once = 256;
constexpr std::uint64_t bytes_trimmed_at_once = 1ULL << 20;

constexpr std::uint64_t largest_bigint = 0x7FFF'FFFF'FFFF'FFFFULL;

digest digest_of(std::string_view raw) {
  digest d;
  // Zero is stored as no bytes.
  if (raw.size() == d.bytes.size()) std::copy(raw.begin(), raw.end(), d.bytes.begin());
  return d;
}

std::string stored(const digest& d) {
  return d.is_zero() ? std::string() : std::string(d.raw());
}

std::uint64_t milliseconds_of(std::chrono::milliseconds time) {
  ensure(time.count() >= 0, "a lease is no negative time");
  return static_cast<std::uint64_t>(time.count());
}

class postgres_log final : public log_store {
public:
  postgres_log(postgres_address at, const connection_patience& patience)
      : log_(std::move(at.log)),
        connection_(std::move(at.database), patience),
        longest_question_(patience.question) {}

  bool pause(unsigned again) override {
    const auto now = std::chrono::steady_clock::now();
    if (again == 0) asked_since_ = now;
    if (now - asked_since_ > longest_question_) return false;
    if (again > 0) connection_.rest(again);
    return true;
  }
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
  result<void> may_lead() override;
  result<void> may_trim() override;
  result<void> may_erase() override;
  result<erase_outcome> erase(std::span<const seq_no> seqs, log_epoch epoch) override;
  result<std::uint64_t> trim(const journaled_trim& by, std::uint64_t from,
                             log_epoch epoch) override;
  result<digest> put_blob(std::string_view bytes) override;
  result<std::string> get_blob(const digest& hash) override;

private:
  /// A row of `statement`, which is of this log alone; not_found if there is none.
  result<sql_rows> row(std::string_view statement, const std::vector<sql_value>& values);
  /// corrupt: of a row that begins with the frame's place.
  [[nodiscard]] result<void> is_whole(const sql_rows& frames, std::size_t row) const;
  result<sql_rows> change(std::string_view statement, const std::vector<sql_value>& values);
  /// What the server acknowledged with a warning need not be where it was to be: at a standby.
  result<sql_rows> unless_warned(result<sql_rows> committed);
  /// format_unsupported: somebody else has relations of their names.
  result<void> check_relations();
  result<void> make_schema();
  /// What the role lacks that is to found a log.
  result<void> may_found(result<void> founded, std::string_view what);
  /// Of statements that are all committed, or none of them.
  template <class Work>
  result<void> transaction(Work work);
  /// In a transaction: nobody appends to the log until its end. Its tail.
  result<log_tail> locked(log_epoch epoch);
  result<void> erase_in_frames(std::span<const seq_no> seqs);
  result<std::uint64_t> erase_in_frame_of(seq_no seq, std::span<const seq_no> seqs);
  result<void> owns_relations();
  /// Whether an erasure would get everything away now: tried on a row of no use.
  result<void> nobody_in_the_way();
  /// Waits for locks no longer than others can bear that wait behind it.
  result<void> bound_waits(std::chrono::milliseconds most);
  result<erase_outcome> rewrite(const std::string& relation);
  result<erase_outcome> rewrite_patiently(const std::string& relation);
  [[nodiscard]] std::unexpected<error> not_founded() const {
    return fail(errc::not_found, fmt::format("there is no log '{}' in that database", log_));
  }

  std::string log_;
  postgres_connection connection_;
  std::chrono::milliseconds longest_question_;
  bool knows_relations_ = false;
  std::chrono::steady_clock::time_point asked_since_;
};

result<log_tail> tail_of(const sql_rows& rows) {
  const std::uint64_t format = rows.number(0, 0);
  if (format != postgres_log_format && format != trimmed_postgres_log_format)
    return fail(errc::format_unsupported,
                fmt::format("a log of format {}; this program reads {} and {}", format,
                            postgres_log_format, trimmed_postgres_log_format));
  return log_tail{.end = {.frames = rows.number(0, 1), .head = digest_of(rows.bytes(0, 2))},
                  .last_seq = {rows.number(0, 3)},
                  .epoch = {rows.number(0, 4)},
                  .holder = std::string(rows.bytes(0, 5))};
}

/// Once: what is there then is not made another. None is no error: whoever asks for one hears it.
result<void> postgres_log::check_relations() {
  if (knows_relations_) return {};
  auto rows = connection_.run(std::string(schema_query), {}, sql_kind::look);
  if (!rows) return propagate(rows);
  if (rows->number(0, 2) != 0)
    return fail(errc::unsupported, "relations of the schema 'mneme' are UNLOGGED: a crash of the "
                                   "server empties them, so nothing is kept there");
  knows_relations_ = rows->number(0, 1) == columns_of_schema;
  if (knows_relations_ || rows->number(0, 0) == 0) return {};
  return fail(errc::format_unsupported,
              "the database has a schema 'mneme' whose relations log, frame and blob are not those "
              "of a log of this program; nothing was changed there: keep the log in another "
              "database");
}

result<sql_rows> postgres_log::row(std::string_view statement,
                                   const std::vector<sql_value>& values) {
  if (auto known = check_relations(); !known) return propagate(known);
  auto rows = connection_.run(std::string(statement), values, sql_kind::look);
  if (rows && rows->empty()) return not_founded();
  if (!rows && rows.error().code == errc::not_found) return not_founded();
  if (rows && rows->lacking(0))
    return fail(errc::corrupt, fmt::format("the log '{}' has a row in mneme.log that lacks a value "
                                           "(NULL)",
                                           log_));
  return rows;
}

result<void> postgres_log::is_whole(const sql_rows& frames, std::size_t row) const {
  if (!frames.lacking(row)) return {};
  // Its place is of the primary key.
  return fail(errc::corrupt, fmt::format("the log '{}' has a frame {} that lacks a value (NULL)",
                                         log_, frames.number(row, 0)));
}

result<sql_rows> postgres_log::unless_warned(result<sql_rows> committed) {
  for (const auto& remark : connection_.take_remarks())
    if (committed && remark.starts_with("WARNING"))
      return fail(errc::outcome_unknown, "the log's server warned: " + remark);
  return committed;
}

result<sql_rows> postgres_log::change(std::string_view statement,
                                      const std::vector<sql_value>& values) {
  (void)connection_.take_remarks();
  auto changed = unless_warned(connection_.run(std::string(statement), values, sql_kind::change));
  if (!changed && changed.error().code == errc::not_found) return not_founded();
  return changed;
}

template <class Work>
result<void> postgres_log::transaction(Work work) {
  const auto run = [&](const char* statement, sql_kind kind) -> result<void> {
    auto done = unless_warned(connection_.run(statement, {}, kind));
    if (!done) return propagate(done);
    return {};
  };
  if (auto begun = run("BEGIN", sql_kind::look); !begun) return begun;
  auto worked = work();
  if (worked) worked = run("COMMIT", sql_kind::change);
  if (!worked) connection_.drop(); // which rolls back what is not committed
  return worked;
}

result<void> postgres_log::may_found(result<void> founded, std::string_view what) {
  if (!founded && founded.error().code == errc::unsupported)
    founded.error().message = fmt::format("the role of this session may not found a log: it needs "
                                          "{} ({})",
                                          what, founded.error().message);
  return founded;
}

result<void> postgres_log::make_schema() {
  auto there = connection_.run("SELECT 1::bigint WHERE to_regclass('mneme.blob') IS NOT NULL", {},
                               sql_kind::look);
  if (!there) return propagate(there);
  if (!there->empty()) return {};
  return transaction([&]() -> result<void> {
    for (const auto statement : postgres_schema()) {
      auto made = connection_.run(std::string(statement), {}, sql_kind::look);
      if (!made) return propagate(made);
    }
    return {};
  });
}

result<void> postgres_log::create(std::string_view founding) {
  if (auto begun = connection_.begin(); !begun) return begun; // its refusals are not the role's
  if (auto known = check_relations(); !known) return known;
  // Somebody else may make it at the same time: then it is there when this looks again.
  if (auto made = make_schema(); !made)
    if (auto again = may_found(make_schema(), "CREATE on the database, or that somebody else has "
                                              "made the schema");
        !again)
      return again;
  auto inserted = change(
      "INSERT INTO mneme.log (name, format, founding, frames, head, last_seq, epoch, holder,"
      " lease_until, trimmed_frames, checkpoint) VALUES ($1::text, $2::bigint, $3::bytea, 0, '',"
      " 0, 0, '', clock_timestamp(), 0, '') ON CONFLICT DO NOTHING",
      {std::string_view(log_), std::uint64_t{postgres_log_format}, founding});
  if (!inserted)
    return may_found(propagate(inserted), "USAGE on the schema mneme and INSERT on mneme.log");
  if (inserted->affected() == 0)
    return fail(errc::already_exists,
                fmt::format("the log '{}' was founded before in that database", log_));
  return {};
}

result<std::string> postgres_log::founding() {
  auto rows = row("SELECT founding FROM mneme.log WHERE name = $1::text", {std::string_view(log_)});
  if (!rows) return propagate(rows);
  return std::string(rows->bytes(0, 0));
}

result<log_tail> postgres_log::tail() {
  auto rows = row(tail_query, {std::string_view(log_)});
  if (!rows) return propagate(rows);
  return tail_of(*rows);
}

result<append_outcome> postgres_log::append(const log_point& expect, log_epoch epoch,
                                            std::chrono::milliseconds ttl, const log_frame& frame) {
  (void)connection_.take_remarks();
  const std::string head = stored(expect.head);
  auto appended = unless_warned(connection_.run_prepared(
      "mneme_append", append_statement(),
      {std::string_view(log_), expect.frames, std::string_view(head), epoch.value, frame.hash.raw(),
       frame.last_seq.value, milliseconds_of(ttl), std::string_view(frame.head),
       std::string_view(frame.payloads)},
      sql_kind::change));
  if (!appended) {
    if (appended.error().code == errc::outcome_unknown) return append_outcome::unknown;
    // Whoever appends has had the log: its relations may be back.
    if (appended.error().code == errc::not_found)
      return fail(errc::busy, "the log's relations are not there: " + appended.error().message);
    return propagate(appended);
  }
  if (appended->affected() == 1) return append_outcome::appended;
  // Not appended, for whatever reason: that is known already.
  if (auto safe = connection_.check_settings(); !safe) return propagate(safe);
  auto now = tail();
  if (!now) return propagate(now);
  const bool is_fenced = now->epoch != epoch || epoch == log_epoch{};
  return is_fenced ? append_outcome::fenced : append_outcome::conflict;
}

result<std::vector<log_frame>> postgres_log::read(std::uint64_t from, std::size_t max_frames,
                                                  std::uint64_t max_bytes) {
  auto rows = connection_.run(std::string(read_query),
                              {std::string_view(log_), std::min(from, largest_bigint - 1),
                               std::uint64_t{max_frames}, std::min(max_bytes, largest_bigint)},
                              sql_kind::look);
  if (!rows && rows.error().code == errc::not_found) return not_founded();
  if (!rows) return propagate(rows);
  if (rows->empty())
    if (auto founded = tail(); !founded) return propagate(founded);
  std::vector<log_frame> frames;
  for (std::size_t i = 0; i < rows->size(); ++i) {
    if (rows->number(i, 0) != from + i + 1)
      return fail(errc::corrupt, fmt::format("the log '{}' lacks frame {}", log_, from + i + 1));
    if (auto ok = is_whole(*rows, i); !ok) return propagate(ok);
    log_frame frame{.last_seq = {rows->number(i, 1)},
                    .hash = digest_of(rows->bytes(i, 2)),
                    .head = std::string(rows->bytes(i, 3)),
                    .payloads = {}};
    frame.payloads = rows->bytes(i, 4);
    frames.push_back(std::move(frame));
  }
  return frames;
}

result<claim_answer> postgres_log::claim(log_epoch newest, std::string_view holder,
                                         std::chrono::milliseconds ttl) {
  auto claimed = change(claim_statement(),
                        {std::string_view(log_), newest.value, holder, milliseconds_of(ttl)});
  if (!claimed) return propagate(claimed);
  if (claimed->affected() == 1)
    return claim_answer{.outcome = claim_outcome::granted,
                        .epoch = newest.next(),
                        .holder = std::string(holder),
                        .lease_left = ttl};
  if (auto safe = connection_.check_settings(); !safe) return propagate(safe);
  auto rows = row(lease_query, {std::string_view(log_)});
  if (!rows) return propagate(rows);
  const log_epoch epoch{rows->number(0, 0)};
  return claim_answer{.outcome = epoch == newest ? claim_outcome::held : claim_outcome::stale,
                      .epoch = epoch,
                      .holder = std::string(rows->bytes(0, 1)),
                      .lease_left = std::chrono::milliseconds(rows->number(0, 2))};
}

result<bool> postgres_log::renew(log_epoch epoch, std::chrono::milliseconds ttl) {
  auto renewed =
      change(renew_statement(), {std::string_view(log_), epoch.value, milliseconds_of(ttl)});
  if (!renewed) return propagate(renewed);
  if (renewed->affected() == 1) return true;
  if (auto safe = connection_.check_settings(); !safe) return propagate(safe);
  auto now = tail();
  if (!now) return propagate(now);
  // Settings that were unsafe then are not any more.
  if (now->epoch == epoch && epoch != log_epoch{})
    return fail(errc::busy, "the log did not renew the lease, and nobody else leads it");
  return false;
}

result<void> postgres_log::may_lead() {
  auto rows = row("SELECT (has_table_privilege('mneme.log', 'UPDATE')"
                  " AND has_table_privilege('mneme.frame', 'INSERT'))::int::bigint",
                  {});
  if (!rows) return propagate(rows);
  if (rows->number(0, 0) == 1) return {};
  return fail(errc::unsupported, "the role of this session may not append to the log, and so not "
                                 "lead it: it needs UPDATE on mneme.log and INSERT on mneme.frame");
}

result<log_tail> postgres_log::locked(log_epoch epoch) {
  auto rows = row(std::string(tail_query) + " FOR UPDATE", {std::string_view(log_)});
  if (!rows) return propagate(rows);
  auto now = tail_of(*rows);
  if (now && now->epoch != epoch)
    return fail(errc::version_conflict,
                fmt::format("'{}' leads the log in epoch {}", now->holder, now->epoch.value));
  return now;
}

/// The frame that has the entry, and all of `seqs` that it has besides. Its last seq; a later one
/// than `seq` in any case.
result<std::uint64_t> postgres_log::erase_in_frame_of(seq_no seq, std::span<const seq_no> seqs) {
  auto rows = connection_.run("SELECT at, last_seq, head, payloads FROM mneme.frame"
                              " WHERE log = $1::text AND last_seq >= $2::bigint"
                              " ORDER BY last_seq, at LIMIT 1",
                              {std::string_view(log_), seq.value}, sql_kind::look);
  if (!rows) return propagate(rows);
  if (rows->empty())
    return fail(errc::corrupt, fmt::format("the log '{}' has no entry {}, which is to be erased",
                                           log_, seq.value));
  if (auto ok = is_whole(*rows, 0); !ok) return propagate(ok);
  const std::uint64_t last = rows->number(0, 1);
  auto prefix = decode_frame_prefix(rows->bytes(0, 2));
  if (!prefix) return propagate(prefix);
  std::string payloads(rows->bytes(0, 3));
  auto changed = erase_in_block(*prefix, payloads, seqs);
  if (!changed) return propagate(changed);
  if (!*changed) return last;
  auto updated = connection_.run(
      "UPDATE mneme.frame SET payloads = $3::bytea"
      " WHERE log = $1::text AND at = $2::bigint",
      {std::string_view(log_), rows->number(0, 0), std::string_view(payloads)}, sql_kind::look);
  if (!updated) return propagate(updated);
  return last;
}

result<void> postgres_log::erase_in_frames(std::span<const seq_no> seqs) {
  while (!seqs.empty()) {
    auto last = erase_in_frame_of(seqs.front(), seqs);
    if (!last) return propagate(last);
    const auto behind = std::ranges::upper_bound(seqs, seq_no{*last});
    ensure(behind != seqs.begin(), "a frame that has an entry is not before it");
    seqs = seqs.subspan(static_cast<std::size_t>(behind - seqs.begin()));
  }
  return {};
}

result<void> postgres_log::may_erase() {
  if (auto ok = owns_relations(); !ok) return ok;
  return nobody_in_the_way();
}

/// Who does not own the relations cannot have them written anew.
result<void> postgres_log::owns_relations() {
  auto rows = row("SELECT count(*) FROM pg_class WHERE oid IN ('mneme.frame'::regclass,"
                  " 'mneme.blob'::regclass) AND pg_has_role(relowner, 'USAGE')",
                  {});
  if (!rows) return propagate(rows);
  if (rows->number(0, 0) == 2) return {};
  return fail(errc::unsupported, "an erasure has the log's relations written anew, and the role of "
                                 "this session does not own them");
}

result<void> postgres_log::nobody_in_the_way() {
  const std::vector<sql_value> useless{std::string_view(log_)};
  for (const char* statement : {"INSERT INTO mneme.blob (log, hash, bytes) VALUES ($1::text, '', "
                                "'') ON CONFLICT DO NOTHING",
                                "DELETE FROM mneme.blob WHERE log = $1::text AND hash = ''"}) {
    auto done = connection_.run(statement, useless, sql_kind::look);
    if (!done) return propagate(done);
  }
  auto gone = rewrite_patiently("blob");
  if (!gone) return propagate(gone);
  if (*gone == erase_outcome::kept)
    return fail(errc::busy,
                "a transaction on the log's server is open since before, and could go "
                "on to read what would be erased; nothing was: erase when it has ended");
  if (auto ok = bound_waits(longest_lock_wait); !ok) return ok;
  auto locked = transaction([&]() -> result<void> {
    auto done =
        connection_.run("LOCK TABLE mneme.frame IN ACCESS EXCLUSIVE MODE", {}, sql_kind::look);
    if (!done) return propagate(done);
    return {};
  });
  if (!locked && locked.error().code == errc::busy)
    return fail(errc::busy, "somebody reads all of the log on its server, such as a dump, and an "
                            "erasure would wait for that; nothing was erased: try again later");
  if (!locked) return locked;
  return bound_waits(std::chrono::milliseconds{0});
}

result<void> postgres_log::bound_waits(std::chrono::milliseconds most) {
  auto set = connection_.run("SELECT set_config('lock_timeout', $1::text, false)",
                             {std::string_view(std::to_string(most.count()))}, sql_kind::look);
  if (!set) return propagate(set);
  return {};
}

/// Again, where only transactions that end soon were in the way: appends to other logs, say.
result<erase_outcome> postgres_log::rewrite_patiently(const std::string& relation) {
  constexpr unsigned times = 5;
  for (unsigned again = 1;; ++again) {
    if (auto ok = bound_waits(longest_lock_wait); !ok) return propagate(ok);
    auto written = rewrite(relation);
    if (auto ok = bound_waits(std::chrono::milliseconds{0}); !ok) return propagate(ok);
    const bool is_done = written && *written == erase_outcome::done;
    const bool may_pass = written || written.error().code == errc::busy;
    if (is_done || !may_pass) return written;
    if (again == times) return erase_outcome::kept;
    connection_.rest(again);
  }
}

/// What a transaction that is older than the erasure could still read stays in the new one.
result<erase_outcome> postgres_log::rewrite(const std::string& relation) {
  (void)connection_.take_remarks();
  auto written = connection_.run_long("VACUUM (FULL, VERBOSE) mneme." + relation);
  if (!written) return propagate(written);
  const auto remarks = connection_.take_remarks();
  for (const auto& remark : remarks)
    if (remark.starts_with("WARNING"))
      return fail(errc::outcome_unknown, "the log's server warned: " + remark);
  for (const auto& remark : remarks) {
    // "INFO: … found 7 removable …", and its detail "0 dead row versions cannot be removed yet."
    // in the server's language.
    const auto detail = remark.find('\n');
    const auto digits =
        detail == std::string::npos ? detail : remark.find_first_of("0123456789", detail);
    if (!remark.starts_with("INFO") || digits == std::string::npos) continue;
    if (remark[digits] != '0') return erase_outcome::kept;
  }
  return erase_outcome::done;
}

result<erase_outcome> postgres_log::erase(std::span<const seq_no> seqs, log_epoch epoch) {
  ensure(std::ranges::is_sorted(seqs), "what is erased is named in order");
  if (auto ok = owns_relations(); !ok) return propagate(ok);
  auto erased = transaction([&]() -> result<void> {
    auto now = locked(epoch);
    if (!now) return propagate(now);
    if (auto ok = erase_in_frames(seqs); !ok) return ok;
    auto dropped = connection_.run("DELETE FROM mneme.blob WHERE log = $1::text",
                                   {std::string_view(log_)}, sql_kind::look);
    if (!dropped) return propagate(dropped);
    return {};
  });
  if (!erased) return propagate(erased);
  auto frames = rewrite_patiently("frame");
  if (!frames) return frames;
  auto blobs = rewrite_patiently("blob");
  if (!blobs) return blobs;
  return *frames == erase_outcome::kept ? frames : blobs;
}

result<void> postgres_log::may_trim() {
  auto rows = row("SELECT (has_table_privilege('mneme.log', 'UPDATE')"
                  " AND has_table_privilege('mneme.frame', 'UPDATE'))::int::bigint",
                  {});
  if (!rows) return propagate(rows);
  if (rows->number(0, 0) == 1) return {};
  return fail(errc::unsupported,
              "a trim takes payloads out of the log's rows, and the role of this "
              "session may not: it needs UPDATE on mneme.frame");
}

/// Appends wait meanwhile, so it is a few frames. Programs of before do not read a log that lacks
/// payloads, and are told so by its format.
result<std::uint64_t> postgres_log::trim(const journaled_trim& by, std::uint64_t from,
                                         log_epoch epoch) {
  std::uint64_t reached = from;
  auto trimmed = transaction([&]() -> result<void> {
    auto now = locked(epoch);
    if (!now) return propagate(now);
    if (by.at > now->last_seq)
      return fail(errc::out_of_range, "a log is trimmed by an entry that it has");
    auto frames = read(from, frames_trimmed_at_once, bytes_trimmed_at_once);
    if (!frames) return propagate(frames);
    bool has_changed = false;
    for (log_frame& frame : *frames) {
      if (frame.last_seq >= by.trim.before) break;
      auto changed = drop_in_log_frame(by, frame);
      if (!changed) return propagate(changed);
      ++reached;
      if (!*changed) continue;
      has_changed = true;
      auto updated = connection_.run("UPDATE mneme.frame SET head = $3::bytea, payloads = $4::bytea"
                                     " WHERE log = $1::text AND at = $2::bigint",
                                     {std::string_view(log_), reached, std::string_view(frame.head),
                                      std::string_view(frame.payloads)},
                                     sql_kind::look);
      if (!updated) return propagate(updated);
    }
    if (!has_changed) return {};
    auto marked = connection_.run(
        "UPDATE mneme.log SET format = $2::bigint WHERE name = $1::text",
        {std::string_view(log_), std::uint64_t{trimmed_postgres_log_format}}, sql_kind::look);
    if (!marked) return propagate(marked);
    return {};
  });
  if (!trimmed) return propagate(trimmed);
  return reached;
}

result<digest> postgres_log::put_blob(std::string_view bytes) {
  const digest hash = sha256_of(bytes);
  auto put = change("INSERT INTO mneme.blob (log, hash, bytes)"
                    " SELECT name, $2::bytea, $3::bytea FROM mneme.log WHERE name = $1::text"
                    " ON CONFLICT DO NOTHING",
                    {std::string_view(log_), hash.raw(), bytes});
  if (!put) return propagate(put);
  if (put->affected() == 0)
    if (auto founded = tail(); !founded) return propagate(founded);
  return hash;
}

result<std::string> postgres_log::get_blob(const digest& hash) {
  auto rows =
      connection_.run("SELECT bytes FROM mneme.blob WHERE log = $1::text AND hash = $2::bytea",
                      {std::string_view(log_), hash.raw()}, sql_kind::look);
  if (!rows && rows.error().code == errc::not_found) return not_founded();
  if (!rows) return propagate(rows);
  if (rows->empty()) return fail(errc::not_found, "the log has no such blob");
  if (rows->lacking(0) || sha256_of(rows->bytes(0, 0)) != hash)
    return fail(errc::corrupt, "the log has other bytes under a blob's hash");
  return std::string(rows->bytes(0, 0));
}

} // namespace

std::shared_ptr<log_store> postgres_log_at(const postgres_address& at,
                                           const connection_patience& patience) {
  return std::make_shared<postgres_log>(at, patience);
}

result<std::shared_ptr<log_store>> make_postgres_log(std::string_view address) {
  auto parsed = parse_postgres_address(address);
  if (!parsed) return propagate(parsed);
  if (auto ok = check_postgres_options(parsed->database); !ok) return propagate(ok);
  return postgres_log_at(*parsed, connection_patience{});
}

} // namespace mneme
