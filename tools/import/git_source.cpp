#include "tools/import/git_source.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <git2.h>

#include "messages/text/time_text.hpp"
#include "messages/validate/validate.hpp"
#include "tools/import/derived_id.hpp"
#include "tools/import/file_memories.hpp"
#include "tools/import/source_file.hpp"

namespace mneme::importing {

namespace {

namespace fs = std::filesystem;

template <class T, void (*Free)(T*)>
struct git_free {
  void operator()(T* p) const { Free(p); }
};
using repository = std::unique_ptr<git_repository, git_free<git_repository, git_repository_free>>;
using commit = std::unique_ptr<git_commit, git_free<git_commit, git_commit_free>>;
using tree = std::unique_ptr<git_tree, git_free<git_tree, git_tree_free>>;
using blob = std::unique_ptr<git_blob, git_free<git_blob, git_blob_free>>;
using diff = std::unique_ptr<git_diff, git_free<git_diff, git_diff_free>>;
using reference = std::unique_ptr<git_reference, git_free<git_reference, git_reference_free>>;
using remote = std::unique_ptr<git_remote, git_free<git_remote, git_remote_free>>;

/// libgit2 counts these calls.
struct library {
  library() { git_libgit2_init(); }
  ~library() { git_libgit2_shutdown(); }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
};

std::unexpected<error> git_failure(const std::string& what, errc code = errc::io) {
  const git_error* cause = git_error_last();
  return fail(code, what + ": " + (cause != nullptr ? cause->message : "git gave no reason"));
}

std::string hash_text(const git_oid& id) {
  char text[GIT_OID_HEXSZ + 1];
  git_oid_tostr(text, sizeof text, &id);
  return text;
}

timestamp time_of(const git_commit* c) {
  const git_time_t seconds = git_commit_time(c);
  if (seconds < 0) return {};
  return {std::min<std::int64_t>(seconds, max_timestamp.ns / 1'000'000'000) * 1'000'000'000};
}

/// Old repositories hold Latin-1; whatever is not UTF-8 is read as that.
std::string as_utf8(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text.push_back(c);
    } else {
      text.push_back(static_cast<char>(0xC0U | (byte >> 6)));
      text.push_back(static_cast<char>(0x80U | (byte & 0x3FU)));
    }
  }
  return text;
}

/// Names of files, which are any bytes, as git writes them: a backslash is doubled, and what is not
/// UTF-8 is written in octal. Two files stay two.
std::string path_text(std::string_view bytes) {
  const bool is_text = is_utf8(bytes);
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\')
      text += "\\\\";
    else if (is_text || byte < 0x80)
      text.push_back(c);
    else
      text += fmt::format("\\{:03o}", byte);
  }
  return text;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto last = text.find_last_not_of(blanks);
  const auto first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

struct tree_entry {
  std::string path;
  git_oid blob_id;
  git_file_state state; ///< text, link or submodule
};

int collect_entry(const char* root, const git_tree_entry* entry, void* target) {
  git_file_state state{};
  switch (git_tree_entry_filemode(entry)) {
  case GIT_FILEMODE_BLOB:
  case GIT_FILEMODE_BLOB_EXECUTABLE:
    state = git_file_state::text;
    break;
  case GIT_FILEMODE_LINK:
    state = git_file_state::link;
    break;
  case GIT_FILEMODE_COMMIT:
    state = git_file_state::submodule;
    break;
  default:
    return 0; // a folder
  }
  auto& files = *static_cast<std::vector<tree_entry>*>(target);
  files.push_back(
      {std::string(root) + git_tree_entry_name(entry), *git_tree_entry_id(entry), state});
  return 0;
}

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

} // namespace

std::string_view left_out_name(git_file_state state) noexcept {
  switch (state) {
  case git_file_state::binary:
    return "binary files";
  case git_file_state::too_large:
    return "files over 1 MiB";
  case git_file_state::link:
    return "symbolic links";
  case git_file_state::submodule:
    return "submodules";
  case git_file_state::text:
    break;
  }
  return {};
}

