// Dated documents, one a line: {scope, id, order, text, title?, speaker?, time?, session?}.

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/text/lower_case.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/docs_topics.hpp"
#include "tools/import/documents.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/known_members.hpp"
#include "tools/import/local_time.hpp"
#include "tools/import/source_file.hpp"
#include "tools/import/talk_shape.hpp"
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
  std::string speaker_address; ///< where the speaker was named as mails name a sender
  std::optional<std::string> session;
  std::optional<timestamp> time;
  metadata_map other; ///< what the file says beyond the keys of the format
};

std::string_view without_margins(std::string_view text) {
  constexpr std::string_view margins = " \t\r\n\"";
  const auto first = text.find_first_not_of(margins);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(margins) - first + 1);
}

struct sender_parts {
  std::string_view name;
  std::string_view address;
};

/// "Ann Lee <ann@example.org>", and as older mails have it "ann@example.org (Ann Lee)".
std::optional<sender_parts> parts_of(std::string_view sender) {
  const auto open = sender.find_last_of("<(");
  if (open == std::string_view::npos) return {};
  const bool is_name_first = sender[open] == '<';
  if (!sender.ends_with(is_name_first ? '>' : ')')) return {};
  const std::string_view before = without_margins(sender.substr(0, open));
  const std::string_view within =
      without_margins(sender.substr(open + 1, sender.size() - open - 2));
  return is_name_first ? sender_parts{before, within} : sender_parts{within, before};
}

/// A sender as mails have it: people ask what Ann Lee said, and who
/// wrote from two addresses is one speaker. A name alone, or an address alone, stays as it is.
void part_sender(dated_document& d) {
  if (!d.speaker) return;
  const auto sender = parts_of(without_margins(*d.speaker));
  if (!sender || sender->name.empty()) return;
  const bool is_address = sender->address.find('@') != std::string_view::npos
                          && sender->address.find_first_of(" \t<>()") == std::string_view::npos;
  if (!is_address) return;
  d.speaker_address = sender->address;
  d.speaker = std::string(sender->name);
}

result<dated_document> read_document(const source_line& line) {
  auto parsed = protocol::parse_json(line.text);
  if (!parsed) return propagate(parsed);
  const protocol::json_path document;
  if (!parsed->is_object()) return protocol::wrong_type("a document object", *parsed, document);
  dated_document d;
  auto known = known_members(*parsed, document_keys, d.other);
  if (!known) return propagate(known);
  fault_list faults;
  protocol::value_reader in(*known, document, faults);
  d.scope = in.text_or("scope", "");
  d.id = in.text_or("id", "");
  d.has_order = in.find("order") != nullptr;
  d.order = in.integer("order").value_or(0);
  d.text = in.text_or("text", "");
  d.title = in.text("title");
  d.speaker = in.text("speaker");
  part_sender(d);
  d.session = in.text("session");
  if (const json* time = in.find("time")) {
    auto t = time->is_string() ? parse_local_time(time->get_ref<const std::string&>())
                               : protocol::read_time(*time);
    if (!t) return fail(t.error().code, t.error().message, "time");
    d.time = *t;
  }
  return d;
}

std::string tag_of(std::string_view name, std::string_view value) {
  return std::string(cut_text(fmt::format("{}:{}", name, lower_case(value)), max_tag_bytes));
}

bool is_dated(const dated_document& d) {
  return d.time || d.speaker || d.session;
}

std::vector<std::string> tags_of(const std::optional<std::string>& speaker,
                                 const std::optional<std::string>& session) {
  std::vector<std::string> tags;
  if (speaker) tags.push_back(tag_of("speaker", *speaker));
  if (session) tags.push_back(tag_of("session", *session));
  return tags;
}

/// A title, as the subject of a mail, is found as the text is; that of what has a session is the
/// session's.
std::string text_with_title(const dated_document& d) {
  const bool is_alone = !d.title || d.title->empty() || d.session || d.text.starts_with(*d.title);
  return is_alone ? d.text : *d.title + "\n" + d.text;
}

memory_data data_of(const dated_document& d, memory_type type) {
  if (type == memory_type::event)
    return {{"kind", std::string("observation")},
            {"outcome", std::string("success")},
            {"summary", text_with_title(d)}};
  memory_data data = {{"statement", d.text}};
  if (d.title && !d.title->empty()) data.emplace("label", *d.title);
  return data;
}

