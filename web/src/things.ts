// What is seen of a run: builds the objects of three.js for items, bodies and arrows, and moves
// them to where they are at a time. Many of a kind are one object, so 10,000 particles are drawn
// at once.
import * as THREE from "three";
import { ArrowShape } from "./arrows.ts";
import { colorOf, series, type Palette } from "./colors.ts";
import type { Body, Cursor, Item, Run, Shape, Spot } from "./data.ts";
import { atRow, cursorAt, fineTimes, numberAt, weightsAt } from "./data.ts";
import { placeAt, rodMatrix } from "./places.ts";

/** Box of all that is drawn, over all rows. */
export interface Extent {
  box: THREE.Box3;
  size: number;
}

/** Something that can be clicked: an item or a body, by its number in the header. */
export interface Picked {
  item?: number;
  body?: number;
}

interface Mover {
  move(at: Cursor): void;
}

export function extentOf(run: Run): Extent {
  const box = new THREE.Box3();
  const point = new THREE.Vector3();
  const stride = Math.max(1, Math.floor(run.t.length / 200));
  const spots = run.header.items
    .filter((item) => item.kind !== "floor")
    .flatMap((item) => item.at)
    .concat(run.header.bodies.filter((body) => body.name).map((body) => body.at));
  const step = Math.max(1, Math.floor(spots.length / 4000));
  for (let i = 0; i < spots.length; i += step)
    for (let row = 0; row < run.t.length; row += stride) {
      point.set(...(spots[i].map((c) => run.columns[c][row]) as [number, number, number]));
      if (Number.isFinite(point.x + point.y + point.z)) box.expandByPoint(point);
    }
  for (const item of run.header.items)
    if (item.kind === "circle" && item.radius !== undefined) {
      const cursor = atRow(run.t, 0);
      const center = placeAt(run, item.at[0], cursor);
      const radius = run.columns[item.radius][0];
      box.expandByPoint(center.clone().addScalar(radius));
      box.expandByPoint(center.clone().subScalar(radius));
    }
  for (const body of run.header.bodies)
    for (const shape of body.shapes) {
      if (shape.kind === "plane" || shape.kind === "line") continue;
      const reach = reachOf(shape);
      const at = placeAt(run, body.at, atRow(run.t, 0));
      box.expandByPoint(at.clone().addScalar(reach));
      box.expandByPoint(at.clone().subScalar(reach));
    }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1));
  const sizes = box.getSize(new THREE.Vector3());
  if (run.header.planar) sizes.z = 0;
  const size = Math.max(sizes.x, sizes.y, sizes.z);
  if (!(size > 0)) {
    box.expandByScalar(1);
    return { box, size: 2 };
  }
  return { box, size };
}

/** How far a shape reaches from the origin of its body. */
function reachOf(shape: Shape): number {
  const away = Math.hypot(...shape.at);
  if (shape.points) {
    let most = 0;
    for (let i = 0; i + 2 < shape.points.length; i += 3)
      most = Math.max(
        most,
        Math.hypot(
          shape.points[i] * shape.scale![0],
          shape.points[i + 1] * shape.scale![1],
          shape.points[i + 2] * shape.scale![2],
        ),
      );
    return away + most;
  }
  const sum = Math.hypot(...shape.sizes);
  return away + (shape.kind === "box" || shape.kind === "rectangle" ? sum / 2 : sum);
}

const up = new THREE.Vector3(0, 1, 0);

export interface Look {
  palette: Palette;
  planar: boolean;
  size: number; // of the scene
  ghost: boolean;
}

/** A column with that of its rate, where it has one. */
interface Moving {
  values: Float32Array;
  rates: Float32Array | undefined;
}

const many = 1500; // of a kind: then as points and lines without a surface

/** All that moves, in one group. */
export class Things {
  readonly group = new THREE.Group();
  private movers: Mover[] = [];
  /** What a hit on an object means. */
  readonly picks = new Map<THREE.Object3D, (instance: number) => Picked>();
  private glow: { items: number[]; mesh: THREE.InstancedMesh } | undefined;
  readonly leftOut: string[] = [];

