#include "tools/command/prompt.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>

#include <editline/readline.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command/console.hpp"
#include "tools/command/help_topics.hpp"
#include "tools/command/render.hpp"
#include "tools/protocol/op_table.hpp"

namespace mneme::command {

namespace {

using protocol::json;

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// The `state`-th name that starts with `text`; libedit frees it.
char* complete_op(const char* text, int state) {
  constexpr std::string_view words[] = {"help", "quit"};
  const std::string_view prefix(text);
  int skip = state;
  const auto match = [&](std::string_view name) -> char* {
    return name.starts_with(prefix) && skip-- == 0 ? ::strdup(std::string(name).c_str()) : nullptr;
  };
  for (const auto& op : protocol::ops())
    if (char* found = match(op.name)) return found;
  for (const auto word : words)
    if (char* found = match(word)) return found;
  return nullptr;
}

/// Only the first word is an op; the rest is JSON, which nothing completes.
char** complete_line(const char* text, int start, int) {
  rl_attempted_completion_over = 1;
  if (start != 0) return nullptr;
  return rl_completion_matches(text, complete_op);
}

void answer(protocol::session& session, std::string_view op, std::string_view text) {
  std::optional<error> oversized;
  auto request = protocol::parse_json(text.empty() ? "{}" : text, oversized);
  if (!request) return print_error(request.error());
  std::string name(op);
  if (name.empty() && request->is_object()) {
    const auto given = request->find("op");
    if (given != request->end() && given->is_string()) name = given->get<std::string>();
  }
  auto done = op.empty() ? session.run(*request, oversized)
                         : session.run(op, std::move(*request), oversized);
  if (!done) return print_error(done.error());
  put(render(name, *done, {.width = terminal_width(), .colour = has_colour(stdout)}));
  flush_output();
}

} // namespace

void run_prompt(protocol::session& session) {
  using_history();
  rl_attempted_completion_function = complete_line;
  put_line("mneme shell: op {request}, help, help ops, help OP, quit");
  for (;;) {
    flush_output();
    const std::unique_ptr<char, decltype(&std::free)> read(readline("mneme> "), &std::free);
    if (read == nullptr) return;
    const auto line = trim(read.get());
    if (line.empty()) continue;
    add_history(read.get());
    const auto space = line.find_first_of(" \t{");
    const auto word = line.substr(0, space);
    const auto rest = space == std::string_view::npos ? "" : trim(line.substr(space));
    if (word == "quit" || word == "exit") return;
    if (word == "help") {
      const auto text = help_text(rest.empty() ? "ops" : rest);
      put(text ? *text : fmt::format("no help for \"{}\": try help ops\n", rest));
    } else {
      answer(session, word, word.empty() ? line : rest);
    }
  }
}

} // namespace mneme::command