struct git_source::impl {
  library initialised;
  repository repo;
  commit head; ///< null without commits
  std::string name;
  std::string identity;
  std::string branch;
  bool on_github = false;

  result<void> read_head();
  void read_remotes();
  result<std::vector<std::pair<timestamp, git_oid>>> reachable();
  result<git_commit_record> record_of(const git_oid& id);
  result<void> read_changes(git_commit* c, git_commit_record& record);
  result<git_file_record> file_of(const tree_entry& entry);
  result<std::vector<std::string>> working_files();
};

result<void> git_source::impl::read_head() {
  git_reference* raw = nullptr;
  const int code = git_repository_head(&raw, repo.get());
  const reference held(raw);
  if (code == GIT_EUNBORNBRANCH || code == GIT_ENOTFOUND) return {};
  if (code != 0) return git_failure("cannot read HEAD");
  if (git_reference_is_branch(raw) != 0) branch = as_utf8(git_reference_shorthand(raw));
  git_object* object = nullptr;
  if (git_reference_peel(&object, raw, GIT_OBJECT_COMMIT) != 0)
    return git_failure("HEAD does not lead to a commit");
  head.reset(reinterpret_cast<git_commit*>(object));
  return {};
}

void git_source::impl::read_remotes() {
  git_strarray names{};
  if (git_remote_list(&names, repo.get()) != 0) return;
  for (std::size_t i = 0; i < names.count; ++i) {
    git_remote* raw = nullptr;
    if (git_remote_lookup(&raw, repo.get(), names.strings[i]) != 0) continue;
    const remote held(raw);
    const char* url = git_remote_url(raw);
    if (url == nullptr) continue;
    if (std::string_view(names.strings[i]) == "origin") identity = url;
    on_github = on_github || std::string_view(url).find("github.com") != std::string_view::npos;
  }
  git_strarray_dispose(&names);
}

/// A walk of our own: a shallow clone lacks parents that libgit2's walker insists on.
result<std::vector<std::pair<timestamp, git_oid>>> git_source::impl::reachable() {
  const auto less = [](const git_oid& a, const git_oid& b) { return git_oid_cmp(&a, &b) < 0; };
  std::set<git_oid, decltype(less)> seen(less);
  std::vector<git_oid> open{*git_commit_id(head.get())};
  seen.insert(open.front());
  std::vector<std::pair<timestamp, git_oid>> found;
  while (!open.empty()) {
    const git_oid id = open.back();
    open.pop_back();
    git_commit* raw = nullptr;
    const int code = git_commit_lookup(&raw, repo.get(), &id);
    if (code == GIT_ENOTFOUND) continue;
    if (code != 0) return git_failure("cannot read commit " + hash_text(id));
    const commit c(raw);
    found.emplace_back(time_of(raw), id);
    for (unsigned i = 0; i < git_commit_parentcount(raw); ++i)
      if (seen.insert(*git_commit_parent_id(raw, i)).second)
        open.push_back(*git_commit_parent_id(raw, i));
  }
  std::ranges::sort(found, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : less(a.second, b.second);
  });
  return found;
}

result<void> git_source::impl::read_changes(git_commit* c, git_commit_record& record) {
  git_tree* raw_tree = nullptr;
  if (git_commit_tree(&raw_tree, c) != 0)
    return git_failure("cannot read the tree of commit " + record.hash);
  const tree after(raw_tree);
  tree before;
  if (!record.parents.empty()) {
    git_commit* raw_parent = nullptr;
    const int code = git_commit_parent(&raw_parent, c, 0);
    const commit parent(raw_parent);
    if (code == GIT_ENOTFOUND) {
      record.changes_known = false;
      return {};
    }
    git_tree* raw_before = nullptr;
    if (code != 0 || git_commit_tree(&raw_before, raw_parent) != 0)
      return git_failure("cannot read the parent of commit " + record.hash);
    before.reset(raw_before);
  }
  git_diff* raw_diff = nullptr;
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  if (git_diff_tree_to_tree(&raw_diff, repo.get(), before.get(), after.get(), &options) != 0)
    return git_failure("cannot compare commit " + record.hash);
  const diff changes(raw_diff);
  record.changed_count = git_diff_num_deltas(raw_diff);
  for (std::size_t i = 0; i < record.changed_count && i < max_changed_paths; ++i)
    record.changed_paths.push_back(path_text(git_diff_get_delta(raw_diff, i)->new_file.path));
  return {};
}