  constructor(
    private readonly run: Run,
    private readonly look: Look,
  ) {
    this.addPoints();
    this.addRods();
    run.header.items.forEach((item, number) => this.addItem(item, number));
    run.header.bodies.forEach((body, number) => this.addBody(body, number));
  }

  move(at: Cursor): void {
    for (const mover of this.movers) mover.move(at);
  }

  dispose(): void {
    this.group.traverse((object) => {
      const mesh = object as THREE.Mesh;
      mesh.geometry?.dispose();
      for (const material of [mesh.material].flat()) material?.dispose();
    });
  }

  private material(color: string, flat = false): THREE.Material {
    const { ghost, planar } = this.look;
    const parameters = {
      color,
      transparent: ghost,
      opacity: ghost ? 0.22 : 1,
      depthWrite: !ghost,
    };
    return flat || ghost
      ? new THREE.MeshBasicMaterial(parameters)
      : new THREE.MeshStandardMaterial({
          ...parameters,
          roughness: planar ? 0.55 : 0.42,
          metalness: 0.08,
        });
  }

  private colorOfItem(item: Item): string {
    const { palette } = this.look;
    if (item.color) return colorOf(item.color);
    if (item.kind === "point") return item.particle ? palette.particle : palette.point;
    if (item.kind === "arrow") return palette.trail;
    if (item.kind === "circle") return palette.line;
    return palette[item.kind];
  }

  // ---- points: spheres, or discs of the screen where there are very many

  private addPoints(): void {
    const numbers = this.run.header.items.flatMap((item, i) => (item.kind === "point" ? [i] : []));
    if (numbers.length === 0) return;
    const items = numbers.map((i) => this.run.header.items[i]);
    if (numbers.length > many) return this.addDiscs(items, numbers);
    const detail = numbers.length > 200 ? 1 : 3;
    const mesh = new THREE.InstancedMesh(
      new THREE.IcosahedronGeometry(1, detail),
      this.material("#ffffff"),
      numbers.length,
    );
    const crowd = Math.min(1, Math.sqrt(60 / numbers.length));
    const radius = this.look.size * (0.008 + 0.017 * crowd);
    const matrix = new THREE.Matrix4();
    const place = new THREE.Vector3();
    items.forEach((item, k) => mesh.setColorAt(k, new THREE.Color(this.colorOfItem(item))));
    mesh.frustumCulled = false;
    mesh.castShadow = !this.look.ghost;
    this.movers.push({
      move: (at) => {
        items.forEach((item, k) => {
          const r = item.particle ? radius : 0.6 * radius;
          matrix.makeScale(r, r, r).setPosition(placeAt(this.run, item.at[0], at, place));
          mesh.setMatrixAt(k, matrix);
        });
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null;
      },
    });
    this.picks.set(mesh, (instance) => ({ item: numbers[instance] }));
    this.group.add(mesh);
    this.glow = { items: numbers, mesh };
  }

  private addDiscs(items: Item[], numbers: number[]): void {
    const geometry = new THREE.BufferGeometry();
    const places = new Float32Array(3 * items.length);
    const colors = new Float32Array(3 * items.length);
    items.forEach((item, k) => new THREE.Color(this.colorOfItem(item)).toArray(colors, 3 * k));
    const attribute = new THREE.BufferAttribute(places, 3).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", attribute);
    geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    const material = new THREE.PointsMaterial({
      size: 2,
      sizeAttenuation: false,
      vertexColors: true,
      transparent: this.look.ghost,
      opacity: this.look.ghost ? 0.2 : 1,
    });
    const points = new THREE.Points(geometry, material);
    points.frustumCulled = false;
    const columns = this.columnsOf(items.map((item) => item.at[0]));
    this.movers.push({
      move: (at) => {
        this.fill(places, columns, at);
        attribute.needsUpdate = true;
        geometry.boundingSphere = null;
      },
    });
    this.picks.set(points, (index) => ({ item: numbers[index] }));
    this.group.add(points);
  }

