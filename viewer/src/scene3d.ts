// Scenes in space: the shapes of the bodies at their poses and what marks3d.ts draws, seen by a camera that fits them.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Geom, Run, Space } from "./data";
import { niceStep } from "./format";
import type { Grabber } from "./livedrag";
import { Marks, poseAt } from "./marks3d";
import { isShown, onParts } from "./parts";
import type { Player } from "./player";
import { Shapes } from "./shapes3d";
import { onTheme, palette, sizeOf } from "./theme";
import { wish } from "./wishes";

/** From where: azimuth from the front (-y) to the right, and elevation, degrees. */
export const VIEWS: Record<string, [number, number]> = {
  corner: [32, 22], front: [0, 0], right: [90, 0], back: [180, 0], left: [-90, 0], top: [0, 89.99],
};

// "top", "30,20"
function viewOf(text: string | null | undefined): [number, number] | null {
  if (!text) return null;
  const angles = text.split(",").map(Number);
  if (angles.length !== 2 || !angles.every(Number.isFinite)) return VIEWS[text] ?? null;
  return [angles[0], Math.min(89.99, Math.max(-89.99, angles[1]))];
}

const SHADOWED = 400;  // bodies with shadows, at most

export class SpaceScene {
  readonly canvas = document.createElement("canvas");
  /** If there is one, bodies can be dragged. */
  grabber: Grabber | null = null;
  private held: { body: number; local: THREE.Vector3; to: THREE.Vector3; plane: THREE.Plane } | null = null;
  private hold = new THREE.Line(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ depthTest: false, transparent: true }));
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(30, 1, 0.01, 1000);
  private controls: OrbitControls;
  private shapes: Shapes;
  private marks: Marks;
  private poses: THREE.Matrix4[];
  private sun = new THREE.DirectionalLight(0xffffff, 1.9);
  private planes: { geom: Geom; holder: THREE.Group; sheet: THREE.Mesh; grid: THREE.LineSegments }[] = [];
  private cloud: THREE.Vector3[] = [];  // where bodies get to
  private box = new THREE.Box3();
  private radius = 1;
  private view: [number, number];
  private touched = false;              // the user has turned it
  private fitted = "";                  // what the camera was last fitted to
  private requested = false;

  /** Throws if the browser cannot draw in space. */
  constructor(private run: Run, private space: Space, private player: Player) {
    const canvas = this.canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.enabled = space.bodies.length <= SHADOWED;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    this.canvas.className = "scene";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${run.name} in space; drag to turn, wheel to zoom, right button to move`);
    this.poses = space.bodies.map(() => new THREE.Matrix4());
    this.shapes = new Shapes(space);
    this.marks = new Marks(run, space, player, this.shapes.corners);
    this.scene.add(this.shapes.group, this.marks.group);
    this.measure();
    for (const g of space.geoms) if (g.shape === "plane") this.addPlane(g);
    this.light();
    this.view = this.firstView();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.request());
    this.controls.addEventListener("start", () => { this.touched = true; });
    this.canvas.addEventListener("dblclick", () => this.look());
    this.handleDragging();
    player.listen(() => this.request());
    player.listenData(() => this.grow());
    onTheme(() => this.paint());
    onParts(() => this.request());
    new ResizeObserver(() => this.request()).observe(this.canvas);
    this.paint();
  }

  /** Where it is looked from, in words of VIEWS or degrees. */
  look(name?: string): void {
    this.view = viewOf(name) ?? this.firstView();
    this.touched = false;
    this.fitted = "";
    this.request();
  }

  /** The side of a square of the grid, m; 0 if there is none. */
  get gridStep(): number { return this.planes.length ? this.step() : 0; }

  // A live run has gone on: where bodies get to is measured again when one has left it
  private grow(): void {
    const i = this.run.rows - 1, at = new THREE.Vector3(), room = this.box.clone().expandByScalar(0.02 * this.radius);
    this.marks.measure();
    if (this.space.poses.some((p) => Number.isFinite(p[0][i]) && !room.containsPoint(at.set(p[0][i], p[1][i], p[2][i])))) this.measure();
  }

  // Where the corners of the bodies get to in all of the time. What flies far beyond where all begins is not followed.
  private measure(): void {
    const rows = this.run.rows, many = Math.round(3000 / Math.max(1, this.space.bodies.length));
    const n = Math.min(rows, Math.max(8, many), 80), start = new THREE.Box3(), m = new THREE.Matrix4();
    const ends = this.space.bodies.map((): THREE.Vector3[] => []);
    for (const l of this.space.links) ends[l.body]?.push(new THREE.Vector3(l.from[0], l.from[1], l.from[2]));
    this.cloud = [];
    for (const p of this.shapes.corners[this.space.bodies.length]) start.expandByPoint(p);
    this.cloud.push(...this.shapes.corners[this.space.bodies.length]);
    for (let k = 0; k < n; k++) {
      const i = n > 1 ? Math.round((k * (rows - 1)) / (n - 1)) : 0;
      this.space.bodies.forEach((_, b) => {
        poseAt(this.space, b, i, 0, rows, m);
        const corners = this.shapes.corners[b].length ? this.shapes.corners[b] : [new THREE.Vector3()];
        for (const c of [...corners, ...ends[b]]) {
          const at = c.clone().applyMatrix4(m);
          if (!Number.isFinite(at.lengthSq())) continue;
          if (k === 0) start.expandByPoint(at);
          this.cloud.push(at);
        }
      });
    }
    if (start.isEmpty()) start.expandByPoint(new THREE.Vector3());
    const reach = start.clone().expandByScalar(4 * start.getSize(new THREE.Vector3()).length() + 0.1);
    this.cloud = this.cloud.filter((p) => reach.containsPoint(p));
    this.box = new THREE.Box3().setFromPoints(this.cloud.length ? this.cloud : [start.min, start.max]);
    this.radius = Math.max(1e-6, this.box.getSize(new THREE.Vector3()).length() / 2);
    this.fitted = "";
    for (const plane of this.planes) this.layPlane(plane);
  }

  // What moves in a plane is seen from its front
  private firstView(): [number, number] {
    const wished = viewOf(wish("view"));
    if (wished) return wished;
    const way = new THREE.Box3(), p = new THREE.Vector3(), rows = this.run.rows, n = Math.min(rows, 100);
    for (const pose of this.space.poses) {
      for (let k = 0; k < n; k++) {
        const i = n > 1 ? Math.round((k * (rows - 1)) / (n - 1)) : 0;
        p.set(pose[0][i], pose[1][i], pose[2][i]);
        if (Number.isFinite(p.lengthSq())) way.expandByPoint(p);
      }
    }
    const s = way.getSize(p), all = s.length();
    if (all > 0 && s.z > 0.05 * all && s.y < 1e-3 * all && s.x > 0.05 * all) return [8, 9];
    if (all > 0 && s.z > 0.05 * all && s.x < 1e-3 * all && s.y > 0.05 * all) return [98, 9];
    return [24, 18];
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x9aa6b4, 1.9), this.sun, this.sun.target);
    this.sun.castShadow = this.renderer.shadowMap.enabled;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.sun.shadow.radius = 4;
    this.sun.shadow.intensity = 0.45;
  }

  // The sun stands so that its shadows cover what there is
  private aimSun(): void {
    const centre = this.box.getCenter(new THREE.Vector3()), r = 1.1 * this.radius, c = this.sun.shadow.camera;
    this.sun.position.copy(centre).add(new THREE.Vector3(0.45, -0.7, 1.3).multiplyScalar(2 * this.radius));
    this.sun.target.position.copy(centre);
    c.left = c.bottom = -r;
    c.right = c.top = r;
    c.near = 0.1 * this.radius;
    c.far = 6 * this.radius;
    c.updateProjectionMatrix();
    this.sun.shadow.normalBias = 0.004 * this.radius;
  }

  private step(): number { return niceStep(2.4 * this.radius, 20); }

  private addPlane(g: Geom): void {
    const holder = new THREE.Group();
    holder.position.set(g.position[0], g.position[1], g.position[2]);
    holder.quaternion.set(g.rotation[1], g.rotation[2], g.rotation[3], g.rotation[0]);
    if (g.body >= 0) return;  // planes hang on the world
    this.scene.add(holder);
    const sheet = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({
      roughness: 1, side: THREE.DoubleSide, transparent: true, opacity: 0.7, polygonOffset: true, polygonOffsetFactor: 2,
      polygonOffsetUnits: 2 }));
    sheet.receiveShadow = true;
    const grid = new THREE.LineSegments(new THREE.BufferGeometry(),
                                        new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 }));
    holder.add(sheet, grid);
    this.planes.push({ geom: g, holder, sheet, grid });
    this.layPlane(this.planes[this.planes.length - 1]);
  }

  // A sheet with a grid whose lines are a round number of metres apart. An infinite plane is shown as far as bodies go.
  private layPlane({ geom: g, holder, sheet, grid }: (typeof this.planes)[0]): void {
    const step = this.step(), at = this.box.getCenter(new THREE.Vector3());
    holder.updateMatrixWorld();
    at.applyMatrix4(holder.matrixWorld.clone().invert());
    const half = step * Math.ceil((1.25 * this.radius) / step), finite = g.size[0] > 0 && g.size[0] < half;
    const w = finite ? g.size[0] : half, h = g.size[1] > 0 && g.size[1] < half ? g.size[1] : half;
    const x = g.size[0] > 0 ? 0 : step * Math.round(at.x / step), y = g.size[1] > 0 ? 0 : step * Math.round(at.y / step);
    const points: number[] = [], z = 4e-4 * this.radius;
    const lines = (middle: number, side: number) => Array.from({ length: Math.floor((2 * side) / step + 1e-9) + 1 }, (_, i) =>
      step * (Math.ceil((middle - side) / step - 1e-9) + i)).filter((v) => v <= middle + side + 1e-9 * step);
    for (const v of lines(x, w)) points.push(v, y - h, z, v, y + h, z);
    for (const v of lines(y, h)) points.push(x - w, v, z, x + w, v, z);
    sheet.geometry.dispose();
    sheet.geometry = new THREE.PlaneGeometry(2 * w, 2 * h);
    sheet.position.set(x, y, 0);
    grid.geometry.dispose();
    grid.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }

  // As near as all of it can be seen in this window
  private fit(w: number, h: number): void {
    const [azimuth, elevation] = this.view.map((d) => (d * Math.PI) / 180);
    const right = new THREE.Vector3(Math.cos(azimuth), Math.sin(azimuth), 0), r = new THREE.Vector3();
    const d = new THREE.Vector3(right.y, -right.x, 0).multiplyScalar(Math.cos(elevation)).setZ(Math.sin(elevation));
    const up = new THREE.Vector3().crossVectors(d, right), target = this.box.getCenter(new THREE.Vector3());
    const tan = Math.tan((this.camera.fov * Math.PI) / 360);
    const ty = tan * Math.max(0.5, 1 - 84 / h), tx = tan * (w / h) * 0.92;  // what stands in the corners stays free
    let distance = this.radius;
    for (let pass = 0; pass < 3; pass++) {
      let x0 = 0, x1 = 0, y0 = 0, y1 = 0, far = this.radius * 1e-3;
      for (const p of this.cloud) {
        r.subVectors(p, target);
        const x = r.dot(right), y = r.dot(up), z = r.dot(d);
        far = Math.max(far, z + Math.abs(y) / ty, z + Math.abs(x) / tx);
        const k = pass ? distance / Math.max(1e-9, distance - z) : 1;
        x0 = Math.min(x0, k * x); x1 = Math.max(x1, k * x);
        y0 = Math.min(y0, k * y); y1 = Math.max(y1, k * y);
      }
      distance = far;
      if (pass < 2) target.addScaledVector(right, (x0 + x1) / 2).addScaledVector(up, (y0 + y1) / 2);
    }
    distance *= 1.02;
    this.camera.up.set(0, 0, 1);
    this.camera.near = Math.max(distance - 4 * this.radius, distance / 300);
    this.camera.far = distance + 12 * this.radius;
    this.camera.position.copy(target).addScaledVector(d, distance);
    this.controls.target.copy(target);
    this.camera.updateProjectionMatrix();
    this.controls.update();
  }

  private paint(): void {
    for (const { sheet, grid } of this.planes) {
      (sheet.material as THREE.MeshStandardMaterial).color.set(palette().named.light);
      (grid.material as THREE.LineBasicMaterial).color.set(palette().muted);
    }
    this.hold.material.color.set(palette().accent);
    this.shapes.paint();
    this.request();
  }

  // ---- dragging: in the plane through the point that is held, parallel to the screen ----

  private ray(e: PointerEvent): THREE.Raycaster {
    const x = (2 * e.offsetX) / this.canvas.clientWidth - 1, y = 1 - (2 * e.offsetY) / this.canvas.clientHeight;
    const caster = new THREE.Raycaster();
    caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return caster;
  }

  private take(e: PointerEvent): boolean {
    const hit = this.shapes.pick(this.ray(e));
    if (!hit) return false;
    const normal = this.camera.getWorldDirection(new THREE.Vector3());
    this.held = { body: hit.body, local: hit.point.clone().applyMatrix4(this.poses[hit.body].clone().invert()), to: hit.point.clone(),
                  plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, hit.point) };
    return true;
  }

  // Before the controls of the camera see it
  private handleDragging(): void {
    const canvas = this.canvas, early = { capture: true };
    this.hold.renderOrder = 5;
    this.hold.frustumCulled = this.hold.visible = false;
    this.scene.add(this.hold);
    canvas.addEventListener("pointerdown", (e) => {
      if (!this.grabber || e.button !== 0 || !this.take(e)) return;
      e.stopImmediatePropagation();
      canvas.setPointerCapture(e.pointerId);
      const h = this.held!;
      this.touched = true;  // the picture stays where it is
      this.grabber.begin({ body: h.body, local: h.local.toArray() }, h.to.toArray());
      this.request();
    }, early);
    canvas.addEventListener("pointermove", (e) => {
      if (!this.held) return;
      e.stopImmediatePropagation();
      if (this.ray(e).ray.intersectPlane(this.held.plane, this.held.to)) this.grabber?.move(this.held.to.toArray());
      this.request();
    }, early);
    const end = () => {
      if (!this.held) return;
      this.held = null;
      this.grabber?.end();
      this.request();
    };
    canvas.addEventListener("pointerup", end, early);
    canvas.addEventListener("pointercancel", end, early);
  }

  // The spring from the point that is held to the mouse
  private drawHold(): void {
    this.hold.visible = this.held !== null;
    if (!this.held) return;
    const from = this.held.local.clone().applyMatrix4(this.poses[this.held.body]);
    this.hold.geometry.setFromPoints([from, this.held.to]);
  }

  request(): void {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.draw();
    });
  }

  draw(): void {
    const [w, h] = sizeOf(this.canvas), k = Math.min(2, window.devicePixelRatio || 1);
    if (w < 2 || h < 2) return;
    if (this.canvas.width !== Math.floor(w * k) || this.canvas.height !== Math.floor(h * k)) {
      this.renderer.setPixelRatio(k);
      this.renderer.setSize(w, h, false);
    }
    this.camera.aspect = w / h;
    const wanted = `${w} ${h} ${this.view}`;
    if (!this.touched && this.fitted !== wanted) this.fit(w, h);
    this.fitted = wanted;
    this.camera.updateProjectionMatrix();
    const i = this.player.row, f = this.player.fraction;
    this.poses.forEach((m, b) => poseAt(this.space, b, i, f, this.run.rows, m));
    for (const { grid } of this.planes) grid.visible = isShown("grid");
    this.shapes.place(this.poses);
    this.marks.place(this.poses, this.radius);
    this.aimSun();
    this.drawHold();
    this.renderer.render(this.scene, this.camera);
  }
}
