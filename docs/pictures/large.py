"""The motions of the large models, drawn by gnuplot: the chain at several times, the net in
perspective.

usage: python3 docs/pictures/large.py build/lacon [chain|net]
writes docs/pictures/large_chain.svg, large_net.svg
"""

import csv
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINKS, SHOWN = 10000, 480  # of the chain, and how many of them from the hook on are drawn
KNOTS, APART = 100, 3  # of the net on a side; every third thread is drawn


def rows_of(program, model, size, every):
    """The rows of a run over one second, by the names of their columns."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / f"{model}.csv"
        line = [
            program,
            "run",
            ROOT / f"models/large/{model}.lac",
            "--set",
            f"N={size}",
            "--t",
            "0..1",
            "--every",
            str(every),
        ]
        subprocess.run([*line, "--tol", "1e-9", "--quiet", "--out", table], check=True)
        with table.open() as file:
            return [
                {name: float(value) for name, value in row.items()} for row in csv.DictReader(file)
            ]


def gnuplot(picture, settings, curves):
    """Curves are (title, type of line, list of polylines)."""
    blocks, parts = [], []
    for number, (title, style, lines) in enumerate(curves):
        text = "\n\n".join("\n".join(f"{x:.4g} {y:.4g}" for x, y in line) for line in lines)
        blocks.append(f"$curve{number} << END\n{text}\nEND\n")
        parts.append(
            f"$curve{number} with lines {style} " + (f"title '{title}'" if title else "notitle")
        )
    script = (
        f"set terminal svg size 760,360 font 'sans,13'\nset output '{picture}'\n{settings}\n"
        + "".join(blocks)
    )
    subprocess.run(
        ["gnuplot"], input=script + "plot " + ", ".join(parts) + "\n", text=True, check=True
    )


def draw_chain(program):
    curves = []
    for number, row in enumerate(rows_of(program, "chain", LINKS, 0.2)):
        beads = [(0.0, 0.0)] + [(row[f"x[{i}]"], row[f"y[{i}]"]) for i in range(1, SHOWN + 1)]
        curves.append((f"t = {row['t']:.1f} s", f"lw 1.5 lt {number + 1}", [beads]))
    settings = (
        f"set title 'Chain of {LINKS} links let go from the level: the first {SHOWN}'\nset xlabel"
        " 'x, m'\nset ylabel 'y, m'\nset key bottom right"
    )
    gnuplot(ROOT / "docs/pictures/large_chain.svg", settings, curves)


def seen(x, y, z, eye=25.0, turn=-0.6, nod=0.35):
    """Where the eye sees a point: from the side, a little from above."""
    x, y = x * math.cos(turn) - y * math.sin(turn), x * math.sin(turn) + y * math.cos(turn)
    y, z = y * math.cos(nod) - z * math.sin(nod), y * math.sin(nod) + z * math.cos(nod)
    return x * eye / (eye + y), z * eye / (eye + y)


def draw_net(program):
    curves, labels = [], []
    apart = 0.14 * KNOTS
    for number, row in enumerate(rows_of(program, "net", KNOTS, 0.5)):
        height = row[f"z[1,{KNOTS}]"]

        def point(i, j):
            x, y = seen(row[f"x[{i},{j}]"], row[f"y[{i},{j}]"], row[f"z[{i},{j}]"] - height)
            return x + apart * number, y

        threads = list(range(1, KNOTS + 1, APART))
        along = list(range(1, KNOTS + 1, 2)) + [KNOTS]
        lines = [[point(i, j) for j in along] for i in threads] + [
            [point(i, j) for i in along] for j in threads
        ]
        curves.append(("", f"lw 0.5 lt {number + 1}", lines))
        labels.append(
            f"set label 't = {row['t']:.1f} s' at {apart * number},{-0.85 * apart} center"
        )
    title = f"set title 'Net of {KNOTS} x {KNOTS} knots held at two corners and let go'"
    settings = "\n".join(
        [
            title,
            *labels,
            "unset border",
            "unset xtics",
            "unset ytics",
            "set size ratio -1",
            "unset key",
        ]
    )
    gnuplot(ROOT / "docs/pictures/large_net.svg", settings, curves)


def main():
    program = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or ["chain", "net"]:
        {"chain": draw_chain, "net": draw_net}[name](program)


if __name__ == "__main__":
    main()
