#include "tools/import/ingest_source.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/file_memories.hpp"
#include "tools/import/git_source.hpp"
#include "tools/import/source_chunks.hpp"
#include "tools/import/source_file.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;
using protocol::source_counts;
using protocol::source_request;

constexpr std::size_t batch_chunks = 500;

/// Compares the pieces of a source with its chunks in the world, and writes the difference.
class source_writer {
public:
  /// `former`: other names under which the same source may have been ingested.
  source_writer(engine& target, const source_request& request, std::string source,
                std::vector<std::string> former, bool on_github, source_counts& counts)
      : engine_(target),
        request_(request),
        source_(std::move(source)),
        former_(std::move(former)),
        source_type_(on_github ? "github" : "local"),
        counts_(counts) {}

  /// Whether there is time for more. What is pending is written before it is refused, so that
  /// another time finds it done.
  result<void> in_time() {
    if (!request_.in_time) return {};
    auto ok = request_.in_time();
    if (ok) return ok;
    if (auto written = flush(); !written) return written;
    return ok;
  }

  /// Reads which chunks the source has in the world.
  result<void> open() {
    if (auto ok = in_time(); !ok) return ok;
    find_request r;
    r.types = {memory_type::chunk};
    in_predicate named{.field = "meta.source", .values = {source_}};
    for (const auto& name : former_) named.values.emplace_back(name);
    r.where = predicate{std::move(named)};
    r.limit = std::int64_t{1} << 32;
    // Else an archived chunk, or one that has ended, would be written again.
    r.include_archived = r.include_ended = true;
    auto found = engine_.find(std::move(r));
    if (!found) return propagate(found);
    for (auto& m : found->memories) {
      const auto path = m.version->data.find("path");
      const auto hash = m.head->metadata.find("content_hash");
      if (path == m.version->data.end() || hash == m.head->metadata.end()) continue;
      if (m.head->actor_scope != request_.actor) continue;
      const auto* path_text = std::get_if<std::string>(&path->second);
      const auto* hash_text = std::get_if<std::string>(&hash->second);
      if (path_text != nullptr && hash_text != nullptr)
        existing_[{*path_text, *hash_text}].push_back(std::move(m));
    }
    for (auto& [key, chunks] : existing_)
      std::ranges::sort(chunks, {},
                        [this](const memory& m) { return std::tuple(!is_named(m), index_of(m)); });
    return {};
  }

  result<void> put_file(const std::string& path, std::string_view text) {
    ++counts_.files;
    std::int64_t index = 0;
    for (const auto& piece : cut_source(path, text)) {
      if (auto ok = put_piece(path, piece, index++); !ok) return ok;
    }
    return {};
  }

  /// Tombstones what the source no longer has, and writes what is left.
  result<void> finish() {
    for (const auto& [key, chunks] : existing_) {
      if (auto ok = in_time(); !ok) return ok;
      for (const auto& m : chunks) {
        ++counts_.removed;
        auto ok = push(tombstone_request{.uri = uri_of(m),
                                         .actor = request_.actor,
                                         .reason = "no longer in the source",
                                         .by = {},
                                         .superseded_by = {},
                                         .expect_version = {}});
        if (!ok) return ok;
      }
    }
    return flush();
  }

private:
  static memory_uri uri_of(const memory& m) {
    return {m.head->type, m.head->id, m.head->current_version};
  }
  /// Has it the name that the source has now?
  [[nodiscard]] bool is_named(const memory& m) const {
    const auto name = m.head->metadata.find("source");
    return name != m.head->metadata.end() && name->second == metadata_map::mapped_type(source_);
  }
  [[nodiscard]] bool has_source_type(const memory& m) const {
    const auto type = m.version->data.find("source_type");
    const auto* text =
        type == m.version->data.end() ? nullptr : std::get_if<std::string>(&type->second);
    return text != nullptr && *text == source_type_;
  }
  static std::int64_t index_of(const memory& m) {
    const auto index = m.version->data.find("chunk_index");
    const auto* n =
        index == m.version->data.end() ? nullptr : std::get_if<std::int64_t>(&index->second);
    return n == nullptr ? 0 : *n;
  }

  metadata_map metadata_of(const source_piece& piece, const std::string& hash) const {
    metadata_map m{{"source", source_},
                   {"position", static_cast<std::int64_t>(piece.position)},
                   {"content_hash", hash}};
    if (!piece.heading.empty())
      m["heading"] = std::string(piece.heading.substr(0, piece.heading.find('\n')));
    return m;
  }

