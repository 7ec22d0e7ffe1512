#include "tools/library/array_tick.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/tick.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/find_json.hpp"
#include "tools/protocol/mutation_json.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::library {

namespace {

using protocol::json;
using protocol::json_path;

constexpr std::size_t id_bytes = sizeof(memory_id::bytes);

result<void> check_texts(const char* const* texts, std::size_t count, const char* name) {
  for (std::size_t i = 0; texts != nullptr && i < count; ++i)
    if (texts[i] == nullptr)
      return fail(errc::bad_value, fmt::format("{}[{}] is NULL", name, i), name);
  return {};
}

result<void> check(const mneme_round& round) {
  const auto needs = [](bool is_needed, const void* array, const char* name) -> result<void> {
    if (!is_needed || array != nullptr) return {};
    return fail(errc::missing_key, std::string(name) + " is NULL", name);
  };
  if (round.struct_size != sizeof(mneme_round))
    return fail(errc::bad_value, "struct_size is not sizeof(mneme_round)", "struct_size");
  if (auto ok = needs(round.asks > 0, round.queries, "queries"); !ok) return ok;
  if (auto ok = needs(round.writes > 0, round.texts, "texts"); !ok) return ok;
  if (auto ok = check_texts(round.texts, round.writes, "texts"); !ok) return ok;
  if (auto ok = check_texts(round.writers, round.writes, "writers"); !ok) return ok;
  if (auto ok = check_texts(round.askers, round.asks, "askers"); !ok) return ok;
  if (round.asks > max_tick_items || round.writes > max_tick_items)
    return fail(errc::limit_exceeded,
                "a tick has at most " + std::to_string(max_tick_items) + " asks and as many writes",
                round.asks > max_tick_items ? "asks" : "writes");
  constexpr std::size_t longest_vector = 4096;
  const bool has_vectors = round.asks > 0 || round.vectors != nullptr;
  if (has_vectors && (round.dim == 0 || round.dim > longest_vector))
    return fail(errc::out_of_range, "a vector has 1 to 4096 numbers", "dim");
  if (round.asks > 0 && (round.k == 0 || round.k > max_tick_items))
    return fail(errc::out_of_range, fmt::format("k is 1 to {}", max_tick_items), "k");
  return {};
}

/// `text` as a request of `op`, whose members are what all have in common; `key` is where it
/// stands.
result<json> shared_request(const char* text, const char* op, const char* key) {
  auto request = text == nullptr ? result<json>(json::object()) : protocol::parse_json(text);
  if (!request) {
    request.error().at = key;
    return request;
  }
  if (!request->is_object())
    return protocol::wrong_type("an object", *request, json_path().key(key));
  const auto named = request->find("op");
  if (named != request->end() && *named != op)
    return fail(errc::bad_value, std::string("all of these are of the op ") + op,
                std::string(key) + ".op");
  (*request)["op"] = op;
  return request;
}

result<find_request> shared_find(const mneme_round& round) {
  auto request = shared_request(round.find, "find", "find");
  if (!request) return propagate(request);
  const json_path document;
  const json_path at = document.key("find");
  if (auto ok = protocol::check_members(*request, protocol::find_keys(), true, at); !ok)
    return propagate(ok);
  for (const char* key : {"near", "query", "near_vector", "near_uri"})
    if (protocol::is_given(*request, key))
      return fail(errc::bad_value, "what is near is asked by the queries, row by row",
                  at.key(key).text());
  auto find = protocol::read_find(*request, at);
  if (find && !find->limit) find->limit = static_cast<std::int64_t>(round.k);
  if (find && *find->limit > static_cast<std::int64_t>(round.k))
    return fail(errc::out_of_range, "the arrays have room for k of each", "find.limit");
  return find;
}

result<write_request> shared_write(const mneme_round& round) {
  auto request = shared_request(round.write, "write", "write");
  if (!request) return propagate(request);
  if (!request->contains("type")) (*request)["type"] = "Note";
  if (!request->contains("data")) (*request)["data"] = json::object();
  const json_path document;
  const json_path at = document.key("write");
  if (auto ok = protocol::check_members(*request, protocol::write_keys(), true, at); !ok)
    return propagate(ok);
  auto made = protocol::read_write(*request, at);
  if (!made) return propagate(made);
  return std::get<write_request>(std::move(*made));
}

std::vector<float> row_of(const float* rows, std::size_t row, std::size_t dim) {
  const std::span all(rows + row * dim, dim);
  return {all.begin(), all.end()};
}

result<tick_request> request_of(const mneme_round& round) {
  tick_request tick;
  if (round.asks > 0) {
    auto find = shared_find(round);
    if (!find) return propagate(find);
    tick.reads.reserve(round.asks);
    for (std::size_t i = 0; i < round.asks; ++i) {
      find_request one = *find;
      one.near_vector = row_of(round.queries, i, round.dim);
      if (round.askers != nullptr) one.actor = round.askers[i];
      tick.reads.emplace_back(std::move(one));
    }
  }
  if (round.writes > 0) {
    auto write = shared_write(round);
    if (!write) return propagate(write);
    const std::string field = round.text_field == nullptr ? "statement" : round.text_field;
    tick.writes.reserve(round.writes);
    for (std::size_t i = 0; i < round.writes; ++i) {
      write_request one = *write;
      one.data[field] = std::string(round.texts[i]);
      if (round.writers != nullptr) one.actor = round.writers[i];
      if (round.vectors != nullptr) one.vector = row_of(round.vectors, i, round.dim);
      tick.writes.emplace_back(scoped_mutation{.request = std::move(one), .scope = {}});
    }
  }
  return tick;
}

void put_id(const memory_id& id, std::uint8_t* to) {
  std::ranges::copy(id.bytes, to);
}

/// What one ask found, in its rows of the arrays.
void put_found(const mneme_round& round, std::size_t ask, const find_result* found) {
  const std::size_t count = found == nullptr ? 0 : std::min(found->memories.size(), round.k);
  if (round.counts != nullptr) round.counts[ask] = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < round.k; ++i) {
    const std::size_t at = ask * round.k + i;
    const bool is_there = i < count;
    if (round.ids != nullptr)
      put_id(is_there ? found->memories[i].head->id : memory_id{}, round.ids + at * id_bytes);
    if (round.distances != nullptr) round.distances[at] = is_there ? found->distances[i] : 0;
    if (round.scores != nullptr) round.scores[at] = is_there ? found->scores[i] : 0;
  }
}

