"""What contacts cost: piles of disks on a floor between two walls, at rest and falling, without
friction and with it; and what compiled modes bring.

usage: ./dev bench contact [--quick]      --quick: no pile of 300 disks, no run longer than 20 s
"""

import json
import math
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

SIZES = [10, 100, 300]
RADIUS = 0.5
MODELS = [
    "rocking_block",
    "cradle",
    "stack",
    "rolling_sphere",
    "rough_oscillator",
    "bodies/rolling_coin",
    "bodies/rattleback",
    "bodies/tippe_top",
]
BALL = """model "Ball with drag"
coord x, y
particle ball at (x, y) mass 1
gravity (0, -9.81)
force x = -0.05*x'*norm((x', y')), y = -0.05*y'*norm((x', y'))
constraint floor: y >= 0 restitution 0.9
start y = 1, x' = 3
simulate 0..20
"""
END = 0.15  # s: the falling pile has landed, and most contacts have changed several times


class Pile:
    """Rows of `across` and `across - 1` disks in turn, each touching its neighbours (`loose` = 0)
    or apart by this part of the diameter and off its place at random. Only neighbours are kept from
    entering each other: about three rows a disk.
    """

    def __init__(self, count, friction, loose=0.0):
        self.count, self.friction = count, friction
        self.across = max(2, round(math.sqrt(count)))
        self.width = 2 * self.across * RADIUS * (1 + loose)
        chance = random.Random(1)
        self.places, self.cells, row = [], {}, 0
        while len(self.places) < count:
            for k in range(min(self.across - row % 2, count - len(self.places))):
                self.cells[row, 2 * k + row % 2] = len(self.places) + 1
                x = RADIUS * (1 + loose) * (2 * k + 1 + row % 2)
                y = RADIUS + RADIUS * (math.sqrt(3) * (1 + loose) * row + 2 * loose)
                self.places.append([a + RADIUS * loose * chance.uniform(-0.5, 0.5) for a in (x, y)])
            row += 1

    def contacts(self):
        """name, gap and velocity of sliding of each"""
        last = 2 * (self.across - 1)
        for (row, column), i in self.cells.items():
            if row == 0:
                yield f"floor[{i}]", f"y[{i}] >= R", f"x[{i}]' + R*th[{i}]'"
            if row % 2 == 0 and column == 0:
                yield f"left[{i}]", f"x[{i}] >= R", f"y[{i}]' - R*th[{i}]'"
            if row % 2 == 0 and column == last:
                yield f"right[{i}]", f"x[{i}] <= width - R", f"y[{i}]' + R*th[{i}]'"
            for neighbour in (row, column + 2), (row + 1, column - 1), (row + 1, column + 1):
                if j := self.cells.get(neighbour):
                    yield f"touch[{i},{j}]", f"norm(P[{j}] - P[{i}]) >= 2*R", f"slide({i}, {j})"

    def model(self):
        n = self.count
        turning, turns = (f", th[1..{n}]", " + m*R^2/2*th[i]'^2/2") if self.friction else ("", "")
        lines = [
            f'model "Pile of {n} disks"',
            f"param R = {RADIUS}, m = 1, g = 9.81, mu = 0.4, width = {self.width!r}",
            f"coord x[1..{n}], y[1..{n}]{turning}",
            f"let P[i] = (x[i], y[i]) for i in 1..{n}",
            f"kinetic m*dot(P[i]', P[i]')/2{turns} for i in 1..{n}",
            f"potential m*g*y[i] for i in 1..{n}",
        ]
        if self.friction:
            lines.append("let across(d) = (-d.y, d.x)/norm(d)")
            lines.append(
                "let slide(i, j) = dot(across(P[j] - P[i]), P[j]' - P[i]') - R*(th[i]' + th[j]')"
            )
        for name, gap, slip in self.contacts():
            lines.append(
                f"constraint {name}: {gap}" + (f" friction mu slip {slip}" if self.friction else "")
            )
        lines += [
            f"start x[{i}] = {x!r}, y[{i}] = {y!r}" for i, (x, y) in enumerate(self.places, 1)
        ]
        return "\n".join(lines) + "\n"


