#include <array>

#include <fmt/format.h>

#include "messages/validate/schema.hpp"
#include "messages/validate/validate.hpp"
#include "sim/workload.hpp"
#include "views/order_edges.hpp"

namespace mneme::sim {

struct field_choice {
  const field_schema& schema;
};

field_value workload::some_field(const field_choice& field) {
  switch (field.schema.kind) {
  case field_kind::text:
    return field.schema.name == "cost.amount" ? std::string("12.50") : some_text();
  case field_kind::name:
    return std::string(draw_.pick(field.schema.names));
  case field_kind::integer:
    return draw_.between(0, 9);
  case field_kind::real:
    if (draw_.one_in(4)) return draw_.between(0, 1);
    return static_cast<double>(draw_.below(5)) / 4.0;
  case field_kind::boolean:
    return draw_.percent(50);
  case field_kind::time:
    return some_time();
  case field_kind::id:
    return some_id();
  case field_kind::text_list: {
    std::vector<std::string> list;
    for (auto n = draw_.below(3); n > 0; --n) list.push_back(some_text());
    return list;
  }
  }
  return std::string();
}

memory_data workload::some_data(memory_type type) {
  memory_data data;
  for (const auto& field : fields_of(type))
    if (field.required || draw_.percent(40))
      data.emplace(std::string(field.name), some_field({field}));
  if (data.contains("cost.asset") != data.contains("cost.amount"))
    std::erase_if(data, [](const auto& item) { return item.first.starts_with("cost."); });
  return data;
}

metadata_map workload::some_metadata() {
  metadata_map m;
  if (draw_.percent(60)) return m;
  m["level"] = draw_.between(0, 4);
  m["order"] = m["level"];
  if (draw_.percent(50)) m["weight.x"] = static_cast<double>(draw_.below(8)) / 4.0;
  if (draw_.percent(50)) m["place"] = some_text();
  if (draw_.percent(30)) m["done"] = draw_.percent(50);
  if (draw_.percent(20)) m["level"] = std::vector<scalar>{std::int64_t{1}, std::string("two")};
  if (draw_.percent(50)) {
    constexpr std::array<std::string_view, 3> statuses = {"public", "lts", "beta"};
    m["paradigm"] = some_paradigm();
    m["subdomain_path"] = some_domain();
    m["release_status"] = std::string(draw_.pick(statuses));
    if (draw_.percent(60)) m["layout_traits.width"] = draw_.between(0, 5);
    if (draw_.percent(40)) m["layout_traits.depth"] = static_cast<double>(draw_.below(9)) / 4.0;
  }
  return m;
}

std::optional<lifecycle> workload::some_lifecycle() {
  if (draw_.percent(60)) return std::nullopt;
  lifecycle l;
  if (draw_.percent(80)) l.status = static_cast<lifecycle_status>(1 + draw_.below(6));
  if (draw_.percent(30)) l.due_date = some_time();
  if (draw_.percent(30)) l.project = some_text();
  l.atomic = draw_.percent(20);
  if (draw_.percent(40)) l.audience = static_cast<lifecycle_audience>(1 + draw_.below(2));
  if (draw_.percent(30)) l.origin = static_cast<lifecycle_origin>(1 + draw_.below(4));
  return l;
}

/// What a content may say that it rests on.
std::vector<std::string> workload::some_sources() {
  std::vector<std::string> uris;
  for (auto n = 1 + draw_.below(2); n > 0; --n)
    uris.push_back(to_string(memory_uri{some_type(), some_id(), 1}));
  return uris;
}

template <class Request>
void workload::fill_content(Request& r, memory_type type) {
  r.data = some_data(type);
  r.actor = some_actor();
  if (draw_.percent(20)) r.valid_from = some_time();
  if (draw_.percent(20)) r.valid_until = timestamp{some_time().ns + 4 * 86'400'000'000'000};
  if (r.valid_from && r.valid_until && *r.valid_until <= *r.valid_from) r.valid_until.reset();
  if (r.valid_until && !r.valid_from) r.valid_from = timestamp{r.valid_until->ns / 2};
  if (draw_.percent(15)) r.expires_at = some_time();
  if (draw_.percent(30)) r.confidence = static_cast<double>(draw_.below(5)) / 4.0;
  if (draw_.percent(20)) r.provenance.source = provenance_source::observed;
  if (draw_.percent(10)) r.provenance.signed_by = some_text();
  if (draw_.percent(20)) r.provenance.trust = static_cast<double>(draw_.below(5)) / 4.0;
  if (draw_.percent(20)) r.provenance.source_class = static_cast<source_class>(1 + draw_.below(4));
  if (draw_.percent(20)) r.provenance.derived_from = some_sources();
  const std::string_view lists[] = {"derived_from", "evidence_for", "evidence_against"};
  for (const auto list : lists)
    if (const auto named = r.data.find(list); named != r.data.end() && draw_.percent(60))
      named->second = some_sources();
  if (draw_.percent(10)) r.forms.short_form = "short";
  const bool embeds = how_.setup.embedder != "none";
  if (draw_.percent(embeds ? 10 : 50))
    r.vector = some_vector(embeds ? 16 : (draw_.one_in(30) ? 5 : 4));
}

write_request workload::some_write() {
  write_request r;
  r.type = some_type();
  fill_content(r, r.type);
  if (draw_.percent(10)) r.id = draw_.percent(80) ? fresh_id() : known_id();
  r.visibility = static_cast<visibility>(1 + draw_.below(3));
  r.importance = draw_.between(0, 10);
  for (auto n = draw_.below(4); n > 0; --n) r.tags.push_back(some_tag());
  if (draw_.percent(30)) r.frames = {{verb::build, object_kind::plan, some_tag()}};
  r.metadata = some_metadata();
  r.lifecycle = some_lifecycle();
  if (draw_.percent(40)) r.hashtags = some_hashtags();
  if (!r.hashtags.empty() && draw_.percent(70))
    r.mode = static_cast<memory_mode>(1 + draw_.below(4));
  if (r.type == memory_type::chunk) r.data["path"] = "p" + std::to_string(draw_.below(3));
  if (draw_.percent(5)) r.created_at = timestamp{now_.ns / 2};
  if (r.valid_until && r.created_at && !r.valid_from) r.valid_until.reset();
  if (draw_.percent(6))
    for (auto n = 1 + draw_.below(2); n > 0; --n)
      if (const auto h = some_head(); h && h->id != r.id)
        r.supersedes.push_back({draw_.one_in(25) ? some_type() : h->type, h->id, version_of(*h)});
  if (!r.supersedes.empty() && draw_.one_in(4)) r.supersedes.push_back(r.supersedes.front());
  r.similar = draw_.percent(30);
  // What was said before is said again.
  if (const auto said = some_head(); r.similar && said && said->type == r.type)
    if (!said->erased) r.data = truth_.memory_at(said->id, truth_.last())->version->data;
  return r;
}

/// Of a word that the memory has, mostly.
void workload::make_replacement(update_request& r, const head& h) {
  const auto v = truth_.version_at(h.id, h.current_version, truth_.last());
  text_replacement span{.from = some_text(), .to = some_text()};
  if (v && !draw_.one_in(8))
    for (const auto& [name, value] : v->data)
      if (const auto* text = std::get_if<std::string>(&value); text && !text->empty()) {
        span.from = text->substr(0, std::max<std::size_t>(text->find(' '), 1));
        if (draw_.percent(30)) span.field = name;
        break;
      }
  r.replace = std::move(span);
  r.data.clear();
  r.provenance = {};
  r.confidence = 1.0;
}

mutation workload::some_update() {
  const auto h = some_head();
  if (!h) return some_write();
  update_request r;
  r.uri = {draw_.one_in(25) ? some_type() : h->type, draw_.one_in(25) ? fresh_id() : h->id,
           version_of(*h)};
  fill_content(r, r.uri.type);
  if (draw_.percent(15)) r.expect_version = version_of(*h);
  if (draw_.percent(15)) make_replacement(r, *h);
  return r;
}

mutation workload::some_update_head() {
  const auto h = some_head();
  if (!h) return some_write();
  update_head_request r;
  r.uri = {h->type, h->id, version_of(*h)};
  r.actor = some_actor();
  if (draw_.percent(40)) r.tags = std::vector<std::string>{some_tag(), some_tag()};
  if (h->type == memory_type::topic && draw_.percent(30))
    r.tags = std::vector<std::string>{std::string(overview_tag)};
  if (draw_.percent(40)) r.importance = draw_.between(0, 10);
  if (draw_.percent(30)) r.visibility = static_cast<visibility>(1 + draw_.below(3));
  if (draw_.percent(30)) r.metadata = some_metadata();
  if (draw_.percent(30)) r.lifecycle = some_lifecycle();
  r.affirm = draw_.percent(25);
  if (!r.tags && !r.importance && !r.visibility && !r.metadata && !r.lifecycle && !r.affirm)
    r.importance = 5;
  if (draw_.percent(15)) r.expect_version = version_of(*h);
  return r;
}

mutation workload::some_tombstone() {
  const auto h = some_head();
  if (!h) return some_write();
  tombstone_request r;
  r.uri = {h->type, h->id, version_of(*h)};
  r.actor = some_actor();
  r.reason = some_text();
  r.cause = draw_.percent(50) ? tombstone_cause::wrong : tombstone_cause::superseded;
  if (draw_.percent(30)) r.superseded_by = some_id();
  if (draw_.percent(15)) r.expect_version = version_of(*h);
  return r;
}

bool workload::restores() {
  return how_.weights[static_cast<std::size_t>(operation_kind::restore)] > 0 && draw_.one_in(8);
}

mutation workload::some_restore() {
  restore_request r;
  r.id = some_id();
  // Mostly what is gone: of those that there are, the one that comes first behind a drawn one.
  const auto ids = truth_.ids_at(truth_.last());
  if (!ids.empty() && !draw_.one_in(6)) {
    const std::size_t from = draw_.below(ids.size());
    r.id = ids[from];
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const head h = *truth_.head_at(ids[(from + i) % ids.size()], truth_.last());
      if (!h.tombstone) continue;
      r.id = h.id;
      break;
    }
  }
  r.actor = some_actor();
  if (draw_.percent(15)) {
    const auto h = truth_.head_at(r.id, truth_.last());
    r.expect_version = draw_.one_in(4) || !h ? 3 : h->current_version;
  }
  return r;
}

