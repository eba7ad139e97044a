"""How long one constrained acceleration takes, compiled and otherwise: ns per trajectory, and ratios from one run.

usage: ./dev bench kernels
"""

import subprocess
import sys
from pathlib import Path

sys.exit(subprocess.run([Path(sys.argv[1]) / "bench/bench_kernels"]).returncode)
