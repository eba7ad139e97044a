"""The normal force on Painlevé's rod against its angle, as `lacon eval` gives it; a gap is where no
force satisfies the law.

usage: python3 docs/pictures/painleve_rod.py build/lacon      writes docs/pictures/painleve_rod.svg
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

COEFFICIENTS = [1, 1.2, 1.4, 2]
ANGLES = [0.4 + 0.01 * i for i in range(110)]


def force(program, mu, angle):
    line = [
        program,
        "eval",
        Path(__file__).resolve().parents[2] / "models/painleve_rod.lac",
        "--json",
        "--set",
        f"mu={mu}",
        "--set",
        f"th0={angle}",
    ]
    done = subprocess.run(line, capture_output=True, text=True)
    found = json.loads(done.stdout)["multipliers"]
    return found[0] if found and found[0] < 120 else "nan"


def main():
    program, root = Path(sys.argv[1]).resolve(), Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "rod.csv"
        rows = [",".join(["th"] + [f"N at mu = {mu}" for mu in COEFFICIENTS])]
        for angle in ANGLES:
            rows.append(
                ",".join(map(str, [angle] + [force(program, mu, angle) for mu in COEFFICIENTS]))
            )
        table.write_text("\n".join(rows) + "\n")
        names = ",".join(f"N at mu = {mu}" for mu in COEFFICIENTS)
        picture = root / "docs/pictures/painleve_rod.svg"
        line = [
            program,
            "plot",
            table,
            "--x",
            "th",
            "--y",
            names,
            "--title",
            "Normal force on Painleve's rod",
            "--out",
            picture,
        ]
        subprocess.run(line, check=True)


if __name__ == "__main__":
    main()
