#ifndef REPEBBLE_IMPL_OFFLOAD_JSON_Q_WEIGHTS_IPP
#define REPEBBLE_IMPL_OFFLOAD_JSON_Q_WEIGHTS_IPP

#include <repebble/offload/json_q_weights.hpp>

#include <cstddef>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/detail/json_reader.hpp>
#include <repebble/io/parse_json.hpp>

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto parse_q_weights(std::string_view text, std::string const& source) -> q_weights {
    auto const whole = parse_json(text, source);
    detail::json_reader const in{source, "the network"};
    if (!whole.is_object()) in.fail("must be an object, not " + detail::shown(whole));
    auto const field = [&](std::string const& name) -> nlohmann::json const& {
        auto const found = whole.find(name);
        if (found == whole.end()) in.fail("has no field '" + name + "'");
        return *found;
    };
    q_weights read;
    read.shape.width = in.index(field("width"), "width");
    read.shape.rounds = in.index(field("rounds"), "rounds");
    auto const form = in.text(field("form"), "form");
    if (form != "separable" && form != "joint") in.fail("form must be separable or joint, not " + detail::shown(form));
    read.shape.form = form == "joint" ? q_form::joint : q_form::separable;
    auto const matrices = repebble::detail::catching<error>([&] { return q_matrices(read.shape); },
                                                            [&](error const& e) -> decltype(q_matrices(read.shape)) {
                                                                repebble::detail::raise(bad_file(source, e.what()));
                                                            });
    for (auto const& matrix : matrices) {
        auto const count = matrix.rows * matrix.columns;
        if (count == 0) continue;
        std::string const name(matrix.name);
        auto const& numbers = in.array(field(name), name);
        if (numbers.size() != count)
            in.fail(name + " has " + std::to_string(numbers.size()) + " numbers, but must have " +
                    std::to_string(count));
        for (auto const& number : numbers) {
            if (!number.is_number()) in.fail(name + " has " + detail::shown(number) + " among its numbers");
            read.values.push_back(number.get<double>());
        }
    }
    return read;
}

REPEBBLE_INLINE auto q_weights_text(q_weights const& weights) -> std::string {
    check_q_weights(weights);
    auto const form = weights.shape.form == q_form::joint ? "joint" : "separable";
    auto text = "{\"width\":" + std::to_string(weights.shape.width) +
                ",\n\"rounds\":" + std::to_string(weights.shape.rounds) + ",\n\"form\":\"" + form + "\"";
    for (auto const& matrix : q_matrices(weights.shape)) {
        auto const count = matrix.rows * matrix.columns;
        if (count == 0) continue;
        auto numbers = nlohmann::json::array();
        for (std::size_t k = 0; k < count; ++k) numbers.push_back(weights.values[matrix.offset + k]);
        text += ",\n\"" + std::string(matrix.name) + "\":" + numbers.dump();
    }
    return text + "}\n";
}

}  // namespace repebble::inline v0::io

#endif
