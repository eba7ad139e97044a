// Reads STL files. Binary ones have 80 bytes of header, the number of triangles (32 bits, the least
// byte first) and 50 bytes for each: a normal and three points of 3 floats, and 2 bytes more. Many
// begin with "solid" as text files do, so the length decides. Normals are not read: they follow
// from the order of the points.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "shape/mesh_builder.hpp"

namespace lacon::shape {

namespace {

constexpr std::size_t header_size = 84, triangle_size = 50;

std::uint32_t whole_at(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 4; i-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

Triangles read_binary(std::string_view bytes, const std::string& file) {
    MeshBuilder builder(file);
    for (std::size_t at = header_size, n = 1; at < bytes.size(); at += triangle_size, ++n) {
        Triangle t;
        for (std::size_t v = 0; v < 3; ++v) {
            Point p;
            for (std::size_t i = 0; i < 3; ++i)
                p[i] = std::bit_cast<float>(whole_at(bytes, at + 12 + 12 * v + 4 * i));
            t[v] = builder.point(p, fmt::format("triangle {}", n));
        }
        builder.triangle(t);
    }
    return builder.finish();
}

/// Goes through the lines of a text file.
class TextStl {
public:
    TextStl(std::string_view text, const std::string& file)
        : rest_(text), file_(file), builder_(file) {}

    Triangles read() {
        while (!rest_.empty()) line();
        if (!corners_.empty()) fail("the file ends within a triangle");
        return builder_.finish();
    }

private:
    void line() {
        std::string_view text = take_line(rest_);
        ++number_;
        const std::string word = lower(take_word(text));
        if (word == "vertex") return vertex(text);
        if (word == "endloop") return triangle();
        constexpr std::string_view others[] = {"",      "solid",    "facet",
                                               "outer", "endfacet", "endsolid"};
        for (const std::string_view other : others)
            if (word == other) return;
        fail(fmt::format("'{}' is not a keyword of an STL file", word.substr(0, 40)));
    }
    void vertex(std::string_view text) {
        Point p;
        for (double& x : p) {
            const auto value = number_of(take_word(text));
            if (!value) fail("a vertex needs three numbers");
            x = *value;
        }
        corners_.push_back(builder_.point(p, fmt::format("line {}", number_)));
    }
    void triangle() {
        if (corners_.size() != 3)
            fail(fmt::format("a facet has three vertices, but this one has {}", corners_.size()));
        builder_.triangle({corners_[0], corners_[1], corners_[2]});
        corners_.clear();
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw MeshError(fmt::format("'{}' line {}: {}", file_, number_, what));
    }
    static std::string lower(std::string_view word) {
        std::string result(word);
        for (char& c : result)
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        return result;
    }

    std::string_view rest_;
    const std::string& file_;
    MeshBuilder builder_;
    std::vector<std::uint32_t> corners_;
    std::size_t number_ = 0;
};

}  // namespace

Triangles read_stl(std::string_view text, const std::string& file) {
    const std::size_t count = text.size() < header_size ? 0 : whole_at(text, 80);
    if (text.size() >= header_size && text.size() == header_size + triangle_size * count)
        return read_binary(text, file);
    std::string_view line = text;
    if (const std::string_view word = take_word(line);
        word.size() >= 5 && text.find("facet") != text.npos &&
        (word.substr(0, 5) == "solid" || word.substr(0, 5) == "SOLID"))
        return TextStl(text, file).read();
    if (text.size() < header_size)
        throw MeshError(
            fmt::format("'{}' is not an STL file: it does not begin with 'solid', and is shorter "
                        "than the header of a binary file, 84 bytes",
                        file));
    throw MeshError(
        fmt::format("'{}' should have {} triangles by its header, {} bytes in all, but it "
                    "has {} bytes",
                    file, count, header_size + triangle_size * count, text.size()),
        text.size() < header_size + triangle_size * count ? "the file is cut off" : "");
}

}  // namespace lacon::shape
