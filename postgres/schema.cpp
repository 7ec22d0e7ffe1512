#include "postgres/schema.hpp"

namespace mneme {

const std::vector<std::string_view>& postgres_schema() {
  static const std::vector<std::string_view> statements{
      "CREATE SCHEMA IF NOT EXISTS mneme",
      // One row a log: its end, and who leads it. Every append updates it, so that its page has
      // room for that. Of trimmed_frames and checkpoint nothing is made.
      "CREATE TABLE IF NOT EXISTS mneme.log ("
      " name text PRIMARY KEY,"
      " format bigint NOT NULL,"
      " founding bytea NOT NULL,"
      " frames bigint NOT NULL,"
      " head bytea NOT NULL,"
      " last_seq bigint NOT NULL,"
      " epoch bigint NOT NULL,"
      " holder text NOT NULL,"
      " lease_until timestamptz NOT NULL,"
      " trimmed_frames bigint NOT NULL,"
      " checkpoint bytea NOT NULL) WITH (fillfactor = 50)",
      // `at` counts from 1; the head of a frame that lacks payloads says so.
      "CREATE TABLE IF NOT EXISTS mneme.frame ("
      " log text NOT NULL,"
      " at bigint NOT NULL,"
      " last_seq bigint NOT NULL,"
      " hash bytea NOT NULL,"
      " epoch bigint NOT NULL,"
      " head bytea NOT NULL,"
      " payloads bytea,"
      " PRIMARY KEY (log, at))",
      // Which frame has an entry: for erasures.
      "CREATE INDEX IF NOT EXISTS frame_by_seq ON mneme.frame (log, last_seq, at)",
      "CREATE TABLE IF NOT EXISTS mneme.blob ("
      " log text NOT NULL,"
      " hash bytea NOT NULL,"
      " bytes bytea NOT NULL,"
      " PRIMARY KEY (log, hash))"};
  return statements;
}

const std::string_view schema_query =
    "SELECT count(DISTINCT c.oid), count(*) FILTER (WHERE c.relkind IN ('r', 'p') AND"
    " c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, NULL) IN ("
    "'log.name text', 'log.format bigint', 'log.founding bytea', 'log.frames bigint',"
    " 'log.head bytea', 'log.last_seq bigint', 'log.epoch bigint', 'log.holder text',"
    " 'log.lease_until timestamp with time zone', 'log.trimmed_frames bigint',"
    " 'log.checkpoint bytea', 'frame.log text', 'frame.at bigint', 'frame.last_seq bigint',"
    " 'frame.hash bytea', 'frame.epoch bigint', 'frame.head bytea', 'frame.payloads bytea',"
    " 'blob.log text', 'blob.hash bytea', 'blob.bytes bytea')),"
    " count(*) FILTER (WHERE c.relpersistence <> 'p')"
    " FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped"
    " WHERE n.nspname = 'mneme' AND c.relname IN ('log', 'frame', 'blob')";

} // namespace mneme
