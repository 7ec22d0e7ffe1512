#include "tools/import/import_sink.hpp"

#include <charconv>

#include "messages/ensure.hpp"
#include "messages/validate/validate.hpp"
#include "mneme/tick.hpp"
#include "tools/import/derived_id.hpp"

namespace mneme::importing {

namespace {

constexpr std::size_t batch_items = 256;

bool same_form(const std::optional<std::string>& own, bool was_own, const std::string& text) {
  return own ? was_own && *own == text : !was_own;
}

bool same_content(const version& v, const write_request& r) {
  const double confidence = r.confidence == 0 ? 1.0 : r.confidence;
  return v.data == with_defaults(r.type, r.data, v.created_at)
         && same_form(r.forms.short_form, v.short_overridden, v.forms.short_form)
         && same_form(r.forms.medium_form, v.medium_overridden, v.forms.medium_form)
         && v.confidence == confidence && v.provenance == r.provenance
         && v.expires_at == r.expires_at && v.valid_until == r.valid_until
         && (r.payload.empty() || v.payload == r.payload)
         && (!r.valid_from || v.valid_from == *r.valid_from);
}

/// The patch that makes a head what the source says; nullopt where it is that already.
std::optional<update_head_request> head_patch(const head& h, const write_request& r,
                                              const source_keys& keys) {
  update_head_request patch{.uri = {h.type, h.id, h.current_version},
                            .actor = r.actor,
                            .tags = {},
                            .frames = {},
                            .importance = {},
                            .visibility = {},
                            .lifecycle = {},
                            .metadata = {},
                            .by = {},
                            .expect_version = {}};
  bool differs = false;
  const auto take = [&](bool decided, const auto& now, const auto& wanted, auto& slot) {
    if (!decided || now == wanted) return;
    slot = wanted;
    differs = true;
  };
  take(keys.tags, h.tags, normalise_tags(r.tags), patch.tags);
  take(keys.frames, h.frames, r.frames, patch.frames);
  take(keys.importance, std::int64_t{h.declared_importance}, r.importance, patch.importance);
  take(keys.visibility, h.visibility, r.visibility, patch.visibility);
  if (r.lifecycle) take(keys.lifecycle, h.lifecycle, r.lifecycle, patch.lifecycle);
  metadata_map merged = r.metadata;
  merged.insert(h.metadata.begin(), h.metadata.end());
  take(true, h.metadata, merged, patch.metadata);
  return differs ? std::optional(std::move(patch)) : std::nullopt;
}

/// The index in a batch error's `at` ("items[17].data.statement"), which is cut off.
std::optional<std::size_t> take_item(std::string& at) {
  constexpr std::string_view prefix = "items[";
  if (!at.starts_with(prefix)) return std::nullopt;
  std::size_t index = 0;
  const auto read = std::from_chars(at.data() + prefix.size(), at.data() + at.size(), index);
  if (read.ec != std::errc{}) return std::nullopt;
  auto behind = static_cast<std::size_t>(read.ptr - at.data()) + 1;
  if (behind < at.size() && at[behind] == '.') ++behind;
  at.erase(0, behind);
  return index;
}

} // namespace

import_manner manner_of(const import_request& request) {
  return {.colours = request.hashtags,
          .source_class = request.source_class,
          .brings_back_erased = request.brings_back_erased};
}

error located(error e, const std::string& where) {
  e.message = where + ": " + e.message;
  return e;
}

result<void> import_sink::leave_out_erased(const memory_id& topic,
                                           std::vector<field_input>& fields) {
  if (ids_.brings_back() || fields.empty()) return {};
  auto whole = engine_.read(get_read{.id = topic, .options = {}});
  if (!whole) return propagate(whole);
  for (const topic_field& gone : whole->erased_fields) {
    const auto left = std::erase_if(
        fields, [&](const field_input& input) { return input.name == gone.head.name; });
    report_.left_out["values of fields that were erased here"] += left;
  }
  std::erase_if(report_.left_out, [](const auto& one) { return one.second == 0; });
  return {};
}

result<void> import_sink::put(write_request request, const source_keys& keys, std::string where,
                              const std::optional<colour_source>& colour) {
  ensure(request.id.has_value(), "an imported memory has an id");
  if (auto ok = rename(request); !ok) return ok;
  if (!request.provenance.source_class) request.provenance.source_class = how_.source_class;
  if (pending_ids_.contains(*request.id))
    if (auto ok = flush(); !ok) return ok;
  auto existing = engine_.get(*request.id);
  if (!existing) {
    if (existing.error().code == errc::erased) {
      ++report_.memories_skipped;
      return {};
    }
    if (existing.error().code != errc::not_found)
      return std::unexpected(located(std::move(existing.error()), where));
    if (colour && how_.colours)
      if (auto ok = give_colour(request, *colour, where); !ok) return ok;
    pending_ids_.insert(*request.id);
    // Two who have one name are no text twice.
    request.similar = request.type != memory_type::identity;
    return push(std::move(request), std::move(where), &import_report::memories_added);
  }
  if (existing->head->tombstone) {
    ++report_.memories_skipped;
    return {};
  }
  if (existing->head->type != request.type)
    return fail(errc::already_exists,
                where + ": memory " + to_string(*request.id) + " is a "
                    + std::string(to_string(existing->head->type)),
                "id");
  return put_changes(*existing, std::move(request), keys, where);
}

result<void> import_sink::rename(write_request& request) {
  if (request.id)
    if (auto ok = ids_.rename(*request.id); !ok) return ok;
  if (auto ok = ids_.rename(request.provenance); !ok) return ok;
  return ids_.rename(request.data);
}

result<void> import_sink::put(memory_key key, write_request request, const source_keys& keys,
                              std::string where) {
  ensure(!request.id, "what has a key gets its id from the engine");
  if (auto ok = rename(request); !ok) return ok;
  if (!request.provenance.source_class) request.provenance.source_class = how_.source_class;
  if (pending_keys_.contains(key))
    if (auto ok = flush(); !ok) return ok;
  auto existing = engine_.get_by(key);
  if (existing && existing->head->type == request.type)
    return put_changes(*existing, std::move(request), keys, where);
  if (existing)
    return fail(errc::already_exists,
                where + ": " + key.name_space + " " + key.name + " is a "
                    + std::string(to_string(existing->head->type)),
                "key");
  if (existing.error().code == errc::tombstoned) {
    ++report_.memories_skipped;
    return {};
  }
  if (existing.error().code != errc::not_found)
    return std::unexpected(located(std::move(existing.error()), where));
  // A key is free once its memory was erased. The id tells that it was.
  auto place = ids_.place_of(derived_id("key", key.name_space, key.name));
  if (!place) return propagate(place);
  request.id = place->id;
  if (place->is_erased) {
    ++report_.memories_skipped;
    return {};
  }
  pending_keys_.insert(key);
  return push(put_request{.key = std::move(key), .content = std::move(request)}, std::move(where),
              &import_report::memories_added);
}

result<void> import_sink::give_colour(write_request& request, const colour_source& colour,
                                      const std::string& where) {
  if (!colours_) {
    auto opened = import_colours::open(engine_);
    if (!opened) return propagate(opened);
    colours_ = std::move(*opened);
  }
  auto chosen = colours_->choose(colour, request.actor);
  if (!chosen) return {};
  for (auto& tag : chosen->new_tags)
    if (auto ok = push(std::move(tag), where, &import_report::hashtags_assigned); !ok) return ok;
  request.hashtags = std::move(chosen->hashtags);
  ++report_.memories_coloured;
  return {};
}

result<void> import_sink::put_changes(const memory& existing, write_request&& request,
                                      const source_keys& keys, const std::string& where) {
  if (!request.provenance.source_class)
    request.provenance.source_class = existing.version->provenance.source_class;
  const bool dated = keys.created_at && request.created_at;
  const bool content = same_content(existing.version, request)
                       && (!dated || existing.version->created_at == *request.created_at);
  auto patch = head_patch(existing.head, request, keys);
  if (content && !patch) {
    ++report_.memories_unchanged;
    return {};
  }
  const memory_uri uri{existing.head->type, existing.head->id, existing.head->current_version};
  pending_ids_.insert(uri.id);
  if (patch) {
    const auto count = content ? &import_report::memories_updated : nullptr;
    if (auto ok = push(std::move(*patch), where, count); !ok) return ok;
  }
  if (content) return {};
  update_request update{.uri = uri,
                        .type = request.type,
                        .data = std::move(request.data),
                        .actor = request.actor,
                        .forms = std::move(request.forms),
                        .valid_from = request.valid_from,
                        .valid_until = request.valid_until,
                        .expires_at = request.expires_at,
                        .confidence = request.confidence,
                        .provenance = std::move(request.provenance),
                        .vector = std::move(request.vector),
                        .created_by = std::move(request.created_by),
                        .expect_version = {},
                        .created_at = dated ? request.created_at : std::nullopt,
                        .replace = {},
                        .payload = std::move(request.payload)};
  return push(std::move(update), where, &import_report::memories_updated);
}

result<void> import_sink::put(add_edge_request request, std::string where) {
  bool is_at_erased = false;
  for (memory_id* end : {&request.src, &request.dst}) {
    auto place = ids_.place_of(*end);
    if (!place) return propagate(place);
    *end = place->id;
    is_at_erased = is_at_erased || place->is_erased;
  }
  if (is_at_erased) {
    ++report_.edges_unchanged;
    return {};
  }
  if (request.type >= 1 && request.type <= edge_type_count) {
    auto existing =
        engine_.get_edge({request.src, static_cast<edge_type>(request.type), request.dst});
    if (existing) {
      ++report_.edges_unchanged;
      return {};
    }
    if (existing.error().code != errc::not_found)
      return std::unexpected(located(std::move(existing.error()), where));
  }
  return push(std::move(request), std::move(where), &import_report::edges_added);
}

result<void> import_sink::put_as_is(mutation request, const memory_id& id, std::string where,
                                    std::uint64_t import_report::* count) {
  if (auto* topic = std::get_if<ingest_request>(&request); topic && !topic->source_class)
    topic->source_class = how_.source_class;
  pending_ids_.insert(id);
  return push(std::move(request), std::move(where), count);
}

result<bool> import_sink::remove(const memory_id& source_id, std::string_view reason,
                                 std::string where) {
  auto here = ids_.of(source_id);
  if (!here) return propagate(here);
  const memory_id id = *here;
  auto existing = engine_.get(id);
  if (!existing) {
    if (existing.error().code == errc::not_found || existing.error().code == errc::erased)
      return false;
    return std::unexpected(located(std::move(existing.error()), where));
  }
  if (existing->head->tombstone) return false;
  tombstone_request request{.uri = {existing->head->type, id, existing->head->current_version},
                            .actor = {},
                            .reason = std::string(reason),
                            .by = {},
                            .cause = tombstone_cause::deleted,
                            .superseded_by = {},
                            .expect_version = {}};
  pending_ids_.insert(id);
  if (auto ok = push(std::move(request), std::move(where), &import_report::memories_removed); !ok)
    return propagate(ok);
  return true;
}

result<bool> import_sink::knows(const memory_id& id) {
  auto here = ids_.of(id);
  if (!here) return propagate(here);
  const auto there = engine_.get(*here);
  return there || there.error().code != errc::not_found;
}

result<bool> import_sink::was_removed(const memory_id& id, std::string_view reason_prefix) {
  auto here = ids_.of(id);
  if (!here) return propagate(here);
  auto existing = engine_.get(*here);
  if (existing)
    return existing->head->tombstone
           && existing->head->tombstone->reason.starts_with(reason_prefix);
  if (existing.error().code == errc::not_found || existing.error().code == errc::erased)
    return false;
  return propagate(existing);
}

result<std::vector<memory>> import_sink::sources_of(const memory_id& dst, edge_type type) {
  auto here = ids_.of(dst);
  if (!here) return propagate(here);
  std::vector<memory_id> ids;
  auto walked = engine_.for_each_edge(*here, edge_direction::in, {.types = {type}}, {},
                                      [&](const edge_record& edge) {
                                        ids.push_back(edge.key.src);
                                        return true;
                                      });
  if (!walked) return propagate(walked);
  std::vector<memory> sources;
  for (const auto& id : ids) {
    auto m = engine_.get(id);
    if (m && !m->head->tombstone)
      sources.push_back(std::move(*m));
    else if (!m && m.error().code != errc::not_found && m.error().code != errc::erased)
      return propagate(m);
  }
  return sources;
}

result<void> import_sink::push(mutation request, std::string where,
                               std::uint64_t import_report::* count) {
  pending_.push_back({std::move(request), std::move(where), count});
  return pending_.size() < batch_items ? result<void>{} : flush();
}

result<void> import_sink::flush() {
  if (pending_.empty()) return {};
  std::vector<mutation> items;
  items.reserve(pending_.size());
  for (auto& p : pending_) items.push_back(std::move(p.request));
  auto done = engine_.write_batch(std::move(items));
  if (!done) {
    error e = std::move(done.error());
    const auto item = take_item(e.at);
    e = with_places(std::move(e), [](std::string_view place) {
      std::string in_item(place);
      (void)take_item(in_item);
      return in_item;
    });
    std::string where = item && *item < pending_.size() ? std::move(pending_[*item].where) : "";
    pending_.clear();
    pending_ids_.clear();
    pending_keys_.clear();
    return std::unexpected(where.empty() ? std::move(e) : located(std::move(e), where));
  }
  ensure(done->results.size() == pending_.size(), "each item of a batch has its answer");
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const bool is_edge = pending_[i].count == &import_report::edges_added;
    const auto& similar = done->results[i].similar;
    if (similar && !similar->same_text.empty()) ++report_.texts_repeated;
    if (done->results[i].changed) {
      if (pending_[i].count != nullptr) ++(report_.*pending_[i].count);
    } else if (is_edge) {
      ++report_.edges_unchanged;
    }
  }
  pending_.clear();
  pending_ids_.clear();
  pending_keys_.clear();
  return {};
}

} // namespace mneme::importing
