// Networks by name, ONNX models and graph files, as rows of a Python graph: each output of a node is a value, and so is
// each input by name; each node but an input is an operation. They keep the order of the nodes.
#include "networks.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <nlohmann/json.hpp>

#include <repebble/graph/error.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/machine.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/io/roofline.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/with_values.hpp>
#include <repebble/onnx/onnx_network.hpp>
#include <repebble/onnx/parse_onnx.hpp>

#include "caller.hpp"

namespace repebble_python {
namespace {

namespace io = repebble::io;

/// A network as rows.
class network_rows {
  public:
    explicit network_rows(io::network const& of) : of_(of) {
        for (auto const& node : of.nodes()) {
            first_value_.push_back(values_);
            values_ += node.output_count() - node.alternative_to.size();
            operation_.push_back(operations_);
            if (!node.input) ++operations_;
        }
        check_mutations();
    }

    [[nodiscard]] auto rows() -> nb::dict {
        nb::list values, operations;
        for (std::uint32_t v = 0; v < of_.nodes().size(); ++v) {
            for (std::uint32_t j = 0; j < of_.node(v).output_count(); ++j)
                if (of_.node(v).value_of({v, j}) == io::node_output{v, j}) values.append(value(v, j));
            if (!of_.node(v).input) operations.append(operation(v));
        }
        for (auto const& name : outside_) {
            nb::dict row;
            row["name"] = shown(name);
            row["size"] = 0;
            values.append(row);
        }
        nb::dict made;
        made["name"] = shown(of_.name());
        made["values"] = values;
        made["operations"] = operations;
        made["extra"] = loaded(of_.extra());
        made["options"] = options();
        return made;
    }

