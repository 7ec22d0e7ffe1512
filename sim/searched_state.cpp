#include "sim/searched_state.hpp"

#include <algorithm>
#include <set>

#include "index/lexical/function_terms.hpp"
#include "index/lexical/text_terms.hpp"
#include "messages/text/forms.hpp"
#include "query/search/question_share.hpp"
#include "sim/model_lineage.hpp"

namespace mneme::sim {

std::string first_bytes(std::string text, bool& truncated) {
  truncated = text.size() > 600;
  if (!truncated) return text;
  std::size_t end = 600;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

namespace {

lineage_item item_of(const memory& m) {
  return {{m.head->type, m.head->id, m.head->current_version},
          m.version->forms.short_form,
          state_of(m.head).status};
}

/// Through `replaces`, at most ten steps each way; what the asker does not see ends the chain.
search_lineage lineage_of(const searched_state& s, const memory_id& of) {
  search_lineage out;
  const auto decision = [&](const memory_id& id) -> const memory* {
    const memory* m = s.find(id);
    const bool ok =
        m != nullptr && m->head->type == memory_type::decision && sees(viewer_of(s.r), m->head);
    return ok ? m : nullptr;
  };
  std::set<memory_id> met{of};
  for (auto next = reference_in(s.find(of)->version); next && met.insert(*next).second;) {
    const memory* m = decision(*next);
    if (m == nullptr) break;
    if (out.ancestors.size() == 10) {
      out.truncated = true;
      break;
    }
    out.ancestors.insert(out.ancestors.begin(), item_of(*m));
    next = reference_in(m->version);
  }
  met = {of};
  std::map<memory_id, lineage_item> later;
  std::set<memory_id> frontier{of};
  for (int step = 0; !frontier.empty(); ++step) {
    std::set<memory_id> next;
    for (const auto& [id, m] : s.live) {
      const auto ref = reference_in(m.version);
      if (decision(id) != nullptr && ref && frontier.contains(*ref) && met.insert(id).second)
        next.insert(id);
    }
    if (step == 10) {
      out.truncated |= !next.empty();
      break;
    }
    for (const auto& id : next) later.emplace(id, item_of(*s.find(id)));
    frontier = std::move(next);
  }
  for (const auto& [id, item] : later) out.descendants.push_back(item);
  return out;
}

} // namespace

std::optional<memory_id> reference_in(const version& v) {
  std::string_view field;
  if (v.type == memory_type::decision) field = "replaces";
  if (v.type == memory_type::chunk) field = "promoted_to";
  const auto found = v.data.find(field);
  const auto* id = found == v.data.end() ? nullptr : std::get_if<memory_id>(&found->second);
  return id == nullptr ? std::nullopt : std::optional(*id);
}

lifecycle state_of(const head& h) {
  return h.lifecycle.value_or(lifecycle{});
}

bool is_overdue(const lifecycle& l, timestamp now) {
  return l.status && *l.status <= lifecycle_status::scheduled && l.due_date && *l.due_date < now;
}

const memory* searched_state::find(const memory_id& id) const {
  const auto found = live.find(id);
  return found == live.end() ? nullptr : &found->second;
}

judged_by searched_state::when() const {
  return {.instant = r.as_of.value_or(now), .is_asked = r.as_of.has_value()};
}

bool searched_state::has_begun(const version& v) const {
  return sim::has_begun(v, when());
}

bool searched_state::has_ended(const version& v) const {
  return sim::has_ended(v, when());
}

bool searched_state::is_superseded(const memory_id& id) const {
  if (is_past(*state.head_at(id, at), when())) return true;
  const std::string owner = state.head_at(id, at)->actor_scope;
  const auto may_hide = [&](const memory& newer) {
    return takes_out(newer, owner, viewer_of(r), when())
           && (!r.min_trust || r.memory_ids // which are answered whatever their trust
               || trust_in(state, newer.head->id, at) >= *r.min_trust);
  };
  for (const auto& [other, m] : live)
    if (other != id && m.head->type == memory_type::decision && reference_in(m.version) == id
        && may_hide(m))
      return true;
  return std::ranges::any_of(state.edges_in(id, at), [&](const edge_record& e) {
    const memory* by = find(e.key.src);
    return !e.tombstoned && e.key.type == edge_type::supersedes && by != nullptr && may_hide(*by);
  });
}

bool searched_state::is_promoted(const memory& chunk) const {
  const auto to = reference_in(chunk.version);
  const memory* m = to ? find(*to) : nullptr;
  return m != nullptr && !m->head->tombstone && m->head->type != memory_type::chunk
         && sees(viewer_of(r), m->head);
}

namespace {

std::string lines_of(const std::vector<topic_value>& values) {
  std::string lines;
  for (const auto& v : values)
    if (!plain_text(v.value).empty()) lines += "\n" + v.name + ": " + plain_text(v.value);
  return lines;
}

bool is_told(const topic_value& v, judged_by when, bool includes_ended) {
  return (includes_ended || !v.valid_until || when.instant < *v.valid_until)
         && (!when.is_asked || v.valid_from <= when.instant);
}

/// What a topic is found by beside its own content.
void tell_fields(const searched_state& s, const memory& topic, search_hit& hit) {
  const memory_id& id = topic.head->id;
  const auto values = s.state.values_at(id, s.at);
  if (values.empty()) return;
  const std::string own = searched_text(memory_type::topic, topic.version->data);
  auto terms = text_terms(own + lines_of(values));
  auto found_by = text_terms(s.state.text_at(id, s.at));
  std::ranges::sort(terms);
  std::ranges::sort(found_by);
  if (terms != found_by) return; // the text comes with the frame's last entry
  if (!s.r.memory_ids)
    hit.field = field_asked_for(s.r.query, s.state.seams().search.function_words, s.state, id, s.at,
                                s.when(), s.r.include_ended);
  hit.content = told_topic_text(topic.version->data,
                                told_fields(s.state, id, s.at, s.when(), s.r.include_ended), 600,
                                hit.field, hit.truncated);
}

} // namespace

std::vector<topic_value> told_fields(const model& state, const memory_id& topic, seq_no at,
                                     judged_by when, bool includes_ended) {
  std::vector<topic_value> told;
  for (auto& v : state.values_at(topic, at)) {
    const bool has_ended = v.valid_until && *v.valid_until <= when.instant;
    if (!is_told(v, when, includes_ended)) continue;
    std::string text = plain_text(v.value);
    if (has_ended && !text.empty())
      text += " (until " + to_string(*v.valid_until).substr(0, 10) + ")";
    if (has_ended) v.value.node = text;
    told.push_back(v);
  }
  return told;
}

std::string field_asked_for(const std::string& question, double function_words,
                            const std::vector<topic_value>& values) {
  std::string field;
  double most = 0;
  for (const auto& v : values) {
    if (plain_text(v.value).empty()) continue;
    const auto has = text_terms(v.name + ": " + plain_text(v.value));
    std::set<std::string> asked;
    double share = 0;
    bool tells = false;
    for (const auto& term : distinct_terms(question, default_language)) {
      if (!asked.insert(term).second || std::ranges::find(has, term) == has.end()) continue;
      const bool is_function = is_function_term(term);
      tells |= !is_function;
      share += is_function ? function_words : 1;
    }
    if (!tells || share <= most) continue;
    most = share;
    field = v.name;
  }
  return field;
}

std::string field_asked_for(const std::string& question, double function_words, const model& state,
                            const memory_id& topic, seq_no at, judged_by when,
                            bool includes_ended) {
  auto values = state.values_at(topic, at);
  std::erase_if(values, [&](const auto& v) { return !is_told(v, when, includes_ended); });
  return field_asked_for(question, function_words, values);
}

bool is_past_topic(const searched_state& s, const memory& m) {
  return is_past_topic(s.state, m, s.at, s.r.query, s.when(), s.r.include_ended);
}

bool is_past_topic(const model& state, const memory& m, seq_no at, const std::string& question,
                   judged_by when, bool includes_ended) {
  if (m.head->type != memory_type::topic) return false;
  std::vector<topic_value> told;
  std::vector<topic_value> past;
  for (const auto& v : state.values_at(m.head->id, at))
    (is_told(v, when, includes_ended) ? told : past).push_back(v);
  const auto says_any = [&](const std::string& text) {
    const auto has = text_terms(text);
    return std::ranges::any_of(distinct_terms(question, default_language), [&](const auto& term) {
      return !is_function_term(term) && std::ranges::find(has, term) != has.end();
    });
  };
  return says_any(lines_of(past))
         && !says_any(searched_text(memory_type::topic, m.version->data) + lines_of(told));
}

search_hit hit_of(const searched_state& s, const search_result& out, const memory& m, double score,
                  double raw) {
  search_hit hit;
  hit.uri = {m.head->type, m.head->id, m.head->current_version};
  hit.score = score;
  hit.raw_score = raw;
  hit.title = m.version->forms.short_form;
  if (m.head->type == memory_type::chunk) {
    hit.path = text_in(m.version, "path");
    if (const auto it = m.version->data.find("chunk_index"); it != m.version->data.end())
      hit.chunk_index = std::get<std::int64_t>(it->second);
    hit.content = first_bytes(text_in(m.version, "content"), hit.truncated);
  } else {
    hit.content = first_bytes(searched_text(m.version->type, m.version->data), hit.truncated);
    if (m.head->type == memory_type::topic) tell_fields(s, m, hit);
  }
  const lifecycle l = state_of(m.head);
  hit.status = l.status;
  hit.due_date = l.due_date;
  hit.audience = l.audience;
  hit.project = l.project;
  hit.overdue = is_overdue(l, s.now);
  hit.ended = s.has_ended(m.version);
  hit.superseded = s.is_superseded(m.head->id);
  hit.tags = m.head->tags;
  hit.metadata = m.head->metadata;
  hit.created_at = m.head->created_at;
  hit.updated_at = m.head->last_updated_at;
  hit.standing = standing_in(s.state, m.head->id, s.at);
  hit.source_class = m.version->provenance.source_class;
  hit.trust_told = m.version->provenance.trust || hit.source_class;
  if (out.form) {
    hit.rendered = text_of(m.version, *out.form);
    hit.tokens = s.state.seams().tokens->count(*hit.rendered);
  }
  return hit;
}

void pack(const search_request& r, search_result& out) {
  std::vector<search_hit> kept;
  if (r.budget_tokens) {
    // One after the other, as ranked; what does not fit is out.
    std::int64_t room = *r.budget_tokens;
    for (auto& hit : out.results) {
      if (hit.tokens <= room) {
        room -= hit.tokens;
        kept.push_back(std::move(hit));
        continue;
      }
      const bool is_chunk = hit.uri.type == memory_type::chunk;
      auto& c = is_chunk ? out.coverage.content : out.coverage.memory;
      ++c.cut;
      --c.returned;
    }
    out.results = std::move(kept);
  }
  for (const auto& hit : out.results) out.tokens += hit.tokens;
}

void look_up(const searched_state& s, search_result& out) {
  std::set<memory_id> seen;
  for (const auto& id : *s.r.memory_ids) {
    if (!seen.insert(id).second) continue;
    const memory* m = s.find(id);
    if (m == nullptr || m->head->type == memory_type::chunk || !sees(viewer_of(s.r), m->head)
        || (m->head->tombstone && !s.r.include_ended)) {
      out.coverage.not_found_ids.push_back(id);
      continue;
    }
    out.results.push_back(hit_of(s, out, *m, 1, 1));
    if (s.r.include_lineage && m->head->type == memory_type::decision)
      out.results.back().lineage = lineage_of(s, id);
  }
  auto& c = out.coverage.memory;
  c.searched = c.candidates = c.returned = static_cast<std::int64_t>(out.results.size());
  pack(s.r, out);
}

} // namespace mneme::sim
