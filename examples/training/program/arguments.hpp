#ifndef TRAIN_ARGUMENTS_HPP
#define TRAIN_ARGUMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <repebble/networks/sizes.hpp>
#include <repebble/training/device.hpp>

namespace train {

/// What the command line asks for.
struct arguments {
    std::string network;
    repebble::networks::sizes sizes{};
    std::string budget = "60%";
    std::string strategy = "lower_set_approximate";
    bool in_place = false;
    std::size_t iterations = 5;  ///< without data
    std::optional<std::string> data{};
    std::size_t epochs = 20;                   ///< with data
    std::optional<std::string> profile_out{};  ///< times are measured first, and written here
    std::optional<std::string> times_in{};
    bool compare = false;
    bool poison = false;
    bool tf32 = false;  ///< products with fewer bits, where a device has them
    std::optional<std::string> trace_out{};
    bool json = false;
    std::uint64_t seed = 1;
    repebble::training::sgd step{};
};

/// Reads the command line. Returns the exit status where there is nothing more to do (help, or a wrong argument, which
/// is explained on the standard error stream).
[[nodiscard]] auto read_arguments(char const* program, int argc, char const* const* argv, arguments& result)
    -> std::optional<int>;

}  // namespace train

#endif
