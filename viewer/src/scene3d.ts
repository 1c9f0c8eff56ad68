// Scenes in space: the shapes of the bodies at their poses, contact points coloured by state, impulses as arrows.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Geom, Run, Space } from "./data";
import type { Player } from "./player";
import { onTheme, palette } from "./theme";

const UP = new THREE.Vector3(0, 0, 1);

function geometryOf(g: Geom): THREE.BufferGeometry | null {
  const [a, b, c] = g.size;
  switch (g.shape) {
    case "sphere": return new THREE.SphereGeometry(a, 32, 20);
    case "box": return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case "ellipsoid": return new THREE.SphereGeometry(1, 32, 20).scale(a, b, c);
    case "capsule": return new THREE.CapsuleGeometry(a, 2 * b, 8, 20).rotateX(Math.PI / 2);
    case "cylinder": return new THREE.CylinderGeometry(a, a, 2 * b, 32).rotateX(Math.PI / 2);
    case "mesh": {
      if (!g.vertices?.length || !g.faces?.length) return null;
      const m = new THREE.BufferGeometry();
      m.setAttribute("position", new THREE.Float32BufferAttribute(g.vertices, 3));
      m.setIndex(g.faces);
      const flat = m.toNonIndexed();
      flat.computeVertexNormals();
      return flat;
    }
    default: return null;
  }
}

// Edges are lit, so that a turning ball is seen to turn
function markings(g: Geom, size: number): THREE.Object3D | null {
  if (g.shape !== "sphere" && g.shape !== "ellipsoid") return null;
  const points: THREE.Vector3[] = [];
  for (let i = 0; i <= 64; i++) {
    const a = (i / 64) * 2 * Math.PI;
    points.push(new THREE.Vector3(Math.cos(a) * size * 1.004, 0, Math.sin(a) * size * 1.004));
  }
  const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(points), new THREE.LineBasicMaterial());
  if (g.shape === "ellipsoid") line.scale.set(g.size[0] / size, g.size[1] / size, g.size[2] / size);
  return line;
}

export class SpaceScene {
  readonly canvas = document.createElement("canvas");
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera = new THREE.PerspectiveCamera(35, 1, 0.01, 1000);
  private controls: OrbitControls;
  private bodies: THREE.Group[];
  private materials: [THREE.MeshStandardMaterial | THREE.LineBasicMaterial, () => string][] = [];
  private points: THREE.Mesh[] = [];
  private arrows: THREE.Group[] = [];
  private shaft = new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
  private head = new THREE.ConeGeometry(1, 1, 14).translate(0, -0.5, 0);
  private ball = new THREE.SphereGeometry(1, 16, 12);
  private radius = 1;
  private centre = new THREE.Vector3();
  private largest = 0;
  private requested = false;

