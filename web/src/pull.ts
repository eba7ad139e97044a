// Pulls things of the picture with the mouse, in the plane through them that faces the camera.
import * as THREE from "three";
import { valueAt, type Run } from "./data.ts";
import { placeAt } from "./places.ts";
import type { Picked } from "./things.ts";
import type { Stage } from "./stage.ts";
import type { Pull } from "./view.ts";

/** What is under the mouse, and where in space. */
export interface Hit {
  picked: Picked;
  place: THREE.Vector3;
}

/** From the eye through the mouse. */
export function rayOf(
  event: PointerEvent,
  canvas: HTMLElement,
  eye: THREE.Camera,
): THREE.Raycaster {
  const frame = canvas.getBoundingClientRect();
  const x = ((event.clientX - frame.left) / frame.width) * 2 - 1;
  const y = 1 - ((event.clientY - frame.top) / frame.height) * 2;
  const ray = new THREE.Raycaster();
  ray.setFromCamera(new THREE.Vector2(x, y), eye);
  return ray;
}

const still = 4; // pixels: until then it is a click

export class Puller {
  private pulled: Picked | undefined;
  private local = new THREE.Vector3();
  private readonly plane = new THREE.Plane();
  private readonly off = new THREE.Vector3(); // from where the mouse took hold to the point
  private from: [number, number] = [0, 0];
  private moving = false;

  constructor(
    private readonly run: Run,
    private readonly stage: Stage,
  ) {
    const host = stage.element.parentElement!;
    // Before the camera's own listeners, which then hear nothing of it.
    host.addEventListener("pointerdown", (event) => this.begin(event), { capture: true });
    host.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const)
      host.addEventListener(end, (event) => this.end(event), { capture: true });
  }

  private begin(event: PointerEvent): void {
    if (!this.stage.onPull || event.button !== 0 || event.target !== this.stage.element) return;
    const hit = this.stage.hit(event);
    const point = hit && this.pointOf(hit);
    if (!hit || !point) return;
    event.stopPropagation();
    this.stage.element.setPointerCapture(event.pointerId);
    this.pulled = hit.picked;
    this.moving = false;
    this.from = [event.clientX, event.clientY];
    this.off.copy(point).sub(hit.place);
    const facing = this.stage.eye.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, hit.place);
  }

  /** The point that is pulled: of an item its place; of a body the one that was hit. */
  private pointOf(hit: Hit): THREE.Vector3 | undefined {
    const { items, bodies } = this.run.header;
    const { at } = this.stage;
    this.local.set(0, 0, 0);
    if (hit.picked.item !== undefined) {
      const item = items[hit.picked.item];
      return item.kind === "point" ? placeAt(this.run, item.at[0], at) : undefined;
    }
    if (hit.picked.body === undefined) return undefined;
    const body = bodies[hit.picked.body];
    const v = hit.place.clone().sub(placeAt(this.run, body.at, at));
    const R = body.R.map((c) => valueAt(this.run.columns[c], at));
    const across = (k: number) => R[k] * v.x + R[3 + k] * v.y + R[6 + k] * v.z;
    this.local.set(across(0), across(1), across(2));
    return hit.place.clone();
  }

  private move(event: PointerEvent): void {
    if (!this.pulled) return;
    event.stopPropagation();
    const [x, y] = this.from;
    if (!this.moving && Math.hypot(event.clientX - x, event.clientY - y) < still) return;
    this.moving = true;
    this.tell(event, false);
  }

  private end(event: PointerEvent): void {
    if (!this.pulled) return;
    event.stopPropagation();
    if (this.moving) this.tell(event, true);
    else this.stage.onPick(this.pulled);
    this.pulled = undefined;
  }

  private tell(event: PointerEvent, done: boolean): void {
    const to = new THREE.Vector3();
    const ray = rayOf(event, this.stage.element, this.stage.eye).ray;
    if (!ray.intersectPlane(this.plane, to)) return;
    to.add(this.off);
    const pull: Pull = {
      ...this.pulled,
      local: this.local.toArray(),
      to: to.toArray(),
      done,
    };
    this.stage.onPull?.(pull);
  }
}
