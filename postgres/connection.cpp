#include "postgres/connection.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <future>
#include <memory>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include "messages/ensure.hpp"

namespace mneme {

namespace {

using steady = std::chrono::steady_clock;

constexpr Oid bigint_type = 20;
constexpr Oid inferred_type = 0;
constexpr int binary = 1;
/// A server that is well takes a request to stop in a round trip.
constexpr std::chrono::seconds time_to_cancel{1};
/// Requests that no server has taken yet, of all connections: more are not made.
constexpr int most_cancels = 8;
std::atomic<int> cancels_under_way = 0;

struct result_end {
  void operator()(PGresult* result) const { PQclear(result); }
};
using owned_result = std::unique_ptr<PGresult, result_end>;

/// In one line, without the end of it.
std::string one_line(const char* text) {
  std::string line(text == nullptr ? "" : text);
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  for (char& c : line)
    if (c == '\n') c = ' ';
  return line;
}

std::string field_of(const PGresult* result, int code) {
  const char* const text = PQresultErrorField(result, code);
  return text == nullptr ? std::string() : text;
}

/// The server is going, coming or gone: what it was asked for may have happened.
bool ends_session(std::string_view state) {
  return state.empty() || state.starts_with("08") || state.starts_with("57P")
         || state.starts_with("XX") || state.starts_with("58");
}

/// The statement was rolled back, and may pass another time.
bool may_pass(std::string_view state) {
  return state.starts_with("40") || state == "55P03" || state == "57014" || state == "53300";
}

bool is_unknown_relation(std::string_view state) {
  return state == "42P01" || state == "3F000";
}

errc code_of(std::string_view state) {
  if (may_pass(state) || state == "25006") return errc::busy; // 25006: a standby by now
  if (is_unknown_relation(state)) return errc::not_found;
  if (state == "53100") return errc::disk_full;
  if (state == "42501") return errc::unsupported;
  return errc::io;
}

/// Of a session that is none: by who takes writes now, or how many there are, and not by who asks.
bool is_about_moment(std::string_view why) {
  constexpr std::array<std::string_view, 5> moments{"read-only", "standby", "too many",
                                                    "connection slots", "recovery"};
  return std::ranges::any_of(moments, [&](std::string_view m) { return why.contains(m); });
}

/// That the two do not agree on how the line is kept secret is no matter of time.
bool is_about_tls(std::string_view why) {
  constexpr std::array<std::string_view, 3> parts{"does not support SSL", "certificate",
                                                  "SSL was required"};
  return std::ranges::any_of(parts, [&](std::string_view p) { return why.contains(p); });
}

struct sent_values {
  std::vector<Oid> types;
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;

  explicit sent_values(const std::vector<sql_value>& from) {
    for (const auto& value : from) {
      types.push_back(value.is_number() ? bigint_type : inferred_type);
      values.push_back(value.bytes().data());
      lengths.push_back(static_cast<int>(value.bytes().size()));
      formats.push_back(binary);
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(values.size()); }
};

} // namespace

struct postgres_connection::session {
  PGconn* connection = nullptr;
  std::set<std::string> prepared{};
  std::vector<std::string> remarks{};

  session() = default;
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session() {
    if (connection != nullptr) PQfinish(connection);
  }

