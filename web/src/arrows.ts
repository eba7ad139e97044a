// Arrows: of draw, of forces and torques; and lights at contacts.
import * as THREE from "three";
import type { Palette } from "./colors.ts";
import type { Arrow, Cursor, Run } from "./data.ts";
import { placeAt } from "./places.ts";

const up = new THREE.Vector3(0, 1, 0);
const z = new THREE.Vector3(0, 0, 1);

/** A shaft and a head, set to any vector. */
export class ArrowShape {
  readonly object = new THREE.Group();
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;

  constructor(material: THREE.Material) {
    this.shaft = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12), material);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(1, 1, 18), material);
    this.shaft.castShadow = this.head.castShadow = true;
    this.object.add(this.shaft, this.head);
  }

  set(at: THREE.Vector3, along: THREE.Vector3, thick: number): void {
    const length = along.length();
    this.object.visible = length > 1.5 * thick && Number.isFinite(length);
    if (!this.object.visible) return;
    const headLength = Math.min(0.5 * length, 6 * thick);
    this.object.position.copy(at);
    this.object.quaternion.setFromUnitVectors(up, along.clone().divideScalar(length));
    this.shaft.scale.set(thick, length - headLength, thick);
    this.shaft.position.y = (length - headLength) / 2;
    this.head.scale.set(2.6 * thick, headLength, 2.6 * thick);
    this.head.position.y = length - headLength / 2;
  }
}

/** An arc with a head around the axis of a torque. */
class ArcShape {
  readonly object = new THREE.Group();

  constructor(material: THREE.Material) {
    const sweep = 1.5 * Math.PI;
    const arc = new THREE.Mesh(new THREE.TorusGeometry(1, 0.07, 8, 48, sweep), material);
    const head = new THREE.Mesh(new THREE.ConeGeometry(0.2, 0.5, 16), material);
    head.position.set(Math.cos(sweep), Math.sin(sweep), 0);
    head.rotation.z = sweep;
    this.object.add(arc, head);
  }

  /** `part` of the largest torque. */
  set(at: THREE.Vector3, axis: THREE.Vector3, part: number, size: number): void {
    const length = axis.length();
    this.object.visible = part > 0.02 && Number.isFinite(length);
    if (!this.object.visible) return;
    this.object.position.copy(at);
    this.object.quaternion.setFromUnitVectors(z, axis.clone().divideScalar(length));
    this.object.scale.setScalar(size * (0.02 + 0.05 * Math.min(1.5, part)));
  }
}

/** Forces as arrows, all to one scale, and torques as arcs to another. */
export class ForceArrows {
  readonly group = new THREE.Group();
  private readonly forces: { arrow: Arrow; shape: ArrowShape }[] = [];
  private readonly torques: { arrow: Arrow; shape: ArcShape }[] = [];
  private readonly largest: { force: number; torque: number };
  scale = 1;

  constructor(
    private readonly run: Run,
    palette: Palette,
    private readonly size: number,
  ) {
    const materials = new Map<string, THREE.Material>();
    for (const arrow of run.header.arrows) {
      const color = palette[arrow.kind];
      if (!materials.has(color))
        materials.set(
          color,
          new THREE.MeshStandardMaterial({
            color,
            roughness: 0.5,
            emissive: color,
            emissiveIntensity: 0.25,
          }),
        );
      const material = materials.get(color)!;
      if (arrow.turns) this.torques.push({ arrow, shape: new ArcShape(material) });
      else this.forces.push({ arrow, shape: new ArrowShape(material) });
    }
    for (const { shape } of [...this.forces, ...this.torques]) this.group.add(shape.object);
    this.largest = {
      force: largestOf(run, this.forces),
      torque: largestOf(run, this.torques),
    };
  }

  move(at: Cursor): void {
    const { largest, run } = this;
    const unit = largest.force > 0 ? (0.22 * this.size * this.scale) / largest.force : 0;
    const place = new THREE.Vector3();
    for (const { arrow, shape } of this.forces) {
      const along = vectorAt(run, arrow, at).multiplyScalar(unit);
      along.clampLength(0, 0.9 * this.size);
      shape.set(placeAt(run, arrow.at, at, place), along, this.size * 0.0055);
    }
    for (const { arrow, shape } of this.torques) {
      const axis = vectorAt(run, arrow, at);
      const part = largest.torque > 0 ? (this.scale * axis.length()) / largest.torque : 0;
      shape.set(placeAt(run, arrow.at, at, place), axis, part, this.size);
    }
  }

  dispose(): void {
    for (const { shape } of [...this.forces, ...this.torques])
      shape.object.traverse((part) => (part as THREE.Mesh).geometry?.dispose());
  }
}

function vectorAt(run: Run, { force }: Arrow, at: Cursor): THREE.Vector3 {
  return placeAt(run, [force, force + 1, force + 2], at);
}

/** What all but the few largest are below: an impact must not make the others vanish. */
function largestOf(run: Run, all: { arrow: Arrow }[]): number {
  const norms: number[] = [];
  const stride = Math.max(1, Math.floor(run.t.length / 100));
  for (const { arrow } of all)
    for (let row = 0; row < run.t.length; row += stride)
      norms.push(Math.hypot(...[0, 1, 2].map((i) => run.columns[arrow.force + i][row])));
  const sorted = norms.filter((x) => x > 0 && Number.isFinite(x)).sort((a, b) => a - b);
  return sorted.length ? sorted[Math.floor(0.95 * (sorted.length - 1))] : 0;
}

/** Lights where bodies press against each other. */
export class ContactLights {
  readonly group = new THREE.Group();
  private readonly arrows: Arrow[];
  private readonly mesh: THREE.InstancedMesh;
  private readonly threshold: number;

  constructor(
    private readonly run: Run,
    palette: Palette,
    private readonly size: number,
  ) {
    const points = new Set(
      run.header.items.filter((item) => item.kind === "point").map((item) => String(item.at[0])),
    );
    // A point that touches lights up itself.
    this.arrows = run.header.arrows.filter(
      (one) => one.kind === "contact" && !one.turns && !points.has(String(one.at)),
    );
    this.threshold =
      1e-6 *
      largestOf(
        run,
        this.arrows.map((arrow) => ({ arrow })),
      );
    this.mesh = new THREE.InstancedMesh(
      new THREE.SphereGeometry(1, 16, 12),
      new THREE.MeshBasicMaterial({
        color: palette.contact,
        transparent: true,
        opacity: 0.8,
        depthTest: false,
      }),
      this.arrows.length,
    );
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 2;
    this.group.add(this.mesh);
  }

  move(at: Cursor): void {
    const matrix = new THREE.Matrix4();
    const place = new THREE.Vector3();
    this.arrows.forEach((arrow, i) => {
      const pressed = vectorAt(this.run, arrow, at).length() > this.threshold;
      const radius = pressed ? 0.011 * this.size : 0;
      placeAt(this.run, arrow.at, at, place);
      matrix.makeScale(radius, radius, radius).setPosition(place);
      this.mesh.setMatrixAt(i, matrix);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dispose(): void {
    this.mesh.geometry.dispose();
    (this.mesh.material as THREE.Material).dispose();
  }
}
