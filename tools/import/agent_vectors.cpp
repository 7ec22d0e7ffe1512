#include "tools/import/agent_vectors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/validate/validate.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;
using protocol::json;
using protocol::key_shape;
namespace shapes = protocol::shapes;

constexpr std::array vector_keys = {key_shape{"scope", &shapes::text, true},
                                    key_shape{"key", &shapes::text, true},
                                    key_shape{"row", &shapes::integer, true}};

struct vector_key {
  std::string scope;
  std::string key;
  std::uint64_t row = 0;
};

result<vector_key> read_key(std::string_view line) {
  auto parsed = protocol::parse_json(line);
  if (!parsed) return propagate(parsed);
  const protocol::json_path document;
  if (!parsed->is_object()) return protocol::wrong_type("a key object", *parsed, document);
  if (auto ok = protocol::check_members(*parsed, vector_keys, false, document); !ok)
    return propagate(ok);
  fault_list faults;
  protocol::value_reader in(*parsed, document, faults);
  vector_key k{.scope = in.text_or("scope", ""), .key = in.text_or("key", ""), .row = 0};
  const std::int64_t row = in.integer("row").value_or(0);
  if (row < 0) in.fail_key("row", errc::out_of_range, "rows count from 0");
  k.row = static_cast<std::uint64_t>(row);
  return protocol::finish(faults, std::move(k));
}

float number_at(std::string_view bytes, std::size_t index) {
  std::uint32_t bits = 0;
  for (std::size_t k = sizeof bits; k-- > 0;)
    bits = (bits << 8) | static_cast<std::uint8_t>(bytes[index * sizeof bits + k]);
  return std::bit_cast<float>(bits);
}

/// How many numbers a row has: the file's size over the rows that the keys name.
result<std::uint32_t> dimension(const std::string& file, std::uint64_t bytes, std::uint64_t rows) {
  const std::uint64_t row_bytes = rows == 0 ? 0 : bytes / rows;
  const std::uint64_t dim = row_bytes / sizeof(float);
  if (dim == 0 || dim > max_vector_dim || dim * sizeof(float) * rows != bytes)
    return fail(errc::bad_vector,
                fmt::format("{}: {} bytes are not {} rows of 1 to {} 32-bit floats", file, bytes,
                            rows, max_vector_dim));
  return static_cast<std::uint32_t>(dim);
}

} // namespace

result<std::optional<agent_vectors>> agent_vectors::read(const std::string& folder) {
  const std::string numbers = (fs::path(folder) / "vectors.bin").string();
  const std::string keys = (fs::path(folder) / "vectors.keys.jsonl").string();
  std::error_code ignored;
  if (!fs::exists(numbers, ignored) && !fs::exists(keys, ignored))
    return std::optional<agent_vectors>{};
  agent_vectors v;
  std::set<std::uint64_t> rows;
  const auto visit = [&](const source_line& line) -> result<void> {
    auto k = read_key(line.text);
    if (!k) return std::unexpected(located(std::move(k.error()), line.where));
    rows.insert(k->row);
    if (!v.rows_.try_emplace({k->scope, k->key}, k->row).second)
      return fail(errc::bad_value, line.where + ": this key was there before", "key");
    return {};
  };
  if (auto ok = for_each_line(keys, visit); !ok) return propagate(ok);
  auto bytes = read_source(numbers);
  if (!bytes) return propagate(bytes);
  v.bytes_ = std::move(*bytes);
  const std::uint64_t count = rows.empty() ? 0 : *rows.rbegin() + 1;
  if (count != rows.size())
    return fail(errc::bad_value,
                fmt::format("{}: rows up to {} are named, but only {} of them", keys, count - 1,
                            rows.size()),
                "row");
  auto dim = dimension(numbers, v.bytes_.size(), count);
  if (!dim) return propagate(dim);
  v.dim_ = *dim;
  for (std::size_t i = 0; i < v.bytes_.size() / sizeof(float); ++i)
    if (!std::isfinite(number_at(v.bytes_, i)))
      return fail(errc::bad_vector,
                  fmt::format("{}: row {} has a number that is not finite", numbers, i / *dim));
  return std::optional(std::move(v));
}

std::optional<std::vector<float>> agent_vectors::find(std::string_view scope,
                                                      std::string_view key) const {
  const auto found = rows_.find(std::pair(std::string(scope), std::string(key)));
  if (found == rows_.end()) return std::nullopt;
  std::vector<float> values(dim_);
  for (std::size_t i = 0; i < dim_; ++i) values[i] = number_at(bytes_, found->second * dim_ + i);
  // A zero vector has no direction: the text was not embedded.
  if (std::ranges::all_of(values, [](float x) { return x == 0; })) return std::nullopt;
  return values;
}

} // namespace mneme::importing
