#ifndef REPEBBLE_OFFLOAD_Q_NETWORK_HPP
#define REPEBBLE_OFFLOAD_Q_NETWORK_HPP

// The deep Q-network of Chen, equations (1) to (3), and the gradient of its loss (4), over Eigen. With A the matrix of
// neighbours, a node being one of its own, and lags e,
//   S¹ = ReLU(W1 X + d eᵀ),   Sᵗ⁺¹ = ReLU(W1 X + W2 Sᵗ A + d eᵀ),   d = W3 ReLU(W4),
//   Q(a) = W7 ReLU([W5 Σ S^T / n, W6 s_c, W8 s_a]).
// The sum over all nodes is divided by their number, so that it means the same on a large trace as on a small one; W5
// can undo the factor. Between states of one environment only the validity of actions differs. So S¹ and W2 S¹ have two
// columns a node, which are computed once for all states, as is the second round without valid actions; a state pays
// for its own actions in the second round, and in full from the third round on. The backward pass is the same in
// reverse.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <repebble/graph/error.hpp>
#include <repebble/offload/planning_environment.hpp>
#include <repebble/offload/q_graph.hpp>
#include <repebble/offload/q_weights.hpp>

namespace repebble::inline v0 {

/// A term of the loss (4): the value that an action should have in a state.
struct q_sample {
    q_state const* state = nullptr;  ///< of the network's graph
    std::uint32_t action = 0;        ///< a node, valid in the state
    double target = 0;               ///< y of equation (5), a constant
};

/// A deep Q-network on a graph. It refers to the graph, which must outlive it.
///   Scalar   float, or double where gradients are compared with differences
template <class Scalar = float>
class q_network {
    using vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
    using matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  public:
    /// O(nodes · p).  Throws as `check_q_weights` does.
    q_network(q_graph const& g, q_weights const& weights) : g_(&g) {
        auto const n = static_cast<Eigen::Index>(g.size());
        set(weights);
        x_.resize(node_feature::valid, n);
        lag_.resize(n);
        for (std::size_t v = 0; v < g.size(); ++v) {
            lag_[static_cast<Eigen::Index>(v)] = static_cast<Scalar>(g.lag[v]);
            for (std::size_t k = 0; k < node_feature::valid; ++k)
                x_(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(v)) = static_cast<Scalar>(g.features[v][k]);
        }
        sums_.resize(p(), static_cast<Eigen::Index>(g.groups.size()));
        for (auto* all : {&total_, &second_total_, &valid_total_}) all->resize(p(), n);
        later_.resize(shape_.rounds);
    }

    /// The shape, the same as long as the network lives.
    [[nodiscard]] auto shape() const noexcept -> q_shape const& { return shape_; }
    /// The weights.  O(weights).
    [[nodiscard]] auto weights() const -> q_weights {
        q_weights all{.shape = shape_, .values = {}};
        for (auto const w : w_) all.values.push_back(static_cast<double>(w));
        return all;
    }
    /// Takes other weights.  O(weights).  Throws as the constructor does.
    void set(q_weights const& weights) {
        check_q_weights(weights);
        shape_ = weights.shape;
        at_ = q_matrices(shape_);
        later_.resize(shape_.rounds);
        w_.resize(static_cast<Eigen::Index>(weights.values.size()));
        gradient_.setZero(w_.size());
        for (std::size_t k = 0; k < weights.values.size(); ++k)
            w_[static_cast<Eigen::Index>(k)] = static_cast<Scalar>(weights.values[k]);
        known_ = false;
    }
    /// Adds a number to each weight.  O(weights).  Requires: as many numbers as weights.
    void add(std::span<Scalar const> change) {
        REPEBBLE_ASSERT(change.size() == static_cast<std::size_t>(w_.size()));
        w_ += Eigen::Map<vector const>(change.data(), w_.size());
        known_ = false;
    }

