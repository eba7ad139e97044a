"""Work and precision of closed loops in space: Lacon beside Simbody and MuJoCo.

usage: ./dev bench loops

Each linkage starts at rest and moves for half a second under gravity. Every engine takes more and
more precise runs; for each error, the cheapest run that is as good counts. The error is the largest
of any coordinate (rad, m) at the end, beside Lacon's Taylor series at 1e-15. Times are those of the
motion alone, models and code made before.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

LINKAGES = {
    "four_bar": "Planar four-bar in space (4 of 6 rows redundant)",
    "bricard": "Bricard's linkage",
    "slider_crank": "Spatial slider-crank",
    "stewart": "Stewart platform on six legs",
}
END = 0.5
TARGETS = [1e-4, 1e-6, 1e-8, 1e-10]
TOLERANCES = [10.0**-k for k in range(4, 15)]
STEPS = [0.01 * 10.0 ** (-k / 2) for k in range(7)]
LIMIT = 10.0  # seconds for one run
GOAL = 10


def answer(line):
    try:
        done = subprocess.run(
            [str(word) for word in line], capture_output=True, text=True, timeout=LIMIT
        )
    except subprocess.TimeoutExpired:
        return None
    found = json.loads(done.stdout) if done.returncode == 0 and done.stdout else {}
    return found if found.get("outcome") == "ok" else None


def engines(build, name, model):
    def lacon(method):
        def run(value):
            line = [build / "bench/bench_motion", model, END, method, value, 0.01, "project"]
            return answer(line) and answer(line)  # the first one makes the code, and keeps it

        return run

    def peer(program, method):
        return lambda value: answer([build / f"bench/peers/{program}", method, value, END, name])

    found = {f"Lacon {m}": (lacon(m), TOLERANCES) for m in ("taylor", "dop853")}
    if (build / "bench/peers/peer_loops_simbody").exists():
        for method in ("Merson", "CPodes-BDF", "CPodes-Adams"):
            found[f"Simbody {method}"] = (peer("peer_loops_simbody", method), TOLERANCES[:9])
    if (build / "bench/peers/peer_loops_mujoco").exists():
        found["MuJoCo RK4"] = (peer("peer_loops_mujoco", "RK4"), STEPS)
    return found


def ladder(run, values, reference):
    """(seconds, error) of runs, until they take too long."""
    result = []
    for value in values:
        found = run(value)
        if found is None:
            break
        seconds = found.get("median", found["seconds"])
        error = max(abs(a - b) for a, b in zip(found["q"], reference))
        result.append((seconds, error))
        if seconds > LIMIT / 3:
            break
    return result


def main():
    build = Path(sys.argv[1])
    met = []
    for name, title in LINKAGES.items():
        with tempfile.NamedTemporaryFile("w", suffix=".lac") as file:
            text = subprocess.run(
                [build / "bench/bench_bodies", "text", name], capture_output=True, text=True
            ).stdout
            file.write(text)
            file.flush()
            found = engines(build, name, file.name)
            reference = found["Lacon taylor"][0](1e-15)["q"]
            print(f"\n{title}: ms to an error of at most")
            print(f"  {'':<22}" + "".join(f"{target:>10.0e}" for target in TARGETS))
            rows = {}
            for engine, (run, values) in found.items():
                runs = ladder(run, values, reference)
                rows[engine] = [
                    min((s for s, e in runs if e <= target), default=math.nan)
                    for target in TARGETS
                ]
                print(
                    f"  {engine:<22}" + "".join(f"{1e3 * s:>10.3g}" for s in rows[engine]),
                    flush=True,
                )
            own = [min(t) for t in zip(rows["Lacon taylor"], rows["Lacon dop853"])]
            others = [row for engine, row in rows.items() if not engine.startswith("Lacon")]
            best = [min((s for s in t if s == s), default=math.nan) for t in zip(*others)]
            ratios = [b / a for a, b in zip(own, best)]
            print(f"  {'best engine ÷ Lacon':<22}" + "".join(f"{r:>10.3g}" for r in ratios))
            met.append(all(not r < GOAL for r in ratios[1:]))
    print(f"\nGoal: at least {GOAL} from 1e-6 on. Met by {sum(met)} of {len(met)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
