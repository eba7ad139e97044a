"""The pictures of "At the borders" in docs/contact.md: runs of small models, and maps of `eval`.

usage: python3 docs/pictures/contact_borders.py build/lacon [NAME ...]
writes docs/pictures/contact_NAME.svg; the names are those of PICTURES, at the end
"""

import csv
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BLUE, ORANGE, GREEN, GREY = "#0072b2", "#d55e00", "#009e73", "#909090"

PULLED = """
param mu = 0.5, mus = 0.5, m = 1, g = 10
coord x, y, z
particle block at (x, y, z) mass m
gravity (0, 0, -g)
force block = (0.6*t, 0.8*t, 0)
constraint floor: z >= 0 friction mu static mus
start x = 0, y = 0, z = 0
simulate 0..8 every 0.05
output speed = hypot(x', y'), way = hypot(x, y)
"""

INCLINE = """
param mu = 0.2, slope = 30*deg, g = 9.81
coord x, y
particle block at (x, y) mass 1
gravity (-g*sin(slope), -g*cos(slope))
constraint incline: y >= 0 friction mu
start x = 0, y = 0, x' = 3
simulate 0..1 every 0.01
"""

PUCK = """
param aside = 0.3
coord x, y, z
particle puck at (x, y, z) mass 1
gravity (0, 0, -10)
force puck = (-3, 0, 0)
constraint ice: z >= 0 friction 0.1
start x = 0, y = 0, z = 0, x' = 2, y' = aside
simulate 0..1.5 every 0.01
"""

THROWN = """
param part = 1, h = 1, g = 9.81
coord y
particle ball at (0, y) mass 1
gravity (0, -g)
constraint ceiling: y <= h restitution 0.5
start y = 0, y' = part*sqrt(2*g*h)
simulate 0..0.9 every 0.002
"""

BEAD = """
param R = 1, m = 1, g = 9.81
coord x, y
particle bead at (x, y) mass m
gravity (0, -g)
constraint cylinder: x^2 + y^2 >= R^2
start x = 0, y = R, x' = 0.01
simulate 0..2.6 every 0.005
output cylinder.force, gap = hypot(x, y) - R, angle = atan2(x, y)
"""

LIFT = """
param v = 2, g = 9.81
coord y
particle ball at (0, y) mass 1
gravity (0, -g)
let height = HEIGHT
constraint lift: y >= height restitution 0.7
start y = 0, y' = RATE
simulate 0..1.6 every 0.005
output height
"""

JAMMED = """
param l = 1, m = 1, g = 9.81, mu = 1, th0 = 30*deg
coord x, y, th
kinetic m*(x'^2 + y'^2)/2 + m*l^2/3*th'^2/2
potential m*g*y
let left = (x - l*cos(th), y - l*sin(th)), right = (x + l*cos(th), y + l*sin(th))
constraint at_left: left.x >= 0 friction mu slip left.y'
constraint at_right: right.x <= 2*l*cos(th0) friction mu slip right.y'
start th = th0, x = l*cos(th0), y = 0
"""


