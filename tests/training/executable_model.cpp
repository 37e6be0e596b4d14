// Covers training/executable_model.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <repebble/execute/bind_schedule.hpp>
#include <repebble/networks/lstm.hpp>
#include <repebble/networks/model.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>
#include <repebble/recompute/sqrt_segments.hpp>
#include <repebble/training/executable_model.hpp>

#include "support/catch.hpp"

using namespace repebble;
using namespace repebble::networks;
using training::executable_model;
using training::with_ordered_users;

namespace {

/// Three products with one weight matrix: the first feeds the second, the third stands beside them.
auto three_users() -> model {
    model m("three");
    auto const rows = m.add_input("rows", {{2, 4}});
    auto const first = m.append("first", linear{4, false}, {rows});
    auto const weight = m.operations()[first.index].parameters;
    auto const second = m.append("second", linear{4, false}, {first}, weight);
    auto const third = m.append("third", linear{4, false}, {rows}, weight);
    static_cast<void>(m.append("sum", add{}, {second, third}));
    return m;
}

/// The backward runs of the operations that have the parameter, in the order of a schedule.
auto backward_users(executable_model const& m, schedule<> const& plan, std::uint32_t parameter)
    -> std::vector<std::string> {
    std::vector<std::string> users;
    for (auto const& s : plan.steps) {
        if (s.what != action::compute || s.repetition > 0 || m.origin(s.vertex).pass != pass::backward) continue;
        auto const name = m.network().node(m.origin(s.vertex).vertex).name;
        auto const op = std::ranges::find(m.model().operations(), name, &operation::name);
        if (op == m.model().operations().end()) continue;
        if (std::ranges::count(op->parameters, parameter) > 0) users.push_back(name);
    }
    return users;
}

}  // namespace

TEST_CASE("users of one parameter without a path between them get an order", "[training]") {
    auto const m = three_users();
    auto const graph = with_ordered_users(m, network_of(m));
    REQUIRE(graph.network.nodes().size() == 5);
    CHECK(graph.operation_of == std::vector<std::optional<std::uint32_t>>{0, 1, std::nullopt, 2, 3});
    CHECK(graph.node_of == std::vector<std::uint32_t>{0, 1, 3, 4});
    auto const& order = graph.network.node(2);
    CHECK(order.memory == 0);
    CHECK(order.time == 0);
    CHECK(!order.recomputable);
    CHECK(graph.network.node(1).outputs_memory == std::vector<bytes>{32, 0});
}

TEST_CASE("a model in which nothing is shared stays as it is", "[training]") {
    model m("plain");
    auto const rows = m.add_input("rows", {{2, 4}});
    static_cast<void>(m.append("one", linear{4}, {m.append("two", linear{4}, {rows})}));
    auto const net = network_of(m);
    CHECK(with_ordered_users(m, net).network == net);
}

TEST_CASE("gradients of a shared parameter are added in one order, whatever the plan", "[training][long]") {
    executable_model const m(lstm({.batch = 2, .length = 6, .layers = 2, .features = 8, .vocabulary = 11}));
    auto const& training = m.training();
    auto const expected = keep_all(training);
    std::vector<schedule<>> plans{sqrt_segments(training).schedule, forget_all(training).schedule};
    for (int percent = 40; percent <= 95; percent += 5)
        if (auto const plan =
                lower_set_plan(training, expected.cost.peak * percent / 100, {.sets = lower_set_choice::pruned}))
            plans.push_back(plan->schedule);
    REQUIRE(plans.size() > 5);
    for (std::uint32_t p = 0; p < m.model().parameters().size(); ++p) {
        auto const order = backward_users(m, expected.schedule, p);
        REQUIRE(!order.empty());
        for (auto const& plan : plans) CHECK(backward_users(m, plan, p) == order);
    }
}

TEST_CASE("calls name the tensors that a step touches", "[training]") {
    executable_model const m(three_users());
    auto const plan = keep_all(m.training());
    auto const bound = bind_schedule(m.training().flow, plan.schedule, {.alignment = 64});
    std::vector<std::byte> device(static_cast<std::size_t>(bound.size(pool::device)));
    std::byte input{}, weight{}, gradient{};
    training::resident_memory const resident{{&input}, {&weight}, {&gradient}};
    pool_memory const memory{device.data(), nullptr};
    std::byte* first = nullptr;
    bool saw_backward = false;
    for (std::size_t i = 0; i < bound.step_count(); ++i) {
        auto const s = bound[i];
        if (s.what != action::compute || m.only_keeps_order(s.operation)) continue;
        auto const name = m.name(s.operation);
        if (name == "first") {
            auto const call = m.forward(s, memory, resident);
            CHECK(call.inputs.front().storage == &input);
            CHECK(call.parameters == std::vector<std::byte*>{&weight});
            first = call.outputs.front().storage;
        } else if (name == "second") {
            CHECK(m.forward(s, memory, resident).inputs.front().storage == first);
        } else if (name == "second backward") {
            auto const call = m.backward(s, memory, resident);
            saw_backward = true;
            CHECK(call.inputs.front().storage == first);
            CHECK(!call.outputs.front().is_there());  // a product needs its input only
            CHECK(call.output_gradients.front().is_there());
            CHECK(call.input_gradients.front().where.is_there());
            CHECK(!call.input_gradients.front().add);
            CHECK(call.clear.empty());
            CHECK(call.parameter_gradients == std::vector<std::byte*>{&gradient});
        } else if (name == "first backward") {
            CHECK(!m.backward(s, memory, resident).input_gradients.front().where.is_there());  // an input of the model
        }
    }
    CHECK(saw_backward);
}