    /// Equation (3): the values of a state's actions, in their order.  O(nodes · p² · rounds).
    [[nodiscard]] auto values(q_state const& s) -> std::vector<Scalar> {
        forward(s);
        auto const& last = last_states(s);
        auto const k = static_cast<Eigen::Index>(s.actions.size());
        chosen_.resize(p(), k);
        for (Eigen::Index j = 0; j < k; ++j) chosen_.col(j) = last.col(node(s.actions[static_cast<std::size_t>(j)]));
        graph_state(s);
        std::vector<Scalar> found(s.actions.size());
        Eigen::Map<Eigen::Matrix<Scalar, 1, Eigen::Dynamic>> all(found.data(), k);
        after_.noalias() = of(w8) * chosen_;
        after_ = after_.cwiseMax(Scalar{0});
        if (shape_.form == q_form::separable) {
            all.noalias() = of(w7).rightCols(p()) * after_;
            all.array() += (of(w7).leftCols(2 * p()) * hidden_.head(2 * p())).value();
        } else {
            mixed_all_.noalias() = of(w9).rightCols(p()) * after_;
            mixed_all_.colwise() += of(w9).leftCols(2 * p()) * hidden_.head(2 * p());
            all.noalias() = of(w7) * mixed_all_.cwiseMax(Scalar{0});
        }
        return found;
    }

    /// The mean over the samples of equation (4), and its gradient, which `gradient()` has until the next call.
    /// O(samples · nodes · p² · rounds).  Requires: at least one sample; actions that are nodes.
    auto loss(std::span<q_sample const> samples) -> Scalar {
        REPEBBLE_ASSERT(!samples.empty());
        tables();
        gradient_.setZero();
        total_.setZero();
        second_total_.setZero();
        valid_total_.setZero();
        valid_gradient_ = vector::Zero(p());
        Scalar sum = 0;
        auto const share = Scalar{1} / static_cast<Scalar>(samples.size());
        for (auto const& sample : samples) {
            auto const error = backward(sample, share);
            sum += share * error * error;
        }
        finish();
        return sum;
    }
    /// The gradient of the last loss, a number for each weight.
    [[nodiscard]] auto gradient() const noexcept -> std::span<Scalar const> {
        return {gradient_.data(), static_cast<std::size_t>(gradient_.size())};
    }

  private:
    enum : std::size_t { w1, w2, w3, w4, w5, w6, w7, w8, w9 };

    [[nodiscard]] static auto node(std::size_t v) -> Eigen::Index { return static_cast<Eigen::Index>(v); }
    [[nodiscard]] auto p() const -> Eigen::Index { return static_cast<Eigen::Index>(shape_.width); }
    template <class Matrix>
    [[nodiscard]] auto view(auto* first, std::size_t k) const {
        return Eigen::Map<Matrix>(first + at_[k].offset, static_cast<Eigen::Index>(at_[k].rows),
                                  static_cast<Eigen::Index>(at_[k].columns));
    }
    [[nodiscard]] auto of(std::size_t k) const { return view<matrix const>(w_.data(), k); }
    [[nodiscard]] auto gradient_of(std::size_t k) { return view<matrix>(gradient_.data(), k); }

    /// Turns the gradient by results of ReLU into that by its arguments: it passes where the result is positive. One is
    /// the least of 1 and a positive number times the largest number; comparisons would not be vectorised.
    static void through_rectifier(auto const& result, auto&& gradient) {
        gradient.array() *= (result.array() * std::numeric_limits<Scalar>::max()).min(Scalar{1});
    }
    /// out = in A.
    void aggregate(matrix const& in, matrix& out) {
        auto const n = g_->size();
        out.resize(p(), node(n));
        sums_.setZero();
        for (std::size_t v = 0; v < n; ++v) sums_.col(node(g_->group[v])) += in.col(node(v));
        for (std::size_t v = 0; v < n; ++v) {
            auto here = out.col(node(v));
            here = sums_.col(node(g_->group[v]));
            if (g_->joins(v)) here += in.col(node(v) - 1);
            if (g_->joins(v + 1)) here += in.col(node(v) + 1);
        }
    }
    /// Calls f(u) for each neighbour u of a node, itself included.
    template <class F>
    void for_each_neighbour(std::uint32_t v, F&& f) const {
        for (auto const u : g_->groups[g_->group[v]]) f(node(u));
        if (g_->joins(v)) f(node(v) - 1);
        if (g_->joins(std::size_t{v} + 1)) f(node(v) + 1);
    }

