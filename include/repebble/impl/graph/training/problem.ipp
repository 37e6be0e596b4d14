#ifndef REPEBBLE_IMPL_GRAPH_TRAINING_PROBLEM_IPP
#define REPEBBLE_IMPL_GRAPH_TRAINING_PROBLEM_IPP

#include <repebble/graph/training/problem.hpp>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto training_of(problem const& p) -> training_graph const& {
    if (p.training() == nullptr)
        detail::raise(
            bad_graph("the problem has no gradients: make it by make_training_problem, or of a training graph"));
    return *p.training();
}

}  // namespace repebble::inline v0::detail

#endif
