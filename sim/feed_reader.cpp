#include "sim/feed_reader.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include "query/changes/changes.hpp"
#include "state/apply/entry_parts.hpp"
#include "state/checkpoint/checkpoint.hpp"

namespace mneme::sim {

namespace {

constexpr auto feed_oracle = "change feed";

/// What a change says, as far as the model says it.
struct told {
  seq_no seq;
  change_kind kind{};
  std::string made_by;
  std::optional<memory_id> id{};
  std::uint32_t version = 0;
  std::optional<edge_key> edge{};
  bool is_gone = false;

  friend bool operator==(const told&, const told&) = default;
};

change_kind kind_told(entry_kind kind) {
  static const std::map<entry_kind, change_kind> kinds = {
      {entry_kind::write, change_kind::written},
      {entry_kind::update, change_kind::updated},
      {entry_kind::tombstone, change_kind::tombstoned},
      {entry_kind::update_head, change_kind::head_changed},
      {entry_kind::add_edge, change_kind::edge_added},
      {entry_kind::remove_edge, change_kind::edge_removed},
      {entry_kind::field, change_kind::field_changed},
      {entry_kind::topic_archive, change_kind::archived},
      {entry_kind::topic_unarchive, change_kind::unarchived},
      {entry_kind::topic_merge, change_kind::merged},
      {entry_kind::topic_salience, change_kind::salience_set},
      {entry_kind::restore, change_kind::restored},
      {entry_kind::erase, change_kind::erased},
      {entry_kind::assign_tag, change_kind::tag_assigned},
      {entry_kind::search_weights, change_kind::weights_set},
      {entry_kind::snapshot, change_kind::snapshot_taken},
      {entry_kind::scope_violation, change_kind::scope_violated},
      {entry_kind::trim, change_kind::trimmed},
      {entry_kind::embed, change_kind::embedded},
      {entry_kind::find_late, change_kind::found},
      {entry_kind::reinforce, change_kind::reinforced},
      {entry_kind::decay_cycle, change_kind::decayed},
      {entry_kind::attest, change_kind::attested},
      {entry_kind::learn_weights, change_kind::learned},
      {entry_kind::compact, change_kind::compacted}};
  return kinds.at(kind);
}

/// What the entries are told as to one asker.
class naive_feed {
public:
  naive_feed(const evidence& known, std::string asker) : known_(known), asker_(std::move(asker)) {
    for (seq_no seq{1}; seq <= known.roots.last(); seq = seq.next()) {
      const auto* erased = std::get_if<erase_payload>(&known.roots.entry_at(seq).payload);
      if (erased == nullptr) continue;
      gone_.insert(erased->seqs.begin(), erased->seqs.end());
      if (erased->head) stub_since_[erased->head->id] = seq;
    }
  }

  [[nodiscard]] std::optional<told> of(seq_no seq) const {
    const entry& e = known_.roots.entry_at(seq);
    told t{.seq = seq, .kind = kind_told(e.header.kind), .made_by = e.header.created_by};
    const bool is_host = asker_.empty();
    if (gone_.contains(seq)) {
      t.is_gone = true;
      return is_host ? std::optional(t) : std::nullopt;
    }
    if (const head* h = head_of(e.payload)) return of_head(t, *h);
    if (const edge_record* r = edge_of(e.payload)) {
      t.edge = r->key;
      return sees_then(r->key.src, seq) && sees_then(r->key.dst, seq) ? std::optional(t)
                                                                      : std::nullopt;
    }
    if (const auto* f = std::get_if<field_payload>(&e.payload)) {
      if (f->field.erased) t.kind = change_kind::erased;
      return of_topic(t, f->field.head.topic);
    }
    if (const auto* s = std::get_if<topic_salience_payload>(&e.payload))
      return of_topic(t, s->topic);
    if (t.kind == change_kind::erased) return std::nullopt; // of a field
    const bool is_anybodys =
        t.kind == change_kind::tag_assigned || t.kind == change_kind::weights_set;
    const bool is_own = is_use(t.kind) && t.made_by == asker_;
    return is_host || is_anybodys || is_own ? std::optional(t) : std::nullopt;
  }

private:
  [[nodiscard]] std::optional<head> head_then(const memory_id& id, seq_no at) const {
    const auto stub = stub_since_.find(id);
    if (stub != stub_since_.end() && at < stub->second) return std::nullopt;
    return known_.truth.head_at(id, at);
  }
  [[nodiscard]] bool sees_then(const memory_id& id, seq_no at) const {
    if (asker_.empty()) return true;
    const auto h = head_then(id, at);
    return h && sees(asker_, *h);
  }
  [[nodiscard]] std::optional<told> of_head(told t, const head& h) const {
    t.id = h.id;
    if (asker_.empty() || sees(asker_, h)) {
      t.version = h.current_version;
      return t;
    }
    const bool hides =
        t.kind != change_kind::written && t.kind != change_kind::erased && !is_use(t.kind);
    if (!hides || !sees_then(h.id, seq_no{t.seq.value - 1})) return std::nullopt;
    t.kind = change_kind::hidden;
    t.made_by.clear();
    return t;
  }
  [[nodiscard]] std::optional<told> of_topic(told t, const memory_id& topic) const {
    const auto h = head_then(topic, t.seq);
    if (!h || (!asker_.empty() && !sees(asker_, *h))) return std::nullopt;
    t.id = topic;
    t.version = h->current_version;
    return t;
  }

