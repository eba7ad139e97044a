"""The pictures of docs/control.md, from runs of the models in models/control/.

usage: python3 docs/pictures/control.py build/lacon [NAME ...]
writes docs/pictures/control_NAME.svg
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# For each picture: the model, further arguments of `run`, and those of `plot`.
PICTURES = {
    "p2_example": ("p2_example", [], ["--y", "x,y,effort.x,effort.y,guide.error"]),
    "kepler": ("kepler", [], ["--y", "x,y,effort.x,effort.y"]),
    "guided": ("guided", [], ["--x", "x", "--y", "y"]),
    "formation": ("formation", [], ["--y", "distance,thrust,keep.error"]),
    "cart_pole": ("cart_pole", [], ["--y", "th,x,effort.x"]),
    "cart_pole_balanced": ("cart_pole_balanced", [], ["--y", "th,x,effort.x"]),
    "arm_two": ("arm_two", [], ["--x", "tip_x", "--y", "tip_y"]),
    "arm_three": (
        "arm_three",
        [],
        ["--y", "th1,th2,th3,effort.shoulder,effort.elbow,effort.wrist"],
    ),
    "building": ("building", [], ["--y", "drift,effort.strut[1]"]),
    "building_free": ("building", ["--set", "bound=1"], ["--y", "drift,effort.strut[1]"]),
    "synchronization": ("synchronization", [], ["--y", "x,y,follow.error,effort.y"]),
    "keep_out": ("keep_out", [], ["--x", "x", "--y", "y"]),
    "limited": ("limited", [], ["--y", "th,asked,effort.th,swing.error"]),
    "out_of_reach": ("out_of_reach", [], ["--y", "along,shadow,follow.error"]),
}


def draw(program, name):
    model, settings, plot = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"{name}.csv"
        line = [
            program,
            "run",
            ROOT / f"models/control/{model}.lac",
            *settings,
            "--quiet",
            "--out",
            table,
        ]
        subprocess.run(line, check=True)
        title = next(
            text
            for text in (ROOT / f"models/control/{model}.lac").read_text().splitlines()
            if text.startswith("model ")
        )
        picture = ROOT / f"docs/pictures/control_{name}.svg"
        line = [program, "plot", table, *plot, "--title", title[7:-1], "--out", picture]
        subprocess.run(line, check=True)


def main():
    program = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or PICTURES:
        draw(program, name)


if __name__ == "__main__":
    main()