  /** Places of spots, one after the other: in one loop, as there may be very many. */
  private fill(into: Float32Array, columns: Moving[], at: Cursor): void {
    const { row, along } = at;
    const next = row + (along > 0 ? 1 : 0);
    const [a, b, c, d] = weightsAt(at);
    for (let k = 0; k < columns.length; ++k) {
      const { values, rates } = columns[k];
      into[k] = rates
        ? a * values[row] + b * values[next] + c * rates[row] + d * rates[next]
        : values[row] + along * (values[next] - values[row]);
    }
  }

  private columnsOf(spots: Spot[]): Moving[] {
    const { columns, header } = this.run;
    return spots.flatMap((spot) =>
      spot.map((c) => ({ values: columns[c], rates: columns[header.rates?.[c] ?? -1] })),
    );
  }

  // ---- lines, rods and ropes: cylinders, or plain lines where there are very many

  private addRods(): void {
    const links = this.run.header.items.flatMap((item, number) =>
      item.kind === "line" || item.kind === "rod" || item.kind === "rope"
        ? item.at.slice(1).map((to, k) => ({ item, number, from: item.at[k], to }))
        : [],
    );
    if (links.length === 0) return;
    if (links.length > many) {
      const geometry = new THREE.BufferGeometry();
      const places = new Float32Array(6 * links.length);
      const attribute = new THREE.BufferAttribute(places, 3).setUsage(THREE.DynamicDrawUsage);
      geometry.setAttribute("position", attribute);
      const color = this.colorOfItem(links[0].item);
      const lines = new THREE.LineSegments(
        geometry,
        new THREE.LineBasicMaterial({
          color,
          transparent: true,
          opacity: this.look.ghost ? 0.15 : 0.8,
        }),
      );
      lines.frustumCulled = false;
      const columns = this.columnsOf(links.flatMap((link) => [link.from, link.to]));
      this.movers.push({
        move: (at) => {
          this.fill(places, columns, at);
          attribute.needsUpdate = true;
        },
      });
      this.group.add(lines);
      return;
    }
    const mesh = new THREE.InstancedMesh(
      new THREE.CylinderGeometry(1, 1, 1, links.length > 200 ? 6 : 14),
      this.material("#ffffff"),
      links.length,
    );
    const crowd = Math.min(1, Math.sqrt(40 / links.length));
    const matrix = new THREE.Matrix4();
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    links.forEach(({ item }, k) => mesh.setColorAt(k, new THREE.Color(this.colorOfItem(item))));
    mesh.frustumCulled = false;
    mesh.castShadow = !this.look.ghost;
    this.movers.push({
      move: (at) => {
        links.forEach(({ item, from, to }, k) => {
          const thick = item.kind === "rod" || item.constraint ? 0.0068 : 0.0048;
          placeAt(this.run, from, at, a);
          placeAt(this.run, to, at, b);
          rodMatrix(a, b, this.look.size * thick * (0.35 + 0.65 * crowd), matrix);
          mesh.setMatrixAt(k, matrix);
        });
        mesh.instanceMatrix.needsUpdate = true;
        mesh.boundingSphere = null;
      },
    });
    this.picks.set(mesh, (instance) => ({ item: links[instance].number }));
    this.group.add(mesh);
  }

  // ---- the other items, each an object of its own

  private addItem(item: Item, number: number): void {
    if (item.kind === "circle") this.addCircle(item, number);
    else if (item.kind === "spring") this.addSpring(item, number);
    else if (item.kind === "arrow") this.addArrow(item, number);
    else if (item.kind === "text" && !this.look.ghost) this.addText(item);
    else if (item.kind === "floor" && !this.look.ghost) this.addFloor(item);
  }

  private add(
    object: THREE.Object3D,
    picked: Picked | undefined,
    move: (at: Cursor) => void,
  ): void {
    this.group.add(object);
    this.movers.push({ move });
    if (picked) object.traverse((part) => this.picks.set(part, () => picked));
  }

