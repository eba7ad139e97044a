"""Forward dynamics, inverse dynamics and mass matrix of machines of rigid bodies: Lacon's compiled
code beside MuJoCo, Simbody and DART.

usage: ./dev bench bodies

Times are the best of many short batches, in microseconds and at one state (of eight lanes, for
each); every machine is measured by all engines before the next one. Lacon's forward dynamics
includes all its checks. The last columns are seconds of processor time: until the model is read and
derived; for writing and compiling the code of its accelerations with all effort; and until a run
has its first acceleration, with nothing kept from before.
"""

import json
import math
import subprocess
import sys
from pathlib import Path

MACHINES = ["arm", "humanoid", "chain:5", "chain:10", "chain:20", "chain:50", "chain:100"]
ENGINES = {"mujoco": "MuJoCo", "simbody": "Simbody", "dart": "DART"}
GOAL, LANES_GOAL, COMPILE_GOAL = 5, 20, 1.0  # best engine ÷ Lacon, and in lanes; seconds


def answer(*line):
    done = subprocess.run([str(word) for word in line], capture_output=True, text=True)
    if done.returncode != 0:
        print(f"{line[0]} {line[-1]}: {done.stderr.strip()}")
        return None
    return json.loads(done.stdout)


def difference(a, b):
    """Of accelerations, beside the largest."""
    return max(abs(x - y) for x, y in zip(a, b)) / max(abs(x) for x in a)


def row(name, values, form):
    print(f"  {name:<12}" + "".join(f"{form(value):>12}" for value in values), flush=True)


def microseconds(ns):
    return "–" if ns is None or math.isnan(ns) else f"{1e-3 * ns:.3g}"


def main():
    build = Path(sys.argv[1])
    peers = {
        engine: path
        for engine in ENGINES
        if (path := build / f"bench/peers/peer_bodies_{engine}").exists()
    }
    for engine in ENGINES.keys() - peers.keys():
        print(f"{ENGINES[engine]} is missing.")
    summary = []
    for machine in MACHINES:
        own = answer(build / "bench/bench_bodies", machine)
        if own is None:
            return 1
        found = {engine: answer(path, machine) for engine, path in peers.items()}
        found = {engine: times for engine, times in found.items() if times}
        print(f"\n{machine}: {own['n']} coordinates, {own['operations']} operations")
        row("us", ["forward", "8 lanes", "inverse", "mass"], str)
        row("Lacon", [own[k] for k in ("forward", "eight", "inverse", "mass")], microseconds)
        for engine, times in found.items():
            row(
                ENGINES[engine],
                [times["forward"], None, times["inverse"], times["mass"]],
                microseconds,
            )
        best = {k: min((t[k] for t in found.values()), default=math.nan) for k in times_of}
        off = max((difference(own["a"], t["a"]) for t in found.values()), default=math.nan)
        print(f"  largest difference of an acceleration: {off:.1e} of the largest")
        if not own["fine"]:
            print("  LACON'S CHECKS DID NOT PASS")
        summary.append((machine, own, best))
    print("\nbest engine ÷ Lacon, and seconds")
    row("", ["forward", "8 lanes", "inverse", "mass", "derive", "compile", "first use"], str)
    for machine, own, best in summary:
        ratios = [
            best["forward"] / own["forward"],
            best["forward"] / own["eight"],
            best["inverse"] / own["inverse"],
            best["mass"] / own["mass"],
        ]
        row(machine, ratios + [own["derive"], own["compile"], own["whole"]], "{:.2g}".format)
    print(
        f"  goals for arm and humanoid: {GOAL} forward, {LANES_GOAL} in lanes, compiled within "
        f"{COMPILE_GOAL:g} s; at 100 bodies more than 1"
    )
    return 0


times_of = ("forward", "inverse", "mass")

if __name__ == "__main__":
    sys.exit(main())
