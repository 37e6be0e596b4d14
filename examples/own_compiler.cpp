// A compiler hands over its own graph: operations with several results, views, steps in place, dropout that must not
// run again, a control edge, parameters, gradients and results. From that IR to the steps to emit, with addresses.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <ranges>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

namespace ir {

using repebble::bytes;
using operand = repebble::output_ref<int>;  // an instruction and the number of its result

struct instruction {
    std::string name;
    std::vector<operand> operands{};  // in the order of the call; they may repeat
    std::vector<bytes> sizes{};       // of the results
    std::int64_t nanoseconds = 1000;
    std::vector<int> after{};           // instructions that run before, for their side effects
    bool is_parameter = false;          // in memory before the first step, and to the end
    bool runs_once = false;             // random, or with side effects
    bool is_view = false;               // its result is a part of its first operand
    bool is_elementwise = false;        // its result may take over the storage of an operand
    std::vector<std::uint32_t> kept{};  // results that the caller wants
};

struct module {
    std::vector<instruction> code;
    auto add(instruction i) -> int {
        code.push_back(std::move(i));
        return static_cast<int>(code.size() - 1);
    }
    [[nodiscard]] auto at(int i) const -> instruction const& { return code[static_cast<std::size_t>(i)]; }
};

/// Layers of matmul, gelu and dropout with their gradients; each layer's gradient is sent to the other machines.
auto trained_layers(int layers) -> module {
    constexpr bytes activation = 1 << 20, weight = 1 << 18, mask = 1 << 17;
    module m;
    std::vector<int> weights, products, activated, dropped;
    int input = m.add({.name = "load_batch", .sizes = {activation}, .runs_once = true});
    for (int layer = 0; layer < layers; ++layer) {
        weights.push_back(m.add({.name = "weight", .sizes = {weight}, .is_parameter = true}));
        auto const x = layer == 0 ? operand{input, 0} : operand{dropped.back(), 0};
        products.push_back(m.add(
            {.name = "matmul", .operands = {x, {weights.back(), 0}}, .sizes = {activation}, .nanoseconds = 9000}));
        activated.push_back(
            m.add({.name = "gelu", .operands = {{products.back(), 0}}, .sizes = {activation}, .is_elementwise = true}));
        dropped.push_back(m.add(
            {.name = "dropout", .operands = {{activated.back(), 0}}, .sizes = {activation, mask}, .runs_once = true}));
    }
    int const logits =
        m.add({.name = "last_row", .operands = {{dropped.back(), 0}}, .sizes = {0}, .is_view = true, .kept = {0}});
    int gradient =
        m.add({.name = "loss_gradient", .operands = {{logits, 0}, {dropped.back(), 0}}, .sizes = {activation}});
    int sent = -1;
    for (int layer = layers - 1; layer >= 0; --layer) {
        auto const at = static_cast<std::size_t>(layer);
        auto const x = layer == 0 ? operand{input, 0} : operand{dropped[at - 1], 0};
        gradient = m.add({.name = "dropout_gradient",
                          .operands = {{gradient, 0}, {dropped[at], 1}},
                          .sizes = {activation},
                          .is_elementwise = true});
        gradient = m.add({.name = "gelu_gradient",
                          .operands = {{gradient, 0}, {products[at], 0}},
                          .sizes = {activation},
                          .is_elementwise = true});
        int const of_weight = m.add({.name = "weight_gradient",
                                     .operands = {x, {gradient, 0}},
                                     .sizes = {weight},
                                     .nanoseconds = 9000,
                                     .kept = {0}});
        sent = m.add({.name = "all_reduce",
                      .operands = {{of_weight, 0}},
                      .after = sent < 0 ? std::vector<int>{} : std::vector{sent},
                      .runs_once = true});
        gradient = m.add({.name = "input_gradient",
                          .operands = {{gradient, 0}, {weights[at], 0}},
                          .sizes = {activation},
                          .nanoseconds = 9000});
    }
    return m;
}

}  // namespace ir

/// All that repebble wants to know of the IR.
template <>
struct repebble::graph_traits<ir::module> {
    static auto vertices(ir::module const& m) { return std::views::iota(0, static_cast<int>(m.code.size())); }
    static auto vertex_index(ir::module const&, int i) -> std::size_t { return static_cast<std::size_t>(i); }
    static auto successors(ir::module const& m, int i) {
        return vertices(m) | std::views::filter([&m, i](int reader) {
                   auto const& r = m.at(reader);
                   return std::ranges::find(r.operands, i, &ir::operand::vertex) != r.operands.end() ||
                          std::ranges::find(r.after, i) != r.after.end();
               });
    }
    static auto output_count(ir::module const& m, int i) -> std::size_t { return m.at(i).sizes.size(); }
    static auto operands(ir::module const& m, int i) -> std::vector<ir::operand> const& { return m.at(i).operands; }
    static auto views(ir::module const& m, int i, std::uint32_t) {
        return m.at(i).operands | std::views::take(m.at(i).is_view ? 1 : 0);
    }
    static auto is_input(ir::module const& m, int i) -> bool { return m.at(i).is_parameter; }
    static auto is_result(ir::module const& m, int i, std::uint32_t j) -> bool {
        return std::ranges::find(m.at(i).kept, j) != m.at(i).kept.end();
    }
    static auto may_overwrite(ir::module const& m, int i, std::uint32_t j, ir::operand) -> bool {
        return m.at(i).is_elementwise && j == 0;
    }
};

auto main() -> int {
    using namespace repebble;
    auto const module = ir::trained_layers(6);
    auto const costs = weights{[&](int i) { return module.at(i).nanoseconds; },                // time
                               [&](int i, std::uint32_t j) { return module.at(i).sizes[j]; },  // bytes
                               zero_weight{},                                                  // workspace
                               [&](int i) { return !module.at(i).runs_once; }};                // may run again
    auto const flow = make_dataflow(module, costs);
    bytes const everything = replay(flow, make_schedule(flow)).peak;
    bytes const budget = everything * 7 / 10;
    auto const found = plan(flow, budget);
    if (!found.plan) return 1;

    // Addresses: bind_schedule judges the schedule, and throws where two live buffers overlap.
    auto const& schedule = found.plan->schedule;
    auto const memory = make_arena(flow, schedule, {.alignment = 256});
    if (memory.size > budget) return 1;  // alignment may cost more than the planner knew
    auto const steps = bind_schedule(flow, schedule, memory);
    for (std::size_t i = 0; i < steps.step_count(); ++i) {
        auto const& step = steps[i];
        if (step.what != action::compute) continue;  // a discard is no code
        std::cout << module.at(static_cast<int>(step.operation)).name << '(';
        for (auto const& operand : step.operands) std::cout << " @" << operand.where.offset;
        std::cout << " ) ->";
        for (auto const& result : step.writes) std::cout << " @" << result.where.offset;
        std::cout << (step.in_place ? " in place\n" : step.repetition > 0 ? " again\n" : "\n");
    }
    std::cout << "peak " << found.plan->cost.peak << " of " << everything << " bytes, arena " << memory.size
              << ", overhead " << found.plan->cost.overhead << " ns, at least " << found.lower_bound << "; "
              << steps.results().size() << " results stay\n";
    return found.plan->cost.peak <= budget && steps.results().size() == 6 + 6 + 1 ? 0 : 1;
}
