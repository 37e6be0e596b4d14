// Covers onnx/parse_onnx.hpp, onnx/onnx_model.hpp.
#include <bit>
#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <repebble/io/bad_file.hpp>
#include <repebble/io/gzip.hpp>
#include <repebble/onnx/parse_onnx.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"
#include "support/wire_writer.hpp"

using namespace repebble;
using io::onnx_model;
using io::onnx_type;
using io::parse_onnx_model;
using support::throws;

namespace {

auto with_graph(std::string const& graph) -> onnx_model { return parse_onnx_model(wire::block(7, graph)); }

/// The tensor of these fields, as an initializer named t.
auto tensor_of(std::string const& fields) -> io::onnx_tensor {
    return with_graph(wire::block(5, wire::block(8, "t") + fields)).graph.initializers.at("t");
}
auto attribute_of(std::string const& fields) -> io::onnx_attribute {
    return with_graph(wire::block(1, wire::block(5, fields))).graph.nodes.at(0).attributes.at(0);
}
auto input_of_type(std::string const& type) -> io::onnx_value {
    return with_graph(wire::block(11, wire::block(1, "x") + wire::block(2, type))).graph.inputs.at(0);
}

using whole_list = std::vector<std::int64_t>;
using real_list = std::vector<double>;

auto const shape_of_two = wire::number(1, 2);

/// A small model with all that planning reads.
auto small_model() -> std::string {
    auto const relu = wire::block(1, "x") + wire::block(2, "y") + wire::block(3, "n") + wire::block(4, "Relu");
    auto const type = wire::block(1, wire::number(1, 1) + wire::block(2, wire::block(1, wire::number(1, 8)) +
                                                                             wire::block(1, wire::block(2, "seq"))));
    auto const x = wire::block(1, "x") + wire::block(2, type), y = wire::block(1, "y") + wire::block(2, type);
    return wire::number(1, 10) + wire::block(2, "somebody") + wire::block(8, wire::number(2, 20)) +
           wire::block(7, wire::block(1, relu) + wire::block(2, "g") + wire::block(11, x) + wire::block(12, y));
}

/// What protobuf's generated classes have.
struct generated_class {
    std::string text;
    [[nodiscard]] auto SerializeAsString() const { return text; }
};
static_assert(io::onnx_message<generated_class>);
static_assert(!io::onnx_message<std::string>);

}  // namespace

TEST_CASE("an ONNX model is read field by field", "[onnx]") {
    auto const m = parse_onnx_model(small_model());
    CHECK(m.opsets == std::map<std::string, std::int64_t>{{"", 20}});
    CHECK(m.graph.name == "g");
    REQUIRE(m.graph.nodes.size() == 1);
    CHECK(m.graph.nodes[0].name == "n");
    CHECK(m.graph.nodes[0].op_type == "Relu");
    CHECK(m.graph.nodes[0].inputs == std::vector<std::string>{"x"});
    CHECK(m.graph.nodes[0].outputs == std::vector<std::string>{"y"});
    REQUIRE(m.graph.inputs.size() == 1);
    CHECK(m.graph.inputs[0].type == onnx_type::float32);
    CHECK(m.graph.inputs[0].shape == std::vector<io::onnx_extent>{std::int64_t{8}, std::string("seq")});
    CHECK(io::onnx_model_of(generated_class{small_model()}).graph.outputs.at(0).name == "y");
}

TEST_CASE("fields that planning does not read are skipped, of whatever kind", "[onnx]") {
    auto const more = wire::number(99, 1) + wire::block(98, "text") + wire::fixed(97, 1, 8) + wire::fixed(96, 1, 4);
    CHECK(parse_onnx_model(more + small_model() + more).graph.nodes.size() == 1);
    CHECK(with_graph(more + wire::block(1, more + wire::block(4, "Relu") + more)).graph.nodes.at(0).op_type == "Relu");
}

