// A network of one's own from the builders' operations, planned within 60 % of what it needs, with times of a slower
// machine than the default.
#include <cstdint>
#include <iostream>
#include <string>

#include <repebble/io/network_training.hpp>
#include <repebble/networks/layers.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

int main() {
    using namespace repebble;
    using namespace repebble::networks;

    // Images through eight convolutions with skips, as in a small residual network.
    model m("skips");
    auto x = add_images(m, {.batch = 32, .resolution = 64});
    x = conv_norm_relu(m, "stem", x, {.channels = 32, .window = {.kernel = 3, .padding = 1}});
    for (int block = 1; block <= 4; ++block) {
        auto const name = "block" + std::to_string(block);
        auto y = conv_norm_relu(m, name + ".1", x, {.channels = 32, .window = {.kernel = 3, .padding = 1}});
        y = conv_norm(m, name + ".2", y, {.channels = 32, .window = {.kernel = 3, .padding = 1}});
        x = m.append(name + ".relu", relu{}, {m.append(name + ".add", add{}, {y, x})});
    }
    add_loss(m, classifier(m, x, 10));

    auto const net = network_of(m, roofline{.flops_per_second = 10e12, .bytes_per_second = 0.5e12});
    auto const training = io::make_training_graph(net);
    auto const all = keep_all(training);
    auto const plan = lower_set_plan(training, all.cost.peak * 6 / 10);
    if (!plan) return 1;
    std::cout << m.operations().size() << " operations, " << m.trained_size() / 4 << " parameters\n"
              << "keep_all: " << all.cost.peak << " bytes, " << all.cost.time << " ns\n"
              << "the plan: " << plan->cost.peak << " bytes, " << plan->cost.time << " ns\n";
    return plan->cost.peak <= all.cost.peak * 6 / 10 && plan->cost.overhead > 0 ? 0 : 1;
}
