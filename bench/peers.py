"""Work and precision on the same motions: Lacon beside MuJoCo, Simbody, SUNDIALS IDA, SciPy, and
code by hand with Odeint.

usage: ./dev bench peers [--all] [--quick]

  --all     every run, not only the cheapest for an error
  --quick   fewer, shorter ones

Times are those of the motion alone, models made and equations derived before. (Lacon's include
finding the start state, and what it does about its machine code in a run that is not the first.) A
run is repeated for a tenth of a second; the median counts, and of several rounds over all engines
the least. The error is the largest of any joint's position (m) and velocity (m/s) at the end of the
motion.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy looks

import numpy
import scipy
from scipy.integrate import solve_ivp

from motion import GRAVITY, difference, processor, time_text

TARGETS = [1e-6, 1e-9, 1e-12]  # errors
TOLERANCES = [10.0**-k for k in range(5, 16)]
STEPS = [
    0.02 * 10.0 ** (-k / 4) for k in range(16)
]  # of RK4: ten times less error from one to the next
LONG = 0.5  # seconds; such a run needs no repetition
ENGINES_GOAL, BY_HAND_GOAL = 10, 1  # times Lacon's time, at least


class Linkage:
    """Joints and bars of constant length in a plane. States are x, y, x', y' of the moving joints.

    M: mass matrix of the joints, the same in x and y; weights: their masses, as gravity sees them;
    lengths of the bars; ends: rows of 1 and -1 for the joints of a bar, a pivot at (x, 0) being in
    `pivots` instead.
    """

    targets = TARGETS

    def __init__(self, name, model, settings, end, numbers):
        self.name, self.model, self.settings, self.end, self.numbers = (
            name,
            model,
            settings,
            end,
            numbers,
        )

    def energy(self, state):
        x, y, u, v = state.reshape(4, -1)
        return 0.5 * (u @ self.M @ u + v @ self.M @ v) + GRAVITY * self.weights @ y

    def residual(self, state):
        x, y = state.reshape(4, -1)[:2]
        return float(
            numpy.max(
                numpy.abs(numpy.hypot(self.ends @ x - self.pivots, self.ends @ y) - self.lengths)
            )
        )

    def field(self):
        """M q'' = Q + Aᵀ λ, A q'' = b as a user of NumPy writes it: bars as |d|²/2 = const, λ from
        A M⁻¹ Aᵀ."""
        n, ends, pivots = len(self.weights), self.ends, self.pivots
        zero = numpy.zeros((n, n))
        inverse = numpy.linalg.inv(numpy.block([[self.M, zero], [zero, self.M]]))
        free = inverse @ numpy.concatenate([numpy.zeros(n), -GRAVITY * self.weights])

        def field(t, state):
            x, y, u, v = state.reshape(4, n)
            du, dv = ends @ u, ends @ v
            A = numpy.hstack([(ends @ x - pivots)[:, None] * ends, (ends @ y)[:, None] * ends])
            W = A @ inverse
            b = -(du * du + dv * dv)
            return numpy.concatenate([u, v, free + W.T @ numpy.linalg.solve(W @ A.T, b - A @ free)])

        return field


class Chain(Linkage):
    """Beads on rods, let go from the level: masses and lengths from the top."""

    def __init__(self, name, model, settings, end, masses, lengths):
        super().__init__(
            name,
            model,
            settings,
            end,
            ["chain"] + [v for pair in zip(masses, lengths) for v in pair],
        )
        n = len(masses)
        self.weights, self.lengths, self.pivots = (
            numpy.array(masses),
            numpy.array(lengths),
            numpy.zeros(n),
        )
        self.M, self.ends = numpy.diag(self.weights), numpy.eye(n) - numpy.eye(n, k=-1)
        self.start = numpy.concatenate([numpy.cumsum(self.lengths), numpy.zeros(3 * n)])

    def state_of(self, q, v):
        """Lacon's coordinates come bob by bob or family by family."""
        if self.model.endswith("double_pendulum.lac"):
            q, v = (numpy.concatenate([a[0::2], a[1::2]]) for a in (q, v))
        return numpy.concatenate([q, v])