  /** Throws if the browser cannot draw in space. */
  constructor(private run: Run, private space: Space, private player: Player) {
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: true, alpha: true, preserveDrawingBuffer: true });
    this.canvas.className = "scene";
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${run.name} in space; drag to turn, wheel to zoom, right button to move`);
    this.bodies = space.bodies.map(() => new THREE.Group());
    this.scene.add(...this.bodies);
    this.measure();
    for (const g of space.geoms) this.add(g);
    this.light();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.addEventListener("change", () => this.request());
    this.canvas.addEventListener("dblclick", () => this.look());
    this.look();
    this.measureImpulses();
    player.listen(() => this.request());
    player.listenData(() => this.measureImpulses());
    onTheme(() => this.paint());
    new ResizeObserver(() => this.request()).observe(this.canvas);
    this.paint();
  }

  private measureImpulses(): void {
    const t = this.space.touch;
    for (let i = 0; i < t.n; i++) this.largest = Math.max(this.largest, Math.hypot(t.fx[i], t.fy[i], t.fz[i]) || 0);
  }

  // How far the bodies go
  private measure(): void {
    const box = new THREE.Box3(), p = new THREE.Vector3(), rows = this.run.rows, n = Math.min(rows, 200);
    let reach = 0;
    for (const g of this.space.geoms) {
      if (g.body < 0 && g.shape === "plane") continue;
      reach = Math.max(reach, Math.min(Math.hypot(...g.size), 1e3) + (g.body < 0 ? 0 : Math.hypot(...g.position)));
      if (g.body < 0) box.expandByPoint(p.set(g.position[0], g.position[1], g.position[2]));
    }
    for (const pose of this.space.poses) {
      for (let k = 0; k < n; k++) {
        const i = n > 1 ? Math.round((k * (rows - 1)) / (n - 1)) : 0;
        p.set(pose[0][i], pose[1][i], pose[2][i]);
        if (Number.isFinite(p.lengthSq())) box.expandByPoint(p);
      }
    }
    if (box.isEmpty()) box.expandByPoint(p.set(0, 0, 0));
    box.expandByScalar(reach || 0.1);
    box.getCenter(this.centre);
    this.radius = box.getSize(p).length() / 2;
  }

  private material(colour: () => string, transparent = 1): THREE.MeshStandardMaterial {
    const m = new THREE.MeshStandardMaterial({ roughness: 0.65, metalness: 0.05 });
    m.transparent = transparent < 1;
    m.opacity = transparent;
    this.materials.push([m, colour]);
    return m;
  }

  private add(g: Geom): void {
    const parent: THREE.Object3D = g.body < 0 ? this.scene : this.bodies[g.body];
    if (!parent) return;
    const holder = new THREE.Group();
    holder.position.set(g.position[0], g.position[1], g.position[2]);
    holder.quaternion.set(g.rotation[1], g.rotation[2], g.rotation[3], g.rotation[0]);
    parent.add(holder);
    if (g.shape === "plane") {
      this.addPlane(g, holder);
      return;
    }
    const geometry = geometryOf(g);
    if (!geometry) return;
    const k = g.body;
    const mesh = new THREE.Mesh(geometry, this.material(() => (k < 0 ? palette().named.grey
      : palette().curves[k % palette().curves.length])));
    holder.add(mesh);
    const marks = markings(g, g.size[0]);
    if (marks) {
      holder.add(marks);
      this.materials.push([(marks as THREE.Line).material as THREE.LineBasicMaterial, () => palette().panel]);
    }
  }

  // An infinite plane is shown as far as the bodies go
  private addPlane(g: Geom, holder: THREE.Group): void {
    const size = 2.4 * this.radius;
    const w = g.size[0] > 0 ? 2 * g.size[0] : size, h = g.size[1] > 0 ? 2 * g.size[1] : size;
    const sheet = new THREE.Mesh(new THREE.PlaneGeometry(w, h), this.material(() => palette().named.light, 0.55));
    (sheet.material as THREE.MeshStandardMaterial).side = THREE.DoubleSide;
    const grid = new THREE.GridHelper(Math.max(w, h), 24);
    grid.rotation.x = Math.PI / 2;
    grid.position.z = 1e-4 * this.radius;
    const line = grid.material as THREE.LineBasicMaterial;
    line.vertexColors = false;
    line.transparent = true;
    line.opacity = 0.5;
    this.materials.push([line, () => palette().muted]);
    if (g.size[0] === 0) {  // around what happens
      const at = this.centre.clone().applyMatrix4(holder.matrixWorld.compose(holder.position, holder.quaternion,
        new THREE.Vector3(1, 1, 1)).invert());
      sheet.position.set(at.x, at.y, -1e-4 * this.radius);
      grid.position.set(at.x, at.y, 0);
    }
    holder.add(sheet, grid);
  }

  private light(): void {
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x8090a0, 1.6));
    const sun = new THREE.DirectionalLight(0xffffff, 2.0);
    sun.position.set(0.4, -0.7, 1);
    this.scene.add(sun);
  }

  private look(): void {
    this.camera.up.copy(UP);
    const distance = (0.85 * this.radius) / Math.sin((this.camera.fov * Math.PI) / 360);
    const direction = new THREE.Vector3(0.45, -1.5, 0.55).normalize();
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.position.copy(this.centre).addScaledVector(direction, distance);
    this.controls.target.copy(this.centre);
    this.controls.update();
    this.request();
  }

  private paint(): void {
    for (const [m, colour] of this.materials) m.color.set(colour());
    this.request();
  }

  request(): void {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame(() => {
      this.requested = false;
      this.draw();
    });
  }

  private place(): void {
    const i = this.player.row, f = this.player.fraction, j = Math.min(i + 1, this.run.rows - 1);
    const a = new THREE.Quaternion(), b = new THREE.Quaternion();
    this.space.poses.forEach((p, k) => {
      const body = this.bodies[k];
      body.position.set(p[0][i] + f * (p[0][j] - p[0][i]), p[1][i] + f * (p[1][j] - p[1][i]), p[2][i] + f * (p[2][j] - p[2][i]));
      a.set(p[4][i], p[5][i], p[6][i], p[3][i]).normalize();
      b.set(p[4][j], p[5][j], p[6][j], p[3][j]).normalize();
      body.quaternion.slerpQuaternions(a, b, f);
    });
  }

  private placeContacts(): void {
    const t = this.space.touch, i = this.player.row, p = palette();
    const first = i > 0 ? t.end[i - 1] : 0, last = t.n ? t.end[i] : 0;
    let used = 0, pointing = 0;
    for (let k = first; k < last; k++) {
      const x = t.x[k], y = t.y[k], z = t.z[k];
      if (!t.state[k] || !Number.isFinite(x + y + z)) continue;
      const point = (this.points[used] ??= this.newPoint());
      used++;
      point.visible = true;
      point.position.set(x, y, z);
      (point.material as THREE.MeshBasicMaterial).color.set(p.states[t.state[k]] ?? p.muted);
      const size = Math.hypot(t.fx[k], t.fy[k], t.fz[k]);
      if (!(size > 0)) continue;
      const arrow = (this.arrows[pointing] ??= this.newArrow());
      pointing++;
      arrow.visible = true;
      arrow.position.set(x, y, z);
      const length = this.radius * (0.07 + 0.3 * Math.pow(Math.min(1, size / this.largest), 0.35));
      this.aim(arrow, new THREE.Vector3(t.fx[k] / size, t.fy[k] / size, t.fz[k] / size), length,
               p.states[t.state[k]] ?? p.muted);
    }
    for (let k = used; k < this.points.length; k++) this.points[k].visible = false;
    for (let k = pointing; k < this.arrows.length; k++) this.arrows[k].visible = false;
  }

  // Seen through the bodies: contacts lie between them
  private newPoint(): THREE.Mesh {
    const m = new THREE.Mesh(this.ball, new THREE.MeshBasicMaterial({ depthTest: false, transparent: true }));
    m.scale.setScalar(0.014 * this.radius);
    m.renderOrder = 2;
    this.scene.add(m);
    return m;
  }

  private newArrow(): THREE.Group {
    const a = new THREE.Group(), m = new THREE.MeshBasicMaterial({ depthTest: false, transparent: true });
    for (const part of [this.shaft, this.head]) {
      const mesh = new THREE.Mesh(part, m);
      mesh.renderOrder = 1;
      a.add(mesh);
    }
    this.scene.add(a);
    return a;
  }

  private aim(arrow: THREE.Group, direction: THREE.Vector3, length: number, colour: string): void {
    const [shaft, head] = arrow.children as THREE.Mesh[], r = 0.006 * this.radius, tip = Math.min(0.05 * this.radius, 0.5 * length);
    arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction);
    shaft.scale.set(r, length - tip, r);
    head.position.set(0, length, 0);
    head.scale.set(2.6 * r, tip, 2.6 * r);
    (shaft.material as THREE.MeshBasicMaterial).color.set(colour);
  }

  draw(): void {
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight, k = Math.min(2, window.devicePixelRatio || 1);
    if (w < 2 || h < 2) return;
    this.renderer.setPixelRatio(k);
    this.renderer.setSize(w, h, false);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.place();
    this.placeContacts();
    this.renderer.render(this.scene, this.camera);
  }
}
