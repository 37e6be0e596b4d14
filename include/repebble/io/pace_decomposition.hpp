#ifndef REPEBBLE_IO_PACE_DECOMPOSITION_HPP
#define REPEBBLE_IO_PACE_DECOMPOSITION_HPP

// Tree decompositions in the format .td of the PACE challenges: reading and writing.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/io/detail/pace_lines.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

/// A tree decomposition and the number of vertices of its graph, as in a .td file.
struct pace_decomposition {
    tree_decomposition decomposition{};  ///< bags and tree
    std::size_t vertex_count = 0;        ///< of the graph

    friend auto operator==(pace_decomposition const&, pace_decomposition const&) -> bool = default;
};

namespace detail {

/// Reads the lines of a tree decomposition.
class pace_bags {
  public:
    pace_bags(std::string_view text, std::string const& source) : size_(text.size()), lines_(text, source) {}

    [[nodiscard]] auto read() -> pace_decomposition {
        while (lines_.next()) {
            if (lines_.is_at('s'))
                read_header();
            else if (!bag_count_)
                lines_.fail("stands before the line s, such as: s td 2 3 4");
            else if (lines_.is_at('b'))
                read_bag();
            else
                read_edge();
        }
        finish();
        return std::move(made_);
    }

  private:
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() - 1;

    void read_header() {
        if (bag_count_) lines_.fail("is a second line s");
        static_cast<void>(lines_.word());
        if (auto const kind = lines_.word(); kind != "td")
            lines_.fail("the line s must be like: s td 2 3 4, not: s " + std::string(kind.substr(0, 40)));
        bag_count_ = lines_.number("the number of bags", most);
        largest_ = lines_.number("the size of the largest bag", most);
        made_.vertex_count = lines_.number("the number of vertices", most);
        lines_.end();
        // Each bag has a line of three characters: the text is too short for more.
        if (*bag_count_ > size_ / 3)
            lines_.fail("says that there are " + std::to_string(*bag_count_) + " bags, and the text has " +
                        std::to_string(size_) + " bytes");
        made_.decomposition.bags.resize(*bag_count_);
        known_.assign(*bag_count_, 0);
    }
    void read_bag() {
        static_cast<void>(lines_.word());
        auto const b = lines_.index("the number of a bag", *bag_count_);
        auto const name = "bag " + std::to_string(b + std::size_t{1});
        if (std::exchange(known_[b], 1) != 0) lines_.fail("is a second line of " + name);
        ++known_count_;
        auto& bag = made_.decomposition.bags[b];
        while (!lines_.is_at_end()) bag.push_back(lines_.index("a vertex of " + name, made_.vertex_count));
        std::ranges::sort(bag);
        if (auto const twice = std::ranges::adjacent_find(bag); twice != bag.end())
            lines_.fail(name + " has vertex " + std::to_string(*twice + std::size_t{1}) + " twice");
        if (bag.size() > largest_)
            lines_.fail(name + " has " + std::to_string(bag.size()) + " vertices, and the line s says at most " +
                        std::to_string(largest_));
    }
    void read_edge() {
        auto const a = lines_.index("the first end of an edge", *bag_count_);
        auto const b = lines_.index("the second end of an edge", *bag_count_);
        lines_.end();
        made_.decomposition.edges.emplace_back(std::min(a, b), std::max(a, b));
    }
    void finish() {
        if (!bag_count_) lines_.fail_at_end("has no line s, such as: s td 2 3 4");
        if (known_count_ < *bag_count_)
            lines_.fail_at_end("has " + std::to_string(known_count_) + " bags, and its line s says " +
                               std::to_string(*bag_count_) + ": there is no bag " +
                               std::to_string(std::ranges::find(known_, 0) - known_.begin() + 1));
        std::size_t largest = 0;
        for (auto const& bag : made_.decomposition.bags) largest = std::max(largest, bag.size());
        if (largest < largest_)
            lines_.fail_at_end("has no bag of more than " + std::to_string(largest) +
                               " vertices, and its line s says " + std::to_string(largest_));
        std::ranges::sort(made_.decomposition.edges);
    }

    std::size_t size_;
    pace_lines lines_;
    std::optional<std::size_t> bag_count_;
    std::size_t largest_ = 0, known_count_ = 0;
    std::vector<char> known_;
    pace_decomposition made_;
};

}  // namespace detail

/// Parses a tree decomposition in the format .td of the PACE challenges: a line "s td" with the number of bags, the
/// size of the largest and the number of vertices of the graph; a line "b", its number and its vertices for each bag; a
/// line with two bags for each edge of the tree. All are numbered from 1 there and from 0 here; lines that begin with c
/// are comments.  O(text), and sorting.
/// Throws bad_file, naming `source` and the line, where the text has another form or its line s is wrong.
/// `find_violation` checks whether it is a tree decomposition of a graph.
[[nodiscard]] inline auto parse_pace_decomposition(std::string_view text, std::string const& source = "text")
    -> pace_decomposition {
    return detail::pace_bags(text, source).read();
}

/// The tree decomposition of a .td file, which may be gzip data.  Throws as `read_file` and `parse_pace_decomposition`
/// do.
[[nodiscard]] inline auto read_pace_decomposition(std::filesystem::path const& path) -> pace_decomposition {
    return parse_pace_decomposition(read_file(path), path.string());
}

/// The text that `parse_pace_decomposition` reads.
[[nodiscard]] inline auto pace_decomposition_text(tree_decomposition const& made, std::size_t vertex_count)
    -> std::string {
    std::size_t largest = 0;
    for (auto const& bag : made.bags) largest = std::max(largest, bag.size());
    auto text = "s td " + std::to_string(made.bags.size()) + ' ' + std::to_string(largest) + ' ' +
                std::to_string(vertex_count) + '\n';
    for (std::size_t b = 0; b < made.bags.size(); ++b) {
        text += "b " + std::to_string(b + 1);
        for (auto const v : made.bags[b]) (text += ' ') += std::to_string(v + std::size_t{1});
        text += '\n';
    }
    for (auto const& [a, b] : made.edges)
        ((text += std::to_string(a + std::size_t{1})) += ' ') += std::to_string(b + std::size_t{1}) + '\n';
    return text;
}

/// Writes a .td file; as gzip data where its name ends in .gz.  Throws bad_file where it cannot be written.
inline void write_pace_decomposition(std::filesystem::path const& path, tree_decomposition const& made,
                                     std::size_t vertex_count) {
    write_file(path, pace_decomposition_text(made, vertex_count));
}

}  // namespace repebble::inline v0::io

#endif