class FourBar(Linkage):
    """models/four_bar.lac: uniform bars; the mass matrix of one by its ends is m/6 [2 1; 1 2]."""

    def __init__(
        self, end, crank=1.0, coupler=3.5, rocker=2.5, ground=4.0, density=0.5, angle=1.0, rate=6.0
    ):
        numbers = ["four_bar", crank, coupler, rocker, ground, density, angle, rate]
        super().__init__("Four-bar", "models/four_bar.lac", [], end, numbers)
        self.lengths, self.pivots = numpy.array([crank, coupler, rocker]), numpy.array(
            [0.0, 0.0, ground]
        )
        self.ends = numpy.array([[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]])
        m1, m2, m3 = density * self.lengths
        self.M = numpy.array([[m1 + m2, m2 / 2], [m2 / 2, m2 + m3]]) / 3
        self.weights = numpy.array([m1 + m2, m2 + m3]) / 2
        B = crank * numpy.exp(
            1j * angle
        )  # the plane as complex numbers; the loop closed as Lacon does it, upwards
        along = 0.5 + (coupler**2 - rocker**2) / (2 * abs(ground - B) ** 2)
        bar = (ground - B) * (
            along + 1j * numpy.sqrt((coupler / abs(ground - B)) ** 2 - along**2)
        )
        C, turned = B + bar, 1j * (B + bar - ground)
        velocity = turned * (bar.conjugate() * 1j * rate * B).real / (bar.conjugate() * turned).real
        points = [numpy.array([B, C]), numpy.array([1j * rate * B, velocity])]
        self.start = numpy.concatenate([part for pair in points for part in (pair.real, pair.imag)])

    def state_of(self, q, v):
        (crank, _, rocker), (a, _, c) = self.lengths, q
        x, y = [crank * numpy.cos(a), self.pivots[2] + rocker * numpy.cos(c)], [
            crank * numpy.sin(a),
            rocker * numpy.sin(c),
        ]
        u, w = [-y[0] * v[0], -y[1] * v[2]], [x[0] * v[0], (x[1] - self.pivots[2]) * v[2]]
        return numpy.concatenate([x, y, u, w])


def motions(quick):
    def chain(links, end):
        return Chain(
            f"Chain of {links} links",
            "models/chain.lac",
            [f"N={links}"],
            end,
            [0.1] * links,
            [0.25] * links,
        )

    def double(end):
        return Chain("Double pendulum", "models/double_pendulum.lac", [], end, [1, 1.5], [1, 0.7])

    long = double(10)
    long.targets = TARGETS[:1]  # errors grow a millionfold: beyond, rounding decides
    return (
        [double(3), chain(5, 2), FourBar(5)]
        if quick
        else [double(3), long, chain(5, 2), chain(10, 1.5), FourBar(5)]
    )


class Engine:
    """One method of one program: `run(motion, value)` gives (seconds, end state), or None where it
    fails."""

    def __init__(self, family, method, run, values):
        self.family, self.name, self.run, self.values = family, f"{family} {method}", run, values


def answer(line, **environment):
    done = subprocess.run(
        [str(word) for word in line], capture_output=True, text=True, env=os.environ | environment
    )
    found = json.loads(done.stdout) if done.returncode == 0 else {"outcome": "failed"}
    return found if found["outcome"] == "ok" else None


def lacon_line(build, motion, method, value, end=None):
    return [
        build / "bench/bench_motion",
        motion.model,
        end or motion.end,
        method,
        value,
        0.01,
        "project",
        *motion.settings,
    ]


def lacon_engine(build, method):
    def run(motion, value):
        found = answer(lacon_line(build, motion, method, value))
        return found and (
            found["median"],
            motion.state_of(numpy.array(found["q"]), numpy.array(found["v"])),
        )

    return Engine("Lacon", method, run, TOLERANCES)


def peer_engine(build, family, program, method, values=tuple(TOLERANCES)):
    """None where it has not been built."""
    path = build / f"bench/peers/peer_{program}"

    def run(motion, value):
        found = answer([path, method, value, motion.end, *motion.numbers])
        return found and (found["seconds"], numpy.array(found["state"]))

    return (
        Engine(family, method, run, values)
        if path.exists()
        else print(f"{family} {method} is missing: no {path.name}.")
    )


def scipy_engine(method):
    def run(motion, value):
        field = motion.field()
        begin = time.perf_counter()
        done = solve_ivp(
            field,
            (0.0, motion.end),
            motion.start,
            method=method,
            rtol=value,
            atol=value,
            t_eval=[motion.end],
        )
        return (time.perf_counter() - begin, done.y[:, -1]) if done.success else None

    return Engine("SciPy", method, run, [t for t in TOLERANCES if t > 5e-14])


