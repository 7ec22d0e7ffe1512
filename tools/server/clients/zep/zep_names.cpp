#include "tools/server/clients/zep/zep_names.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "tools/protocol/shape.hpp"

namespace mneme::server::zep {

using protocol::is_given;

std::unexpected<refusal> nothing_at(std::string_view what, const std::string& id) {
  return refuse_as(404, "not_found", fmt::format("there is no {} {}", what, id));
}

std::string text_in(const json& object, const char* key) {
  return is_given(object, key) && object[key].is_string() ? object[key].get<std::string>()
                                                          : std::string();
}

outcome<void> check_texts(const json& object, std::span<const char* const> keys) {
  for (const char* key : keys)
    if (is_given(object, key) && !object[key].is_string())
      return bad_value(fmt::format("{} is a text", key));
  return {};
}

namespace {

constexpr std::array user_texts = {"email", "first_name", "last_name"};
/// Of a change that others were ahead of.
constexpr int most_tries = 5;

std::unexpected<refusal> no_text(const char* key) {
  return bad_value(fmt::format("{} is a text that is not empty", key));
}

} // namespace

outcome<std::int64_t> number_in(const call& c, const char* name, std::int64_t otherwise) {
  std::int64_t number = otherwise;
  if (is_given(c.body, name)) {
    if (!c.body[name].is_number_integer()) return bad_value(fmt::format("{} is a number", name));
    number = c.body[name].get<std::int64_t>();
  } else if (const auto text = parameter(c.request, name); !text.empty()) {
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size())
      return bad_value(fmt::format("{} is a number", name));
  }
  if (number < 0) return bad_value(fmt::format("{} is not negative", name));
  return std::min(number, most_results);
}

std::string_view noun_of(std::string_view shelf) {
  if (shelf == users_shelf) return "user";
  return shelf == graphs_shelf ? "graph" : "thread";
}

outcome<json> named(const engine_call& engine, std::string_view shelf, const std::string& name) {
  auto got = engine.run({{"op", "get"}, {"namespace", engine.own(shelf)}, {"key", name}});
  if (!got && (got.error().status == 404 || got.error().code == "tombstoned"))
    return nothing_at(noun_of(shelf), name);
  if (!got) return propagate_refusal(got);
  return std::move((*got)["memory"]);
}

outcome<void> check_graph(const engine_call& engine, const zep_graph& graph) {
  auto known = named(engine, graph.shelf(), graph.id);
  if (!known) return propagate_refusal(known);
  return {};
}

outcome<json> create(call& c, std::string_view shelf, const char* key) {
  const auto name = text_in(c.body, key);
  if (name.empty()) return no_text(key);
  if (auto known = named(c.engine, shelf, name); known)
    return refuse_as(409, "already_exists",
                     fmt::format("there is a {} {} already", noun_of(shelf), name));
  auto put = put_named(shelf, c.engine.own(shelf), name, c.body);
  put["expect_version"] = 0;
  auto done = c.engine.run(std::move(put));
  if (!done && done.error().code == "version_conflict")
    return refuse_as(409, "already_exists",
                     fmt::format("there is a {} {} already", noun_of(shelf), name));
  if (!done) return propagate_refusal(done);
  auto made = named(c.engine, shelf, name);
  if (!made) return made;
  return named_json(*made);
}

outcome<json> create_user(call& c) {
  if (auto ok = check_texts(c.body, user_texts); !ok) return propagate_refusal(ok);
  return create(c, users_shelf, "user_id");
}

outcome<json> create_thread(call& c) {
  if (text_in(c.body, "user_id").empty()) return no_text("user_id");
  if (auto user = named(c.engine, users_shelf, text_in(c.body, "user_id")); !user) return user;
  return create(c, threads_shelf, "thread_id");
}

namespace {

/// What a user is becomes what it was, with what the body says.
outcome<json> change_known_user(const call& c) {
  auto known = named(c.engine, users_shelf, c.route.id);
  if (!known) return known;
  json body = named_json(*known);
  for (const char* key : {"uuid", "created_at", "updated_at"}) body.erase(key);
  for (const auto& [key, value] : c.body.items()) body[key] = value;
  body["user_id"] = c.route.id;
  auto put = put_named(users_shelf, c.engine.own(users_shelf), c.route.id, body);
  put["expect_version"] = (*known)["current_version"];
  return c.engine.run(std::move(put));
}

} // namespace

outcome<json> change_user(call& c) {
  if (auto ok = check_texts(c.body, user_texts); !ok) return propagate_refusal(ok);
  auto done = change_known_user(c);
  for (int i = 1; i < most_tries && !done && done.error().code == "version_conflict"; ++i)
    done = change_known_user(c);
  if (!done) return done;
  auto changed = named(c.engine, users_shelf, c.route.id);
  if (!changed) return changed;
  return named_json(*changed);
}

outcome<json> get_named(call& c, std::string_view shelf) {
  auto known = named(c.engine, shelf, c.route.id);
  if (!known) return known;
  return named_json(*known);
}

json on_shelf(const engine_call& engine, std::string_view shelf) {
  return {{"eq", {"head.namespace", engine.own(shelf)}}};
}

outcome<json> list_shelf(call& c, std::string_view shelf, const char* list) {
  const auto size = number_in(c, "pageSize", 100);
  const auto size_too = number_in(c, "page_size", size.value_or(100));
  const auto number = number_in(c, "pageNumber", 1);
  const auto number_too = number_in(c, "page_number", number.value_or(1));
  if (!size_too || !number_too) return bad_value("a page is a number");
  const auto first = std::max<std::int64_t>(*number_too - 1, 0) * *size_too;
  auto found = c.engine.run({{"op", "find"},
                             {"where", on_shelf(c.engine, shelf)},
                             {"include_archived", true},
                             {"order_by", newest_first()},
                             {"limit", std::max<std::int64_t>(*size_too, 1)},
                             {"offset", first},
                             {"count", true}});
  if (!found) return found;
  json rows = json::array();
  for (const auto& record : (*found)["memories"]) rows.push_back(named_json(record));
  const auto count = rows.size();
  return json{{list, std::move(rows)}, {"row_count", count}, {"total_count", (*found)["total"]}};
}

outcome<json> threads_of_user(call& c) {
  if (auto user = named(c.engine, users_shelf, c.route.id); !user) return user;
  json threads = json::array();
  const json where{
      {"and", {on_shelf(c.engine, threads_shelf), {{"eq", {"meta.zep_user", c.route.id}}}}}};
  const auto seen = c.engine.for_each(where, {.archived = true}, [&](const json& record) {
    threads.push_back(named_json(record));
    return true;
  });
  if (!seen) return std::unexpected(seen.error());
  return threads;
}

} // namespace mneme::server::zep
