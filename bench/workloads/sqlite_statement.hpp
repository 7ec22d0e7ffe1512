#pragma once
/// A prepared statement of SQLite. What goes wrong is kept until it is asked for.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include "mneme/error.hpp"

namespace mneme::workloads {

inline error sqlite_error(sqlite3* db) {
  return {.code = errc::io, .message = std::string("SQLite: ") + sqlite3_errmsg(db), .at = {}};
}

class sqlite_statement {
public:
  sqlite_statement(sqlite3* db, const char* text) : db_(db) {
    sqlite3_prepare_v3(db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  }
  ~sqlite_statement() { sqlite3_finalize(statement_); }
  sqlite_statement(const sqlite_statement&) = delete;
  sqlite_statement& operator=(const sqlite_statement&) = delete;

  /// Binds from the first parameter on; what is pointed to must live until the last step.
  template <class... Values>
  sqlite_statement& bind(const Values&... values) {
    int at = 0;
    (bind_one(++at, values), ...);
    return *this;
  }
  /// Calls `visit` for each row of the answer.
  template <class Visit>
  result<void> each(const Visit& visit) {
    int state = SQLITE_ERROR;
    while ((state = sqlite3_step(statement_)) == SQLITE_ROW) visit(*this);
    if (state != SQLITE_DONE) return std::unexpected(sqlite_error(db_));
    sqlite3_reset(statement_);
    return {};
  }
  result<void> run() {
    return each([](const sqlite_statement&) {});
  }
  [[nodiscard]] std::int64_t number(int column) const {
    return sqlite3_column_int64(statement_, column);
  }
  [[nodiscard]] std::string_view bytes(int column) const {
    const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
  }

private:
  void bind_one(int at, std::int64_t v) { sqlite3_bind_int64(statement_, at, v); }
  void bind_one(int at, std::string_view v) {
    sqlite3_bind_text(statement_, at, v.data(), static_cast<int>(v.size()), SQLITE_STATIC);
  }
  void bind_one(int at, std::pair<const float*, std::size_t> v) {
    sqlite3_bind_blob(statement_, at, v.first, static_cast<int>(v.second * sizeof(float)),
                      SQLITE_STATIC);
  }

  sqlite3* db_;
  sqlite3_stmt* statement_ = nullptr;
};

} // namespace mneme::workloads