def engines_of(build):
    found = [lacon_engine(build, method) for method in ("auto", "taylor", "dop853")]
    found.append(peer_engine(build, "by hand", "odeint", "fehlberg78", TOLERANCES + [1e-16]))
    found.append(peer_engine(build, "MuJoCo", "mujoco", "RK4", STEPS))
    found += [
        peer_engine(build, "Simbody", "simbody", method)
        for method in ("Merson", "CPodes-BDF", "CPodes-Adams")
    ]
    found.append(peer_engine(build, "IDA", "ida", "BDF"))
    return [engine for engine in found if engine] + [
        scipy_engine(method) for method in ("DOP853", "LSODA")
    ]


class Run:
    def __init__(self, motion, value, answer, end):
        self.value, self.seconds, state = value, answer[0], answer[1]
        self.error, self.residual = difference(state, end), motion.residual(state)
        self.energy = abs(motion.energy(state) - motion.energy(motion.start))


def ladder(engine, motion, end, limit):
    """Runs of more and more work, until one is right to the last target, takes too long, or none
    comes any more."""
    runs = []
    for value in engine.values:
        found = engine.run(motion, value)
        if found and numpy.all(numpy.isfinite(found[1])):
            runs.append(Run(motion, value, found, end))
        if runs and (not found or runs[-1].error <= motion.targets[-1] or runs[-1].seconds > limit):
            break
    return runs


def cheapest(runs, target):
    return min(
        (run for run in runs if run.error <= target), key=lambda run: run.seconds, default=None
    )


def reference(build, motion, engines):
    """The end state, by Taylor series and by hand in minimal coordinates and long double; and how
    far the two are apart."""
    series = next(engine for engine in engines if engine.name == "Lacon taylor").run(motion, 1e-15)[
        1
    ]
    if not any(engine.family == "by hand" for engine in engines):
        return series, None
    by_hand = answer(
        [build / "bench/peers/peer_odeint", "reference", 1e-18, motion.end, *motion.numbers]
    )
    return numpy.array(by_hand["state"]), difference(series, numpy.array(by_hand["state"]))


def measure(engines, motion, end, rounds, limit):
    """The runs of each engine; those that are the cheapest for a target, and short, are timed
    again, all engines in turn."""
    table = [(engine, ladder(engine, motion, end, limit)) for engine in engines]
    chosen = [
        (engine, run)
        for engine, runs in table
        for run in {cheapest(runs, target) for target in motion.targets} - {None}
    ]
    for _ in range(rounds - 1):
        for engine, run in chosen:
            if run.seconds < LONG:
                run.seconds = min(run.seconds, engine.run(motion, run.value)[0])
    return table


def best_of(table, target, families):
    """(run, name) of the cheapest that reaches the target."""
    found = [
        (cheapest(runs, target), engine.name) for engine, runs in table if engine.family in families
    ]
    return min(
        (pair for pair in found if pair[0]), key=lambda pair: pair[0].seconds, default=(None, "–")
    )


def ratio_text(run, base):
    if not run or not base:
        return "–"
    ratio = run.seconds / base.seconds
    return f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.2g}"


def beside_the_steps(build, motion):
    """What Lacon's runs take beside their steps: the first in a process, with no machine code kept
    from before and with all of it, and a later one of no length."""
    texts = []
    for method in "taylor", "dop853":
        with tempfile.TemporaryDirectory() as cache:
            empty, warm = (
                answer(lacon_line(build, motion, method, 1e-9), LACON_CACHE_DIR=cache)["first"]
                for _ in range(2)
            )
            none = answer(lacon_line(build, motion, method, 1e-9, end=1e-9), LACON_CACHE_DIR=cache)[
                "median"
            ]
        texts.append(f"{method} {time_text(empty)}, {time_text(warm)}, {time_text(none)}")
    return "; ".join(texts)


