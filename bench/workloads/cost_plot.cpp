#include "bench/workloads/cost_plot.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bench/workloads/measure.hpp"

namespace mneme::workloads {

namespace {

constexpr std::size_t panels_a_line = 5;
constexpr double panel_width = 250;
constexpr double panel_height = 190;
constexpr double margin = 12; ///< around the curves of a panel
constexpr double title_height = 34;
constexpr double legend_height = 30;

struct side_style {
  const char* name;
  const char* colour;
  cost_line workload_costs::* line;
};
constexpr side_style sides[] = {{"mneme", "#1f5fbf", &workload_costs::engine},
                                {"floor", "#8a8a8a", &workload_costs::floor},
                                {"SQLite", "#d9822b", &workload_costs::peer}};

/// The least and greatest of what is drawn on a logarithmic axis.
struct log_range {
  double least = 0; ///< 0: nothing is
  double greatest = 0;

  void add(double value) {
    least = least > 0 ? std::min(least, value) : value;
    greatest = std::max(greatest, value);
  }
  /// From 0 to 1.
  [[nodiscard]] double place(double value) const {
    return greatest > least ? std::log(value / least) / std::log(greatest / least) : 0.5;
  }
};

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '&')
      safe += "&amp;";
    else
      safe += c;
  }
  return safe;
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x, y, more, escaped(text));
}

/// A panel at (0, 0).
std::string panel_of(const workload_costs& costs, bool is_room) {
  log_range sizes;
  log_range values;
  for (const auto& side : sides)
    for (const auto& [size, cost] : costs.*side.line) {
      sizes.add(size);
      values.add(cost);
    }
  std::string svg = text_at(margin, 12, costs.name, " font-weight=\"bold\"");
  std::string exponents;
  for (const auto& side : sides)
    if ((costs.*side.line).size() > 1)
      exponents += fmt::format("{}{} N^{:.2f}", exponents.empty() ? "" : ", ", side.name,
                               cost_exponent(costs.*side.line));
  svg += text_at(margin, 26, exponents);
  const double width = panel_width - 2 * margin;
  const double height = panel_height - title_height - margin;
  svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                     "fill=\"none\" stroke=\"#dddddd\"/>\n",
                     margin, title_height, width, height);
  const auto x_of = [&](double size) { return margin + 8 + (width - 16) * sizes.place(size); };
  const auto y_of = [&](double cost) {
    return title_height + 8 + (height - 16) * (1 - values.place(cost));
  };
  for (const auto& side : sides) {
    std::string points;
    for (const auto& [size, cost] : costs.*side.line) {
      points += fmt::format("{:.1f},{:.1f} ", x_of(size), y_of(cost));
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\"/>\n",
                         x_of(size), y_of(cost), side.colour);
    }
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" "
                       "stroke-width=\"1.5\"/>\n",
                       points, side.colour);
  }
  if (values.least <= 0) return svg;
  const auto value_text = [&](double v) { return is_room ? size_text(v) : time_text(v); };
  svg += text_at(margin + 3, title_height + 10, value_text(values.greatest), " fill=\"#666666\"");
  svg +=
      text_at(margin + 3, title_height + height - 4, value_text(values.least), " fill=\"#666666\"");
  return svg;
}

} // namespace

std::vector<workload_costs> costs_by_workload(const std::vector<measured>& all) {
  std::vector<workload_costs> found;
  for (const auto& m : all) {
    auto at = std::ranges::find(found, m.name, &workload_costs::name);
    if (at == found.end()) at = found.insert(found.end(), workload_costs{.name = m.name});
    const auto add = [&](cost_line& line, const side_report& side) {
      if (cost_of(side) > 0) line.emplace_back(static_cast<double>(m.size), cost_of(side));
    };
    add(at->engine, m.engine);
    add(at->floor, m.floor);
    add(at->peer, m.peer);
  }
  return found;
}

std::string cost_plot(const std::vector<measured>& all) {
  const auto workloads = costs_by_workload(all);
  const auto lines = (workloads.size() + panels_a_line - 1) / panels_a_line;
  const double width = panel_width * static_cast<double>(panels_a_line);
  const double height = legend_height + panel_height * static_cast<double>(lines);
  std::string svg = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
                                "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
                                "font-family=\"sans-serif\" font-size=\"10\">\n"
                                "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                                width, height);
  double x = margin;
  for (const auto& side : sides) {
    svg += fmt::format("<rect x=\"{:.1f}\" y=\"10\" width=\"10\" height=\"10\" fill=\"{}\"/>\n", x,
                       side.colour);
    svg += text_at(x + 14, 19, side.name);
    x += 80;
  }
  svg += text_at(x, 19, "median cost against the number of memories, both logarithmic");
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const auto is_room = std::ranges::any_of(
        all, [&](const measured& m) { return m.name == workloads[i].name && m.engine.bytes > 0; });
    const std::size_t line = i / panels_a_line;
    svg += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n",
                       panel_width * static_cast<double>(i % panels_a_line),
                       legend_height + panel_height * static_cast<double>(line),
                       panel_of(workloads[i], is_room));
  }
  return svg + "</svg>\n";
}

} // namespace mneme::workloads
