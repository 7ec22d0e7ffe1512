// Import of an export: the same heads and versions, nonces and times included.

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "messages/codec/records.hpp"
#include "messages/codec/topic_records.hpp"
#include "tools/import/export_format.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/record_json.hpp"
#include "tools/import/returned_ids.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/value_reader.hpp"

namespace mneme::importing {

namespace {

using protocol::json_path;
using protocol::key_shape;
using protocol::shape;
using protocol::shape_kind;
namespace shapes = protocol::shapes;

constexpr std::array header_keys = {
    key_shape{export_key, &shapes::integer, true},  key_shape{"world", &shapes::text, true},
    key_shape{"world_id", &shapes::text, true},     key_shape{"seq", &shapes::integer, true},
    key_shape{"root", &shapes::text, true},         key_shape{"vector_model", &shapes::text, true},
    key_shape{"vector_dim", &shapes::integer, true}};

/// The members of records are checked where the records are read.
result<void> check_object(const json& value, const json&, const json_path& at) {
  return value.is_object() ? result<void>{} : protocol::wrong_type("an object", value, at);
}
constexpr shape record{.kind = shape_kind::custom, .check = check_object};
constexpr shape records{.kind = shape_kind::list, .item = &record};
constexpr std::array memory_keys = {
    key_shape{"head", &record, true}, key_shape{"versions", &records, true},
    key_shape{"vector", &shapes::vector}, key_shape{"fields", &records}};
constexpr std::array tag_line_keys = {key_shape{"tag", &shapes::text, true},
                                      key_shape{"anchor", &shapes::integer, true}};
constexpr std::array edge_line_keys = {key_shape{"edge", &record, true}};

struct memory_line {
  head current;
  std::vector<version> versions;
  std::optional<std::vector<float>> vector;
  std::vector<put_field_record_request> fields;
};

class export_reader {
public:
  export_reader(engine& target, const import_request& request, import_sink& sink,
                import_report& report)
      : engine_(target), sink_(sink), report_(report), ids_(target, request.brings_back_erased) {}

  result<void> read(const source_line& line) {
    auto parsed = protocol::parse_json(line.text);
    if (!parsed) return propagate(parsed);
    const json_path document;
    if (!parsed->is_object()) return protocol::wrong_type("an object", *parsed, document);
    if (!header_read_) return read_header(*parsed);
    if (parsed->contains("tag")) return read_tag(*parsed);
    if (parsed->contains("edge")) return read_edge(*parsed, line.where);
    return read_memory(*parsed, line.where);
  }

private:
  result<void> read_header(const json& line) {
    const json_path document;
    const auto format = line.find(export_key);
    if (format == line.end())
      return fail(errc::bad_value, "this is not an export of mneme: its first line has no "
                                       + std::string(export_key));
    if (*format != export_format)
      return fail(errc::format_unsupported,
                  fmt::format("the export has format {}, this mneme reads {}",
                              protocol::print(*format), export_format));
    if (auto ok = protocol::check_members(line, header_keys, false, document); !ok) return ok;
    header_read_ = true;
    const auto& model = line["vector_model"].get_ref<const std::string&>();
    auto stats = engine_.stats();
    if (!stats) return propagate(stats);
    const bool differs = line["vector_dim"] != 0 && stats->space.dim != 0
                         && (model != stats->space.model || line["vector_dim"] != stats->space.dim);
    if (differs)
      return fail(errc::dim_mismatch,
                  fmt::format("the export's vectors are of \"{}\", this world's of \"{}\"", model,
                              stats->space.model),
                  "vector_model");
    return {};
  }

