#include "report.hpp"

#include <string>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"

namespace allocate {

using namespace repebble;

namespace {

auto shown(bytes size) -> std::string { return fmt::format("{} bytes ({})", size, io::format_bytes(size)); }

auto verdict(outcome const& found) -> std::string {
    if (!found.capacity) return found.height_least() ? "height least" : "best found";
    if (found.fits()) return "fits into " + shown(*found.capacity);
    if (found.none_exists()) return "none exists: no plan fits into " + shown(*found.capacity);
    return "best found, " + shown(found.height - *found.capacity) + " above the capacity of " + shown(*found.capacity);
}

void print_file(std::string const& file, std::size_t buffers, double seconds) {
    fmt::print("{}: {} buffers, {:.3f} CPU s\n", command_line::one_line(file), buffers, seconds);
}

}  // namespace

void print_words(outcome const& found, double seconds) {
    print_file(found.file, found.buffers, seconds);
    fmt::print("lower bound  {}\n", shown(found.lower_bound));
    fmt::print("height       {}", shown(found.height));
    if (found.lower_bound > 0)
        fmt::print(", {:.4f} of the lower bound",
                   static_cast<double>(found.height) / static_cast<double>(found.lower_bound));
    fmt::print("\n{}\n", verdict(found));
}

void print_json(outcome const& found, double seconds) {
    nlohmann::ordered_json const all{
        {"buffers", found.buffers}, {"lower_bound", found.lower_bound},     {"height", found.height},
        {"fits", found.fits()},     {"height_least", found.height_least()}, {"none_exists", found.none_exists()},
        {"seconds", seconds}};
    command_line::print_json(all);
}

void print_words(pools_outcome const& found, double seconds) {
    print_file(found.file, found.buffers, seconds);
    for (auto const& [of, height, buffers] : found.pools)
        if (found.fits)
            fmt::print("{:<12} {} of {}, {} buffers\n", of.name, shown(height), shown(*of.capacity), buffers);
    if (found.traffic)
        fmt::print("{:<12} {} outside of {}, {}\n", "traffic", shown(*found.traffic), found.pools.front().of.name,
                   *found.traffic == found.traffic_bound ? "least" : "at least " + shown(found.traffic_bound));
    if (found.copies) {
        bytes copied = 0;
        for (auto const& c : *found.copies) copied += c.size;
        fmt::print("{:<12} {}, {}\n", "copies", found.copies->size(), shown(copied));
    }
    fmt::print("{}\n", found.fits          ? "fits"
                       : found.none_exists ? "none exists: no plan fits into the pools"
                                           : "no plan that fits was found");
}

void print_json(pools_outcome const& found, double seconds) {
    nlohmann::ordered_json all{{"buffers", found.buffers}, {"pools", nlohmann::ordered_json::array()}};
    for (auto const& [of, height, buffers] : found.pools)
        all["pools"].push_back({{"name", of.name},
                                {"capacity", *of.capacity},
                                {"height", found.fits ? nlohmann::ordered_json(height) : nullptr},
                                {"buffers", found.fits ? nlohmann::ordered_json(buffers) : nullptr}});
    if (found.traffic) {
        all["traffic"] = *found.traffic;
        all["traffic_bound"] = found.traffic_bound;
    }
    if (found.copies) {
        all["copies"] = nlohmann::ordered_json::array();
        for (auto const& c : *found.copies)
            all["copies"].push_back({{"time", c.time},
                                     {"buffer", c.buffer},
                                     {"size", c.size},
                                     {"from", found.pools[c.from].of.name},
                                     {"to", found.pools[c.to].of.name}});
    }
    all["fits"] = found.fits;
    all["none_exists"] = found.none_exists;
    all["seconds"] = seconds;
    command_line::print_json(all);
}

}  // namespace allocate
