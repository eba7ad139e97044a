// Imported files: their text stands in the model where `import` is.
#pragma once

#include <vector>

#include "lang/parse/syntax.hpp"
#include "robot/import.hpp"

namespace lacon::lang {

/// A model's text with what it imports behind it. The tokens of that come in the place of the
/// `import`; what is wrong with them is reported at the place in the file that they were made from.
class Imports {
public:
    /// Reads the files; what is wrong with them is in `diagnostics`. `source` must stay.
    Imports(const SourceText& source, Diagnostics& diagnostics);

    bool failed() const { return failed_; }
    /// The syntax refers to this object, which must stay.
    Syntax parse(Diagnostics& diagnostics) const;

private:
    struct Piece {
        TokenId after = none;  // the newline behind the `import`
        std::uint32_t begin = 0;
        SourceText text;
    };
    void read(const Syntax& first, const Statement& statement, bool gravity,
              Diagnostics& diagnostics);

    const SourceText& source_;
    SourceText whole_;
    std::vector<Piece> pieces_;
    std::string text_;  // of `whole_`, while it grows
    bool failed_ = false;
};

}  // namespace lacon::lang
