// Covers graph/dataflow/dataflow.hpp, graph/dataflow/dataflow_builder.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

#include "support/catch.hpp"
#include "support/ints.hpp"
#include "support/property.hpp"
#include "support/random_full_dataflow.hpp"

using namespace repebble;
using support::ints;

namespace {

/// Operation 0 writes 0, 1 and 2, operation 1 the view 3 of 1; operation 2 overwrites 0, and 1 by way of the view.
auto two_mutations() -> dataflow {
    dataflow_builder builder;
    for (int const time : {1, 0, 1}) builder.add_operation(time);
    for (int k = 0; k < 3; ++k) builder.add_value(0, 1);
    builder.add_read(1, 1);
    builder.add_view(1, std::vector<value_index>{1});
    for (value_index value = 0; value < 4; ++value) builder.add_read(2, value);
    builder.add_value(2, 1);
    builder.add_value(2, 1);
    builder.add_mutation(2, 0, 3);
    builder.add_mutation(2, 1, 0);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("a mutation ends what its operation reads in the storage, under every name", "[dataflow]") {
    auto const flow = two_mutations();
    CHECK(ints(flow.ended(2)) == std::vector{1, 3, 0});
    CHECK(ints(flow.ended(2, 0)) == std::vector{1, 3});
    CHECK(ints(flow.ended(2, 1)) == std::vector{0});
    CHECK((flow.ended(0).empty() && flow.ended(1).empty()));
}

TEST_CASE("mutations end what a naive search finds", "[dataflow][property]") {
    std::size_t several = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_full_dataflow(random, {.mutation_percent = 70});
            for (operation_index v = 0; v < flow.operation_count(); ++v) {
                auto const mutations = flow.mutations(v);
                std::vector<value_index> all;
                for (std::size_t k = 0; k < mutations.size(); ++k) {
                    std::vector<value_index> expected;
                    for (auto const value : flow.reads(v))
                        if (std::ranges::equal(flow.owners(value), flow.owners(mutations[k].over)))
                            expected.push_back(value);
                    RC_ASSERT(std::ranges::equal(flow.ended(v, k), expected));
                    all.insert(all.end(), expected.begin(), expected.end());
                }
                RC_ASSERT(std::ranges::equal(flow.ended(v), all));
                several += mutations.size() > 1 ? 1U : 0U;
            }
        }
    }));
    CHECK(several > 25);
}