  private addCircle(item: Item, number: number): void {
    const color = this.colorOfItem(item);
    const object = new THREE.Group();
    const rim = new THREE.Mesh(new THREE.TorusGeometry(1, 0.02, 8, 96), this.material(color, true));
    const disc = new THREE.Mesh(
      new THREE.CircleGeometry(1, 96),
      new THREE.MeshBasicMaterial({
        color,
        transparent: true,
        opacity: this.look.ghost ? 0.05 : 0.14,
        side: THREE.DoubleSide,
        depthWrite: false,
      }),
    );
    object.add(rim, disc);
    this.add(object, { item: number }, (at) => {
      const radius = Math.max(1e-9, numberAt(this.run, item.radius!, at));
      placeAt(this.run, item.at[0], at, object.position);
      object.scale.setScalar(radius);
    });
  }

  private addSpring(item: Item, number: number): void {
    const turns = 9;
    class Helix extends THREE.Curve<THREE.Vector3> {
      constructor() {
        super();
      }
      override getPoint(s: number, into = new THREE.Vector3()): THREE.Vector3 {
        const ends = Math.min(1, Math.min(s, 1 - s) / 0.06);
        const angle = 2 * Math.PI * turns * s;
        return into.set(ends * Math.cos(angle), s - 0.5, ends * Math.sin(angle));
      }
    }
    const geometry = new THREE.TubeGeometry(new Helix(), 24 * turns, 0.12, 5, false);
    const mesh = new THREE.Mesh(geometry, this.material(this.colorOfItem(item)));
    mesh.castShadow = !this.look.ghost;
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    this.add(mesh, { item: number }, (at) => {
      placeAt(this.run, item.at[0], at, a);
      placeAt(this.run, item.at[1], at, b);
      rodMatrix(a, b, this.look.size * 0.016, mesh.matrix);
      mesh.matrixWorldNeedsUpdate = true;
    });
  }

  private addArrow(item: Item, number: number): void {
    const arrow = new ArrowShape(this.material(this.colorOfItem(item)));
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    this.add(arrow.object, { item: number }, (at) => {
      placeAt(this.run, item.at[0], at, a);
      placeAt(this.run, item.at[1], at, b);
      arrow.set(a, b.sub(a), this.look.size * 0.006);
    });
  }

  private addText(item: Item): void {
    const sprite = textSprite(
      item.name ?? "",
      item.color ? colorOf(item.color) : this.look.palette.text,
      this.look.planar ? 0.055 * this.look.size : undefined,
    );
    this.add(sprite, undefined, (at) => placeAt(this.run, item.at[0], at, sprite.position));
  }

  private addFloor(item: Item): void {
    const { palette, planar, size } = this.look;
    const object = new THREE.Group();
    if (planar) {
      const solid = new THREE.Mesh(
        new THREE.PlaneGeometry(40 * size, size),
        new THREE.MeshBasicMaterial({ color: palette.floor, transparent: true, opacity: 0.35 }),
      );
      solid.position.set(0, -0.5 * size, -0.02 * size);
      const edge = new THREE.Mesh(
        new THREE.PlaneGeometry(40 * size, 0.006 * size),
        new THREE.MeshBasicMaterial({ color: palette.rod }),
      );
      edge.position.set(0, -0.003 * size, -0.01 * size);
      object.add(solid, edge);
    } else {
      const plane = new THREE.Mesh(
        new THREE.PlaneGeometry(4 * size, 4 * size),
        new THREE.MeshStandardMaterial({
          color: palette.floor,
          side: THREE.DoubleSide,
          transparent: true,
          opacity: 0.55,
          roughness: 0.9,
        }),
      );
      plane.rotation.x = -Math.PI / 2;
      plane.receiveShadow = true;
      object.add(plane);
    }
    const normal = new THREE.Vector3();
    this.add(object, undefined, (at) => {
      placeAt(this.run, item.at[0], at, object.position);
      placeAt(this.run, item.at[1], at, normal);
      if (normal.lengthSq() > 0) object.quaternion.setFromUnitVectors(up, normal.normalize());
    });
  }

  // ---- bodies

