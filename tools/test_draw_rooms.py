"""Plants one fault at a time in a small tree; tools/draw_rooms must find it, and only it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

DRAW = Path(__file__).resolve().parent / "draw_rooms"
FLOW = ["lang", "mechanics", "code", "state", "driver", "hybrid", "table"]
TABLE = "docs/architecture.md"
HEAD = "# Rooms\n\n| room | what it does | outside libraries |\n|---|---|---|\n"
ROWS = "".join(f"| `{room}` | words of {room} | – |\n" for room in ["base", *FLOW])
SOUND = {
    "src/pipeline.cpp": '#include "lang/lang.hpp"\n',
    TABLE: HEAD + ROWS + "\nText.\n",
    "src/base/base.hpp": "#include <string>\n",
} | {
    f"src/{room}/{room}.hpp": f'#include "{below}/{below}.hpp"\n#include "base/base.hpp"\n'
    for below, room in zip(["base", *FLOW], FLOW)
}


def draw(root, *options):
    command = [sys.executable, DRAW, *options, root]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout.splitlines()


STALE = "docs/pictures/architecture.svg: it does not show the tree; tools/draw_rooms draws it anew"


class DrawRooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "docs/pictures").mkdir(parents=True)
        self.write(SOUND)

    def write(self, files):
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def drawn(self, files):
        """The picture of the sound tree with these files."""
        self.write(files)
        self.assertEqual(draw(self.root), (0, []))
        return (self.root / "docs/pictures/architecture.svg").read_text(encoding="utf-8")

    def finds(self, files, message):
        """In a tree that is drawn with the fault, so that the picture is not at fault."""
        self.drawn(files)
        self.assertEqual(draw(self.root, "--check"), (1, [message]))

    def test_a_tree_just_drawn_passes(self):
        self.drawn({})
        self.assertEqual(draw(self.root, "--check"), (0, []))

    def test_the_picture_is_xml_with_a_box_for_each_room(self):
        texts = [e.text for e in ElementTree.fromstring(self.drawn({})).iter() if e.text]
        for number, room in enumerate(FLOW, 1):
            self.assertEqual(texts.count(f"{number}  {room}"), 2)  # in the strip and in the tree
            self.assertIn(f"words of {room}", texts)

    def test_an_include_that_follows_from_others_is_not_drawn(self):
        picture = self.drawn({})
        self.assertEqual(self.drawn({"src/table/more.hpp": '#include "lang/lang.hpp"\n'}), picture)

    def test_a_new_include_makes_the_picture_stale(self):
        self.drawn({"src/mechanics/mechanics.hpp": ""})
        self.write({"src/mechanics/mechanics.hpp": '#include "lang/lang.hpp"\n'})
        self.assertEqual(draw(self.root, "--check"), (1, [STALE]))

    def test_a_picture_that_is_missing_is_stale(self):
        self.assertEqual(draw(self.root, "--check"), (1, [STALE]))

    def test_a_room_that_the_table_lacks_is_found(self):
        self.finds({"src/extra/extra.hpp": ""}, f"{TABLE}: the table of rooms lacks extra")

    def test_a_room_inside_another_folder_is_found(self):
        self.finds(
            {"src/solve/dense/solve.hpp": ""}, f"{TABLE}: the table of rooms lacks solve/dense"
        )

    def test_a_room_inside_that_its_table_lacks_is_found(self):
        parser = {"src/lang/parse/parser.hpp": ""}
        self.finds(
            parser,
            f"{TABLE}: the table of rooms inside rooms does not show the tree: lang/parse",
        )
        inside = "\n| room inside | what it does |\n|---|---|\n| `lang/parse` | words |\n"
        self.drawn(parser | {TABLE: HEAD + ROWS + inside})
        self.assertEqual(draw(self.root, "--check"), (0, []))

    def test_a_row_without_a_room_is_found(self):
        self.finds(
            {TABLE: HEAD + ROWS + "| `gone` | words | – |\n"},
            f"{TABLE}:13: gone is no room of src/",
        )

    def test_a_row_without_a_source_is_found(self):
        self.finds(
            {TABLE: HEAD + ROWS + "| `gone.cpp` | words | – |\n"},
            f"{TABLE}:13: there is no gone.cpp",
        )

    def test_a_row_above_what_it_includes_is_found(self):
        self.finds(
            {
                "src/base/base.hpp": "",
                "src/lang/lang.hpp": "",
                "src/mechanics/mechanics.hpp": "",
                "src/more/more.hpp": "",
                "src/base/more.hpp": '#include "more/more.hpp"\n',
                TABLE: HEAD + ROWS + "| `more` | words | – |\n",
            },
            f"{TABLE}:5: base includes more, which must stand above it",
        )

    def test_a_library_that_the_row_does_not_name_is_found(self):
        self.finds(
            {"src/base/more.cpp": "#include <mpfr.h>\n"},
            f"{TABLE}:5: base includes headers of MPFR, which its row must name",
        )

    def test_words_too_long_for_a_box_are_found(self):
        words = " ".join(["word"] * 12)
        self.finds(
            {TABLE: HEAD + ROWS.replace("words of base", words)},
            f"{TABLE}:5: '{words}' is too long for the picture: 2 lines of 28 characters",
        )


if __name__ == "__main__":
    unittest.main()