class Lacon:
    def __init__(self, program, limit):
        self.program, self.limit = program, limit

    def answer(self, command, pile, *options):
        """(the answer, seconds of the whole program); what takes longer than the limit is asked to
        end, and reports so far."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "pile.lac"
            file.write_text(pile.model())
            line = [self.program, command, file, "--json", "--quiet", *options]
            begin = time.perf_counter()
            with subprocess.Popen(
                line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            ) as process:
                try:
                    text = process.communicate(timeout=self.limit)[0]
                except subprocess.TimeoutExpired:
                    process.terminate()
                    text = process.communicate()[0]
            return (
                json.loads(text) if text.strip() else {"status": "too slow"},
                time.perf_counter() - begin,
            )

    def best(self, command, pile, *options):
        """Of three, or of one where that is long."""
        best = self.answer(command, pile, *options)
        for _ in range(2 if best[1] < self.limit / 4 else 0):
            best = min(best, self.answer(command, pile, *options), key=lambda done: done[1])
        return best


def time_text(seconds):
    for unit, scale in ("us", 1e6), ("ms", 1e3):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def ratio_text(now, before):
    return f"{now / before:.3g}" if before else ""


def certificate_text(certificate):
    if not certificate:
        return ""
    return " ".join(f"{certificate[key]:>9.1e}" for key in ("primal", "dual", "complementarity"))


CERTIFICATE = f"{'primal':>9} {'dual':>9} {'compl.':>9}"


def print_rest(lacon, sizes, friction):
    print(
        f"At rest, touching, {'with' if friction else 'without'} friction: one solve (`lacon eval`,"
        " start to end of the program)"
    )
    print(
        f"{'disks':>8} {'coord.':>7} {'rows':>6} {'closed':>7} {'time':>9} {'to the last':>12}  "
        f" {CERTIFICATE}  outcome"
    )
    before = None
    for count in sizes:
        pile = Pile(count, friction)
        rows = sum(1 for _ in pile.contacts())
        done, seconds = lacon.best("eval", pile)
        closed = sum(1 for one in done.get("constraints", []) if one.get("contact") != "open")
        print(
            (
                f"{count:>8} {count * (3 if friction else 2):>7} {rows:>6} "
                f"{closed:>7} {time_text(seconds):>9} {ratio_text(seconds, before):>12} "
                f"  {certificate_text(done.get('certificate')):>29}  {done['status']}"
            ),
            flush=True,
        )
        before = seconds
    print()


def print_falling(lacon, sizes, friction):
    print(f"Falling, {'with' if friction else 'without'} friction, t = 0..{END}: `lacon run`")
    print(
        f"{'disks':>8} {'steps':>7} {'modes':>7} {'impacts':>8} {'a step':>9} "
        f"{'a mode':>9} {'to the last':>12} "
        f"  {CERTIFICATE}  outcome"
    )
    before = None
    for count in sizes:
        done, _ = lacon.best("run", Pile(count, friction, loose=0.03), "--t", f"0..{END}")
        contact, seconds = done.get("contact", {}), done.get("wall_seconds", math.nan)
        modes, steps = contact.get("modes", 0), done.get("steps", 0)
        kinds = Counter(event["kind"] for event in done.get("events", []))
        a_mode = seconds / max(modes, 1)
        end = done["status"] + (
            f" at t = {done['t']:.3g}" if done["status"] != "ok" and "t" in done else ""
        )
        print(
            (
                f"{count:>8} {steps:>7} {modes:>7} {kinds['impact']:>8} "
                f"{time_text(seconds / max(steps, 1)):>9} {time_text(a_mode):>9} "
                f"{ratio_text(a_mode, before):>12} "
                f"  {certificate_text(contact.get('certificate')):>29}  {end}"
            ),
            flush=True,
        )
        before = a_mode
    print()


def print_compiled(program, limit):
    """Interpreted and compiled in turn: seconds of the motion without the begin of the program, the
    best of five. The code cache is as the runs before left it."""
    print("Compiled modes: `lacon run` with --interpret and without")
    print(
        f"{'model':>22} {'modes':>6} {'steps':>7} {'interpreted':>12} {'compiled':>9} {'ratio':>6}"
    )
    folder = Path(__file__).parent.parent / "models"
    with tempfile.TemporaryDirectory() as scratch:
        ball = Path(scratch) / "ball.lac"
        ball.write_text(BALL)
        for name, file in [(m, folder / f"{m}.lac") for m in MODELS] + [("ball with drag", ball)]:
            seconds = {True: math.inf, False: math.inf}
            for _ in range(5):
                for interpret in seconds:
                    options = ["--interpret"] if interpret else []
                    line = [program, "run", file, "--json", "--quiet", *options]
                    done = json.loads(
                        subprocess.run(line, stdout=subprocess.PIPE, timeout=limit).stdout
                    )
                    seconds[interpret] = min(seconds[interpret], done["wall_seconds"])
            print(
                (
                    f"{name:>22} {done['contact']['modes']:>6} {done['steps']:>7} "
                    f"{time_text(seconds[True]):>12} {time_text(seconds[False]):>9} "
                    f"{seconds[True] / seconds[False]:>6.2f}"
                ),
                flush=True,
            )
    print()


def main():
    quick = "--quick" in sys.argv[2:]
    lacon = Lacon(Path(sys.argv[1]) / "lacon", 20 if quick else 120)
    sizes = SIZES[:2] if quick else SIZES
    print_compiled(lacon.program, lacon.limit)
    for friction in False, True:
        print_rest(lacon, sizes, friction)
    for friction in False, True:
        print_falling(lacon, sizes, friction)
    print(
        "The best of three runs, or one where it takes long; 'to the last': how many times as long"
        " as the pile before it."
    )


if __name__ == "__main__":
    sys.exit(main())