  private addBody(body: Body, number: number): void {
    const ground = body.name === "";
    if (ground && this.look.ghost) return;
    const { palette } = this.look;
    const color = ground ? palette.floor : series[(number - 1 + series.length) % series.length];
    const object = new THREE.Group();
    for (const shape of body.shapes) {
      const part = this.shapeObject(shape, color, ground);
      if (part) object.add(part);
    }
    if (!ground && object.children.length === 0) {
      this.addStick(body, number, color);
      // One much larger than the machine would hide it.
      if (body.axes && Math.max(...body.axes) < 0.4 * this.look.size)
        object.add(this.ellipsoid(body, color));
    }
    if (body.axis && this.run.header.bodies.length < 80) object.add(this.axle(body));
    object.matrixAutoUpdate = false;
    const x = new THREE.Vector3();
    const y = new THREE.Vector3();
    const z = new THREE.Vector3();
    const column = (k: number, at: Cursor, into: THREE.Vector3) =>
      into.set(
        numberAt(this.run, body.R[k], at),
        numberAt(this.run, body.R[3 + k], at),
        numberAt(this.run, body.R[6 + k], at),
      );
    const place = new THREE.Vector3();
    this.add(object, ground ? undefined : { body: number }, (at) => {
      // Between rows the axes are made a rotation again.
      column(0, at, x).normalize();
      column(1, at, y).addScaledVector(x, -x.dot(y)).normalize();
      z.crossVectors(x, y);
      object.matrix.makeBasis(x, y, z).setPosition(placeAt(this.run, body.at, at, place));
      object.matrixWorldNeedsUpdate = true;
    });
  }

  /** A body without shapes: from the joint that carries it to its centre, and to bodies beyond. */
  private addStick(body: Body, number: number, color: string): void {
    const { bodies } = this.run.header;
    const radius = this.look.size * 0.007;
    const own = bodies.indexOf(body) - (bodies[0]?.name === "" ? 1 : 0);
    const targets = bodies.filter((other) => other.name && other.parent === own).map((o) => o.at);
    const sticks = targets.map((spot) => {
      const mesh = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12), this.material(color));
      mesh.matrixAutoUpdate = false;
      mesh.frustumCulled = false;
      mesh.castShadow = true;
      return { mesh, spot };
    });
    const center = new THREE.Mesh(
      new THREE.SphereGeometry(1.8 * radius, 20, 14),
      this.material(color),
    );
    const toCenter = new THREE.Mesh(new THREE.CylinderGeometry(1, 1, 1, 12), this.material(color));
    toCenter.matrixAutoUpdate = false;
    toCenter.frustumCulled = false;
    const object = new THREE.Group();
    object.add(center, toCenter, ...sticks.map((s) => s.mesh));
    const a = new THREE.Vector3();
    const b = new THREE.Vector3();
    this.add(object, { body: number }, (at) => {
      placeAt(this.run, body.at, at, a);
      for (const { mesh, spot } of sticks) {
        rodMatrix(a, placeAt(this.run, spot, at, b), radius, mesh.matrix);
        mesh.matrixWorldNeedsUpdate = true;
      }
      const R = body.R.map((c) => numberAt(this.run, c, at));
      const c = body.center;
      center.position.set(
        a.x + R[0] * c[0] + R[1] * c[1] + R[2] * c[2],
        a.y + R[3] * c[0] + R[4] * c[1] + R[5] * c[2],
        a.z + R[6] * c[0] + R[7] * c[1] + R[8] * c[2],
      );
      rodMatrix(a, center.position, radius, toCenter.matrix);
      toCenter.matrixWorldNeedsUpdate = true;
    });
  }

  /** Of a body without shapes, so that one sees how it turns. */
  private ellipsoid(body: Body, color: string): THREE.Object3D {
    const thin = 0.02 * Math.max(...body.axes!);
    const material = this.material(color);
    material.transparent = true;
    material.opacity = this.look.ghost ? 0.1 : 0.45;
    const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 20), material);
    mesh.scale.set(...(body.axes!.map((a) => Math.max(a, thin)) as Spot));
    mesh.position.set(...(body.center as Spot));
    return mesh;
  }

  private axle(body: Body): THREE.Object3D {
    const size = this.look.size;
    const mesh = new THREE.Mesh(
      new THREE.CylinderGeometry(0.011 * size, 0.011 * size, 0.04 * size, 20),
      this.material(this.look.palette.rod),
    );
    mesh.quaternion.setFromUnitVectors(up, new THREE.Vector3(...(body.axis as Spot)).normalize());
    return mesh;
  }

  private shapeObject(shape: Shape, color: string, ground: boolean): THREE.Object3D | undefined {
    const geometry = geometryOf(shape, this.look.size);
    if (!geometry) {
      this.leftOut.push(`a ${shape.kind} without a mesh that can be read`);
      return undefined;
    }
    const endless = shape.kind === "plane" || shape.kind === "line";
    const floor = ground || endless;
    const material = this.material(
      endless ? this.look.palette.floor : color,
      this.look.planar && floor,
    );
    if (shape.points) (material as THREE.MeshStandardMaterial).side = THREE.DoubleSide;
    if (endless) {
      material.side = THREE.DoubleSide;
      material.transparent = true;
      material.opacity = this.look.ghost ? 0.1 : 0.6;
    }
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = !floor && !this.look.ghost;
    mesh.receiveShadow = true;
    const R = shape.R;
    mesh.matrixAutoUpdate = false;
    mesh.matrix.set(
      ...([R[0], R[1], R[2], shape.at[0], R[3], R[4], R[5], shape.at[1]] as const),
      ...([R[6], R[7], R[8], shape.at[2], 0, 0, 0, 1] as const),
    );
    if (shape.scale) mesh.matrix.scale(new THREE.Vector3(...(shape.scale as Spot)));
    const marks = this.look.ghost || floor ? undefined : marksOf(shape, this.look.size);
    if (marks)
      mesh.add(
        new THREE.LineSegments(
          marks,
          new THREE.LineBasicMaterial({
            color: this.look.palette.text,
            transparent: true,
            opacity: 0.5,
          }),
        ),
      );
    if (!endless && this.look.planar) {
      const edges = new THREE.LineSegments(
        new THREE.EdgesGeometry(geometry, 30),
        new THREE.LineBasicMaterial({
          color: this.look.palette.text,
          transparent: true,
          opacity: 0.35,
        }),
      );
      mesh.add(edges);
    }
    return mesh;
  }

  /** Lights up some points (by item number): contacts that press, and what is selected. */
  light(colors: Map<number, string>): void {
    if (!this.glow) return;
    const color = new THREE.Color();
    this.glow.items.forEach((number, k) => {
      color.set(colors.get(number) ?? this.colorOfItem(this.run.header.items[number]));
      this.glow!.mesh.setColorAt(k, color);
    });
    if (this.glow.mesh.instanceColor) this.glow.mesh.instanceColor.needsUpdate = true;
  }
}

