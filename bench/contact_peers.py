"""Three motions with contact by Lacon and by ODE, a rigid-body engine with hard contacts.

usage: ./dev bench contact_peers [--quick] [--piles N]
       python3 bench/contact_peers.py BUILD [--lacon FILE] [--engine FILE] ...

  --quick   no step of 1e-5, no tolerance of 1e-12, no pile from another start
  --piles   also let N piles of other shapes come to rest, and count those that do: some end with
            `undetermined` by Lacon (docs/contact.md)

BUILD has `lacon` and `bench/peers/peer_contact_ode`; --lacon and --engine take them from elsewhere.

The engine takes steps of one length and is run with shorter and shorter ones. It can be set in
three ways (bench/peers/contact_ode.cpp):

  default    dWorldStep as it is. Bodies that overlap are pushed apart at up to a fifth of the
             speed of their impact, which is a bounce that no shorter step makes smaller.
  careful    dWorldStep, and overlapping bodies part at g times the step at most.
  iterated   the same with dWorldQuickStep, 100 iterations. dWorldStep takes the bound of friction
             from the forces that there would be without friction; this one does not.

Times are CPU seconds of the whole program, from its start to its end, the least of three runs (of
one where that is long).
"""

import argparse
import json
import math
import random
import resource
import subprocess
import tempfile
from pathlib import Path

STEPS = [1e-2, 1e-3, 1e-4, 1e-5]
TOLERANCES = [1e-6, 1e-9, 1e-12]
LONG = 20.0  # s: no shorter step where ten times as many would take longer
LIMIT = 180.0  # s, of any run
GRAVITY = 9.81


# References ---------------------------------------------------------------------------------------


class Rocking:
    """The rocking block of Housner: theta'' = -p^2 sin(alpha - theta), p^2 = 3 g/(4 r), about one
    corner, and theta' times 1 - 3/2 sin(alpha)^2 at each impact. With psi = alpha - |theta| and
    sin(psi/2) = s cosh(u), where s = sin(psi/2) at the turning point, the time from there is

        p t = integral from 0 to u of dv/sqrt(1 - s^2 cosh(v)^2).
    """

    def __init__(self, b, h, mass, tilt, end):
        r, self.alpha = math.hypot(b, h), math.atan2(b, h)
        self.p = math.sqrt(3 * GRAVITY / (4 * r))
        kept = 1 - 1.5 * math.sin(self.alpha) ** 2
        self.swings, self.impacts, peak, impact = [], [], tilt, 0.0
        while impact < end:
            s = math.sin((self.alpha - peak) / 2)
            fall = self.time(s, math.acosh(math.sin(self.alpha / 2) / s))
            turn = impact + (fall if self.swings else 0.0)  # it begins at a turning point
            self.swings.append((turn, fall, s))
            impact = turn + fall
            high = math.cos(self.alpha - peak) - math.cos(self.alpha)
            high = math.cos(self.alpha) + kept**2 * high
            peak = self.alpha - math.acos(high)
            if impact < end:
                self.impacts.append((impact, mass * GRAVITY * r * high))

    def slope(self, s, u):
        return 1 / (self.p * math.sqrt(1 - (s * math.cosh(u)) ** 2))

    def time(self, s, u, pieces=200):
        """Simpson's rule; the integrand is smooth."""
        d = u / (2 * pieces)
        odd = math.fsum(self.slope(s, (2 * k + 1) * d) for k in range(pieces))
        even = math.fsum(self.slope(s, 2 * k * d) for k in range(1, pieces))
        return (self.slope(s, 0) + self.slope(s, u) + 4 * odd + 2 * even) * d / 3

    def angle(self, t):
        number = next(k for k, (turn, fall, _) in enumerate(self.swings) if t <= turn + fall)
        turn, _, s = self.swings[number]
        rest, u = abs(t - turn), 0.0
        for _ in range(20):
            u += (rest - self.time(s, u)) / self.slope(s, u)
        angle = self.alpha - 2 * math.asin(s * math.cosh(u))
        return -angle if number % 2 else angle


