"""How long a motion takes and how right it is: Lacon's methods beside each other, and beside SciPy
on the same equations.

usage: ./dev bench motion [--quick]      --quick: one chain instead of two, shorter runs, no LSODA
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy looks

import numpy
import scipy
from scipy.integrate import solve_ivp

TOLERANCES = [1e-6, 1e-9, 1e-12]
ADAPTIVE = ["taylor", "dop853", "dopri5", "adams", "bdf"]
FIXED = {"rk4": 4, "gauss": 6}  # with their orders
GRAVITY = 9.81


class Chain:
    """Beads on rods, let go from the level: masses from the top, lengths, the time span, and the
    model with its settings."""

    def __init__(self, name, model, settings, masses, lengths, end):
        self.name, self.model, self.settings, self.end = name, model, settings, end
        self.masses, self.lengths = numpy.array(masses), numpy.array(lengths)

    @property
    def links(self):
        return len(self.masses)

    def start(self):
        x = numpy.cumsum(self.lengths)
        return numpy.concatenate([x, numpy.zeros(3 * self.links)])  # x, y, x', y'

    def state_of(self, run):
        """A run of Lacon's as (x, y, x', y'); its coordinates come by bobs or by families."""
        q, v = numpy.array(run["q"]), numpy.array(run["v"])
        if self.model.endswith("double_pendulum.lac"):
            q, v = (numpy.concatenate([a[0::2], a[1::2]]) for a in (q, v))
        return numpy.concatenate([q, v])


def chain(links, end):
    return Chain(
        f"Chain of {links} links",
        "models/chain.lac",
        [f"N={links}"],
        [0.1] * links,
        [0.25] * links,
        end,
    )


def problems(quick):
    double = Chain("Double pendulum", "models/double_pendulum.lac", [], [1, 1.5], [1, 0.7], 5)
    return [double, chain(5, 2)] + ([] if quick else [chain(10, 1.5)])


class Lacon:
    def __init__(self, build):
        self.program = build / "bench/bench_motion"

    def run(self, model, end, method, tolerance=1e-10, step=0.01, stabilize="project", settings=()):
        line = [
            self.program,
            model,
            str(end),
            method,
            str(tolerance),
            str(step),
            stabilize,
            *settings,
        ]
        return json.loads(subprocess.run(line, capture_output=True, text=True, check=True).stdout)

    def of(self, problem, method, tolerance, step=0.01):
        return self.run(
            problem.model, problem.end, method, tolerance, step, settings=problem.settings
        )


def constrained_field(problem):
    """M q'' = Q + Aᵀ λ, A q'' = b as a user of NumPy writes it: rods as ½|d|² = const, λ from A M⁻¹
    Aᵀ."""
    n = problem.links
    inverse_mass = 1.0 / numpy.concatenate([problem.masses, problem.masses])
    free = numpy.concatenate([numpy.zeros(n), numpy.full(n, -GRAVITY)])
    A = numpy.zeros((n, 2 * n))
    rows, later = numpy.arange(n), numpy.arange(1, n)

    def field(t, state):
        x, y, u, v = state.reshape(4, n)
        dx, dy = numpy.diff(x, prepend=0.0), numpy.diff(y, prepend=0.0)
        du, dv = numpy.diff(u, prepend=0.0), numpy.diff(v, prepend=0.0)
        A[rows, rows], A[rows, n + rows] = dx, dy
        A[later, later - 1], A[later, n + later - 1] = -dx[1:], -dy[1:]
        b = -(du * du + dv * dv)
        W = A * inverse_mass
        acceleration = free + W.T @ numpy.linalg.solve(W @ A.T, b - A @ free)
        return numpy.concatenate([state[2 * n :], acceleration])

    return field


def scipy_run(problem, method, tolerance):
    """(seconds, final state)"""
    begin = time.perf_counter()
    done = solve_ivp(
        constrained_field(problem),
        (0.0, problem.end),
        problem.start(),
        method=method,
        rtol=tolerance,
        atol=tolerance,
        t_eval=[problem.end],
    )
    return time.perf_counter() - begin, done.y[:, -1]


def difference(a, b):
    return float(numpy.max(numpy.abs(a - b)))


def time_text(seconds):
    for unit, scale in ("us", 1e6), ("ms", 1e3):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def end_in_angles(lacon, problem):
    """The end of the motion on another road: angles instead of coordinates and constraints, Runge
    and Kutta instead of Taylor."""
    if problem.links == 2:
        run = lacon.run("models/double_pendulum_angles.lac", problem.end, "dop853", 1e-14)
    else:
        run = lacon.run("angles", problem.end, "dop853", 1e-14, settings=problem.settings)
    angles, rates, lengths = numpy.array(run["q"]), numpy.array(run["v"]), problem.lengths
    sines, cosines = lengths * numpy.sin(angles), lengths * numpy.cos(angles)
    parts = sines, -cosines, cosines * rates, sines * rates
    return numpy.concatenate([numpy.cumsum(part) for part in parts])


def print_row(name, cells, ratios=()):
    times = "".join(f"{time_text(seconds):>11} {error:>8.1e}" for seconds, error in cells)
    print(f"  {name:<16}{times}" + "".join(f"{ratio:>9.3g}" for ratio in ratios), flush=True)


