/// One rule of who sees what: on records, on columns, and with a scope.
// Of: views/selector_lookup.cpp

#include "views/asker.hpp"

#include <random>

#include "tests/state/site.hpp"
#include "views/read_views.hpp"

namespace mneme::testing {
namespace {

head head_of(std::string actor, visibility v) {
  head h;
  h.id = id_of(1);
  h.type = memory_type::note;
  h.actor_scope = std::move(actor);
  h.visibility = v;
  return h;
}

std::shared_ptr<scope> scope_of(std::string actor, scope_selector include,
                                scope_selector exclude = {}) {
  auto s = std::make_shared<scope>();
  s->actor = std::move(actor);
  s->include = std::move(include);
  s->exclude = std::move(exclude);
  s->granted_to = "sub";
  return s;
}

class dice {
public:
  explicit dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }

private:
  std::mt19937_64 engine_;
};

/// More than a scope has looked at one by one.
const std::vector<std::string> many_tags = [] {
  std::vector<std::string> tags;
  for (int i = 0; i < 40; ++i) tags.push_back("tag" + std::to_string(i));
  return tags;
}();

intent_frame some_frame(dice& d) {
  return {.action = static_cast<verb>(1 + d.below(2)),
          .kind = static_cast<object_kind>(1 + d.below(2)),
          .ref = std::string(1, static_cast<char>('x' + d.below(2)))};
}

write_request some_write(dice& d) {
  static const std::vector<std::string> actors = {"", "ana", "ben"};
  write_request r = note("text", actors[d.below(actors.size())]);
  if (d.one_in(3)) {
    r.type = memory_type::decision;
  }
  r.visibility = static_cast<visibility>(1 + d.below(3));
  for (const char* tag : {"red", "green", "blue"})
    if (d.one_in(3)) r.tags.emplace_back(tag);
  if (d.one_in(2)) r.tags.push_back(many_tags[d.below(many_tags.size())]);
  if (d.one_in(2)) r.frames.push_back(some_frame(d));
  if (d.one_in(4)) r.frames.push_back(some_frame(d));
  return r;
}

scope_selector some_selector(dice& d, const std::vector<memory_id>& ids) {
  scope_selector s;
  if (d.one_in(3)) s.types = {memory_type::note};
  if (d.one_in(2)) s.tags = {d.one_in(2) ? "red" : "a tag that nothing has"};
  if (d.one_in(3)) s.tags.insert(s.tags.end(), many_tags.rbegin(), many_tags.rend());
  if (d.one_in(3)) s.ids = {ids[d.below(ids.size())], id_of(77)};
  if (d.one_in(3)) {
    s.frame = frame_selector{.action = static_cast<verb>(1 + d.below(3)), .refs = {}};
    if (d.one_in(2)) s.frame->refs = {"y", "a"};
  }
  return s;
}

} // namespace

/// The rule, name by name.
bool selects_plainly(const scope_selector& s, const head& h) {
  const auto has = [](const auto& list, const auto& value) {
    return std::ranges::find(list, value) != list.end();
  };
  if (has(s.types, h.type) || has(s.ids, h.id)) return true;
  for (const auto& tag : s.tags)
    if (has(h.tags, tag)) return true;
  if (!s.frame) return false;
  for (const auto& f : h.frames)
    if (f.action == s.frame->action && (s.frame->refs.empty() || has(s.frame->refs, f.ref)))
      return true;
  return false;
}

TEST_CASE("the host sees all, an actor its own and what is public", "[asker]") {
  const head own = head_of("ana", visibility::private_);
  const head shared = head_of("ben", visibility::scoped);
  const head open = head_of("ben", visibility::actor_public);
  CHECK(asker().may_see(own));
  CHECK(asker().may_see(shared));
  CHECK(asker().sees_all());
  CHECK(asker().name().empty());
  const asker ana("ana");
  CHECK(ana.may_see(own));
  CHECK_FALSE(ana.may_see(shared));
  CHECK(ana.may_see(open));
  CHECK(ana.name() == "ana");
  CHECK(ana.refusal() == errc::not_found);
  // "" is the host's name, and no stranger's.
  CHECK(asker("").sees_all());
  CHECK(asker("").may_see(own));
  CHECK(asker("").name().empty());
}

