// Chats as their providers have them: OpenAI's and Anthropic's messages, exports of ChatGPT and
// Claude.

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/import/documents.hpp"
#include "tools/import/known_members.hpp"
#include "tools/protocol/shape.hpp"

namespace mneme::importing {

namespace {

using protocol::json;

/// What was said: text, or the text of a list of blocks. `other` counts blocks that are none.
std::string said(const json& content, std::uint64_t& other) {
  if (content.is_string()) return content.get<std::string>();
  std::string text;
  if (!content.is_array()) return text;
  for (const json& block : content) {
    std::string piece = block.is_string() ? block.get<std::string>() : std::string();
    if (block.is_object()) piece = text_member(block, "text");
    if (piece.empty()) ++other;
    if (!piece.empty() && !text.empty()) text += "\n";
    text += piece;
  }
  return text;
}

/// One message, in whatever form it came.
struct chat_message {
  std::string id; ///< empty: its place is its name
  std::string speaker;
  json content; ///< as said() takes it
  json time;    ///< text, seconds since 1970, or null
};

struct conversation {
  std::string name; ///< of its own among those of a file
  std::string title;
  std::vector<chat_message> messages; ///< in their order
};

json time_of(const json& message) {
  for (const char* key : {"created_at", "timestamp", "create_time", "time"})
    if (message.contains(key) && !message[key].is_null()) return message[key];
  return nullptr;
}

/// {role, content, name?}: as the interfaces take them.
chat_message message_of_interface(const json& m) {
  std::string speaker = text_member(m, "name");
  const std::string role = text_member(m, "role");
  // A tool has a name, too.
  const bool is_person = role == "user" || role == "assistant";
  if (speaker.empty() || !is_person) speaker = role;
  return {.id = text_member(m, "id"),
          .speaker = std::move(speaker),
          .content = m.value("content", json()),
          .time = time_of(m)};
}

/// {uuid, sender, text, content?}: of an export of Claude.
chat_message message_of_claude(const json& m) {
  const std::string sender = text_member(m, "sender");
  const json text = m.value("text", json());
  const bool has_text = text.is_string() && !text.get_ref<const std::string&>().empty();
  return {.id = text_member(m, "uuid"),
          .speaker = sender == "human" ? "user" : sender,
          .content = has_text ? text : m.value("content", json()),
          .time = time_of(m)};
}

/// A node of the tree that ChatGPT exports: {message: {author: {role}, content: {parts}}}.
chat_message message_of_chatgpt(const std::string& id, const json& m) {
  const json author = m.value("author", json::object());
  const json content = m.value("content", json::object());
  return {.id = id,
          .speaker = author.is_object() ? text_member(author, "role") : std::string(),
          .content = content.is_object() ? content.value("parts", json()) : json(),
          .time = time_of(m)};
}

/// The branch that was shown last, from its first message on.
void walk_chatgpt(const json& tree, std::string at, std::vector<chat_message>& messages) {
  for (std::size_t steps = 0; steps <= tree.size() && tree.contains(at); ++steps) {
    const json& node = tree[at];
    if (!node.is_object()) break;
    if (node.contains("message") && node["message"].is_object())
      messages.push_back(message_of_chatgpt(at, node["message"]));
    at = text_member(node, "parent");
  }
  std::ranges::reverse(messages);
}

result<conversation> conversation_of(const json& c, const std::string& where) {
  conversation out;
  for (const char* key : {"conversation_id", "uuid", "id"})
    if (out.name.empty()) out.name = text_member(c, key);
  for (const char* key : {"title", "name"})
    if (out.title.empty()) out.title = text_member(c, key);
  const auto listed = [&](const char* key, chat_message (*read)(const json&)) -> result<void> {
    for (std::size_t i = 0; i < c[key].size(); ++i) {
      if (!c[key][i].is_object())
        return fail(errc::wrong_type, fmt::format("{}: a message is an object", where),
                    fmt::format("{}[{}]", key, i));
      out.messages.push_back(read(c[key][i]));
    }
    return {};
  };
  const bool is_list = c.contains("messages") && c["messages"].is_array();
  if (is_list) {
    if (auto ok = listed("messages", message_of_interface); !ok) return propagate(ok);
  } else if (c.contains("chat_messages") && c["chat_messages"].is_array()) {
    if (auto ok = listed("chat_messages", message_of_claude); !ok) return propagate(ok);
  } else if (c.contains("mapping") && c["mapping"].is_object()) {
    walk_chatgpt(c["mapping"], text_member(c, "current_node"), out.messages);
  } else {
    return fail(errc::missing_key,
                fmt::format("{}: a conversation has messages, chat_messages or a mapping", where),
                "messages");
  }
  return out;
}

class messages_import {
public:
  messages_import(const import_request& request, import_report& report)
      : report_(report), file_(std::filesystem::path(request.path).stem().string()) {
    if (file_.empty() || file_ == "-") file_ = "chat";
    scope_ = request.actor.empty() ? file_ : request.actor;
    loose_.name = file_;
  }

