#include <chrono>

#include "allocation_count.hpp"
#include "cpu_device.hpp"
#include "program/arguments.hpp"
#include "program/guarded.hpp"
#include "program/process_memory.hpp"
#include "program/run_training.hpp"

int main(int argc, char** argv) {
    return train::guarded("train_cpu", [&] {
        train::arguments asked;
        if (auto const status = train::read_arguments("train_cpu", argc, argv, asked, {.delays = true})) return *status;
        train_cpu::cpu_device device(asked.seed);
        if (asked.delay_seed) device.set_delays({.seed = *asked.delay_seed, .most = std::chrono::microseconds(200)});
        train::allocation_counter counter;
        if (train_cpu::counts_allocations())
            counter = {train_cpu::begin_counting, train_cpu::end_counting, train_cpu::reserve_used};
        return train::training_run(asked, device, counter, {train::restart_process_peak, train::process_peak}).run();
    });
}