/// Nothing that a document may gain later is in its id.
write_request memory_of(const dated_document& d, memory_type type) {
  write_request r;
  r.type = type;
  r.data = data_of(d, type);
  if (type == memory_type::event && !d.text.empty())
    r.forms = told_forms(d.speaker.value_or(""), d.text);
  r.actor = d.scope;
  r.lifecycle.emplace().project = d.scope;
  r.metadata = d.other;
  r.metadata["source_id"] = d.id;
  r.metadata["order"] = d.order;
  if (d.title) r.metadata["title"] = *d.title;
  if (d.speaker) r.metadata["speaker"] = *d.speaker;
  if (!d.speaker_address.empty()) r.metadata["speaker_address"] = d.speaker_address;
  if (d.session) r.metadata["session"] = *d.session;
  r.tags = tags_of(d.speaker, d.session);
  // Who is asked for by the address is the same.
  if (!d.speaker_address.empty()) r.tags.push_back(tag_of("speaker", d.speaker_address));
  r.created_at = d.time.value_or(time_of_docs_order(d.order));
  r.provenance.source = provenance_source::imported;
  r.id = docs_memory_id(d.scope, d.id);
  return r;
}

colour_source colour_of(const dated_document& d) {
  colour_source colour{.whose = d.scope, .names = {}, .text = d.text, .when = d.time};
  if (d.speaker) colour.names.push_back(*d.speaker);
  if (d.title) colour.names.push_back(*d.title);
  return colour;
}

struct link {
  std::int64_t order;
  memory_id id;
  timestamp at;
  std::string speaker;
  bool asks = false;

  friend auto operator<=>(const link&, const link&) = default;
};

struct dated_turn {
  std::int64_t order;
  timestamp time;
};

/// What comes after a document.
struct following {
  memory_id id;
  std::string_view kind; ///< of the edge
};

class docs_import {
public:
  docs_import(engine& target, const import_request& request, import_report& report)
      : engine_(target),
        request_(request),
        report_(report),
        sink_(target, report, manner_of(request)) {}

  result<void> put(const source_line& line) {
    auto d = read_document(line);
    if (!d) return std::unexpected(located(std::move(d.error()), line.where));
    const auto [known, is_first] = seen_.try_emplace({d->scope, d->id}, line.where);
    if (!is_first)
      return fail(errc::already_exists,
                  fmt::format("{}: document \"{}\" of \"{}\" is at {} too", line.where, d->id,
                              d->scope, known->second),
                  "id");
    scopes_.insert(d->scope);
    date_by_talk(*d);
    auto ok = put_document(*d, line.where);
    if (request_.progress) request_.progress(line.position, line.file_size, report_);
    return ok;
  }

  result<void> finish() {
    if (auto ok = put_order(); !ok) return ok;
    if (auto ok = sink_.flush(); !ok) return ok;
    if (auto ok = put_docs_topics(engine_, sink_, report_, scopes_); !ok) return ok;
    return sink_.flush();
  }

private:
  /// Where a talk names the time of a turn alone, those behind it follow it, a second each.
  void date_by_talk(dated_document& d) {
    if (!d.has_order || !(d.speaker || d.session)) return;
    if (d.time) {
      dated_[d.scope] = {d.order, *d.time};
      return;
    }
    const auto known = dated_.find(d.scope);
    if (known == dated_.end() || known->second.order >= d.order) return;
    constexpr std::int64_t second_ns = 1'000'000'000;
    constexpr std::uint64_t most_turns = 1'000'000; // beyond, its order is no place in that talk
    const auto turns =
        static_cast<std::uint64_t>(d.order) - static_cast<std::uint64_t>(known->second.order);
    if (turns <= most_turns)
      d.time = timestamp{known->second.time.ns + static_cast<std::int64_t>(turns) * second_ns};
  }

  result<void> put_document(const dated_document& d, const std::string& where) {
    auto here = sink_.id_here(docs_memory_id(d.scope, d.id));
    if (!here) return propagate(here);
    auto existing = engine_.get(*here);
    // The type of a memory is fixed: a Note that gains a time stays one.
    auto type = is_dated(d) ? memory_type::event : memory_type::note;
    if (existing
        && (existing->head->type == memory_type::event
            || existing->head->type == memory_type::note))
      type = existing->head->type;
    write_request r = memory_of(d, type);
    r.id = *here;
    source_keys keys{.created_at = d.time.has_value()};
    if (existing) {
      before_.insert(*r.id);
      keys.tags = merge_tags(existing->head, d, r.tags);
    }
    // Turns follow each other, in their session or, where there is none, in their scope. Documents
    // that nobody said and no session holds do not, however they are dated.
    if (d.session || (d.speaker && d.has_order))
      sessions_[{d.scope, d.session.value_or("")}].push_back(
          {d.order, *r.id, *r.created_at, d.speaker.value_or(""), asks(d.text)});
    if (d.speaker) talks_[d.scope].add(*d.speaker, d.text);
    return sink_.put(std::move(r), keys, where, colour_of(d));
  }

