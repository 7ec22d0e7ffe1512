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

using mneme::errc;
using mneme::error;
using mneme::fail;
using mneme::propagate;
using mneme::result;
using mneme::protocol::json;

struct mneme_engine {
  std::shared_ptr<mneme::manual_clock> clock;
  mneme::engine opened;
  mneme::library::call_queue calls; ///< ends before the engine does
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
  auto opened = mneme::engine::open(std::move(options->engine));
  if (!opened) return propagate(opened);
  auto made = std::make_unique<mneme_engine>(options->clock, std::move(*opened));
  if (made->clock != nullptr && made->opened.published().value > 0)
    made->clock->set(made->opened.last_entry_at());
  return made;
}

result<json> run(mneme_engine& engine, const char* op, std::string_view bytes, int format) {
  std::optional<error> oversized;
  auto request = parse(bytes, format, oversized);
  if (!request) return request;
  mneme::protocol::session session(engine.opened, engine.clock.get(),
                                   mneme::importing::ingest_source);
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
  *opened = made->release();
  return answer_of(opened_json((*opened)->opened), format);
}

mneme_answer* mneme_call(mneme_engine* engine, const char* op, const void* request, size_t size,
                         int format) {
  if (auto ok = check(engine, "engine", format); !ok) return answer_of(propagate(ok), format);
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
  return answer_of(mneme::library::run_array_tick(engine->opened, *round), format);
}

mneme_answer* mneme_close(mneme_engine* engine, int format) {
  if (auto ok = check(engine, "engine", format); !ok) return answer_of(propagate(ok), format);
  if (engine->calls.is_one_of_mine())
    return answer_of(fail(errc::unsupported, "a world is not closed from a callback of its own"),
                     format);
  engine->calls.finish();
  const mneme::seq_no last = engine->opened.published();
  auto closed = engine->opened.close();
  if (!closed) return answer_of(propagate(closed), format);
  return answer_of(json{{"seq", last.value}}, format);
}

void mneme_free(mneme_engine* engine) {
  if (engine == nullptr || engine->calls.is_one_of_mine()) return;
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
