// Marks in space: contact points, impulses as arrows, friction cones, trails, and rods from joint to joint.
import * as THREE from "three";
import type { Run, Space } from "./data";
import type { Player } from "./player";
import { isShown } from "./parts";
import { palette } from "./theme";
import { trailSpan } from "./trails";

const Y = new THREE.Vector3(0, 1, 0);
const TRAILED = 60;    // bodies with a trail, at most
const SAMPLES = 90;    // of a trail
const CONES = 400;

/** Any number of copies of a shape, each with a place and a colour. */
class Copies {
  readonly group = new THREE.Group();
  private mesh: THREE.InstancedMesh | null = null;
  private n = 0;

  constructor(private geometry: THREE.BufferGeometry, private material: THREE.Material, private order: number) {}

  begin(): void { this.n = 0; }

  add(m: THREE.Matrix4, colour: THREE.Color): void {
    if (!this.mesh || this.n >= this.mesh.instanceMatrix.count) this.grow();
    this.mesh!.setMatrixAt(this.n, m);
    this.mesh!.setColorAt(this.n, colour);
    this.n++;
  }

  end(): void {
    if (!this.mesh) return;
    this.mesh.count = this.n;
    this.mesh.visible = this.n > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  private grow(): void {
    const old = this.mesh, room = Math.max(32, 2 * this.n);
    this.mesh = new THREE.InstancedMesh(this.geometry, this.material, room);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = this.order;
    this.mesh.setColorAt(0, new THREE.Color());
    if (old) {
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      if (old.instanceColor) this.mesh.instanceColor!.array.set(old.instanceColor.array);
      this.group.remove(old);
      old.dispose();
    }
    this.group.add(this.mesh);
  }
}

// Seen through the bodies: contacts lie between them
function overlay(opacity = 1): THREE.MeshBasicMaterial {
  const side = THREE.DoubleSide;
  return new THREE.MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity, side });
}