class Belt:
    """A block on a spring with a damper, on a belt. While it slides or sticks the motion is a
    damped oscillation or uniform: exact but for the moments of change, found by halving."""

    def __init__(self, k, m, c, mu, speed, x, end):
        self.k, self.m, self.c, self.speed, self.grip = k, m, c, speed, mu * m * GRAVITY
        self.decay, self.changes, self.pieces = c / (2 * m), [], []
        self.rate = math.sqrt(k / m - self.decay**2)
        t, v, slip = 0.0, 0.0, math.copysign(1, -speed)
        while t < end:
            self.pieces.append((t, x, v, slip))
            length = self.sticking(x) if slip == 0 else self.sliding(x, v, slip, end - t)
            x, v = self.state(length, x, v, slip)
            t += length
            pull = -self.k * x - self.c * self.speed
            stays = slip != 0 and abs(pull) <= self.grip
            slip = 0 if stays else math.copysign(1, pull)
            if t < end:
                self.changes.append(t)

    def state(self, tau, x, v, slip):
        if slip == 0:
            return x + self.speed * tau, self.speed
        middle = -slip * self.grip / self.k
        a, fade = x - middle, math.exp(-self.decay * tau)
        b = (v + self.decay * a) / self.rate
        cos, sin = math.cos(self.rate * tau), math.sin(self.rate * tau)
        place = fade * (a * cos + b * sin)
        return middle + place, fade * self.rate * (b * cos - a * sin) - self.decay * place

    def sticking(self, x):
        return ((self.grip - self.c * self.speed) / self.k - x) / self.speed

    def sliding(self, x, v, slip, left):
        """Until the speed is the belt's again, which it may be at the beginning."""

        def ahead(tau):
            return slip * (self.state(tau, x, v, slip)[1] - self.speed)

        step = 1e-3 / self.rate
        low = step
        while low < left and ahead(low + step) > 0:
            low += step
        if low >= left:
            return left
        high = low + step
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if ahead(middle) > 0 else (low, middle)
        return low

    def at(self, t):
        begin, x, v, slip = max(piece for piece in self.pieces if piece[0] <= t)
        return self.state(t - begin, x, v, slip)


# Programs -----------------------------------------------------------------------------------------


class Program:
    """Runs a program that answers in JSON, and measures its CPU seconds."""

    def __init__(self, path):
        self.path = path

    def once(self, words):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        line = [self.path, *map(str, words)]
        with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                text = process.communicate(timeout=LIMIT)[0]
            except subprocess.TimeoutExpired:
                process.terminate()  # Lacon then reports how far it came
                text = process.communicate()[0]
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if not text.strip():
            raise RuntimeError(f"no answer: {' '.join(map(str, line))}")
        return json.loads(text), seconds

    def run(self, *words):
        answer, seconds = self.once(words)
        for _ in range(2 if seconds < 1 else 0):
            seconds = min(seconds, self.once(words)[1])
        return answer, seconds


class Lacon(Program):
    def motion(self, model, *words):
        """(answer, rows with the values by name, seconds)"""
        with tempfile.TemporaryDirectory() as folder:
            file, out = Path(folder) / "model.lac", Path(folder) / "rows.json"
            file.write_text(model)
            answer, seconds = self.run("run", file, "--json", "--quiet", "--out", out, *words)
            table = json.loads(out.read_text())
        names = [column["name"] for column in table["columns"]]
        return answer, [dict(zip(names, row)) for row in table["rows"]], seconds

    def evaluation(self, model, at):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.lac"
            file.write_text(model)
            return self.once(["eval", file, "--json", "--quiet", "--at", at])[0]


# Tables -------------------------------------------------------------------------------------------


def cell(value, width=11):
    if isinstance(value, str):
        return f"{value:>{width}}"
    return f"{'–' if value is None else f'{value:.1e}':>{width}}"


class Comparison:
    """A table: `engine_row(mode, step)` and `lacon_row(tolerance)` give (seconds, cells)."""

    def __init__(self, quick):
        self.steps = STEPS[:3] if quick else STEPS
        self.tolerances = TOLERANCES[:2] if quick else TOLERANCES

    def print(self):
        print(self.title)
        names = "".join(cell(name) for name in self.columns)
        print(f"  {'':<15}{'step, tol':>10}{'CPU s':>9}{names}")
        for tolerance in self.tolerances:
            self.print_row("Lacon", tolerance, *self.lacon_row(tolerance))
        for mode in self.modes:
            before = None
            for step in self.steps:
                if before and 10 * before > LONG:
                    break
                before, cells = self.engine_row(mode, step)
                self.print_row(f"ODE {mode}", step, before, cells)
        self.print_notes()
        print(flush=True)

    def print_row(self, name, value, seconds, cells):
        texts = "".join(cell(one) for one in cells)
        print(f"  {name:<15}{value:>10.0e}{seconds:>9.3g}{texts}", flush=True)

    def print_notes(self):
        pass