  result<memory_line> parse_memory(const json& line) {
    const json_path document;
    if (auto ok = protocol::check_members(line, memory_keys, false, document); !ok)
      return propagate(ok);
    memory_line m;
    auto current = read_head_record(line["head"], document.key("head"));
    if (!current) return propagate(current);
    m.current = std::move(*current);
    const json_path list = document.key("versions");
    for (std::size_t i = 0; i < line["versions"].size(); ++i) {
      auto v = read_version_record(line["versions"][i], list.item(i));
      if (!v) return propagate(v);
      if (v->id != m.current.id || v->number <= (m.versions.empty() ? 0 : m.versions.back().number))
        return fail(errc::bad_value, "the versions of a memory ascend from 1", list.item(i).text());
      m.versions.push_back(std::move(*v));
    }
    if (m.versions.empty() || m.versions.back().number != m.current.current_version)
      return fail(errc::bad_value, "the head's current version is not the last one", list.text());
    if (line.contains("fields")) {
      const json_path fields = document.key("fields");
      for (std::size_t i = 0; i < line["fields"].size(); ++i) {
        auto f = read_field_record(line["fields"][i], fields.item(i));
        if (!f) return propagate(f);
        m.fields.push_back(std::move(*f));
      }
    }
    fault_list faults;
    m.vector = protocol::value_reader(line, document, faults).vector("vector");
    return m;
  }

  /// Where a trim had dropped versions, those that are there are the first ones of this world.
  static void number_anew(memory_line& m) {
    if (m.versions.size() == m.current.current_version) return;
    std::uint32_t number = 0;
    for (version& v : m.versions) {
      v.number = ++number;
      v.hash = hash_of(v);
    }
    m.current.current_version = number;
    m.current.version_hash = m.versions.back().hash;
    if (m.current.embedding) m.current.embedding->version = number;
  }

  static bool has_its_hashes(const memory_line& m) {
    const auto has_own = [](const auto& record) { return hash_of(record) == record.hash; };
    return std::ranges::all_of(m.versions, has_own)
           && m.current.version_hash == m.versions.back().hash
           && std::ranges::all_of(m.fields, [&](const put_field_record_request& f) {
                return std::ranges::all_of(f.revisions, has_own)
                       && std::ranges::any_of(f.revisions, [&](const field_revision& r) {
                            return r.number == f.field.current
                                   && r.hash == f.field.head.newest_hash;
                          });
              });
  }

  /// Where it, or what it names, comes back under another id. What is there keeps what it names.
  result<void> rename(memory_line& m) {
    for (put_field_record_request& f : m.fields) f.brings_back_erased = ids_.brings_back();
    const memory_id exported = m.current.id;
    if (auto ok = ids_.rename(m.current.id); !ok) return ok;
    if (m.current.id == exported && engine_.get(exported)) return {};
    if (!has_its_hashes(m)) return {}; // which the engine refuses
    if (m.current.tombstone && m.current.tombstone->superseded_by)
      if (auto ok = ids_.rename(*m.current.tombstone->superseded_by); !ok) return ok;
    for (version& v : m.versions) {
      v.id = m.current.id;
      if (auto ok = ids_.rename(v.provenance); !ok) return ok;
      if (auto ok = ids_.rename(v.data); !ok) return ok;
      v.hash = hash_of(v);
    }
    m.current.version_hash = m.versions.back().hash;
    for (put_field_record_request& f : m.fields)
      if (auto ok = rename(f, m.current.id); !ok) return ok;
    return {};
  }
  result<void> rename(put_field_record_request& f, const memory_id& topic) {
    f.field.head.topic = topic;
    if (f.field.head.ref_topic_id)
      if (auto ok = ids_.rename(*f.field.head.ref_topic_id); !ok) return ok;
    for (field_revision& r : f.revisions) {
      r.topic = topic;
      if (auto ok = ids_.rename(r.value); !ok) return ok;
      if (auto ok = ids_.rename(r.provenance); !ok) return ok;
      if (r.merged_from)
        if (auto ok = ids_.rename(*r.merged_from); !ok) return ok;
      r.hash = hash_of(r);
      if (r.number == f.field.current) f.field.head.newest_hash = r.hash;
    }
    return {};
  }

