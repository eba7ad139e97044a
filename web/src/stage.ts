// The mechanism in space: camera, lights, ground, clicks. Draws only when something has changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { palettes } from "./colors.ts";
import { atRow, cursorAt, valueAt, type Cursor, type Run } from "./data.ts";
import { ContactLights, ForceArrows } from "./arrows.ts";
import { placeAt } from "./places.ts";
import { Puller, rayOf, type Hit } from "./pull.ts";
import { extentOf, Things, Trails, type Extent, type Picked } from "./things.ts";
import { TraceShapes } from "./traces.ts";
import type { Pull, Settings, Standard, View } from "./view.ts";

export class Stage implements View {
  readonly element: HTMLCanvasElement;
  leftOut: string[] = [];
  onPick: (picked: Picked | undefined) => void = () => {};
  onCamera: () => void = () => {};
  onPull: ((pull: Pull) => void) | undefined;

  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  readonly eye: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private readonly controls: OrbitControls;
  private extent: Extent;
  private middle: THREE.Vector3;
  private readonly up: THREE.Vector3;
  private settings!: Settings;
  private things!: Things;
  private ghost: Things | undefined;
  private other: { run: Run; things: Things } | undefined;
  private trails: Trails | undefined;
  private arrows: ForceArrows | undefined;
  private contacts: ContactLights | undefined;
  private traces: TraceShapes | undefined;
  private grid: THREE.Object3D | undefined;
  private readonly marker = new THREE.Mesh();
  private picked: Picked | undefined;
  at: Cursor;
  private followed: THREE.Vector3 | undefined;
  /** What the home view was made for, until the camera is moved by hand. */
  private fitted: THREE.Box3 | undefined;
  private due = false;