/** Lines on what is round, so that its turning is seen: circles on balls, spokes on wheels. */
function marksOf(shape: Shape, sceneSize: number): THREE.BufferGeometry | undefined {
  const [a, b, c] = shape.sizes;
  const points: number[] = [];
  const circle = (u: number[], v: number[]) => {
    const sides = 64;
    const at = (i: number) => {
      const angle = (2 * Math.PI * i) / sides;
      return u.map((x, k) => 1.003 * (x * Math.cos(angle) + v[k] * Math.sin(angle)));
    };
    for (let i = 0; i < sides; ++i) points.push(...at(i), ...at(i + 1));
  };
  const spoke = (z: number) => points.push(0, 0, z, 0.999 * a, 0, z);
  switch (shape.kind) {
    case "sphere":
    case "ellipsoid": {
      const [x, y, z] = shape.kind === "sphere" ? [a, a, a] : [a, b, c];
      circle([x, 0, 0], [0, 0, z]);
      circle([0, y, 0], [0, 0, z]);
      break;
    }
    case "cylinder":
      spoke(0.502 * b);
      spoke(-0.502 * b);
      break;
    case "disk":
      points.push(0, 0, 0.0102 * sceneSize, a, 0, 0.0102 * sceneSize);
      break;
    default:
      return undefined;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  return geometry;
}

function geometryOf(shape: Shape, sceneSize: number): THREE.BufferGeometry | undefined {
  const s = shape.sizes;
  switch (shape.kind) {
    case "sphere":
      return new THREE.SphereGeometry(s[0], 40, 28);
    case "box":
      return new THREE.BoxGeometry(s[0], s[1], s[2]);
    case "capsule":
      return new THREE.CapsuleGeometry(s[0], s[1], 12, 28).rotateX(Math.PI / 2);
    case "cylinder":
      return new THREE.CylinderGeometry(s[0], s[0], s[1], 48).rotateX(Math.PI / 2);
    case "ellipsoid":
      return new THREE.SphereGeometry(1, 40, 28).scale(s[0], s[1], s[2]);
    case "disk":
      return new THREE.CylinderGeometry(s[0], s[0], 0.02 * sceneSize, 64).rotateX(Math.PI / 2);
    case "rectangle":
      return new THREE.BoxGeometry(s[0], s[1], 0.02 * sceneSize);
    case "plane": // the half space below z = 0
      return new THREE.PlaneGeometry(8 * sceneSize, 8 * sceneSize);
    case "line": // the half plane below y = 0
      return new THREE.PlaneGeometry(20 * sceneSize, sceneSize).translate(
        0,
        -0.5 * sceneSize,
        -0.02 * sceneSize,
      );
    case "mesh": {
      if (!shape.points || !shape.triangles) return undefined;
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", new THREE.Float32BufferAttribute(shape.points, 3));
      geometry.setIndex(shape.triangles);
      const flat = geometry.toNonIndexed();
      flat.computeVertexNormals();
      return flat;
    }
    default:
      return undefined;
  }
}

/** Words. In space they keep their size on the screen; in the plane they are so high. */
export function textSprite(words: string, color: string, planarHeight?: number): THREE.Sprite {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d")!;
  const font = "500 44px system-ui, sans-serif";
  pen.font = font;
  canvas.width = Math.ceil(pen.measureText(words).width) + 24;
  canvas.height = 64;
  pen.font = font;
  pen.fillStyle = color;
  pen.textBaseline = "middle";
  pen.fillText(words, 12, 32);
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  const sprite = new THREE.Sprite(
    new THREE.SpriteMaterial({
      map: texture,
      transparent: true,
      sizeAttenuation: false,
      depthTest: false,
    }),
  );
  const height = planarHeight ?? 0.045;
  sprite.scale.set((height * canvas.width) / canvas.height, height, 1);
  sprite.center.set(-0.08, 0.5);
  return sprite;
}

const ribbonVertex = `
  attribute vec3 ahead;
  attribute float side;
  attribute float time;
  uniform vec2 window;
  uniform float wide;
  varying float born;
  void main() {
    born = time;
    vec4 here = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec4 there = projectionMatrix * modelViewMatrix * vec4(ahead, 1.0);
    vec2 along = (there.xy / there.w - here.xy / here.w) * window;
    float length = max(length(along), 1e-6);
    vec2 across = vec2(-along.y, along.x) / length;
    here.xy += side * wide * across / window * here.w;
    gl_Position = here;
  }`;

const ribbonFragment = `
  uniform vec3 color;
  uniform float now;
  uniform float span;
  varying float born;
  void main() {
    float old = clamp((now - born) / span, 0.0, 1.0);
    gl_FragColor = vec4(color, mix(0.95, 0.14, sqrt(old)));
    #include <colorspace_fragment>
  }`;

/** Where a point has been: a ribbon of a width on the screen through all rows, shown up to now. */
class Ribbon {
  readonly mesh: THREE.Mesh;
  private readonly places: Float32Array;
  private readonly ahead: Float32Array;
  private readonly time: Float32Array;
  private readonly geometry = new THREE.BufferGeometry();
  private readonly corners: Float64Array; // their times: rows, and some between them
  private moved = -1; // the corner that is not at its time

  constructor(
    private readonly run: Run,
    private readonly spot: Spot,
    color: string,
  ) {
    this.corners = fineTimes(run.t, 1200);
    const rows = this.corners.length;
    this.places = new Float32Array(6 * rows);
    this.ahead = new Float32Array(6 * rows);
    this.time = new Float32Array(2 * rows);
    const side = new Float32Array(2 * rows);
    const index: number[] = [];
    for (let row = 0; row < rows; ++row) {
      side[2 * row] = 1;
      side[2 * row + 1] = -1;
      this.reset(row);
      const k = 2 * row;
      if (row + 1 < rows) index.push(k, k + 1, k + 2, k + 2, k + 1, k + 3);
    }
    const set = (name: string, data: Float32Array, size: number) =>
      this.geometry.setAttribute(name, new THREE.BufferAttribute(data, size));
    set("position", this.places, 3);
    set("ahead", this.ahead, 3);
    set("time", this.time, 1);
    set("side", side, 1);
    this.geometry.setIndex(index);
    const material = new THREE.ShaderMaterial({
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
      uniforms: {
        color: { value: new THREE.Color(color) },
        now: { value: 0 },
        span: { value: 1 },
        window: { value: new THREE.Vector2(1, 1) },
        wide: { value: 2 },
      },
      vertexShader: ribbonVertex,
      fragmentShader: ribbonFragment,
    });
    this.mesh = new THREE.Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
    this.mesh.onBeforeRender = (renderer) => {
      renderer.getSize(material.uniforms.window.value as THREE.Vector2);
    };
  }

  private put(into: Float32Array, row: number, place: THREE.Vector3): void {
    place.toArray(into, 6 * row);
    place.toArray(into, 6 * row + 3);
  }

  private at(corner: number): THREE.Vector3 {
    return placeAt(this.run, this.spot, cursorAt(this.run.t, this.corners[corner]));
  }

  /** A corner where it was at its time. */
  private reset(row: number): void {
    const last = this.corners.length - 1;
    const here = this.at(row);
    const next = row < last ? this.at(row + 1) : here.clone().multiplyScalar(2).sub(this.at(Math.max(row - 1, 0))); // prettier-ignore
    this.put(this.places, row, here);
    this.put(this.ahead, row, next);
    this.time[2 * row] = this.time[2 * row + 1] = this.corners[row];
  }

  move(at: Cursor, span: number): void {
    if (this.moved >= 0) {
      this.reset(this.moved);
      this.reset(this.moved - 1);
    }
    const now = cursorAt(this.corners, at.t);
    const last = Math.min(now.row + 1, this.corners.length - 1);
    this.moved = last;
    if (last > 0) {
      const head = placeAt(this.run, this.spot, at);
      this.put(this.places, last, head);
      this.put(this.ahead, last - 1, head);
      this.put(
        this.ahead,
        last,
        head
          .clone()
          .multiplyScalar(2)
          .sub(this.at(last - 1)),
      );
      this.time[2 * last] = this.time[2 * last + 1] = at.t;
    }
    this.geometry.setDrawRange(0, 6 * last);
    for (const name of ["position", "ahead", "time"])
      this.geometry.attributes[name].needsUpdate = true;
    const { uniforms } = this.mesh.material as THREE.ShaderMaterial;
    uniforms.now.value = at.t;
    uniforms.span.value = span;
  }
}

/** The trails of points that ask for one, and of the one that is selected. */
export class Trails {
  readonly group = new THREE.Group();
  private readonly ribbons: Ribbon[] = [];

  constructor(
    private readonly run: Run,
    palette: Palette,
    selected: number | undefined,
  ) {
    run.header.items.forEach((item, number) => {
      if (item.kind !== "point" || !(item.trail || number === selected)) return;
      const color = item.color ? colorOf(item.color) : palette.trail;
      const ribbon = new Ribbon(run, item.at[0], color);
      this.ribbons.push(ribbon);
      this.group.add(ribbon.mesh);
    });
  }

  move(at: Cursor): void {
    const span = Math.max(1e-9, (this.run.t[this.run.t.length - 1] - this.run.t[0]) / 3);
    for (const ribbon of this.ribbons) ribbon.move(at, span);
  }

  dispose(): void {
    for (const { mesh } of this.ribbons) {
      mesh.geometry.dispose();
      (mesh.material as THREE.Material).dispose();
    }
  }
}
