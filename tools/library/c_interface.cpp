// The functions of mneme/mneme.h: bytes in, bytes out, over a session of the line protocol. No
// exception leaves them.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "mneme/mneme.h"
#include "tools/import/ingest_source.hpp"
#include "tools/library/array_tick.hpp"
#include "tools/library/call_queue.hpp"
#include "tools/library/open_options.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/session.hpp"
#include "tools/server/access/shared_door.hpp"
#include "tools/server/access/shared_request.hpp"
#include "tools/server/access/vacant_directory.hpp"

using mneme::errc;
using mneme::error;
using mneme::fail;
using mneme::propagate;
using mneme::result;
using mneme::protocol::json;

struct mneme_engine {
  std::shared_ptr<mneme::manual_clock> clock;
  std::optional<mneme::engine> alone;                 ///< a world that nobody shares
  std::unique_ptr<mneme::server::shared_door> shared; ///< else
  mneme::library::call_queue calls;                   ///< ends before the engine does

  /// Null: another process has it open.
  [[nodiscard]] mneme::engine* here() { return alone ? &*alone : shared->here(); }
  /// Calls that wait for changes come back.
  void stop_waiting() {
    if (alone)
      alone->stop_waiting();
    else
      shared->stop_waiting();
  }
};

struct mneme_answer {
  std::string bytes;
  bool ok = false;
};

namespace {

std::string_view view_of(const void* bytes, size_t size) {
  return {static_cast<const char*>(bytes), bytes == nullptr ? 0 : size};
}

bool is_known(int format) {
  return format == MNEME_JSON || format == MNEME_MESSAGEPACK;
}

/// What every call asks of its arguments.
result<void> check(const void* given, const char* name, int format) {
  if (!is_known(format)) return fail(errc::bad_value, "no such format", "format");
  if (given == nullptr) return fail(errc::bad_value, std::string(name) + " is NULL", name);
  return {};
}

/// bad_value: bytes are said to be where there are none.
result<void> check_bytes(const void* bytes, size_t size) {
  if (bytes == nullptr && size > 0) return fail(errc::bad_value, "the request is NULL", "request");
  return {};
}

result<json> parse(std::string_view bytes, int format, std::optional<error>& oversized) {
  if (bytes.empty()) return json::object();
  return format == MNEME_JSON ? mneme::protocol::parse_json(bytes, oversized)
                              : mneme::protocol::parse_messagepack(bytes, oversized);
}

mneme_answer* answer_of(result<json> answer, int format) {
  auto made = std::make_unique<mneme_answer>();
  made->ok = answer.has_value();
  const json whole = answer ? mneme::protocol::ok_json(std::move(*answer))
                            : mneme::protocol::error_json(answer.error());
  made->bytes = format == MNEME_MESSAGEPACK ? mneme::protocol::print_messagepack(whole)
                                            : mneme::protocol::print(whole);
  return made.release();
}

/// The same of a world that another process has open.
result<json> joined_json(mneme::server::door& to) {
  auto stats = mneme::server::outcome_of(to.run({}, "stats", json::object()));
  if (!stats) return stats;
  json answer;
  for (const char* key : {"world", "world_id", "embedder", "language", "seq"})
    if (const auto told = stats->find(key); told != stats->end()) answer[key] = *told;
  const auto space = stats->find("space");
  answer["dim"] = space != stats->end() && space->is_object() ? (*space)["dim"] : json(0);
  answer["joined"] = true;
  return answer;
}

json opened_json(mneme::engine& opened) {
  json answer;
  if (const auto stats = opened.stats()) {
    answer["world"] = stats->world_name;
    answer["world_id"] = to_hex(stats->world);
    answer["embedder"] = stats->embedder;
    answer["language"] = stats->language;
    answer["dim"] = stats->space.dim;
  }
  answer["seq"] = opened.published().value;
  const mneme::open_report found = opened.opened();
  if (found.torn_bytes > 0) answer["torn_bytes"] = found.torn_bytes;
  if (!found.store_problem.empty()) answer["store_problem"] = found.store_problem;
  if (!found.vectors_problem.empty()) answer["vectors_problem"] = found.vectors_problem;
  return answer;
}

result<std::unique_ptr<mneme_engine>> open(std::string_view bytes, int format) {
  std::optional<error> oversized;
  auto request = parse(bytes, format, oversized);
  if (!request) return propagate(request);
  if (oversized) return std::unexpected(std::move(*oversized));
  auto options = mneme::library::read_open_options(*request);
  if (!options) return propagate(options);
  const mneme::engine_options& asked = options->engine;
  if (asked.create && !asked.read_only && !asked.directory.empty())
    if (auto ok = mneme::server::check_world_or_vacant(asked.directory); !ok) return propagate(ok);
  auto made = std::make_unique<mneme_engine>();
  made->clock = options->clock;
  if (options->is_shared) {
    // Who joins is held to it as who opens, and may open it later.
    if (auto ok = mneme::engine::check_made_with(options->engine); !ok) return propagate(ok);
    auto shared = mneme::server::shared_door::make(
        [its = options->engine](bool may_make) {
          auto own = its;
          own.create = own.create && may_make;
          return mneme::engine::open(std::move(own));
        },
        {.directory = options->engine.directory});
    if (!shared) return propagate(shared);
    made->shared = std::move(*shared);
    return made;
  }
  auto opened = mneme::engine::open(std::move(options->engine));
  if (!opened) return propagate(opened);
  made->alone = std::move(*opened);
  if (made->clock != nullptr && made->alone->published().value > 0)
    made->clock->set(made->alone->last_entry_at());
  return made;
}

/// The world where this process has it open, also if who had it open has ended since.
mneme::engine* here_by_now(mneme_engine& engine) {
  if (mneme::engine* const here = engine.here()) return here;
  engine.shared->run({}, "root", json::object());
  return engine.here();
}

/// What no other process does for this one.
bool is_done_here_alone(const char* op, const json& request) {
  constexpr std::string_view name = "ingest_source";
  if (op != nullptr) return op == name;
  return request.is_object() && request.contains("op") && request["op"] == name;
}

result<json> run(mneme_engine& engine, const char* op, std::string_view bytes, int format) {
  std::optional<error> oversized;
  auto request = parse(bytes, format, oversized);
  if (!request) return request;
  mneme::engine* const here =
      is_done_here_alone(op, *request) ? here_by_now(engine) : engine.here();
  if (here == nullptr)
    return mneme::server::outcome_of(
        engine.shared->run({}, op == nullptr ? "" : op, std::move(*request), oversized));
  mneme::protocol::session session(*here, engine.clock.get(), mneme::importing::ingest_source);
  if (format == MNEME_JSON) session.only_prints(mneme::protocol::row_form::in_lines);
  return op == nullptr ? session.run(*request, oversized)
                       : session.run(op, std::move(*request), oversized);
}

} // namespace

