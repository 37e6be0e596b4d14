#ifndef REPEBBLE_IMPL_PIPELINES_PIPELINE_IPP
#define REPEBBLE_IMPL_PIPELINES_PIPELINE_IPP

#include <repebble/pipelines/pipeline.hpp>

#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// The choice k of a stage against the one before it.
inline void check_choice(std::string const& stage, std::vector<stage_choice> const& choices, std::size_t k) {
    auto const& c = choices[k];
    for (auto const& [what, number] :
         {std::pair{"time computed again", c.recomputation},
          {"number of bytes", std::min({c.kept, c.in_forward, c.in_backward, c.for_weights})}})
        check_weight(number,
                     [&] { return "a " + std::string(what) + " of choice " + std::to_string(k) + " of " + stage; });
    if (k == 0) return;
    auto const& before = choices[k - 1];
    if (c.recomputation < before.recomputation)
        raise(bad_graph("choice " + std::to_string(k) + " of " + stage + " takes less time than the one before it"));
    if (c.kept > before.kept || bytes_in_forward(c) > bytes_in_forward(before) ||
        bytes_in_backward(c) > bytes_in_backward(before) || c.for_weights > before.for_weights)
        raise(bad_graph("choice " + std::to_string(k) + " of " + stage + " takes more bytes than the one before it"));
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE void check_pipeline(pipeline const& p) {
    if (p.ranks == 0 || p.microbatches == 0 || p.stages.empty())
        detail::raise(bad_graph("a pipeline has at least one rank, one microbatch and one stage"));
    constexpr std::size_t most = 0xFFFF'FFFF;
    if (p.ranks > most || p.microbatches > most / 4 / p.stages.size())
        detail::raise(bad_graph("a pipeline has more passes than 32 bits can number"));
    auto const m = static_cast<std::int64_t>(p.microbatches);
    std::int64_t time = 0;
    bytes memory = 0;
    for (std::size_t s = 0; s < p.stages.size(); ++s) {
        auto const& stage = p.stages[s];
        auto const name = "stage " + std::to_string(s);
        if (stage.rank >= p.ranks)
            detail::raise(
                bad_graph(name + " lies on rank " + std::to_string(stage.rank) + " of " + std::to_string(p.ranks)));
        if (stage.choices.empty()) detail::raise(bad_graph(name + " has no choice"));
        for (auto const& [what, number] : {std::pair{"forward time", stage.forward},
                                           {"time of its gradients of inputs", stage.input_gradient},
                                           {"time of its gradients of weights", stage.weight_gradient},
                                           {"transfer time", stage.transfer},
                                           {"constant bytes", stage.constant}})
            detail::check_weight(number, [&] { return "a weight of " + name + ", " + what + ","; });
        for (std::size_t k = 0; k < stage.choices.size(); ++k) detail::check_choice(name, stage.choices, k);
        // No schedule takes longer than all passes and transfers one after the other.
        std::int64_t each = stage.choices.back().recomputation;
        for (auto const t :
             {stage.forward, stage.input_gradient, stage.weight_gradient, stage.transfer, stage.transfer})
            each = checked_add(each, t, "times");
        time = checked_add(time, checked_multiply(each, m, "times"), "times");
        auto const& first = stage.choices.front();
        auto const most_bytes = std::max(detail::bytes_in_forward(first), detail::bytes_in_backward(first));
        memory = checked_add(memory, checked_add(stage.constant, checked_multiply(most_bytes, m)));
    }
}

}  // namespace repebble::inline v0

#endif
