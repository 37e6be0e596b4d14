#ifndef DRAWING_SVG_HPP
#define DRAWING_SVG_HPP

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "../command_line/one_line.hpp"

/// What the programs and examples draw with.
namespace drawing {

[[nodiscard]] inline auto shown(double number, int decimals) -> std::string {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, number);
    return text;
}

/// Any bytes as text between tags or in an attribute: what is no UTF-8, and control characters, are spelled out.
[[nodiscard]] inline auto escaped(std::string_view text) -> std::string {
    std::string out;
    for (char const c : command_line::one_line(text)) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else
            out += c;
    }
    return out;
}

/// A picture, on white. Coordinates are of its view box: x to the right, y down.
class svg {
  public:
    svg(int width, int height) {
        auto const size = "width=\"" + std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"";
        text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + std::to_string(width) + " " +
                std::to_string(height) + "\" font-family=\"sans-serif\" font-size=\"13\">\n<rect " + size +
                " fill=\"#fff\"/>\n";
    }

    /// Rules of CSS for the whole picture.
    void style(std::string_view rules) { add("<style>", rules, "</style>\n"); }
    /// `style` is further attributes, such as stroke="#ddd".
    void line(double x1, double y1, double x2, double y2, std::string_view style) {
        add("<line x1=\"", shown(x1, 1), "\" y1=\"", shown(y1, 1), "\" x2=\"", shown(x2, 1), "\" y2=\"", shown(y2, 1),
            "\" ", style, "/>\n");
    }
    void path(std::string_view d, std::string_view style) { add("<path d=\"", d, "\" ", style, "/>\n"); }
    /// A path that says `title` where the mouse rests on it.
    void path(std::string_view d, std::string_view style, std::string_view title) {
        add("<path d=\"", d, "\" ", style, "><title>", escaped(title), "</title></path>\n");
    }
    /// A line whose attributes an `<animate>` within it changes.
    void animated_line(double x1, double y1, double x2, double y2, std::string_view style, std::string_view animation) {
        add("<line x1=\"", shown(x1, 1), "\" y1=\"", shown(y1, 1), "\" x2=\"", shown(x2, 1), "\" y2=\"", shown(y2, 1),
            "\" ", style, ">", animation, "</line>\n");
    }
    /// A circle that says `title` where the mouse rests on it, and has elements within it, such as `<animate>`.
    void circle(double x, double y, double radius, std::string_view style, std::string_view title,
                std::string_view within = {}) {
        add("<circle cx=\"", shown(x, 1), "\" cy=\"", shown(y, 1), "\" r=\"", shown(radius, 1), "\" ", style,
            "><title>", escaped(title), "</title>", within, "</circle>\n");
    }
    void words(double x, double y, std::string_view anchor, std::string_view text, std::string_view colour = "#444") {
        add("<text x=\"", shown(x, 1), "\" y=\"", shown(y, 1), "\" text-anchor=\"", anchor, "\" fill=\"", colour, "\">",
            escaped(text), "</text>\n");
    }
    /// A group with clip-path="url(#id)" is seen in this rectangle only.
    void clip(std::string_view id, double x1, double y1, double x2, double y2) {
        add("<clipPath id=\"", id, "\"><rect x=\"", shown(x1, 1), "\" y=\"", shown(y1, 1), "\" width=\"",
            shown(x2 - x1, 1), "\" height=\"", shown(y2 - y1, 1), "\"/></clipPath>\n");
    }
    /// What follows has these attributes, until `end_group`.
    void begin_group(std::string_view style) { add("<g ", style, ">\n"); }
    void end_group() { add("</g>\n"); }

    /// A whole picture of this width and height within this one, its corner at (x, y).
    void inset(double x, double y, double width, double height, std::string_view picture) {
        constexpr std::string_view tag = "<svg ";
        add("<svg x=\"", shown(x, 1), "\" y=\"", shown(y, 1), "\" width=\"", shown(width, 1), "\" height=\"",
            shown(height, 1), "\" ", picture.substr(tag.size()));
    }

    [[nodiscard]] auto finish() && -> std::string {
        add("</svg>\n");
        return std::move(text_);
    }

  private:
    template <class... Text>
    void add(Text const&... text) {
        (text_.append(text), ...);
    }

    std::string text_;
};

}  // namespace drawing

#endif
