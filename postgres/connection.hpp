#pragma once
/// One session with a PostgreSQL server through libpq: connects when it is first needed and after a
/// failure, never waits for ever, and says of every failure whether something may have happened.
/// One thread at a time.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mneme/error.hpp"

namespace mneme {

struct connection_patience {
  std::chrono::milliseconds connect{2000}; ///< for a session to begin
  std::chrono::milliseconds answer{5000};  ///< to one statement
  /// For what a question comes to, however often it is asked; the last answer is waited for
  /// besides.
  std::chrono::milliseconds question{15'000};
};

/// What stands behind $1, $2 …: binary, so that nothing is quoted.
class sql_value {
public:
  sql_value(std::uint64_t number);   // NOLINT(google-explicit-constructor): a list of values
  sql_value(std::string_view bytes); // NOLINT(google-explicit-constructor)
  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] bool is_number() const { return is_number_; }

private:
  std::string bytes_;
  bool is_number_ = false;
};

/// The rows of an answer. A number is a bigint, what is text or bytea is its bytes.
class sql_rows {
public:
  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// Rows that were returned, or changed where none are.
  [[nodiscard]] std::uint64_t affected() const { return affected_; }
  /// Preconditions: there is such a field, and it has a value of that kind.
  [[nodiscard]] std::uint64_t number(std::size_t row, std::size_t field) const;
  [[nodiscard]] std::string_view bytes(std::size_t row, std::size_t field) const;
  /// The first field that has no value; absent: all have one.
  [[nodiscard]] std::optional<std::size_t> lacking(std::size_t row) const;

private:
  friend class postgres_connection;
  std::vector<std::vector<std::optional<std::string>>> rows_;
  std::uint64_t affected_ = 0;
};

/// True where the server's settings, as the session has them, keep every commit that it
/// acknowledges: part of a statement. `local` does, unless a standby was to have the commit, too.
/// Of one that no standby has the session hears by a warning.
inline constexpr std::string_view keeps_commits =
    "(current_setting('fsync') <> 'off' AND current_setting('full_page_writes') <> 'off'"
    " AND current_setting('synchronous_commit') <> 'off'"
    " AND (current_setting('synchronous_commit') <> 'local'"
    "  OR current_setting('synchronous_standby_names') = '')"
    " AND current_setting('client_min_messages') = 'warning')";

/// Whether a statement that was not answered may have changed something.
enum class sql_kind : std::uint8_t { look, change };

class postgres_connection {
public:
  postgres_connection(std::string database, const connection_patience& patience);
  ~postgres_connection();
  postgres_connection(const postgres_connection&) = delete;
  postgres_connection& operator=(const postgres_connection&) = delete;

  /// Begins a session where there is none. busy: no server could be reached that takes writes.
  /// unsupported: as check_settings() says. bad_value, of the first session alone: it is
  /// there, and refuses role, password, database or how the line is kept secret.
  result<void> begin();
  /// One statement. busy: the server is away or another transaction was in the way, and nothing
  /// has changed; outcome_unknown: of a change alone, it may have; not_found: there is no such
  /// relation; any other error is the server's refusal.
  result<sql_rows> run(const std::string& statement, const std::vector<sql_value>& values,
                       sql_kind kind);
  /// The same, whose plan is kept for the session under this name.
  result<sql_rows> run_prepared(const std::string& name, const std::string& statement,
                                const std::vector<sql_value>& values, sql_kind kind);
  /// As long as it takes: what the server does with whole relations.
  result<sql_rows> run_long(const std::string& statement);
  /// unsupported: by the server's settings as they are now, a commit may be lost that it
  /// acknowledges.
  result<void> check_settings();
  /// What the server remarked on since this was last asked.
  std::vector<std::string> take_remarks();
  /// Waits a little, with `again` longer, up to a second.
  void rest(unsigned again);
  /// Ends the session. What is not committed is rolled back.
  void drop();

private:
  struct session;

  result<void> open();
  result<void> keep_settings();
  [[nodiscard]] bool is_alive();
  result<void> wait(bool for_write, std::chrono::steady_clock::time_point until);
  result<sql_rows> finish(sql_kind kind, std::chrono::milliseconds patience);
  result<sql_rows> lost(sql_kind kind, const std::string& why);
  /// The same of what was not answered in time.
  result<sql_rows> late(sql_kind kind, std::chrono::milliseconds patience);
  void give_up();

  std::string database_;
  connection_patience patience_;
  std::unique_ptr<session> session_;
  std::string standbys_;     ///< that commits wait for, when the session began
  bool is_checking_ = false; ///< the session is new, and asked what it is
  bool had_session_ =
      false; ///< so that an address that is wrong is told from a server that is away
};

/// bad_value: libpq knows no such options. Connects to nothing.
result<void> check_postgres_options(const std::string& database);

} // namespace mneme