TEST_CASE("functions have bodies, attributes with defaults, and attributes of a call", "[onnx]") {
    auto const body = wire::block(4, "Pow") + wire::block(5, wire::block(1, "n") + wire::block(21, "exponent"));
    auto const f = wire::block(1, "power") + wire::block(10, "own") + wire::block(4, "x") + wire::block(5, "y") +
                   wire::block(6, "exponent") + wire::block(7, body) + wire::block(13, "double") +
                   wire::block(11, wire::block(1, "base") + wire::number(3, 2)) +
                   wire::block(9, wire::block(1, "ai.onnx") + wire::number(2, 18));
    auto const m = parse_onnx_model(wire::block(7, "") + wire::block(25, f));
    REQUIRE(m.functions.size() == 1);
    auto const& read = m.functions[0];
    CHECK((read.name == "power" && read.domain == "own" && read.overload == "double"));
    CHECK((read.inputs.size() == 1 && read.outputs.size() == 1 && read.attributes.at(0) == "exponent"));
    CHECK(read.nodes.at(0).attributes.at(0).reference == "exponent");
    CHECK(std::get<std::int64_t>(read.defaults.at(0).value) == 2);
    CHECK(read.opsets.at("") == 18);
}

TEST_CASE("elements of tensors, as bytes and as lists of numbers", "[onnx]") {
    auto const of = [](onnx_type type, std::string const& fields) {
        return tensor_of(shape_of_two + wire::number(2, static_cast<std::int64_t>(type)) + fields);
    };
    auto const raw = [](std::uint64_t a, std::uint64_t b, int width) {
        return wire::block(9, wire::little_endian(a, width) + wire::little_endian(b, width));
    };
    auto const minus_two = static_cast<std::uint64_t>(std::int64_t{-2});
    CHECK(of(onnx_type::int64, raw(7, minus_two, 8)).integers == whole_list{7, -2});
    CHECK(of(onnx_type::int32, raw(7, minus_two, 4)).integers == whole_list{7, -2});
    CHECK(of(onnx_type::int8, raw(7, minus_two, 1)).integers == whole_list{7, -2});
    CHECK(of(onnx_type::uint8, raw(7, 254, 1)).integers == whole_list{7, 254});
    CHECK(of(onnx_type::boolean, raw(0, 1, 1)).integers == whole_list{0, 1});
    CHECK(
        of(onnx_type::float32, raw(std::bit_cast<std::uint32_t>(0.5F), std::bit_cast<std::uint32_t>(-3.0F), 4)).reals ==
        real_list{0.5, -3});
    CHECK(of(onnx_type::float64, raw(std::bit_cast<std::uint64_t>(0.5), std::bit_cast<std::uint64_t>(-3.0), 8)).reals ==
          real_list{0.5, -3});
    CHECK(of(onnx_type::float16, raw(0x3c00, 0xc200, 2)).reals == real_list{1, -3});
    CHECK(of(onnx_type::bfloat16, raw(0x3f80, 0xc040, 2)).reals == real_list{1, -3});
    // The least numbers of all, which are subnormal.
    CHECK(of(onnx_type::float16, raw(1, 0x8001, 2)).reals == real_list{0x1p-24, -0x1p-24});
    CHECK(of(onnx_type::bfloat16, raw(1, 0x8001, 2)).reals == real_list{0x1p-133, -0x1p-133});
    // Lists: packed, and one number a field.
    CHECK(of(onnx_type::int64, wire::block(7, wire::varint(7) + wire::varint(minus_two))).integers ==
          whole_list{7, -2});
    CHECK(of(onnx_type::int64, wire::number(7, 7) + wire::number(7, -2)).integers == whole_list{7, -2});
    CHECK(of(onnx_type::int32, wire::number(5, 7) + wire::number(5, -2)).integers == whole_list{7, -2});
    CHECK(of(onnx_type::float16, wire::number(5, 0x3c00) + wire::number(5, 0xc200)).reals == real_list{1, -3});
    CHECK(of(onnx_type::float32, wire::fixed(4, std::bit_cast<std::uint32_t>(0.5F), 4) + wire::fixed(4, 0, 4)).reals ==
          real_list{0.5, 0});
    CHECK(of(onnx_type::float64, wire::fixed(10, std::bit_cast<std::uint64_t>(0.5), 8) + wire::fixed(10, 0, 8)).reals ==
          real_list{0.5, 0});
    CHECK(of(onnx_type::float32, wire::block(4, wire::little_endian(0, 4) + wire::little_endian(0, 4))).reals ==
          real_list{0, 0});
}