  result<void> put_piece(const std::string& path, const source_piece& piece, std::int64_t index) {
    const std::string hash = content_hash(piece.text);
    const metadata_map metadata = metadata_of(piece, hash);
    const auto known = existing_.find({path, hash});
    if (known == existing_.end() || known->second.empty())
      return add(path, piece, index, hash, metadata);
    memory m = std::move(known->second.front());
    known->second.erase(known->second.begin());
    return keep(m, index, metadata);
  }

  result<void> add(const std::string& path, const source_piece& piece, std::int64_t index,
                   const std::string& hash, const metadata_map& metadata) {
    auto id = fresh_id(path, hash);
    if (!id) return propagate(id);
    if (!*id) {
      ++counts_.left_out["pieces that were erased here"];
      return {};
    }
    write_request r;
    r.type = memory_type::chunk;
    r.data = {{"content", std::string(piece.text)},
              {"path", path},
              {"source_type", source_type_},
              {"chunk_index", index}};
    r.actor = request_.actor;
    r.id = **id;
    r.visibility = request_.visibility.value_or(visibility::private_);
    r.metadata = metadata;
    if (request_.audience) r.lifecycle.emplace().audience = request_.audience;
    r.provenance.source = provenance_source::imported;
    r.provenance.source_class = request_.source_class;
    ++counts_.added;
    return push(std::move(r));
  }

  /// What the head of a chunk is to become; nullopt: it stays as it is.
  std::optional<update_head_request> relabelled(const memory& m,
                                                const metadata_map& metadata) const {
    const head& h = m.head;
    update_head_request r{};
    metadata_map merged = h.metadata;
    for (const auto& [key, value] : metadata) merged.insert_or_assign(key, value);
    if (merged != h.metadata) r.metadata = std::move(merged);
    if (request_.visibility && *request_.visibility != h.visibility)
      r.visibility = request_.visibility;
    lifecycle life = h.lifecycle.value_or(lifecycle{});
    if (request_.audience && life.audience != request_.audience) {
      life.audience = request_.audience;
      r.lifecycle = std::move(life);
    }
    if (!r.metadata && !r.visibility && !r.lifecycle) return std::nullopt;
    r.uri = uri_of(m);
    r.actor = request_.actor;
    return r;
  }

  /// The text is the same; where it stands may have changed, and who may see it.
  result<void> keep(const memory& m, std::int64_t index, const metadata_map& metadata) {
    const version& v = m.version;
    const bool is_told_anew =
        request_.source_class && v.provenance.source_class != request_.source_class;
    const bool has_changed = index_of(m) != index || !has_source_type(m) || is_told_anew;
    auto new_head = relabelled(m, metadata);
    ++(has_changed || new_head ? counts_.updated : counts_.unchanged);
    if (has_changed) {
      update_request r{.uri = uri_of(m),
                       .type = {},
                       .data = v.data,
                       .actor = request_.actor,
                       .forms = {},
                       .valid_from = {},
                       .valid_until = v.valid_until,
                       .expires_at = v.expires_at,
                       .confidence = v.confidence,
                       .provenance = v.provenance,
                       .vector = {},
                       .created_by = {},
                       .expect_version = {},
                       .created_at = {}};
      if (is_told_anew) r.provenance.source_class = request_.source_class;
      r.data.insert_or_assign("chunk_index", index);
      r.data.insert_or_assign("source_type", source_type_);
      if (auto ok = push(std::move(r)); !ok) return ok;
    }
    if (!new_head) return {};
    return push(std::move(*new_head));
  }

  [[nodiscard]] memory_id id_of(const std::string& source, const std::string& path,
                                const std::string& hash, std::uint64_t n) const {
    return derived_id("chunk", fmt::format("{}\n{}", request_.actor, source),
                      fmt::format("{}\n{}\n{}", path, hash, n));
  }
  /// Under a name that the source had.
  [[nodiscard]] bool was_erased_before(const std::string& path, const std::string& hash,
                                       std::uint64_t n) const {
    return std::ranges::any_of(former_, [&](const std::string& source) {
      const auto there = engine_.get(id_of(source, path, hash, n));
      return !there && there.error().code == errc::erased;
    });
  }

