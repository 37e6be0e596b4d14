// One file by the reader that is named: read, or refused in one line, as programs do it. hostile_files.py runs it for
// the readers that no program of the examples has, too.
#include <cstdio>
#include <exception>
#include <string>

#include <repebble/io/gzip.hpp>
#include <repebble/io/json_chain.hpp>
#include <repebble/io/json_schedule.hpp>
#include <repebble/offload/json_q_weights.hpp>
#include <repebble/traces/trace_file.hpp>
#include <repebble/treewidth/pace_decomposition.hpp>

auto main(int argc, char** argv) -> int {
    using namespace repebble;
    std::string const reader = argc == 3 ? argv[1] : "";
    try {
        if (reader == "trace")
            static_cast<void>(io::read_trace(argv[2]));
        else if (reader == "decomposition")
            static_cast<void>(io::read_pace_decomposition(argv[2]));
        else if (reader == "schedule")
            static_cast<void>(io::read_schedule(argv[2]));
        else if (reader == "weights")
            static_cast<void>(io::read_q_weights(argv[2]));
        else
            return std::fprintf(stderr, "read_one trace|decomposition|schedule|weights FILE\n"), 2;
    } catch (std::exception const& e) {
        return std::fprintf(stderr, "read_one: %s\n", e.what()), 2;
    }
    return 0;
}