  /** Throws where there is no WebGL. */
  constructor(
    private readonly run: Run,
    private readonly host: HTMLElement,
  ) {
    // Of very many things edges are not smoothed: that takes most of the time without a GPU.
    this.renderer = new THREE.WebGLRenderer({ antialias: this.parts() < 5000 });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.renderer.shadowMap.enabled = !run.header.planar && this.parts() < 400;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.element = this.renderer.domElement;
    host.prepend(this.element);
    this.extent = extentOf(run);
    this.middle = this.extent.box.getCenter(new THREE.Vector3());
    this.up = upOf(run);
    this.at = atRow(run.t, 0);
    this.eye = run.header.planar
      ? new THREE.OrthographicCamera()
      : new THREE.PerspectiveCamera(38, 1, 0.01 * this.extent.size, 60 * this.extent.size);
    this.eye.up.copy(this.up);
    this.controls = new OrbitControls(this.eye, this.element);
    this.controls.enableDamping = false;
    this.controls.zoomToCursor = true;
    if (run.header.planar) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons.LEFT = THREE.MOUSE.PAN;
      this.controls.touches.ONE = THREE.TOUCH.PAN;
    }
    this.controls.addEventListener("start", () => (this.fitted = undefined));
    this.controls.addEventListener("change", () => {
      this.ask();
      this.onCamera();
    });
    this.addLights();
    this.addMarker();
    this.listenToClicks();
    new Puller(run, this);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.look("home");
  }

  private parts(): number {
    return this.run.header.items.length + this.run.header.bodies.length;
  }

  // ---- what is there

  apply(settings: Settings): void {
    const old = this.settings as Settings | undefined;
    this.settings = { ...settings };
    const palette = palettes[settings.theme];
    const { planar } = this.run.header;
    const { size } = this.extent;
    if (old?.theme !== settings.theme) {
      this.scene.background = new THREE.Color(palette.back);
      this.replace(this.things, undefined);
      this.things = new Things(this.run, { palette, planar, size, ghost: false });
      this.leftOut = this.things.leftOut;
      this.scene.add(this.things.group);
      this.remakeGhost(this.ghost !== undefined);
      this.trails = this.replace(this.trails, undefined);
      this.arrows = this.replace(this.arrows, undefined);
      this.contacts = this.replace(this.contacts, new ContactLights(this.run, palette, size));
      this.traces = this.replace(this.traces, new TraceShapes(this.run, palette, size));
      for (const made of [this.contacts, this.traces]) this.scene.add(made!.group);
      if (this.grid) this.scene.remove(this.grid);
      this.grid = this.makeGrid();
      this.scene.add(this.grid);
      (this.marker.material as THREE.MeshBasicMaterial).color.set(palette.select);
      if (this.other) this.compare(this.other.run);
    }
    this.grid!.visible = settings.grid;
    this.remakeGhost(settings.ghost);
    this.remakeTrails();
    if (settings.forces && !this.arrows) {
      this.arrows = new ForceArrows(this.run, palette, size);
      this.scene.add(this.arrows.group);
    }
    if (!settings.forces) this.arrows = this.replace(this.arrows, undefined);
    if (this.arrows) this.arrows.scale = settings.forceScale;
    if (!settings.follow) this.followed = undefined;
    this.show(this.at);
  }

  renew(home: boolean): void {
    const { box, size } = extentOf(this.run);
    home ||= this.fitted !== undefined && !this.fitted.containsBox(box);
    this.extent = { box, size: home ? size : this.extent.size };
    this.middle = box.getCenter(new THREE.Vector3());
    const palette = palettes[this.settings.theme];
    const { planar } = this.run.header;
    // The new ones are made before the old ones are given up: they share the programs of the GPU.
    const things = new Things(this.run, { palette, planar, size: this.extent.size, ghost: false });
    this.scene.add(things.group);
    this.replace(this.things, undefined);
    this.things = things;
    this.leftOut = things.leftOut;
    this.remakeGhost(this.settings.ghost);
    this.remakeTrails();
    if (this.arrows) {
      const arrows = new ForceArrows(this.run, palette, this.extent.size);
      arrows.scale = this.settings.forceScale;
      this.scene.add(arrows.group);
      this.replace(this.arrows, undefined);
      this.arrows = arrows;
    }
    this.contacts = this.replace(
      this.contacts,
      new ContactLights(this.run, palette, this.extent.size),
    );
    this.traces = this.replace(this.traces, new TraceShapes(this.run, palette, this.extent.size));
    for (const made of [this.contacts, this.traces]) this.scene.add(made!.group);
    if (!home) return this.ask();
    this.scene.remove(this.grid!);
    this.grid = this.makeGrid();
    this.grid.visible = this.settings.grid;
    this.scene.add(this.grid);
    if (this.eye instanceof THREE.PerspectiveCamera) {
      this.eye.near = 0.01 * size;
      this.eye.far = 60 * size;
      this.eye.updateProjectionMatrix();
    }
    this.look("home");
  }

  compare(run: Run | undefined): void {
    this.replace(this.other?.things, undefined);
    this.other = undefined;
    if (run) {
      const palette = palettes[this.settings.theme];
      const look = { palette, planar: run.header.planar, size: this.extent.size, ghost: true };
      this.other = { run, things: new Things(run, look) };
      this.scene.add(this.other.things.group);
    }
    this.show(this.at);
  }

  private remakeGhost(wanted: boolean): void {
    const look = {
      palette: palettes[this.settings.theme],
      planar: this.run.header.planar,
      size: this.extent.size,
      ghost: true,
    };
    this.ghost = this.replace(this.ghost, wanted ? new Things(this.run, look) : undefined);
    if (this.ghost) {
      this.scene.add(this.ghost.group);
      this.ghost.move(atRow(this.run.t, 0));
    }
  }

  private remakeTrails(): void {
    const palette = palettes[this.settings.theme];
    this.trails = this.replace(
      this.trails,
      this.settings.trails ? new Trails(this.run, palette, this.picked?.item) : undefined,
    );
    if (this.trails) this.scene.add(this.trails.group);
  }

  private replace<T extends { group: THREE.Object3D; dispose(): void }>(
    old: T | undefined,
    by: T | undefined,
  ): T | undefined {
    if (old) {
      this.scene.remove(old.group);
      old.dispose();
    }
    return by;
  }

  private addLights(): void {
    const { size } = this.extent;
    this.scene.add(
      new THREE.HemisphereLight(
        "#ffffff",
        this.run.header.planar ? "#c4cedb" : "#8090a8",
        this.run.header.planar ? 2.4 : 1.9,
      ),
    );
    const sun = new THREE.DirectionalLight("#ffffff", 2.1);
    const side = this.run.header.planar
      ? new THREE.Vector3(-0.35, 0.45, 1)
      : new THREE.Vector3(0.45, -0.7, 0).addScaledVector(this.up, 1.1);
    if (!this.run.header.planar && this.up.z === 0) side.set(0.45, 1.1, 0.7);
    sun.position.copy(this.middle).addScaledVector(side, 2 * size);
    sun.target.position.copy(this.middle);
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    const { camera } = sun.shadow;
    camera.left = camera.bottom = -1.2 * size;
    camera.right = camera.top = 1.2 * size;
    camera.near = 0.1 * size;
    camera.far = 6 * size;
    sun.shadow.normalBias = 0.004 * size;
    this.scene.add(sun, sun.target);
  }

  /** Lines of the ground in space; in the plane, squares behind everything. */
  private makeGrid(): THREE.Object3D {
    const palette = palettes[this.settings.theme];
    const { size, box } = this.extent;
    const step =
      10 ** Math.floor(Math.log10(size)) *
      (size / 10 ** Math.floor(Math.log10(size)) > 4 ? 1 : 0.5);
    const count = 2 * Math.ceil((this.run.header.planar ? 12 : 3) * (size / step));
    const grid = new THREE.GridHelper(count * step, count, palette.gridStrong, palette.grid);
    const group = new THREE.Group();
    group.add(grid);
    const material = grid.material as THREE.LineBasicMaterial;
    material.depthWrite = false;
    if (this.run.header.planar) {
      grid.rotation.x = Math.PI / 2;
      grid.position.z = -0.2 * size;
      return group;
    }
    const level = this.groundLevel();
    const low = new THREE.Vector3();
    const axis = this.up.z !== 0 ? "z" : this.up.y !== 0 ? "y" : "x";
    low.copy(this.middle).setComponent("xyz".indexOf(axis), level ?? this.lowest(axis, box));
    const round = (x: number) => Math.round(x / step) * step;
    for (const k of ["x", "y", "z"] as const) if (k !== axis) low[k] = round(low[k]);
    group.position.copy(low);
    group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), this.up);
    if (this.renderer.shadowMap.enabled && level === undefined) {
      const shade = new THREE.Mesh(
        new THREE.PlaneGeometry(count * step, count * step),
        new THREE.ShadowMaterial({ opacity: 0.28, depthWrite: false }),
      );
      shade.rotation.x = -Math.PI / 2;
      shade.receiveShadow = true;
      group.add(shade);
    }
    return group;
  }

  /** Of a plane of the ground that lies level: it has the shadows itself. */
  private groundLevel(): number | undefined {
    const up = this.up.toArray();
    for (const body of this.run.header.bodies) {
      if (body.name !== "") continue;
      for (const { kind, at, R } of body.shapes) {
        const along = R[2] * up[0] + R[5] * up[1] + R[8] * up[2];
        if (kind !== "plane" || along < 0.9999) continue;
        const k = up.findIndex((x) => x !== 0);
        return at[k] + 0.0008 * this.extent.size * up[k];
      }
    }
    return undefined;
  }

  /** Below everything. */
  private lowest(axis: "x" | "y" | "z", box: THREE.Box3): number {
    const sign = this.up[axis];
    const below = sign > 0 ? box.min[axis] : box.max[axis];
    return below - sign * 0.001 * this.extent.size;
  }

  private addMarker(): void {
    this.marker.geometry = new THREE.SphereGeometry(0.026 * this.extent.size, 24, 16);
    this.marker.material = new THREE.MeshBasicMaterial({
      transparent: true,
      opacity: 0.45,
      depthTest: false,
    });
    this.marker.visible = false;
    this.marker.renderOrder = 2;
    this.scene.add(this.marker);
  }

  // ---- moving

  show(at: Cursor): void {
    this.at = at;
    if (!this.things) return;
    this.things.move(at);
    this.other?.things.move(cursorAt(this.other.run.t, at.t));
    this.trails?.move(at);
    this.arrows?.move(at);
    this.contacts?.move(at);
    this.traces?.move(at);
    this.things.light(this.lights(at));
    const spot = this.spotOf(this.picked);
    this.marker.visible = spot !== undefined;
    if (spot) {
      placeAt(this.run, spot, at, this.marker.position);
      if (this.settings.follow) this.goAlong(this.marker.position);
    }
    this.ask();
  }

  /** Points that touch something. */
  private lights(at: Cursor): Map<number, string> {
    const lit = new Map<number, string>();
    const { items, arrows } = this.run.header;
    if (items.length > 2000) return lit;
    for (const arrow of arrows) {
      if (arrow.kind !== "contact") continue;
      const force = [0, 1, 2].map((i) => valueAt(this.run.columns[arrow.force + i], at));
      if (!(Math.hypot(...force) > 0)) continue;
      items.forEach((item, i) => {
        if (item.kind === "point" && String(item.at[0]) === String(arrow.at))
          lit.set(i, palettes[this.settings.theme].contact);
      });
    }
    return lit;
  }

  private spotOf(picked: Picked | undefined) {
    if (picked?.body !== undefined) return this.run.header.bodies[picked.body].at;
    if (picked?.item !== undefined) return this.run.header.items[picked.item].at[0];
    return undefined;
  }

  /** The camera keeps its distance to what it follows. */
  private goAlong(place: THREE.Vector3): void {
    if (this.followed) {
      const by = place.clone().sub(this.followed);
      this.eye.position.add(by);
      this.controls.target.add(by);
    } else {
      this.eye.position.add(place.clone().sub(this.controls.target));
      this.controls.target.copy(place);
    }
    this.followed = place.clone();
    this.controls.update();
  }

  select(picked: Picked | undefined): void {
    this.picked = picked;
    this.followed = undefined;
    if (this.settings?.trails) this.remakeTrails();
    this.show(this.at);
  }

  private ask(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.renderer.render(this.scene, this.eye);
    });
  }

  picture(): HTMLCanvasElement {
    this.renderer.render(this.scene, this.eye);
    return this.element;
  }

  // ---- the camera

  look(from: Standard): void {
    const { size, box } = this.extent;
    this.followed = undefined;
    const spare = 0.2 * size; // what may grow beyond it before the view is made anew
    this.fitted = from === "home" ? box.clone().expandByScalar(spare) : undefined;
    this.controls.target.copy(this.middle);
    if (this.eye instanceof THREE.OrthographicCamera) {
      this.eye.position.set(this.middle.x, this.middle.y, this.middle.z + 10 * size);
      this.eye.near = 0.1 * size;
      this.eye.far = 40 * size;
      const room = box.getSize(new THREE.Vector3());
      const width = this.host.clientWidth || 1;
      const height = this.host.clientHeight || 1;
      const margin = 0.12 * size;
      this.eye.zoom = Math.min(width / (room.x + 2 * margin), height / (room.y + 2 * margin));
      this.eye.updateProjectionMatrix();
    } else {
      const direction = this.directionOf(from);
      const radius = 0.5 * box.getSize(new THREE.Vector3()).length();
      const half = (this.eye.fov * Math.PI) / 360;
      const narrow = Math.min(1, this.eye.aspect);
      const distance = Math.max(radius, 0.3 * size) / Math.sin(Math.atan(Math.tan(half) * narrow));
      this.eye.position.copy(this.middle).addScaledVector(direction, 1.02 * distance);
    }
    this.controls.update();
    this.ask();
  }

  private directionOf(from: Standard): THREE.Vector3 {
    const zUp = this.up.z !== 0;
    const front = zUp ? new THREE.Vector3(0, -1, 0) : new THREE.Vector3(0, 0, 1);
    const side = new THREE.Vector3(1, 0, 0);
    switch (from) {
      case "front":
        return front;
      case "side":
        return side;
      case "top":
        return this.up.clone().addScaledVector(front, 1e-3).normalize();
      default:
        return front.clone().addScaledVector(side, 0.55).addScaledVector(this.up, 0.42).normalize();
    }
  }

  /** A zoom of the plane is in pixels, so that of the address is relative to the window. */
  private pixels(): number {
    return this.run.header.planar
      ? Math.min(this.host.clientWidth, this.host.clientHeight) || 1
      : 1;
  }

  camera(): string {
    const { position, zoom } = this.eye;
    const numbers = [
      ...position.toArray(),
      ...this.controls.target.toArray(),
      zoom / this.pixels(),
    ];
    return numbers.map((x) => Number(x.toPrecision(5))).join(",");
  }

  setCamera(text: string): boolean {
    const numbers = text.split(",").map(Number);
    if (numbers.length !== 7 || !numbers.every(Number.isFinite)) return false;
    this.fitted = undefined;
    this.eye.position.fromArray(numbers, 0);
    this.controls.target.fromArray(numbers, 3);
    this.eye.zoom = numbers[6] * this.pixels();
    this.eye.updateProjectionMatrix();
    this.controls.update();
    this.ask();
    return true;
  }

  private resize(): void {
    const width = this.host.clientWidth;
    const height = this.host.clientHeight;
    if (width === 0 || height === 0) return;
    const before = this.eye.userData.pixels as number | undefined;
    this.renderer.setSize(width, height);
    if (this.eye instanceof THREE.OrthographicCamera) {
      this.eye.left = -width / 2;
      this.eye.right = width / 2;
      this.eye.top = height / 2;
      this.eye.bottom = -height / 2;
      if (before) this.eye.zoom *= this.pixels() / before;
      this.eye.userData.pixels = this.pixels();
    } else {
      this.eye.aspect = width / height;
    }
    this.eye.updateProjectionMatrix();
    this.renderer.render(this.scene, this.eye);
  }

  // ---- clicks

  private listenToClicks(): void {
    let from: [number, number] | undefined;
    this.element.addEventListener("pointerdown", (event) => {
      from = [event.clientX, event.clientY];
    });
    this.element.addEventListener("pointerup", (event) => {
      if (!from || Math.hypot(event.clientX - from[0], event.clientY - from[1]) > 5) return;
      this.onPick(this.hit(event)?.picked);
    });
  }

  /** What is under the mouse, and where in space. */
  hit(event: PointerEvent): Hit | undefined {
    const ray = rayOf(event, this.element, this.eye);
    ray.params.Points = { threshold: this.extent.size * 0.012 };
    for (const hit of ray.intersectObject(this.things.group, true)) {
      const pick = this.things.picks.get(hit.object);
      if (pick) return { picked: pick(hit.instanceId ?? hit.index ?? 0), place: hit.point };
    }
    return undefined;
  }
}

/** Against gravity; where there is none, z, and y in the plane. */
function upOf(run: Run): THREE.Vector3 {
  const { planar, gravity } = run.header;
  if (planar) return new THREE.Vector3(0, 1, 0);
  const sizes = gravity.map(Math.abs);
  const largest = sizes.indexOf(Math.max(...sizes));
  if (!(sizes[largest] > 0)) return new THREE.Vector3(0, 0, 1);
  const up = new THREE.Vector3();
  up.setComponent(largest, -Math.sign(gravity[largest]));
  return up;
}