bool workload::puts() {
  return how_.weights[static_cast<std::size_t>(operation_kind::put)] > 0 && draw_.one_in(6);
}

memory_key workload::some_key() {
  return {.name_space = draw_.one_in(3) ? "harbour" : "town",
          .name = "k" + std::to_string(draw_.below(5))};
}

mutation workload::some_put() {
  put_request r{.key = some_key(), .content = some_write()};
  write_request& w = r.content;
  w.id.reset();
  w.supersedes.clear();
  w.similar = false;
  w.created_at.reset();
  const auto there = truth_.keyed_at(r.key, truth_.last());
  const bool keeps_type = there && !draw_.one_in(20);
  if (const memory_type type = keeps_type ? there->type : memory_type::note; type != w.type) {
    w.type = type;
    w.data = some_data(type);
  }
  if (draw_.percent(40)) w.payload = "{\"n\": " + std::to_string(draw_.below(9)) + "}";
  if (draw_.percent(30)) w.expires_at = some_time();
  if (draw_.percent(15)) r.expect_version = there ? there->current_version : 0;
  return r;
}

/// Of memories that have a key, or are not to be there any more.
mutation workload::some_keyed_write() {
  switch (draw_.below(6)) {
  case 0:
  case 1: {
    delete_by_request r{.key = some_key(), .actor = some_actor(), .reason = some_text()};
    if (draw_.percent(15)) r.expect_version = static_cast<std::uint32_t>(draw_.below(4));
    return r;
  }
  case 2: {
    sweep_request r{.actor = some_actor()};
    if (draw_.one_in(2)) r.limit = draw_.between(1, 3);
    return r;
  }
  default:
    return some_put();
  }
}

