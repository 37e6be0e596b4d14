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
#include "support/random_full_dataflow.hpp"

using namespace repebble;
using support::ints;

TEST_CASE("a mutation ends what its operation reads in the storage, under every name", "[dataflow]") {
    dataflow_builder<> builder;
    auto const source = builder.add_operation(1), view = builder.add_operation(0), last = builder.add_operation(1);
    auto const a = builder.add_value(source, 1), b = builder.add_value(source, 1), c = builder.add_value(source, 1);
    builder.add_read(view, b);
    auto const view_of_b = builder.add_view(view, std::vector{b});
    for (auto const value : {a, b, c, view_of_b}) builder.add_read(last, value);
    builder.add_value(last, 1);
    builder.add_value(last, 1);
    builder.add_mutation(last, 0, view_of_b);
    builder.add_mutation(last, 1, a);
    auto const flow = std::move(builder).build();
    CHECK(ints(flow.ended(last)) == ints(std::vector{b, view_of_b, a}));
    CHECK(ints(flow.ended(last, 0)) == ints(std::vector{b, view_of_b}));
    CHECK(ints(flow.ended(last, 1)) == ints(std::vector{a}));
    CHECK((flow.ended(source).empty() && flow.ended(view).empty()));
}

TEST_CASE("mutations end what a naive search finds", "[dataflow][property]") {
    std::size_t several = 0;
    CHECK(rc::check([&](std::uint64_t seed) {
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