    /// All that the weights say without a state.
    void tables() {
        if (known_) return;
        known_ = true;
        seen_ = of(w4).cwiseMax(Scalar{0});
        valid_ = of(w1).rightCols(1);
        base_.noalias() = of(w1).leftCols(node_feature::valid) * x_;
        base_.noalias() += (of(w3) * seen_) * lag_.transpose();
        first_[0] = base_.cwiseMax(Scalar{0});
        first_[1] = (base_.colwise() + valid_).cwiseMax(Scalar{0});
        if (shape_.rounds == 1) return;
        difference_.noalias() = of(w2) * first_[0];
        aggregate(difference_, second_base_);
        second_base_ += base_;
        difference_.noalias() = of(w2) * (first_[1] - first_[0]);
    }

    /// S² … S^T of a state; where T = 1, S¹.
    void forward(q_state const& s) {
        tables();
        auto const rectify = [&](matrix& all) {
            for (auto const v : s.actions) all.col(node(v)) += valid_;
            all = all.cwiseMax(Scalar{0});
        };
        if (shape_.rounds == 1) {
            later_[0] = base_;
            return rectify(later_[0]);
        }
        later_[1] = second_base_;
        for (auto const v : s.actions)
            for_each_neighbour(v, [&](Eigen::Index u) { later_[1].col(u) += difference_.col(node(v)); });
        rectify(later_[1]);
        for (std::size_t t = 2; t < shape_.rounds; ++t) {
            aggregate(later_[t - 1], spread_);
            later_[t].noalias() = of(w2) * spread_;
            later_[t] += base_;
            rectify(later_[t]);
        }
    }
    [[nodiscard]] auto last_states(q_state const&) const -> matrix const& { return later_[shape_.rounds - 1]; }

    /// Equation (2), and the first two parts of the hidden layer.
    void graph_state(q_state const& s) {
        auto const& last = last_states(s);
        mean_ = last.rowwise().sum() / static_cast<Scalar>(g_->size());
        hidden_.resize(3 * p());
        hidden_.head(p()).noalias() = of(w5) * mean_;
        hidden_.segment(p(), p()).noalias() = of(w6) * last.col(node(s.current));
        hidden_.head(2 * p()) = hidden_.head(2 * p()).cwiseMax(Scalar{0});
    }

