#ifndef REPEBBLE_NETWORKS_MEASURED_TIMES_HPP
#define REPEBBLE_NETWORKS_MEASURED_TIMES_HPP

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/io/parse_json.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/networks/model.hpp>

namespace repebble::networks {

/// A table of times by the names of operations, in any unit, for `network_of` in place of a roofline.
class measured_times {
  public:
    measured_times() = default;
    explicit measured_times(std::map<std::string, std::int64_t> by_name) : by_name_(std::move(by_name)) {}

    [[nodiscard]] auto by_name() const noexcept -> std::map<std::string, std::int64_t> const& { return by_name_; }

    /// 0 for a view that is not in the table.  Throws bad_graph for another operation that is not.
    [[nodiscard]] auto operator()(operation const& v) const -> std::int64_t {
        auto const found = by_name_.find(v.name);
        if (found != by_name_.end()) return found->second;
        if (v.is_view()) return 0;
        throw bad_graph("the table of times has no operation " + v.name);
    }

    /// Throws bad_graph, naming it, where the table has an operation that the model does not have.
    void require_only(model const& m) const {
        std::set<std::string_view> known;
        for (auto const& v : m.operations()) known.insert(v.name);
        for (auto const& [name, time] : by_name_)
            if (!known.contains(name)) throw bad_graph("there is no operation " + name + " in " + m.name());
    }

    friend auto operator==(measured_times const&, measured_times const&) -> bool = default;

  private:
    std::map<std::string, std::int64_t> by_name_;
};

/// The table in a JSON text: {"format": "repebble-times", "version": 1, "times": {"stem.conv": 244075, …}}. Other
/// fields are passed over.  Throws bad_file, naming `source` and the operation or the line, where the text is
/// otherwise; limit_reached where the account is spent.
[[nodiscard]] inline auto parse_times(std::string_view text, std::string const& source = "times",
                                      io::read_account account = io::read_account()) -> measured_times {
    auto const fail = [&](std::string const& what) { throw bad_file(source, what); };
    auto const whole = io::parse_json(text, source, account);
    if (!whole.is_object() || whole.value("format", nlohmann::json()) != "repebble-times")
        fail("must be an object with the format \"repebble-times\"");
    if (whole.value("version", nlohmann::json()) != 1) fail("its version must be 1");
    auto const times = whole.find("times");
    if (times == whole.end() || !times->is_object()) fail("has no object 'times'");
    std::map<std::string, std::int64_t> by_name;
    for (auto const& [name, time] : times->items()) {
        bool const fits = time.is_number_integer() && time >= 0 && time <= INT64_MAX;
        if (!fits) fail("the time of " + name + " must be a whole number from 0 to 2^63 - 1");
        by_name[name] = time.template get<std::int64_t>();
    }
    return measured_times(std::move(by_name));
}

/// The table in a file, which may be gzip data.  Throws as `read_file` and `parse_times` do.
[[nodiscard]] inline auto read_times(std::filesystem::path const& path, io::read_account account = io::read_account())
    -> measured_times {
    return parse_times(io::read_file(path, account), path.string(), account);
}

/// Writes a table that `read_times` reads.  Throws bad_file where the file cannot be written.
inline void write_times(std::filesystem::path const& path, measured_times const& times) {
    nlohmann::json const whole{{"format", "repebble-times"}, {"version", 1}, {"times", times.by_name()}};
    io::write_file(path, whole.dump(1) + '\n');
}

}  // namespace repebble::networks

#endif
