#ifndef REPEBBLE_IO_DETAIL_DOT_STATEMENTS_HPP
#define REPEBBLE_IO_DETAIL_DOT_STATEMENTS_HPP

// The parser of DOT, by recursive descent, with limits on nesting and number of edges. It tells a listener of vertices,
// edges and attributes: dot_graph.hpp listens to the edges alone, dot_network.hpp to all of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/io/detail/dot_tokens.hpp>

namespace repebble::inline v0::io::detail {

/// Numbers names in the order of their first occurrence: an open-addressing hash table that stores part of each hash,
/// so that names, which are rarely in the cache, are compared only where their hashes agree.
class dot_names {
  public:
    using vertex = std::uint32_t;

    /// The number of a name, a new one where the name is new.
    [[nodiscard]] auto number(std::string_view name) -> vertex {
        auto& found = slots_[slot_of(name)];
        if (found.number != none) return found.number;
        auto const made = static_cast<vertex>(names_.size());
        names_.emplace_back(name);
        found = {mark_of(hash_of(name)), made};
        if (2 * names_.size() > slots_.size()) grow();
        return made;
    }
    /// The number of a name, if it has one.
    [[nodiscard]] auto find(std::string_view name) const -> std::optional<vertex> {
        auto const& found = slots_[slot_of(name)];
        return found.number == none ? std::nullopt : std::optional(found.number);
    }
    [[nodiscard]] auto size() const -> std::size_t { return names_.size(); }
    [[nodiscard]] auto take() && -> std::vector<std::string> { return std::move(names_); }

  private:
    static constexpr auto none = std::numeric_limits<vertex>::max();

    struct slot {
        std::uint32_t mark = 0;
        vertex number = none;
    };

    [[nodiscard]] static auto hash_of(std::string_view name) -> std::size_t {
        return std::hash<std::string_view>{}(name);
    }
    [[nodiscard]] static auto mark_of(std::size_t hash) -> std::uint32_t {
        return static_cast<std::uint32_t>(hash >> 32U);
    }
    /// The slot that has a name, or the one where it belongs.
    [[nodiscard]] auto slot_of(std::string_view name) const -> std::size_t {
        auto const hash = hash_of(name);
        auto const mark = mark_of(hash);
        auto const mask = slots_.size() - 1;
        auto at = hash & mask;
        while (slots_[at].number != none && (slots_[at].mark != mark || names_[slots_[at].number] != name))
            at = (at + 1) & mask;
        return at;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), {});
        for (std::size_t v = 0; v < names_.size(); ++v) {
            auto const hash = hash_of(names_[v]);
            auto at = hash & (slots_.size() - 1);
            while (slots_[at].number != none) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = {mark_of(hash), static_cast<vertex>(v)};
        }
    }

    std::vector<std::string> names_;
    std::vector<slot> slots_ = std::vector<slot>(16);
};

/// An attribute of DOT as it is written; the views live as long as the text and its parser do.
struct dot_attribute {
    std::string_view key, value;
    std::size_t place = 0;  ///< in the text
};

/// Whose attributes follow.
enum class dot_subject : std::uint8_t {
    graph,           ///< of the graph or subgraph whose braces are open
    later_vertices,  ///< of those that are first mentioned later within these braces
    later_edges,     ///< of those that are made later within these braces
    vertex,          ///< of vertex `first`
    edges,           ///< of the edges first … last - 1, by the order in which they are made
    braces,          ///< behind a subgraph that ends no edge: of nothing
};

/// Reads the statements of a DOT text, and tells a listener of them as they are read:
///   begin(directed, name, place)   the graph has this name, or none
///   open(), close()                braces: those of the graph and of subgraphs
///   vertex(name, place)            a vertex is first mentioned; it has the next number from 0
///   edge(from, to)
///   attributes(subject, first, last, list)
/// A listener without `attributes` has none collected.
template <class Listener>
class dot_statements {
  public:
    using vertex = std::uint32_t;

    dot_statements(std::string_view text, std::string const& source, Listener& listener)
        : tokens_(text, source), listener_(listener) {}

    void read() {
        static_cast<void>(tokens_.take("strict"));
        auto const place = tokens_.place();
        directed_ = tokens_.take("digraph");
        if (!directed_ && !tokens_.take("graph"))
            tokens_.fail("a graph begins with 'graph' or 'digraph', not with " + tokens_.shown());
        listener_.begin(directed_, tokens_.is_at(dot_token::name) ? tokens_.name("the name of the graph") : "", place);
        read_braces();
        if (!tokens_.is_at(dot_token::end)) tokens_.fail("the graph has ended, and is followed by " + tokens_.shown());
    }
    /// The number of the vertex of that name, if there is one.
    [[nodiscard]] auto find(std::string_view name) const -> std::optional<vertex> { return names_.find(name); }
    /// The names of the vertices by number.
    [[nodiscard]] auto take_names() && -> std::vector<std::string> { return std::move(names_).take(); }

  private:
    static constexpr std::size_t most_levels = 100;
    static constexpr bool wants_attributes = requires(Listener& to, std::span<dot_attribute const> list) {
        to.attributes(dot_subject::graph, std::size_t{}, std::size_t{}, list);
    };

