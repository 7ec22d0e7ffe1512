#include "tools/import/docs_topics.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/import_topics.hpp"
#include "tools/import/text_chunks.hpp"
#include "tools/import/text_words.hpp"

namespace mneme::importing {

namespace {

constexpr std::string_view docs_format = "docs";
constexpr std::size_t summary_words = 16;
constexpr std::size_t max_title_bytes = 256;
constexpr std::size_t max_speakers = 64;

/// What is known of a scope or of a session.
struct document_group {
  std::int64_t documents = 0;
  std::set<std::string> speakers;
  std::set<std::string> sessions;
  std::optional<timestamp> first;
  std::optional<timestamp> last;
  word_counts words;
  bool is_talk = false; ///< has speakers or sessions

  void add(const memory_record& m, const std::optional<std::string>& speaker,
           const std::optional<std::string>& session);
};

std::string_view text_of_document(const version& v) {
  const char* key = v.type == memory_type::event ? "summary" : "statement";
  const auto value = v.data.find(key);
  const auto* text = value == v.data.end() ? nullptr : std::get_if<std::string>(&value->second);
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

/// False of a time that only says the order.
bool has_time(const head& h, const version& v) {
  const auto order = h.metadata.find("order");
  const auto* n = std::get_if<std::int64_t>(&order->second);
  return v.type == memory_type::event && (n == nullptr || v.created_at != time_of_docs_order(*n));
}

void document_group::add(const memory_record& m, const std::optional<std::string>& speaker,
                         const std::optional<std::string>& session) {
  const version& v = m.versions.back();
  ++documents;
  if (speaker && (speakers.contains(*speaker) || speakers.size() < max_speakers))
    speakers.insert(*speaker);
  if (session) sessions.insert(*session);
  is_talk = is_talk || speaker || session;
  words.add(text_of_document(v));
  if (!has_time(m.head, v)) return;
  if (!first || v.created_at < *first) first = v.created_at;
  if (!last || *last < v.created_at) last = v.created_at;
}

using groups = std::map<std::pair<std::string, std::string>, document_group>;

/// What is it about: its speakers and its most frequent words.
std::string summary_of(const document_group& g) {
  const std::string words = fmt::format("{}", fmt::join(g.words.most(summary_words), ", "));
  if (g.speakers.empty()) return words;
  return fmt::format("{}: {}", fmt::join(g.speakers, ", "), words);
}

memory_id topic_id_of(std::string_view scope, const std::string& session) {
  return derived_id("docs topic", scope, session);
}

topic_source topic_of(const std::string& scope, const std::string& session,
                      const document_group& g) {
  topic_source t{.id = topic_id_of(scope, session),
                 .actor = scope,
                 .title = is_blank(scope) ? "documents" : scope,
                 .summary = summary_of(g),
                 .kind = g.is_talk ? "conversation" : "documents",
                 .fields = {},
                 .part_of = {},
                 .is_overview = true};
  if (!session.empty()) {
    t.title = scope + " " + session;
    t.kind = "session";
    t.part_of = {topic_id_of(scope, "")};
  }
  t.title = std::string(cut_text(t.title, max_title_bytes));
  add_field(t, g.is_talk ? "turns" : "documents", {g.documents}, {}, g.last);
  if (!g.speakers.empty()) add_field(t, "speakers", {g.speakers.begin(), g.speakers.end()}, g.last);
  if (session.empty() && !g.sessions.empty())
    add_field(t, "sessions", {static_cast<std::int64_t>(g.sessions.size())}, {}, g.last);
  if (g.first) {
    add_field(t, "first", {to_string(*g.first)}, topic_field_type::datetime, g.last);
    add_field(t, "last", {to_string(*g.last)}, topic_field_type::datetime, g.last);
  }
  return t;
}

/// Is it a document as this importer writes them?
bool is_document(const head& h) {
  return !h.tombstone && !h.erased && (h.type == memory_type::event || h.type == memory_type::note)
         && h.lifecycle && h.lifecycle->project == h.actor_scope && h.metadata.contains("source_id")
         && h.metadata.contains("order");
}

} // namespace

memory_id docs_memory_id(std::string_view scope, std::string_view id) {
  return derived_id(docs_format, scope, id);
}

timestamp time_of_docs_order(std::int64_t order) {
  constexpr std::int64_t ns_per_second = 1'000'000'000;
  const std::int64_t seconds =
      std::clamp<std::int64_t>(order, 0, (max_timestamp.ns - undated.ns) / ns_per_second);
  return {undated.ns + seconds * ns_per_second};
}

std::optional<std::string> text_of(const metadata_map& metadata, const char* key) {
  const auto value = metadata.find(key);
  if (value == metadata.end()) return std::nullopt;
  const auto* text = std::get_if<std::string>(&value->second);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

result<void> put_docs_topics(engine& target, import_sink& sink, import_report& report,
                             const std::set<std::string>& scopes) {
  groups all;
  const auto visit = [&](const memory_record& m) {
    if (!scopes.contains(m.head.actor_scope) || !is_document(m.head)) return true;
    const auto speaker = text_of(m.head.metadata, "speaker");
    const auto session = text_of(m.head.metadata, "session");
    all[{m.head.actor_scope, ""}].add(m, speaker, session);
    if (session && !session->empty()) all[{m.head.actor_scope, *session}].add(m, speaker, session);
    return true;
  };
  if (auto ok = target.for_each_memory(visit); !ok) return ok;
  for (const auto& [name, g] : all)
    if (auto ok = put_topic(target, sink, report, topic_of(name.first, name.second, g),
                            "topic " + name.first);
        !ok)
      return ok;
  return {};
}

} // namespace mneme::importing
