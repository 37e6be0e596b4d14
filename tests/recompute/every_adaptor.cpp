// Covers recompute/chain_plan.hpp, recompute/forget_all.hpp, recompute/greedy_eviction.hpp, recompute/keep_all.hpp,
// recompute/lower_set_plan.hpp, recompute/save_set.hpp,
// recompute/segment_plan.hpp, recompute/segment_recursive.hpp, recompute/sqrt_segments.hpp.
// The same graph through every graph type: all algorithms give the same answers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>

#include <repebble/graph/adapt/as_boost_graph.hpp>
#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/induced.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/reversed.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/bidirectional.hpp>
#include <repebble/graph/lower_sets/detail/lower_set.hpp>
#include <repebble/graph/lower_sets/lower_sets.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/verify_graph.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "support/archetypes.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::adjacency;

namespace {

/// An intermediate representation of a user: vertices are pointers.
struct instruction {
    std::size_t number = 0;
    std::vector<instruction const*> users{};
};
struct program {
    std::vector<instruction> body;
};

}  // namespace

template <>
struct repebble::graph_traits<program> {
    static auto vertices(program const& p) {
        return p.body | std::views::transform([](instruction const& i) { return &i; });
    }
    static auto successors(program const&, instruction const* i) -> std::vector<instruction const*> const& {
        return i->users;
    }
    static auto vertex_index(program const&, instruction const* i) -> std::size_t { return i->number; }
};

namespace {

/// Costs by index, and the budgets.
struct question {
    std::vector<std::int64_t> time, memory;
    bytes budget = 0;
};

/// Results of all algorithms for a graph, by index.
struct answers {
    std::vector<std::vector<std::size_t>> orders;
    std::vector<std::size_t> cycle, articulation;
    std::vector<vertex_set> below, above, lower, pruned, edges_of_lower;
    std::size_t problems = 0;
    dataflow flow;
    std::vector<dataflow> training;
    std::vector<recompute_plan<>> plans;
    std::vector<schedule<training_vertex<std::size_t>>> schedules;
    bytes peak = 0;

    friend auto operator==(answers const&, answers const&) -> bool = default;
};

template <class Graph>
auto ask(Graph const& g, question const& q) -> answers {
    using vertex = vertex_t<Graph>;
    auto const number = [&](vertex const& v) { return vertex_index(g, v); };
    auto const numbers = [&](std::vector<vertex> const& row) {
        std::vector<std::size_t> result;
        for (auto const& v : row) result.push_back(number(v));
        return result;
    };
    auto const time = [&](vertex const& v) { return q.time[number(v)]; };
    auto const memory = [&](vertex const& v) { return q.memory[number(v)]; };
    weights const w{time, memory};

    answers all;
    all.orders = {numbers(topological_order(g)), numbers(topological_order(g, order_rule::soonest)),
                  numbers(topological_order(g, order_rule::latest)),
                  numbers(topological_order(g, order_rule::depth_first))};
    all.cycle = numbers(find_cycle(g));
    all.articulation = numbers(articulation_points(g));
    all.below = descendants(g);
    all.above = ancestors(g);
    for (auto const& set : lower_sets(g)) {
        all.lower.push_back(set);
        all.edges_of_lower.insert(all.edges_of_lower.end(), {detail::boundary(g, set), detail::out_neighbours(g, set),
                                                             detail::in_neighbours(g, set)});
    }
    all.pruned = detail::pruned_lower_sets(g);
    all.problems = verify_graph(g, w).problems.size();
    all.flow = make_dataflow(g, w);
    for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
        auto const training = make_training_graph(g, w, gradient_dependencies{}, how);
        all.training.push_back(training.flow);
        all.plans.insert(all.plans.end(),
                         {keep_all(training), sqrt_segments(training), forget_all(training),
                          segment_recursive(training), *segment_plan(training, {}, {.measure = memory_measure::peak})});
    }
    auto const step = make_training_problem(g, w);
    auto const add = [&](auto const& plan) {
        if (plan)
            all.schedules.push_back(map_vertices(plan->schedule, [&](operation_index v) {
                auto const& name = step(v);
                return training_vertex<std::size_t>{number(name.vertex), name.pass, name.part};
            }));
    };
    add(lower_set_plan(step, q.budget, {.sets = lower_set_choice::pruned}));
    add(lower_set_plan(step, q.budget));
    add(greedy_eviction(step, q.budget));
    add(save_set(step, q.budget));
    add(chain_plan(step, q.budget));
    schedule<vertex> once;
    for (auto const& v : topological_order(g)) once.steps.push_back({.vertex = v, .over = v});
    all.peak = replay(g, once, w).peak;
    return all;
}

