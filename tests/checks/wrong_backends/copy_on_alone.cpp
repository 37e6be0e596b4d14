// expected: there must be reserve_events
#include <cstddef>

#include <repebble/execute/executor.hpp>
#include <repebble/execute/guarded_memory.hpp>

struct backend {
    auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment) const {
        return repebble::guarded_memory(size, alignment);
    }
    void compute(std::size_t, repebble::bound_step const&, repebble::pool_memory const&) {}
    void copy_on(repebble::lane, std::size_t, repebble::bound_step const&, repebble::pool_memory const&) {}
};

void run(repebble::bound_schedule const& plan, backend& b) { repebble::executor(plan, b).run(); }
