"""How long it takes to derive the equations of motion: Lacon beside SymPy, and Lacon beside its own
size.

usage: ./dev bench derive [--full]

  --full   also the 20-link pendulum in SymPy (minutes) and a chain of 100,000 links
"""

import subprocess
import sys
import time
from pathlib import Path

import sympy
from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

SMALL_MODEL = "models/pendulum.lac"


def lacon_seconds(build, family, sizes):
    """Parse and derive in process, best of several runs: {size: seconds}."""
    done = subprocess.run(
        [build / "bench/bench_derive", family, *map(str, sizes)],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    return {int(size): float(seconds) for _, size, seconds in rows}


def program_seconds(build, model):
    """`lacon check` from start to end, best of ten."""

    def once():
        begin = time.perf_counter()
        subprocess.run([build / "lacon", "check", model], stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begin

    return min(once() for _ in range(10))


def sympy_pendulum(links):
    """The N-link pendulum in angles, as a user of SymPy writes it: coordinates, mass matrix and
    forcing."""
    q = dynamicsymbols(f"q1:{links + 1}")
    x = y = kinetic = potential = sympy.Integer(0)
    for angle in q:
        x, y = x + sympy.sin(angle), y - sympy.cos(angle)
        kinetic += (x.diff("t") ** 2 + y.diff("t") ** 2) / 2
        potential += 9.81 * y
    method = LagrangesMethod(kinetic - potential, q)
    method.form_lagranges_equations()
    return q, method.mass_matrix, method.forcing


def sympy_seconds(links):
    sympy.core.cache.clear_cache()
    begin = time.perf_counter()
    sympy_pendulum(links)
    return time.perf_counter() - begin


def largest_difference(build, links):
    """Between the accelerations of the two at q_i = i/10, q_i' = 1/i, relative to the largest."""
    done = subprocess.run(
        [build / "bench/bench_derive", "motion", str(links)],
        capture_output=True,
        text=True,
        check=True,
    )
    ours = [float(word) for word in done.stdout.split()]
    q, mass, forcing = sympy_pendulum(links)
    state = {angle.diff("t"): sympy.Rational(1, i) for i, angle in enumerate(q, 1)}
    state |= {angle: sympy.Rational(i, 10) for i, angle in enumerate(q, 1)}
    at_state = (
        lambda matrix: matrix.subs({k: v for k, v in state.items() if k not in q})
        .subs(state)
        .evalf(30)
    )
    theirs = list(at_state(mass).LUsolve(at_state(forcing)))
    return max(abs(a - float(b)) for a, b in zip(ours, theirs, strict=True)) / max(map(abs, ours))


def time_text(seconds):
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def print_pendulums(build, full):
    print(
        "N-link pendulum in angles: text to M and Q (Lacon), Lagrangian to M and forcing (SymPy's"
        " LagrangesMethod)"
    )
    print(f"{'N':>8} {'Lacon':>12} {'SymPy':>12} {'SymPy/Lacon':>14}")
    ours = lacon_seconds(build, "pendulum", [2, 5, 10, 20])
    for links, seconds in ours.items():
        if links == 20 and not full:
            print(f"{links:>8} {time_text(seconds):>12} {'(--full)':>12}")
            continue
        theirs = sympy_seconds(links)
        print(
            (
                f"{links:>8} {time_text(seconds):>12} {time_text(theirs):>12} "
                f"{theirs / seconds:>14,.0f}"
            ),
            flush=True,
        )
    print(
        f"Accelerations of the two differ by {largest_difference(build, 5):.1e} of the largest (N ="
        " 5).\n"
    )


def print_chains(build, full):
    print("Chain of N particles and rods in Cartesian coordinates: text to M, Q, A, b")
    print(f"{'N':>8} {'Lacon':>12} {'per link':>12} {'to the last':>14}")
    before = None
    sizes = [1000, 10000, 100000] if full else [1000, 10000]
    for links, seconds in lacon_seconds(build, "chain", sizes).items():
        ratio = f"{seconds / before:.1f}" if before else ""
        print(f"{links:>8} {time_text(seconds):>12} {seconds / links * 1e6:>9.3g} us {ratio:>14}")
        before = seconds
    print("Ten times the links should take about ten times as long.\n")


def main():
    build, full = Path(sys.argv[1]), "--full" in sys.argv[2:]
    print(f"SymPy {sympy.__version__}, Python {sys.version.split()[0]}\n")
    print_pendulums(build, full)
    print_chains(build, full)
    print(
        f"`lacon check {SMALL_MODEL}`, start to end:"
        f" {time_text(program_seconds(build, SMALL_MODEL))}"
    )


if __name__ == "__main__":
    main()
