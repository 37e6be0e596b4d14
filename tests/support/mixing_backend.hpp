#ifndef REPEBBLE_TESTS_SUPPORT_MIXING_BACKEND_HPP
#define REPEBBLE_TESTS_SUPPORT_MIXING_BACKEND_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <repebble/execute/backend.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/copy_threads.hpp>
#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/guarded_memory.hpp>
#include <repebble/execute/lane_waits.hpp>

namespace support {

/// A backend whose operations write what follows from every byte that they read: one wrong byte spoils all that comes
/// after it. Copies are made in the order of the schedule.
class mixing_backend {
  public:
    /// Of every step that computed: a digest of what it read.
    std::vector<std::uint64_t> digests{};

    [[nodiscard]] static auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment)
        -> repebble::guarded_memory {
        return {size, alignment};
    }
    void prepare(std::size_t i, repebble::bound_step const&, repebble::pool_memory const&) { digests.resize(i + 1, 0); }
    void compute(std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        auto const digest = digest_of(s.reads, memory, s.operation);
        digests[i] = digest;
        if (s.workspace) fill(memory.at(*s.workspace), s.workspace->size, digest);
        for (auto const& w : s.writes)
            if (w.what.value == w.owner)
                fill(memory.at(w.where), w.where.size, repebble::fill_pattern{digest}.word(w.owner));
    }
    void copy(std::size_t, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        auto const [to, from, size] = ends_of(s, memory);
        std::memcpy(to, from, static_cast<std::size_t>(size));
    }
    void fill(std::byte* at, repebble::bytes size, std::uint64_t seed) { repebble::fill_pattern{seed}.fill(at, size); }
    [[nodiscard]] auto highest_change(std::byte const* at, repebble::bytes size, std::uint64_t seed)
        -> repebble::bytes {
        return repebble::fill_pattern{seed}.highest_change(at, size);
    }

    /// A digest of the bytes where values lie.
    [[nodiscard]] static auto digest_of(std::span<repebble::placed_value const> values,
                                        repebble::pool_memory const& memory, std::uint64_t seed = 0) -> std::uint64_t {
        for (auto const& r : values)
            for (repebble::bytes k = 0; k < r.where.size; k += 8) {
                std::uint64_t word = 0;
                auto const left = r.where.size - k;
                std::memcpy(&word, memory.at(r.where) + k, left < 8 ? static_cast<std::size_t>(left) : 8);
                seed = repebble::fill_pattern{seed}.word(word);
            }
        return seed;
    }

  protected:
    struct copy_ends {
        std::byte* to = nullptr;
        std::byte const* from = nullptr;
        repebble::bytes size = 0;
    };
    [[nodiscard]] static auto ends_of(repebble::bound_step const& s, repebble::pool_memory const& memory) -> copy_ends {
        using repebble::pool;
        bool const out = s.what == repebble::action::offload;
        auto const& from = s.reads.front().where;
        return {memory.at(s.writes.front().where, out ? pool::host : pool::device),
                memory.at(from, out ? pool::device : pool::host), from.size};
    }
};

/// The same, with copies on threads of their own.
class lane_mixing_backend : public mixing_backend {
  public:
    static constexpr bool copies_first = true;

    void set_delays(repebble::copy_delays const& delays) { threads_.set_delays(delays); }

    void reserve_events(std::size_t count) { threads_.reserve_events(count); }
    void copy_on(repebble::lane on, std::size_t, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        auto const [to, from, size] = ends_of(s, memory);
        threads_.copy(on, to, from, size);
    }
    void fill_on(repebble::lane on, std::byte* at, repebble::bytes size, std::uint64_t seed) {
        threads_.fill(on, at, size, seed);
    }
    void record(repebble::lane on, std::size_t event) { threads_.record(on, event); }
    void wait(repebble::lane on, std::size_t event) { threads_.wait(on, event); }
    void finish() { threads_.finish(); }
    void cancel() { threads_.cancel(); }

  private:
    repebble::copy_threads threads_{};
};
static_assert(repebble::lane_backend<lane_mixing_backend>);

/// One that heeds no waits.
struct heedless_backend : lane_mixing_backend {
    static void wait(repebble::lane, std::size_t) {}
};

}  // namespace support

#endif
