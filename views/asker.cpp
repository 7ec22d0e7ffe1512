#include "views/asker.hpp"

#include <algorithm>

#include "views/read_views.hpp"

namespace mneme {

asker::asker(std::optional<std::string> actor, std::shared_ptr<const scope> verified)
    : actor_(std::move(actor)), scope_(std::move(verified)) {
  if (actor_ && actor_->empty()) actor_.reset();
  if (!scope_) return;
  actor_ = scope_->granted_to; // whatever its name, it sees what the scope opens
  opens_ = std::make_shared<const opening>(
      opening{selector_lookup(scope_->include), selector_lookup(scope_->exclude)});
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

bool asker::is_named(const memory_id& id) const {
  return opens_ != nullptr && opens_->include.has_id(id);
}

bool asker::may_see(const head& h) const {
  if (scope_)
    return h.actor_scope == scope_->actor && h.visibility >= visibility::scoped
           && opens_->include.selects(h) && !opens_->exclude.selects(h);
  return !actor_ || h.actor_scope == *actor_ || h.visibility == visibility::actor_public;
}

result<bool> asker::may_see(kv_reader& reader, const memory_id& id, seq_no at) const {
  if (sees_all()) return true;
  auto h = read_head(reader, id, at);
  if (!h) return propagate(h);
  return h->has_value() && may_see(**h);
}

visible_rows::visible_rows(const asker& who, const attributes& columns, const node_table& nodes)
    : columns_(columns), scope_(who.opens_) {
  if (who.sees_all()) return;
  // An actor that never wrote has no term; no row has the missing one.
  asker_ = columns.actor_term(scope_ ? who.owner() : *who.actor_);
  if (!scope_) return;
  include_ = columns_of(scope_->include, columns, nodes);
  exclude_ = columns_of(scope_->exclude, columns, nodes);
}

posting_list visible_rows::postings(seq_no at) const {
  posting_list found;
  if (asker_) found.push_back(columns_.with_actor(*asker_, at));
  if (asker_ && !scope_) found.push_back(columns_.everybodys(at));
  return found;
}

visible_rows::column_selector visible_rows::columns_of(const selector_lookup& s,
                                                       const attributes& columns,
                                                       const node_table& nodes) {
  column_selector c{.names = &s, .tags = {}, .nodes = {}};
  for (const auto& tag : s.tags())
    if (const term_no term = columns.tag_term(tag); term.value != no_number) c.tags.push_back(term);
  for (const auto& id : s.ids())
    if (const node_no node = nodes.find(id); node.value != no_number) c.nodes.push_back(node.value);
  std::ranges::sort(c.tags, {}, &term_no::value);
  std::ranges::sort(c.nodes);
  return c;
}

bool visible_rows::has_tag_of(const column_selector& s, row_no row) const {
  // Of few it is asked one by one, which needs no list of the row's own.
  constexpr std::size_t few = 16;
  if (s.tags.size() <= few)
    return std::ranges::any_of(s.tags, [&](term_no tag) { return columns_.has_tag(row, tag); });
  return std::ranges::any_of(columns_.tags(row), [&](term_no tag) {
    return std::ranges::binary_search(s.tags, tag.value, {}, &term_no::value);
  });
}

bool visible_rows::selects(const column_selector& s, row_no row, const row_line& line) const {
  if (s.names->has_type(line.type) || std::ranges::binary_search(s.nodes, line.node)) return true;
  if (has_tag_of(s, row)) return true;
  if (!s.names->has_frame()) return false;
  return std::ranges::any_of(columns_.frames(row),
                             [&](const auto& frame) { return s.names->selects(frame); });
}

bool visible_rows::opened(row_no row, const row_line& line) const {
  return line.visibility >= visibility::scoped && selects(*include_, row, line)
         && !selects(*exclude_, row, line);
}

} // namespace mneme
