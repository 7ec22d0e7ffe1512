#include "query/records/history_reads.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "messages/ensure.hpp"
#include "query/answer_bytes.hpp"
#include "query/records/keyed_memory.hpp"
#include "query/records/read_for.hpp"
#include "query/request_numbers.hpp"
#include "views/answer_room.hpp"

namespace mneme {

namespace {

struct value_text {
  std::string operator()(const std::string& v) const { return v; }
  std::string operator()(std::int64_t v) const { return std::to_string(v); }
  std::string operator()(double v) const { return fmt::format("{}", v); }
  std::string operator()(bool v) const { return v ? "true" : "false"; }
  std::string operator()(timestamp v) const { return to_string(v); }
  std::string operator()(const memory_id& v) const { return to_string(v); }
  std::string operator()(const std::vector<std::string>& v) const {
    return fmt::format("{}", fmt::join(v, ", "));
  }
};

using named_texts = std::map<std::string, std::string>;

/// What of a version is compared. Times that it has for having been written then say nothing.
named_texts parts_of(const version& v) {
  named_texts parts;
  for (const auto& [name, value] : v.data) parts["data." + name] = std::visit(value_text{}, value);
  const auto add_time = [&](const char* name, const std::optional<timestamp>& time) {
    if (time) parts[name] = to_string(*time);
  };
  if (v.valid_from != v.created_at) add_time("valid_from", v.valid_from);
  add_time("valid_until", v.valid_until);
  add_time("expires_at", v.expires_at);
  if (!v.payload.empty()) parts["payload"] = v.payload;
  if (v.short_overridden) parts["forms.short"] = v.forms.short_form;
  if (v.medium_overridden) parts["forms.medium"] = v.forms.medium_form;
  parts["confidence"] = fmt::format("{}", v.confidence);
  parts["created_by"] = v.created_by;
  parts["provenance.source"] = to_string(v.provenance.source);
  return parts;
}

std::optional<std::string> part(const named_texts& of, const std::string& name) {
  const auto found = of.find(name);
  return found == of.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

std::vector<version_change> changes_between(const version& older, const version& newer) {
  ensure(older.id == newer.id && older.number < newer.number, "versions of one memory in order");
  const named_texts before = parts_of(older);
  const named_texts after = parts_of(newer);
  named_texts names = before;
  names.insert(after.begin(), after.end());
  std::vector<version_change> changes;
  for (const auto& [name, text] : names) {
    version_change change{name, part(before, name), part(after, name)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  return changes;
}

namespace {

/// Of a version whose content was dropped its number, and why there is no more.
result<past_version> read_past(kv_reader& reader, const head& h, std::uint32_t number) {
  // The newest is never dropped.
  auto by = number == h.current_version ? result<std::optional<seq_no>>(std::nullopt)
                                        : read_trimmed(reader, h.id, number);
  if (!by) return propagate(by);
  if (!*by) {
    auto v = read_version(reader, h.id, number);
    if (!v) return propagate(v);
    if (!v->has_value())
      return fail(errc::corrupt,
                  fmt::format("version {} of {} is missing", number, to_string(h.id)));
    ensure((*v)->number == number && (*v)->id == h.id, "a version is read under its own number");
    return past_version{.version = std::move(**v), .changes = {}};
  }
  past_version past{.version = {}, .changes = {}, .trimmed_by = *by};
  past.version.id = h.id;
  past.version.number = number;
  past.version.type = h.type;
  return past;
}

} // namespace

result<history_result> read_history(const read_views& views, const history_request& r,
                                    const deadline& time) {
  if (auto ok = check_positive(std::optional(r.limit), "limit"); !ok) return propagate(ok);
  if (r.before && *r.before == 0)
    return fail(errc::out_of_range, "versions are numbered from 1", "before");
  const read_options options{.actor = r.actor, .at_seq = r.at_seq, .scope = r.scope};
  return read_for(views, options, time,
                  [&](kv_reader& reader, const asker& who, seq_no at) -> result<history_result> {
                    auto id = named_memory(views, reader, r.id, r.key, who, at);
                    if (!id) return propagate(id);
                    auto m = visible_memory(views, reader, *id, who, at, "id");
                    if (!m) return propagate(m);
                    answer_room room(views.max_answer_bytes, "ask for fewer by limit", "limit");
                    history_result all{.head = m->head, .versions = {}, .at_seq = at};
                    std::uint32_t number = m->head->current_version;
                    if (r.before) number = std::min(number, *r.before - 1);
                    std::optional<past_version> newer;
                    for (; number > 0 || newer; --number) {
                      std::optional<past_version> older;
                      if (number > 0) {
                        if (auto ok = time.check(); !ok) return propagate(ok);
                        auto read = read_past(reader, *m->head, number);
                        if (!read) return propagate(read);
                        older = std::move(*read);
                      }
                      if (newer) {
                        if (older && !older->trimmed_by && !newer->trimmed_by)
                          newer->changes = changes_between(older->version, newer->version);
                        if (auto ok = room.take(answer_bytes(*newer)); !ok) return propagate(ok);
                        all.versions.push_back(std::move(*newer));
                        if (!older || all.versions.size() == static_cast<std::uint64_t>(r.limit))
                          break;
                      }
                      newer = std::move(older);
                    }
                    return all;
                  });
}

} // namespace mneme
