// diff: what two branches of a world, or two moments of one, have differently.

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mneme/diff.hpp"
#include "tools/command/console.hpp"
#include "tools/command/world_arguments.hpp"
#include "tools/protocol/answer_json.hpp"
#include "tools/protocol/at_time.hpp"
#include "tools/protocol/topic_json.hpp"

namespace mneme::command {

namespace {

struct diff_arguments {
  common_options common;
  std::string other;
  std::vector<std::uint64_t> at_seq;
  std::vector<std::string> at;
  bool fold_roots = false;
};

constexpr double units = 1e9; // of saliences

json side_json(const memory_side& side) {
  json j{{"version", side.version}};
  if (side.tombstoned) j["tombstoned"] = *side.tombstoned;
  if (side.erased) j["erased"] = true;
  if (!side.text.empty()) j["text"] = side.text;
  if (!side.by.empty()) j["by"] = side.by;
  if (!side.changes.empty()) j["changes"] = side.changes;
  return j;
}

json side_json(const field_side& side) {
  json j{{"revisions", side.revisions}};
  if (side.value) j["value"] = protocol::json_of(*side.value);
  return j;
}

json side_json(const edge_side& side) {
  json j = json::object();
  if (side.is_there) j["there"] = *side.is_there;
  if (side.weight) j["weight"] = *side.weight;
  return j;
}

json side_json(std::int64_t salience_e9) {
  return static_cast<double>(salience_e9) / units;
}

template <class Side>
json side_json(const std::optional<Side>& side) {
  return side ? side_json(*side) : json(nullptr);
}

template <class Difference>
json with_sides(json what, const Difference& d) {
  what["a"] = side_json(d.a);
  what["b"] = side_json(d.b);
  return what;
}

json json_of(const memory_difference& d) {
  return with_sides({{"difference", "memory"},
                     {"id", to_string(d.id)},
                     {"type", to_string(d.type)},
                     {"actor", d.actor}},
                    d);
}
json json_of(const field_difference& d) {
  return with_sides({{"difference", "field"}, {"topic", to_string(d.topic)}, {"name", d.name}}, d);
}
json json_of(const edge_difference& d) {
  return with_sides({{"difference", "edge"},
                     {"src", to_string(d.key.src)},
                     {"type", to_string(d.key.type)},
                     {"dst", to_string(d.key.dst)}},
                    d);
}
json json_of(const salience_difference& d) {
  return with_sides(
      {{"difference", d.is_strength ? "strength" : "salience"}, {"id", to_string(d.id)}}, d);
}
json json_of(const use_difference& d) {
  return {{"difference", "uses"}, {"id", to_string(d.id)}, {"a", d.a}, {"b", d.b}};
}

json totals_json(const diff_totals& side) {
  json j{{"seq", side.at.value}, {"entries", side.entries}, {"by_actor", json::object()}};
  if (side.root) j["root"] = to_hex(*side.root);
  if (side.erased > 0) j["erased"] = side.erased;
  for (const auto& [actor, kinds] : side.by_actor) j["by_actor"][actor] = kinds;
  return j;
}

json report_json(const diff_report& found) {
  json j{
      {"common_seq", found.common.value},  {"only_a", found.only_a},    {"only_b", found.only_b},
      {"changed", found.changed},          {"a", totals_json(found.a)}, {"b", totals_json(found.b)},
      {"leaves_agree", found.leaves_agree}};
  if (found.roots_agree) j["roots_agree"] = *found.roots_agree;
  return j;
}

/// "v2", "v3 tombstoned", "v1 erased", "-".
std::string words(const std::optional<memory_side>& side) {
  if (!side) return "-";
  std::string text = fmt::format("v{}", side->version);
  if (side->erased)
    text += " erased";
  else if (side->tombstoned.value_or(false))
    text += " tombstoned";
  return text;
}
std::string words(const std::optional<field_side>& side) {
  if (!side) return "-";
  const std::string number = fmt::format("r{}", side->revisions);
  return side->value ? number + " " + protocol::print(protocol::json_of(*side->value)) : number;
}
std::string words(const edge_side& side) {
  if (!side.is_there) return "?";
  return *side.is_there ? "there" : "-";
}
std::string words(const std::optional<std::int64_t>& salience) {
  return salience ? fmt::format("{:g}", static_cast<double>(*salience) / units) : "?";
}

std::string text_of(const std::optional<memory_side>& a, const std::optional<memory_side>& b) {
  if (a && !a->text.empty()) return a->text;
  return b ? b->text : std::string();
}

std::string line_of(const memory_difference& d) {
  const std::string text = text_of(d.a, d.b);
  return fmt::format("memory    {} {} {} | {}{}{}", to_string(d.id), to_string(d.type), words(d.a),
                     words(d.b), text.empty() ? "" : "  ", text);
}
std::string line_of(const field_difference& d) {
  return fmt::format("field     {} {}: {} | {}", to_string(d.topic), d.name, words(d.a),
                     words(d.b));
}
std::string line_of(const edge_difference& d) {
  return fmt::format("edge      {} {} {}: {} | {}", to_string(d.key.src), to_string(d.key.type),
                     to_string(d.key.dst), words(d.a), words(d.b))
         + (d.a.is_there == false && d.b.is_there == false ? "  came and went" : "");
}
std::string line_of(const salience_difference& d) {
  return fmt::format("{}  {} {} | {}", d.is_strength ? "strength" : "salience", to_string(d.id),
                     words(d.a), words(d.b));
}
std::string line_of(const use_difference& d) {
  return fmt::format("uses      {} {} | {}", to_string(d.id), d.a, d.b);
}

std::string by_actor(const diff_totals& side) {
  std::string text;
  for (const auto& [actor, kinds] : side.by_actor) {
    text += fmt::format("\n    {}:", actor.empty() ? "(nobody)" : printable(actor));
    for (const auto& [kind, count] : kinds) text += fmt::format(" {} {}", count, kind);
  }
  return text;
}

std::string summary(const diff_report& found) {
  std::string text = fmt::format(
      "{} memories only in a, {} only in b, {} changed; seq {} is common\n"
      "  a: seq {}, {} entries since{}\n  b: seq {}, {} entries since{}\n",
      found.only_a, found.only_b, found.changed, found.common.value, found.a.at.value,
      found.a.entries, by_actor(found.a), found.b.at.value, found.b.entries, by_actor(found.b));
  if (found.a.erased + found.b.erased > 0)
    text += fmt::format("{} entries were erased and are not told of\n",
                        found.a.erased + found.b.erased);
  if (!found.leaves_agree && found.a.erased + found.b.erased == 0)
    text += "the state leaves of the journals are others than these: verify both\n";
  if (found.roots_agree)
    text += *found.roots_agree ? "both roots fold\n" : "a root does not fold\n";
  return text;
}

/// What to do about an error is said of the side that it names.
common_options of_side(common_options options, const std::string& other, const error& e) {
  std::error_code problem;
  const auto path = std::filesystem::weakly_canonical(other, problem);
  if (!other.empty() && !problem && e.message.starts_with(path.string() + ":"))
    options.directory = other;
  return options;
}

/// Each side as of its moment: the first that was given is of the first.
result<void> place_sides(const diff_arguments& o, diff_side& a, diff_side& b) {
  const std::size_t given = o.at_seq.size() + o.at.size();
  const bool is_of_both = o.at_seq.size() == 2 || o.at.size() == 2;
  const bool needs_none = given == 0 && !o.other.empty();
  if (!needs_none && !(given == 2 && is_of_both))
    return fail(errc::bad_value,
                "name two worlds, or one and two moments of it, as in: mneme diff DIR --at-seq 10 "
                "--at-seq 20; moments are two seqs, or two times (--at)",
                o.at.empty() ? "at_seq" : "at");
  if (o.at_seq.size() == 2) {
    a.at_seq = seq_no{o.at_seq[0]};
    b.at_seq = seq_no{o.at_seq[1]};
  }
  if (o.at.size() == 2)
    for (auto* const side : {&a, &b}) {
      auto time = protocol::read_moment(o.at[side == &a ? 0 : 1]);
      if (!time) return propagate(time);
      side->at = *time;
    }
  return {};
}

status run_diff(const diff_arguments& o) {
  diff_side a{.directory = o.common.directory};
  diff_side b{.directory = o.other.empty() ? o.common.directory : o.other};
  if (auto ok = place_sides(o, a, b); !ok) return report(o.common, ok.error());
  const bool as_json = o.common.json;
  auto found = diff_worlds(a, b, {.fold_roots = o.fold_roots}, [&](const difference& d) {
    return std::visit(
        [&](const auto& one) {
          return put_line(as_json ? protocol::print(json_of(one)) : printable(line_of(one)));
        },
        d);
  });
  if (!found) return report(of_side(o.common, o.other, found.error()), found.error());
  if (as_json)
    put_line(protocol::print(protocol::ok_json(report_json(*found))));
  else
    put(summary(*found));
  const bool is_sound = found->roots_agree.value_or(true)
                        && (found->leaves_agree || found->a.erased + found->b.erased > 0);
  return is_sound ? status::done : status::no;
}

} // namespace

void add_diff_command(CLI::App& app, command_result& outcome) {
  add_command<diff_arguments>(
      app, "diff", "What two branches of a world, or two moments of it, have differently", true,
      outcome,
      [](CLI::App& c, diff_arguments& o) {
        c.add_option("DIR2", o.other, "the other branch");
        declare_repeated(c, "--at-seq", o.at_seq,
                         "twice: as of which entry each side is; without DIR2, of one world");
        declare_repeated(c, "--at", o.at, "the same by times");
        c.add_flag("--roots", o.fold_roots, "fold all leaves of both to their roots, too");
      },
      run_diff);
}

} // namespace mneme::command
