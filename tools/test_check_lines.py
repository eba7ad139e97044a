"""Plants a long line at a time in a small tree; tools/check_lines must find it, and only it."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parent / "check_lines"
LONG = "x" * 101
JUST = "é" * 100  # characters, not bytes


class CheckLines(unittest.TestCase):
    def check(self, name, text):
        """Exit status and output lines over a tree with this file."""
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            command = [sys.executable, CHECK, root]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            return done.returncode, done.stdout.splitlines()

    def test_a_line_of_a_hundred_characters_passes(self):
        self.assertEqual(self.check("docs/a.md", f"{JUST}\n"), (0, []))

    def test_a_longer_line_is_found(self):
        names = ("README.md", "docs/a.md", "dev", ".ci/run", "a/CMakeLists.txt", "b.py", "tools/c")
        for name in (*names, "d.cpp", "e.hpp"):
            message = f"{name}:2: 101 characters; at most 100 are wanted"
            self.assertEqual(self.check(name, f"a\n{LONG}\n"), (1, [message]))

    def test_what_a_program_prints_may_be_longer(self):
        self.assertEqual(self.check("a.md", f"```\n{LONG}\n```\n"), (0, []))

    def test_a_line_after_a_code_block_is_found(self):
        message = "a.md:4: 101 characters; at most 100 are wanted"
        self.assertEqual(self.check("a.md", f"```\n{LONG}\n```\n{LONG}\n"), (1, [message]))

    def test_a_raw_string_may_be_longer(self):
        self.assertEqual(self.check("a.cpp", f'f(R"(\n{LONG}\n)");\n'), (0, []))

    def test_a_line_after_a_raw_string_is_found(self):
        message = "a.cpp:4: 101 characters; at most 100 are wanted"
        self.assertEqual(self.check("a.cpp", f'f(R"(\n{LONG}\n)");\n{LONG}\n'), (1, [message]))


if __name__ == "__main__":
    unittest.main()
