#include "bench/workloads/sqlite_peer.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "bench/workloads/sqlite_statement.hpp"

namespace mneme::workloads {

namespace {

constexpr const char* settings =
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-262144; "
    "PRAGMA mmap_size=8000000000; PRAGMA temp_store=MEMORY; PRAGMA busy_timeout=5000";

/// What changes often stands apart from what is long; keys hold all that a query selects by.
constexpr const char* tables =
    "CREATE TABLE mem(id INTEGER PRIMARY KEY, type INT, created INT, actor INT, body TEXT);"
    "CREATE TABLE vec(id INTEGER PRIMARY KEY, v BLOB);"
    "CREATE TABLE hot(id INTEGER PRIMARY KEY, importance INT, uses INT, last INT);"
    "CREATE TABLE tag(tag INT, type INT, created INT, mem INT,"
    " PRIMARY KEY(tag, type, created, mem)) WITHOUT ROWID;"
    "CREATE TABLE own(actor INT, type INT, created INT, mem INT,"
    " PRIMARY KEY(actor, type, created, mem)) WITHOUT ROWID;"
    "CREATE TABLE edge(src INT, type INT, dst INT, PRIMARY KEY(src, type, dst)) WITHOUT ROWID;"
    "CREATE VIRTUAL TABLE words USING fts5(body, content='mem', content_rowid='id')";
constexpr const char* edges_backwards = "CREATE INDEX edge_back ON edge(dst, type, src)";

// Salience without a near vector and with one; the numbers are those of truth.cpp.
#define MNEME_SALIENCE(now)                                                                        \
  "(0.25*exp((h.last-" now ")/7776000000000000.0)"                                                 \
  "+0.15*ln(1+min(h.uses,1000))/ln(1001.0)+0.02*h.importance)"

constexpr const char* salient_text =
    "SELECT h.id FROM tag t CROSS JOIN hot h ON h.id=t.mem"
    " WHERE t.tag=?1 AND t.type=?2 AND t.created>=?3 AND t.created<?4"
    " ORDER BY " MNEME_SALIENCE("?5") " DESC, h.id LIMIT 20";
constexpr const char* own_salient_text =
    "SELECT h.id FROM own o CROSS JOIN tag t ON t.tag=?6 AND t.type=?2 AND t.created=o.created"
    " AND t.mem=o.mem CROSS JOIN hot h ON h.id=o.mem"
    " WHERE o.actor=?1 AND o.type=?2 AND o.created>=?3 AND o.created<?4"
    " ORDER BY " MNEME_SALIENCE("?5") " DESC, h.id LIMIT 20";
constexpr const char* own_hot_text =
    "SELECT h.id, h.importance, h.uses, h.last FROM own o CROSS JOIN hot h ON h.id=o.mem"
    " WHERE o.actor=?1";
#undef MNEME_SALIENCE
constexpr const char* has_tag_text =
    "SELECT 1 FROM mem m CROSS JOIN tag t ON t.tag=?2 AND t.type=m.type AND t.created=m.created"
    " AND t.mem=m.id WHERE m.id=?1";

} // namespace

struct sqlite_peer::impl {
  struct closer {
    void operator()(sqlite3* one) const { sqlite3_close_v2(one); }
  };
  struct statements {
    explicit statements(sqlite3* of)
        : begin(of, "BEGIN IMMEDIATE"),
          commit(of, "COMMIT"),
          insert_memory(of, "INSERT INTO mem VALUES(?,?,?,?,?)"),
          insert_vector(of, "INSERT INTO vec VALUES(?,?)"),
          insert_hot(of, "INSERT INTO hot VALUES(?,?,?,?)"),
          insert_tag(of, "INSERT INTO tag VALUES(?,?,?,?)"),
          insert_own(of, "INSERT INTO own VALUES(?,?,?,?)"),
          insert_words(of, "INSERT INTO words(rowid, body) VALUES(?,?)"),
          insert_edge(of, "INSERT OR IGNORE INTO edge VALUES(?,?,?)"),
          touch(of, "UPDATE hot SET uses=uses+1, last=?2 WHERE id=?1"),
          vectors(of, "SELECT v FROM vec ORDER BY id"),
          of_tag(of, "SELECT mem FROM tag WHERE tag=?"),
          of_actor(of, "SELECT mem FROM own WHERE actor=?"),
          salient(of, salient_text),
          own_salient(of, own_salient_text),
          own_hot(of, own_hot_text),
          has_tag(of, has_tag_text),
          step_of_type(of, "SELECT dst FROM edge WHERE src=?1 AND type=?2 UNION ALL"
                           " SELECT src FROM edge WHERE dst=?1 AND type=?2"),
          step(of, "SELECT dst FROM edge WHERE src=?1 UNION ALL"
                   " SELECT src FROM edge WHERE dst=?1"),
          search(of, "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT 10") {}

