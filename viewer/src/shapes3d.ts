// The shapes of a scene. Like shapes are drawn in one go (instances), so that a thousand bodies are no burden.
import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import type { Geom, Mesh, Space } from "./data";
import { palette } from "./theme";

function meshGeometry(mesh: Mesh): THREE.BufferGeometry | null {
  if (mesh.vertices.length < 12) return null;
  if (!mesh.faces.length) {
    const points: THREE.Vector3[] = [];
    for (let i = 0; i + 2 < mesh.vertices.length; i += 3) {
      points.push(new THREE.Vector3(mesh.vertices[i], mesh.vertices[i + 1], mesh.vertices[i + 2]));
    }
    return new ConvexGeometry(points);
  }
  const m = new THREE.BufferGeometry();
  m.setAttribute("position", new THREE.Float32BufferAttribute(Float32Array.from(mesh.vertices), 3));
  m.setIndex(Array.from(mesh.faces));
  const flat = m.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function geometryOf(g: Geom, meshes: Mesh[], many: boolean): THREE.BufferGeometry | null {
  const [a, b, c] = g.size, round = many ? 16 : 40, half = many ? 10 : 24;
  switch (g.shape) {
    case "sphere": return new THREE.SphereGeometry(a, round, half);
    case "box": return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case "ellipsoid": return new THREE.SphereGeometry(1, round, half).scale(a, b, c);
    case "capsule": return new THREE.CapsuleGeometry(a, 2 * b, many ? 6 : 10, many ? 12 : 28).rotateX(Math.PI / 2);
    case "cylinder": return new THREE.CylinderGeometry(a, a, 2 * b, round).rotateX(Math.PI / 2);
    case "mesh": return g.mesh !== undefined && meshes[g.mesh] ? meshGeometry(meshes[g.mesh]) : null;
    default: return null;
  }
}

// Edges of what is angular, a meridian of what is round: a ball is seen to turn, and cubes in a stack are told apart
function outline(g: Geom, geometry: THREE.BufferGeometry): THREE.BufferGeometry | null {
  if (g.shape === "sphere" || g.shape === "ellipsoid") {
    const [a, b, c] = g.shape === "sphere" ? [g.size[0], g.size[0], g.size[0]] : g.size, points: number[] = [];
    for (let i = 0; i < 48; i++) {
      for (const k of [i, i + 1]) {
        const angle = (k / 48) * 2 * Math.PI;
        points.push(1.003 * a * Math.cos(angle), 0 * b, 1.003 * c * Math.sin(angle));
      }
    }
    return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }
  return g.shape === "capsule" ? null : new THREE.EdgesGeometry(geometry, 40);
}

interface Group {
  mesh: THREE.InstancedMesh;
  lines: THREE.InstancedBufferGeometry | null;
  matrices: THREE.InstancedBufferAttribute | null;
  bodies: number[];
  local: THREE.Matrix4[];
}

const LINE_SHADER = {
  vertexShader: "attribute mat4 place;" +
    "void main() { gl_Position = projectionMatrix*modelViewMatrix*place*vec4(position, 1.0); }",
  fragmentShader: "uniform vec3 colour; uniform float alpha; void main() { gl_FragColor = vec4(colour, alpha); }",
};

export class Shapes {
  readonly group = new THREE.Group();
  private groups: Group[] = [];
  private lineMaterial = new THREE.ShaderMaterial({
    ...LINE_SHADER, transparent: true, uniforms: { colour: { value: new THREE.Color() }, alpha: { value: 0.35 } },
  });
  /** The corners of each body's shapes in its frame, eight of a box around each; those of the world come last. */
  readonly corners: THREE.Vector3[][];

  constructor(private space: Space) {
    const kinds = new Map<string, Geom[]>(), many = space.geoms.length > 300;
    this.corners = Array.from({ length: space.bodies.length + 1 }, () => []);
    for (const g of space.geoms) {
      if (g.shape === "plane" || g.body >= space.bodies.length) continue;
      const key = `${g.shape} ${g.size} ${g.mesh ?? ""}`;
      kinds.set(key, [...(kinds.get(key) ?? []), g]);
    }
    for (const list of kinds.values()) this.add(list, many);
  }

  private add(list: Geom[], many: boolean): void {
    const geometry = geometryOf(list[0], this.space.meshes, many);
    if (!geometry) return;
    const open = list[0].shape === "mesh";  // it may be, and is then seen from both sides
    const material = new THREE.MeshStandardMaterial({
      roughness: 0.7, metalness: 0, side: open ? THREE.DoubleSide : THREE.FrontSide, shadowSide: THREE.BackSide,
      polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });  // edges lie before faces
    const mesh = new THREE.InstancedMesh(geometry, material, list.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = true;
    const local = list.map((g) => new THREE.Matrix4().compose(
      new THREE.Vector3(g.position[0], g.position[1], g.position[2]),
      new THREE.Quaternion(g.rotation[1], g.rotation[2], g.rotation[3], g.rotation[0]), new THREE.Vector3(1, 1, 1)));
    this.group.add(mesh);
    const group: Group = { mesh, lines: null, matrices: null, bodies: list.map((g) => g.body), local };
    if (!many) this.addLines(group, outline(list[0], geometry));
    this.groups.push(group);
    geometry.computeBoundingBox();
    list.forEach((g, k) => this.note(g.body < 0 ? this.space.bodies.length : g.body, geometry.boundingBox!, local[k]));
  }

  private addLines(group: Group, edges: THREE.BufferGeometry | null): void {
    if (!edges) return;
    const lines = new THREE.InstancedBufferGeometry();
    lines.setAttribute("position", edges.getAttribute("position"));
    group.matrices = new THREE.InstancedBufferAttribute(new Float32Array(16 * group.bodies.length), 16);
    lines.setAttribute("place", group.matrices);
    lines.instanceCount = group.bodies.length;
    const object = new THREE.LineSegments(lines, this.lineMaterial);
    object.frustumCulled = false;
    this.group.add(object);
    group.lines = lines;
  }

  private note(body: number, box: THREE.Box3, local: THREE.Matrix4): void {
    for (let i = 0; i < 8; i++) {
      const { min, max } = box, at = new THREE.Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z);
      this.corners[body].push(at.applyMatrix4(local));
    }
  }

  paint(): void {
    const p = palette(), colour = new THREE.Color();
    for (const g of this.groups) {
      g.bodies.forEach((b, k) => g.mesh.setColorAt(k, colour.set(b < 0 ? p.named.grey : p.bodies[b % p.bodies.length])));
      if (g.mesh.instanceColor) g.mesh.instanceColor.needsUpdate = true;
    }
    this.lineMaterial.uniforms.colour.value.set(p.named.paper === "#ffffff" ? "#101824" : "#05080c");
  }

  /** The body that a ray meets first, and where. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    for (const g of this.groups) g.mesh.boundingSphere = null;  // they have moved
    for (const hit of ray.intersectObjects(this.groups.map((g) => g.mesh), false)) {
      const group = this.groups.find((g) => g.mesh === hit.object), body = group?.bodies[hit.instanceId ?? -1] ?? -1;
      return body < 0 ? null : { body, point: hit.point };
    }
    return null;
  }

  /** To the poses of the bodies. */
  place(poses: THREE.Matrix4[]): void {
    const m = new THREE.Matrix4();
    for (const g of this.groups) {
      g.bodies.forEach((b, k) => {
        if (b < 0) m.copy(g.local[k]);
        else m.multiplyMatrices(poses[b], g.local[k]);
        g.mesh.setMatrixAt(k, m);
        if (g.matrices) m.toArray(g.matrices.array, 16 * k);
      });
      g.mesh.instanceMatrix.needsUpdate = true;
      if (g.matrices) g.matrices.needsUpdate = true;
    }
  }
}
