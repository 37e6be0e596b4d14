#ifndef REPEBBLE_TREEWIDTH_PACE_DECOMPOSITION_HPP
#define REPEBBLE_TREEWIDTH_PACE_DECOMPOSITION_HPP

// Tree decompositions in the format .td of the PACE challenges: reading and writing.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/treewidth/detail/pace_lines.hpp>

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
    pace_bags(std::string_view text, read_account const& account) : size_(text.size()), lines_(text, account) {}

    [[nodiscard]] auto read() -> pace_decomposition;

  private:
    static constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max() - 1;

    void read_header();
    void read_bag();
    void read_edge();
    void finish();

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
/// Throws bad_file, naming `source` and the line, where the text has another form or its line s is wrong;
/// limit_reached. `verify_decomposition` checks whether it is a tree decomposition of a graph.
[[nodiscard]] inline auto parse_pace_decomposition(std::string_view text, std::string const& source = "text",
                                                   read_account account = read_account()) -> pace_decomposition {
    account.open(source, text.size());
    return detail::pace_bags(text, account).read();
}

/// The tree decomposition of a .td file, which may be gzip data.  Throws as `read_file` and `parse_pace_decomposition`
/// do.
[[nodiscard]] inline auto read_pace_decomposition(std::filesystem::path const& path,
                                                  read_account account = read_account()) -> pace_decomposition {
    return parse_pace_decomposition(read_file(path, account), path.string(), account);
}

/// The text that `parse_pace_decomposition` reads.
[[nodiscard]] auto pace_decomposition_text(tree_decomposition const& made, std::size_t vertex_count) -> std::string;

/// Writes a .td file; as gzip data where its name ends in .gz.  Throws bad_file where it cannot be written.
inline void write_pace_decomposition(std::filesystem::path const& path, tree_decomposition const& made,
                                     std::size_t vertex_count) {
    write_file(path, pace_decomposition_text(made, vertex_count));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/treewidth/pace_decomposition.ipp>
#endif

#endif
