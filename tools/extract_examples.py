#!/usr/bin/env python3
"""Makes one C++ program of the ```cpp blocks of a document: each becomes a function that main
calls.

usage: tools/extract_examples.py DOCUMENT.md PROGRAM.cpp
"""

import sys
from pathlib import Path

PRELUDE = """// Made from {name} by tools/extract_examples.py.
{includes}
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

#define require(...) \\
    if (!(__VA_ARGS__)) \\
    throw std::runtime_error("line " + std::to_string(__LINE__) + ": " #__VA_ARGS__)

"""


def blocks(text):
    """(line number, lines) of each block."""
    found, begin = [], None
    for number, line in enumerate(text.splitlines(), 1):
        if begin is None and line == "```cpp":
            begin, lines = number, []
        elif begin is not None and line == "```":
            found.append((begin, lines))
            begin = None
        elif begin is not None:
            lines.append(line)
    return found


def program(path):
    found = blocks(path.read_text(encoding="utf-8"))
    includes = sorted({line for _, lines in found for line in lines if line.startswith("#include")})
    text = PRELUDE.format(name=path.name, includes="\n".join(includes))
    for number, lines in found:
        text += f"static void example_{number}() {{\n"
        text += f'#line {number + 1} "{path}"\n'
        text += "\n".join("" if line.startswith("#include") else line for line in lines)
        text += "\n}\n\n"
    text += "int main() {\n    try {\n"
    text += "".join(f"        example_{number}();\n" for number, _ in found)
    text += "    } catch (const std::exception& problem) {\n"
    text += (
        f'        std::printf("{path.name}: %s\\n", problem.what());\n        return 1;\n    }}\n'
    )
    text += f'    std::printf("{len(found)} examples hold\\n");\n}}\n'
    return text


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(program(Path(sys.argv[1])), encoding="utf-8")