    /// Adds the gradient of a sample's share of the loss; returns Q - y.
    auto backward(q_sample const& sample, Scalar share) -> Scalar {
        auto const& s = *sample.state;
        forward(s);
        graph_state(s);
        auto const& last = last_states(s);
        hidden_.tail(p()).noalias() = of(w8) * last.col(node(sample.action));
        hidden_.tail(p()) = hidden_.tail(p()).cwiseMax(Scalar{0});
        auto const joint = shape_.form == q_form::joint;
        if (joint) {
            mixed_.noalias() = of(w9) * hidden_;
            mixed_ = mixed_.cwiseMax(Scalar{0});
        }
        auto const& into_value = joint ? mixed_ : hidden_;
        auto const error = (of(w7) * into_value).value() - static_cast<Scalar>(sample.target);

        auto const by_value = 2 * share * error;
        gradient_of(w7).noalias() += by_value * into_value.transpose();
        by_hidden_.noalias() = by_value * of(w7).transpose();
        through_rectifier(into_value, by_hidden_);
        if (joint) {
            gradient_of(w9).noalias() += by_hidden_ * hidden_.transpose();
            by_hidden_ = of(w9).transpose() * by_hidden_;
            through_rectifier(hidden_, by_hidden_);
        }
        vector const by5 = by_hidden_.head(p()), by6 = by_hidden_.segment(p(), p()), by8 = by_hidden_.tail(p());
        gradient_of(w5).noalias() += by5 * mean_.transpose();
        gradient_of(w6).noalias() += by6 * last.col(node(s.current)).transpose();
        gradient_of(w8).noalias() += by8 * last.col(node(sample.action)).transpose();
        vector const by_mean = of(w5).transpose() * by5 / static_cast<Scalar>(g_->size());
        by_states_.resize(p(), last.cols());
        by_states_.colwise() = by_mean;
        by_states_.col(node(s.current)).noalias() += of(w6).transpose() * by6;
        by_states_.col(node(sample.action)).noalias() += of(w8).transpose() * by8;

        // From the last round down to the second; of the first and the second round only sums over samples are needed.
        for (auto t = shape_.rounds;; --t) {
            through_rectifier(later_[t - 1], by_states_);
            total_ += by_states_;
            for (auto const v : s.actions) valid_gradient_ += by_states_.col(node(v));
            if (t <= 2) break;
            aggregate(by_states_, spread_);
            gradient_of(w2).noalias() += spread_ * later_[t - 2].transpose();
            by_states_.noalias() = of(w2).transpose() * spread_;
        }
        if (shape_.rounds > 1) {
            second_total_ += by_states_;
            for (auto const v : s.actions) {
                auto to = valid_total_.col(node(v));
                for_each_neighbour(v, [&](Eigen::Index u) { to += by_states_.col(u); });
            }
        }
        return error;
    }

    /// The part of the gradient that sums over samples are enough for.
    void finish() {
        if (shape_.rounds > 1) {
            aggregate(second_total_, spread_);
            spread_ -= valid_total_;
            for (std::size_t k : {0U, 1U}) {
                auto const& by_spread = k == 0 ? spread_ : valid_total_;
                gradient_of(w2).noalias() += by_spread * first_[k].transpose();
                by_states_.noalias() = of(w2).transpose() * by_spread;
                through_rectifier(first_[k], by_states_);
                total_ += by_states_;
                if (k == 1) valid_gradient_ += by_states_.rowwise().sum();
            }
        }
        gradient_of(w1).leftCols(node_feature::valid).noalias() = total_ * x_.transpose();
        gradient_of(w1).rightCols(1) = valid_gradient_;
        vector const by_lag = total_ * lag_;
        gradient_of(w3).noalias() = by_lag * seen_.transpose();
        gradient_of(w4).noalias() = of(w3).transpose() * by_lag;
        through_rectifier(seen_, gradient_of(w4));
    }

    q_graph const* g_;
    q_shape shape_{};
    std::array<q_matrix, 9> at_{};
    vector w_, gradient_;
    Eigen::Matrix<Scalar, node_feature::valid, Eigen::Dynamic> x_;
    vector lag_;

    bool known_ = false;               // whether the tables fit the weights
    vector seen_, valid_;              // ReLU(W4); the vector of W1 for valid actions
    matrix base_;                      // W1 X + d eᵀ without valid actions
    std::array<matrix, 2> first_;      // S¹ of invalid and of valid actions
    matrix second_base_, difference_;  // the second round without valid actions; W2 times the difference of both S¹

    std::vector<matrix> later_;  // [t - 1]: Sᵗ of the last state
    matrix sums_, spread_, chosen_, after_;
    vector mean_;
    vector hidden_, mixed_, by_hidden_;
    matrix mixed_all_;

    matrix by_states_, total_;           // gradients by Sᵗ; summed by W1 X
    matrix second_total_, valid_total_;  // summed over samples: by the second round; by S¹ A of valid actions
    vector valid_gradient_;
};

}  // namespace repebble::inline v0

#endif
