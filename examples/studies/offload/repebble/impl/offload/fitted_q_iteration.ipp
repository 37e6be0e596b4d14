#ifndef REPEBBLE_IMPL_OFFLOAD_FITTED_Q_ITERATION_IPP
#define REPEBBLE_IMPL_OFFLOAD_FITTED_Q_ITERATION_IPP

#include <repebble/offload/fitted_q_iteration.hpp>

#include <algorithm>
#include <cmath>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE void check_options(q_iteration_options const& o) {
    if (o.batch == 0 || o.memory == 0 || o.steps_per_update == 0)
        raise(bad_option("batch, memory and steps_per_update must be positive"));
    constexpr std::size_t most = 0xFFFF'FFFF;  // indices are drawn from 32 bits
    if (o.memory > most) raise(bad_option("the replay memory has " + std::to_string(o.memory) + " transitions"));
    check_option("learning_rate", o.learning_rate);
    check_option("discount", o.discount);
    if (o.discount > 1) raise(bad_option("discount must be at most 1, but is " + std::to_string(o.discount)));
    if (!(o.reward_unit > 0 && std::isfinite(o.reward_unit))) raise(bad_option("reward_unit must be positive"));
    check_option("worst_reward", o.worst_reward);
    if (!(o.largest_gradient > 0)) raise(bad_option("largest_gradient must be positive"));
    if (o.time_limit) check_option("time_limit", *o.time_limit);
    if (o.rule != descent::sgd && o.rule != descent::adam) raise(bad_option("there is no such rule of descent"));
}

REPEBBLE_INLINE auto descent_rule::step(std::span<float const> gradient) -> std::span<float const> {
    double square = 0;
    for (auto const g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
    auto const length = std::sqrt(square);
    auto const scale = length > o_.largest_gradient ? o_.largest_gradient / length : 1.0;
    change_.resize(gradient.size());
    mean_.resize(gradient.size());
    variance_.resize(gradient.size());
    constexpr double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
    power1_ *= beta1;
    power2_ *= beta2;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        auto const g = scale * static_cast<double>(gradient[k]);
        auto step = g;
        if (o_.rule == descent::adam) {
            mean_[k] = beta1 * mean_[k] + (1 - beta1) * g;
            variance_[k] = beta2 * variance_[k] + (1 - beta2) * g * g;
            step = mean_[k] / (1 - power1_) / (std::sqrt(variance_[k] / (1 - power2_)) + epsilon);
        }
        change_[k] = static_cast<float>(-o_.learning_rate * step);
    }
    return change_;
}

REPEBBLE_INLINE auto q_learner::take_loss() -> double {
    auto const mean = since_ == 0 ? 0.0 : loss_ / static_cast<double>(since_);
    loss_ = 0;
    since_ = 0;
    return mean;
}

REPEBBLE_INLINE void q_learner::remember(transition const& t, split_mix& random) {
    if (memory_.size() < o_.memory)
        memory_.push_back(t);
    else
        memory_[seen_ % o_.memory] = t;
    if (seen_++ % o_.steps_per_update == 0) update(random);
}

REPEBBLE_INLINE void q_learner::update(split_mix& random) {
    batch_.clear();
    for (std::size_t k = 0; k < o_.batch; ++k) {
        auto const& t = memory_[random.below(memory_.size())];
        auto target = std::max(static_cast<double>(t.reward) / unit_, -o_.worst_reward / o_.reward_unit);
        if (!t.terminal) {
            auto const values = network_.values(t.next);
            // No state is worth more than 0, or less than a dead end: without these bounds values feed on each
            // other.
            auto const worth = static_cast<double>(values[best_action(values)]);
            target += o_.discount * std::clamp(worth, -2 / o_.reward_unit, 0.0);
        }
        batch_.push_back({&t.state, t.action, target});
    }
    loss_ += static_cast<double>(network_.loss(batch_));
    network_.add(rule_.step(network_.gradient()));
    ++since_;
    ++updates_;
}

}  // namespace repebble::inline v0::detail

#endif