    void read_braces() {
        auto const place = tokens_.place();
        if (!tokens_.take(dot_token::open_brace)) tokens_.fail("'{' is missing before " + tokens_.shown());
        if (++levels_ > most_levels)
            tokens_.fail("braces are nested deeper than " + std::to_string(most_levels) + " levels");
        listener_.open();
        while (!tokens_.take(dot_token::close_brace)) {
            if (tokens_.is_at(dot_token::end))
                tokens_.fail("the '{' of line " + std::to_string(tokens_.line_of(place)) + " is not closed");
            read_statement();
            static_cast<void>(tokens_.take(dot_token::semicolon));
            if (levels_ == 1) mentioned_.clear();
        }
        listener_.close();
        --levels_;
    }
    void read_statement() {
        if (tokens_.take("graph")) return read_defaults(dot_subject::graph);
        if (tokens_.take("node")) return read_defaults(dot_subject::later_vertices);
        if (tokens_.take("edge")) return read_defaults(dot_subject::later_edges);
        auto from = mentioned_.size();
        auto const first_range = connected_.size();
        bool const braces = is_subgraph();
        if (braces) {
            read_subgraph();
        } else {
            auto const place = tokens_.place();
            auto const name = tokens_.name("a statement");
            if (tokens_.take(dot_token::equals)) {
                attributes_.assign(1, {name, tokens_.name("the value of ", name), place});
                return tell(dot_subject::graph);
            }
            mention(name, place);
        }
        auto const single = mentioned_.empty() ? vertex{} : mentioned_.back();
        while (tokens_.is_at(dot_token::line) || tokens_.is_at(dot_token::arrow)) {
            if (tokens_.is_at(dot_token::arrow) != directed_)
                tokens_.fail(directed_ ? "'--' stands in a digraph, where edges are '->'"
                                       : "'->' stands in a graph without direction, where edges are '--'");
            static_cast<void>(tokens_.take(dot_token::line) || tokens_.take(dot_token::arrow));
            auto const to = mentioned_.size();
            if (is_subgraph()) {
                read_subgraph();
            } else {
                auto const place = tokens_.place();
                mention(tokens_.name("the end of an edge"), place);
            }
            connect(from, to);
            from = to;
        }
        read_attributes();
        if (connected_.size() == first_range) tell(braces ? dot_subject::braces : dot_subject::vertex, single);
        for (auto k = first_range; k < connected_.size(); ++k)
            tell(dot_subject::edges, connected_[k].first, connected_[k].second);
        connected_.resize(first_range);
    }
    void read_defaults(dot_subject subject) {
        if (!tokens_.is_at(dot_token::open_bracket)) tokens_.fail("'[' is missing before " + tokens_.shown());
        read_attributes();
        tell(subject);
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
    void mention(std::string_view name, std::size_t place) {
        auto const known = names_.size();
        if (known == std::numeric_limits<vertex>::max()) tokens_.fail("has more vertices than 32 bits can number");
        mentioned_.push_back(names_.number(name));
        if (mentioned_.back() == known) listener_.vertex(name, place);
        for (auto const* part : {"a port", "a compass point"})
            if (tokens_.take(dot_token::colon)) static_cast<void>(tokens_.name(part));
    }
    /// Adds an edge from each vertex mentioned in [from, to) to each vertex mentioned later.
    void connect(std::size_t from, std::size_t to) {
        auto const first = edges_;
        auto const pairs = (to - from) * (mentioned_.size() - to);
        // A short text can have all pairs as edges.
        auto const most = std::max(std::size_t{1} << 22, tokens_.text_size());
        if (pairs > most - edges_) tokens_.fail("has more than " + std::to_string(most) + " edges up to here");
        edges_ += pairs;
        for (auto a = from; a < to; ++a)
            for (auto b = to; b < mentioned_.size(); ++b) listener_.edge(mentioned_[a], mentioned_[b]);
        if constexpr (wants_attributes) connected_.emplace_back(first, edges_);
    }
    /// Reads the lists of attributes that stand here, if any.
    void read_attributes() {
        attributes_.clear();
        while (tokens_.is_at(dot_token::open_bracket)) {
            auto const place = tokens_.place();
            static_cast<void>(tokens_.take(dot_token::open_bracket));
            while (!tokens_.take(dot_token::close_bracket)) {
                if (tokens_.is_at(dot_token::end))
                    tokens_.fail("the '[' of line " + std::to_string(tokens_.line_of(place)) + " is not closed");
                auto const at = tokens_.place();
                auto const key = tokens_.name("an attribute");
                if (!tokens_.take(dot_token::equals))
                    tokens_.fail("'=' is missing after the attribute " + std::string(key.substr(0, 40)));
                auto const value = tokens_.name("the value of ", key);
                if constexpr (wants_attributes) attributes_.push_back({key, value, at});
                static_cast<void>(tokens_.take(dot_token::semicolon) || tokens_.take(dot_token::comma));
            }
        }
    }
    /// Tells of the attributes that were read last.
    void tell(dot_subject subject, std::size_t first = 0, std::size_t last = 0) {
        if constexpr (wants_attributes)
            if (!attributes_.empty()) listener_.attributes(subject, first, last, attributes_);
    }

    dot_tokens tokens_;
    Listener& listener_;
    dot_names names_;
    std::vector<vertex> mentioned_;                               // in unfinished statements, in the order of the text
    std::vector<std::uint64_t> last_subgraph_;                    // of each vertex: the last subgraph that mentioned it
    std::vector<std::pair<std::size_t, std::size_t>> connected_;  // in unfinished statements: first edge, behind last
    std::vector<dot_attribute> attributes_;                       // those read last
    std::size_t edges_ = 0;
    std::uint64_t subgraphs_ = 0;
    std::size_t levels_ = 0;
    bool directed_ = false;
};

}  // namespace repebble::inline v0::io::detail

#endif