  private:
    /// A name, which need not be UTF-8 in an ONNX model.
    [[nodiscard]] static auto shown(std::string const& name) -> nb::object {
        return nb::steal(PyUnicode_DecodeUTF8(name.data(), std::ssize(name), "replace"));
    }
    [[nodiscard]] static auto loaded(nlohmann::json const& of) -> nb::object {
        return nb::module_::import_("json").attr("loads")(
            of.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    }
    [[nodiscard]] auto number(io::node_output const& named) const -> std::size_t {
        auto const of = of_.node(named.vertex).value_of(named);
        auto const& others = of_.node(of.vertex).alternative_to;  // have no number of their own
        auto const before = std::ranges::count_if(others, [&](auto const& other) { return other.output < of.output; });
        return first_value_[of.vertex] + of.output - static_cast<std::size_t>(before);
    }
    [[nodiscard]] auto number_of(std::string const& outside) -> std::size_t {
        auto const [found, is_new] = outside_number_.emplace(outside, values_ + outside_.size());
        if (is_new) outside_.push_back(outside);
        return found->second;
    }
    [[nodiscard]] static auto list_of(std::vector<std::size_t> const& numbers) -> nb::list {
        nb::list made;
        for (auto const i : numbers) made.append(i);
        return made;
    }

    /// In a Python graph, what follows a mutation in the list reads the new content, and what precedes it the old one.
    void check_mutations() const {
        std::map<std::size_t, std::uint32_t> mutator;  // by value, with the nodes up to here
        for (std::uint32_t w = 0; w < of_.nodes().size(); ++w) {
            for (auto const& of : of_.operands(w))
                if (auto const found = mutator.find(number(of)); found != mutator.end())
                    throw repebble::bad_graph("node " + std::to_string(w) + " reads what node " +
                                              std::to_string(found->second) +
                                              " writes over, and stands behind it in the file");
            for (auto const& use : of_.node(w).mutates) mutator.emplace(number(use.of), w);
        }
    }

    [[nodiscard]] auto value(std::uint32_t v, std::uint32_t j) const -> nb::dict {
        auto const& node = of_.node(v);
        nb::dict row;
        if (!node.name.empty())
            row["name"] = shown(node.output_count() == 1 ? node.name : node.name + ':' + std::to_string(j));
        row["size"] = node.output_memory(j);
        std::vector<std::size_t> viewed;
        for (auto const& of : of_.views({v, j})) viewed.push_back(number(of));
        for (auto const& use : node.mutates)
            if (use.output == j) viewed.push_back(number(use.of));
        if (!viewed.empty()) row["view_of"] = list_of(viewed);
        if (std::ranges::binary_search(node.results, j)) row["result"] = true;
        if (node.donated) row["donated"] = true;
        if (!of_.is_joint() && !io::gradient_passes{&of_}(v, j)) row["has_gradient"] = false;
        return row;
    }

    [[nodiscard]] auto reads_of(std::uint32_t v) -> std::vector<std::size_t> {
        std::vector<std::size_t> reads;
        if (auto const& given = of_.node(v).reads)
            for (auto const& operand : *given)
                reads.push_back(operand.outside.empty() ? number(operand.of) : number_of(operand.outside));
        else
            for (auto const& of : of_.operands(v)) reads.push_back(number(of));
        return reads;
    }
    /// The values that its gradient reads.
    [[nodiscard]] auto gradient_reads(std::uint32_t v) const -> std::vector<std::size_t> {
        std::vector<std::size_t> needed;
        for (auto const& of : of_.operands(v))
            if (io::input_needed_by{&of_}(v, of.vertex)) needed.push_back(number(of));
        for (std::uint32_t j = 0; j < of_.node(v).output_count(); ++j)
            if (io::output_needed_by{&of_}(v, j)) needed.push_back(number({v, j}));
        std::ranges::sort(needed);
        needed.erase(std::ranges::unique(needed).begin(), needed.end());
        return needed;
    }

    [[nodiscard]] auto operation(std::uint32_t v) -> nb::dict {
        auto const& node = of_.node(v);
        nb::dict row;
        if (!node.name.empty()) row["name"] = shown(node.name);
        if (!node.op.empty()) row["op"] = shown(node.op);
        if (operation_[v] != v) row["node"] = v;
        row["time"] = node.time;
        row["reads"] = list_of(reads_of(v));
        std::vector<std::size_t> writes, after, mutates;
        for (std::uint32_t j = 0; j < node.output_count(); ++j) writes.push_back(number({v, j}));
        row["writes"] = list_of(writes);
        for (auto const u : of_.graph().predecessors(v))
            if (of_.outputs_read(u, v).empty() && !of_.node(u).input) after.push_back(operation_[u]);
        if (!after.empty()) row["after"] = list_of(after);
        for (auto const& use : node.mutates) mutates.push_back(number(use.of));
        if (!mutates.empty()) row["mutates"] = list_of(mutates);
        if (node.workspace > 0) row["workspace"] = node.workspace;
        if (!node.recomputable) row["recomputable"] = false;
        if (of_.is_joint())
            row["pass"] = node.phase == repebble::pass::forward ? "forward" : "backward";
        else
            row["gradient_reads"] = list_of(gradient_reads(v));
        if (!node.extra.empty()) row["extra"] = loaded(node.extra);
        return row;
    }

    /// What the file asks of a plan: keyword arguments of `plan`.
    [[nodiscard]] auto options() const -> nb::dict {
        nb::dict made;
        if (!of_.time_unit().empty()) made["time_unit"] = of_.time_unit();
        if (!of_.copies().link.empty()) made["link"] = of_.copies().link;
        if (of_.copies().host_budget) made["host_budget"] = *of_.copies().host_budget;
        for (auto const& [name, member] : {std::pair{"must_keep", &io::network_node::must_keep},
                                           std::pair{"must_recompute", &io::network_node::must_recompute}}) {
            std::vector<std::size_t> marked;
            for (std::uint32_t v = 0; v < of_.nodes().size(); ++v)
                for (auto const j : of_.node(v).*member) marked.push_back(number({v, j}));
            if (!marked.empty()) made[name] = list_of(marked);
        }
        return made;
    }

    io::network const& of_;
    std::vector<std::size_t> first_value_, operation_;  // by node
    std::size_t values_ = 0, operations_ = 0;
    std::vector<std::string> outside_;
    std::map<std::string, std::size_t> outside_number_;
};

/// The rows of what `read(account)` returns. Ctrl-C ends the reading.
template <class Read>
[[nodiscard]] auto rows_of(Read const& read) -> nb::dict {
    caller from({}, {}, nb::none());
    auto const net = from.run([&] { return read(io::read_account(from.limits())); });
    return network_rows(net).rows();
}

[[nodiscard]] auto device_named(std::string const& name, std::optional<double> flops_per_second,
                                std::optional<double> bytes_per_second) -> io::roofline {
    auto const found = io::find_machine(name);
    if (!found || found->flops_per_second <= 0)
        throw repebble::bad_option("no device \"" + name + "\": there are " + io::machine_names());
    return {flops_per_second.value_or(found->flops_per_second), bytes_per_second.value_or(found->bytes_per_second)};
}

[[nodiscard]] auto element_named(std::string const& name) -> repebble::networks::element {
    using repebble::networks::element;
    for (auto const type : {element::float32, element::bfloat16})
        if (to_string(type) == name) return type;
    throw repebble::bad_option("no values of \"" + name + "\": there are float32 and bfloat16");
}

using extent = std::optional<std::int64_t>;

[[nodiscard]] auto network_named(std::string const& name, extent batch, extent resolution, extent classes,
                                 extent channels, extent length, std::string const& dtype, std::string const& device,
                                 std::optional<double> flops_per_second, std::optional<double> bytes_per_second) {
    return rows_of([&](io::read_account const&) {
        auto const [flops, bytes] = device_named(device, flops_per_second, bytes_per_second);
        auto made = repebble::networks::by_name(name, {batch, resolution, classes, channels, length});
        if (auto const type = element_named(dtype); type != repebble::networks::element::float32)
            made = repebble::networks::with_values(made, type);
        return repebble::networks::network_of(made, repebble::networks::roofline{flops, bytes});
    });
}

[[nodiscard]] auto parse_graph_file(nb::bytes const& text, std::string const& source, std::string const& time_unit) {
    std::string_view const given(text.c_str(), text.size());
    return rows_of(
        [&](io::read_account const& account) { return io::parse_network(given, source, time_unit, account); });
}

/// Of a model's text, or of a file where there is none.
[[nodiscard]] auto read_onnx(std::string const& source, std::optional<nb::bytes> const& text,
                             std::map<std::string, std::int64_t> const& dimensions, extent batch, bool training,
                             std::string const& device, std::optional<double> flops_per_second,
                             std::optional<double> bytes_per_second) {
    auto const given = text ? std::optional<std::string>(std::string(text->c_str(), text->size())) : std::nullopt;
    return rows_of([&](io::read_account const& account) {
        io::onnx_options const options{.dimensions = dimensions,
                                       .batch = batch,
                                       .device = device_named(device, flops_per_second, bytes_per_second),
                                       .training = training};
        if (!given) return io::read_onnx(source, options, account);
        return io::onnx_network(io::parse_onnx_model(*given, source, account), options, source, account);
    });
}

}  // namespace

void add_networks(nb::module_& m) {
    using namespace nb::literals;
    m.def("network", &network_named, "name"_a, "batch"_a.none(), "resolution"_a.none(), "classes"_a.none(),
          "channels"_a.none(), "length"_a.none(), "dtype"_a, "device"_a, "flops_per_second"_a.none(),
          "bytes_per_second"_a.none());
    m.def("network_names", [] { return std::string(repebble::networks::names); });
    m.def("parse_graph_file", &parse_graph_file, "text"_a, "source"_a, "time_unit"_a);
    m.def("read_onnx", &read_onnx, "source"_a, "text"_a.none(), "dimensions"_a, "batch"_a.none(), "training"_a,
          "device"_a, "flops_per_second"_a.none(), "bytes_per_second"_a.none());
}

}  // namespace repebble_python
