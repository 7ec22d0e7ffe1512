#pragma once
/// Zep's users, graphs and threads, which have names: each stands under its name in a namespace of
/// who asks.

#include <span>

#include "tools/server/access/world_turns.hpp"
#include "tools/server/clients/engine_call.hpp"
#include "tools/server/clients/zep/zep_records.hpp"
#include "tools/server/clients/zep/zep_routes.hpp"

namespace mneme::server::zep {

/// Of one list.
inline constexpr std::int64_t most_results = 1'000;

/// What a request is about.
struct call {
  const http_request& request;
  const zep_route& route;
  engine_call engine;
  json body;
  world_turns& turns;
};

std::unexpected<refusal> nothing_at(std::string_view what, const std::string& id);
/// "" where it is no text.
std::string text_in(const json& object, const char* key);
/// What is there of these is a text.
outcome<void> check_texts(const json& object, std::span<const char* const> keys);
/// A number among the parameters or in the body, at most `most_results`.
outcome<std::int64_t> number_in(const call& c, const char* name, std::int64_t otherwise);

/// A user, a graph or a thread: what it is, "there is no user X".
std::string_view noun_of(std::string_view shelf);
/// The record of what has a name; 404 if nothing has.
outcome<json> named(const engine_call& engine, std::string_view shelf, const std::string& name);
outcome<void> check_graph(const engine_call& engine, const zep_graph& graph);
/// All on a shelf, as a predicate.
json on_shelf(const engine_call& engine, std::string_view shelf);

/// 409 where the name, which stands under `key` in the body, is taken.
outcome<json> create(call& c, std::string_view shelf, const char* key);
outcome<json> create_user(call& c);
outcome<json> create_thread(call& c);
outcome<json> change_user(call& c);
outcome<json> get_named(call& c, std::string_view shelf);
/// A page of a shelf as `list`, with its counts.
outcome<json> list_shelf(call& c, std::string_view shelf, const char* list);
outcome<json> threads_of_user(call& c);

} // namespace mneme::server::zep
