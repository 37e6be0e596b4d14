// Covers graph/access.hpp, graph/topological_order.hpp, graph/training/make_training_graph.hpp,
// graph/training/training_graph.hpp, graph/unmet_requirement.hpp, graph/verify_graph.hpp.
#include <concepts>

#include <repebble/graph/access.hpp>
#include <repebble/graph/topological_order.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/graph/unmet_requirement.hpp>
#include <repebble/graph/verify_graph.hpp>

#include "support/archetypes.hpp"

using namespace repebble;
using support::fault;
using support::faulty_graph;

namespace {

struct stranger {};

/// What is said of traits that lack one thing; calls are refused where they can be tried, too.
template <class Graph, class Requirement>
constexpr bool refused_for =
    std::same_as<unmet_requirement<Graph>, Requirement> && std::same_as<unmet_requirement<Graph const&>, Requirement> &&
    !std::invocable<decltype(vertices), Graph const&> && !std::invocable<decltype(topological_order), Graph const&> &&
    !std::invocable<decltype(verify_graph), Graph const&> &&
    !std::invocable<decltype(make_training_graph), Graph const&> &&
    !std::invocable<decltype(make_training_problem), Graph const&>;

template <fault Fault, class Requirement>
constexpr bool faulty_for = refused_for<faulty_graph<Fault>, Requirement>;

static_assert(refused_for<stranger, unmet::no_graph_traits_for_this_type_specialise_it_or_include_its_adaptor_header>);
static_assert(faulty_for<fault::no_vertices, unmet::graph_traits_has_no_vertices_that_takes_a_graph>);
static_assert(faulty_for<fault::vertex_that_cannot_be_copied,
                         unmet::vertices_does_not_return_a_range_of_copyable_vertices>);
static_assert(faulty_for<fault::no_successors, unmet::graph_traits_has_no_successors_that_takes_a_graph_and_a_vertex>);
static_assert(faulty_for<fault::successors_of_another_type, unmet::successors_does_not_return_a_range_of_vertices>);
static_assert(faulty_for<fault::successors_that_are_no_range, unmet::successors_does_not_return_a_range_of_vertices>);
static_assert(faulty_for<fault::no_index, unmet::graph_traits_has_no_vertex_index_that_takes_a_graph_and_a_vertex>);
static_assert(faulty_for<fault::index_that_is_no_number, unmet::vertex_index_does_not_return_a_number>);

static_assert(std::same_as<unmet_requirement<support::least_graph>,
                           unmet::graph_traits_has_no_predecessors_which_bidirectional_would_derive>);
static_assert(std::same_as<unmet_requirement<support::rich_graph>, unmet::nothing>);

static_assert(std::invocable<decltype(vertices), support::least_graph const&>);
static_assert(!std::invocable<decltype(predecessors), support::least_graph const&, support::label>);
static_assert(std::invocable<decltype(predecessors), support::rich_graph const&, int>);
static_assert(std::invocable<decltype(make_training_problem), support::least_graph const&>);

/// Says itself why it is no graph.
struct shy {};

}  // namespace

template <>
struct repebble::graph_traits<shy> {
    struct unmet_requirement;
};

static_assert(std::same_as<unmet_requirement<shy>, graph_traits<shy>::unmet_requirement> && !computation_graph<shy>);
