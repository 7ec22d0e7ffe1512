#include "tools/import/markdown_text.hpp"

#include <cstdint>
#include <memory>
#include <optional>

#include <cmark.h>

#include "messages/validate/validate.hpp"

namespace mneme::importing {

namespace {

using document = std::unique_ptr<cmark_node, void (*)(cmark_node*)>;
using iterator = std::unique_ptr<cmark_iter, void (*)(cmark_iter*)>;

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string_view unquoted(std::string_view value) {
  const bool quoted = value.size() >= 2 && (value.front() == '"' || value.front() == '\'')
                      && value.back() == value.front();
  return quoted ? value.substr(1, value.size() - 2) : value;
}

/// Calls `visit(line, end)` for each line; `end` is the offset behind it. Stops when it is false.
template <class Visit>
void for_each_text_line(std::string_view text, Visit visit) {
  std::size_t first = 0;
  while (first < text.size()) {
    const auto line_end = text.find('\n', first);
    const std::size_t end = line_end == std::string_view::npos ? text.size() : line_end + 1;
    if (!visit(text.substr(first, end - first), end)) return;
    first = end;
  }
}

/// Size of the front matter (`---` lines around it) in bytes; 0 where there is none.
std::size_t read_front_matter(std::string_view text, markdown_text& out) {
  std::size_t size = 0;
  bool is_first = true;
  std::vector<std::pair<std::string, std::string>> pairs;
  for_each_text_line(text, [&](std::string_view line, std::size_t end) {
    const auto content = trim(line);
    if (is_first) {
      is_first = false;
      return content == "---";
    }
    if (content == "---" || content == "...") {
      size = end;
      return false;
    }
    const auto colon = line.find(':');
    const bool is_simple =
        colon != std::string_view::npos && colon > 0 && line.find_first_of(" \t-#") > colon;
    const auto value = is_simple ? unquoted(trim(line.substr(colon + 1))) : std::string_view();
    if (!value.empty()) pairs.emplace_back(line.substr(0, colon), value);
    return true;
  });
  if (size == 0) return 0;
  for (const auto& [key, value] : pairs)
    if (key == "title") out.title = value;
  out.front_matter = std::move(pairs);
  return size;
}

enum class code_spans : std::uint8_t { included, blanked };

std::string text_under(cmark_node* node, code_spans code = code_spans::included) {
  std::string text;
  const iterator it(cmark_iter_new(node), &cmark_iter_free);
  for (auto event = cmark_iter_next(it.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(it.get())) {
    cmark_node* at = cmark_iter_get_node(it.get());
    const auto type = cmark_node_get_type(at);
    if (event != CMARK_EVENT_ENTER) continue;
    const bool is_code = type == CMARK_NODE_CODE;
    if (is_code && code == code_spans::blanked)
      text += ' ';
    else if (type == CMARK_NODE_TEXT || is_code)
      text += cmark_node_get_literal(at);
    if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) text += ' ';
  }
  return text;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Path of a relative link; nullopt for urls, fragments and absolute paths.
std::optional<std::string> relative_target(std::string_view url) {
  url = url.substr(0, url.find_first_of("#?"));
  if (url.empty() || url.front() == '/') return std::nullopt;
  const auto colon = url.find(':');
  if (colon != std::string_view::npos && colon < url.find('/')) return std::nullopt;
  std::string path;
  for (std::size_t i = 0; i < url.size(); ++i) {
    if (url[i] == '%' && i + 2 < url.size() && hex_value(url[i + 1]) >= 0
        && hex_value(url[i + 2]) >= 0) {
      path.push_back(static_cast<char>(hex_value(url[i + 1]) * 16 + hex_value(url[i + 2])));
      i += 2;
    } else {
      path.push_back(url[i]);
    }
  }
  return path;
}

void collect_wiki_links(std::string_view text, std::vector<std::string>& targets) {
  for (auto open = text.find("[["); open != std::string_view::npos; open = text.find("[[", open)) {
    open += 2;
    const auto close = text.find("]]", open);
    if (close == std::string_view::npos) return;
    auto target = text.substr(open, close - open);
    target = trim(target.substr(0, target.find_first_of("|#")));
    if (!target.empty() && target.find('[') == std::string_view::npos) targets.emplace_back(target);
  }
}

void read_links(cmark_node* root, markdown_text& out) {
  const iterator it(cmark_iter_new(root), &cmark_iter_free);
  for (auto event = cmark_iter_next(it.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(it.get())) {
    if (event != CMARK_EVENT_ENTER) continue;
    cmark_node* node = cmark_iter_get_node(it.get());
    const auto type = cmark_node_get_type(node);
    if (type == CMARK_NODE_LINK) {
      const char* url = cmark_node_get_url(node);
      if (auto target = relative_target(url != nullptr ? url : "")) out.links.push_back(*target);
    }
    // Brackets come as text nodes of their own, so a block's text is looked at as a whole.
    if (type == CMARK_NODE_PARAGRAPH || type == CMARK_NODE_HEADING)
      collect_wiki_links(text_under(node, code_spans::blanked), out.wiki_links);
  }
}

struct heading {
  std::size_t position;
  std::string text;
};

/// Offsets of the lines of `body`, the first being line 1.
std::vector<std::size_t> line_offsets(std::string_view body) {
  std::vector<std::size_t> offsets{0};
  for_each_text_line(body, [&](std::string_view, std::size_t end) {
    offsets.push_back(end);
    return true;
  });
  return offsets;
}

std::vector<heading> read_headings(cmark_node* root, std::string_view body, markdown_text& out) {
  const auto offsets = line_offsets(body);
  std::vector<heading> headings;
  for (cmark_node* node = cmark_node_first_child(root); node != nullptr;
       node = cmark_node_next(node)) {
    if (cmark_node_get_type(node) != CMARK_NODE_HEADING) continue;
    const auto line = static_cast<std::size_t>(cmark_node_get_start_line(node));
    if (line == 0 || line > offsets.size()) continue;
    headings.push_back({offsets[line - 1], text_under(node)});
    if (out.title.empty() && cmark_node_get_heading_level(node) == 1)
      out.title = headings.back().text;
  }
  return headings;
}

} // namespace

markdown_text read_markdown(std::string_view text) {
  markdown_text out;
  const std::size_t skipped = read_front_matter(text, out);
  const std::string_view body = text.substr(skipped);
  const document root(cmark_parse_document(body.data(), body.size(), CMARK_OPT_DEFAULT),
                      &cmark_node_free);
  if (root == nullptr) return out;
  read_links(root.get(), out);
  std::vector<heading> starts{{0, ""}};
  for (auto& h : read_headings(root.get(), body, out)) starts.push_back(std::move(h));
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t end = i + 1 < starts.size() ? starts[i + 1].position : body.size();
    const auto section = body.substr(starts[i].position, end - starts[i].position);
    if (!is_blank(section))
      out.sections.push_back({std::move(starts[i].text), skipped + starts[i].position, section});
  }
  return out;
}

} // namespace mneme::importing