const char* mneme_version() {
  return MNEME_VERSION;
}

mneme_answer* mneme_open(const void* options, size_t size, int format, mneme_engine** opened) {
  if (opened != nullptr) *opened = nullptr;
  if (auto ok = check(opened, "opened", format); !ok) return answer_of(propagate(ok), format);
  auto made = open(view_of(options, size), format);
  if (!made) return answer_of(propagate(made), format);
  mneme::engine* const here = (*made)->here();
  auto told = here == nullptr ? joined_json(*(*made)->shared) : result<json>(opened_json(*here));
  if (told) *opened = made->release();
  return answer_of(std::move(told), format);
}

mneme_answer* mneme_call(mneme_engine* engine, const char* op, const void* request, size_t size,
                         int format) {
  if (auto ok = check(engine, "engine", format); !ok) return answer_of(propagate(ok), format);
  if (auto ok = check_bytes(request, size); !ok) return answer_of(propagate(ok), format);
  return answer_of(run(*engine, op, view_of(request, size), format), format);
}

void mneme_call_async(mneme_engine* engine, const char* op, const void* request, size_t size,
                      int format, mneme_callback callback, void* context) {
  if (callback == nullptr) return; // nobody could be told
  if (engine == nullptr) return callback(context, mneme_call(engine, op, request, size, format));
  auto name = op == nullptr ? std::optional<std::string>() : std::optional<std::string>(op);
  engine->calls.add([engine, name = std::move(name), bytes = std::string(view_of(request, size)),
                     format, callback, context] {
    callback(context, mneme_call(engine, name ? name->c_str() : nullptr, bytes.data(), bytes.size(),
                                 format));
  });
}

mneme_answer* mneme_tick_arrays(mneme_engine* engine, const mneme_round* round, int format) {
  if (auto ok = check(engine, "engine", format); !ok) return answer_of(propagate(ok), format);
  if (auto ok = check(round, "round", format); !ok) return answer_of(propagate(ok), format);
  mneme::engine* const here = here_by_now(*engine);
  if (here == nullptr)
    return answer_of(fail(errc::unsupported,
                          "arrays go to a world that is open in this process; another one has it "
                          "open: ask with tick"),
                     format);
  return answer_of(mneme::library::run_array_tick(*here, *round), format);
}

mneme_answer* mneme_close(mneme_engine* engine, int format) {
  if (auto ok = check(engine, "engine", format); !ok) return answer_of(propagate(ok), format);
  if (engine->calls.is_one_of_mine())
    return answer_of(fail(errc::unsupported, "a world is not closed from a callback of its own"),
                     format);
  engine->stop_waiting();
  engine->calls.finish();
  mneme::engine* const here = engine->here();
  json answer = json::object();
  if (here != nullptr) answer["seq"] = here->published().value;
  auto closed = engine->alone ? engine->alone->close() : engine->shared->close();
  if (!closed) return answer_of(propagate(closed), format);
  return answer_of(std::move(answer), format);
}

void mneme_free(mneme_engine* engine) {
  if (engine == nullptr || engine->calls.is_one_of_mine()) return;
  engine->stop_waiting();
  engine->calls.finish();
  delete engine;
}

int mneme_answer_ok(const mneme_answer* answer) {
  return answer != nullptr && answer->ok ? 1 : 0;
}

const char* mneme_answer_bytes(const mneme_answer* answer, size_t* size) {
  if (size != nullptr) *size = answer == nullptr ? 0 : answer->bytes.size();
  return answer == nullptr ? "" : answer->bytes.c_str();
}

void mneme_answer_free(mneme_answer* answer) {
  delete answer;
}