TEST_CASE("a scope opens what include selects and exclude does not, at least scoped", "[asker]") {
  scope_selector notes;
  notes.types = {memory_type::note};
  const asker sub("somebody", scope_of("ben", notes));
  CHECK(sub.name() == "sub");
  CHECK(sub.refusal() == errc::scope_violation);
  CHECK(sub.may_see(head_of("ben", visibility::scoped)));
  CHECK(sub.may_see(head_of("ben", visibility::actor_public)));
  CHECK_FALSE(sub.may_see(head_of("ben", visibility::private_)));
  // Nothing of anybody else, not even the grantee's own.
  CHECK_FALSE(sub.may_see(head_of("ana", visibility::actor_public)));
  CHECK_FALSE(sub.may_see(head_of("sub", visibility::scoped)));
  // Nor does a scope make a host of who has no name.
  scope nameless = *scope_of("ben", notes);
  nameless.granted_to.clear();
  const asker nobody("", std::make_shared<const scope>(nameless));
  CHECK_FALSE(nobody.sees_all());
  CHECK_FALSE(nobody.may_see(head_of("ben", visibility::private_)));
  scope_selector this_one;
  this_one.ids = {id_of(1)};
  CHECK_FALSE(
      asker({}, scope_of("ben", notes, this_one)).may_see(head_of("ben", visibility::scoped)));
}

TEST_CASE("a scope's tag is one in whatever spelling the memory has it", "[asker]") {
  site place;
  auto w = place.open();
  driven d(*w);
  auto made = note("text", "ben");
  made.visibility = visibility::scoped;
  const auto written = d.apply(made);
  REQUIRE(written);
  auto reader = w->store->reader();
  REQUIRE(reader);
  const auto found = read_memory(w->views(), **reader, written->uri->id, w->published_seq());
  REQUIRE((found && found->has_value()));
  const memory& kept = **found;
  put_record_request again{.head = kept.head, .version = kept.version, .vector = {}};
  again.head.tags = {"cafe\u0301"};
  REQUIRE(d.apply(again));
  const row_no row = w->attributes().row_of(w->nodes.find(written->uri->id), w->published_seq());
  for (const char* tag : {"cafe\u0301", "caf\u00E9", "cafe"}) {
    scope_selector tagged;
    tagged.tags = {tag};
    const asker sub("sub", scope_of("ben", tagged));
    const bool opens = std::string_view(tag) != "cafe";
    CHECK(sub.may_see(again.head) == opens);
    CHECK(visible_rows(sub, w->attributes(), w->nodes)(row) == opens);
  }
}

TEST_CASE("columns and records decide alike who sees what", "[asker]") {
  site place;
  auto w = place.open();
  driven d(*w);
  dice draws(11);
  std::vector<memory_id> ids;
  for (int i = 0; i < 120; ++i) {
    auto written = d.apply(some_write(draws));
    REQUIRE(written);
    ids.push_back(written->uri->id);
    if (draws.one_in(4)) {
      update_head_request patch;
      patch.uri = *written->uri;
      patch.tags = {"green"};
      patch.frames = {some_frame(draws)};
      REQUIRE(d.apply(patch));
    }
  }
  auto reader = w->store->reader();
  REQUIRE(reader);
  const seq_no at = w->published_seq();
  for (int round = 0; round < 200; ++round) {
    asker who;
    if (draws.one_in(4))
      who = asker(draws.one_in(2) ? "ana" : "who never wrote");
    else
      who = asker("x", scope_of(draws.one_in(3) ? "" : "ana", some_selector(draws, ids),
                                some_selector(draws, ids)));
    const visible_rows visible(who, w->attributes(), w->nodes);
    for (const auto& id : ids) {
      auto h = read_head(**reader, id, at);
      REQUIRE((h && h->has_value()));
      const row_no row = w->attributes().row_of(w->nodes.find(id), at);
      CHECK(visible(row) == who.may_see(**h));
      if (const scope* s = who.verified_scope())
        CHECK(who.may_see(**h)
              == ((*h)->actor_scope == s->actor && (*h)->visibility >= visibility::scoped
                  && selects_plainly(s->include, **h) && !selects_plainly(s->exclude, **h)));
      CHECK(*who.may_see(**reader, id, at) == who.may_see(**h));
    }
  }
}

} // namespace mneme::testing