result<git_commit_record> git_source::impl::record_of(const git_oid& id) {
  git_commit_record record;
  record.hash = hash_text(id);
  git_commit* raw = nullptr;
  if (git_commit_lookup(&raw, repo.get(), &id) != 0)
    return git_failure("cannot read commit " + record.hash);
  const commit c(raw);
  record.at = time_of(raw);
  for (unsigned i = 0; i < git_commit_parentcount(raw); ++i)
    record.parents.push_back(hash_text(*git_commit_parent_id(raw, i)));
  if (const git_signature* author = git_commit_author(raw)) {
    record.author_name = trimmed(as_utf8(author->name != nullptr ? author->name : ""));
    record.author_email = trimmed(as_utf8(author->email != nullptr ? author->email : ""));
  }
  const char* message = git_commit_message(raw);
  record.message = trimmed(as_utf8(message != nullptr ? message : ""));
  if (auto ok = read_changes(raw, record); !ok) return propagate(ok);
  return record;
}

result<git_file_record> git_source::impl::file_of(const tree_entry& entry) {
  if (entry.state != git_file_state::text)
    return git_file_record{.path = path_text(entry.path),
                           .blob_hash = {},
                           .size = 0,
                           .state = entry.state,
                           .content = {}};
  git_blob* raw = nullptr;
  if (git_blob_lookup(&raw, repo.get(), &entry.blob_id) != 0)
    return git_failure("cannot read " + entry.path);
  const blob b(raw);
  git_file_record file{.path = path_text(entry.path),
                       .blob_hash = hash_text(entry.blob_id),
                       .size = static_cast<std::uint64_t>(git_blob_rawsize(raw)),
                       .state = git_file_state::text,
                       .content = {}};
  const std::string_view content(static_cast<const char*>(git_blob_rawcontent(raw)), file.size);
  if (file.size > max_file_bytes)
    file.state = git_file_state::too_large;
  else if (has_nul(content) || !is_utf8(content))
    file.state = git_file_state::binary;
  else
    file.content = content;
  return file;
}

result<std::vector<std::string>> git_source::impl::working_files() {
  std::vector<std::string> paths;
  const char* raw_root = git_repository_workdir(repo.get());
  if (raw_root == nullptr) return paths; // bare
  const fs::path root = fs::path(raw_root).lexically_normal();
  std::error_code problem;
  fs::recursive_directory_iterator it(root, fs::directory_options::skip_permission_denied, problem);
  for (; !problem && it != fs::recursive_directory_iterator(); it.increment(problem)) {
    const std::string path = it->path().lexically_relative(root).generic_string();
    int ignored = 0;
    git_ignore_path_is_ignored(&ignored, repo.get(), path.c_str());
    std::error_code gone;
    const bool is_folder = it->is_directory(gone) && !it->is_symlink(gone);
    if (it->path().filename() == ".git" || (ignored != 0 && is_folder))
      it.disable_recursion_pending();
    else if (ignored == 0 && (it->is_symlink(gone) || it->is_regular_file(gone)))
      paths.push_back(path);
  }
  if (problem) return fail(errc::io, "cannot list " + root.string() + ": " + problem.message());
  std::ranges::sort(paths);
  return paths;
}

git_source::git_source(std::unique_ptr<impl> opened) : impl_(std::move(opened)) {
}
git_source::~git_source() = default;
git_source::git_source(git_source&&) noexcept = default;
git_source& git_source::operator=(git_source&&) noexcept = default;