def largest(values):
    return max(map(abs, values))


def times_text(times, right):
    """The largest error of the moments; where there are more or fewer of them, how many."""
    if len(times) != len(right):
        return f"{len(times)} of {len(right)}"
    return largest(a - b for a, b in zip(times, right))


class Block(Comparison):
    title = """Rocking block (models/rocking_block.lac), t = 0..3, against the closed form.
The largest errors of the angle (rad, every 0.05 s), of the moments of impact (s) and of the energy
after each (J; it is 0.15 J above rest at the start); the deepest overlap (m)."""
    columns = ["angle", "impacts", "energy", "overlap"]
    modes = ["default", "careful"]
    b, h, mass, mu, tilt, end = 0.2, 1.0, 1.0, 0.8, 0.1, 3.0

    def __init__(self, lacon, engine, quick):
        super().__init__(quick)
        self.lacon, self.engine = lacon, engine
        self.right = Rocking(self.b, self.h, self.mass, self.tilt, self.end)
        models = Path(__file__).resolve().parent.parent / "models"
        self.model = (models / "rocking_block.lac").read_text()

    def cells(self, angles, impacts, depth):
        times = times_text([t for t, _ in impacts], [t for t, _ in self.right.impacts])
        pairs = [(e, right) for (_, e), (_, right) in zip(impacts, self.right.impacts)]
        energy = largest(e - right for e, right in pairs if e is not None)
        return [largest(a - self.right.angle(t) for t, a in angles), times, energy, depth]

    def lacon_row(self, tolerance):
        answer, rows, seconds = self.lacon.motion(self.model, "--tol", tolerance, "--every", 0.05)
        moments = [event["t"] for event in answer["events"] if event["kind"] == "impact"]
        impacts = [(t, next(row["energy"] for row in rows if row["t"] > t)) for t in moments]
        angles = [(row["t"], row["th"]) for row in rows]
        return seconds, self.cells(angles, impacts, answer["contact"]["certificate"]["primal"])

    def engine_row(self, mode, step):
        numbers = [self.b, self.h, self.mass, self.mu, self.tilt]
        answer, seconds = self.engine.run(step, self.end, 0.05, mode, "block", *numbers)
        return seconds, self.cells(answer["rows"], answer["impacts"], answer["depth"])


class StickSlip(Comparison):
    title = """Block on a spring with a damper, on a belt with friction, t = 0..10, against the
closed form: it overtakes the belt, falls behind, sticks, slips, and its oscillation decays. The
largest errors of x (m) and x' (m/s), every 0.1 s, and of the four moments of change (s)."""
    columns = ["x", "x'", "changes"]
    modes = ["default"]
    k, m, c, mu, speed, x, end = 10.0, 1.0, 0.2, 0.3, 0.5, -1.2, 10.0
    model = f"""model "Block on a belt"
param k = {k}, m = {m}, c = {c}, mu = {mu}, speed = {speed}, g = {GRAVITY}
coord x, y
particle block at (x, y) mass m
gravity (0, -g)
potential k*x^2/2
dissipation c*x'^2/2
constraint belt: y >= 0 friction mu slip x' - speed
start x = {x}, y = 0
simulate 0..{end} every 0.1
"""

    def __init__(self, lacon, engine, quick):
        super().__init__(quick)
        self.lacon, self.engine = lacon, engine
        self.numbers = [self.k, self.m, self.c, self.mu, self.speed, self.x]
        self.right = Belt(*self.numbers, self.end)

    def cells(self, rows, changes):
        errors = [(x - self.right.at(t)[0], v - self.right.at(t)[1]) for t, x, v in rows]
        places, speeds = zip(*errors)
        return [largest(places), largest(speeds), times_text(changes, self.right.changes)]

    def lacon_row(self, tolerance):
        answer, rows, seconds = self.lacon.motion(self.model, "--tol", tolerance)
        changes = [event["t"] for event in answer["events"] if event["kind"] in ("stick", "slip")]
        return seconds, self.cells([(row["t"], row["x"], row["x'"]) for row in rows], changes)

    def engine_row(self, mode, step):
        answer, seconds = self.engine.run(step, self.end, 0.1, mode, "belt", *self.numbers)
        changes, grip = [], answer["grips"][0][1]
        for (t, now), (after, _) in zip(answer["grips"][1:], answer["grips"][2:] + [(self.end, 0)]):
            if now != grip and (now != 0 or after - t > 1.5 * step):  # a turn takes a step
                changes.append(t)
                grip = now
        return seconds, self.cells(answer["rows"], changes)


