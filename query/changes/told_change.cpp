#include "query/changes/told_change.hpp"

#include <utility>

#include "mneme/listing.hpp"
#include "query/records/read_for.hpp"

namespace mneme {

namespace {

/// A memory's new state, but of what erases it.
const head* new_head(const entry_payload& payload) {
  if (const auto* w = std::get_if<write_payload>(&payload)) return &w->head;
  if (const auto* u = std::get_if<update_payload>(&payload)) return &u->head;
  if (const auto* h = std::get_if<head_payload>(&payload)) return &h->head;
  if (const auto* e = std::get_if<embed_payload>(&payload)) return &e->head;
  if (const auto* a = std::get_if<topic_archive_payload>(&payload)) return &a->head;
  if (const auto* m = std::get_if<topic_merge_payload>(&payload)) return &m->head;
  return nullptr;
}

/// Ids that a use names; nullptr: it is none of these.
std::optional<std::vector<memory_id>> used_by(const entry_payload& payload) {
  std::vector<memory_id> ids;
  if (const auto* f = std::get_if<find_late_payload>(&payload)) return f->accessed;
  if (const auto* a = std::get_if<attest_payload>(&payload)) return a->cited;
  if (const auto* r = std::get_if<reinforce_payload>(&payload)) {
    for (const auto& item : r->items) ids.push_back(item.id);
    return ids;
  }
  if (const auto* d = std::get_if<decay_cycle_payload>(&payload)) {
    for (const auto& item : d->items) ids.push_back(item.id);
    return ids;
  }
  if (const auto* c = std::get_if<compact_payload>(&payload)) {
    for (const auto& item : c->kept) ids.push_back(item.uri.id);
    for (const auto& item : c->compacted) ids.push_back(item.uri.id);
    return ids;
  }
  if (std::holds_alternative<learn_weights_payload>(payload)) return ids;
  return std::nullopt;
}

void name_head_changes(const head& before, const head& now, std::vector<std::string>& names) {
  const auto add = [&](bool differs, const char* name) {
    if (differs) names.emplace_back(name);
  };
  add(before.tags != now.tags, "tags");
  add(before.frames != now.frames, "frames");
  add(before.declared_importance != now.declared_importance, "importance");
  add(before.visibility != now.visibility, "visibility");
  add(before.lifecycle != now.lifecycle, "lifecycle");
  add(before.metadata != now.metadata, "metadata");
}

} // namespace

result<std::optional<change>> change_teller::tell(const raw_entry& raw) {
  std::optional<change> none;
  auto header = decode_entry_header(raw.header);
  if (!header) return propagate(header);
  const auto kind = kind_of(header->kind);
  // What a head's change has hidden may be told as another kind.
  const bool may_hide = !who_.sees_all() && match_.wants(change_kind::hidden);
  if (!kind || !match_.wants_made_by(header->created_by)) return none;
  if (!match_.wants(*kind) && !may_hide) return none;
  if (raw.trimmed)
    return fail(errc::seq_unavailable, "seq " + std::to_string(header->seq.value) + " was trimmed",
                "since");
  change c{.seq = header->seq,
           .at = header->created_at,
           .made_by = std::move(header->created_by),
           .kind = *kind};
  result<bool> told = false;
  if (raw.erased) {
    told = tell_erased_payload(c);
  } else {
    auto payload = decode_entry_payload(header->kind, raw.payload);
    if (!payload) return propagate(payload);
    told = tell_payload(*payload, c);
  }
  if (!told) return propagate(told);
  if (!*told || !match_.wants(c.kind)) return none;
  if (auto ok = add_record(c); !ok) return propagate(ok);
  return std::optional(std::move(c));
}

bool change_teller::tells_host_alone() const {
  return who_.sees_all() && !match_.asks_of_memories();
}

/// Whose it was and what of is not known any more.
result<bool> change_teller::tell_erased_payload(change& c) const {
  c.content_erased = true;
  return tells_host_alone();
}

result<bool> change_teller::tell_payload(const entry_payload& payload, change& c) {
  if (const head* h = new_head(payload)) {
    auto told = tell_head(*h, c);
    if (!told || !*told || c.kind == change_kind::hidden) return told;
    if (const auto* p = std::get_if<head_payload>(&payload); p != nullptr && p->affirms)
      c.fields.emplace_back("affirmed");
    if (const auto* m = std::get_if<topic_merge_payload>(&payload)) c.other = m->keeper;
    if (auto ok = cut_hidden(c.other, c.seq); !ok) return propagate(ok);
    const auto* u = std::get_if<update_payload>(&payload);
    if (auto ok = name_what_changed(*h, u == nullptr ? nullptr : &u->version, c); !ok)
      return propagate(ok);
    return true;
  }
  if (const auto* e = std::get_if<edge_payload>(&payload)) return tell_edge(e->edge, c);
  if (const auto* f = std::get_if<field_payload>(&payload)) {
    if (f->field.erased) c.kind = change_kind::erased;
    c.fields.push_back(f->field.head.name);
    return tell_named(f->field.head.topic, c);
  }
  if (const auto* s = std::get_if<topic_salience_payload>(&payload)) return tell_named(s->topic, c);
  if (const auto* e = std::get_if<erase_payload>(&payload)) {
    if (e->head) return tell_head(*e->head, c);
    if (e->edge) return tell_edge(*e->edge, c);
    return false; // the entry of the field before it says so
  }
  if (auto ids = used_by(payload)) return tell_uses(std::move(*ids), c);
  if (const auto* t = std::get_if<assign_tag_payload>(&payload)) c.name = t->tag;
  const bool is_anybodys =
      c.kind == change_kind::tag_assigned || c.kind == change_kind::weights_set;
  if (is_anybodys) return !match_.asks_of_memories() && who_.verified_scope() == nullptr;
  return tells_host_alone();
}

result<bool> change_teller::tell_head(const head& h, change& c) {
  if (!match_.admits(h)) return false;
  if (!who_.may_see(h)) {
    if (c.kind == change_kind::erased || c.kind == change_kind::written || is_use(c.kind))
      return false;
    auto saw = who_.may_see(reader_, h.id, seq_no{c.seq.value - 1});
    if (!saw || !*saw) return saw;
    c.kind = change_kind::hidden; // nothing of how it is now
    c.made_by.clear();
    c.id = h.id;
    c.type = h.type;
    return true;
  }
  c.id = h.id;
  c.type = h.type;
  c.version = h.current_version;
  c.key = h.key;
  if (c.kind == change_kind::tombstoned && h.tombstone) {
    c.cause = h.tombstone->cause;
    c.other = h.tombstone->superseded_by;
  }
  return true;
}

result<bool> change_teller::is_wanted(const memory_id& id, seq_no at) {
  if (who_.sees_all() && !match_.asks_of_memories()) return true;
  auto h = read_head(reader_, id, at);
  if (!h) return propagate(h);
  if (!*h) return who_.sees_all() && !match_.asks_of_memories();
  return who_.may_see(**h) && match_.admits(**h);
}

result<bool> change_teller::tell_edge(const edge_record& e, change& c) {
  bool is_of_wanted = !match_.asks_of_memories();
  for (const memory_id& end : {e.key.src, e.key.dst}) {
    auto seen = who_.may_see(reader_, end, c.seq);
    if (!seen || !*seen) return seen;
    if (is_of_wanted) continue;
    auto wanted = is_wanted(end, c.seq);
    if (!wanted) return wanted;
    is_of_wanted = *wanted;
  }
  c.edge = e.key;
  return is_of_wanted;
}

result<bool> change_teller::tell_named(const memory_id& id, change& c) {
  auto h = read_head(reader_, id, c.seq);
  if (!h) return propagate(h);
  if (!*h) return false; // erased since
  if (!who_.may_see(**h) || !match_.admits(**h)) return false;
  c.id = id;
  c.type = (*h)->type;
  c.version = (*h)->current_version;
  c.key = (*h)->key;
  return true;
}

/// Who used what is nobody else's business.
result<bool> change_teller::tell_uses(std::vector<memory_id> ids, change& c) {
  if (who_.verified_scope() != nullptr) return false;
  if (!who_.sees_all() && c.made_by != who_.name()) return false;
  for (const memory_id& id : ids) {
    auto wanted = is_wanted(id, c.seq);
    if (!wanted) return wanted;
    if (*wanted) c.used.push_back(id);
  }
  return !match_.asks_of_memories() || !c.used.empty();
}

result<void> change_teller::cut_hidden(std::optional<memory_id>& other, seq_no at) {
  if (!other) return {};
  auto seen = who_.may_see(reader_, *other, at);
  if (!seen) return propagate(seen);
  if (!*seen) other.reset();
  return {};
}

result<void> change_teller::name_what_changed(const head& now, const version* content, change& c) {
  const bool is_named = c.kind == change_kind::updated || c.kind == change_kind::head_changed;
  if (!is_named) return {};
  if (content != nullptr && content->number > 1) {
    auto before = read_version(reader_, now.id, content->number - 1);
    if (!before) return propagate(before);
    if (*before)
      for (auto& difference : changes_between(**before, *content))
        if (difference.field != "created_by") // made_by says that
          c.fields.push_back(std::move(difference.field));
  }
  auto before = read_head(reader_, now.id, seq_no{c.seq.value - 1});
  if (!before) return propagate(before);
  if (*before) name_head_changes(**before, now, c.fields);
  return {};
}

result<void> change_teller::add_record(change& c) {
  if (!with_record_ || !c.id || c.kind == change_kind::hidden || c.kind == change_kind::erased)
    return {};
  auto read = visible_memory(views_, reader_, *c.id, who_, c.seq, "since");
  if (read)
    c.record = std::move(*read);
  else if (read.error().code != errc::erased && read.error().code != who_.refusal())
    return propagate(read);
  return {};
}

} // namespace mneme
