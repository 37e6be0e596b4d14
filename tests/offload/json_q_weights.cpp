// Covers offload/json_q_weights.hpp.
#include <initializer_list>
#include <string>
#include <string_view>

#include <rapidcheck.h>

#include <repebble/offload/json_q_weights.hpp>
#include <repebble/offload/q_weights.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;

namespace {

/// The text of a small network with the first `what` replaced.
auto network_with(std::string_view what, std::string const& instead) -> std::string {
    auto text = io::q_weights_text({.shape = {.width = 1}, .values = std::vector<double>(15, 0.5)});
    auto const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), instead);
}
auto refused_weights(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_q_weights(text, "w.json"); }, words) &&
           support::throws<bad_file>([&] { return io::parse_q_weights(text, "w.json"); }, {"w.json"});
}

}  // namespace

TEST_CASE("weights of a Q-network are read as they were written, to the last bit", "[io][q_weights]") {
    CHECK(support::holds([] {
        q_shape const shape{.width = *rc::gen::inRange<std::size_t>(1, 6),
                            .rounds = *rc::gen::inRange<std::size_t>(1, 6),
                            .form = *rc::gen::element(q_form::separable, q_form::joint)};
        auto const weights = initial_q_weights(shape, *rc::gen::arbitrary<std::uint64_t>());
        RC_ASSERT(io::parse_q_weights(io::q_weights_text(weights)) == weights);
    }));
}

TEST_CASE("weights of a Q-network go to files and back, packed ones too", "[io][q_weights]") {
    testing::temporary_folder const folder;
    auto const weights = initial_q_weights({.width = 3}, 1);
    for (auto const* name : {"w.json", "w.json.gz"}) {
        io::write_q_weights(folder / name, weights);
        CHECK(io::read_q_weights(folder / name) == weights);
    }
}

TEST_CASE("a file of weights is refused by the field that is wrong", "[io][q_weights]") {
    CHECK(refused_weights("[]", {"object"}));
    CHECK(refused_weights("{", {"not JSON"}));
    CHECK(refused_weights(network_with("\"width\"", "\"w\""), {"width"}));
    CHECK(refused_weights(network_with("\"width\":1", "\"width\":0"), {"width", "0"}));
    CHECK(refused_weights(network_with("\"width\":1", "\"width\":2"), {"W1", "6", "12"}));
    CHECK(refused_weights(network_with("separable", "other"), {"form", "other"}));
    CHECK(refused_weights(network_with("separable", "joint"), {"W9"}));
    CHECK(refused_weights(network_with("0.5", "true"), {"W1", "true"}));
    CHECK(refused_weights(network_with("\"W3\"", "\"W33\""), {"W3"}));
}