json texts_of(const find_result& found) {
  json texts = json::array();
  for (const auto& m : found.memories) texts.push_back(m.version->forms.medium_form);
  return texts;
}

} // namespace

result<json> run_array_tick(engine& target, const mneme_round& round) {
  if (auto ok = check(round); !ok) return propagate(ok);
  auto request = request_of(round);
  if (!request) return propagate(request);
  auto answered = target.tick(std::move(*request));
  if (!answered) return propagate(answered);
  json answer{{"seq", answered->seq.value}};
  json refused = json::array();
  json texts = json::array();
  for (std::size_t i = 0; i < answered->reads.size(); ++i) {
    const auto& read = answered->reads[i];
    const auto* found = read ? std::get_if<find_result>(&*read) : nullptr;
    put_found(round, i, found);
    if (round.with_texts != 0) texts.push_back(found == nullptr ? json::array() : texts_of(*found));
    if (!read)
      refused.push_back({{"read", i}, {"error", protocol::error_json(read.error())["error"]}});
  }
  for (std::size_t i = 0; i < answered->writes.size(); ++i) {
    const auto& write = answered->writes[i];
    const auto* made = write ? std::get_if<mutation_result>(&*write) : nullptr;
    if (round.written_ids != nullptr)
      put_id(made != nullptr && made->uri ? made->uri->id : memory_id{},
             round.written_ids + i * id_bytes);
    if (!write)
      refused.push_back({{"write", i}, {"error", protocol::error_json(write.error())["error"]}});
  }
  if (round.with_texts != 0) answer["texts"] = std::move(texts);
  answer["refused"] = std::move(refused);
  return answer;
}

} // namespace mneme::library
