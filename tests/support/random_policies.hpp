#ifndef REPEBBLE_TESTS_SUPPORT_RANDOM_POLICIES_HPP
#define REPEBBLE_TESTS_SUPPORT_RANDOM_POLICIES_HPP

#include <cstddef>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/training/value_policies.hpp>

#include "support/generators.hpp"

namespace support {

/// Random policies for a dataflow, with a backward pass: the later operations, and what depends on them. Some cannot be
/// kept.
[[nodiscard]] inline auto random_policies(split_mix& random, repebble::dataflow const& flow)
    -> repebble::value_policies {
    repebble::value_policies policies;
    std::vector<bool> backward(flow.operation_count(), false);
    auto const forward_percent = 20 + below(random, 60);
    std::size_t before = 0;
    for (auto const v : flow.order()) {
        bool is = before++ * 100 >= forward_percent * flow.operation_count() && chance(random, 80);
        for (auto const u : flow.graph().predecessors(v)) is = is || backward[u];
        backward[v] = is && !flow.is_input(v);
        if (backward[v]) policies.backward.push_back(v);
    }
    auto const kept_percent = below(random, 30), recomputed_percent = below(random, 60);
    for (repebble::value_index x = 0; x < flow.value_count(); ++x) {
        auto const of = flow.as_output(x);
        if (chance(random, kept_percent))
            policies.must_keep.push_back(of);
        else if (!backward[of.vertex] && !flow.is_input(of.vertex) && chance(random, recomputed_percent))
            policies.must_recompute.push_back(of);
    }
    return policies;
}

}  // namespace support

#endif
