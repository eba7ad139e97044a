// Collects the triangles of a mesh file, and reads its words and numbers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "shape/mesh.hpp"

namespace lacon::shape {

/// Points of equal coordinates become one.
class MeshBuilder {
public:
    explicit MeshBuilder(std::string file) { result_.file = std::move(file); }

    /// `place`, such as "line 7", goes into the message where a coordinate is not finite.
    std::uint32_t point(Point p, std::string_view place);
    void triangle(const Triangle& t);
    Triangles finish() { return std::move(result_); }

private:
    struct Hash {
        std::size_t operator()(const Point& p) const;
    };
    Triangles result_;
    std::unordered_map<Point, std::uint32_t, Hash> known_;
};

/// The next line, without its end; and the next word of a line. Both are taken off the text.
std::string_view take_line(std::string_view& text);
std::string_view take_word(std::string_view& line);
/// A word as a number; none where it is no number. What is too large is infinite.
std::optional<double> number_of(std::string_view word);

}  // namespace lacon::shape
