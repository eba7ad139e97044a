// Reads OBJ files (Wavefront): points and faces. Faces of more than three corners become triangles
// around their first one. Textures, normals, groups and materials are passed over.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "shape/mesh_builder.hpp"

namespace lacon::shape {

namespace {

class TextObj {
public:
    TextObj(std::string_view text, const std::string& file)
        : rest_(text), file_(file), builder_(file) {}

    Triangles read() {
        while (!rest_.empty()) line();
        return builder_.finish();
    }

private:
    void line() {
        std::string joined;
        std::string_view text = take_line(rest_);
        ++number_;
        while (text.ends_with('\\') && !rest_.empty()) {  // goes on in the next line
            joined += text.substr(0, text.size() - 1);
            joined += take_line(rest_);
            ++number_;
            text = joined;
        }
        text = text.substr(0, text.find('#'));
        const std::string_view word = take_word(text);
        if (word == "v") return point(text);
        if (word == "f") return face(text);
        constexpr std::string_view others[] = {"",  "vt", "vn", "vp",     "o",      "g",
                                               "s", "l",  "p",  "mtllib", "usemtl", "lod"};
        if (std::find(std::begin(others), std::end(others), word) == std::end(others))
            fail(fmt::format("'{}' is not understood: only points and faces are read",
                             word.substr(0, 40)));
    }
    void point(std::string_view text) {
        Point p;
        for (double& x : p) {
            const auto value = number_of(take_word(text));
            if (!value) fail("a point needs three numbers");
            x = *value;
        }
        points_.push_back(builder_.point(p, fmt::format("line {}", number_)));
    }
    void face(std::string_view text) {
        std::vector<std::uint32_t> corners;
        for (std::string_view word = take_word(text); !word.empty(); word = take_word(text))
            corners.push_back(corner(word.substr(0, word.find('/'))));
        if (corners.size() < 3)
            fail(fmt::format("a face has three corners or more, but this one has {}",
                             corners.size()));
        for (std::size_t i = 2; i < corners.size(); ++i)
            builder_.triangle({corners[0], corners[i - 1], corners[i]});
    }
    /// Numbers count from 1; negative ones from the last point backwards.
    std::uint32_t corner(std::string_view word) {
        std::int64_t index = 0;
        const auto read = std::from_chars(word.data(), word.data() + word.size(), index);
        const auto count = static_cast<std::int64_t>(points_.size());
        if (read.ec != std::errc() || read.ptr != word.data() + word.size())
            fail(fmt::format("'{}' is not the number of a point", word.substr(0, 40)));
        const std::int64_t place = index < 0 ? count + index : index - 1;
        if (index == 0 || place < 0 || place >= count)
            fail(fmt::format("there is no point {}; {} are given so far", index, count));
        return points_[static_cast<std::size_t>(place)];
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw MeshError(fmt::format("'{}' line {}: {}", file_, number_, what));
    }

    std::string_view rest_;
    const std::string& file_;
    MeshBuilder builder_;
    std::vector<std::uint32_t> points_;  // by their order in the file
    std::size_t number_ = 0;
};

}  // namespace

Triangles read_obj(std::string_view text, const std::string& file) {
    return TextObj(text, file).read();
}

}  // namespace lacon::shape
