// Facts with validity, {"s","r","o","from"?,"to"?} a line: a Topic per subject, a field per
// relation, a revision per change of what is true of it.

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "messages/codec/topic_records.hpp"
#include "messages/text/time_text.hpp"
#include "messages/validate/validate_topics.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/import.hpp"
#include "tools/import/import_sink.hpp"
#include "tools/import/source_file.hpp"
#include "tools/protocol/topic_json.hpp"

namespace mneme::importing {

namespace {

using protocol::json;
using protocol::key_shape;
using protocol::shape;
using protocol::shape_kind;
namespace shapes = protocol::shapes;

constexpr std::int64_t day_ns = 86'400LL * 1'000'000'000;
constexpr std::int64_t open_end = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t day_text_length = 10; // YYYY-MM-DD

result<void> check_object_value(const json& value, const json&, const protocol::json_path& at) {
  if (value.is_structured()) return protocol::wrong_type("text, a number or a boolean", value, at);
  return {};
}
result<void> check_when(const json& value, const json&, const protocol::json_path& at) {
  if (!value.is_string() && !value.is_number_integer())
    return protocol::wrong_type("a day (integer or YYYY-MM-DD) or a time (RFC 3339)", value, at);
  return {};
}
constexpr shape object_value{.kind = shape_kind::custom, .check = check_object_value};
constexpr shape when{.kind = shape_kind::custom, .check = check_when};
constexpr std::array fact_keys = {
    key_shape{"s", &shapes::text, true}, key_shape{"r", &shapes::text, true},
    key_shape{"o", &object_value, true}, key_shape{"from", &when}, key_shape{"to", &when}};

/// Nanoseconds at which `value` begins, or, as the end of an interval, those behind it: integers
/// and dates are whole days and the last one counts; a time of day is an instant.
result<std::int64_t> boundary(const json& value, const char* key, bool is_end) {
  std::int64_t day = 0;
  if (value.is_number_integer()) {
    day = value.get<std::int64_t>();
  } else {
    const auto& text = value.get_ref<const std::string&>();
    const bool is_day = text.size() == day_text_length;
    auto t = parse_timestamp(text);
    if (!t) return fail(t.error().code, t.error().message, key);
    if (!is_day) return t->ns;
    day = t->ns / day_ns;
  }
  if (is_end) ++day;
  if (day < 0 || day > open_end / day_ns || !is_valid(timestamp{day * day_ns}))
    return fail(errc::bad_time, "a time is from 1970 to the end of 2261", key);
  return day * day_ns;
}

/// Canonical bytes of a value, so that values are compared and ordered.
using value_key = std::string;
/// What is true at one time, by canonical bytes; empty = nothing is known.
using value_set = std::map<value_key, json_value>;

struct held_value {
  json_value value;
  std::int64_t from = 0;
  std::int64_t until = open_end;
};

struct relation {
  std::vector<held_value> facts;
};

struct subject {
  std::string where; ///< of its first line
  std::map<std::string, relation> relations;
};

value_set values_at(const std::vector<held_value>& facts, std::int64_t t) {
  value_set set;
  for (const auto& f : facts)
    if (f.from <= t && t < f.until) set.emplace(encode(f.value), f.value);
  return set;
}

value_set set_of(const json_value& value) {
  value_set set;
  if (const auto* list = std::get_if<std::vector<json_value>>(&value.node)) {
    for (const auto& item : *list) set.emplace(encode(item), item);
  } else {
    set.emplace(encode(value), value);
  }
  return set;
}

/// What the world says of a field at `t`.
value_set known_at(const topic_field_view* known, std::int64_t t) {
  if (known == nullptr) return {};
  for (const auto& r : known->history)
    if (r.valid_from.ns <= t && (!r.valid_until || t < r.valid_until->ns)) return set_of(r.value);
  return {};
}

/// The revisions that make a field say what the source says at the times of its facts, oldest
/// first. Other times are left as they are.
class field_changes {
public:
  field_changes(std::string name, const relation& source, const topic_field_view* known)
      : name_(std::move(name)), source_(source), known_(known) {}

  std::vector<field_input> all() {
    collect_times();
    for (auto it = times_.begin(); it != times_.end() && *it != open_end; ++it) {
      const auto next = std::next(it);
      const std::int64_t until = next == times_.end() ? open_end : *next;
      const value_set wanted = values_at(source_.facts, *it);
      several_ = several_ || wanted.size() > 1;
      if (!wanted.empty() && wanted != known_at(known_, *it)) add(*it, until, wanted);
    }
    return inputs();
  }

private:
  struct change {
    std::int64_t from;
    std::int64_t until;
    value_set values;
  };

  void collect_times() {
    for (const auto& f : source_.facts) times_.insert({f.from, f.until});
    if (known_ == nullptr) return;
    several_ = known_->field.head.type == topic_field_type::list;
    for (const auto& r : known_->history) {
      times_.insert(r.valid_from.ns);
      times_.insert(r.valid_until ? r.valid_until->ns : open_end);
    }
  }

  void add(std::int64_t from, std::int64_t until, const value_set& values) {
    if (!changes_.empty() && changes_.back().until == from && changes_.back().values == values)
      changes_.back().until = until;
    else
      changes_.push_back({from, until, values});
  }