  /// A function of source, path and content, and of how often that was there before: what was
  /// tombstoned stays so. None where that was erased, unless it is to come back.
  result<std::optional<memory_id>> fresh_id(const std::string& path, const std::string& hash) {
    for (std::uint64_t& n = taken_[{path, hash}];; ++n) {
      const memory_id id = id_of(source_, path, hash, n);
      auto there = engine_.get(id);
      if (there) continue;
      const bool is_erased = there.error().code == errc::erased || was_erased_before(path, hash, n);
      if (is_erased && request_.brings_back_erased) continue;
      if (!is_erased && there.error().code != errc::not_found) return propagate(there);
      ++n;
      return is_erased ? std::nullopt : std::optional(id);
    }
  }

  result<void> push(mutation request) {
    pending_.push_back(std::move(request));
    if (pending_.size() < batch_chunks) return {};
    return flush();
  }
  result<void> flush() {
    if (pending_.empty()) return {};
    auto done = engine_.write_batch(std::exchange(pending_, {}));
    if (!done) return propagate(done);
    return {};
  }

  engine& engine_;
  const source_request& request_;
  std::string source_;
  std::vector<std::string> former_;
  std::string source_type_;
  source_counts& counts_;
  std::map<std::pair<std::string, std::string>, std::vector<memory>> existing_;
  std::map<std::pair<std::string, std::string>, std::uint64_t> taken_;
  std::vector<mutation> pending_;
};

bool is_shown(const fs::path& path) {
  return !path.filename().string().starts_with('.');
}

result<void> ingest_files(source_writer& writer, const fs::path& root,
                          const std::vector<std::string>& paths, source_counts& counts) {
  for (const auto& path : paths) {
    if (auto ok = writer.in_time(); !ok) return ok;
    const fs::path full = root / path;
    std::error_code unknown;
    if (fs::file_size(full, unknown) > max_file_bytes) {
      ++counts.left_out["files over 1 MiB"];
      continue;
    }
    auto text = read_source(full.string());
    if (!text) return propagate(text);
    if (!is_utf8(*text) || text->contains('\0')) {
      ++counts.left_out["files that are not UTF-8 text"];
      continue;
    }
    if (auto ok = writer.put_file(path, *text); !ok) return ok;
  }
  return {};
}

/// A tree that got a remote has another name than before, and so has a folder that became a tree:
/// their chunks are taken over.
std::vector<std::string> names_before(const git_source& git, const std::string& root) {
  std::vector<std::string> names{root, root + "/"};
  std::erase(names, git.identity());
  return names;
}

result<void> ingest_git(engine& target, const source_request& request, const std::string& root,
                        git_source& git, source_counts& counts) {
  source_writer writer(target, request, git.identity(), names_before(git, root), git.is_on_github(),
                       counts);
  if (auto ok = writer.open(); !ok) return ok;
  auto walked = git.for_each_file([&](const git_file_record& f, std::uint64_t) -> result<void> {
    if (auto ok = writer.in_time(); !ok) return ok;
    if (f.state != git_file_state::text) {
      ++counts.left_out[std::string(left_out_name(f.state))];
      return {};
    }
    return writer.put_file(f.path, f.content);
  });
  if (!walked) return walked;
  return writer.finish();
}

} // namespace

result<source_counts> ingest_source(engine& target, const source_request& request) {
  std::error_code missing;
  fs::path root = fs::canonical(request.path, missing);
  if (missing)
    return fail(errc::not_found, "cannot read " + request.path + ": " + missing.message(), "path");
  if (!fs::is_directory(root, missing) && !fs::is_regular_file(root, missing))
    return fail(errc::bad_value, request.path + " is neither a file nor a folder", "path");
  source_counts counts;
  if (fs::exists(root / ".git", missing)) {
    auto git = git_source::open(root.string());
    if (!git) return propagate(git);
    if (auto ok = ingest_git(target, request, root.generic_string(), *git, counts); !ok)
      return propagate(ok);
    return counts;
  }
  const std::string source = root.generic_string();
  std::vector<std::string> paths;
  if (fs::is_directory(root)) {
    auto listed = list_files(root, is_shown, &counts.left_out);
    if (!listed) return propagate(listed);
    paths = std::move(*listed);
  } else {
    paths.push_back(root.filename().string());
    root = root.parent_path();
  }
  source_writer writer(target, request, source, {}, false, counts);
  if (auto ok = writer.open(); !ok) return propagate(ok);
  if (auto ok = ingest_files(writer, root, paths, counts); !ok) return propagate(ok);
  if (auto ok = writer.finish(); !ok) return propagate(ok);
  return counts;
}

} // namespace mneme::importing
