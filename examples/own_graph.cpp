// An intermediate representation that knows nothing of repebble, planned without touching or copying it: all that is
// written for it is one specialisation of graph_traits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/training/make_problem.hpp>
#include <repebble/graph/verify_graph.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

namespace ir {

struct tensor {
    std::int64_t bytes = 0;
    std::vector<std::size_t> readers{};  // positions in function::body
};
struct operation {
    std::string name{};
    int microseconds = 0;
    std::int64_t scratch = 0;  // bytes, while it runs
    std::vector<tensor> results{};
};
struct function {
    std::vector<operation> body{};
};

}  // namespace ir

template <>
struct repebble::graph_traits<ir::function> {
    using vertex = ir::operation const*;
    static auto vertices(ir::function const& f) { return f.body | std::views::transform([](auto& o) { return &o; }); }
    static auto successors(ir::function const& f, vertex v) {
        return v->results | std::views::transform(&ir::tensor::readers) | std::views::join |
               std::views::transform([&f](std::size_t reader) { return &f.body[reader]; });
    }
    static auto vertex_index(ir::function const& f, vertex v) { return static_cast<std::size_t>(v - f.body.data()); }
    static auto output_count(ir::function const&, vertex v) { return v->results.size(); }  // optional: else it is 1
    static auto outputs_read(ir::function const& f, vertex u, vertex v) {                  // optional: else all
        auto const read = [=, &f](auto j) { return std::ranges::count(u->results[j].readers, vertex_index(f, v)) > 0; };
        return std::views::iota(std::size_t{0}, output_count(f, u)) | std::views::filter(read);
    }
};

static_assert(repebble::computation_graph<ir::function>);

namespace {

using vertex = ir::operation const*;

/// Appends an operation that reads the first result of each of `inputs`; returns its position.
auto append(ir::function& f, ir::operation o, std::vector<std::size_t> const& inputs) -> std::size_t {
    for (auto const u : inputs) f.body[u].results.front().readers.push_back(f.body.size());
    f.body.push_back(std::move(o));
    return f.body.size() - 1;
}

/// Residual blocks. A dropout has two results: what it lets through, and the mask, which only its gradient reads.
auto residual_network(int blocks) -> ir::function {
    ir::function f;
    auto x = append(f, {"embed", 20, 0, {{4096}}}, {});
    for (int b = 0; b < blocks; ++b) {
        auto const expand = append(f, {"expand", 300, 1024, {{16384}}}, {x});
        auto const gelu = append(f, {"gelu", 20, 0, {{16384}}}, {expand});
        auto const contract = append(f, {"contract", 300, 1024, {{4096}}}, {gelu});
        auto const dropout = append(f, {"dropout", 10, 0, {{4096}, {1024}}}, {contract});
        x = append(f, {"add", 5, 0, {{4096}}}, {x, dropout});
    }
    append(f, {"loss", 5, 0, {{4}}}, {x});
    return f;
}

}  // namespace

int main() {
    auto const net = residual_network(4);
    repebble::weights const w{
        &ir::operation::microseconds,
        [](vertex v, std::uint32_t output) { return v->results[output].bytes; },
        &ir::operation::scratch,
    };
    if (auto const found = repebble::verify_graph(net, w); !found) throw repebble::bad_graph(found.message());

    // What gradients read: a dropout's its mask, an addition's nothing, the others' their inputs.
    repebble::gradient_dependencies const depends{
        [](vertex v) { return v->name != "dropout" && v->name != "add"; },
        [](vertex v, std::uint32_t output) { return v->name == "dropout" && output == 1; },
    };
    auto const step = repebble::make_training_problem(net, w, depends);
    auto const all = repebble::keep_all(step);
    repebble::bytes const budget = all.cost.peak * 3 / 4;
    auto const plan = repebble::lower_set_plan(step, budget);
    if (!plan) return 1;

    std::map<std::string, int> again;
    for (auto const& s : plan->schedule.steps)
        if (s.what == repebble::action::compute && s.repetition > 0) ++again[step(s.vertex).vertex->name];
    std::cout << "keep_all: " << all.cost.peak << " bytes; the plan: " << plan->cost.peak << " bytes, "
              << plan->cost.overhead << " us more than " << all.cost.time << " us\ncomputed again:";
    for (auto const& [name, count] : again) std::cout << ' ' << name << " x" << count;
    std::cout << '\n';
    return plan->cost.peak <= budget && plan->cost.recomputations > 0 ? 0 : 1;
}
