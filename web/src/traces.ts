// Curves and surfaces on which constraints hold a point: wires, bowls, curved floors.
import * as THREE from "three";
import type { Palette } from "./colors.ts";
import type { Cursor, Run, Trace } from "./data.ts";
import { rodMatrix } from "./places.ts";

/** The points of a trace at a time, one after the other. */
export function pointsAt(trace: Trace, t: number): Float32Array {
  const { frames, times, low, unit } = trace;
  let next = times.findIndex((time) => time >= t);
  if (next < 0) next = times.length - 1;
  const from = frames[Math.max(0, next - 1)];
  const to = frames[next];
  const begin = times[Math.max(0, next - 1)];
  const part = times[next] > begin ? Math.min(1, (t - begin) / (times[next] - begin)) : 1;
  const points = new Float32Array(to.length);
  for (let i = 0; i < to.length; ++i)
    points[i] = low[i % 3] + unit * (from[i] + part * (to[i] - from[i]));
  return points;
}

export class TraceShapes {
  readonly group = new THREE.Group();
  private readonly moving: { trace: Trace; set: (points: Float32Array) => void }[] = [];

  constructor(
    run: Run,
    private readonly palette: Palette,
    private readonly size: number,
  ) {
    for (const trace of run.header.traces ?? []) {
      const set = trace.triangles ? this.surface(trace, trace.triangles) : this.curve(trace);
      set(pointsAt(trace, run.t[0]));
      if (trace.frames.length > 1) this.moving.push({ trace, set });
    }
  }

  move(at: Cursor): void {
    for (const { trace, set } of this.moving) set(pointsAt(trace, at.t));
  }

  private surface(trace: Trace, triangles: number[]): (points: Float32Array) => void {
    const geometry = new THREE.BufferGeometry();
    const places = new THREE.BufferAttribute(new Float32Array(trace.frames[0].length), 3);
    geometry.setAttribute("position", places);
    geometry.setIndex(triangles);
    const mesh = new THREE.Mesh(
      geometry,
      new THREE.MeshStandardMaterial({
        color: this.palette.floor,
        side: THREE.DoubleSide,
        transparent: true,
        opacity: 0.5,
        roughness: 0.9,
        depthWrite: false,
      }),
    );
    mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    this.group.add(mesh);
    return (points) => {
      places.set(points);
      places.needsUpdate = true;
      geometry.computeVertexNormals();
    };
  }

  /** A wire; beside one that only one side of is allowed, a band on the other. */
  private curve(trace: Trace): (points: Float32Array) => void {
    const count = trace.frames[0].length / 3 - 1;
    const wire = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(1, 1, 1, 8),
      new THREE.MeshStandardMaterial({ color: this.palette.line, roughness: 0.6 }),
      count,
    );
    wire.frustumCulled = false;
    this.group.add(wire);
    const band = trace.oneSided ? this.band(count) : undefined;
    const [a, b] = [new THREE.Vector3(), new THREE.Vector3()];
    const matrix = new THREE.Matrix4();
    return (points) => {
      for (let i = 0; i < count; ++i) {
        a.fromArray(points, 3 * i);
        b.fromArray(points, 3 * i + 3);
        rodMatrix(a, b, 0.003 * this.size, matrix);
        wire.setMatrixAt(i, matrix);
      }
      wire.instanceMatrix.needsUpdate = true;
      band?.(points);
    };
  }

  /** To the right of the curve, in the plane. */
  private band(count: number): (points: Float32Array) => void {
    const geometry = new THREE.BufferGeometry();
    const places = new THREE.BufferAttribute(new Float32Array(6 * (count + 1)), 3);
    geometry.setAttribute("position", places);
    const index: number[] = [];
    for (let k = 0; k < 2 * count; k += 2) index.push(k, k + 1, k + 2, k + 2, k + 1, k + 3);
    geometry.setIndex(index);
    const mesh = new THREE.Mesh(
      geometry,
      new THREE.MeshBasicMaterial({
        color: this.palette.floor,
        side: THREE.DoubleSide,
        transparent: true,
        opacity: 0.45,
      }),
    );
    mesh.frustumCulled = false;
    this.group.add(mesh);
    const wide = 0.045 * this.size;
    return (points) => {
      for (let i = 0; i <= count; ++i) {
        const before = 3 * Math.max(0, i - 1);
        const after = 3 * Math.min(count, i + 1);
        const dx = points[after] - points[before];
        const dy = points[after + 1] - points[before + 1];
        const length = Math.hypot(dx, dy) || 1;
        const [x, y, zz] = points.subarray(3 * i, 3 * i + 3);
        places.setXYZ(2 * i, x, y, zz - 0.01 * this.size);
        places.setXYZ(2 * i + 1, x + (wide * dy) / length, y - (wide * dx) / length, zz - 0.01 * this.size); // prettier-ignore
      }
      places.needsUpdate = true;
    };
  }

  dispose(): void {
    this.group.traverse((object) => {
      const mesh = object as THREE.Mesh;
      mesh.geometry?.dispose();
      (mesh.material as THREE.Material | undefined)?.dispose();
    });
  }
}
