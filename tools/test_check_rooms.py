"""Plants one violation at a time in a small tree of rooms and sees that tools/check_rooms finds it,
and only it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_rooms"
SOUND = {
    "include/lacon/solve.hpp": '#include <vector>\n#include "lacon/matrix.hpp"\n',
    "include/lacon/matrix.hpp": "#include <span>\n",
    "src/CMakeLists.txt": "",
    "src/base/text.cpp": '#include "base/text.hpp"\n#include <fmt/format.h>\n',
    "src/base/text.hpp": "#include <string>\n",
    "src/solve/dense/solve.cpp": (
        '#include <Eigen/Dense>\n#include "lacon/solve.hpp"\n#include "base/text.hpp"\n'
    ),
    "src/table/table.cpp": (
        '#include <hdf5.h>\n#include <nlohmann/json.hpp>\n#include "base/text.hpp"\n'
    ),
    "src/state/start.cpp": '#include "mechanics/system.hpp"\n#include "solve/dense/solve.hpp"\n',
    "src/pipeline.hpp": "#include <string>\n",
    "src/pipeline.cpp": '#include "pipeline.hpp"\n#include "state/start.hpp"\n',
    "apps/lacon/main.cpp": (
        '#include <CLI/CLI.hpp>\n#include "command.hpp"\n#include "pipeline.hpp"\n'
    ),
    "apps/lacon/command.hpp": '#include <nlohmann/json.hpp>\n#include "lang/lang.hpp"\n',
}


def check(files):
    """Exit status and output lines of check_rooms over a tree of the given files."""
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run(
            [sys.executable, CHECK, root], capture_output=True, text=True, check=False
        )
        assert not done.stderr, done.stderr
        return done.returncode, done.stdout.splitlines()


def room(name, text):
    return f"namespace lacon::inline {name} {{\n\n{text}\n\n}}  // namespace lacon::inline {name}\n"


class CheckRooms(unittest.TestCase):
    def finds(self, name, text, message):
        self.assertEqual(check(SOUND | {name: text}), (1, [message]))

    def test_a_sound_tree_passes(self):
        self.assertEqual(check(SOUND), (0, []))

    def test_a_room_that_reaches_up_is_found(self):
        self.finds(
            "src/base/text.hpp",
            '#include <string>\n\n  #  include "expr/graph.hpp"\n',
            (
                'src/base/text.hpp:3: base may not include expr ("expr/graph.hpp"); it may include'
                " no room"
            ),
        )

    def test_a_room_that_reaches_aside_is_found(self):
        self.finds(
            "src/lang/parse.cpp",
            '#include "solve/dense/solve.hpp"\n',
            (
                'src/lang/parse.cpp:1: lang may not include solve/dense ("solve/dense/solve.hpp");'
                " it may include base, data, expr, lang/elaborate, lang/evaluate, lang/parse,"
                " lang/text, model, robot, shape"
            ),
        )

    def test_a_room_inside_that_reaches_up_is_found(self):
        below = "base, data, expr, model, robot, shape"
        self.finds(
            "src/lang/parse/parser.cpp",
            '#include "base/text.hpp"\n#include "lang/text/token.hpp"\n#include "lang/lang.hpp"\n',
            (
                'src/lang/parse/parser.cpp:3: lang/parse may not include lang ("lang/lang.hpp");'
                " it may include base, data, expr, lang/text, model, robot, shape"
            ),
        )
        self.finds(
            "src/lang/text/lexer.cpp",
            '#include "lang/parse/parser.hpp"\n',
            (
                "src/lang/text/lexer.cpp:1: lang/text may not include lang/parse"
                f' ("lang/parse/parser.hpp"); it may include {below}'
            ),
        )

    def test_others_may_include_the_rooms_inside_a_room_they_may_include(self):
        includes = '#include "mechanics/numbers/assemble.hpp"\n'
        self.assertEqual(check(SOUND | {"src/state/start.cpp": includes}), (0, []))

    def test_a_folder_of_too_many_files_is_found(self):
        many = {f"src/base/file{i:02}.cpp": "" for i in range(36)}
        self.assertEqual(
            check(SOUND | many),
            (1, ["src/base:1: 38 files; at most 36 are wanted: give it rooms inside"]),
        )

    def test_a_room_that_includes_the_pipeline_is_found(self):
        self.finds(
            "src/state/start.cpp",
            '#include "pipeline.hpp"\n',
            'src/state/start.cpp:1: "pipeline.hpp" begins with no room of src/',
        )

    def test_a_type_of_the_same_name_in_another_file_is_found(self):
        text = "struct Text {\n};"
        twice = {"src/base/text.hpp": room("base", text), "src/base/words.hpp": room("base", text)}
        self.assertEqual(
            check(SOUND | twice),
            (1, ["src/base/words.hpp:3: lacon::base::Text is defined in src/base/text.hpp too"]),
        )
        apart = {
            "src/base/text.hpp": room("base", text),
            "src/table/table.hpp": room("table", text),
        }
        self.assertEqual(check(SOUND | apart), (0, []))

    def test_a_function_or_constant_of_the_same_name_in_another_file_is_found(self):
        def both(one, other):
            return check(
                SOUND
                | {"src/base/text.hpp": room("base", one), "src/base/text.cpp": room("base", other)}
            )

        def found(name):
            return 1, [
                f"src/base/text.hpp:3: lacon::base::{name} is defined in src/base/text.cpp too"
            ]

        most = "inline constexpr int most = 1'000;  // {"
        self.assertEqual(both(most, "const int most{2};"), found("most"))
        function = (
            "template <class T>\ninline T half(const T& x, int n = 2) {\n    return x / n;\n}"
        )
        self.assertEqual(
            both(function, "int half(const T& number, int);\nint half(const T& number, int of) {}"),
            found("half(const T&, int)"),
        )
        self.assertEqual(
            both(function, "int half(const T& x) {}\nint half(const T& x, int n);"), (0, [])
        )
        self.assertEqual(
            both(function, f"namespace {{\n{function}\n{most}\n}}  // namespace"), (0, [])
        )

    def test_what_is_outside_of_its_rooms_namespace_is_found(self):
        public = "namespace lacon {\n\nint f() {\n}\n\n}  // namespace lacon\n"
        own = "this belongs to namespace lacon::inline base, not"
        self.finds("src/base/text.hpp", public, f"src/base/text.hpp:3: {own} lacon")
        self.finds(
            "src/base/text.hpp", "struct Text {};\n", f"src/base/text.hpp:1: {own} outside of all"
        )
        self.finds(
            "src/base/text.cpp",
            room("table", "int n = 1;"),
            f"src/base/text.cpp:3: {own} lacon::inline table",
        )
        self.finds(
            "src/base/text.cpp",
            room("base", "int n = 1;").replace("inline ", ""),
            f"src/base/text.cpp:3: {own} lacon::base",
        )
        for name, text in {
            "base/text.cpp": public + room("base", "int n = 1;"),
            "base/text.hpp": room("table", "class Table;") + room("base::parts", "int n = 1;"),
            "exists/box.hpp": room("existence", "int n = 1;"),
            "lang/lang.hpp": (
                "namespace lacon::lang {\nint f();\n}\nnamespace lacon {\nusing lang::f;\n}\n"
            ),
            "lang/parse/parser.hpp": "namespace lacon::lang {\nint f();\n}\n",
            "solve/dense/solve.hpp": "namespace lacon::solving::inline dense {\nint f();\n}\n",
        }.items():
            self.assertEqual(check(SOUND | {f"src/{name}": text}), (0, []))

    def test_a_library_outside_its_room_is_found(self):
        self.finds(
            "src/state/start.cpp",
            "#include <Eigen/Core>\n",
            (
                "src/state/start.cpp:1: <Eigen/Core> may be included in solve/contact and"
                " solve/control and solve/dense and solve/sparse and solve/verified only, not in"
                " state"
            ),
        )
        self.finds(
            "src/lang/parse.cpp",
            "#include <nlohmann/json.hpp>\n",
            (
                "src/lang/parse.cpp:1: <nlohmann/json.hpp> may be included in apps and checkpoint"
                " and film and live and page and table only, not in lang"
            ),
        )

    def test_a_library_nobody_knows_is_found(self):
        self.finds(
            "src/expr/graph.cpp",
            "#include <boost/any.hpp>\n",
            (
                "src/expr/graph.cpp:1: <boost/any.hpp> belongs to no library that tools/check_rooms"
                " knows"
            ),
        )

    def test_a_foreign_header_in_public_is_found(self):
        begin, end = (
            "include/lacon/matrix.hpp:1: a public header may not include",
            "the standard library and lacon/ only",
        )
        self.finds(
            "include/lacon/matrix.hpp", "#include <Eigen/Core>\n", f"{begin} <Eigen/Core>: {end}"
        )
        self.finds(
            "include/lacon/matrix.hpp",
            '#include "base/text.hpp"\n',
            f'{begin} "base/text.hpp": {end}',
        )

    def test_eigen_in_the_public_header_for_it_is_fine(self):
        self.assertEqual(
            check(SOUND | {"include/lacon/eigen.hpp": "#include <Eigen/Core>\n"}), (0, [])
        )

    def test_too_many_public_headers_are_found(self):
        many = {f"include/lacon/h{i:02}.hpp": "" for i in range(14)}
        self.assertEqual(
            check(SOUND | many),
            (1, ["include/lacon/solve.hpp:1: 16 public headers; at most 15 are wanted"]),
        )

    def test_a_new_folder_is_found(self):
        self.finds(
            "src/misc/all.cpp",
            "#include <string>\n",
            "src/misc:1: misc is no room that tools/check_rooms knows",
        )
        self.finds(
            "src/lang/misc/all.cpp",
            "#include <string>\n",
            "src/lang/misc:1: lang/misc is no room that tools/check_rooms knows",
        )


if __name__ == "__main__":
    unittest.main()
