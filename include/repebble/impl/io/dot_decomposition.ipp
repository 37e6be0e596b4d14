#ifndef REPEBBLE_IMPL_IO_DOT_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_IO_DOT_DECOMPOSITION_IPP

#include <repebble/io/dot_decomposition.hpp>

#include <string_view>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::io::detail {

/// The label of a bag: its number, its size, and the names of its vertices, in lines of moderate length.
class dot_bag_label {
  public:
    dot_bag_label(std::size_t number, std::size_t size)
        : text_("bag " + std::to_string(number) + ", " + std::to_string(size) + (size == 1 ? " vertex" : " vertices")) {
    }

    void add(std::string_view name) {
        auto const shown = shortened(name);
        if (column_ == 0 || column_ + shown.size() > most_in_line) {
            text_ += column_ == 0 ? "\\n" : ",\\n";
            column_ = 0;
        } else {
            text_ += ", ";
        }
        column_ += shown.size() + 2;
        append_escaped(shown);
    }
    [[nodiscard]] auto text() const -> std::string const& { return text_; }

  private:
    static constexpr std::size_t most_in_line = 36;
    static constexpr std::size_t most_of_name = 32;  // bytes

    [[nodiscard]] static auto shortened(std::string_view name) -> std::string {
        if (name.size() <= most_of_name) return std::string(name);
        auto end = most_of_name;
        while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
        return std::string(name.substr(0, end)) + "…";
    }
    void append_escaped(std::string_view name) {
        for (char const c : name) {
            if (c == '"' || c == '\\') text_ += '\\';
            text_ += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        }
    }

    std::string text_;
    std::size_t column_ = 0;
};

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto to_text(tree_decomposition const& made, std::span<std::string const> names, std::size_t most)
    -> std::string {
    std::string text = "graph bags {\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n";
    for (std::size_t b = 0; b < made.bags.size(); ++b) {
        auto const& bag = made.bags[b];
        detail::dot_bag_label label(b, bag.size());
        auto const shown = bag.size() > most ? most : bag.size();
        for (auto const v : std::span(bag).first(shown)) {
            REPEBBLE_ASSERT(names.empty() || v < names.size());
            label.add(names.empty() ? std::to_string(v) : names[v]);
        }
        text += "  " + std::to_string(b) + " [label=\"" + label.text();
        if (shown < bag.size()) text += ",\\n… " + std::to_string(bag.size() - shown) + " more";
        text += "\"];\n";
    }
    for (auto const& [a, b] : made.edges) text += "  " + std::to_string(a) + " -- " + std::to_string(b) + ";\n";
    return text + "}\n";
}

}  // namespace repebble::inline v0::io

#endif
