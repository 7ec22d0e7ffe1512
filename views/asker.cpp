#include "views/asker.hpp"

#include <algorithm>

#include "messages/text/composed.hpp"
#include "views/read_views.hpp"

namespace mneme {

namespace {

template <class Range, class Value>
bool contains(const Range& range, const Value& value) {
  return std::ranges::find(range, value) != range.end();
}

bool selects(const frame_selector& s, const intent_frame& frame) {
  return frame.action == s.action && (s.refs.empty() || contains(s.refs, frame.ref));
}

bool selects(const scope_selector& s, const head& h) {
  return contains(s.types, h.type) || contains(s.ids, h.id)
         || std::ranges::any_of(s.tags,
                                [&](const auto& tag) { return is_among(h.tags, composed(tag)); })
         || (s.frame
             && std::ranges::any_of(h.frames, [&](const auto& f) { return selects(*s.frame, f); }));
}

} // namespace

asker::asker(std::optional<std::string> actor, std::shared_ptr<const scope> verified)
    : actor_(std::move(actor)), scope_(std::move(verified)) {
  if (actor_ && actor_->empty()) actor_.reset();
  if (scope_) actor_ = scope_->granted_to; // whatever its name, it sees what the scope opens
}

const std::string& asker::name() const {
  static const std::string host;
  return actor_ ? *actor_ : host;
}

std::unexpected<error> asker::hidden(const memory_id& id, std::string_view key) const {
  return fail(refusal(),
              (scope_ ? "the scope opens no memory " : "there is no memory ") + to_string(id),
              std::string(key));
}

result<void> asker::check_touch(bool is_asked_for, std::string_view key) const {
  if (!is_asked_for || may_touch()) return {};
  return fail(errc::scope_violation, "the scope is for reading only, and this would reinforce",
              std::string(key));
}

bool asker::may_see(const head& h) const {
  if (scope_)
    return h.actor_scope == scope_->actor && h.visibility >= visibility::scoped
           && selects(scope_->include, h) && !selects(scope_->exclude, h);
  return !actor_ || h.actor_scope == *actor_ || h.visibility == visibility::actor_public;
}

result<bool> asker::may_see(kv_reader& reader, const memory_id& id, seq_no at) const {
  if (sees_all()) return true;
  auto h = read_head(reader, id, at);
  if (!h) return propagate(h);
  return h->has_value() && may_see(**h);
}

visible_rows::visible_rows(const asker& who, const attributes& columns, const node_table& nodes)
    : columns_(columns), scope_(who.scope_ != nullptr) {
  if (who.sees_all()) return;
  // An actor that never wrote has no term; no row has the missing one.
  asker_ = columns.actor_term(scope_ ? who.scope_->actor : *who.actor_);
  if (!scope_) return;
  include_ = columns_of(who.scope_->include, columns, nodes);
  exclude_ = columns_of(who.scope_->exclude, columns, nodes);
}

posting_list visible_rows::postings() const {
  posting_list found;
  if (asker_) found.push_back(columns_.with_actor(*asker_));
  if (asker_ && !scope_) found.push_back(columns_.everybodys());
  return found;
}

visible_rows::column_selector visible_rows::columns_of(const scope_selector& s,
                                                       const attributes& columns,
                                                       const node_table& nodes) {
  column_selector c;
  for (const auto type : s.types) c.types |= 1U << static_cast<unsigned>(type);
  for (const auto& tag : s.tags)
    if (const term_no term = columns.tag_term(composed(tag)); term.value != no_number)
      c.tags.push_back(term);
  for (const auto& id : s.ids)
    if (const node_no node = nodes.find(id); node.value != no_number) c.nodes.push_back(node.value);
  std::ranges::sort(c.nodes);
  c.frame = s.frame;
  return c;
}

bool visible_rows::selects(const column_selector& s, row_no row, const row_line& line) const {
  if ((s.types >> static_cast<unsigned>(line.type) & 1U) != 0) return true;
  if (std::ranges::binary_search(s.nodes, line.node)) return true;
  for (const term_no tag : s.tags)
    if (columns_.has_tag(row, tag)) return true;
  if (!s.frame) return false;
  return std::ranges::any_of(columns_.frames(row),
                             [&](const auto& frame) { return mneme::selects(*s.frame, frame); });
}

bool visible_rows::opened(row_no row, const row_line& line) const {
  return line.visibility >= visibility::scoped && selects(include_, row, line)
         && !selects(exclude_, row, line);
}

} // namespace mneme