  const evidence& known_;
  std::string asker_;
  std::set<seq_no> gone_;
  std::map<memory_id, seq_no> stub_since_;
};

told told_of(const change& c) {
  return {.seq = c.seq,
          .kind = c.kind,
          .made_by = c.made_by,
          .id = c.id,
          .version = c.version,
          .edge = c.edge,
          .is_gone = c.content_erased};
}

check_result check_record(const evidence& known, const change& c) {
  if (!c.record) return {};
  const auto then = known.truth.memory_at(*c.id, c.seq);
  if (then && *then->head == *c.record->head && *then->version == *c.record->version) return {};
  return wrong(feed_oracle, fmt::format("the change of seq {} brings another memory", c.seq.value));
}

/// The page is all that the model tells from there to where the page ends.
check_result check_page(const evidence& known, const changes_request& r,
                        const changes_result& page) {
  const naive_feed naive(known, r.actor.value_or(""));
  std::size_t next = 0;
  for (seq_no seq = r.since->next(); seq <= page.next; seq = seq.next()) {
    const auto expected = naive.of(seq);
    if (!expected || (is_use(expected->kind) && !r.filter.include_uses)) continue;
    if (next == page.changes.size() || told_of(page.changes[next]) != *expected)
      return wrong(feed_oracle,
                   fmt::format("seq {} ({}) is not told to \"{}\" as the model tells it", seq.value,
                               to_string(expected->kind), r.actor.value_or("")));
    if (auto ok = check_record(known, page.changes[next]); !ok) return ok;
    ++next;
  }
  if (next != page.changes.size())
    return wrong(feed_oracle, fmt::format("seq {} is told to \"{}\", and should not be",
                                          page.changes[next].seq.value, r.actor.value_or("")));
  return {};
}

change_source source_of(world& w) {
  return {.files = *w.files,
          .journal = journal_directory(w.directory),
          .world = w.info.id,
          .places = w.frame_starts,
          .last = std::min(w.published_seq(), w.feed.durable())};
}

} // namespace

namespace {

/// The first seq that no trim of so far has left behind.
seq_no kept_from(const evidence& known) {
  seq_no from{};
  for (seq_no seq{1}; seq <= known.roots.last(); seq = seq.next())
    if (const auto* trim = std::get_if<trim_payload>(&known.roots.entry_at(seq).payload))
      from = std::max(from, trim->before);
  return from;
}

} // namespace

check_result feed_reader::read_page(const evidence& known, world& w, seq_no& since) {
  changes_request r;
  r.since = since;
  r.limit = draw_.between(1, 20);
  r.filter.include_uses = true;
  r.with_record = draw_.one_in(4);
  auto page = read_changes(w.views(), source_of(w), r);
  const seq_no kept = std::max(w.window.first_before(w.published_seq()), kept_from(known));
  if (!page && page.error().code == errc::seq_unavailable && since < kept) {
    // It rested for too long, and begins anew where the feed ends.
    since = std::max(source_of(w).last, kept);
    return {};
  }
  if (!page) return wrong(feed_oracle, "who goes on is refused: " + page.error().message);
  if (auto ok = check_page(known, r, *page); !ok) return ok;
  since = page->next;
  return {};
}

check_result feed_reader::read_somewhere(const evidence& known, world& w) {
  constexpr std::array<std::string_view, 5> askers = {"", "ana", "bo", "cy", "stranger"};
  changes_request r;
  const seq_no first = w.window.first_before(w.published_seq());
  const seq_no last = w.published_seq();
  r.since = seq_no{first.value + draw_.below(last.value - first.value + 1)};
  r.limit = draw_.between(1, 50);
  r.actor = std::string(draw_.pick(askers));
  r.filter.include_uses = draw_.one_in(2);
  r.with_record = draw_.one_in(4);
  auto page = read_changes(w.views(), source_of(w), r);
  // While a trim goes on, what it drops is gone already, though it can be read at still.
  if (!page && page.error().code == errc::seq_unavailable && *r.since < kept_from(known)) return {};
  if (!page) return wrong(feed_oracle, "what is there is not told: " + page.error().message);
  return check_page(known, r, *page);
}

check_result feed_reader::read_on(const evidence& known, world& w) {
  if (auto ok = read_page(known, w, since_); !ok) return ok;
  return read_somewhere(known, w);
}

check_result feed_reader::read_all(const evidence& known, world& w) {
  for (seq_no before = since_;; before = since_) {
    if (auto ok = read_page(known, w, since_); !ok) return ok;
    if (since_ == before) break;
  }
  if (since_ < source_of(w).last)
    return wrong(feed_oracle, fmt::format("who was told everything stands at seq {}, not at {}",
                                          since_.value, source_of(w).last.value));
  return {};
}

} // namespace mneme::sim