TEST_CASE("half precision, its limits", "[onnx]") {
    auto const half = [](std::uint64_t bits) {
        return tensor_of(wire::number(2, 10) + wire::block(9, wire::little_endian(bits, 2))).reals.value().at(0);
    };
    CHECK(half(0x0001) == 0x1p-24);
    CHECK(half(0x7bff) == 65504);
    CHECK(half(0x8000) == 0);
    CHECK(half(0xfc00) == -std::numeric_limits<double>::infinity());
    CHECK(half(0x7c01) != half(0x7c01));
}

TEST_CASE("contents are left out where they are many, missing, too few or elsewhere", "[onnx]") {
    auto const float_type = wire::number(2, 1);
    auto const many = tensor_of(wire::number(1, 5000) + float_type + wire::block(9, std::string(20'000, '\0')));
    CHECK((many.shape == whole_list{5000} && !many.reals));
    auto const huge = tensor_of(wire::number(1, 1 << 20) + float_type + wire::block(9, std::string(4 << 20, '\0')));
    CHECK((huge.shape == whole_list{1 << 20} && !huge.reals));
    CHECK(!tensor_of(shape_of_two + float_type).reals);
    CHECK(!tensor_of(shape_of_two + float_type + wire::block(9, std::string(4, '\0'))).reals);
    CHECK(!tensor_of(shape_of_two + float_type + wire::block(9, std::string(8, '\0')) + wire::number(14, 1)).reals);
    CHECK(tensor_of(wire::number(1, 0) + float_type).reals == real_list{});
    auto const overflow = wire::number(1, std::int64_t{1} << 40);
    CHECK(tensor_of(overflow + overflow + float_type).shape.size() == 2);
    CHECK(throws<bad_file>([] { return tensor_of(wire::number(1, -3)); }, {"tensor t has the extent -3"}));
}

TEST_CASE("an attribute is of the kind that the file says, also where nothing else is there", "[onnx]") {
    auto const kind = [](std::int64_t k) { return wire::number(20, k); };
    CHECK(std::get<double>(attribute_of(wire::fixed(2, std::bit_cast<std::uint32_t>(0.5F), 4) + kind(1)).value) == 0.5);
    CHECK(std::get<std::int64_t>(attribute_of(wire::number(3, -1) + kind(2)).value) == -1);
    CHECK(std::get<std::string>(attribute_of(wire::block(4, "SAME_UPPER") + kind(3)).value) == "SAME_UPPER");
    CHECK(std::get<whole_list>(attribute_of(wire::number(8, 1) + wire::number(8, 2) + kind(7)).value) ==
          whole_list{1, 2});
    CHECK(std::get<whole_list>(attribute_of(wire::block(8, wire::varint(1) + wire::varint(2))).value) ==
          whole_list{1, 2});
    CHECK(std::get<std::vector<std::string>>(attribute_of(wire::block(9, "a") + kind(8)).value).size() == 1);
    CHECK(std::get<io::onnx_tensor>(attribute_of(wire::block(5, shape_of_two)).value).shape == whole_list{2});
    CHECK(
        std::get<std::vector<io::onnx_graph>>(attribute_of(wire::block(6, wire::block(2, "body"))).value).at(0).name ==
        "body");
    CHECK(std::get<std::int64_t>(attribute_of(kind(2)).value) == 0);
    CHECK(std::get<whole_list>(attribute_of(kind(7)).value).empty());
    CHECK(std::holds_alternative<std::monostate>(attribute_of(kind(13)).value));
}

TEST_CASE("types of inputs: tensors, optional ones, sequences", "[onnx]") {
    auto const tensor = wire::number(1, 7) + wire::block(2, wire::block(1, wire::number(1, 3)));
    CHECK(input_of_type(wire::block(1, tensor)).shape->size() == 1);
    CHECK(input_of_type(wire::block(9, wire::block(1, wire::block(1, tensor)))).shape->size() == 1);
    auto const sequence = input_of_type(wire::block(4, wire::block(1, wire::block(1, tensor))));
    CHECK((sequence.type == onnx_type::int64 && !sequence.shape));
    CHECK(!input_of_type(wire::block(1, wire::number(1, 7))).shape);
    CHECK(input_of_type(wire::block(1, wire::block(2, ""))).shape->empty());
    auto const open = input_of_type(wire::block(1, wire::block(2, wire::block(1, ""))));
    CHECK(open.shape == std::vector<io::onnx_extent>{std::string()});
}

TEST_CASE("a sparse initializer has the name of its values", "[onnx]") {
    auto const values = wire::block(8, "s") + wire::number(1, 2) + wire::number(2, 1);
    auto const m = with_graph(wire::block(15, wire::block(1, values) + wire::number(3, 4) + wire::number(3, 5)));
    CHECK(m.graph.initializers.at("s") == io::onnx_tensor{onnx_type::float32, {4, 5}});
}

TEST_CASE("what is no ONNX model is refused, with the byte", "[onnx]") {
    auto const refused = [](std::string const& text, std::string_view words) {
        return throws<bad_file>([&] { return parse_onnx_model(text, "m.onnx"); },
                                {"m.onnx: is not an ONNX model", words});
    };
    CHECK(refused("", "it has no graph at byte 0"));
    CHECK(refused("{\"nodes\":[]}", "at byte"));
    CHECK(refused(wire::block(7, "abc").substr(0, 3), "3 bytes should follow, more than there are, at byte 2"));
    CHECK(refused(wire::number(7, 3), "field 7 is of another kind"));
    CHECK(refused(std::string("\x07\x00", 2), "no field of a message begins"));
    CHECK(refused(std::string(11, '\xff'), "longer than ten bytes"));
    std::string deep;
    for (int k = 0; k < 300; ++k) deep = wire::block(1, wire::block(5, wire::block(6, deep)));
    CHECK(refused(wire::block(7, deep), "nested too deep"));
}

TEST_CASE("files are read plain and packed, and spoiled ones never harm", "[onnx]") {
    repebble::testing::temporary_folder const folder;
    auto const put = [&](std::string const& name, std::string const& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        return folder / name;
    };
    auto const text = small_model();
    CHECK(io::read_onnx_model(put("m.onnx", text)).graph.nodes.size() == 1);
    CHECK(io::read_onnx_model(put("m.onnx.gz", repebble::io::detail::gzip(text))).graph.nodes.size() == 1);
    CHECK(throws<bad_file>([&] { return io::read_onnx_model(folder / "none.onnx"); }, {"there is no such file"}));
    CHECK(throws<bad_file>([&] { return io::read_onnx_model(put("e.onnx", "")); }, {"e.onnx", "has no graph"}));
    for (std::size_t n = 0; n < text.size(); ++n)
        CHECK(throws<bad_file>([&] { return io::read_onnx_model(put("cut.onnx", text.substr(0, n))); }, {"at byte"}));
}

TEST_CASE("a model with other bytes is read or refused", "[onnx][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        auto text = small_model();
        for (auto count = support::below(random, 6); count > 0; --count)
            text[support::below(random, text.size())] = static_cast<char>(support::below(random, 256));
        try {
            static_cast<void>(parse_onnx_model(text));
        } catch (bad_file const&) {
        }
    }));
}