def print_table(motion, table, doubt, beside):
    print(
        f"{motion.name}, t = 0..{motion.end}: time for an error, and how many times that of Lacon's"
        " best method it is;"
    )
    print(
        "on the right the least error of all runs, with its energy error (J) and bar error (m) at"
        " the end."
    )
    doubt_text = (
        "no second reference" if doubt is None else f"Lacon's taylor at 1e-15 is {doubt:.0e} off"
    )
    print(
        f"(Reference: {'taylor at 1e-15' if doubt is None else 'by hand in long double'};"
        f" {doubt_text}.)"
    )
    columns = "".join(f"{target:>12.0e}{'ratio':>8}" for target in motion.targets)
    print(f"  {'':<21}{columns}{'least':>11}{'energy':>9}{'bars':>9}")
    bases = [best_of(table, target, ["Lacon"])[0] for target in motion.targets]
    for engine, runs in table:
        cells = ""
        for target, base in zip(motion.targets, bases):
            run = cheapest(runs, target)
            cells += f"{time_text(run.seconds) if run else '–':>12}{ratio_text(run, base):>8}"
        least = min(runs, key=lambda run: run.error, default=None)
        last = (
            f"{least.error:>11.0e}{least.energy:>9.0e}{least.residual:>9.0e}"
            if least
            else f"{'failed':>11}"
        )
        print(f"  {engine.name:<21}{cells}{last}", flush=True)
    others = {engine.family for engine, _ in table} - {"Lacon", "by hand"}
    for label, families, goal in ("best engine / Lacon", others, ENGINES_GOAL), (
        "by hand / Lacon",
        ["by hand"],
        BY_HAND_GOAL,
    ):
        ratios = [
            ratio_text(best_of(table, target, families)[0], base)
            for target, base in zip(motion.targets, bases)
        ]
        print(
            f"  {label:<21}"
            + "".join(f"{ratio:>20}" for ratio in ratios)
            + f"   (goal: {goal} or more)"
        )
    print(
        "  Lacon's first run in a process at 1e-09 with its code cache empty, the same with it"
        " warm, a later run of no length:"
    )
    print(f"  {beside}.\n", flush=True)


def print_all(table):
    print(f"  {'':<21}{'tolerance':>11}{'time':>11}{'error':>10}{'energy':>10}{'bars':>10}")
    for engine, runs in table:
        for run in runs:
            numbers = (
                f"{run.value:>11.1e}{time_text(run.seconds):>11}"
                f"{run.error:>10.1e}{run.energy:>10.1e}{run.residual:>10.1e}"
            )
            print(f"  {engine.name:<21}{numbers}")
    print("  (MuJoCo: the step in place of the tolerance.)\n", flush=True)


def print_markdown(results):
    print("In short, as in docs/motion.md:\n")
    print("| motion | error | Lacon | best engine | times Lacon's | by hand | times Lacon's |")
    print("|---|---|---|---|---|---|---|")
    for motion, table in results:
        others = {engine.family for engine, _ in table} - {"Lacon", "by hand"}
        for target in motion.targets:
            (base, method), (best, name) = best_of(table, target, ["Lacon"]), best_of(
                table, target, others
            )
            by_hand, _ = best_of(table, target, ["by hand"])
            if base or best or by_hand:
                lacon = f"{time_text(base.seconds)} ({method.split()[1]})" if base else "–"
                engine = f"{time_text(best.seconds)} ({name})" if best else "–"
                hand = time_text(by_hand.seconds) if by_hand else "–"
                line = [
                    f"{motion.name}, {motion.end} s",
                    f"{target:.0e}",
                    lacon,
                    engine,
                    ratio_text(best, base),
                    hand,
                    ratio_text(by_hand, base),
                ]
                print(f"| {' | '.join(line)} |".replace(" us", " µs"))


def main():
    build, quick = Path(sys.argv[1]), "--quick" in sys.argv[2:]
    print(
        f"{processor()}, {os.cpu_count()} cores; one is used. NumPy {numpy.__version__}, SciPy"
        f" {scipy.__version__}, Python {sys.version.split()[0]}"
    )
    engines = engines_of(build)
    print(
        "By hand: minimal coordinates. MuJoCo, Simbody: hinges, the loop closed by `connect`"
        " (soft), by constraints. IDA, SciPy:"
    )
    print("Cartesian coordinates of the joints with multipliers.\n")
    results = []
    for motion in motions(quick):
        end, doubt = reference(build, motion, engines)
        table = measure(engines, motion, end, 2 if quick else 5, 0.3 if quick else 2.0)
        print_table(motion, table, doubt, beside_the_steps(build, motion))
        if "--all" in sys.argv[2:]:
            print_all(table)
        results.append((motion, table))
    print_markdown(results)


if __name__ == "__main__":
    main()
