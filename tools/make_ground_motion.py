#!/usr/bin/env python3
"""Writes a synthetic ground motion: filtered white noise, the same numbers at every run.

    tools/make_ground_motion.py > models/control/ground.csv

Kanai and Tajimi: the rock shakes with white noise w, the soil above it is one damped mass of
frequency omega_g and damping zeta_g, and what stands on the ground feels the soil's acceleration:

    x'' + 2 zeta_g omega_g x' + omega_g^2 x = -e(t) w(t),
    a = -(2 zeta_g omega_g x' + omega_g^2 x)

The envelope e rises as t^2 over the first seconds, stays at 1, and decays. White noise also has
slow waves, which would carry the ground metres away: a second filter (Clough and Penzien), y'' + 2
zeta_f omega_f y' + omega_f^2 y = a, leaves them out, and y'' is the ground's acceleration. The
record is then corrected so that velocity and displacement of the ground end at zero, as those of a
real ground do, and scaled to its peak.
"""

import math

DURATION = 20.0  # s
STEP = 0.02  # s, between rows
SUBSTEPS = 4  # of the soil's motion between two rows
OMEGA_G = 15.0  # rad/s, firm soil
ZETA_G = 0.6
OMEGA_F = 2.0  # rad/s; slower waves are left out
ZETA_F = 0.7
INTENSITY = 0.02  # m^2/s^3, of the noise before the record is scaled to its peak
RISE, STRONG, DECAY = (
    2.0,
    9.0,
    0.45,
)  # s, s, 1/s: rises until RISE, is strong until STRONG, then falls as exp(-DECAY (t - STRONG))
FADE = 2.0  # s, at the end, to rest
PEAK = 3.5  # m/s^2
SEED = 20240229
DIGITS = 6


class Noise:
    """Normal numbers by Box and Muller from the generator xorshift64*, written out here: no
    library's version may change them."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & 0xFFFFFFFFFFFFFFFF
        x ^= x >> 27
        self.state = x
        return (((x * 0x2545F4914F6CDD1D) & 0xFFFFFFFFFFFFFFFF) >> 11) * 2.0**-53

    def normal(self):
        radius = math.sqrt(-2.0 * math.log(1.0 - self.uniform()))
        return radius * math.cos(2.0 * math.pi * self.uniform())


def envelope(t):
    if t < RISE:
        return (t / RISE) ** 2
    level = 1.0 if t < STRONG else math.exp(-DECAY * (t - STRONG))
    left = min((DURATION - t) / FADE, 1.0)
    return level * left * left * (3.0 - 2.0 * left)


class Oscillator:
    """x'' + 2 zeta omega x' + omega^2 x = force, exactly for a force that is constant over each
    substep of length h."""

    def __init__(self, omega, zeta, h):
        self.omega, self.zeta = omega, zeta
        self.decay, self.frequency = zeta * omega, omega * math.sqrt(1.0 - zeta**2)
        shrink = math.exp(-self.decay * h)
        self.c, self.s = shrink * math.cos(self.frequency * h), shrink * math.sin(
            self.frequency * h
        )
        self.x = self.v = 0.0

    def pull(self):
        return 2.0 * self.zeta * self.omega * self.v + self.omega**2 * self.x

    def advance(self, force):
        rest = force / self.omega**2
        y = self.x - rest
        slope = (self.v + self.decay * y) / self.frequency
        self.x = rest + y * self.c + slope * self.s
        self.v = self.v * self.c - (self.decay * slope + self.frequency * y) * self.s


def shaken():
    """Accelerations of the ground, one a row."""
    noise = Noise(SEED)
    h = STEP / SUBSTEPS
    soil, slow = Oscillator(OMEGA_G, ZETA_G, h), Oscillator(OMEGA_F, ZETA_F, h)
    rows = []
    for i in range(round(DURATION / STEP) * SUBSTEPS + 1):
        if i % SUBSTEPS == 0:
            rows.append(-soil.pull() - slow.pull())
        slow.advance(-soil.pull())
        # White noise of intensity S over a substep is a constant force of variance 2 pi S / h.
        soil.advance(-envelope(i * h) * math.sqrt(2.0 * math.pi * INTENSITY / h) * noise.normal())
    return rows


def ends(a):
    """Velocity and displacement at the end, for accelerations that are straight between rows."""
    v = d = 0.0
    for before, after in zip(a, a[1:]):
        d += STEP * v + STEP**2 * (2.0 * before + after) / 6.0
        v += STEP * (before + after) / 2.0
    return v, d


def brought_to_rest(a):
    """Takes away b (p0 + p1 s), with b = (s (1 - s))^2 and s = t / DURATION: smooth, zero at both
    ends, and as slow as can be."""
    count = len(a) - 1
    bump = [(i / count * (1.0 - i / count)) ** 2 for i in range(count + 1)]
    tilt = [b * i / count for i, b in enumerate(bump)]
    (v, d), (v0, d0), (v1, d1) = ends(a), ends(bump), ends(tilt)
    determinant = v0 * d1 - v1 * d0
    p0, p1 = (v * d1 - v1 * d) / determinant, (v0 * d - v * d0) / determinant
    return [y - p0 * b - p1 * c for y, b, c in zip(a, bump, tilt)]


def main():
    a = brought_to_rest(shaken())
    scale = PEAK / max(abs(y) for y in a)
    print("# Synthetic ground motion, not a measured one, made by tools/make_ground_motion.py.")
    print(
        f"# White noise through a soil of Kanai and Tajimi, omega_g = {OMEGA_G:g} rad/s and zeta_g"
        f" = {ZETA_G:g}, of intensity {INTENSITY:g} m^2/s^3,"
    )
    print(f"# without the waves slower than {OMEGA_F:g} rad/s (Clough and Penzien);")
    print(
        f"# it rises until {RISE:g} s, is strong until {STRONG:g} s, and decays with {DECAY:g} 1/s;"
        " velocity and displacement end at zero;"
    )
    print(
        f"# then scaled to a peak of {PEAK:g} m/s^2. Every {STEP:g} s for {DURATION:g} s; t in s,"
        " acceleration in m/s^2."
    )
    print("t,acceleration")
    for i, y in enumerate(a):
        print(f"{i * STEP:.2f},{scale * y + 0.0:.{DIGITS}f}")


if __name__ == "__main__":
    main()
