#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/graph/error.hpp>

#include "drawing/bags_picture.hpp"
#include "drawing/tidy_tree.hpp"
#include "program/run_program.hpp"
#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

namespace {

using tree_edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Each node hangs from one of the last `reach` before it: a path for 1.
auto random_tree(support::split_mix& random, std::size_t count, std::size_t reach) -> tree_edges {
    tree_edges edges;
    for (std::size_t v = 1; v < count; ++v) {
        auto const parent = v - 1 - support::below(random, std::min(reach, v));
        edges.emplace_back(static_cast<std::uint32_t>(parent), static_cast<std::uint32_t>(v));
    }
    return edges;
}

auto bags_of(support::split_mix& random, std::size_t count, std::size_t reach) -> repebble::tree_decomposition {
    repebble::tree_decomposition made{{}, random_tree(random, count, reach)};
    for (std::size_t b = 0; b < count; ++b) {
        made.bags.emplace_back();
        for (std::uint32_t v = 0; v < support::below(random, 9); ++v) made.bags.back().push_back(v);
    }
    return made;
}

/// Where the paths of circles begin, each at its left, and the size of the picture.
struct circles {
    double width = 0, height = 0;
    std::vector<std::pair<double, double>> lefts{};

    explicit circles(std::string const& text) {
        auto const box = text.find("viewBox=");
        REQUIRE(std::sscanf(text.c_str() + box, "viewBox=\"0 0 %lf %lf\"", &width, &height) == 2);
        for (auto at = text.find("<path"); at != text.npos; at = text.find("<path", at + 1)) {
            double x = 0, y = 0;
            char next = 0;
            if (std::sscanf(text.c_str() + at, "<path d=\"M%lf %lf%c", &x, &y, &next) == 3 && next == 'a')
                lefts.emplace_back(x, y);
        }
    }
};

}  // namespace

TEST_CASE("bags: the nodes of a level are apart, in the order of their parents", "[bags]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const count = 1 + support::below(random, 60);
        auto const edges = random_tree(random, count, 1 + support::below(random, 60));
        auto const tree = drawing::lay_out_tree(count, edges);
        RC_ASSERT(tree.order.size() == count);
        for (auto const& [a, b] : edges)
            RC_ASSERT((tree.parents[a] == b && tree.depths[a] == tree.depths[b] + 1) ||
                      (tree.parents[b] == a && tree.depths[b] == tree.depths[a] + 1));
        for (std::size_t k = 1; k < count; ++k) {
            auto const left = tree.order[k - 1], right = tree.order[k];
            RC_ASSERT(tree.depths[left] <= tree.depths[right]);
            if (tree.depths[left] < tree.depths[right]) continue;
            RC_ASSERT(tree.x[right] >= tree.x[left] + 1 - 1e-9);
            RC_ASSERT(tree.x[tree.parents[left]] <= tree.x[tree.parents[right]]);
        }
    }));
}

TEST_CASE("bags: a longest path is straight, its end the root", "[bags]") {
    auto const tree = drawing::lay_out_tree(6, tree_edges{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {2, 5}});
    CHECK(tree.depths == std::vector<std::uint32_t>{4, 3, 2, 1, 0, 3});
    CHECK(tree.x[0] == tree.x[4]);
    CHECK(drawing::lay_out_tree(0, {}).order.empty());
    CHECK_THROWS_AS(drawing::lay_out_tree(3, tree_edges{{0, 1}}), repebble::precondition_violated);
    CHECK_THROWS_AS(drawing::lay_out_tree(3, tree_edges{{0, 1}, {1, 2}, {0, 2}}), repebble::precondition_violated);
}

TEST_CASE("bags: each is drawn once, within the picture", "[bags][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto const made = bags_of(random, 1 + support::below(random, 300), 1 + support::below(random, 30));
        auto const text = drawing::bags_picture(made, {}, "some bags");
        circles const drawn(text);
        RC_ASSERT(drawn.lefts.size() == made.bags.size());
        for (auto const& [x, y] : drawn.lefts) RC_ASSERT(x >= 0 && x <= drawn.width && y >= 30 && y <= drawn.height);
        std::vector<std::pair<double, double>> places = drawn.lefts;
        std::ranges::sort(places);
        RC_ASSERT(std::ranges::adjacent_find(places) == places.end());
    }));
}

TEST_CASE("bags: the picture is well-formed XML that lists the vertices, whatever they are called", "[bags]") {
    repebble::tree_decomposition const made{{{0, 1}, {1, 2}, {}}, {{0, 1}, {1, 2}}};
    auto const text = drawing::bags_picture(made, std::vector<std::string>{"a<&\"", "\xff\x01", "c"}, "three <bags>");
    CHECK(program::is_well_formed(text));
    CHECK(text.find("three &lt;bags&gt;") != text.npos);
    CHECK(text.find("<title>bag 0, 2 vertices: a&lt;&amp;") != text.npos);
    CHECK(text.find("<title>bag 2, 0 vertices</title>") != text.npos);
    CHECK(drawing::bags_picture(made, {}, "").find("<title>bag 1, 2 vertices: 1, 2</title>") != text.npos);
    CHECK(program::is_well_formed(drawing::bags_picture({}, {}, "none")));
}

TEST_CASE("bags: very many are drawn in rows", "[bags]") {
    support::split_mix random(1);
    for (std::size_t const reach : {1U, 10U, 5000U}) {
        auto const text = drawing::bags_picture(bags_of(random, 5000, reach), {}, "many");
        circles const drawn(text);
        CHECK(drawn.lefts.size() == 5000);
        CHECK(drawn.width <= 1200);
        CHECK(drawn.height < 2600);
        CHECK(text.size() < 2'000'000);
        CHECK(text.find("nan") == text.npos);
        CHECK(program::is_well_formed(text));
    }
}
