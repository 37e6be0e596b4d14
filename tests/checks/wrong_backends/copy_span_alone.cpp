// expected: copy_span must be callable
#include <cstddef>
#include <cstdint>

#include <repebble/execute/executor.hpp>
#include <repebble/execute/guarded_memory.hpp>

struct backend {
    auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment) const {
        return repebble::guarded_memory(size, alignment);
    }
    void compute(std::size_t, repebble::bound_step const&, repebble::pool_memory const&) {}
    [[nodiscard]] auto copy_span(std::size_t) const { return repebble::step_span{}; }  // of no lane
};

void run(repebble::bound_schedule const& plan, backend& b) { repebble::executor(plan, b).run(); }
