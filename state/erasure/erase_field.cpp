#include "state/erasure/erase_field.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "journal/entry_reader.hpp"
#include "journal/erase_payloads.hpp"
#include "messages/codec/leaf_of.hpp"
#include "messages/codec/topic_records.hpp"
#include "messages/ensure.hpp"
#include "messages/seams/checked_seams.hpp"
#include "messages/text/topic_text.hpp"
#include "state/checkpoint/world_directory.hpp"
#include "state/erasure/kept_content.hpp"
#include "state/execute/execution.hpp"
#include "storage/key_layout.hpp"
#include "views/topic_reads.hpp"

namespace mneme {

namespace {

class field_planner {
public:
  field_planner(const erase_request& request, world& w, kv_reader& reader)
      : request_(request), world_(w), reader_(reader) {}

  result<field_erase_plan> plan() {
    const memory_id& id = request_.ids.front();
    auto topic = read_head(reader_, id, world_.published_seq());
    if (!topic) return propagate(topic);
    if (!topic->has_value()) {
      plan_.erased_before = world_.views().is_erased_elsewhere(id);
      return std::move(plan_);
    }
    plan_.erased_before = (*topic)->erased;
    if ((*topic)->erased) return std::move(plan_);
    if ((*topic)->type != memory_type::topic)
      return fail(errc::type_data_mismatch,
                  to_string(id) + " is a " + std::string(to_string((*topic)->type))
                      + ", and has no fields",
                  "ids");
    for (std::vector<memory_id> found{id}; !found.empty();) {
      const memory_id next = found.back();
      found.pop_back();
      if (!known_.insert(next).second) continue;
      if (auto ok = add_topic(next, found); !ok) return propagate(ok);
    }
    if (auto ok = add_compacts(); !ok) return propagate(ok);
    for (auto& [topic_id, planned] : topics_) {
      planned.seqs = each_once(std::move(planned.seqs));
      plan_.topics.push_back(std::move(planned));
    }
    return std::move(plan_);
  }

private:
  /// `merged`: topics whose revisions a merge filed here.
  result<void> add_topic(const memory_id& id, std::vector<memory_id>& merged);
  result<bool> add_rows(planned_field_erasure& planned);
  result<void> add_texts(planned_field_erasure& planned);
  result<void> add_compacts();

  const erase_request& request_;
  world& world_;
  kv_reader& reader_;
  std::set<memory_id> known_;
  std::map<memory_id, planned_field_erasure> topics_;
  field_erase_plan plan_;
};

result<void> field_planner::add_topic(const memory_id& id, std::vector<memory_id>& merged) {
  const seq_no at = world_.published_seq();
  auto topic = read_head(reader_, id, at);
  if (!topic) return propagate(topic);
  if (!topic->has_value() || (*topic)->erased) return {};
  planned_field_erasure planned{.topic = std::move(**topic), .since = {}, .seqs = {}};
  auto field = read_field(reader_, id, *request_.field, at);
  if (!field) return propagate(field);
  auto is_there = add_rows(planned);
  if (!is_there) return propagate(is_there);
  if (!field->has_value()) {
    std::vector<topic_field> elsewhere;
    world_.views().add_erased_elsewhere(id, at, {}, elsewhere);
    plan_.erased_before =
        plan_.erased_before || std::ranges::any_of(elsewhere, [&](const topic_field& f) {
          return f.head.name == *request_.field;
        });
    return {};
  }
  ensure(*is_there, "a field has the rows that it is read from");
  // What it is found by would be another from now on, and its tombstone of now.
  if (planned.topic.tombstone)
    return fail(errc::tombstoned,
                "topic " + to_string(id)
                    + " was tombstoned: restore it before a field of it is erased, or erase it",
                "ids");
  auto revisions = read_revisions(reader_, (*field)->head);
  if (!revisions) return propagate(revisions);
  for (const field_revision& r : *revisions)
    if (r.merged_from) merged.push_back(*r.merged_from);
  if (auto ok = add_texts(planned); !ok) return ok;
  topics_.emplace(id, std::move(planned));
  return {};
}

/// Of the field, since it was erased last. False: there are none.
result<bool> field_planner::add_rows(planned_field_erasure& planned) {
  const std::string prefix = keys::field_prefix(planned.topic.id, *request_.field);
  result<void> decoded;
  auto ok = reader_.scan(kv_table::fields, prefix, keys::prefix_end(prefix),
                         [&](std::string_view key, std::string_view value) {
                           auto field = decode_topic_field(value);
                           if (!field) decoded = propagate(field);
                           if (!field) return false;
                           if (field->erased) {
                             plan_.erased_before = plan_.erased_before || planned.seqs.empty();
                             return false;
                           }
                           planned.since = keys::seq_at_end(key);
                           planned.seqs.push_back(planned.since);
                           return true;
                         });
  if (!ok) return propagate(ok);
  if (!decoded) return propagate(decoded);
  return !planned.seqs.empty();
}

/// What the topic was found by since then was made of its fields.
result<void> field_planner::add_texts(planned_field_erasure& planned) {
  std::vector<seq_no> heads;
  const std::string prefix(planned.topic.id.raw());
  auto ok = reader_.scan(kv_table::heads, prefix, keys::prefix_end(prefix),
                         [&](std::string_view key, std::string_view) {
                           heads.push_back(keys::seq_at_end(key));
                           return heads.back() > planned.since;
                         });
  if (!ok) return ok;
  std::ranges::sort(heads);
  auto journal =
      entry_reader::open(*world_.files, journal_directory(world_.directory), world_.info.id);
  if (!journal) return propagate(journal);
  for (const seq_no seq : heads) {
    if (seq < planned.since) continue;
    result<entry_header> header;
    ok = journal->read(seq, 1,
                       [&](const raw_entry& raw) { header = decode_entry_header(raw.header); });
    if (!ok) return ok;
    if (!header) return propagate(header);
    if (header->kind == entry_kind::embed) planned.seqs.push_back(seq);
  }
  return {};
}

/// Records of what was compacted have short forms, which say what a topic's fields hold.
result<void> field_planner::add_compacts() {
  result<void> decoded;
  auto ok =
      reader_.scan(kv_table::compacts, "", "", [&](std::string_view key, std::string_view value) {
        auto payload = decode_entry_payload(entry_kind::compact, value);
        if (!payload) decoded = propagate(payload);
        if (!payload) return false;
        const auto& record = std::get<compact_payload>(*payload);
        const seq_no seq = keys::seq_at_end(key);
        for (const auto* items : {&record.kept, &record.compacted})
          for (const auto& item : *items)
            if (const auto of = topics_.find(item.uri.id);
                of != topics_.end() && seq > of->second.since)
              of->second.seqs.push_back(seq);
        return true;
      });
  if (!ok) return ok;
  return decoded;
}

/// Entries of one frame, one behind the other.
class frame_entries {
public:
  frame_entries(const erase_request& request, timestamp now, seq_no last)
      : request_(request), now_(now), last_(last) {}