mutation workload::some_edge() {
  add_edge_request r;
  r.src = some_id();
  r.dst = some_id();
  while (r.dst == r.src) r.dst = fresh_id();
  r.type = static_cast<std::uint8_t>(1 + draw_.below(draw_.percent(80) ? 3 : edge_type_count));
  r.actor = some_actor();
  r.weight = static_cast<float>(draw_.below(9)) / 4.0F;
  if (draw_.percent(20)) r.kind = some_text();
  if (draw_.percent(20)) r.data = std::string("\0\xFF raw", 6);
  // Turns of a conversation follow each other.
  if (draw_.percent(15)) {
    r.type = static_cast<std::uint8_t>(edge_type::related_to);
    r.kind = draw_.percent(70) ? next_edge_kind : answer_edge_kind;
  }
  return r;
}

mutation workload::some_edge_removal() {
  remove_edge_request r;
  const memory_id end = known_id();
  const auto edges = draw_.percent(50) ? truth_.edges_out(end, truth_.last())
                                       : truth_.edges_in(end, truth_.last());
  if (edges.empty()) return some_edge();
  const auto& key = draw_.pick(edges).key;
  r.src = key.src;
  r.dst = key.dst;
  r.type = static_cast<std::uint8_t>(key.type);
  r.actor = some_actor();
  r.reason = some_text();
  return r;
}

