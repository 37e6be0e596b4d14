#ifndef REPEBBLE_IO_DETAIL_TIME_UNIT_HPP
#define REPEBBLE_IO_DETAIL_TIME_UNIT_HPP

// The unit of the times in a JSON file. Times of a known unit become whole nanoseconds; without one they are whole
// numbers already. Readers of graphs and of chains use it.

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/io/detail/json_reader.hpp>

namespace repebble::inline v0::io::detail {

/// Reads times, given in a unit or in none.
class time_unit {
  public:
    /// field: `time_unit` of the file, if it has one; otherwise `by_default` counts, empty for no unit.
    /// Throws bad_file where that is no unit of time.
    time_unit(json_reader const& in, std::optional<nlohmann::json> const& field, std::string_view by_default) {
        auto const name = field ? std::string_view(in.text(*field, "time_unit")) : by_default;
        if (!field && by_default.empty()) return;
        for (auto const& [unit, nanoseconds] : units)
            if (name == unit) nanoseconds_ = nanoseconds, name_ = unit;
        if (nanoseconds_ == 0) in.fail("time_unit must be s, ms, us or ns, not " + shown(nlohmann::json(name)));
    }

    /// Whether times become nanoseconds.
    [[nodiscard]] auto is_known() const noexcept -> bool { return nanoseconds_ != 0; }

    /// A time: the whole number itself where there is no unit, otherwise nanoseconds, rounded to the nearest.
    /// Throws bad_file, naming the field, where it is no number, does not fit in 64 bits, is a fraction without a unit,
    /// or would change by more than a hundredth.
    [[nodiscard]] auto read(json_reader const& in, nlohmann::json const& value, std::string const& field) const
        -> std::int64_t {
        if (!is_known()) {
            if (value.is_number_float() && std::abs(value.get<double>() - std::trunc(value.get<double>())) > 0)
                in.fail(field + " is not a whole number: " + shown(value) +
                        "; a file with fractions says their unit, such as \"time_unit\": \"ms\"");
            return in.whole_number(value, field);
        }
        if (value.is_number_integer()) {
            std::int64_t exact = 0;
            if (__builtin_mul_overflow(in.integer(value, field), nanoseconds_, &exact)) too_large(in, value, field);
            return exact;
        }
        if (!value.is_number_float()) in.fail(field + " must be a number, not " + shown(value));
        auto const exact = value.get<double>() * static_cast<double>(nanoseconds_);
        if (!(std::abs(exact) < 0x1p63)) too_large(in, value, field);
        auto const rounded = std::round(exact);
        if (std::abs(rounded - exact) > std::abs(exact) / 100)
            in.fail(field + " is no whole number of nanoseconds, and too small to be rounded: " + shown(value) + " " +
                    name_);
        return static_cast<std::int64_t>(rounded);
    }

  private:
    static constexpr std::array<std::pair<char const*, std::int64_t>, 4> units{
        {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};

    [[noreturn]] void too_large(json_reader const& in, nlohmann::json const& value, std::string const& field) const {
        in.fail(field + " is above 2^63 - 1 nanoseconds: " + shown(value) + " " + name_);
    }

    std::int64_t nanoseconds_ = 0;  // of the unit; 0: there is none
    std::string name_;
};

}  // namespace repebble::inline v0::io::detail

#endif
