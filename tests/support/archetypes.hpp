#ifndef REPEBBLE_TESTS_SUPPORT_ARCHETYPES_HPP
#define REPEBBLE_TESTS_SUPPORT_ARCHETYPES_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/graph/concepts.hpp>
#include <repebble/graph/graph_traits.hpp>

namespace support {

/// A single-pass range: neither it nor its iterators can be copied, and its elements are temporaries.
template <class T>
class once_range {
  public:
    class iterator {
      public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;

        explicit iterator(once_range* range) : range_(range) {}
        iterator(iterator&&) = default;
        auto operator=(iterator&&) -> iterator& = default;

        auto operator*() const -> T { return range_->items_.back(); }
        auto operator++() -> iterator& {
            range_->items_.pop_back();
            return *this;
        }
        void operator++(int) { ++*this; }
        friend auto operator==(iterator const& it, std::default_sentinel_t) -> bool { return it.at_end(); }

      private:
        [[nodiscard]] auto at_end() const -> bool { return range_->items_.empty(); }

        once_range* range_;
    };

    explicit once_range(std::vector<T> items) : items_(items.rbegin(), items.rend()) {}
    once_range(once_range&&) = default;
    auto operator=(once_range&&) -> once_range& = default;

    auto begin() -> iterator { return iterator(this); }
    auto end() -> std::default_sentinel_t { return {}; }

  private:
    std::vector<T> items_;  // the next one last
};

/// A vertex that can be copied and assigned, and nothing else: no default, no comparison, no number.
class label {
  public:
    explicit label(int id) : id_(id) {}
    [[nodiscard]] auto id() const -> int { return id_; }

  private:
    int id_;
};

/// The archetype of a computation graph: it cannot be copied or moved, and all its ranges are single-pass. Vertices are
/// named 100, 101, … and listed from the last to the first.
class least_graph {
  public:
    explicit least_graph(std::vector<std::vector<int>> rows) : rows_(std::move(rows)) {}
    least_graph(least_graph const&) = delete;
    auto operator=(least_graph const&) -> least_graph& = delete;

    [[nodiscard]] auto rows() const -> std::vector<std::vector<int>> const& { return rows_; }
    [[nodiscard]] static auto named(std::vector<int> const& indices) -> once_range<label> {
        std::vector<label> result;
        for (int const i : indices) result.emplace_back(100 + i);
        return once_range(result);
    }

  private:
    std::vector<std::vector<int>> rows_;
};

/// An output: its bytes, and the equal output of another vertex where `same_vertex` is not negative.
struct output {
    std::int64_t bytes = 1;
    int same_vertex = -1;
    std::uint32_t same_output = 0;
};

/// An edge and the outputs that it reads.
struct reading {
    int reader = 0;
    std::vector<int> outputs{};
};

/// A graph type with every optional trait.
struct rich_graph {
    struct node {
        std::vector<reading> readers{};
        std::vector<output> outputs{output{}};
        bool view = false;
    };
    std::vector<node> nodes;

    [[nodiscard]] auto at(int v) const -> node const& { return nodes[static_cast<std::size_t>(v)]; }
    /// Bytes of the outputs, as `weights` takes them.
    [[nodiscard]] auto memory() const {
        return [this](int v, std::uint32_t j) { return at(v).outputs[j].bytes; };
    }
};

}  // namespace support

template <>
struct repebble::graph_traits<support::least_graph> {
    using graph = support::least_graph;
    using label = support::label;
    static auto vertices(graph const& g) {
        std::vector<int> all(g.rows().size());
        std::iota(all.rbegin(), all.rend(), 0);
        return graph::named(all);
    }
    static auto successors(graph const& g, label v) { return graph::named(g.rows()[vertex_index(g, v)]); }
    static auto vertex_index(graph const&, label v) -> std::size_t { return static_cast<std::size_t>(v.id() - 100); }
};

