#ifndef REPEBBLE_IO_DOT_GRAPH_HPP
#define REPEBBLE_IO_DOT_GRAPH_HPP

// Graphs from DOT files: a recursive-descent parser, with limits on nesting and number of edges.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/io/detail/dot_tokens.hpp>
#include <repebble/io/gzip.hpp>

namespace repebble::inline v0::io {

/// The graph of a DOT text.
struct dot_graph {
    std::vector<std::string> names{};             ///< of the vertices, in the order in which they are first mentioned
    std::vector<undirected_graph::edge> edges{};  ///< from, to, as written: loops and repeated ones are kept
    bool directed = false;                        ///< whether it is a digraph

    friend auto operator==(dot_graph const&, dot_graph const&) -> bool = default;
};

namespace detail {

/// Numbers names in the order of their first occurrence: an open-addressing hash table that stores part of each hash,
/// so that names, which are rarely in the cache, are compared only where their hashes agree.
class dot_names {
  public:
    using vertex = undirected_graph::vertex;

    /// The number of a name, a new one where the name is new.
    [[nodiscard]] auto number(std::string_view name) -> vertex {
        auto const hash = std::hash<std::string_view>{}(name);
        auto const mark = static_cast<std::uint32_t>(hash >> 32U);
        auto const mask = slots_.size() - 1;
        auto at = hash & mask;
        for (; slots_[at].number != none; at = (at + 1) & mask)
            if (slots_[at].mark == mark && names_[slots_[at].number] == name) return slots_[at].number;
        auto const made = static_cast<vertex>(names_.size());
        names_.emplace_back(name);
        slots_[at] = {mark, made};
        if (2 * names_.size() > slots_.size()) grow();
        return made;
    }
    [[nodiscard]] auto size() const -> std::size_t { return names_.size(); }
    [[nodiscard]] auto take() && -> std::vector<std::string> { return std::move(names_); }

  private:
    static constexpr auto none = std::numeric_limits<vertex>::max();

    struct slot {
        std::uint32_t mark = 0;
        vertex number = none;
    };

    void grow() {
        slots_.assign(2 * slots_.size(), {});
        for (std::size_t v = 0; v < names_.size(); ++v) {
            auto const hash = std::hash<std::string_view>{}(names_[v]);
            auto at = hash & (slots_.size() - 1);
            while (slots_[at].number != none) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {static_cast<std::uint32_t>(hash >> 32U), static_cast<vertex>(v)};
        }
    }

    std::vector<std::string> names_;
    std::vector<slot> slots_ = std::vector<slot>(16);
};

/// Reads the statements of a DOT text.
class dot_statements {
  public:
    dot_statements(std::string_view text, std::string const& source) : tokens_(text, source) {}

    [[nodiscard]] auto read() -> dot_graph {
        static_cast<void>(tokens_.take("strict"));
        made_.directed = tokens_.take("digraph");
        if (!made_.directed && !tokens_.take("graph"))
            tokens_.fail("a graph begins with 'graph' or 'digraph', not with " + tokens_.shown());
        if (tokens_.is_at(dot_token::name)) static_cast<void>(tokens_.name("the name of the graph"));
        read_braces();
        if (!tokens_.is_at(dot_token::end)) tokens_.fail("the graph has ended, and is followed by " + tokens_.shown());
        made_.names = std::move(names_).take();
        return std::move(made_);
    }

  private:
    using vertex = undirected_graph::vertex;

    static constexpr std::size_t most_levels = 100;
    static constexpr std::size_t most_edges = std::size_t{1} << 28;  // a short text can have all pairs as edges