result<git_source> git_source::open(const std::string& path) {
  auto i = std::make_unique<impl>();
  git_repository* raw = nullptr;
  const int code =
      git_repository_open_ext(&raw, path.c_str(), GIT_REPOSITORY_OPEN_NO_SEARCH, nullptr);
  i->repo.reset(raw);
  if (code != 0)
    return git_failure("cannot read " + path + " as a git repository",
                       code == GIT_ENOTFOUND ? errc::not_found : errc::io);
  if (auto ok = i->read_head(); !ok) return propagate(ok);
  const char* root =
      git_repository_is_bare(raw) != 0 ? git_repository_path(raw) : git_repository_workdir(raw);
  const std::string canonical = fs::path(root).lexically_normal().generic_string();
  fs::path folder(canonical);
  if (!folder.has_filename()) folder = folder.parent_path();
  i->name = as_utf8(folder.stem().string());
  i->identity = canonical;
  i->read_remotes();
  return git_source(std::move(i));
}

bool git_source::has_commits() const {
  return impl_->head != nullptr;
}
bool git_source::is_bare() const {
  return git_repository_is_bare(impl_->repo.get()) != 0;
}
bool git_source::is_on_github() const {
  return impl_->on_github;
}
const std::string& git_source::name() const {
  return impl_->name;
}
const std::string& git_source::identity() const {
  return impl_->identity;
}

const std::string& git_source::branch() const {
  return impl_->branch;
}
std::string git_source::head_hash() const {
  return impl_->head == nullptr ? "" : hash_text(*git_commit_id(impl_->head.get()));
}

std::optional<timestamp> git_source::head_time() const {
  if (impl_->head == nullptr) return std::nullopt;
  return time_of(impl_->head.get());
}

result<void> git_source::for_each_commit(
    const std::function<result<void>(const git_commit_record&, std::uint64_t)>& visit) {
  if (impl_->head == nullptr) return {};
  auto found = impl_->reachable();
  if (!found) return propagate(found);
  for (const auto& [at, id] : *found) {
    auto record = impl_->record_of(id);
    if (!record) return propagate(record);
    if (auto ok = visit(*record, found->size()); !ok) return ok;
  }
  return {};
}

result<void> git_source::for_each_file(
    const std::function<result<void>(const git_file_record&, std::uint64_t)>& visit) {
  if (impl_->head == nullptr) {
    auto paths = impl_->working_files();
    if (!paths) return propagate(paths);
    for (const auto& path : *paths) {
      const std::string full = git_repository_workdir(impl_->repo.get()) + path;
      std::error_code gone;
      git_file_record file{.path = path_text(path),
                           .blob_hash = {},
                           .size = fs::file_size(full, gone),
                           .state = git_file_state::too_large,
                           .content = {}};
      if (fs::is_symlink(full, gone)) {
        file.state = git_file_state::link;
      } else if (!gone && file.size <= max_file_bytes) {
        auto content = read_source(full);
        if (!content) return propagate(content);
        const bool is_text = !has_nul(*content) && is_utf8(*content);
        file.state = is_text ? git_file_state::text : git_file_state::binary;
        if (is_text) file.content = std::move(*content);
      }
      if (auto ok = visit(file, paths->size()); !ok) return ok;
    }
    return {};
  }
  git_tree* raw = nullptr;
  if (git_commit_tree(&raw, impl_->head.get()) != 0)
    return git_failure("cannot read the tree of HEAD");
  const tree root(raw);
  std::vector<tree_entry> entries;
  if (git_tree_walk(raw, GIT_TREEWALK_PRE, collect_entry, &entries) != 0)
    return git_failure("cannot list the tree of HEAD");
  for (const auto& entry : entries) {
    auto file = impl_->file_of(entry);
    if (!file) return propagate(file);
    if (auto ok = visit(*file, entries.size()); !ok) return ok;
  }
  return {};
}

} // namespace mneme::importing