def run(program, model, **parameters):
    """The columns of a run, by name, and its events."""
    settings = [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "run.csv"
        line = [program, "run", "-", "--json", "--out", table, *settings]
        done = subprocess.run(line, input=model, capture_output=True, text=True, check=True)
        with table.open() as file:
            rows = list(csv.DictReader(file))
    columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
    return columns, json.loads(done.stdout)["events"]


def evaluate(program, source, text, settings):
    """`lacon eval --json`, also of a state without an answer."""
    line = [program, "eval", source, "--json", *settings]
    return json.loads(subprocess.run(line, input=text, capture_output=True, text=True).stdout)


def curve(xs, ys, style, title=None):
    """One curve of a panel: points and how gnuplot draws them."""
    text = "\n".join(f"{x:.5g} {y:.5g}" for x, y in zip(xs, ys))
    return text, f"{style} " + (f"title '{title}'" if title else "notitle")


def line_of(colour, width=2):
    return f"with lines lw {width} lc rgb '{colour}'"


DASHED = f"with lines lw 1.5 dt 2 lc rgb '{GREY}'"
CIRCLES = "with points pt 6 ps 0.7 lw 1.2 lc rgb 'black'"


def upright(x):
    """A dashed line across the panel."""
    return f"set arrow from {x},graph 0 to {x},graph 1 nohead dt 2 lw 1.2 lc rgb '{GREY}' back"


def draw(name, title, panels, size="760,340"):
    """Panels beside each other; each is (settings, curves)."""
    words = [
        "set encoding utf8",
        f"set terminal svg noenhanced size {size} font 'sans,13' background rgb '#ffffff'",
        f"set output '{ROOT / f'docs/pictures/contact_{name}.svg'}'",
        "set border 3 lw 1 lc rgb '#606060'",
        "set tics out nomirror scale 0.5 textcolor rgb '#303030'",
        "set grid lt 1 lw 0.8 lc rgb '#e2e2e2'",
        f"set multiplot layout 1,{len(panels)} title '{title}' font ',15'",
    ]
    for number, (settings, curves) in enumerate(panels):
        words += ["unset arrow", "unset label", "set key top left Left reverse samplen 1.5"]
        words += settings
        for i, (points, _) in enumerate(curves):
            words += [f"$panel{number}_{i} << END", points, "END"]
        parts = [f"$panel{number}_{i} {style}" for i, (_, style) in enumerate(curves)]
        words.append("plot " + ", ".join(parts))
    subprocess.run(["gnuplot"], input="\n".join(words) + "\n", text=True, check=True)


def draw_onset(program):
    speeds, ways = [], []
    cases = ((0.5, BLUE, "μ = μₛ = 0.5"), (0.6, ORANGE, "μ = 0.5, μₛ = 0.6"))
    for rest, colour, title in cases:
        columns, events = run(program, PULLED, mus=rest)
        begin = events[0]["t"]
        late = [t - begin for t in columns["t"]]
        jump = 10 * (rest - 0.5)  # of the acceleration; m = 1, g = 10
        dots = [0.25 * i for i in range(9)]
        speeds.append(curve(late, columns["speed"], line_of(colour), title))
        speeds.append(curve(dots, [jump * s + s**2 / 2 for s in dots], CIRCLES))
        ways.append(curve(late, columns["way"], line_of(colour), title))
        ways.append(curve(dots, [jump * s**2 / 2 + s**3 / 6 for s in dots], CIRCLES))
    common = [
        "set xrange [-0.5:2]",
        "set xtics 0.5",
        "set xlabel 't − t₀, s'",
        upright(0),
        "set key at graph 0.23,0.98",
    ]
    draw(
        "onset",
        "A block is pulled with the force t; it slips from t₀ on",
        [
            ([*common, "set ylabel 'speed, m/s'", "set yrange [-0.1:4]"], speeds),
            ([*common, "set ylabel 'way, m'", "set yrange [-0.1:4]"], ways),
        ],
    )


def draw_end(program):
    speeds, places, pucks = [], [], []
    cases = ((0.2, BLUE, "μ = 0.2: slips back"), (0.7, ORANGE, "μ = 0.7: sticks"))
    for mu, colour, title in cases:
        columns, _ = run(program, INCLINE, mu=mu)
        speeds.append(curve(columns["t"], columns["x'"], line_of(colour), title))
        places.append(curve(columns["t"], columns["x"], line_of(colour), title))
    for aside, colour in ((0, BLUE), (0.3, GREEN)):
        columns, events = run(program, PUCK, aside=aside)
        told = f"event {events[0]['kind']}" if events else "no event"
        title = f"y′₀ = {aside}: {told}"
        pucks.append(curve(columns["x'"], columns["y'"], line_of(colour), title))
    time = ["set xlabel 't, s'", "set xrange [0:1]", "set xtics 0.5"]
    below = "set key bottom left Left reverse samplen 1.5"
    draw(
        "end",
        "Left and middle: a block slides up an incline. Right: a puck is pulled back",
        [
            ([*time, "set ylabel 'velocity, m/s'", "set yrange [-3:3]", below], speeds),
            ([*time, "set ylabel 'place, m'", "set yrange [-0.4:0.8]", "unset key"], places),
            (
                [
                    "set xlabel 'x′, m/s'",
                    "set ylabel 'y′, m/s'",
                    "set xrange [-2:2]",
                    "set xtics 1",
                    "set yrange [-0.05:0.5]",
                ],
                pucks,
            ),
        ],
        "940,340",
    )


def draw_graze(program):
    curves = []
    for part, colour in ((0.8, GREEN), (1, BLUE), (1.2, ORANGE)):
        columns, events = run(program, THROWN, part=part)
        title = f"{part} v₀: " + (f"event {events[0]['kind']}" if events else "no event")
        curves.append(curve(columns["t"], columns["y"], line_of(colour), title))
    curves.append(curve([0, 0.9], [1, 1], f"with lines lw 3 lc rgb '{GREY}'", "ceiling"))
    draw(
        "graze",
        "A ball is thrown at a ceiling; with v₀ it just gets there",
        [
            (
                [
                    "set xlabel 't, s'",
                    "set ylabel 'height, m'",
                    "set xrange [0:0.9]",
                    "set yrange [0:1.05]",
                    "set key outside right top Left reverse samplen 1.5",
                ],
                curves,
            ),
        ],
    )


def draw_release(program):
    columns, events = run(program, BEAD)
    left = events[0]["t"]
    angles = [math.degrees(angle) for angle in columns["angle"]]
    dots = [4 * i for i in range(13)]
    force = [9.81 * (3 * math.cos(math.radians(angle)) - 2) for angle in dots]
    late = [t - left for t in columns["t"]]
    cosine = 2 / 3
    rate = 9.81 * math.sqrt(9.81 * cosine * (1 - cosine**2)) / 2  # gap = rate (t − t₀)³
    times = [0.01 * i for i in range(16)]
    where = math.degrees(math.acos(cosine))
    draw(
        "release",
        "A bead slides down a cylinder and leaves it at t₀",
        [
            (
                [
                    "set xlabel 'angle from the top, °'",
                    "set ylabel 'force of the cylinder, N'",
                    "set xrange [0:60]",
                    "set yrange [-0.3:12]",
                    upright(where),
                    "set key bottom left",
                    f"set label 'cos = 2/3' at {where - 1.5:.1f},9 right",
                ],
                [
                    curve(angles, columns["cylinder.force"], line_of(BLUE), "run"),
                    curve(dots, force, CIRCLES, "m g (3 cos − 2)"),
                ],
            ),
            (
                [
                    "set xlabel 't − t₀, s'",
                    "set ylabel 'gap, mm'",
                    "set xrange [-0.05:0.15]",
                    "set yrange [-1:40]",
                    upright(0),
                    "set key at graph 0.28,0.98",
                ],
                [
                    curve(late, [1000 * gap for gap in columns["gap"]], line_of(BLUE), "run"),
                    curve(times, [1000 * rate * s**3 for s in times], DASHED, "third power"),
                ],
            ),
        ],
    )


def draw_kink(program):
    panels = []
    for height, rate, title in (
        ("v*min(t, 0.4)", "v", "floor stops"),
        ("v*max(0, t - 0.4)", "0", "floor starts"),
    ):
        columns, _ = run(program, LIFT.replace("HEIGHT", height).replace("RATE", rate))
        floor = "with filledcurves y1=-1 lc rgb '#d8d8d8'"
        settings = [
            "set xlabel 't, s'",
            "set ylabel 'height, m'",
            "set xrange [0:1.4]",
            "set xtics 0.4",
            "set yrange [-0.2:1.8]",
        ]
        panels.append(
            (
                settings,
                [
                    curve(columns["t"], columns["height"], floor, title),
                    curve(columns["t"], columns["y"], line_of(BLUE), "ball"),
                ],
            )
        )
    draw("kink", "A ball on a floor with a kink at 0.4 s, restitution 0.7", panels)


def regions(answer, angles, coefficients, colours):
    """A map: each cell is the answer at its middle; cells of one answer in a row are one box."""
    boxes = {name: [] for name in colours}
    wide, high = angles[1] - angles[0], coefficients[1] - coefficients[0]
    for mu in coefficients:
        row = [answer(angle, mu) for angle in angles]
        first = 0
        for i in range(1, len(row) + 1):
            if i < len(row) and row[i] == row[first]:
                continue
            middle, half = (angles[first] + angles[i - 1]) / 2, (i - first) * wide / 2
            boxes[row[first]].append(f"{middle:.5g} {mu:.5g} {half:.5g} {high / 2:.5g}")
            first = i
    style = "with boxxyerror fs solid noborder lc rgb '{}' title '{}'"
    return [
        ("\n".join(lines), style.format(colours[name], name))
        for name, lines in boxes.items()
        if lines
    ]


def middles(low, high, count):
    return [low + (i + 0.5) * (high - low) / count for i in range(count)]


MAP = [
    "set ylabel 'coefficient of friction μ'",
    "unset grid",
    "set key outside right top Left reverse samplen 1.5",
]


def sketch(lines, texts=()):
    """Lines (x, y, x, y, style) and texts (x, y, text) beside a map; lengths in pixels."""

    def at(x, y):
        return f"screen {x / 760:.4f},{y / 340:.4f}"

    arrows = [f"set arrow from {at(a, b)} to {at(c, d)} {style}" for a, b, c, d, style in lines]
    return arrows + [f"set label '{text}' at {at(x, y)} center" for x, y, text in texts]


WALL, ROD = "nohead lw 3 lc rgb '#909090'", "nohead lw 4 lc rgb '#0072b2'"
THIN, SPEED = "nohead dt 3 lc rgb 'black'", "head filled lw 1.5 lc rgb 'black'"


def draw_jamming(program):
    def answer(angle, mu):
        settings = ["--set", f"th0={angle}*deg", "--set", f"mu={mu}"]
        found = evaluate(program, "-", JAMMED, settings)
        falls = abs(found["acceleration"][1] + 9.81) < 1e-9
        return "falls" if falls else {c["friction_state"] for c in found["constraints"]}.pop()

    cells = regions(
        answer, middles(0, 70, 48), middles(0, 2, 32), {"sticks": "#bcd9ee", "falls": "#f6d3b3"}
    )
    angles = [0.5 * i for i in range(128)]
    tangents = [math.tan(math.radians(angle)) for angle in angles]
    limit = curve(angles, tangents, line_of("black"), "μ = tan θ")
    walls = sketch(
        [
            (650, 85, 650, 190, WALL),
            (730, 85, 730, 190, WALL),
            (652, 115, 728, 160, ROD),
            (652, 115, 700, 115, THIN),
        ],
        [(690, 124, "θ")],
    )
    draw(
        "jamming",
        "A rod between two rough walls, at rest: it sticks, or it falls",
        [
            (
                [
                    *MAP,
                    *walls,
                    "set xlabel 'angle to the horizontal θ, °'",
                    "set xrange [0:70]",
                    "set yrange [0:2]",
                ],
                [*cells, limit],
            )
        ],
    )


def draw_several(program):
    model, turn = ROOT / "models/painleve_rod.lac", 3.5
    start = f"th'={turn},x'=-v0-{turn}*l*sin(th0),y'={turn}*l*cos(th0)"

    def answer(angle, mu):
        settings = ["--set", f"th0={angle}*deg", "--set", f"mu={mu}", "--start", start]
        found = evaluate(program, model, "", settings)
        if found["status"] != "ok":
            return found["status"]
        contact = found["constraints"][0]["contact"]
        return {"closed": "one: slides on", "open": "one: lifts off"}[contact]

    cells = regions(
        answer,
        middles(6, 86, 56),
        middles(0, 3, 40),
        {
            "one: slides on": "#bcd9ee",
            "one: lifts off": "#bfe3d4",
            "no_force": "#f6d3b3",
            "several": "#ecc7dc",
        },
    )
    angles = [6 + 0.5 * i for i in range(161)]
    sines = [(math.sin(math.radians(a)), math.cos(math.radians(a))) for a in angles]
    limit = curve(
        angles,
        [(1 + 3 * c * c) / (3 * s * c) for s, c in sines],
        line_of("black"),
        "bracket is zero",
    )
    rise = math.degrees(math.asin(9.81 / turn**2))
    balance = curve([rise, rise], [0, 3], DASHED.replace(GREY, "#404040"), "g = l θ′² sin θ")
    rod = sketch(
        [(590, 75, 735, 75, WALL), (640, 78, 695, 150, ROD), (640, 88, 605, 88, SPEED)],
        [(665, 90, "θ")],
    )
    draw(
        "several",
        "A rod slides over the floor and turns with θ′ = 3.5 rad/s: the answers",
        [
            (
                [
                    *MAP,
                    *rod,
                    "set xlabel 'angle to the floor θ, °'",
                    "set xrange [6:86]",
                    "set yrange [0:3]",
                ],
                [*cells, limit, balance],
            )
        ],
    )


PICTURES = {
    "onset": draw_onset,
    "end": draw_end,
    "graze": draw_graze,
    "release": draw_release,
    "kink": draw_kink,
    "jamming": draw_jamming,
    "several": draw_several,
}


def main():
    program = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or PICTURES:
        PICTURES[name](program)


if __name__ == "__main__":
    main()