mutation workload::mutation_of(operation_kind kind) {
  switch (kind) {
  case operation_kind::update:
    return some_update();
  case operation_kind::update_head:
    return some_update_head();
  case operation_kind::tombstone:
    return some_tombstone();
  case operation_kind::restore:
    return some_restore();
  case operation_kind::put:
    return some_keyed_write();
  case operation_kind::add_edge:
    return some_edge();
  case operation_kind::remove_edge:
    return some_edge_removal();
  default:
    return some_write();
  }
}

durability workload::some_durability() {
  return draw_.percent(how_.relaxed_percent) ? durability::relaxed : durability::durable;
}

planned_request workload::some_batch() {
  batch_message batch;
  batch.durability = some_durability();
  for (auto n = 1 + draw_.below(5); n > 0; --n)
    batch.items.push_back(puts()       ? some_keyed_write()
                          : restores() ? some_restore()
                                       : mutation_of(static_cast<operation_kind>(draw_.below(6))));
  // Items see each other: an edge to a memory of the same batch, and its update.
  if (draw_.percent(40)) {
    write_request first = some_write();
    first.id = fresh_id();
    update_request second;
    second.uri = {first.type, *first.id, 1};
    second.data = some_data(first.type);
    second.actor = some_actor();
    batch.items.emplace_back(std::move(first));
    batch.items.emplace_back(std::move(second));
  }
  if (!draw_.percent(how_.invalid_percent)) return {std::move(batch), {}};
  auto bad = invalid_mutation();
  batch.items.push_back(std::get<apply_message>(bad.request).request);
  return {std::move(batch), bad.expected_error};
}

planned_request workload::invalid_mutation() {
  const auto apply = [&](mutation m, errc code) {
    return planned_request{apply_message{std::move(m), some_durability()}, code};
  };
  write_request w = some_write();
  w.id.reset();
  add_edge_request e = std::get<add_edge_request>(some_edge());
  switch (draw_.below(9)) {
  case 0:
    w.importance = 11;
    return apply(w, errc::out_of_range);
  case 1:
    w.tags = {std::string(max_tag_bytes + 1, 'x')};
    return apply(w, errc::limit_exceeded);
  case 2:
    w.data["nonsense"] = std::string("x");
    return apply(w, errc::unknown_key);
  case 3:
    w.type = memory_type::note;
    w.data = {{"statement", std::string("  ")}};
    return apply(w, errc::missing_field);
  case 4:
    w.type = memory_type::note;
    w.data.clear();
    return apply(w, errc::missing_field);
  case 5:
    w.vector = std::vector<float>(16, 0.0F);
    return apply(w, errc::bad_vector);
  case 6:
    e.dst = e.src;
    return apply(e, errc::self_edge);
  case 7:
    e.type = draw_.percent(50) ? 0 : 16;
    return apply(e, errc::invalid_edge_type);
  default:
    e.src = {};
    return apply(e, errc::zero_id);
  }
}

} // namespace mneme::sim
