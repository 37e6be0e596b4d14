#ifndef REPEBBLE_IMPL_IO_READ_ACCOUNT_IPP
#define REPEBBLE_IMPL_IO_READ_ACCOUNT_IPP

#include <repebble/io/read_account.hpp>

#include <algorithm>
#include <limits>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/wall_clock.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/io/byte_size.hpp>
#include <repebble/io/detail/shortened.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE read_account::read_account(limits how, std::optional<std::size_t> memory)
    : state_(std::make_shared<state>()) {
    if (how.seconds) repebble::detail::check_option("the seconds of reading", *how.seconds);
    auto& s = *state_;
    s.memory_left = s.memory_limit = memory.value_or(usual_memory);
    s.work_left = s.work_limit = how.work.value_or(usual_work);
    s.memory = memory;
    if (how.seconds) s.end = repebble::detail::wall_clock::now().time_since_epoch().count() + *how.seconds;
    s.how = std::move(how);
}

REPEBBLE_INLINE void read_account::open(std::string const& source, std::size_t bytes) const {
    if (std::exchange(state_->open, true)) return;
    state_->source = source;
    grow(bytes);
}

REPEBBLE_INLINE void read_account::grow(std::size_t bytes) const {
    auto& s = *state_;
    auto const raise_by = [bytes](std::size_t& left, std::size_t& limit, std::size_t of_byte) {
        auto const most = std::numeric_limits<std::size_t>::max() / 2 - limit;
        auto const more = bytes > most / of_byte ? most : bytes * of_byte;
        left += more;
        limit += more;
    };
    if (!s.memory) raise_by(s.memory_left, s.memory_limit, memory_of_byte);
    if (!s.how.work) raise_by(s.work_left, s.work_limit, work_of_byte);
}

REPEBBLE_INLINE void read_account::look(std::size_t work, std::size_t memory, std::string const& place) const {
    auto& s = *state_;
    auto const refuse = [&](std::string const& why) {
        auto const within = [](std::string const& of) { return of.empty() ? of : of + ": "; };
        repebble::detail::raise(limit_reached(within(s.source) + within(detail::shortened(place)) + why));
    };
    if (memory > s.memory_left)
        refuse("takes more than the " + format_bytes(static_cast<bytes>(s.memory_limit)) +
               " of memory that are allowed");
    s.work_left += std::exchange(s.until_look, 0);
    if (work >= s.work_left)
        refuse("takes more than the " + std::to_string(s.work_limit) + " steps of work that are allowed");
    if (s.how.stop && s.how.stop()) refuse("reading was stopped");
    if (s.how.seconds && repebble::detail::wall_clock::now().time_since_epoch().count() >= s.end)
        refuse("the time to read it is over");
    constexpr std::size_t period = std::size_t{1} << 16;  // steps between two looks: less than a millisecond
    s.until_look = work + std::min(period, s.work_left - work);
    s.work_left -= s.until_look;
}

}  // namespace repebble::inline v0::io

#endif
