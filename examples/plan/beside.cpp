#include "beside.hpp"

#include <string_view>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>

namespace plan {

using namespace repebble;

auto parse_included(std::string const& text) -> std::set<std::string> {
    std::set<std::string> const known{"parameters", "gradients", "optimizer", "inputs"};
    std::set<std::string> words;
    for (std::string_view rest = text;;) {
        auto const comma = rest.find(',');
        auto const word = words.emplace(rest.substr(0, comma)).first;
        if (!known.contains(*word)) throw bad_option(*word + " is none of parameters, gradients, optimizer, inputs");
        if (comma == rest.npos) return words;
        rest.remove_prefix(comma + 1);
    }
}

auto bytes_beside(io::network const& net, included const& what) -> bytes {
    auto const count = [&](char const* word) { return std::int64_t{what.words.contains(word)}; };
    auto const copies = checked_add(count("gradients"), what.words.contains("optimizer") ? what.optimizer_states : 0);
    bytes sum = what.words.contains("inputs") ? net.extra().at("input_bytes").get<bytes>() : 0;
    for (auto const& p : net.extra().at("parameters")) {
        auto const times = checked_add(count("parameters"), p.value("trained", true) ? copies : 0);
        sum = checked_add(sum, checked_multiply(p.at("size").get<bytes>(), times, "bytes beside the plan"));
    }
    return sum;
}

}  // namespace plan
