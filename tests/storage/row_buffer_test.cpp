// The rows in memory against a std::map of every value that a key ever had.
#include <algorithm>
#include <map>
#include <thread>

#include <catch2/catch.hpp>

#include "storage/row_buffer.hpp"
#include "tests/storage/kv_model.hpp"

using namespace mneme;
using namespace mneme::testing;

namespace {

/// By key, then by commit; nullopt is a deletion.
using history = std::map<std::string, std::map<std::uint64_t, std::optional<std::string>>>;

const std::optional<std::string>* value_at(const history& all, const std::string& key,
                                           std::uint64_t commit) {
  const auto of_key = all.find(key);
  if (of_key == all.end()) return nullptr;
  const auto behind = of_key->second.upper_bound(commit);
  return behind == of_key->second.begin() ? nullptr : &std::prev(behind)->second;
}

bool is(const std::optional<row_buffer::value>& found, const std::optional<std::string>* wanted) {
  if (wanted == nullptr) return !found;
  return found && found->is_deleted == !wanted->has_value()
         && (!wanted->has_value() || found->bytes == **wanted);
}

} // namespace

TEST_CASE("every key has every value that it was given, as of every commit") {
  row_buffer rows;
  std::array<history, kv_table_count> model;
  constexpr std::uint64_t commits = 300;
  for (std::uint64_t commit = 1; commit <= commits; ++commit)
    for (const auto& row : batch_of(7, seq_no{commit})) {
      rows.put(row, seq_no{commit});
      model[static_cast<std::size_t>(row.table)][row.key][commit] = row.value;
    }
  for (std::size_t t = 0; t < kv_table_count; ++t) {
    const auto table = static_cast<kv_table>(t);
    for (const std::uint64_t commit : {0UL, 1UL, 37UL, 150UL, 299UL, 300UL, 5000UL}) {
      row_buffer::cursor at(rows, table, "");
      for (const auto& [key, values] : model[t]) {
        REQUIRE_FALSE(at.at_end());
        CHECK(at.key() == key);
        CHECK(is(at.as_of({commit}), value_at(model[t], key, commit)));
        CHECK(is(rows.find(table, key, {commit}), value_at(model[t], key, commit)));
        at.next();
      }
      CHECK(at.at_end());
    }
    CHECK_FALSE(rows.find(table, "never", {commits}));
    const row_buffer::cursor behind(rows, table, "\xFF\xFF");
    CHECK(behind.at_end());
  }
}

TEST_CASE("a cursor begins at the first key that is not less") {
  row_buffer rows;
  for (const char* key : {"d", "b", "f", "ba"})
    rows.put({kv_table::heads, key, std::string(key)}, {1});
  const auto first = [&](std::string_view lower) {
    const row_buffer::cursor at(rows, kv_table::heads, lower);
    return at.at_end() ? std::string("end") : std::string(at.key());
  };
  CHECK(first("") == "b");
  CHECK(first("b") == "b");
  CHECK(first("bb") == "d");
  CHECK(first("f") == "f");
  CHECK(first("fa") == "end");
}

TEST_CASE("keys are in the order of their bytes, however short and whatever they begin with") {
  using namespace std::string_literals;
  // Some differ behind the eighth byte alone, some by bytes that are zero.
  const std::vector<std::string> keys = {"\0"s,
                                         "\0\0"s,
                                         "\0\0\0\0\0\0\0\0"s,
                                         "\0\0\0\0\0\0\0\0\0"s,
                                         "a"s,
                                         "a\0"s,
                                         "a\0\0\0\0\0\0\0\0"s,
                                         "a\0b"s,
                                         "abcdefg"s,
                                         "abcdefgh"s,
                                         "abcdefgh\0"s,
                                         "abcdefgha"s,
                                         "abcdefghb"s,
                                         "abcdefgi"s,
                                         "b"s,
                                         "\x7F"s,
                                         "\x80"s,
                                         "\x80\xFF"s,
                                         "\xFF"s,
                                         "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s};
  row_buffer rows;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& key = keys[i * 7 % keys.size()];
    rows.put({kv_table::fields, key, key}, seq_no{1});
  }
  row_buffer::cursor at(rows, kv_table::fields, "");
  for (const auto& key : keys) {
    REQUIRE_FALSE(at.at_end());
    CHECK(at.key() == key);
    CHECK(rows.find(kv_table::fields, key, {1})->bytes == key);
    at.next();
  }
  CHECK(at.at_end());
  CHECK(rows.key_count() == keys.size());
}

TEST_CASE("values that are larger than a block, and what all of it takes") {
  row_buffer rows;
  CHECK(rows.bytes() == 0);
  const std::string large(1 << 20, 'x');
  rows.put({kv_table::versions, "large", large}, {1});
  rows.put({kv_table::versions, "small", "y"}, {1});
  CHECK(rows.find(kv_table::versions, "large", {1})->bytes == large);
  CHECK(rows.find(kv_table::versions, "small", {1})->bytes == "y");
  CHECK(rows.bytes() >= large.size());
  CHECK(rows.bytes() < 2 * large.size());
}

TEST_CASE("readers beside the writer find what was committed before they looked", "[threads]") {
  row_buffer rows;
  constexpr std::uint64_t commits = 3000;
  std::atomic<std::uint64_t> committed{0};
  std::atomic<int> wrong{0};
  const auto key_of = [](std::uint64_t n) { return std::to_string(n * 7919 % 10'007); };
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; ++r)
    readers.emplace_back([&] {
      while (committed < commits) {
        const std::uint64_t at = committed;
        if (at == 0) continue;
        const auto found = rows.find(kv_table::heads, key_of(at), {at});
        if (!found || found->bytes != std::to_string(at)) ++wrong;
        std::uint64_t seen = 0;
        std::string last;
        for (row_buffer::cursor c(rows, kv_table::heads, ""); !c.at_end(); c.next()) {
          if (c.key() <= last) ++wrong;
          last = c.key();
          if (c.as_of({at})) ++seen;
        }
        if (seen != at) ++wrong;
      }
    });
  for (std::uint64_t n = 1; n <= commits; ++n) {
    rows.put({kv_table::heads, key_of(n), std::to_string(n)}, {n});
    committed = n;
  }
  for (auto& reader : readers) reader.join();
  CHECK(wrong == 0);
}
