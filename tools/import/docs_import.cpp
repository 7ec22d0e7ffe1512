// Dated documents, one a line: {scope, id, order, text, title?, speaker?, time?, session?}.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utf8proc.h>

#include "messages/time_text.hpp"
#include "messages/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/known_members.hpp"
#include "tools/import/local_time.hpp"
#include "tools/import/source_file.hpp"
#include "tools/import/text_chunks.hpp"
#include "tools/protocol/shape.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::importing {

namespace {

using protocol::json;
using protocol::key_shape;
namespace shapes = protocol::shapes;

constexpr std::array document_keys = {
    key_shape{"scope", &shapes::text, true}, key_shape{"id", &shapes::text, true},
    key_shape{"order", &shapes::integer},    key_shape{"text", &shapes::text, true},
    key_shape{"title", &shapes::text},       key_shape{"speaker", &shapes::text},
    key_shape{"time", &shapes::time},        key_shape{"session", &shapes::text}};

struct dated_document {
  std::string scope;
  std::string id;
  std::int64_t order = 0;
  bool has_order = false;
  std::string text;
  std::optional<std::string> title;
  std::optional<std::string> speaker;
  std::optional<std::string> session;
  std::optional<timestamp> time;
  metadata_map other; ///< what the file says beyond the keys of the format
};

result<dated_document> read_document(const source_line& line) {
  auto parsed = protocol::parse_json(line.text);
  if (!parsed) return propagate(parsed);
  const protocol::json_path document;
  if (!parsed->is_object()) return protocol::wrong_type("a document object", *parsed, document);
  dated_document d;
  auto known = known_members(*parsed, document_keys, d.other);
  if (!known) return propagate(known);
  std::optional<error> failure;
  protocol::value_reader in(*known, document, failure);
  d.scope = in.text_or("scope", "");
  d.id = in.text_or("id", "");
  d.has_order = in.find("order") != nullptr;
  d.order = in.integer("order").value_or(0);
  d.text = in.text_or("text", "");
  d.title = in.text("title");
  d.speaker = in.text("speaker");
  d.session = in.text("session");
  if (const json* time = in.find("time")) {
    auto t = time->is_string() ? parse_local_time(time->get_ref<const std::string&>())
                               : protocol::read_time(*time);
    if (!t) return fail(t.error().code, t.error().message, "time");
    d.time = *t;
  }
  return d;
}

std::string lower(std::string_view text) {
  std::string out;
  const auto* at = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  auto left = static_cast<utf8proc_ssize_t>(text.size());
  while (left > 0) {
    utf8proc_int32_t point = 0;
    const auto taken = utf8proc_iterate(at, left, &point);
    if (taken <= 0) break; // cannot be: the line was checked to be UTF-8
    utf8proc_uint8_t encoded[4];
    const auto size = utf8proc_encode_char(utf8proc_tolower(point), encoded);
    out.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
    at += taken;
    left -= taken;
  }
  return out;
}

std::string tag_of(std::string_view name, std::string_view value) {
  return std::string(cut_text(fmt::format("{}:{}", name, lower(value)), max_tag_bytes));
}

/// 2000-01-01 plus the order in seconds, held inside the range of times.
timestamp time_of_order(std::int64_t order) {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  const std::int64_t seconds =
      std::clamp<std::int64_t>(order, 0, (max_timestamp.ns - undated.ns) / ns_per_second);
  return {undated.ns + seconds * ns_per_second};
}

write_request memory_of(const dated_document& d) {
  write_request r;
  const bool is_event = d.time || d.speaker || d.session;
  r.type = is_event ? memory_type::event : memory_type::note;
  if (is_event) {
    r.data = {{"kind", std::string("observation")},
              {"outcome", std::string("success")},
              {"summary", d.text}};
  } else {
    r.data = {{"statement", d.text}};
    if (d.title && !d.title->empty()) r.data.emplace("label", *d.title);
  }
  r.actor = d.scope;
  r.lifecycle.emplace().project = d.scope;
  r.metadata = d.other;
  r.metadata["source_id"] = d.id;
  r.metadata["order"] = d.order;
  if (d.title) r.metadata["title"] = *d.title;
  if (d.speaker) r.tags.push_back(tag_of("speaker", *d.speaker));
  if (d.session) r.tags.push_back(tag_of("session", *d.session));
  r.created_at = d.time.value_or(time_of_order(d.order));
  r.provenance.source = provenance_source::imported;
  r.id = derived_id("docs", d.scope, d.id, *r.created_at);
  return r;
}

struct link {
  std::int64_t order;
  memory_id id;
  timestamp at;

  friend auto operator<=>(const link&, const link&) = default;
};
using sessions = std::map<std::pair<std::string, std::string>, std::vector<link>>;

result<void> put_order(sessions& all, import_sink& sink) {
  for (auto& [name, links] : all) {
    std::ranges::sort(links);
    for (std::size_t i = 1; i < links.size(); ++i) {
      add_edge_request edge{.src = links[i - 1].id,
                            .type = static_cast<std::uint8_t>(edge_type::related_to),
                            .dst = links[i].id,
                            .actor = name.first,
                            .weight = 1.0F,
                            .kind = "next",
                            .data = {},
                            .by = {},
                            .created_at = links[i].at};
      if (edge.src == edge.dst) continue; // the same document twice
      if (auto ok = sink.put(std::move(edge), "session " + name.second); !ok) return ok;
    }
  }
  return {};
}

} // namespace

result<void> import_docs(engine& target, const import_request& request, import_report& report) {
  import_sink sink(target, report);
  sessions order;
  const auto visit = [&](const source_line& line) -> result<void> {
    auto d = read_document(line);
    if (!d) return std::unexpected(located(std::move(d.error()), line.where));
    write_request r = memory_of(*d);
    // Turns follow each other, in their session or, where there is none, in their scope.
    const bool is_turn = r.type == memory_type::event && (d->session || d->has_order);
    if (is_turn)
      order[{d->scope, d->session.value_or("")}].push_back({d->order, *r.id, *r.created_at});
    if (request.progress) request.progress(line.position, line.file_size, report);
    return sink.put(std::move(r), {}, line.where);
  };
  // A folder of a data set has them in docs.jsonl.
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(request.path, unknown);
  if (auto ok = for_each_line(is_folder ? request.path + "/docs.jsonl" : request.path, visit); !ok)
    return ok;
  if (auto ok = put_order(order, sink); !ok) return ok;
  return sink.flush();
}

} // namespace mneme::importing
