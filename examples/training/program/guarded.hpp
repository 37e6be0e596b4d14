#ifndef TRAIN_GUARDED_HPP
#define TRAIN_GUARDED_HPP

#include <cstdio>
#include <exception>

#include <fmt/format.h>

#include "planning.hpp"

namespace train {

/// What a program does with its exceptions: `run` returns the exit status, which is 3 where no plan fits and 2 for all
/// else that is thrown.
template <class Run>
[[nodiscard]] auto guarded(char const* program, Run const& run) -> int {
    auto const say = [program](std::exception const& e, int status) {
        fmt::print(stderr, "{}: {}\n", program, e.what());
        return status;
    };
    try {
        return run();
    } catch (no_plan_fits const& e) {
        return say(e, 3);
    } catch (std::exception const& e) {
        return say(e, 2);
    }
}

}  // namespace train

#endif