class Pile(Comparison):
    columns = ["kinetic", "potential", "way", "end", "force", "cone", "place"]
    modes = ["default", "careful", "iterated"]
    radius, mass, base, drop, end = 0.5, 1.0, 4, 0.02, 1.0

    def __init__(self, lacon, engine, quick, mu=0.4, slack=0.2, seed=1):
        super().__init__(quick)
        self.lacon, self.engine, self.quick, self.mu = lacon, engine, quick, mu
        self.title = f"""Ten disks fall into a heap in a box, friction {mu}, t = 0..{self.end}.
The energies at the end (J), the potential one against Lacon at its smallest tolerance; the deepest
overlap on the way and at the end (m); at the end, in weights of a disk, the largest force that is
left on one and the largest excess of friction over its cone; how far a disk is from where it is by
Lacon at its smallest tolerance (m)."""
        self.width, chance = 2 * self.radius * self.base + slack, random.Random(seed)
        self.places = []
        for row in range(self.base):
            for k in range(self.base - row):
                x = self.width / self.base * (k + 0.5 + 0.5 * row)
                y = self.radius + self.drop + row * (math.sqrt(3) * self.radius + self.drop)
                self.places.append([a + 0.002 * chance.uniform(-1, 1) for a in (x, y)])
        self.tolerances = self.tolerances[::-1]  # the reference first
        self.reference, self.notes = None, []

    def model(self, moved=0.0):
        n = len(self.places)
        lines = f"""model "Pile of disks"
param R = {self.radius}, m = {self.mass}, g = {GRAVITY}, mu = {self.mu}, width = {self.width!r}
coord x[1..{n}], y[1..{n}], th[1..{n}]
let P[i] = (x[i], y[i]) for i in 1..{n}
kinetic m*dot(P[i]', P[i]')/2 + m*R^2/4*th[i]'^2 for i in 1..{n}
potential m*g*y[i] for i in 1..{n}
let across(d) = (-d.y, d.x)/norm(d)
let slide(i, j) = dot(across(P[j] - P[i]), P[j]' - P[i]') - R*(th[i]' + th[j]')
constraint floor[i]: y[i] >= R friction mu slip x[i]' + R*th[i]' for i in 1..{n}
constraint left[i]: x[i] >= R friction mu slip y[i]' - R*th[i]' for i in 1..{n}
constraint right[i]: x[i] <= width - R friction mu slip y[i]' + R*th[i]' for i in 1..{n}
constraint touch[i,j]: norm(P[j] - P[i]) >= 2*R friction mu slip slide(i, j) for i in 1..{n},
    j in i+1..{n}
simulate 0..{self.end} every {self.end}
output kinetic, potential
"""
        for i, (x, y) in enumerate(self.places, 1):
            lines += f"start x[{i}] = {x + (moved if i == n else 0)!r}, y[{i}] = {y!r}\n"
        return lines

    def overlap(self, places):
        gaps = [math.dist(a, b) - 2 * self.radius for i, a in enumerate(places) for b in places[:i]]
        for x, y in places:
            gaps += [y - self.radius, x - self.radius, self.width - self.radius - x]
        return max(0.0, -min(gaps))

    def places_of(self, answer):
        """By Lacon, at the end."""
        n, q = len(self.places), answer["final"]["q"]
        return list(zip(q[:n], q[n:]))

    def far(self, places):
        """From the reference, or None where there is none."""
        if self.reference is None:
            return None
        return largest(math.dist(a, b) for a, b in zip(places, self.reference[0]))

    def balance(self, answer):
        """The forces at the end by `lacon eval`: left on a disk, and outside of the cone."""
        n, q = len(self.places), answer["final"]["q"]
        at = [f"{name}={value!r}" for name, value in zip(answer["coordinates"], q)]
        there = self.lacon.evaluation(self.model(), ", ".join(at))
        if there["status"] != "ok":
            return None, None
        total, outside, weight = list(there["Q"]), 0.0, self.mass * GRAVITY
        for row, normal, one in zip(there["A"], there["multipliers"], there["constraints"]):
            rub = one.get("friction_force") or [0.0] * len(row)
            total = [sum(parts) for parts in zip(total, (normal * a for a in row), rub)]
            across = max(math.hypot(rub[i], rub[n + i]) for i in range(n))
            outside = max(outside, across - self.mu * abs(normal))
        left = largest(math.hypot(total[i], total[n + i]) for i in range(n))
        return left / weight, outside / weight

    def lacon_row(self, tolerance):
        answer, rows, seconds = self.lacon.motion(self.model(), "--tol", tolerance)
        if answer["status"] != "ok":
            return seconds, [f"  {answer['status']} at t = {answer['t']:.4g}"]
        places, last = self.places_of(answer), rows[-1]
        scale = max(1.0, largest(answer["final"]["q"]))
        worst = answer["contact"]["certificate"]["primal"] * scale
        overlaps = [worst, self.overlap(places)]
        excess, far = "reference", "reference"
        if self.reference:
            excess, far = last["potential"] - self.reference[1], self.far(places)
        self.reference = self.reference or (places, last["potential"])
        return seconds, [last["kinetic"], excess, *overlaps, *self.balance(answer), far]

    def engine_row(self, mode, step):
        numbers = [self.radius, self.mass, self.mu, self.width, *sum(self.places, [])]
        answer, seconds = self.engine.run(step, self.end, self.end, mode, "pile", *numbers)
        *values, kinetic, potential = answer["rows"][-1][1:]
        places = list(zip(values[0::2], values[1::2]))
        energies = [kinetic, potential - self.reference[1] if self.reference else None]
        overlaps = [answer["depth"], self.overlap(places)]
        forces = [answer["unbalanced"], answer["outside"]]
        if answer["complaints"]:
            times = f"{answer['complaints']} times"
            self.notes.append(f"  ODE's solver complains {times}: {mode}, {step:.0e}.")
        return seconds, [*energies, *overlaps, *forces, self.far(places)]

    def print_notes(self):
        """How much a small change of the start changes the end: whether places can be compared."""
        print(*self.notes, sep="\n")
        for moved in [] if self.quick or self.reference is None else [1e-9, 1e-6]:
            answer, _, _ = self.lacon.motion(self.model(moved), "--tol", 1e-9)
            if answer["status"] == "ok":
                far = self.far(self.places_of(answer))
                print(f"  With the top disk {moved:.0e} m aside Lacon's end is {far:.1e} m away.")