  /// One parsed document: a conversation, a list of them, or a list of messages.
  result<void> put(const json& document, const std::string& where, const document_visitor& to) {
    if (!document.is_array()) return put_conversation(document, where, to);
    const bool has_messages = !document.empty() && document[0].is_object()
                              && document[0].contains("role") && !document[0].contains("messages");
    if (has_messages) return put_conversation(json{{"messages", document}}, where, to);
    for (std::size_t i = 0; i < document.size(); ++i)
      if (auto ok = put_conversation(document[i], fmt::format("{}[{}]", where, i), to); !ok)
        return ok;
    return {};
  }
  /// Messages that stand alone, one a line, are one conversation.
  result<void> put_line(const json& message, const std::string& where, const document_visitor& to) {
    if (!message.is_object() || !message.contains("role") || message.contains("messages"))
      return put(message, where, to);
    return put_message(loose_, message_of_interface(message), loose_count_++, where, to);
  }

private:
  result<void> put_conversation(const json& document, const std::string& where,
                                const document_visitor& to) {
    if (!document.is_object())
      return fail(errc::wrong_type, fmt::format("{}: a conversation is an object", where));
    auto c = conversation_of(document, where);
    if (!c) return propagate(c);
    if (c->name.empty()) c->name = fmt::format("{} {}", file_, ++unnamed_);
    std::size_t place = 0;
    for (const chat_message& m : c->messages)
      if (auto ok = put_message(*c, m, place++, where, to); !ok) return ok;
    return {};
  }

  result<void> put_message(const conversation& of, const chat_message& m, std::size_t place,
                           const std::string& where, const document_visitor& to) {
    const bool is_of_tool = m.speaker == "tool" || m.speaker == "function";
    if (is_of_tool || m.speaker == "system" || m.speaker == "developer") {
      ++report_.left_out[is_of_tool ? "answers of tools" : "instructions of systems"];
      return {};
    }
    std::uint64_t other = 0;
    const std::string text = said(m.content, other);
    if (other > 0) report_.left_out["pieces that are no text"] += other;
    if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
      if (other == 0) ++report_.left_out["messages without text"];
      return {};
    }
    const std::string id = m.id.empty() ? std::to_string(place) : m.id;
    json d{{"scope", scope_},
           {"id", of.name + "/" + id},
           {"order", order_++},
           {"text", text},
           {"session", of.name}};
    if (!of.title.empty()) d["title"] = of.title;
    if (!m.speaker.empty()) d["speaker"] = m.speaker;
    if (m.time.is_number()) {
      constexpr double ns_of_s = 1e9;
      d["time"] = static_cast<std::int64_t>(m.time.get<double>() * ns_of_s);
    } else if (m.time.is_string()) {
      d["time"] = m.time;
    }
    return to({.text = protocol::print(d),
               .where = fmt::format("{}, message {}", where, place + 1),
               .position = 0,
               .file_size = 0});
  }

  import_report& report_;
  std::string file_; ///< names what has no name, so that two files do not meet
  std::string scope_;
  std::int64_t order_ = 0;
  std::size_t unnamed_ = 0;
  conversation loose_; ///< of messages that stand alone
  std::size_t loose_count_ = 0;
};

/// A file of one document, or of one a line.
result<void> read_messages(const std::string& path, messages_import& into,
                           const document_visitor& to) {
  if (path != "-") {
    auto text = read_source(path);
    if (!text) return propagate(text);
    if (auto whole = protocol::parse_json(*text)) return into.put(*whole, path, to);
  }
  return for_each_line(path, [&](const source_line& line) -> result<void> {
    auto document = protocol::parse_json(line.text);
    if (!document)
      return fail(document.error().code,
                  fmt::format("{}: {}", line.where, document.error().message));
    return into.put_line(*document, line.where, to);
  });
}

} // namespace

result<void> import_messages(engine& target, const import_request& request, import_report& report) {
  messages_import into(request, report);
  return import_documents(target, request, report, [&](const document_visitor& to) {
    return read_messages(request.path, into, to);
  });
}

} // namespace mneme::importing