    void read_braces() {
        auto const place = tokens_.place();
        if (!tokens_.take(dot_token::open_brace)) tokens_.fail("'{' is missing before " + tokens_.shown());
        if (++levels_ > most_levels)
            tokens_.fail("braces are nested deeper than " + std::to_string(most_levels) + " levels");
        while (!tokens_.take(dot_token::close_brace)) {
            if (tokens_.is_at(dot_token::end))
                tokens_.fail("the '{' of line " + std::to_string(tokens_.line_of(place)) + " is not closed");
            read_statement();
            static_cast<void>(tokens_.take(dot_token::semicolon));
            if (levels_ == 1) mentioned_.clear();
        }
        --levels_;
    }
    void read_statement() {
        if (tokens_.take("graph") || tokens_.take("node") || tokens_.take("edge")) {
            if (!tokens_.is_at(dot_token::open_bracket)) tokens_.fail("'[' is missing before " + tokens_.shown());
            return skip_attributes();
        }
        auto from = mentioned_.size();
        if (is_subgraph()) {
            read_subgraph();
        } else {
            auto const name = tokens_.name("a statement");
            if (tokens_.take(dot_token::equals)) {
                static_cast<void>(tokens_.name("the value of ", name));
                return;
            }
            mention(name);
        }
        while (tokens_.is_at(dot_token::line) || tokens_.is_at(dot_token::arrow)) {
            if (tokens_.is_at(dot_token::arrow) != made_.directed)
                tokens_.fail(made_.directed ? "'--' stands in a digraph, where edges are '->'"
                                            : "'->' stands in a graph without direction, where edges are '--'");
            static_cast<void>(tokens_.take(dot_token::line) || tokens_.take(dot_token::arrow));
            auto const to = mentioned_.size();
            if (is_subgraph())
                read_subgraph();
            else
                mention(tokens_.name("the end of an edge"));
            connect(from, to);
            from = to;
        }
        skip_attributes();
    }
    [[nodiscard]] auto is_subgraph() const -> bool {
        return tokens_.is_at(dot_token::open_brace) || tokens_.is_at("subgraph");
    }
    void read_subgraph() {
        if (tokens_.take("subgraph") && tokens_.is_at(dot_token::name))
            static_cast<void>(tokens_.name("the name of a subgraph"));
        auto const first = mentioned_.size();
        read_braces();
        // each vertex once
        ++subgraphs_;
        last_subgraph_.resize(names_.size(), 0);
        auto kept = first;
        for (auto k = first; k < mentioned_.size(); ++k)
            if (auto const v = mentioned_[k]; std::exchange(last_subgraph_[v], subgraphs_) != subgraphs_)
                mentioned_[kept++] = v;
        mentioned_.resize(kept);
    }
    /// Mentions a vertex, with an optional port.
    void mention(std::string_view name) {
        if (names_.size() == std::numeric_limits<vertex>::max())
            tokens_.fail("has more vertices than 32 bits can number");
        mentioned_.push_back(names_.number(name));
        for (auto const* part : {"a port", "a compass point"})
            if (tokens_.take(dot_token::colon)) static_cast<void>(tokens_.name(part));
    }
    /// Adds an edge from each vertex mentioned in [from, to) to each vertex mentioned later.
    void connect(std::size_t from, std::size_t to) {
        auto const pairs = (to - from) * (mentioned_.size() - to);
        if (pairs > most_edges - made_.edges.size())
            tokens_.fail("has more than " + std::to_string(most_edges) + " edges up to here");
        for (auto a = from; a < to; ++a)
            for (auto b = to; b < mentioned_.size(); ++b) made_.edges.emplace_back(mentioned_[a], mentioned_[b]);
    }
    void skip_attributes() {
        while (tokens_.is_at(dot_token::open_bracket)) {
            auto const place = tokens_.place();
            static_cast<void>(tokens_.take(dot_token::open_bracket));
            while (!tokens_.take(dot_token::close_bracket)) {
                if (tokens_.is_at(dot_token::end))
                    tokens_.fail("the '[' of line " + std::to_string(tokens_.line_of(place)) + " is not closed");
                auto const key = tokens_.name("an attribute");
                if (!tokens_.take(dot_token::equals))
                    tokens_.fail("'=' is missing after the attribute " + std::string(key.substr(0, 40)));
                static_cast<void>(tokens_.name("the value of ", key));
                static_cast<void>(tokens_.take(dot_token::semicolon) || tokens_.take(dot_token::comma));
            }
        }
    }

    dot_tokens tokens_;
    dot_graph made_;
    dot_names names_;
    std::vector<vertex> mentioned_;             // in unfinished statements, in the order of the text
    std::vector<std::uint64_t> last_subgraph_;  // of each vertex: the last subgraph that mentioned it
    std::uint64_t subgraphs_ = 0;
    std::size_t levels_ = 0;
};

}  // namespace detail

/// Parses a graph in DOT, the language of Graphviz. Attributes and ports are ignored, and `strict` drops no edges. A
/// subgraph at an end of an edge stands for all vertices within its braces. An HTML string as a name keeps its < >.
/// O(text + edges).  Throws bad_file, naming `source` and the line, where the text is not DOT, where braces are nested
/// deeper than 100, and where there are more than 2^28 edges.
[[nodiscard]] inline auto parse_dot(std::string_view text, std::string const& source = "text") -> dot_graph {
    return detail::dot_statements(text, source).read();
}

/// The graph of a DOT file, which may be gzip data.  Throws as `read_file` and `parse_dot` do.
[[nodiscard]] inline auto read_dot(std::filesystem::path const& path) -> dot_graph {
    return parse_dot(read_file(path), path.string());
}

}  // namespace repebble::inline v0::io

#endif