template <class Graph>
auto compact(adjacency const& from) -> Graph {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    for (std::size_t u = 0; u < from.size(); ++u)
        for (int const w : from[u]) edges.emplace_back(u, static_cast<std::size_t>(w));
    return Graph(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), from.size());
}

/// A boost::adjacency_list of any kind, and its vertices by index.
template <class Graph>
struct linked {
    Graph graph;
    std::vector<typename Graph::vertex_descriptor> at;

    explicit linked(adjacency const& from) {
        for (std::size_t v = 0; v < from.size(); ++v) at.push_back(boost::add_vertex(graph));
        for (std::size_t u = 0; u < from.size(); ++u)
            for (int const w : from[u]) boost::add_edge(at[u], at[static_cast<std::size_t>(w)], graph);
    }
};

using boost::bidirectionalS;
using boost::directedS;
using boost::listS;
using boost::setS;
using boost::vecS;
using numbered = boost::property<boost::vertex_index_t, std::size_t>;

/// Calls f(name, graph) with the same graph as every type.
template <class F>
void for_each_adaptor(adjacency const& g, F&& f) {
    f("csr_graph", csr_graph::copy_of(g));
    f("bidirectional", bidirectional(g));
    f("archetype", support::least_graph(g));

    f("vecS directed", linked<boost::adjacency_list<vecS, vecS, directedS>>(g).graph);
    f("vecS bidirectional", linked<boost::adjacency_list<vecS, vecS, bidirectionalS>>(g).graph);
    f("setS of edges", linked<boost::adjacency_list<setS, vecS, directedS>>(g).graph);
    linked<boost::adjacency_list<listS, listS, bidirectionalS, numbered>> inside(g);
    for (std::size_t i = 0; i < g.size(); ++i) boost::put(boost::vertex_index, inside.graph, inside.at[i], i);
    f("listS, index inside", inside.graph);
    linked<boost::adjacency_list<vecS, setS, directedS>> const outside(g);
    std::map<void*, std::size_t> index;
    for (std::size_t i = 0; i < g.size(); ++i) index[outside.at[i]] = i;
    f("setS of vertices, index outside", with_index_map(outside.graph, boost::make_assoc_property_map(index)));
    f("compressed directed", compact<boost::compressed_sparse_row_graph<directedS>>(g));
    f("compressed bidirectional", compact<boost::compressed_sparse_row_graph<bidirectionalS>>(g));
    f("as_boost_graph", as_boost_graph(g));

    auto const both = csr_graph::copy_of(g);
    auto const once = reversed(both);
    f("reversed twice", reversed(once));
    f("induced by all", induced(g, vertex_set::full(g.size())));

    program ir{std::vector<instruction>(g.size())};
    for (std::size_t u = 0; u < g.size(); ++u) {
        ir.body[u].number = u;
        for (int const w : g[u]) ir.body[u].users.push_back(&ir.body[static_cast<std::size_t>(w)]);
    }
    f("an intermediate representation", ir);
}

}  // namespace

TEST_CASE("every algorithm gives the same answers through every adaptor", "[adaptors][property][long]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto g = support::any_dag(random, 6);
        for (auto& row : g) std::ranges::sort(row);  // in the order of a std::set
        question q{support::random_weights(random, g.size(), 0, 5), support::random_weights(random, g.size(), 0, 9), 0};
        q.budget = support::between(random, 0, 60);
        auto const expected = ask(g, q);
        for_each_adaptor(g, [&](std::string const& name, auto const& graph) {
            if (ask(graph, q) != expected) RC_FAIL("another answer through " + name);
        });
    }));
}
