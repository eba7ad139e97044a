// Where spots of a run are at a time.
import * as THREE from "three";
import { numberAt, type Cursor, type Run, type Spot } from "./data.ts";

export function placeAt(
  run: Run,
  spot: Spot,
  at: Cursor,
  into = new THREE.Vector3(),
): THREE.Vector3 {
  return into.set(
    numberAt(run, spot[0], at),
    numberAt(run, spot[1], at),
    numberAt(run, spot[2], at),
  );
}

const up = new THREE.Vector3(0, 1, 0);

/** The matrix of a rod of a radius between points: its cylinder stands along y. */
export function rodMatrix(
  a: THREE.Vector3,
  b: THREE.Vector3,
  radius: number,
  into: THREE.Matrix4,
): void {
  const along = new THREE.Vector3().subVectors(b, a);
  const length = along.length();
  const turn = new THREE.Quaternion();
  if (length > 0) turn.setFromUnitVectors(up, along.divideScalar(length));
  const middle = new THREE.Vector3().addVectors(a, b).multiplyScalar(0.5);
  into.compose(middle, turn, new THREE.Vector3(radius, Math.max(length, 1e-9), radius));
}
