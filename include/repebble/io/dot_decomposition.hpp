#ifndef REPEBBLE_IO_DOT_DECOMPOSITION_HPP
#define REPEBBLE_IO_DOT_DECOMPOSITION_HPP

// Drawings of tree decompositions in DOT.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/io/write_file.hpp>

namespace repebble::inline v0::io {

/// A tree decomposition as a graph in DOT, the language of Graphviz: a box for each bag with its number and at most
/// `most` of its vertices, and a line for each edge of the tree. Vertices without names have their numbers, from 0.
/// Requires: no names, or one for each vertex.  O(bags + vertices shown).
[[nodiscard]] auto to_text(tree_decomposition const& made, std::span<std::string const> names = {},
                           std::size_t most = 24) -> std::string;

/// Writes the tree of bags as a DOT file; as gzip data where its name ends in .gz.  Throws bad_file where it cannot be
/// written.
inline void write_dot_decomposition(std::filesystem::path const& path, tree_decomposition const& made,
                                    std::span<std::string const> names = {}) {
    write_file(path, to_text(made, names));
}

}  // namespace repebble::inline v0::io

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/io/dot_decomposition.ipp>
#endif

#endif