def print_work_precision(lacon, problem, quick):
    end = problem.state_of(lacon.of(problem, "taylor", 1e-15))
    doubt = difference(end, end_in_angles(lacon, problem))
    print(
        f"{problem.name}, t = 0..{problem.end}: time and error of the end state at each tolerance;"
        " on the right, how many"
    )
    print(
        "times as long SciPy's DOP853 takes. (The reference, taylor at 1e-15, agrees with the"
        f" motion in angles to {doubt:.0e}.)"
    )
    print(
        f"  {'':<16}"
        + "".join(f"{tolerance:>20.0e}" for tolerance in TOLERANCES)
        + f"{'SciPy DOP853 / this':>27}"
    )
    theirs = []
    for method in ["DOP853"] if quick else ["DOP853", "LSODA"]:
        cells = []
        for tolerance in TOLERANCES:
            seconds, state = scipy_run(problem, method, tolerance)
            cells.append((seconds, difference(state, end)))
        theirs = theirs or [seconds for seconds, _ in cells]
        print_row(f"SciPy {method}", cells, [t / c[0] for t, c in zip(theirs, cells)])
    for method in ADAPTIVE + list(FIXED):
        cells = []
        for tolerance in TOLERANCES:
            step = 0.05 * tolerance ** (1 / (FIXED[method] + 1)) if method in FIXED else 0.01
            run = lacon.of(problem, method, tolerance, step)
            error = (
                difference(problem.state_of(run), end) if run["outcome"] == "ok" else float("nan")
            )
            cells.append((run["seconds"], error))
        print_row(method, cells, [t / c[0] for t, c in zip(theirs, cells)])
    print("  (rk4 and gauss: steps of 0.05 s times tolerance^(1/(order + 1)).)\n")


def print_drift(lacon, quick):
    end = 20 if quick else 100
    print(
        f"Double pendulum, t = 0..{end}, tolerance 1e-9: largest error of the energy (of its scale)"
        " and of the rods (m)"
    )
    print(f"  {'':<26}{'time':>11}{'energy':>11}{'rods':>11}")
    for method in "taylor", "dop853":
        for stabilize in "none", "baumgarte", "project":
            run = lacon.run("models/double_pendulum.lac", end, method, 1e-9, stabilize=stabilize)
            numbers = (
                f"{time_text(run['seconds']):>11}{run['energy']:>11.1e}{run['position']:>11.1e}"
            )
            print(f"  {method + ', ' + stabilize:<26}{numbers}", flush=True)
    print()


def print_parallelogram(lacon, quick):
    end = 5 if quick else 30
    print(
        f"Parallelogram that turns over, t = 0..{end}, tolerance 1e-10: through its flat positions,"
        " where the rank falls"
    )
    print(f"  {'':<26}{'time':>11}{'energy':>11}{'rods':>11}{'flat positions':>17}")
    for method in ADAPTIVE:
        run = lacon.run("parallelogram", end, method)
        numbers = (
            f"{time_text(run['seconds']):>11}{run['energy']:>11.1e}"
            f"{run['position']:>11.1e}{run['passages']:>17}"
        )
        print(
            f"  {method:<26}{numbers}" + ("" if run["outcome"] == "ok" else f"   {run['outcome']}"),
            flush=True,
        )
    print()


def print_stiff(lacon):
    end, tolerance = 1, 1e-6
    print(
        f"Pendulum on a stiff spring and damper (fastest decay 1e-5 s), t = 0..{end}, tolerance"
        f" {tolerance:.0e}"
    )
    print(f"  {'':<26}{'time':>11}{'steps':>11}{'dop853 / this':>17}{'error':>11}")
    exact = lacon.run("stiff", end, "bdf", 1e-12)
    runs = {
        method: lacon.run("stiff", end, method, tolerance) for method in ("dop853", "bdf", "auto")
    }
    for method, run in runs.items():
        name = method if method == run["method"] else f"{method} ({run['method']})"
        error = difference(numpy.array(run["q"]), numpy.array(exact["q"]))
        ratio = runs["dop853"]["seconds"] / run["seconds"]
        print(
            (
                f"  {name:<26}{time_text(run['seconds']):>11}{run['steps']:>11}"
                f"{ratio:>17.3g}{error:>11.1e}"
            ),
            flush=True,
        )
    print()


def processor():
    for line in (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    ):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "processor unknown"


def main():
    lacon, quick = Lacon(Path(sys.argv[1])), "--quick" in sys.argv[2:]
    print(
        f"{processor()}, {os.cpu_count()} cores; one is used. NumPy {numpy.__version__}, SciPy"
        f" {scipy.__version__}, Python {sys.version.split()[0]}"
    )
    print(
        "SciPy solves the same Cartesian equations with constraints, written with"
        " numpy.linalg.solve, without projection.\n"
    )
    for problem in problems(quick):
        print_work_precision(lacon, problem, quick)
    print_drift(lacon, quick)
    print_parallelogram(lacon, quick)
    print_stiff(lacon)


if __name__ == "__main__":
    main()
