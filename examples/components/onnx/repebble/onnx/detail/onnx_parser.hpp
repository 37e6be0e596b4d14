#ifndef REPEBBLE_ONNX_DETAIL_ONNX_PARSER_HPP
#define REPEBBLE_ONNX_DETAIL_ONNX_PARSER_HPP

// Makes plain values of ONNX's messages, by the field numbers of its schema (onnx.proto, IR versions 3 to 13): one
// function for each message, one line for each field that planning needs; all others are skipped. The body of
// read_onnx_model.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <repebble/onnx/detail/tensor_elements.hpp>
#include <repebble/onnx/detail/wire_reader.hpp>
#include <repebble/onnx/onnx_model.hpp>

namespace repebble::inline v0::io::detail {

/// Reads a model from the fields of its messages.
class onnx_parser {
  public:
    explicit onnx_parser(wire_reader& in) : in_(in) {}

    /// The model; all of the reader's bytes are its own.  Throws bad_file, naming the byte.
    [[nodiscard]] auto model() -> onnx_model {
        onnx_model m;
        bool has_graph = false;
        fields([&](auto f) {
            if (f == 7) return has_graph = true, take(m.graph);
            if (f == 8) return take(m.opsets);
            if (f == 25) return take(m.functions);
            in_.skip();
        });
        if (!has_graph) in_.fail("it has no graph");
        return m;
    }

  private:
    template <class Read>
    void fields(Read const& read) {
        while (in_.next()) read(in_.field());
    }

    // What a field has: a text, a number, a message, or one more of a list of these.
    void take(std::string& text) { text = in_.text(); }
    void take(std::int64_t& number) { number = in_.integer(); }
    void take(onnx_type& type) { type = static_cast<onnx_type>(in_.integer()); }
    void take(std::vector<std::int64_t>& numbers) { in_.integers(numbers); }
    void take(std::map<std::string, std::int64_t>& versions) {
        in_.message([&] {
            in_.spend(1, 128);
            std::string domain;
            std::int64_t version = 0;
            fields([&](auto f) {
                if (f == 1) return take(domain);
                if (f == 2) return take(version);
                in_.skip();
            });
            versions[domain == "ai.onnx" ? "" : domain] = version;
        });
    }
    template <class T>
    void take(std::vector<T>& list) {
        in_.spend(1, 2 * sizeof(T));
        take(list.emplace_back());
    }
    template <class Message>
    void take(Message& message) {
        in_.message([&] { read(message); });
    }
    /// The list that a variant has, or has from now on.
    template <class List, class Variant>
    [[nodiscard]] static auto list_in(Variant& value) -> List& {
        return std::holds_alternative<List>(value) ? std::get<List>(value) : value.template emplace<List>();
    }