  static void note(void* self, const PGresult* remark) {
    static_cast<session*>(self)->remarks.push_back(fmt::format(
        "{}: {}\n{}", field_of(remark, PG_DIAG_SEVERITY_NONLOCALIZED),
        field_of(remark, PG_DIAG_MESSAGE_PRIMARY), field_of(remark, PG_DIAG_MESSAGE_DETAIL)));
  }
};

sql_value::sql_value(std::uint64_t number) : is_number_(true) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes_.push_back(static_cast<char>(number >> shift));
}

sql_value::sql_value(std::string_view bytes) : bytes_(bytes) {
}

std::uint64_t sql_rows::number(std::size_t row, std::size_t field) const {
  const std::string_view raw = bytes(row, field);
  ensure(raw.size() == sizeof(std::uint64_t), "a number is a bigint");
  std::uint64_t number = 0;
  for (const char byte : raw) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

std::string_view sql_rows::bytes(std::size_t row, std::size_t field) const {
  ensure(row < rows_.size() && field < rows_[row].size(), "an answer has that field");
  ensure(rows_[row][field].has_value(), "a field that must have a value has one");
  return *rows_[row][field];
}

std::optional<std::size_t> sql_rows::lacking(std::size_t row) const {
  ensure(row < rows_.size(), "an answer has that row");
  for (std::size_t field = 0; field < rows_[row].size(); ++field)
    if (!rows_[row][field]) return field;
  return std::nullopt;
}

postgres_connection::postgres_connection(std::string database, const connection_patience& patience)
    : database_(std::move(database)), patience_(patience) {
}

postgres_connection::~postgres_connection() = default;

void postgres_connection::drop() {
  session_.reset();
}

result<void> postgres_connection::begin() {
  if (session_ && is_alive()) return {};
  drop();
  if (auto ok = open(); !ok) return ok;
  is_checking_ = true;
  auto checked = keep_settings();
  if (checked) checked = check_settings();
  is_checking_ = false;
  if (!checked) drop();
  return checked;
}

/// A server that has gone said so, or closed the line: seen before something is sent, that is a log
/// that is away, and no change that may have happened.
bool postgres_connection::is_alive() {
  PGconn* const connection = session_->connection;
  if (PQstatus(connection) != CONNECTION_OK) return false;
  // What belongs to a transaction is not to go on in another session.
  if (PQtransactionStatus(connection) != PQTRANS_IDLE) return true;
  for (;;) {
    pollfd socket{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
    if (::poll(&socket, 1, 0) <= 0) return true;
    if (PQconsumeInput(connection) == 0) return false;
    (void)PQisBusy(connection); // reads what has come
    if (PQstatus(connection) != CONNECTION_OK) return false;
    if (std::ranges::any_of(session_->remarks,
                            [](const std::string& remark) { return remark.starts_with("FATAL"); }))
      return false;
  }
}

result<void> check_postgres_options(const std::string& database) {
  char* why = nullptr;
  PQconninfoOption* const options = PQconninfoParse(database.c_str(), &why);
  std::string said = one_line(why);
  PQfreemem(why);
  if (options == nullptr) return fail(errc::bad_value, "a log's address: " + said, "log");
  PQconninfoFree(options);
  return {};
}

result<void> postgres_connection::open() {
  auto made = std::make_unique<session>();
  // Whole seconds, of which libpq takes two at least; what the address says itself goes before.
  const auto seconds =
      std::to_string(std::chrono::ceil<std::chrono::seconds>(patience_.connect).count());
  const std::array<const char*, 7> names{"target_session_attrs",
                                         "connect_timeout",
                                         "application_name",
                                         "tcp_user_timeout",
                                         "dbname",
                                         "client_encoding",
                                         nullptr};
  const auto silence = std::to_string(patience_.answer.count());
  const std::array<const char*, 7> values{
      "read-write", seconds.c_str(), "mneme", silence.c_str(), database_.c_str(), "UTF8", nullptr};
  made->connection = PQconnectdbParams(names.data(), values.data(), 1);
  if (made->connection == nullptr) return fail(errc::busy, "no memory for a session with the log");
  if (PQstatus(made->connection) != CONNECTION_OK) {
    const std::string why = one_line(PQerrorMessage(made->connection));
    const std::string away = "the log cannot be reached: ";
    // What has been a session will be one again, and a line that breaks is no refusal.
    if (had_session_ || is_about_moment(why)) return fail(errc::busy, away + why);
    const PGPing ping = PQpingParams(names.data(), values.data(), 1);
    if (ping == PQPING_NO_ATTEMPT)
      return fail(errc::bad_value, "the log's address asks for what there is not: " + why, "log");
    const bool is_refused =
        PQconnectionNeedsPassword(made->connection) != 0 || why.contains("FATAL");
    if ((is_refused && ping == PQPING_OK) || is_about_tls(why))
      return fail(errc::bad_value, "the log's server is there and refuses a session: " + why,
                  "log");
    return fail(errc::busy, away + why);
  }
  had_session_ = true;
  PQsetNoticeReceiver(made->connection, session::note, made.get());
  PQsetnonblocking(made->connection, 1);
  session_ = std::move(made);
  return {};
}

/// A commit must be on the disk when it is acknowledged, and where a standby is to have it, there.
result<void> postgres_connection::check_settings() {
  auto rows = run("SELECT current_setting('synchronous_commit'), current_setting('fsync'), "
                  "current_setting('full_page_writes'), "
                  "current_setting('synchronous_standby_names'), "
                  "current_setting('client_min_messages')",
                  {}, sql_kind::look);
  if (!rows) return propagate(rows);
  const std::array<const char*, 3> names{"synchronous_commit", "fsync", "full_page_writes"};
  for (std::size_t i = 0; i < names.size(); ++i)
    if (rows->bytes(0, i) == "off")
      return fail(errc::unsupported,
                  fmt::format("the log's server runs with {} = off: what it acknowledges may be "
                              "lost, so nothing is kept there",
                              names[i]));
  standbys_ = rows->bytes(0, 3);
  if (rows->bytes(0, 0) == "local" && !standbys_.empty())
    return fail(errc::unsupported,
                fmt::format("the log's server names standbys that commits wait for "
                            "(synchronous_standby_names = '{}'), and this session's do not "
                            "(synchronous_commit = local): what it acknowledges may be lost with "
                            "the server, so nothing is kept there",
                            standbys_));
  if (rows->bytes(0, 4) != "warning")
    return fail(errc::unsupported,
                fmt::format("this session lost the settings that it began with "
                            "(client_min_messages = {}): it would not hear of a commit that no "
                            "standby has, so nothing is kept there",
                            rows->bytes(0, 4)));
  return {};
}

/// Whatever the server's configuration or the role's becomes: of synchronous_commit a session keeps
/// what it is checked with, and that a commit was not waited for is a warning, which it must hear.
result<void> postgres_connection::keep_settings() {
  auto kept = run("SELECT set_config('synchronous_commit', current_setting('synchronous_commit'), "
                  "false), set_config('client_min_messages', 'warning', false)",
                  {}, sql_kind::look);
  if (!kept) return propagate(kept);
  return {};
}

/// io: time is over, or the socket is none.
result<void> postgres_connection::wait(bool for_write, steady::time_point until) {
  pollfd socket{.fd = PQsocket(session_->connection),
                .events = static_cast<short>(for_write ? POLLIN | POLLOUT : POLLIN),
                .revents = 0};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - steady::now()).count();
    if (left <= 0) return fail(errc::io, "it does not answer");
    const int ready = ::poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail(errc::io, "its socket is none");
  }
}

/// The server goes on with what nobody waits for any more, for ever where a standby is missing: it
/// is asked not to. libpq waits until the server has taken that, which one that stands still never
/// does: so nobody waits for it, and a thread that it is left to has nothing of this connection's.
void postgres_connection::give_up() {
  std::unique_ptr<PGcancel, void (*)(PGcancel*)> cancel(PQgetCancel(session_->connection),
                                                        PQfreeCancel);
  if (!cancel) return;
  if (++cancels_under_way > most_cancels) {
    --cancels_under_way;
    return;
  }
  auto asked = std::make_shared<std::promise<void>>();
  const auto taken = asked->get_future();
  try {
    std::thread([asked, cancel = std::move(cancel)] {
      constexpr int room = 256;
      std::array<char, room> why{};
      PQcancel(cancel.get(), why.data(), room);
      --cancels_under_way;
      asked->set_value();
    }).detach();
  } catch (const std::system_error&) { // no more threads: it is not asked
    --cancels_under_way;
    return;
  }
  taken.wait_for(time_to_cancel);
}

result<sql_rows> postgres_connection::late(sql_kind kind, std::chrono::milliseconds patience) {
  give_up();
  std::string why = fmt::format("it did not answer in {} ms", patience.count());
  if (kind == sql_kind::change && !standbys_.empty())
    why += fmt::format("; its commits wait for a standby (synchronous_standby_names = '{}'), "
                       "which may be away",
                       standbys_);
  return lost(kind, why);
}

result<sql_rows> postgres_connection::lost(sql_kind kind, const std::string& why) {
  drop();
  return fail(kind == sql_kind::change ? errc::outcome_unknown : errc::busy,
              "the session with the log was lost: " + why);
}

result<sql_rows> postgres_connection::finish(sql_kind kind, std::chrono::milliseconds patience) {
  PGconn* const connection = session_->connection;
  const auto until = steady::now() + patience;
  for (int unsent = 1; unsent != 0;) {
    unsent = PQflush(connection);
    if (unsent < 0) return lost(kind, one_line(PQerrorMessage(connection)));
    if (unsent == 0) break;
    if (auto ok = wait(true, until); !ok) return lost(kind, ok.error().message);
    if (PQconsumeInput(connection) == 0) return lost(kind, one_line(PQerrorMessage(connection)));
  }
  owned_result answer;
  for (;;) {
    while (PQisBusy(connection) != 0) {
      if (auto ok = wait(false, until); !ok) return late(kind, patience);
      if (PQconsumeInput(connection) == 0) return lost(kind, one_line(PQerrorMessage(connection)));
    }
    owned_result next(PQgetResult(connection));
    if (!next) break;
    if (!answer) answer = std::move(next);
  }
  const auto status = PQresultStatus(answer.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    const std::string state = field_of(answer.get(), PG_DIAG_SQLSTATE);
    const std::string why = answer ? one_line(PQresultErrorMessage(answer.get()))
                                   : one_line(PQerrorMessage(connection));
    if (ends_session(state)) return lost(kind, why);
    const errc code = code_of(state);
    if (state == "25006") drop(); // the next session looks for who takes writes
    return fail(code, "the log's server: " + why);
  }
  sql_rows rows;
  rows.rows_.resize(static_cast<std::size_t>(PQntuples(answer.get())));
  for (int row = 0; row < PQntuples(answer.get()); ++row)
    for (int field = 0; field < PQnfields(answer.get()); ++field) {
      auto& fields = rows.rows_[static_cast<std::size_t>(row)];
      if (PQgetisnull(answer.get(), row, field) != 0)
        fields.emplace_back();
      else
        fields.emplace_back(
            std::string(PQgetvalue(answer.get(), row, field),
                        static_cast<std::size_t>(PQgetlength(answer.get(), row, field))));
    }
  const std::string_view affected = PQcmdTuples(answer.get());
  std::from_chars(affected.data(), affected.data() + affected.size(), rows.affected_);
  return rows;
}

result<sql_rows> postgres_connection::run(const std::string& statement,
                                          const std::vector<sql_value>& values, sql_kind kind) {
  if (!is_checking_)
    if (auto ok = begin(); !ok) return propagate(ok);
  const sent_values sent(values);
  if (PQsendQueryParams(session_->connection, statement.c_str(), sent.count(), sent.types.data(),
                        sent.values.data(), sent.lengths.data(), sent.formats.data(), binary)
      == 0)
    return lost(kind, one_line(PQerrorMessage(session_->connection)));
  return finish(kind, patience_.answer);
}

result<sql_rows> postgres_connection::run_prepared(const std::string& name,
                                                   const std::string& statement,
                                                   const std::vector<sql_value>& values,
                                                   sql_kind kind) {
  if (auto ok = begin(); !ok) return propagate(ok);
  const sent_values sent(values);
  if (!session_->prepared.contains(name)) {
    if (PQsendPrepare(session_->connection, name.c_str(), statement.c_str(), sent.count(),
                      sent.types.data())
        == 0)
      return lost(sql_kind::look, one_line(PQerrorMessage(session_->connection)));
    if (auto made = finish(sql_kind::look, patience_.answer); !made) return made;
    session_->prepared.insert(name);
  }
  if (PQsendQueryPrepared(session_->connection, name.c_str(), sent.count(), sent.values.data(),
                          sent.lengths.data(), sent.formats.data(), binary)
      == 0)
    return lost(kind, one_line(PQerrorMessage(session_->connection)));
  return finish(kind, patience_.answer);
}

result<sql_rows> postgres_connection::run_long(const std::string& statement) {
  if (auto ok = begin(); !ok) return propagate(ok);
  if (PQsendQueryParams(session_->connection, statement.c_str(), 0, nullptr, nullptr, nullptr,
                        nullptr, binary)
      == 0)
    return lost(sql_kind::change, one_line(PQerrorMessage(session_->connection)));
  return finish(sql_kind::change, std::chrono::hours{24});
}

void postgres_connection::rest(unsigned again) {
  constexpr int longest_ms = 1000;
  constexpr unsigned doublings = 5;
  ::poll(nullptr, 0, std::min(longest_ms, 25 << std::min(again, doublings)));
}

std::vector<std::string> postgres_connection::take_remarks() {
  if (!session_) return {};
  return std::exchange(session_->remarks, {});
}

} // namespace mneme
