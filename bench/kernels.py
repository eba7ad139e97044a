"""How long one constrained acceleration takes, compiled and otherwise: ns per trajectory, and
ratios from one run. Then the whole program from a cold start, with nothing compiled before and with
all of it in the cache.

usage: ./dev bench kernels
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GOALS = 120, 30  # ms, with the cache empty and warm
MODEL = "models/double_pendulum.lac"
COMMANDS = ["eval", MODEL], ["run", MODEL], ["run", MODEL, "--method", "dop853"]


def milliseconds(program, command, cache):
    begin = time.perf_counter()
    subprocess.run(
        [program, *command],
        env=os.environ | {"LACON_CACHE_DIR": cache},
        capture_output=True,
        check=True,
    )
    return 1e3 * (time.perf_counter() - begin)


def print_cold_start(program, repetitions=15):
    print(f"\nFrom the start of the program to its end, ms (median of {repetitions})")
    print(f"  {'':<56}{'cache empty':>14}{'cache warm':>14}")
    for command in COMMANDS:
        empty, warm = [], []
        for _ in range(repetitions):
            with tempfile.TemporaryDirectory() as cache:
                empty.append(milliseconds(program, command, cache))
                warm.append(milliseconds(program, command, cache))
        print(
            (
                f"  {'lacon ' + ' '.join(command):<56}{statistics.median(empty):>14.1f}"
                f"{statistics.median(warm):>14.1f}"
            ),
            flush=True,
        )
    print(f"  {'goal: below':<56}{GOALS[0]:>14}{GOALS[1]:>14}")


def main():
    build = Path(sys.argv[1])
    status = subprocess.run([build / "bench/bench_kernels"]).returncode
    if status == 0:
        print_cold_start(build / "lacon")
    return status


if __name__ == "__main__":
    sys.exit(main())