  result<void> read_memory(const json& line, const std::string& where) {
    auto m = parse_memory(line);
    if (!m) return propagate(m);
    if (auto ok = rename(*m); !ok) return ok;
    const memory_id id = m->current.id;
    auto existing = engine_.get(id);
    if (!existing && existing.error().code == errc::erased) {
      ++report_.memories_skipped;
      return {};
    }
    if (!existing && existing.error().code != errc::not_found) return propagate(existing);
    const bool is_as_exported = existing && *existing->head == m->current;
    number_anew(*m);
    std::uint32_t known = 0;
    if (existing) {
      if (is_as_exported || *existing->head == m->current) {
        ++report_.memories_unchanged;
        return put_fields(*m, where);
      }
      known = existing->head->current_version;
      if (known > m->versions.size() || existing->version->hash != m->versions[known - 1].hash)
        return fail(errc::version_conflict,
                    "memory " + to_string(id) + " went on differently in this world", "head");
    }
    // A head that changed without a new version is restored with its current version again.
    const std::uint32_t first = known == m->versions.size() ? known : known + 1;
    for (std::uint32_t n = first; n <= m->versions.size(); ++n)
      if (auto ok = put_version(*m, n, known > 0, where); !ok) return ok;
    return put_fields(*m, where);
  }

  /// Fields that are there already change nothing.
  result<void> put_fields(memory_line& m, const std::string& where) {
    for (auto& f : m.fields)
      if (auto ok = sink_.put_as_is(std::move(f), m.current.id, where, nullptr); !ok) return ok;
    return {};
  }

  result<void> put_version(const memory_line& m, std::uint32_t number, bool is_known,
                           const std::string& where) {
    const bool is_last = number == m.versions.size();
    put_record_request r{.head = m.current, .version = m.versions[number - 1], .vector = {}};
    if (is_last) {
      r.vector = m.vector;
    } else {
      r.head.current_version = number;
      r.head.version_hash = r.version.hash;
      r.head.embedding.reset(); // only the current version's vector is kept
      r.head.tombstone.reset();
    }
    const auto count = is_known ? &import_report::memories_updated : &import_report::memories_added;
    return sink_.put_as_is(std::move(r), m.current.id, where, is_last ? count : nullptr);
  }

  /// Bound here to the same anchor; memories behind it may need it.
  result<void> read_tag(const json& line) {
    const json_path document;
    if (auto ok = protocol::check_members(line, tag_line_keys, false, document); !ok) return ok;
    fault_list faults;
    protocol::value_reader in(line, document, faults);
    assign_tag_request r;
    r.tag = in.text_or("tag", "");
    r.anchor = in.integer("anchor");
    if (faults) return faults.refusal();
    auto done = engine_.apply(std::move(r));
    if (!done) return propagate(done);
    return {};
  }

  result<void> read_edge(const json& line, const std::string& where) {
    const json_path document;
    if (auto ok = protocol::check_members(line, edge_line_keys, false, document); !ok) return ok;
    auto e = read_edge_record(line["edge"], document.key("edge"));
    if (!e) return propagate(e);
    if (auto ok = ids_.rename(e->key.src); !ok) return ok;
    if (auto ok = ids_.rename(e->key.dst); !ok) return ok;
    auto existing = engine_.get_edge(e->key);
    if (existing && *existing == *e) {
      ++report_.edges_unchanged;
      return {};
    }
    if (!existing && existing.error().code != errc::not_found) return propagate(existing);
    const memory_id src = e->key.src;
    return sink_.put_as_is(put_edge_record_request{std::move(*e)}, src, where,
                           &import_report::edges_added);
  }

  engine& engine_;
  import_sink& sink_;
  import_report& report_;
  returned_ids ids_;
  bool header_read_ = false;
};

} // namespace

result<void> import_export(engine& target, const import_request& request, import_report& report) {
  if (request.source_class)
    return fail(errc::unsupported, "an export says itself whose word each memory is",
                "source_class");
  import_sink sink(target, report, manner_of(request));
  export_reader reader(target, request, sink, report);
  const auto visit = [&](const source_line& line) -> result<void> {
    if (request.progress) request.progress(line.position, line.file_size, report);
    auto ok = reader.read(line);
    return ok ? ok : std::unexpected(located(std::move(ok.error()), line.where));
  };
  if (auto ok = for_each_line(request.path, visit); !ok) return ok;
  return sink.flush();
}

} // namespace mneme::importing
