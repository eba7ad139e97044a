"""Large systems: how the cost of an acceleration, a step and a motion grows, beside other sparse
solvers and beside MuJoCo.

usage: ./dev bench large [--quick]

  --quick   up to 100,000 particles and 100 links beside MuJoCo, shorter motions

Everything runs on one thread but the motions of the program itself. Times are the best of several
goes, ratios are of one run on one machine. Exponents are slopes of log time over log K by least
squares.
"""

import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CHAINS = [10**3, 10**4, 10**5, 10**6]
NETS = [32, 100, 316, 1000]  # knots on a side
CHAIN_GOALS = 1.1, 150  # exponent; ns a particle for the acceleration of the longest
NET_GOAL = 1.35
LIMIT = (
    40.0  # seconds for all that one of the other solvers does on one matrix, its analysis included
)
PEER_LIMIT = 20.0  # seconds for one run of MuJoCo
LINKS = [10, 30, 100, 300, 1000]
TARGETS = [1e-6, 1e-9]
TOLERANCES = [10.0**-k for k in range(5, 15)]
STEPS = [0.02 * 10.0 ** (-k / 4) for k in range(16)]
END = 0.2  # of the motions beside MuJoCo
ENERGY_GOAL, RESIDUAL_GOAL = 1e-9, 1e-12
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

# Solver, whether it is given the net without the links said twice, and its line in the table.
RIVALS = [
    ("eigen_lu", False, "Eigen SparseLU, [M A'; A 0]"),
    ("eigen_lu", True, "Eigen SparseLU, no link twice"),
    ("eigen_ldlt", False, "Eigen SimplicialLDLT, [M A'; A 0]"),
    ("eigen_ldlt", True, "Eigen SimplicialLDLT, no link twice"),
    ("eigen_ldlt_regularized", False, "Eigen SimplicialLDLT, [M A'; A -1e-10]"),
    ("cholmod", False, "CHOLMOD supernodal, S"),
    ("cholmod", True, "CHOLMOD, no link twice"),
    ("cholmod_regularized", False, "CHOLMOD, S + 1e-10"),
    ("spqr", False, "SPQR, B'"),
]


def time_text(seconds):
    for unit, scale in ("us", 1e6), ("ms", 1e3):
        if seconds * scale < 1000:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds:.3g} s"


