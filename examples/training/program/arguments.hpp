#ifndef TRAIN_ARGUMENTS_HPP
#define TRAIN_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/networks/sizes.hpp>
#include <repebble/planner/plan_options.hpp>
#include <repebble/training/device.hpp>

namespace train {

/// Whether iterations are captured once and then launched as one: `automatic` where that is expected to pay.
enum class capture_choice : std::uint8_t { automatic, on, off };

/// What values are stored as, and what products are made of: float32; float32 with factors rounded to 10 bits after the
/// point; bfloat16.
enum class precision : std::uint8_t { fp32, tf32, bf16 };

[[nodiscard]] constexpr auto to_string(precision p) -> std::string_view {
    constexpr std::string_view names[] = {"fp32", "tf32", "bf16"};
    return names[static_cast<std::size_t>(p)];
}

/// What the device of a program can do that others cannot; a program has no options for the rest.
struct device_offers {
    std::vector<precision> precisions{precision::fp32};
    bool capture = false;  ///< launches of an iteration as one
    bool delays = false;   ///< random pauses of copies
};

/// What the command line asks for.
struct arguments {
    std::string network;
    repebble::networks::sizes sizes{};
    std::string budget = "60%";
    bool plan_gradients = false;  ///< gradients of parameters are results, in the arena
    bool all = false;             ///< the budget is for what lies beside the arena, too
    std::string strategy = "automatic";
    std::optional<std::string> schedule_in{};  ///< instead of a strategy
    repebble::plan_options automatic{};  ///< of that; addresses are found behind it
    bool in_place = false;
    std::size_t iterations = 5;  ///< without data
    std::optional<std::string> data{};
    std::size_t epochs = 20;                   ///< with data
    std::optional<std::string> profile_out{};  ///< times are measured first, and written here
    std::optional<std::string> times_in{};
    bool compare = false;
    bool poison = false;
    std::optional<std::uint64_t> delay_seed{};  ///< of pauses of copies; none: they run as fast as they can
    train::precision precision = train::precision::fp32;
    capture_choice capture = capture_choice::automatic;
    std::optional<std::string> trace_out{};
    bool json = false;
    std::uint64_t seed = 1;
    repebble::training::sgd step{};
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(char const* program, int argc, char const* const* argv, arguments& result,
                                  device_offers const& offers = {}) -> std::optional<int>;

}  // namespace train

#endif
