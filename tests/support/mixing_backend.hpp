#ifndef REPEBBLE_TESTS_SUPPORT_MIXING_BACKEND_HPP
#define REPEBBLE_TESTS_SUPPORT_MIXING_BACKEND_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/execute/bound_schedule.hpp>
#include <repebble/execute/copy_threads.hpp>
#include <repebble/execute/execution_backend.hpp>
#include <repebble/execute/fill_pattern.hpp>
#include <repebble/execute/find_lane_waits.hpp>
#include <repebble/execute/guarded_memory.hpp>

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
    void copy_on(repebble::lane on, std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        auto const [to, from, size] = ends_of(s, memory);
        threads_.copy(on, to, from, size, i);
    }
    [[nodiscard]] auto copy_span(std::size_t i) const { return threads_.span(i); }
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

/// Copies on lanes, but on one thread: all that it is asked is enqueued, in the order in which it is asked, as on
/// streams of a GPU. At the end some lane goes on whose event has come, by chance; with a favourite that one goes on
/// whenever it can.
class queued_backend : public mixing_backend {
  public:
    explicit queued_backend(std::uint64_t seed) : random_(seed) {}

    std::optional<repebble::lane> favourite{};

    void compute(std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        enqueue(repebble::lane::compute, [=, this] { mixing_backend::compute(i, s, memory); });
    }
    static void reserve_events(std::size_t) {}
    void copy_on(repebble::lane on, std::size_t i, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        enqueue(on, [=, this] { mixing_backend::copy(i, s, memory); });
    }
    void fill_on(repebble::lane on, std::byte* at, repebble::bytes size, std::uint64_t seed) {
        enqueue(on, [=, this] { fill(at, size, seed); });
    }
    void record(repebble::lane on, std::size_t event) {
        if (!recorded_.insert(event).second) throw std::logic_error("an event is recorded twice");
        enqueue(on, [=, this] { come_.insert(event); });
    }
    void wait(repebble::lane on, std::size_t event) {
        if (!recorded_.contains(event)) throw std::logic_error("an event is waited for before it is recorded");
        queues_[static_cast<std::size_t>(on)].push_back({.event = event});
    }
    /// Throws std::logic_error where no lane can go on, or another lane has work when that of computations has none.
    void finish() {
        auto const is_idle = [](auto const& q) { return q.empty(); };
        while (!std::ranges::all_of(queues_, is_idle)) {
            std::vector<std::size_t> ready;
            for (std::size_t l = 0; l < queues_.size(); ++l)
                if (!queues_[l].empty() && (!queues_[l].front().event || come_.contains(*queues_[l].front().event)))
                    ready.push_back(l);
            if (ready.empty()) throw std::logic_error("no lane can go on");
            if (queues_[0].empty()) throw std::logic_error("the lane of computations ends before the others");
            auto l = ready[random_.below(ready.size())];
            if (favourite && std::ranges::count(ready, static_cast<std::size_t>(*favourite)) > 0)
                l = static_cast<std::size_t>(*favourite);
            if (auto const& run = queues_[l].front().run) run();
            queues_[l].pop_front();
        }
        cancel();
    }
    void cancel() {
        for (auto& q : queues_) q.clear();
        recorded_.clear();
        come_.clear();
    }

  private:
    struct entry {
        std::optional<std::size_t> event{};  // for which it waits
        std::function<void()> run{};
    };
    void enqueue(repebble::lane on, std::function<void()> run) {
        queues_[static_cast<std::size_t>(on)].push_back({.run = std::move(run)});
    }

    repebble::detail::split_mix random_;
    std::array<std::deque<entry>, 3> queues_{};
    std::set<std::size_t> recorded_{}, come_{};
};
static_assert(repebble::lane_backend<queued_backend>);

/// Copy threads that heed no waits.
struct heedless_backend : lane_mixing_backend {
    static void wait(repebble::lane, std::size_t) {}
};

}  // namespace support

#endif
