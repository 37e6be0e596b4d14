// Runs a plan on numbers: a chain of twelve operations, y = 3x + v, and a sum at the end, in the memory that the plan
// promised.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <utility>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/execute/guarded_memory.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/make_schedule.hpp>

namespace {

constexpr repebble::operation_index chain = 12;

/// All that an executor needs: memory, and somebody who computes.
struct arithmetic {
    static auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment) {
        return repebble::guarded_memory(size, alignment);
    }
    static void compute(std::size_t, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        std::int64_t y = s.operation;
        for (auto const& operand : s.operands) {
            std::int64_t x = 0;
            std::memcpy(&x, memory.at(operand.where), sizeof x);
            y += (s.operation < chain ? 3 : 1) * x;
        }
        std::memcpy(memory.at(s.writes.front().where), &y, sizeof y);
    }
};

struct outcome {
    std::int64_t sum = 0;
    repebble::bytes memory = 0;
};

auto execute(repebble::dataflow const& flow, repebble::schedule<> const& plan) -> outcome {
    auto const bound = repebble::bind_schedule(flow, plan, {.alignment = 8});
    arithmetic backend;
    repebble::executor run(bound, backend);
    run.run();
    outcome found{.memory = bound.size(repebble::pool::device)};
    for (std::size_t i = 0; i < bound.step_count(); ++i)
        if (auto const s = bound[i]; s.what == repebble::action::compute && s.operation == chain)
            std::memcpy(&found.sum, run.memory().at(s.writes.front().where), sizeof found.sum);
    return found;
}

}  // namespace

int main() {
    // Operation v reads the value of v - 1; the last one adds up the first, the middle and the end of the chain.
    repebble::dataflow_builder builder;
    for (repebble::operation_index v = 0; v <= chain; ++v) builder.add_operation(1);
    for (repebble::operation_index v = 0; v < chain; ++v) {
        auto const y = builder.add_value(v, 8);
        if (v + 1 < chain) builder.add_read(v + 1, y);
        if (v == 0 || v == chain / 2 || v == chain - 1) builder.add_read(chain, y);
    }
    builder.add_value(chain, 8);
    auto const flow = std::move(builder).build();

    repebble::schedule_builder keep(flow);
    for (repebble::operation_index v = 0; v <= chain; ++v) keep.compute(v);
    auto const kept = execute(flow, std::move(keep).finish());

    // Every value goes after its last use; those of 0 and 6 are computed again for the sum.
    std::vector<repebble::operation_index> const order{0,  1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                                       11, 0, 1, 2, 3, 4, 5, 6, 0, 12};
    auto const planned = execute(flow, repebble::make_schedule(flow, order, std::vector{flow.writes(chain).front()}));
    std::cout << "kept: " << kept.sum << " in " << kept.memory << " bytes; planned: " << planned.sum << " in "
              << planned.memory << " bytes\n";
    return kept.sum == planned.sum && planned.memory < kept.memory ? 0 : 1;
}
