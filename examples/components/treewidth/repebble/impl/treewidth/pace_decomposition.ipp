#ifndef REPEBBLE_IMPL_TREEWIDTH_PACE_DECOMPOSITION_IPP
#define REPEBBLE_IMPL_TREEWIDTH_PACE_DECOMPOSITION_IPP

#include <repebble/treewidth/pace_decomposition.hpp>

#include <algorithm>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::io::detail {

REPEBBLE_INLINE auto pace_bags::read() -> pace_decomposition {
    while (lines_.next()) {
        if (lines_.is_at('s'))
            read_header();
        else if (!bag_count_)
            lines_.fail("stands before the line s, such as: s td 2 3 4");
        else if (lines_.is_at('b'))
            read_bag();
        else
            read_edge();
    }
    finish();
    return std::move(made_);
}

REPEBBLE_INLINE void pace_bags::read_header() {
    if (bag_count_) lines_.fail("is a second line s");
    static_cast<void>(lines_.word());
    if (auto const kind = lines_.word(); kind != "td")
        lines_.fail("the line s must be like: s td 2 3 4, not: s " + std::string(kind.substr(0, 40)));
    bag_count_ = lines_.number("the number of bags", most);
    largest_ = lines_.number("the size of the largest bag", most);
    made_.vertex_count = lines_.number("the number of vertices", most);
    lines_.end();
    // Each bag has a line of three characters: the text is too short for more.
    if (*bag_count_ > size_ / 3)
        lines_.fail("says that there are " + std::to_string(*bag_count_) + " bags, and the text has " +
                    std::to_string(size_) + " bytes");
    made_.decomposition.bags.resize(*bag_count_);
    known_.assign(*bag_count_, 0);
}

REPEBBLE_INLINE void pace_bags::read_bag() {
    static_cast<void>(lines_.word());
    auto const b = lines_.index("the number of a bag", *bag_count_);
    auto const name = "bag " + std::to_string(b + std::size_t{1});
    if (std::exchange(known_[b], 1) != 0) lines_.fail("is a second line of " + name);
    ++known_count_;
    auto& bag = made_.decomposition.bags[b];
    while (!lines_.is_at_end()) bag.push_back(lines_.index("a vertex of " + name, made_.vertex_count));
    std::ranges::sort(bag);
    if (auto const twice = std::ranges::adjacent_find(bag); twice != bag.end())
        lines_.fail(name + " has vertex " + std::to_string(*twice + std::size_t{1}) + " twice");
    if (bag.size() > largest_)
        lines_.fail(name + " has " + std::to_string(bag.size()) + " vertices, and the line s says at most " +
                    std::to_string(largest_));
}

REPEBBLE_INLINE void pace_bags::read_edge() {
    auto const a = lines_.index("the first end of an edge", *bag_count_);
    auto const b = lines_.index("the second end of an edge", *bag_count_);
    lines_.end();
    made_.decomposition.edges.emplace_back(std::min(a, b), std::max(a, b));
}

REPEBBLE_INLINE void pace_bags::finish() {
    if (!bag_count_) lines_.fail_at_end("has no line s, such as: s td 2 3 4");
    if (known_count_ < *bag_count_)
        lines_.fail_at_end("has " + std::to_string(known_count_) + " bags, and its line s says " +
                           std::to_string(*bag_count_) + ": there is no bag " +
                           std::to_string(std::ranges::find(known_, 0) - known_.begin() + 1));
    std::size_t largest = 0;
    for (auto const& bag : made_.decomposition.bags) largest = std::max(largest, bag.size());
    if (largest < largest_)
        lines_.fail_at_end("has no bag of more than " + std::to_string(largest) + " vertices, and its line s says " +
                           std::to_string(largest_));
    std::ranges::sort(made_.decomposition.edges);
}

}  // namespace repebble::inline v0::io::detail

namespace repebble::inline v0::io {

REPEBBLE_INLINE auto pace_decomposition_text(tree_decomposition const& made, std::size_t vertex_count) -> std::string {
    std::size_t largest = 0;
    for (auto const& bag : made.bags) largest = std::max(largest, bag.size());
    auto text = "s td " + std::to_string(made.bags.size()) + ' ' + std::to_string(largest) + ' ' +
                std::to_string(vertex_count) + '\n';
    for (std::size_t b = 0; b < made.bags.size(); ++b) {
        text += "b " + std::to_string(b + 1);
        for (auto const v : made.bags[b]) (text += ' ') += std::to_string(v + std::size_t{1});
        text += '\n';
    }
    for (auto const& [a, b] : made.edges)
        ((text += std::to_string(a + std::size_t{1})) += ' ') += std::to_string(b + std::size_t{1}) + '\n';
    return text;
}

}  // namespace repebble::inline v0::io

#endif
