#ifndef REPEBBLE_IO_DETAIL_DOT_STATEMENTS_HPP
#define REPEBBLE_IO_DETAIL_DOT_STATEMENTS_HPP

// The parser of DOT, by recursive descent, with limits on nesting and number of edges; attributes are read and dropped.
// dot_graph.hpp keeps what it finds.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/io/detail/dot_tokens.hpp>
#include <repebble/io/read_account.hpp>

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

/// Reads the statements of a DOT text: the names of its vertices and its edges, in the order of the text.
class dot_statements {
  public:
    using vertex = std::uint32_t;

    dot_statements(std::string_view text, read_account const& account)
        : account_(account), tokens_(text, account.source()) {}

    void read() {
        static_cast<void>(tokens_.take("strict"));
        directed_ = tokens_.take("digraph");
        if (!directed_ && !tokens_.take("graph"))
            tokens_.fail("a graph begins with 'graph' or 'digraph', not with " + tokens_.shown());
        if (tokens_.is_at(dot_token::name)) static_cast<void>(tokens_.name("the name of the graph"));
        read_braces();
        if (!tokens_.is_at(dot_token::end)) tokens_.fail("the graph has ended, and is followed by " + tokens_.shown());
    }
    [[nodiscard]] auto directed() const -> bool { return directed_; }
    [[nodiscard]] auto take_edges() && -> std::vector<std::pair<vertex, vertex>> { return std::move(edges_); }
    /// The names of the vertices by number.
    [[nodiscard]] auto take_names() && -> std::vector<std::string> { return std::move(names_).take(); }

  private:
    static constexpr std::size_t most_levels = 100;

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
            return read_attributes();
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
            if (tokens_.is_at(dot_token::arrow) != directed_)
                tokens_.fail(directed_ ? "'--' stands in a digraph, where edges are '->'"
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
        read_attributes();
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
        account_.spend(1 + name.size(), 2 * (sizeof(std::string) + name.size()), [&] { return here(); });
        mentioned_.push_back(names_.number(name));
        for (auto const* part : {"a port", "a compass point"})
            if (tokens_.take(dot_token::colon)) static_cast<void>(tokens_.name(part));
    }
    /// Adds an edge from each vertex mentioned in [from, to) to each vertex mentioned later.
    void connect(std::size_t from, std::size_t to) {
        auto const pairs = (to - from) * (mentioned_.size() - to);  // a short text can have all as edges
        account_.spend(pairs, 64 * pairs, [&] { return here(); });
        for (auto a = from; a < to; ++a)
            for (auto b = to; b < mentioned_.size(); ++b) edges_.emplace_back(mentioned_[a], mentioned_[b]);
    }
    /// Reads the lists of attributes that stand here, if any.
    void read_attributes() {
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

    [[nodiscard]] auto here() const -> std::string {
        return "line " + std::to_string(tokens_.line_of(tokens_.place()));
    }

    read_account const& account_;
    dot_tokens tokens_;
    dot_names names_;
    std::vector<std::pair<vertex, vertex>> edges_;
    std::vector<vertex> mentioned_;             // in unfinished statements, in the order of the text
    std::vector<std::uint64_t> last_subgraph_;  // of each vertex: the last subgraph that mentioned it
    std::uint64_t subgraphs_ = 0;
    std::size_t levels_ = 0;
    bool directed_ = false;
};

}  // namespace repebble::inline v0::io::detail

#endif