    sqlite_statement begin, commit;
    sqlite_statement insert_memory, insert_vector, insert_hot, insert_tag, insert_own;
    sqlite_statement insert_words, insert_edge, touch;
    sqlite_statement vectors, of_tag, of_actor, salient, own_salient, own_hot, has_tag;
    sqlite_statement step_of_type, step, search;
  };

  std::unique_ptr<sqlite3, closer> db;
  std::optional<statements> by{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> reached{}; ///< kept between walks

  result<void> execute(const char* text) {
    if (sqlite3_exec(db.get(), text, nullptr, nullptr, nullptr) != SQLITE_OK)
      return std::unexpected(sqlite_error(db.get()));
    return {};
  }
  static result<rows> ids_of(sqlite_statement& asked) {
    rows found;
    auto all = asked.each([&](const sqlite_statement& s) {
      found.push_back(static_cast<std::uint32_t>(s.number(0)));
    });
    if (!all) return std::unexpected(all.error());
    return found;
  }
  /// Fills `reached` with rows around `start` and their hops, the start first. No types: any.
  result<void> walk(std::uint32_t start, std::uint32_t hops, std::vector<std::uint8_t> types) {
    reached.assign(1, {start, 0});
    std::unordered_set<std::uint32_t> seen{start};
    if (types.empty()) types.push_back(0);
    for (std::size_t at = 0; at < reached.size() && reached[at].second < hops; ++at) {
      const auto [from, depth] = reached[at];
      for (const auto type : types) {
        auto& next = type == 0 ? by->step : by->step_of_type;
        if (type == 0)
          next.bind(std::int64_t{from});
        else
          next.bind(std::int64_t{from}, std::int64_t{type});
        auto all = next.each([&](const sqlite_statement& s) {
          const auto to = static_cast<std::uint32_t>(s.number(0));
          if (seen.insert(to).second) reached.emplace_back(to, depth + 1);
        });
        if (!all) return all;
      }
    }
    return {};
  }
};

sqlite_peer::sqlite_peer(std::unique_ptr<impl> made) : impl_(std::move(made)) {
}
sqlite_peer::~sqlite_peer() = default;

result<std::unique_ptr<sqlite_peer>> sqlite_peer::open(const std::string& path) {
  sqlite3* db = nullptr;
  const int opened = sqlite3_open(path.c_str(), &db);
  auto made = std::make_unique<impl>();
  made->db.reset(db);
  if (opened != SQLITE_OK) return std::unexpected(sqlite_error(db));
  if (auto set = made->execute(settings); !set) return propagate(set);
  std::int64_t has_tables = 0;
  sqlite_statement count(db, "SELECT count(*) FROM sqlite_master");
  auto counted = count.each([&](const sqlite_statement& s) { has_tables = s.number(0); });
  if (!counted) return propagate(counted);
  if (has_tables > 0) made->by.emplace(db);
  return std::unique_ptr<sqlite_peer>(new sqlite_peer(std::move(made)));
}

result<void> sqlite_peer::load(const dataset& d) {
  if (auto made = impl_->execute(tables); !made) return made;
  impl_->by.emplace(impl_->db.get());
  if (auto begun = begin(); !begun) return begun;
  for (std::uint32_t i = 0; i < d.rows.size(); ++i)
    if (auto written = write(d, i); !written) return written;
  for (const auto& e : d.edges)
    if (auto linked = link(e); !linked) return linked;
  if (auto indexed = impl_->execute(edges_backwards); !indexed) return indexed;
  if (auto committed = commit(); !committed) return committed;
  return impl_->execute("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA optimize");
}

result<std::vector<float>> sqlite_peer::vectors() {
  std::vector<float> all;
  auto read = impl_->by->vectors.each([&](const sqlite_statement& s) {
    const auto bytes = s.bytes(0);
    const auto at = all.size();
    all.resize(at + bytes.size() / sizeof(float));
    std::memcpy(&all[at], bytes.data(), bytes.size());
  });
  if (!read) return propagate(read);
  return all;
}

result<rows> sqlite_peer::near_in_tag(const dataset& d, const float* vector, std::uint32_t tag,
                                      std::size_t k) {
  auto ids = impl::ids_of(impl_->by->of_tag.bind(std::int64_t{tag}));
  return ids ? nearest_of(d, vector, *ids, k) : ids;
}

result<rows> sqlite_peer::salient(const query& q) {
  return impl::ids_of(impl_->by->salient.bind(std::int64_t{q.tag_of_find},
                                              static_cast<std::int64_t>(q.type), q.from.ns,
                                              q.until.ns, query_time.ns));
}

result<rows> sqlite_peer::within_three_hops(const query& q) {
  auto walked = impl_->walk(q.start, 3, {q.edge_types[0], q.edge_types[1]});
  if (!walked) return propagate(walked);
  auto& reached = impl_->reached;
  std::ranges::sort(reached, {}, [](const auto& r) { return std::pair(r.second, r.first); });
  rows first;
  for (std::size_t i = 1; i < std::min<std::size_t>(21, reached.size()); ++i)
    first.push_back(reached[i].first);
  return first;
}

result<rows> sqlite_peer::near_in_reach(const dataset& d, const query& q, const float* vector) {
  auto walked = impl_->walk(q.start, 2, {});
  if (!walked) return propagate(walked);
  rows tagged;
  for (std::size_t i = 1; i < impl_->reached.size(); ++i) {
    const auto id = impl_->reached[i].first;
    auto& has_tag = impl_->by->has_tag.bind(std::int64_t{id}, std::int64_t{q.tag_in_reach});
    auto looked = has_tag.each([&](const sqlite_statement&) { tagged.push_back(id); });
    if (!looked) return propagate(looked);
  }
  return nearest_of(d, vector, tagged, 10);
}

result<rows> sqlite_peer::own_near(const dataset& d, std::uint32_t actor, const float* vector,
                                   std::size_t k) {
  auto ids = impl::ids_of(impl_->by->of_actor.bind(std::int64_t{actor}));
  return ids ? nearest_of(d, vector, *ids, k) : ids;
}

result<rows> sqlite_peer::own_salient(std::uint32_t actor, const query& q) {
  return impl::ids_of(
      impl_->by->own_salient.bind(std::int64_t{actor}, static_cast<std::int64_t>(q.type), q.from.ns,
                                  q.until.ns, query_time.ns, std::int64_t{q.tag_of_find}));
}

result<rows> sqlite_peer::own_relevant(const dataset& d, std::uint32_t actor, const float* vector,
                                       std::size_t k) {
  // Numbers from the rows, relevance from the floats beside them.
  std::vector<std::pair<double, std::uint32_t>> scored;
  auto read = impl_->by->own_hot.bind(std::int64_t{actor}).each([&](const sqlite_statement& s) {
    row r;
    r.importance = static_cast<std::uint8_t>(s.number(1));
    r.access_count = static_cast<std::uint32_t>(s.number(2));
    r.last_used = {s.number(3)};
    const auto id = static_cast<std::uint32_t>(s.number(0));
    scored.emplace_back(-salience_of(r, cosine_of(d, vector, id)), id);
  });
  if (!read) return propagate(read);
  const auto count = static_cast<std::ptrdiff_t>(std::min(k, scored.size()));
  std::partial_sort(scored.begin(), scored.begin() + count, scored.end());
  rows first;
  for (auto it = scored.begin(); it != scored.begin() + count; ++it) first.push_back(it->second);
  return first;
}

result<rows> sqlite_peer::search(const query& q) {
  const std::string any = q.words[0] + " OR " + q.words[1] + " OR " + q.words[2];
  return impl::ids_of(impl_->by->search.bind(std::string_view(any)));
}

result<void> sqlite_peer::begin() {
  return impl_->by->begin.run();
}
result<void> sqlite_peer::commit() {
  return impl_->by->commit.run();
}

result<void> sqlite_peer::sync_commits(bool sync) {
  return impl_->execute(sync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
}

result<void> sqlite_peer::write(const dataset& d, std::uint32_t i) {
  auto& by = *impl_->by;
  const row& r = d.rows[i];
  const std::int64_t id = i;
  const auto type = static_cast<std::int64_t>(r.type);
  const std::string_view body = d.texts[i];
  by.insert_memory.bind(id, type, r.created_at.ns, std::int64_t{r.actor}, body);
  by.insert_vector.bind(id, std::pair(d.vector_of(i), dimension));
  by.insert_hot.bind(id, std::int64_t{r.importance}, std::int64_t{r.access_count}, r.last_used.ns);
  by.insert_own.bind(std::int64_t{r.actor}, type, r.created_at.ns, id);
  by.insert_words.bind(id, body);
  for (auto* s :
       {&by.insert_memory, &by.insert_vector, &by.insert_hot, &by.insert_own, &by.insert_words})
    if (auto ran = s->run(); !ran) return ran;
  for (const auto tag : r.tags)
    if (auto ran = by.insert_tag.bind(std::int64_t{tag}, type, r.created_at.ns, id).run(); !ran)
      return ran;
  return {};
}

result<void> sqlite_peer::link(const edge& e) {
  return impl_->by->insert_edge.bind(std::int64_t{e.src}, std::int64_t{e.type}, std::int64_t{e.dst})
      .run();
}

result<void> sqlite_peer::touch(const rows& touched) {
  for (const auto i : touched)
    if (auto ran = impl_->by->touch.bind(std::int64_t{i}, query_time.ns).run(); !ran) return ran;
  return {};
}

} // namespace mneme::workloads