  /// Speaker and session are tags; where the source names others than the last time, those of that
  /// time go. True if the tags are to change.
  static bool merge_tags(const head& known, const dated_document& d,
                         std::vector<std::string>& tags) {
    const auto speaker = text_of(known.metadata, "speaker");
    const auto session = text_of(known.metadata, "session");
    const bool gained = (d.speaker && d.speaker != speaker) || (d.session && d.session != session);
    if (!gained) return false;
    const auto old =
        tags_of(d.speaker ? speaker : std::nullopt, d.session ? session : std::nullopt);
    for (const auto& tag : known.tags)
      if (std::ranges::find(old, tag) == old.end() && std::ranges::find(tags, tag) == tags.end())
        tags.push_back(tag);
    return true;
  }

  result<void> put_order() {
    std::map<memory_id, following> next;
    for (auto& [name, links] : sessions_) {
      const bool is_among_peers = talks_[name.first].is_among_peers();
      std::ranges::sort(links);
      for (std::size_t i = 1; i < links.size(); ++i) {
        const link& before = links[i - 1];
        const bool is_answer = is_among_peers && before.asks && before.speaker != links[i].speaker;
        next[before.id] = {links[i].id, is_answer ? answer_kind : next_kind};
      }
    }
    for (const auto& [name, links] : sessions_) {
      for (std::size_t i = 0; i < links.size(); ++i) {
        if (auto ok = remove_stale(links[i].id, next, name.first); !ok) return ok;
        if (i == 0) continue;
        const memory_id& before = links[i - 1].id;
        const std::string where = "session " + name.second;
        add_edge_request edge{.src = before,
                              .type = static_cast<std::uint8_t>(edge_type::related_to),
                              .dst = links[i].id,
                              .actor = name.first,
                              .weight = 1.0F,
                              .kind = std::string(next[before].kind),
                              .data = {},
                              .by = {},
                              .created_at = links[i].at};
        auto ok = other_kind_.contains(before)
                      ? sink_.put_as_is(std::move(edge), before, where, &import_report::edges_added)
                      : sink_.put(std::move(edge), where);
        if (!ok) return ok;
      }
    }
    return {};
  }

  /// Edges of an earlier import that lead to another document of this source than the next one go;
  /// of one that leads there and is of another kind note is taken.
  result<void> remove_stale(const memory_id& id, const std::map<memory_id, following>& next,
                            const std::string& scope) {
    if (!before_.contains(id)) return {};
    std::vector<memory_id> stale;
    const auto wanted = next.find(id);
    const auto visit = [&](const edge_record& edge) {
      if (edge.kind != next_kind && edge.kind != answer_kind) return true;
      const bool is_next = wanted != next.end() && wanted->second.id == edge.key.dst;
      if (is_next && edge.kind != wanted->second.kind) other_kind_.insert(id);
      if (!is_next && before_.contains(edge.key.dst)) stale.push_back(edge.key.dst);
      return true;
    };
    auto walked = engine_.for_each_edge(id, edge_direction::out, {.types = {edge_type::related_to}},
                                        {}, visit);
    if (!walked) return walked;
    for (const auto& dst : stale) {
      remove_edge_request r{.src = id,
                            .type = static_cast<std::uint8_t>(edge_type::related_to),
                            .dst = dst,
                            .actor = scope,
                            .reason = "no longer the next one",
                            .by = {}};
      if (auto ok = sink_.put_as_is(std::move(r), id, "order", &import_report::edges_removed); !ok)
        return ok;
    }
    return {};
  }

  static constexpr std::string_view next_kind = "next";
  static constexpr std::string_view answer_kind = "answer";

  engine& engine_;
  const import_request& request_;
  import_report& report_;
  import_sink sink_;
  std::map<std::pair<std::string, std::string>, std::string> seen_; ///< (scope, id): where
  std::map<std::pair<std::string, std::string>, std::vector<link>> sessions_;
  std::map<std::string, talk_shape> talks_; ///< by scope
  std::set<std::string> scopes_;
  std::map<std::string, dated_turn> dated_; ///< by scope: the last turn that names its time
  std::set<memory_id> before_;              ///< what the world had already
  std::set<memory_id> other_kind_;          ///< what leads to the next by an edge of the other kind
};

} // namespace

result<void> import_documents(engine& target, const import_request& request, import_report& report,
                              const document_source& documents) {
  docs_import into(target, request, report);
  if (auto ok = documents([&](const source_line& line) { return into.put(line); }); !ok) return ok;
  return into.finish();
}

result<void> import_docs(engine& target, const import_request& request, import_report& report) {
  // A folder of a data set has them in docs.jsonl.
  std::error_code unknown;
  const bool is_folder = std::filesystem::is_directory(request.path, unknown);
  const std::string path = is_folder ? request.path + "/docs.jsonl" : request.path;
  return import_documents(target, request, report,
                          [&](const document_visitor& put) { return for_each_line(path, put); });
}

} // namespace mneme::importing
