#include "state/checkpoint/checkpoint.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "journal/segment_walk.hpp"
#include "messages/codec/canonical.hpp"
#include "messages/ensure.hpp"
#include "state/checkpoint/sealed_file.hpp"

namespace mneme {

namespace {

constexpr std::string_view checkpoint_magic = "MNEMECKP";
constexpr std::string_view image_magic = "MNEMEIMG";
constexpr std::uint64_t image_format = 1;
/// 1 does not say that the store matches.
constexpr std::uint64_t checkpoint_format = 2;
constexpr std::array<std::string_view, 7> image_names = {"nodes",   "attributes", "graph", "order",
                                                         "lexical", "vectors",    "ledger"};

std::string image_file(seq_no seq, std::string_view name) {
  return fmt::format("{:020}.{}", seq.value, name);
}

/// The head of an image's content: whose it is and of when.
std::string image_head(const world_id& world, seq_no seq, std::string_view name) {
  canonical_writer out;
  out.array(4);
  out.unsigned_integer(image_format);
  out.binary(world.raw());
  out.unsigned_integer(seq.value);
  out.text(name);
  return out.take();
}

result<void> write_image(file_system& fs, const std::string& dir, const world_id& world, seq_no seq,
                         std::string_view name, const std::string& body) {
  return replace_file(fs, image_directory(dir) + "/" + image_file(seq, name),
                      seal_file(image_magic, image_head(world, seq, name) + body));
}

result<std::string> read_image(file_system& fs, const std::string& dir, const world_id& world,
                               seq_no seq, std::string_view name) {
  auto bytes = read_file(fs, image_directory(dir) + "/" + image_file(seq, name));
  if (!bytes) return propagate(bytes);
  auto content = open_sealed_file(image_magic, *bytes, "image " + image_file(seq, name));
  if (!content) return propagate(content);
  const std::string expected = image_head(world, seq, name);
  if (!content->starts_with(expected))
    return fail(errc::corrupt,
                "image " + image_file(seq, name) + " is of another world, seq or format");
  return std::string(content->substr(expected.size()));
}

} // namespace

std::string world_path(const std::string& dir) {
  return dir + "/WORLD";
}
std::string checkpoint_path(const std::string& dir) {
  return dir + "/CHECKPOINT";
}
std::string journal_directory(const std::string& dir) {
  return dir + "/journal";
}
std::string store_directory(const std::string& dir) {
  return dir + "/store";
}
std::string image_directory(const std::string& dir) {
  return dir + "/images";
}

std::string encode(const checkpoint_file& c) {
  canonical_writer out;
  // What does not vouch for the store is what format 1 says.
  out.array(c.store_matches ? 8 : 7);
  out.unsigned_integer(c.store_matches ? checkpoint_format : 1);
  out.unsigned_integer(c.seq.value);
  out.unsigned_integer(c.node_count);
  out.unsigned_integer(c.next_slot);
  out.binary(c.last_drawn_id.raw());
  out.integer(c.last_entry_at.ns);
  out.binary(c.overall_root.raw());
  if (c.store_matches) out.boolean(true);
  return seal_file(checkpoint_magic, out.bytes());
}

result<checkpoint_file> decode_checkpoint_file(std::string_view bytes) {
  auto body = open_sealed_file(checkpoint_magic, bytes, "the CHECKPOINT file");
  if (!body) return propagate(body);
  canonical_reader in(*body);
  const auto damaged = [] { return fail(errc::corrupt, "the CHECKPOINT file cannot be read"); };
  auto size = in.array();
  auto version = size ? in.unsigned_integer() : std::nullopt;
  if (!version) return damaged();
  if (*version > checkpoint_format)
    return fail(errc::format_unsupported, "the CHECKPOINT file has a newer format");
  checkpoint_file c;
  auto seq = in.unsigned_integer();
  if (*size != (*version == 1 ? 7U : 8U) || !seq) return damaged();
  auto nodes = in.unsigned_integer();
  if (!nodes || *nodes >= no_number) return damaged();
  auto slots = in.unsigned_integer();
  if (!slots || *slots >= no_number) return damaged();
  auto id = in.binary();
  if (!id || id->size() != c.last_drawn_id.bytes.size()) return damaged();
  auto at = in.integer();
  if (!at) return damaged();
  auto root = in.binary();
  if (!root || root->size() != c.overall_root.bytes.size()) return damaged();
  if (*version > 1) {
    auto matches = in.boolean();
    if (!matches || !*matches) return damaged();
    c.store_matches = true;
  }
  if (!in.at_end()) return damaged();
  c.seq = {*seq};
  c.node_count = static_cast<std::uint32_t>(*nodes);
  c.next_slot = static_cast<std::uint32_t>(*slots);
  std::copy(id->begin(), id->end(), c.last_drawn_id.bytes.begin());
  c.last_entry_at = {*at};
  std::copy(root->begin(), root->end(), c.overall_root.bytes.begin());
  return c;
}

result<void> write_checkpoint(file_system& fs, const std::string& dir, const world_id& world,
                              const read_views& views, const checkpoint_job& job) {
  const seq_no seq = job.file.seq;
  ensure(seq <= views.published, "a checkpoint is of what is published");
  if (auto ok = fs.create_directories(image_directory(dir)); !ok) return ok;
  const auto write = [&](std::string_view name, const std::string& body) {
    return write_image(fs, dir, world, seq, name, body);
  };
  if (auto ok = write("nodes", views.nodes->save(job.file.node_count)); !ok) return ok;
  if (auto ok = write("attributes", views.attributes->save(seq)); !ok) return ok;
  if (auto ok = write("graph", views.graph->save(seq)); !ok) return ok;
  if (auto ok = write("order", views.order->save(seq)); !ok) return ok;
  if (auto ok = write("lexical", views.lexical->save(seq)); !ok) return ok;
  if (auto ok = write("vectors", views.vectors->save(views.attributes->kept_slots(seq), seq)); !ok)
    return ok;
  if (auto ok = write("ledger", job.ledger_image); !ok) return ok;
  checkpoint_file file = job.file;
  file.store_matches = false;
  if (auto ok = replace_file(fs, checkpoint_path(dir), encode(file)); !ok) return ok;

  auto names = fs.list(image_directory(dir));
  if (!names) return propagate(names);
  for (const auto& name : *names) {
    const bool current = std::ranges::any_of(
        image_names, [&](std::string_view n) { return name == image_file(seq, n); });
    if (current) continue;
    if (auto ok = fs.remove(image_directory(dir) + "/" + name); !ok) return ok;
  }
  // Never before the images: a store that is behind them gets the rest from the journal, but one
  // that is ahead has leaves that the ledger's image does not fit.
  if (auto ok = views.store->checkpoint(); !ok) return ok;
  file.store_matches = true;
  return replace_file(fs, checkpoint_path(dir), encode(file));
}

result<void> distrust_store(file_system& fs, const std::string& dir) {
  auto checkpoint = read_checkpoint(fs, dir);
  // One that is damaged is trusted by nobody.
  if (!checkpoint || !checkpoint->has_value() || !(*checkpoint)->store_matches) return {};
  (*checkpoint)->store_matches = false;
  return replace_file(fs, checkpoint_path(dir), encode(**checkpoint));
}

result<std::optional<checkpoint_file>> read_checkpoint(file_system& fs, const std::string& dir) {
  auto there = fs.exists(checkpoint_path(dir));
  if (!there) return propagate(there);
  if (!*there) return std::optional<checkpoint_file>{};
  auto bytes = read_file(fs, checkpoint_path(dir));
  if (!bytes) return propagate(bytes);
  auto file = decode_checkpoint_file(*bytes);
  if (!file) return propagate(file);
  return std::optional<checkpoint_file>(*file);
}

result<void> check_journal_begins(file_system& fs, const std::string& dir, const world_id& world) {
  auto segments = list_segments(fs, journal_directory(dir));
  if (!segments) return propagate(segments);
  if (segments->empty() || segments->front().value != 1)
    return corrupt_at(segment_name(seq_no{1}), 0,
                      "the journal's first segment, which every world has, is missing");
  auto reader = segment_reader::open(fs, journal_directory(dir), segments->front());
  if (!reader) return propagate(reader);
  auto head = reader->head(world);
  if (!head) return propagate(head);
  return {};
}

result<void> check_journal_reaches_checkpoint(file_system& fs, const std::string& dir,
                                              const world_id& world) {
  if (auto ok = check_journal_begins(fs, dir, world); !ok) return ok;
  auto checkpoint = read_checkpoint(fs, dir);
  // A damaged checkpoint vouches for nothing.
  if (!checkpoint || !checkpoint->has_value()) return {};
  const seq_no seq = (*checkpoint)->seq;
  auto walk = segment_walk::open(fs, journal_directory(dir), world, seq);
  if (!walk) return propagate(walk);
  if (auto ok = walk->seek(seq); !ok) return ok;
  auto frame = walk->next();
  if (!frame) return propagate(frame);
  if (*frame) return {};
  return corrupt_at(walk->entered() ? segment_name(walk->segments()[walk->segment_index()])
                                    : journal_directory(dir),
                    walk->offset(),
                    fmt::format("the journal ends at seq {}, but the checkpoint is of seq {}",
                                walk->last().value, seq.value));
}

result<void> load_indexes(file_system& fs, const std::string& dir, const world_id& world,
                          const checkpoint_file& checkpoint, const index_owners& owners) {
  const auto load = [&](std::string_view name, auto& owner) -> result<void> {
    auto body = read_image(fs, dir, world, checkpoint.seq, name);
    if (!body) return propagate(body);
    return owner.load(*body);
  };
  if (auto ok = load("nodes", owners.nodes); !ok) return ok;
  if (owners.nodes.size() != checkpoint.node_count)
    return fail(errc::corrupt, "the node image does not fit the checkpoint");
  if (auto ok = load("attributes", owners.attributes); !ok) return ok;
  if (auto ok = load("graph", owners.graph); !ok) return ok;
  if (auto ok = load("order", owners.order); !ok) return ok;
  if (auto ok = load("lexical", owners.lexical); !ok) return ok;
  return load("vectors", owners.vectors);
}

result<void> load_ledger(file_system& fs, const std::string& dir, const world_id& world,
                         const checkpoint_file& checkpoint, ledger& ledger) {
  auto body = read_image(fs, dir, world, checkpoint.seq, "ledger");
  if (!body) return propagate(body);
  if (auto ok = ledger.load(*body); !ok) return ok;
  if (ledger.roots().seq != checkpoint.seq || ledger.roots().overall != checkpoint.overall_root)
    return fail(errc::corrupt, "the ledger image does not fit the checkpoint");
  return {};
}

} // namespace mneme