  [[nodiscard]] std::vector<field_input> inputs() const {
    std::vector<field_input> inputs;
    for (const auto& c : changes_) {
      field_input f;
      f.name = name_;
      f.type = several_ ? topic_field_type::list : topic_field_type::string;
      std::vector<json_value> list;
      for (const auto& [key, value] : c.values) list.push_back(value);
      if (!several_ && list.size() == 1) {
        f.value = list.front();
        f.type = type_of(f.value);
      } else {
        f.value.node = std::move(list);
      }
      f.valid_from = timestamp{c.from};
      if (c.until != open_end) f.valid_until = timestamp{c.until};
      f.operation = "import";
      f.provenance.source = provenance_source::imported;
      inputs.push_back(std::move(f));
    }
    return inputs;
  }

  std::string name_;
  const relation& source_;
  const topic_field_view* known_;
  std::set<std::int64_t> times_;
  bool several_ = false; ///< the relation holds several values at once
  std::vector<change> changes_;
};

class facts_reader {
public:
  facts_reader(engine& target, const import_request& request, import_report& report)
      : engine_(target),
        request_(request),
        report_(report),
        sink_(target, report, manner_of(request)) {}

  result<void> read(const source_line& line) {
    auto document = protocol::parse_json(line.text);
    if (!document) return propagate(document);
    const protocol::json_path at;
    if (!document->is_object()) return protocol::wrong_type("a fact", *document, at);
    if (auto ok = protocol::check_members(*document, fact_keys, false, at); !ok) return ok;
    held_value fact{.value = protocol::read_json_value((*document)["o"])};
    if (const auto from = document->find("from"); from != document->end() && !from->is_null()) {
      auto ns = boundary(*from, "from", false);
      if (!ns) return propagate(ns);
      fact.from = *ns;
    }
    if (const auto to = document->find("to"); to != document->end() && !to->is_null()) {
      auto ns = boundary(*to, "to", true);
      if (!ns) return propagate(ns);
      fact.until = *ns;
    }
    if (fact.until <= fact.from)
      return fail(errc::bad_interval, "the fact ends before it begins", "to");
    auto& s = subjects_[(*document)["s"].get<std::string>()];
    if (s.where.empty()) s.where = line.where;
    s.relations[(*document)["r"].get<std::string>()].facts.push_back(std::move(fact));
    return {};
  }

  result<void> write() {
    std::uint64_t done = 0;
    for (const auto& [title, s] : subjects_) {
      if (auto ok = write_subject(title, s); !ok) return ok;
      if (request_.progress) request_.progress(++done, subjects_.size(), report_);
    }
    return sink_.flush();
  }

private:
  result<void> write_subject(const std::string& title, const subject& s) {
    auto here = sink_.id_here(derived_id("facts", "", title));
    if (!here) return std::unexpected(located(std::move(here.error()), s.where));
    const memory_id id = *here;
    auto existing = engine_.get(id);
    if (!existing && existing.error().code != errc::not_found
        && existing.error().code != errc::erased)
      return std::unexpected(located(std::move(existing.error()), s.where));
    const bool is_gone =
        existing ? existing->head->tombstone.has_value() : existing.error().code == errc::erased;
    if (is_gone) {
      ++report_.memories_skipped;
      return {};
    }
    std::vector<topic_field_view> known;
    if (existing) {
      auto fields = engine_.fields(id, {.history = true, .history_limit = open_end});
      if (!fields) return std::unexpected(located(std::move(fields.error()), s.where));
      known = std::move(*fields);
    }
    std::vector<field_input> inputs;
    for (const auto& [name, r] : s.relations) {
      const auto found = std::ranges::find(
          known, name, [](const topic_field_view& v) { return v.field.head.name; });
      for (auto& input : field_changes(name, r, found == known.end() ? nullptr : &*found).all())
        inputs.push_back(std::move(input));
    }
    if (existing)
      if (auto ok = sink_.leave_out_erased(id, inputs); !ok)
        return std::unexpected(located(std::move(ok.error()), s.where));
    if (existing && inputs.empty()) {
      ++report_.memories_unchanged;
      return {};
    }
    return put(id, title, existing.has_value(), std::move(inputs), s.where);
  }

  /// In requests of bounded size, the first of which makes the topic.
  result<void> put(const memory_id& id, const std::string& title, bool exists,
                   std::vector<field_input> inputs, const std::string& where) {
    report_.field_revisions_added += inputs.size();
    bool is_first = true;
    for (std::size_t from = 0; is_first || from < inputs.size(); from += max_fields_per_request) {
      ingest_request r;
      r.topic_id = id;
      r.actor = request_.actor;
      r.placement = ingest_placement::extend_topic;
      if (is_first && !exists) {
        r.placement = ingest_placement::new_topic;
        r.title = title;
      }
      const std::size_t until = std::min(inputs.size(), from + max_fields_per_request);
      for (std::size_t i = from; i < until; ++i) r.fields.push_back(std::move(inputs[i]));
      const auto count = exists ? &import_report::memories_updated : &import_report::memories_added;
      if (auto ok = sink_.put_as_is(std::move(r), id, where, is_first ? count : nullptr); !ok)
        return ok;
      is_first = false;
    }
    return {};
  }

  engine& engine_;
  const import_request& request_;
  import_report& report_;
  import_sink sink_;
  std::map<std::string, subject> subjects_;
};

} // namespace

result<void> import_facts(engine& target, const import_request& request, import_report& report) {
  facts_reader reader(target, request, report);
  const auto visit = [&](const source_line& line) -> result<void> {
    auto ok = reader.read(line);
    return ok ? ok : std::unexpected(located(std::move(ok.error()), line.where));
  };
  if (auto ok = for_each_line(request.path, visit); !ok) return ok;
  return reader.write();
}

} // namespace mneme::importing