    void read(onnx_graph& g) {
        fields([&](auto f) {
            if (f == 1) return take(g.nodes);
            if (f == 2) return take(g.name);
            if (f == 5 || f == 15) {
                named_tensor t{.sparse = f == 15};
                in_.spend(1, sizeof(named_tensor) + 64);
                take(t);
                g.initializers.insert_or_assign(std::move(t.name), std::move(t.tensor));
                return;
            }
            if (f == 11) return take(g.inputs);
            if (f == 12) return take(g.outputs);
            if (f == 13) return take(g.values);
            in_.skip();
        });
    }
    void read(onnx_node& n) {
        fields([&](auto f) {
            if (f == 1) return take(n.inputs);
            if (f == 2) return take(n.outputs);
            if (f == 3) return take(n.name);
            if (f == 4) return take(n.op_type);
            if (f == 5) return take(n.attributes);
            if (f == 7) return take(n.domain);
            if (f == 8) return take(n.overload);
            in_.skip();
        });
    }
    void read(onnx_function& n) {
        fields([&](auto f) {
            if (f == 1) return take(n.name);
            if (f == 4) return take(n.inputs);
            if (f == 5) return take(n.outputs);
            if (f == 6) return take(n.attributes);
            if (f == 7) return take(n.nodes);
            if (f == 9) return take(n.opsets);
            if (f == 10) return take(n.domain);
            if (f == 11) return take(n.defaults);
            if (f == 13) return take(n.overload);
            in_.skip();
        });
    }
    /// Field 20 names the kind, of which nothing else may be there where the value is 0 or empty.
    void read(onnx_attribute& a) {
        std::int64_t kind = 0;
        fields([&](auto f) {
            if (f == 1) return take(a.name);
            if (f == 2) return static_cast<void>(a.value = in_.real());
            if (f == 3) return static_cast<void>(a.value = in_.integer());
            if (f == 4) return static_cast<void>(a.value = in_.text());
            if (f == 5 || f == 22) {
                named_tensor t{.sparse = f == 22};
                take(t);
                a.value = std::move(t.tensor);
                return;
            }
            if (f == 6 || f == 11) return take(list_in<std::vector<onnx_graph>>(a.value));
            if (f == 7) return in_.reals(list_in<std::vector<double>>(a.value), 4);
            if (f == 8) return take(list_in<std::vector<std::int64_t>>(a.value));
            if (f == 9) return take(list_in<std::vector<std::string>>(a.value));
            if (f == 20) return take(kind);
            if (f == 21) return take(a.reference);
            in_.skip();
        });
        if (!std::holds_alternative<std::monostate>(a.value) || !a.reference.empty()) return;
        if (kind == 1) a.value = 0.0;
        if (kind == 2) a.value = std::int64_t{0};
        if (kind == 3) a.value = std::string();
        if (kind == 6) a.value = std::vector<double>();
        if (kind == 7) a.value = std::vector<std::int64_t>();
        if (kind == 8) a.value = std::vector<std::string>();
    }
    /// A sparse tensor has the name of its values, and its contents are left out.
    struct named_tensor {
        bool sparse = false;
        std::string name{};
        onnx_tensor tensor{};
    };
    void read(named_tensor& t) {
        if (t.sparse) return read_sparse(t);
        tensor_elements elements;
        auto const few = [&] {
            if (in_.size() <= tensor_elements::most_bytes) return true;
            in_.skip();
            return elements.elsewhere = true, false;
        };
        fields([&](auto f) {
            if (f == 1) return take(t.tensor.shape);
            if (f == 2) return take(t.tensor.type);
            if (f == 4) return few() ? in_.reals(elements.reals, 4) : void();
            if (f == 5 || f == 7 || f == 11) return few() ? take(elements.integers) : void();
            if (f == 8) return take(t.name);
            if (f == 9) return few() ? take(elements.raw) : void();
            if (f == 10) return few() ? in_.reals(elements.reals, 8) : void();
            if (f == 14) return static_cast<void>(elements.elsewhere = in_.integer() == 1);
            in_.skip();
        });
        for (auto const n : t.tensor.shape)
            if (n < 0) in_.fail("tensor " + t.name + " has the extent " + std::to_string(n));
        std::move(elements).move_to(t.tensor);
    }
    void read_sparse(named_tensor& t) {
        fields([&](auto f) {
            if (f == 3) return take(t.tensor.shape);
            if (f != 1) return in_.skip();
            named_tensor values;
            take(values);
            t.name = std::move(values.name);
            t.tensor.type = values.tensor.type;
        });
    }

    void read(onnx_value& v) {
        fields([&](auto f) {
            if (f == 1) return take(v.name);
            if (f == 2) return in_.message([&] { read_type(v, true); });
            in_.skip();
        });
    }
    /// The type of a tensor, dense, sparse or optional; of a sequence that of its elements, without a shape.
    void read_type(onnx_value& v, bool is_tensor) {
        fields([&](auto f) {
            if (f == 1 || f == 8) return in_.message([&] { read_tensor_type(v, is_tensor); });
            if (f != 4 && f != 9) return in_.skip();
            in_.message([&] {
                fields([&](auto g) {
                    if (g == 1) return in_.message([&] { read_type(v, is_tensor && f == 9); });
                    in_.skip();
                });
            });
        });
    }
    void read_tensor_type(onnx_value& v, bool with_shape) {
        fields([&](auto f) {
            if (f == 1) return take(v.type);
            if (f != 2 || !with_shape) return in_.skip();
            auto& shape = v.shape.emplace();
            in_.message([&] {
                fields([&](auto g) {
                    if (g == 1) return take(shape);
                    in_.skip();
                });
            });
        });
    }
    void read(onnx_extent& n) {
        n = std::string();
        fields([&](auto f) {
            if (f == 1) return static_cast<void>(n = in_.integer());
            if (f == 2) return static_cast<void>(n = in_.text());
            in_.skip();
        });
    }

    wire_reader& in_;
};

}  // namespace repebble::inline v0::io::detail

#endif
