// chroma, tag assign, tags, decay, point, suggest.

#include <charconv>

#include <nlohmann/json.hpp>

#include "tools/command/data_arguments.hpp"
#include "tools/command/world_arguments.hpp"

namespace mneme::command {

namespace {

struct chroma_options {
  common_options common;
  std::optional<std::string> request;
  std::optional<std::string> text;
  std::optional<std::int64_t> k;
  std::optional<double> max_distance;
  std::optional<std::string> from;
  std::optional<std::string> until;
  std::optional<std::string> filters;
  std::optional<std::string> weights;
  std::optional<std::string> profile;
  std::optional<std::string> actor;
  std::optional<std::int64_t> at_seq;
  std::optional<std::string> at;
  bool include_rotten = false;
  bool include_ended = false;
  bool no_touch = false;
  bool approximate = false;
};

result<json> chroma_request_of(const chroma_options& o) {
  json request = json::object();
  if (o.request && is_request_argument(*o.request)) {
    auto read = read_request_argument(*o.request);
    if (!read) return read;
    request = std::move(*read);
  } else if (o.request) {
    request["hashtags"] = hashtags_argument(*o.request);
  }
  set_if(request, "text", o.text);
  set_if(request, "k", o.k);
  set_if(request, "max_distance", o.max_distance);
  if (o.from || o.until)
    request["temporal_range"] = json::array(
        {o.from ? json(*o.from) : json(nullptr), o.until ? json(*o.until) : json(nullptr)});
  if (auto ok = set_json(request, "metadata_filters", o.filters); !ok) return propagate(ok);
  if (auto ok = set_json(request, "score_weights", o.weights); !ok) return propagate(ok);
  set_if(request, "profile", o.profile);
  set_if(request, "actor", o.actor);
  set_if(request, "at_seq", o.at_seq);
  set_if(request, "at", o.at);
  if (o.include_rotten) request["include_rotten"] = true;
  if (o.include_ended) request["include_ended"] = true;
  if (o.no_touch) request["touch"] = false;
  if (o.approximate) request["approximate"] = true;
  return request;
}

void add_chroma_command(CLI::App& app, command_result& outcome) {
  add_command<chroma_options>(
      app, "chroma", "Ask by hashtags: what is near in colour, recent and strong", true, outcome,
      [](CLI::App& c, chroma_options& o) {
        c.add_option("REQUEST", o.request, "hashtags in one argument ('#tea #leaf …'), JSON, or -");
        c.add_option("--text", o.text, "words instead of hashtags, read by the profile");
        c.add_option("--k", o.k, "how many (5)");
        c.add_option("--max-distance", o.max_distance, "none that are farther");
        c.add_option("--from", o.from, "created or last accessed at that time or later");
        c.add_option("--until", o.until, "created or last accessed at that time or before");
        c.add_option("--filters", o.filters, "metadata filters as JSON");
        c.add_option("--weights", o.weights, "JSON {relevance, recency, strength}, in all 1");
        c.add_option("--profile", o.profile, "default, or knowledge_patch");
        c.add_option("--actor", o.actor, "who is asking");
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry; touches nothing");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
        c.add_flag("--include-rotten", o.include_rotten, "rotten ones too");
        c.add_flag("--include-ended", o.include_ended, "what no longer holds, too");
        c.add_flag("--no-touch", o.no_touch, "reinforce nothing");
        c.add_flag("--approximate", o.approximate, "score the 3k nearest only");
      },
      [](const chroma_options& o) {
        auto request = chroma_request_of(o);
        if (!request) return report(o.common, request.error());
        return run_request(o.common, "chroma", std::move(*request));
      });
}

struct assign_options {
  common_options common;
  std::string tag;
  std::string place;
  std::optional<std::string> actor;
};

void add_tag_commands(CLI::App& app, command_result& outcome) {
  CLI::App* tag = app.add_subcommand("tag", "Hashtags of the colour space");
  tag->require_subcommand(1);
  add_command<assign_options>(
      *tag, "assign", "Bind a hashtag to an anchor, for good", false, outcome,
      [](CLI::App& c, assign_options& o) {
        c.add_option("TAG", o.tag, "the hashtag")->required();
        c.add_option("PLACE", o.place, "core, mid or outer, or the number of an anchor")
            ->required();
        c.add_option("--actor", o.actor, "who acts");
      },
      [](const assign_options& o) {
        json request{{"tag", o.tag}};
        std::int64_t anchor = 0;
        const char* end = o.place.data() + o.place.size();
        const auto read = std::from_chars(o.place.data(), end, anchor);
        if (read.ec == std::errc{} && read.ptr == end)
          request["anchor"] = anchor;
        else
          request["zone"] = o.place;
        set_if(request, "actor", o.actor);
        return run_request(o.common, "assign_tag", std::move(request));
      });

  struct tags_options {
    common_options common;
    std::optional<std::int64_t> at_seq;
    std::optional<std::string> at;
  };
  add_command<tags_options>(
      app, "tags", "The assigned hashtags and their anchors", true, outcome,
      [](CLI::App& c, tags_options& o) {
        c.add_option("--at-seq", o.at_seq, "as of an earlier entry");
        c.add_option("--at", o.at, "as of the last entry at or before this time");
      },
      [](const tags_options& o) {
        json request = json::object();
        set_if(request, "at_seq", o.at_seq);
        set_if(request, "at", o.at);
        return run_request(o.common, "tags", std::move(request));
      });
}

struct text_options {
  common_options common;
  std::string text;
};

} // namespace

void add_chroma_commands(CLI::App& app, command_result& outcome) {
  add_chroma_command(app, outcome);
  add_tag_commands(app, outcome);
  add_command<text_options>(
      app, "point", "The point of a set of hashtags", true, outcome,
      [](CLI::App& c, text_options& o) {
        c.add_option("HASHTAGS", o.text, "in one argument")->required();
      },
      [](const text_options& o) {
        return run_request(o.common, "point", {{"hashtags", hashtags_argument(o.text)}});
      });
  add_command<text_options>(
      app, "suggest", "Assigned hashtags that a text names", true, outcome,
      [](CLI::App& c, text_options& o) { c.add_option("TEXT", o.text, "any text")->required(); },
      [](const text_options& o) {
        return run_request(o.common, "suggest_hashtags", {{"text", o.text}});
      });

  struct decay_options {
    common_options common;
    std::optional<std::string> actor;
  };
  add_command<decay_options>(
      app, "decay", "One decay cycle: strengths fall with the days since the last access", false,
      outcome, [](CLI::App& c, decay_options& o) { c.add_option("--actor", o.actor, "who acts"); },
      [](const decay_options& o) {
        json request = json::object();
        set_if(request, "actor", o.actor);
        return run_request(o.common, "decay", std::move(request));
      });
}

} // namespace mneme::command
