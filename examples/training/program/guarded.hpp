#ifndef TRAIN_GUARDED_HPP
#define TRAIN_GUARDED_HPP

#include "command_line/run_program.hpp"
#include "planning.hpp"

namespace train {

/// `command_line::run_program` of a program that trains: `nothing_fits` where no plan fits.
template <class Run>
[[nodiscard]] auto guarded(char const* program, Run const& run) -> int {
    return command_line::run_program(program, [&] {
        try {
            return run();
        } catch (no_plan_fits const& e) {
            command_line::complain(e.what());
            return command_line::nothing_fits;
        }
    });
}

}  // namespace train

#endif
