// Plans the training of a chain of stages within a memory budget:  chain FILE --budget 60%
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/json_chain.hpp>

#include "arguments.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/run_program.hpp"
#include "report.hpp"
#include "solution.hpp"
#include "uniform.hpp"

namespace {

using namespace repebble;
using command_line::nothing_fits;
using command_line::user_seconds;

auto solution_of(io::chain_document const& read, chain_program::arguments const& asked) -> chain_program::solution {
    try {
        return chain_program::solve(read.chain, asked);
    } catch (error const& e) {
        throw bad_file(asked.file, e.what());
    }
}

auto run_chain(chain_program::arguments const& asked) -> int {
    auto const read = io::read_chain(asked.file, asked.time_unit, asked.reading.account());
    auto const found = solution_of(read, asked);
    asked.json ? print_json(read, asked.file, asked, found, user_seconds())
               : print_words(read, asked.file, found, user_seconds());
    return found.curve.empty() ? nothing_fits : 0;
}

auto run_uniform(chain_program::arguments const& asked) -> int {
    if (!asked.count && !asked.json) {
        chain_program::print_reversal(asked);
        return 0;
    }
    auto const found = chain_program::count_reversal(asked);
    asked.json ? print_json(asked, found, user_seconds()) : print_words(asked, found, user_seconds());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::run_program("chain", [&]() -> int {
        chain_program::arguments asked;
        if (auto const status = chain_program::read_arguments(argc, argv, asked)) return *status;
        command_line::before_results const nothing_yet(asked.uniform  ? "--uniform"
                                                       : asked.online ? "--online"
                                                                      : asked.file);
        return asked.uniform || asked.online ? run_uniform(asked) : run_chain(asked);
    });
}