template <>
struct repebble::graph_traits<support::rich_graph> {
    using graph = support::rich_graph;
    static auto vertices(graph const& g) {
        std::vector<int> all(g.nodes.size());
        std::iota(all.begin(), all.end(), 0);
        return support::once_range(all);
    }
    static auto successors(graph const& g, int v) {
        std::vector<int> row;
        for (auto const& edge : g.at(v).readers) row.push_back(edge.reader);
        return support::once_range(row);
    }
    static auto predecessors(graph const& g, int v) {
        std::vector<int> row;
        for (std::size_t u = 0; u < g.nodes.size(); ++u)
            for (auto const& edge : g.nodes[u].readers)
                if (edge.reader == v) row.push_back(static_cast<int>(u));
        return support::once_range(row);
    }
    static auto vertex_index(graph const&, int v) -> std::size_t { return static_cast<std::size_t>(v); }
    static auto vertex_count(graph const& g) -> std::size_t { return g.nodes.size(); }
    static auto output_count(graph const& g, int v) -> std::size_t { return g.at(v).outputs.size(); }
    static auto outputs_read(graph const& g, int u, int v) {
        std::vector<int> read;
        for (auto const& edge : g.at(u).readers)
            if (edge.reader == v) read.insert(read.end(), edge.outputs.begin(), edge.outputs.end());
        return support::once_range(read);
    }
    static auto is_view(graph const& g, int v) -> bool { return g.at(v).view; }
    static auto value_of(graph const& g, int v, std::uint32_t j) -> repebble::output_ref<int> {
        auto const& o = g.at(v).outputs[j];
        if (o.same_vertex < 0) return {v, j};
        return {o.same_vertex, o.same_output};
    }
};

namespace support {

/// Graph types that lack one requirement each: the one that `Fault` names.
enum class fault : std::uint8_t {
    nothing,
    no_vertices,
    no_successors,
    no_index,
    vertex_that_cannot_be_copied,
    index_that_is_no_number,
    successors_of_another_type,
    successors_that_are_no_range,
};
template <fault Fault>
struct faulty_graph {};

}  // namespace support

template <support::fault Fault>
struct repebble::graph_traits<support::faulty_graph<Fault>> {
    using graph = support::faulty_graph<Fault>;
    using fault = support::fault;
    using vertex =
        std::conditional_t<Fault == fault::vertex_that_cannot_be_copied, std::unique_ptr<int>, support::label>;
    using successor = std::conditional_t<Fault == fault::successors_of_another_type, std::string, vertex>;
    using row =
        std::conditional_t<Fault == fault::successors_that_are_no_range, successor, support::once_range<successor>>;
    using index = std::conditional_t<Fault == fault::index_that_is_no_number, std::string, std::size_t>;

    static auto vertices(graph const&) -> support::once_range<vertex>
        requires(Fault != fault::no_vertices);
    static auto successors(graph const&, vertex const&) -> row
        requires(Fault != fault::no_successors);
    static auto vertex_index(graph const&, vertex const&) -> index
        requires(Fault != fault::no_index);
};

namespace support {

template <fault Fault>
inline constexpr bool is_graph = repebble::computation_graph<faulty_graph<Fault>>;

static_assert(repebble::computation_graph<least_graph> && !repebble::bidirectional_graph<least_graph>);
static_assert(repebble::computation_graph<rich_graph const&> && repebble::bidirectional_graph<rich_graph>);
static_assert(is_graph<fault::nothing>);
static_assert(!is_graph<fault::no_vertices>);
static_assert(!is_graph<fault::no_successors>);
static_assert(!is_graph<fault::no_index>);
static_assert(!is_graph<fault::vertex_that_cannot_be_copied>);
static_assert(!is_graph<fault::index_that_is_no_number>);
static_assert(!is_graph<fault::successors_of_another_type>);
static_assert(!is_graph<fault::successors_that_are_no_range>);
static_assert(!repebble::computation_graph<int> && !repebble::computation_graph<std::vector<int>>);

}  // namespace support

#endif
