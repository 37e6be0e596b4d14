#ifndef REPEBBLE_CHAINS_DETAIL_CHAIN_OPTIONS_CHECK_HPP
#define REPEBBLE_CHAINS_DETAIL_CHAIN_OPTIONS_CHECK_HPP

// Which options of solve_chain go together. Called before any work by chain_frontier and solve_chain.

#include <cstddef>
#include <string>

#include <repebble/chains/chain_options.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/optional_budget.hpp>

namespace repebble::inline v0::detail {

/// The most points that the curves of a chain may have.
[[nodiscard]] inline auto most_points(chain_options const& options) -> std::size_t {
    return options.limits.work.value_or(100'000'000);
}

/// Throws bad_weight where a number is out of its range, bad_option where limits or threads are, and, naming both,
/// where two options contradict.
inline void check_chain_options(chain_options const& options) {
    constexpr std::size_t most_slots = 10'000'000;
    if (!(options.epsilon >= 0))
        detail::raise(bad_weight("epsilon must not be negative: " + std::to_string(options.epsilon)));
    if (options.last_budget) static_cast<void>(budget_in_bytes(*options.last_budget));
    check_threads(options.threads);
    static_cast<void>(checked_seconds(options.limits));
    if (options.slots && (*options.slots == 0 || (!options.link && *options.slots > most_slots)))
        detail::raise(bad_weight("memory cannot be counted in " + std::to_string(*options.slots) + " slots"));
    auto const refuse = [](bool both, char const* one, char const* other) {
        if (both)
            detail::raise(bad_option("chain_options: " + std::string(one) + " and " + other + " exclude each other"));
    };
    bool const slots = options.slots.has_value(), link = options.link.has_value();
    refuse(link && options.drop_saved_inputs, "link", "drop_saved_inputs");
    refuse(link && options.epsilon > 0, "link", "epsilon");
    refuse(link && options.test == memory_test::published, "link", "memory_test::published");
    refuse(link && options.round != slot_rounding::up, "link", "round");
    refuse(link && options.fit_slots, "link", "fit_slots");
    refuse(link && options.limits.work, "link", "limits.work");
    refuse(slots && options.drop_saved_inputs, "slots", "drop_saved_inputs");
    refuse(slots && options.limits.work, "slots", "limits.work");
    refuse(slots && options.epsilon > 0 && options.round != slot_rounding::up, "epsilon", "round");
    if (!slots && !link && (options.fit_slots || options.round != slot_rounding::up))
        detail::raise(bad_option(std::string("chain_options: ") + (options.fit_slots ? "fit_slots" : "round") +
                                 " has no meaning without slots"));
}

/// For a curve: also where it is asked for with a link, or with slots and a tolerance.
inline void check_curve_options(chain_options const& options) {
    check_chain_options(options);
    if (options.link) detail::raise(bad_option("chain_options: a plan over a link is for one budget, not a curve"));
    if (options.slots && options.epsilon > 0)
        detail::raise(bad_option("chain_options: slots and epsilon together are for one budget, not a curve"));
}

/// Throws limit_reached, saying which limit it was.
[[noreturn]] inline void raise_limit(chain_options const& options, limit_test const& asked) {
    if (asked.was_over())
        detail::raise(limit_reached("the chain was not solved within the seconds, or it was stopped"));
    detail::raise(limit_reached("the curves of subchains are, or have, more than " +
                                std::to_string(most_points(options)) + " points"));
}

}  // namespace repebble::inline v0::detail

#endif
