// Covers traces/stochastic_depth.hpp, traces/trace_of.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/residual_branches.hpp>
#include <repebble/traces/greedy_swaps.hpp>
#include <repebble/traces/stochastic_depth.hpp>
#include <repebble/traces/swap_baselines.hpp>
#include <repebble/traces/trace_of.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

/// A network by name, planned whole, whose blocks can be dropped.
class droppable_network {
  public:
    droppable_network(std::string const& name, convention how)
        : model_(networks::by_name(name, {.batch = 1, .resolution = 64})),
          branches_(networks::residual_branches(model_)),
          training_(io::make_training_graph(networks::network_of(model_), how)),
          schedule_(keep_all(training_).schedule),
          problem_(trace_of(training_.flow, schedule_)),
          operations_(traced_operations(training_.flow, schedule_)) {}

    [[nodiscard]] auto block_count() const -> std::size_t { return branches_.size(); }
    [[nodiscard]] auto problem() const -> swap_problem const& { return problem_; }
    /// Of every computation: whether it is one of a block that is dropped, forward or backward.
    [[nodiscard]] auto dropped(std::vector<bool> const& blocks) const -> std::vector<bool> {
        std::vector<bool> vertices(model_.operations().size(), false), all;
        for (std::size_t b = 0; b < blocks.size(); ++b)
            for (auto const v : branches_[b]) vertices[v] = blocks[b];
        for (auto const v : operations_) all.push_back(vertices[training_.origin[v].vertex]);
        return all;
    }

  private:
    networks::model model_;
    std::vector<std::vector<std::uint32_t>> branches_;
    training_graph training_;
    schedule<> schedule_;
    swap_problem problem_;
    std::vector<operation_index> operations_;
};

/// Whether computations read only what was written before, or is there from the beginning.
auto reads_what_is_written(trace const& t) -> bool {
    auto is_written = repebble::detail::present_at_begin(t);
    return std::ranges::all_of(t.rows, [&](trace_row const& row) {
        if (row.what == trace_action::malloc) is_written[row.variable] = false;
        if (row.what == trace_action::write) is_written[row.variable] = true;
        return row.what != trace_action::read || is_written[row.variable];
    });
}

void check_subset(droppable_network const& net, swap_plan const& plan, swap_options const& options,
                  std::vector<bool> const& blocks) {
    auto const& p = net.problem();
    auto const is_dropped = net.dropped(blocks);
    auto const r = without_computations(p, plan, is_dropped, options);
    CHECK_NOTHROW(check_trace(r.trace));
    CHECK(reads_what_is_written(r.trace));
    CHECK(r.trace.computations.size() + static_cast<std::size_t>(std::ranges::count(is_dropped, true)) ==
          p.iteration().computations.size());
    CHECK(r.result.feasible);
    CHECK(r.result.peak <= options.limit);
    CHECK((r.trace == p.iteration()) == std::ranges::none_of(blocks, [](bool b) { return b; }));
}

}  // namespace

TEST_CASE("the branches of networks by name are the layers of their blocks", "[stochastic_depth][networks]") {
    for (auto const& [name, blocks, layers] : {std::tuple{"resnet18", 8, 8 * 5},
                                               {"resnet50", 16, 16 * 8},
                                               {"resnet56", 18, 18 * 9 - 3 * 2},  // the first of a stage share two
                                               {"vgg19", 0, 0}}) {
        CAPTURE(name);
        auto const model = networks::by_name(name);
        auto const branches = networks::residual_branches(model);
        std::size_t sum = 0;
        for (auto const& branch : branches) {
            sum += branch.size();
            auto const block = [&](std::uint32_t v) { return model.operations()[v].name.substr(0, 8); };
            for (auto const v : branch) CHECK(block(v) == block(branch.front()));
        }
        CHECK(branches.size() == static_cast<std::size_t>(blocks));
        CHECK(sum == static_cast<std::size_t>(layers));
    }
}

TEST_CASE("point 29: ResNet-18 fits under each of its 256 subsets of dropped blocks",
          "[stochastic_depth][networks][long]") {
    for (auto const how : {convention::value_grad, convention::executable}) {
        droppable_network const net("resnet18", how);
        auto const& p = net.problem();
        REQUIRE(net.block_count() == 8);
        swap_options const options{.limit = p.peak() * 7 / 10,
                                   .link = {.size = p.peak(), .time = p.iteration().duration}};
        auto const full = greedy_swaps(p, options);
        REQUIRE(full.result.feasible);
        for (unsigned subset = 0; subset < 256; ++subset) {
            std::vector<bool> blocks;
            for (unsigned b = 0; b < 8; ++b) blocks.push_back((subset >> b & 1U) != 0);
            check_subset(net, full.plan, options, blocks);
        }
    }
}

TEST_CASE("point 29: ResNet-50 fits under random subsets of dropped blocks", "[stochastic_depth][networks][long]") {
    droppable_network const net("resnet50", convention::value_grad);
    auto const& p = net.problem();
    repebble::detail::split_mix random(1);
    swap_options const options{.limit = p.peak() * 4 / 5,
                               .link = {.size = p.peak(), .time = 2 * p.iteration().duration}};
    auto const greedy = greedy_swaps(p, options);
    auto const lru = superneurons_swaps(p, options, superneurons_mode::swapping);
    for (auto const* full : {&greedy, &lru}) {
        REQUIRE(full->result.feasible);
        for (auto k = 0; k < 20; ++k) {
            std::vector<bool> blocks;
            for (std::size_t b = 0; b < net.block_count(); ++b) blocks.push_back(random.chance(0.5));
            check_subset(net, full->plan, options, blocks);
        }
    }
}
