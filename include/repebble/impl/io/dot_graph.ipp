#ifndef REPEBBLE_IMPL_IO_DOT_GRAPH_IPP
#define REPEBBLE_IMPL_IO_DOT_GRAPH_IPP

#include <repebble/io/dot_graph.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/io/detail/dot_statements.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_dot(std::string_view text, std::string const& source, read_account account) -> dot_graph {
    account.open(source, text.size());
    detail::dot_statements statements(text, account);
    statements.read();
    dot_graph made{.directed = statements.directed()};
    made.edges = std::move(statements).take_edges();
    made.names = std::move(statements).take_names();
    return made;
}

}  // namespace repebble::inline v0::io

#endif