export class Marks {
  readonly group = new THREE.Group();
  private points = new Copies(new THREE.SphereGeometry(1, 16, 12), overlay(), 4);
  private shafts = new Copies(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), overlay(), 3);
  private heads = new Copies(new THREE.ConeGeometry(1, 1, 14).translate(0, -0.5, 0), overlay(), 3);
  // Its tip at the origin, open towards +y
  private cones = new Copies(new THREE.ConeGeometry(1, 1, 28, 1, true).translate(0, -0.5, 0).rotateX(Math.PI),
                             overlay(0.16), 2);
  private rods = new Copies(new THREE.CylinderGeometry(1, 1, 1, 8).translate(0, 0.5, 0),
                            new THREE.MeshStandardMaterial({ roughness: 0.8 }), 0);
  private trails = new THREE.LineSegments(new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  private largest = 0;
  private typical: number;  // half the size of a body
  private trailed: { body: number; at: THREE.Vector3 }[] = [];

  constructor(private run: Run, private space: Space, private player: Player, private corners: THREE.Vector3[][]) {
    for (const c of [this.points, this.shafts, this.heads, this.cones, this.rods]) this.group.add(c.group);
    this.trails.frustumCulled = false;
    this.trails.renderOrder = 1;
    this.group.add(this.trails);
    const half = (c: THREE.Vector3[]) => new THREE.Box3().setFromPoints(c).getSize(new THREE.Vector3()).length() / 2;
    const sizes = corners.slice(0, -1).filter((c) => c.length).map(half).sort((a, b) => a - b);
    this.typical = sizes[sizes.length >> 1] || Infinity;
    this.measure();
    this.chooseTrails();
  }

  /** The strongest impulse: lengths of arrows are relative to it. */
  measure(): void {
    const t = this.space.touch;
    for (let i = 0; i < t.n; i++) this.largest = Math.max(this.largest, Math.hypot(t.fx[i], t.fy[i], t.fz[i]) || 0);
  }

  // The middle of each body's shapes draws the trail
  private chooseTrails(): void {
    for (let b = 0; b < this.space.bodies.length && this.trailed.length < TRAILED; b++) {
      const box = new THREE.Box3().setFromPoints(this.corners[b]);
      if (this.corners[b].length) this.trailed.push({ body: b, at: box.getCenter(new THREE.Vector3()) });
    }
    if (this.space.bodies.length > TRAILED) this.trailed = [];
  }

  /** `size` is half the size of the picture. */
  place(poses: THREE.Matrix4[], size: number): void {
    this.placeContacts(Math.max(0.45 * size, Math.min(size, 4 * this.typical)));
    this.placeRods(poses, size);
    this.placeTrails();
  }

  private placeContacts(size: number): void {
    const t = this.space.touch, i = this.player.row, p = palette();
    const all = [this.points, this.shafts, this.heads, this.cones], colour = new THREE.Color();
    const first = i > 0 ? t.end[i - 1] : 0, last = t.n ? t.end[i] : 0;
    let cones = 0;
    for (const c of all) c.begin();
    for (let k = first; k < last; k++) {
      const at = new THREE.Vector3(t.x[k], t.y[k], t.z[k]);
      if (!t.state[k] || !Number.isFinite(at.lengthSq())) continue;
      colour.set(p.states[t.state[k]] ?? p.muted);
      const r = 0.014 * size;
      if (isShown("contacts")) this.points.add(new THREE.Matrix4().makeScale(r, r, r).setPosition(at), colour);
      const f = new THREE.Vector3(t.fx[k], t.fy[k], t.fz[k]), strength = f.length();
      const mu = this.run.contacts[t.contact[k]]?.mu ?? 0;
      if (isShown("cones") && mu > 0 && cones++ < CONES) {
        const n = new THREE.Vector3(t.nx[k], t.ny[k], t.nz[k]), slant = (0.16 * size) / Math.hypot(1, mu);
        this.stand(this.cones, at, n, slant, mu * slant, colour);
      }
      if (!isShown("forces") || !(strength > 0)) continue;
      const length = size * (0.07 + 0.3 * Math.pow(Math.min(1, strength / this.largest), 0.35));
      const tip = Math.min(0.05 * size, 0.5 * length), direction = f.divideScalar(strength);
      this.stand(this.shafts, at, direction, length - tip, 0.006 * size, colour);
      this.stand(this.heads, at.clone().addScaledVector(direction, length), direction, tip, 0.016 * size, colour);
    }
    for (const c of all) c.end();
  }

  // A shape of length and radius one, from here in this direction
  private stand(copies: Copies, at: THREE.Vector3, direction: THREE.Vector3, length: number, radius: number,
                colour: THREE.Color): void {
    const turn = new THREE.Quaternion().setFromUnitVectors(Y, direction.clone().normalize());
    copies.add(new THREE.Matrix4().compose(at, turn, new THREE.Vector3(radius, length, radius)), colour);
  }

  private placeRods(poses: THREE.Matrix4[], size: number): void {
    const colour = new THREE.Color(palette().named.steel);
    this.rods.begin();
    for (const l of this.space.links) {
      if (!poses[l.body]) continue;
      const a = new THREE.Vector3(...(l.from as [number, number, number])).applyMatrix4(poses[l.body]);
      const b = new THREE.Vector3(...(l.to as [number, number, number])).applyMatrix4(poses[l.body]).sub(a);
      const length = b.length();
      if (length > 1e-9 * size) this.stand(this.rods, a, b, length, 0.005 * size, colour);
    }
    this.rods.end();
  }

  // The way that bodies have gone, fading into the past
  private placeTrails(): void {
    this.trails.visible = isShown("trails") && this.trailed.length > 0;
    if (!this.trails.visible) return;
    const times = this.run.t, now = this.player.row, span = trailSpan(this.run), p = palette();
    let first = now;
    while (first > 0 && times[first] > this.player.t - span) first--;
    const step = Math.max(1, Math.ceil((now - first) / SAMPLES)), rows: number[] = [];
    for (let i = now; i >= first; i -= step) rows.push(i);
    const points: number[] = [], colours: number[] = [], colour = new THREE.Color(), m = new THREE.Matrix4();
    for (const { body, at: middle } of this.trailed) {
      colour.set(p.curves[body % p.curves.length]);
      const at = (row: number, f: number) => middle.clone().applyMatrix4(poseAt(this.space, body, row, f, this.run.rows, m));
      let before = at(now, this.player.fraction);
      for (const i of rows) {
        const here = at(i, 0), age = Math.min(1, (this.player.t - times[i]) / span);
        points.push(before.x, before.y, before.z, here.x, here.y, here.z);
        for (let k = 0; k < 2; k++) colours.push(colour.r, colour.g, colour.b, 1 - age);
        before = here;
      }
    }
    this.trails.geometry.dispose();
    this.trails.geometry = new THREE.BufferGeometry()
      .setAttribute("position", new THREE.Float32BufferAttribute(points, 3))
      .setAttribute("color", new THREE.Float32BufferAttribute(colours, 4));
  }
}

const qa = new THREE.Quaternion(), qb = new THREE.Quaternion(), pa = new THREE.Vector3(), pb = new THREE.Vector3();
const one = new THREE.Vector3(1, 1, 1);

/** The pose of a body between two rows. */
export function poseAt(space: Space, body: number, row: number, fraction: number, rows: number,
                       out: THREE.Matrix4): THREE.Matrix4 {
  const p = space.poses[body], j = Math.min(row + 1, rows - 1), f = j > row ? fraction : 0;
  pa.set(p[0][row], p[1][row], p[2][row]).lerp(pb.set(p[0][j], p[1][j], p[2][j]), f);
  qa.set(p[4][row], p[5][row], p[6][row], p[3][row]).normalize();
  if (f > 0) qa.slerp(qb.set(p[4][j], p[5][j], p[6][j], p[3][j]).normalize(), f);
  return out.compose(pa, qa, one);
}