  void add(entry_kind kind, std::vector<state_leaf> leaves, entry_payload payload) {
    last_ = last_.next();
    entries_.push_back(seal_entry({.seq = last_,
                                   .kind = kind,
                                   .created_at = now_,
                                   .created_by = request_.by,
                                   .leaves = std::move(leaves),
                                   .payload_hash = {}},
                                  std::move(payload)));
  }
  std::vector<entry> take() { return std::move(entries_); }

private:
  const erase_request& request_;
  timestamp now_;
  seq_no last_;
  std::vector<entry> entries_;
};

/// What the topic is found by without the field. Without an embedder a vector that came with the
/// topic's own content stays with it.
result<embed_payload> text_without(const planned_field_erasure& planned, const std::string& field,
                                   world& w, kv_reader& reader) {
  const memory_id& id = planned.topic.id;
  auto v = read_version(reader, id, planned.topic.current_version);
  if (!v) return propagate(v);
  if (!v->has_value())
    return fail(errc::corrupt, "the current version of " + to_string(id) + " is missing");
  auto values = read_field_values(reader, id, w.published_seq());
  if (!values) return propagate(values);
  std::erase_if(*values, [&](const topic_value& value) { return value.name == field; });
  embed_payload p{.head = planned.topic, .vector = {}, .text = {}};
  p.text = searched_topic_text((*v)->data, *values);
  std::optional<std::vector<float>> vector;
  if (embeds_at_once(w.embedder.get())) {
    auto embedded = embedded_by(*w.embedder, embedded_topic_text((*v)->data, *values));
    if (!embedded) return propagate(embedded);
    if (!embedded->empty()) vector = std::move(*embedded);
  } else if (w.embedder == nullptr) {
    auto kept = content_without(w, reader, id, w.published_seq(), planned.seqs);
    if (!kept) return propagate(kept);
    vector = std::move(kept->vector);
  }
  p.head.embedding.reset();
  if (!vector) return p;
  const auto dim = static_cast<std::uint32_t>(vector->size());
  p.vector = spaced_vector{.space = w.vectors().space(), .values = std::move(*vector)};
  p.head.embedding = embedding_ref{.dim = dim, .version = p.head.current_version};
  return p;
}

} // namespace

result<field_erase_plan> plan_field_erasure(const erase_request& r, world& w, kv_reader& reader) {
  ensure(r.field && r.ids.size() == 1, "a field is of one topic");
  return field_planner(r, w, reader).plan();
}

result<std::vector<entry>> execute_field_erasure(const erase_request& r,
                                                 const field_erase_plan& plan, world& w,
                                                 kv_reader& reader, id_source& draw, timestamp now,
                                                 seq_no last) {
  ensure(!r.dry_run, "who only asks writes nothing");
  // What may fail comes first: nothing was drawn then.
  std::vector<embed_payload> texts;
  for (const auto& planned : plan.topics) {
    auto text = text_without(planned, *r.field, w, reader);
    if (!text) return propagate(text);
    texts.push_back(std::move(*text));
  }
  frame_entries entries(r, now, last);
  for (std::size_t i = 0; i < plan.topics.size(); ++i) {
    const planned_field_erasure& planned = plan.topics[i];
    const memory_id& id = planned.topic.id;
    topic_field left = erased_field(
        id, *r.field, {.since = planned.since, .at = now, .by = r.by, .reason = r.reason});
    const state_leaf gone = no_leaf_of(left.head);
    entries.add(entry_kind::field, {gone},
                field_payload{.field = std::move(left), .revisions = {}});
    const state_leaf head_leaf = leaf_of(texts[i].head);
    entries.add(entry_kind::embed, {head_leaf}, std::move(texts[i]));
    entries.add(
        entry_kind::erase, {},
        erase_payload{
            .head = {}, .edge = {}, .seqs = planned.seqs, .nonce = draw.draw_nonce(), .topic = id});
  }
  return entries.take();
}

erase_result result_of(const erase_request& r, const field_erase_plan& plan) {
  erase_result out;
  std::vector<seq_no> seqs;
  for (const auto& planned : plan.topics) {
    out.fields.push_back({planned.topic.id, *r.field});
    seqs.insert(seqs.end(), planned.seqs.begin(), planned.seqs.end());
  }
  if (plan.topics.empty() && plan.erased_before) {
    out.erased_before = r.ids;
    out.fields_erased_before.push_back({r.ids.front(), *r.field});
  }
  out.entries = each_once(std::move(seqs)).size();
  return out;
}

} // namespace mneme
