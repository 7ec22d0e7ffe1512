#include "tools/server/mcp/mcp_prompts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mneme::server {

namespace {

constexpr std::string_view list = R"([
  {"name": "start", "title": "Start with what is known",
   "description": "What the agent should know before it begins.",
   "arguments": [
     {"name": "task", "description": "What is to be done", "required": false}]},
  {"name": "recall", "title": "Recall",
   "description": "What is remembered about a question, with where it comes from.",
   "arguments": [
     {"name": "question", "description": "The question", "required": true}]},
  {"name": "wrap_up", "title": "Wrap up",
   "description": "Store what was learned in this conversation.", "arguments": []}
])";

constexpr std::string_view start_text =
    "This is what is known before you begin:\n\n{}\n\nUse it. Search the memory (tool search) "
    "before you ask for what may be there, and remember what will matter later.";
constexpr std::string_view recall_text =
    "What the memory has on this question:\n\n{}\n\nAnswer from it and name the uris that the "
    "answer rests on. If it is not there, say so.";
constexpr std::string_view wrap_up_text =
    "Go through this conversation. Store with the tool remember, each on its own: facts that will "
    "still matter, preferences of the user, decisions with their reasons, and open commitments. "
    "First look with the tool search whether it is there already; then update it instead. Store "
    "nothing that is private to others. At the end, if there is a tool attest, call it with the "
    "uris that helped.";

std::string text_argument(const json& arguments, const char* name) {
  if (!arguments.is_object() || !arguments.contains(name) || !arguments[name].is_string())
    return {};
  return arguments[name].get<std::string>();
}

} // namespace

const json& prompts() {
  static const json all = json::parse(list);
  return all;
}

std::optional<result<prompt_request>> prompt_of(std::string_view name, const json& arguments) {
  if (name == "wrap_up")
    return prompt_request{.request = nullptr, .text = std::string(wrap_up_text)};
  if (name == "start") {
    const auto task = text_argument(arguments, "task");
    json request{{"op", "context"}};
    if (task.find_first_not_of(" \t\r\n") != std::string::npos) request["query"] = task;
    return prompt_request{.request = std::move(request),
                          .text = (task.empty() ? "" : fmt::format("The task: {}\n\n", task))
                                  + std::string(start_text)};
  }
  if (name != "recall") return std::nullopt;
  const auto question = text_argument(arguments, "question");
  if (question.empty())
    return fail(errc::missing_key, "the argument \"question\" is missing", "arguments.question");
  return prompt_request{.request = {{"op", "context"},
                                    {"query", question},
                                    {"include_tiers", json::array({"found"})}},
                        .text = fmt::format("The question: {}\n\n", question)
                                + std::string(recall_text)};
}

} // namespace mneme::server