def exponent(points):
    """Slope of log y over log x."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    if len(logs) < 2:
        return math.nan
    mx, my = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - mx) * (y - my) for x, y in logs) / sum((x - mx) ** 2 for x, _ in logs)


def answer(line, limit=None, **environment):
    """The line of JSON that a program prints; else the reason why there is none, as {"outcome":
    reason}."""
    try:
        done = subprocess.run(
            [str(word) for word in line],
            capture_output=True,
            text=True,
            timeout=limit,
            env=os.environ | ONE_THREAD | environment,
        )
    except subprocess.TimeoutExpired:
        return {"outcome": f"> {limit:.0f} s"}
    if done.stdout.strip():
        return {"outcome": "ok"} | json.loads(done.stdout)
    return {"outcome": (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]}


def measure_chains(build, quick):
    print("1. Hanging chain of K beads, at a bent and turning state: ns a particle on one core")
    print(
        "   (acceleration: assembly, factorization and solve with two corrections; step: the series"
        " to a local error of 1e-9)"
    )
    columns = "assembly", "factor", "solve", "acceleration", "Taylor step"
    print(
        f"  {'K':>9}" + "".join(f"{name:>14}" for name in columns) + f"{'order':>7}{'residual':>10}"
    )
    runs = []
    for links in CHAINS[:3] if quick else CHAINS:
        run = answer([build / "bench/bench_large", "chain", links])
        if run["outcome"] != "ok":
            print(f"  {links:>9}   {run['outcome']}")
            continue
        numbers = [
            1e9 * run[name] / links
            for name in ("assembly", "factor", "solve", "acceleration", "expand")
        ]
        cells = "".join(f"{number:>14.0f}" for number in numbers)
        print(f"  {links:>9}{cells}{run['order']:>7.0f}{run['residual']:>10.0e}", flush=True)
        runs.append((links, run))
    if not runs:
        return
    slopes = [
        exponent([(k, run[name]) for k, run in runs])
        for name in ("assembly", "factor", "solve", "acceleration", "expand")
    ]
    print(
        f"  {'exponent':>9}"
        + "".join(f"{slope:>14.2f}" for slope in slopes)
        + f"   (goal: {CHAIN_GOALS[0]} or less)"
    )
    longest, run = runs[-1]
    print(
        f"  Acceleration of K = {longest}: {1e9 * run['acceleration'] / longest:.0f} ns a particle "
        f"(goal at 1e6: {CHAIN_GOALS[1]} or less). Solved by: {run['plan']}."
    )
    print(
        f"\n  {'K':>9}{'parsed in':>12}{'laid out':>12}{'symbolic':>12}{'compiled':>12}"
        f"{'B a particle:':>16}{'model':>8}{'layout':>8}{'series':>8}{'peak':>8}"
    )
    for links, run in runs:
        times = "".join(
            f"{time_text(run[name]):>12}" for name in ("parse", "layout", "symbolic", "compile")
        )
        sizes = "".join(
            f"{run[name] / links:>8.0f}"
            for name in ("resident_model", "bytes_layout", "bytes_taylor", "peak")
        )
        print(f"  {links:>9}{times}{'':>16}{sizes}")
    print(flush=True)


def lacon_text(run, particles):
    seconds = run["factor"] + run["solve"]
    count = int(run["m"] - run["rank"])
    return (
        f"{1e6 * seconds / particles:>10.3g}{1:>9.2f}{time_text(run['factor']):>11}"
        f"{time_text(run['solve']):>11}"
        f"{run['residual_checked']:>10.0e}{'':>10}   {run['plan']}; {count} rows dropped,"
        f" {run['planted']:.0f} planted"
        f"{'' if count == run['planted'] else ': WRONG'}"
        f"{'' if run['decided'] else ', rank not sure'}"
    )


def rival_text(run, base, particles):
    if run["outcome"] != "ok":
        return f"   {run['outcome']}"
    seconds = run["factor"] + run["solve"]
    ratio = seconds / (base["factor"] + base["solve"])
    return (
        f"{1e6 * seconds / particles:>10.3g}{ratio:>9.2f}{time_text(run['factor']):>11}"
        f"{time_text(run['solve']):>11}"
        f"{float(run['residual']):>10.0e}{float(run['off']):>10.0e}"
    )


def measure_nets(build, quick):
    print(
        "2. Net of K = n x n particles in space, 1 % of its links said twice: one factorization and"
        " one solve, on one thread,"
    )
    print(
        "   the patterns analysed before. us a particle, times Lacon's; the residual of A q'' = b"
        " beside |b| + |A| max |q''|,"
    )
    print(
        "   and how far q'' is from Lacon's (relative). Who fails, or takes more than"
        f" {LIMIT:.0f} s with the analysis, is not asked again for more."
    )
    lacon, given_up = [], set()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "matrices"
        for knots in NETS[:3] if quick else NETS:
            particles, twice = knots * knots, (knots - 1) // 7
            run = answer([build / "bench/bench_large", "net", knots, twice, file])
            print(f"  K = {particles}" + ("" if run["outcome"] == "ok" else f"   {run['outcome']}"))
            if run["outcome"] != "ok":
                continue
            header = (
                f"{'us each':>10}{'ratio':>9}{'factor':>11}{'solve':>11}{'residual':>10}{'off':>10}"
            )
            print(f"  {'':<40}{header}\n  {'Lacon':<40}{lacon_text(run, particles)}", flush=True)
            lacon.append((particles, run))
            for solver, without, name in RIVALS:
                if (solver, without) in given_up:
                    continue
                line = [build / "bench/bench_large_rivals", file, solver] + (
                    ["without"] if without else []
                )
                found = answer(line, LIMIT if not quick else LIMIT / 2)
                # Ten times the particles take some thirty times as long.
                if found["outcome"] != "ok" or 30 * (found["factor"] + found["solve"]) > 2 * LIMIT:
                    given_up.add((solver, without))
                print(f"  {name:<40}{rival_text(found, run, particles)}", flush=True)
    if lacon:
        slopes = {
            name: exponent([(k, run[name]) for k, run in lacon])
            for name in ("assembly", "factor", "solve")
        }
        both = exponent([(k, run["factor"] + run["solve"]) for k, run in lacon])
        print(
            (
                f"  Lacon's exponent in K: {both:.2f} (goal: {NET_GOAL} or less); assembly"
                f" {slopes['assembly']:.2f}, factorization {slopes['factor']:.2f}, solve"
                f" {slopes['solve']:.2f}\n"
            ),
            flush=True,
        )


def measure_islands(build, quick):
    nets, knots = (50, 30) if quick else (200, 40)
    run = answer([build / "bench/bench_large", "islands", nets, knots])
    print(f"   {nets} nets of {knots} x {knots} that do not touch each other:", end=" ")
    if run["outcome"] != "ok":
        return print(run["outcome"] + "\n")
    parts = [
        f"{name} {time_text(run[name + '_one'])} by one thread, {time_text(run[name + '_all'])} by"
        f" {run['threads_all']:.0f} (ratio {run[name + '_one'] / run[name + '_all']:.2f})"
        for name in ("factor", "solve")
    ]
    print(f"{run['islands']:.0f} islands; {'; '.join(parts)}\n", flush=True)


class Run:
    def __init__(self, value, seconds, error):
        self.value, self.seconds, self.error = value, seconds, error


def difference(a, b):
    return max((abs(x - y) for x, y in zip(a, b)), default=math.inf)


def lacon_run(build, links, solve, tolerance):
    run = answer(
        [
            build / "bench/bench_motion",
            "models/large/chain.lac",
            END,
            solve,
            tolerance,
            0.01,
            "project",
            f"N={links}",
        ],
        PEER_LIMIT,
    )
    return run if run["outcome"] == "ok" else None


def lacon_ladder(build, links, end):
    """As `auto` solves it, and with the sparse solve in any case: (runs, runs)."""
    ladders = []
    for solve in "auto", "sparse":
        ladders.append([])
        for tolerance in TOLERANCES:
            run = lacon_run(build, links, solve, tolerance)
            if not run:
                break
            ladders[-1].append(Run(tolerance, run["median"], difference(run["q"] + run["v"], end)))
            if ladders[-1][-1].error <= TARGETS[-1]:
                break
    return ladders


def mujoco_ladder(build, links, end, mass=0.1, length=0.25):
    """Smaller and smaller steps, until the last target is met or a run takes too long; and whether
    that was so."""
    runs = []
    for step in STEPS:
        if runs and runs[-1].seconds * runs[-1].value / step > PEER_LIMIT:
            return runs, True
        line = [build / "bench/peers/peer_mujoco", "RK4", step, END, "chain"] + [
            mass,
            length,
        ] * links
        run = answer(line, 2 * PEER_LIMIT)
        if run["outcome"].startswith(">"):
            return runs, True
        if run["outcome"] == "ok":  # else unstable at this step
            runs.append(Run(step, run["seconds"], difference(run["state"], end)))
        if runs and runs[-1].error <= TARGETS[-1]:
            break
    return runs, False


def cheapest(runs, target):
    return min(
        (run for run in runs if run.error <= target), key=lambda run: run.seconds, default=None
    )


def measure_beside_mujoco(build, quick):
    program = build / "bench/peers/peer_mujoco"
    print(
        f"3. Chain of N links let go from the level, t = 0..{END}: time of the whole motion for an"
        " error (the largest of any"
    )
    print(
        "   joint's position in m and velocity in m/s at the end). MuJoCo: hinges, RK4; the largest"
        " of its steps that will do."
    )
    if not program.exists():
        return print(f"   MuJoCo is missing: no {program.name}.\n")
    print(
        f"  {'N':>6}{'error':>9}{'Lacon auto':>12}{'Lacon sparse':>14}"
        f"{'tolerance':>11}{'MuJoCo':>12}{'step':>10}{'MuJoCo / Lacon':>17}"
    )
    for links in LINKS[:3] if quick else LINKS:
        reference, second = lacon_run(build, links, "sparse", 1e-15), lacon_run(
            build, links, "sparse", 1e-13
        )
        if not reference or not second:
            print(f"  {links:>6}   Lacon has no answer")
            continue
        end = reference["q"] + reference["v"]
        (auto, sparse), (theirs, capped) = lacon_ladder(build, links, end), mujoco_ladder(
            build, links, end
        )
        for target in TARGETS:
            print(
                f"  {links:>6}{target:>9.0e}{beside_text(target, auto, sparse, theirs, capped)}",
                flush=True,
            )
        doubt = difference(end, second["q"] + second["v"])
        print(f"  {'':>6}(reference: Lacon at 1e-15, {doubt:.0e} from that at 1e-13)")
    print("  (ratios to the faster of the two solves of Lacon)\n", flush=True)


def beside_text(target, auto, sparse, theirs, capped):
    ours, other = [cheapest(runs, target) for runs in (auto, sparse)], cheapest(theirs, target)
    best = min((run for run in ours if run), key=lambda run: run.seconds, default=None)
    first = time_text(ours[0].seconds) if ours[0] else f"> {PEER_LIMIT:.0f} s"
    second = time_text(ours[1].seconds) if ours[1] else "–"
    cells = f"{first:>12}{second:>14}" + (f"{best.value:>11.0e}" if best else f"{'–':>11}")
    if other:
        return (
            cells
            + f"{time_text(other.seconds):>12}{other.value:>10.1e}"
            + (f"{other.seconds / best.seconds:>17.3g}" if best else "")
        )
    if not theirs:
        return (
            cells
            + f"{'–':>12}   "
            + (f"more than {2 * PEER_LIMIT:.0f} s for the largest step" if capped else "failed")
        )
    last = theirs[-1]
    ratio = f"> {last.seconds / best.seconds:.3g}" if best else ""
    why = f"the next would take more than {PEER_LIMIT:.0f} s" if capped else "no step will do"
    return (
        cells + f"{'> ' + time_text(last.seconds):>12}{last.value:>10.1e}{ratio:>17}   (error"
        f" {last.error:.0e} at this step; {why})"
    )


def measure_motions(build, quick):
    end = 0.1 if quick else 1
    print(
        f"4. Motions by the program itself, t = 0..{end}, tolerance 1e-9: lacon run"
        " models/large/MODEL.lac --json"
    )
    print(
        f"   (energy error relative to its scale, goal {ENERGY_GOAL:.0e}; residuals of positions"
        " and velocities relative and in m, m/s,"
    )
    print(f"   goal {RESIDUAL_GOAL:.0e}; whole: from the start of the program to its end)")
    print(
        f"  {'':<24}{'whole':>9}{'motion':>9}{'steps':>7}{'rejected':>9}"
        f"{'a step':>10}{'energy':>9}{'position':>10}{'velocity':>10}"
        f"{'in m':>9}{'in m/s':>9}"
    )
    for name, model, size in ("chain of 10,000 links", "chain", 10000), (
        "net of 100 x 100 knots",
        "net",
        100,
    ):
        begin = time.perf_counter()
        line = [
            build / "lacon",
            "run",
            f"models/large/{model}.lac",
            "--set",
            f"N={size}",
            "--t",
            f"0..{end}",
            "--tol",
            "1e-9",
            "--json",
            "--quiet",
        ]
        run = answer(line, 300, OMP_NUM_THREADS=str(os.cpu_count()))
        whole = time.perf_counter() - begin
        if "steps" not in run:
            print(f"  {name:<24}{run.get('message', run['outcome'])}")
            continue
        worst = run["worst"]
        energy = worst["energy"] / run["energy"]["scale"]
        times = (
            f"{time_text(whole):>9}{time_text(run['wall_seconds']):>9}"
            f"{run['steps']:>7}{run['rejected']:>9}"
        )
        times += f"{time_text(run['wall_seconds'] / max(run['steps'], 1)):>10}"
        print(
            (
                f"  {name:<24}{times}{energy:>9.0e}{worst['position']:>10.0e}"
                f"{worst['velocity']:>10.0e}"
                f"{worst['position_absolute']:>9.0e}{worst['velocity_absolute']:>9.0e}"
            ),
            flush=True,
        )
        if run["status"] != "ok":
            print(f"    ended at t = {run['t']:.6g}: {run['message']}")
        print(f"    {run.get('solve', 'dense')}; code: {run['code'].get('tier')}", flush=True)
    print()


def processor():
    for line in (
        Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    ):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "processor unknown"


def versions():
    """Of the packages of the others, where Debian knows them."""
    names = ["libeigen3-dev", "libsuitesparse-dev", "libopenblas0-serial", "libmujoco-dev"]
    try:
        done = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Package} ${Version}\n", *names],
            capture_output=True,
            text=True,
        )
    except FileNotFoundError:
        return ""
    return ", ".join(line for line in done.stdout.splitlines() if not line.endswith(" "))


def main():
    build, quick = Path(sys.argv[1]), "--quick" in sys.argv[2:]
    load = os.getloadavg()[0]
    print(
        f"{processor()}, {os.cpu_count()} cores, {platform.system()};"
        f" {time.strftime('%Y-%m-%d %H:%M')}; load {load:.1f} at the begin"
    )
    print(f"{versions()}\n", flush=True)
    begin = time.perf_counter()
    for part in (
        measure_chains,
        measure_nets,
        measure_islands,
        measure_beside_mujoco,
        measure_motions,
    ):
        part(build, quick)
    print(
        f"All of it took {time.perf_counter() - begin:.0f} s; load {os.getloadavg()[0]:.1f} at the"
        " end."
    )


if __name__ == "__main__":
    main()