def count_piles(lacon, engine, number):
    """Piles of other shapes: how many Lacon brings to the end, and where the engine has them."""
    print(
        f"{number} other piles by Lacon at 1e-9: friction, slack, seed, CPU s, how it ended;"
        " how far"
    )
    print("disks are then from where they are by ODE, iterated, at steps of 1e-4 and 1e-5.")
    good = 0
    for seed in range(1, number + 1):
        mu, slack = (0.2, 0.4, 0.6)[seed % 3], (0.05, 0.2)[seed // 3 % 2]
        pile = Pile(lacon, engine, True, mu, slack, seed + 1)
        answer, _, seconds = lacon.motion(pile.model(), "--tol", 1e-9)
        end = f"{answer['status']} at t = {answer['t']:.4g}"
        if answer["status"] == "ok":
            good += 1
            pile.reference = pile.places_of(answer), 0.0
            away = [pile.engine_row("iterated", step)[1][-1] for step in (1e-4, 1e-5)]
            end += "".join(cell(one) for one in away)
        print(f"  {mu}  {slack:<4}  {seed + 1:>3}{seconds:>9.3g}  {end}", flush=True)
    print(f"  {good} of {number} came to the end.\n")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build", type=Path)
    parser.add_argument("--lacon", type=Path)
    parser.add_argument("--engine", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--piles", type=int, default=0)
    given = parser.parse_args()
    lacon = Lacon(given.lacon or given.build / "lacon")
    engine = Program(given.engine or given.build / "bench/peers/peer_contact_ode")
    for comparison in Block, StickSlip, Pile:
        comparison(lacon, engine, given.quick).print()
    if given.piles:
        count_piles(lacon, engine, given.piles)


if __name__ == "__main__":
    main()
