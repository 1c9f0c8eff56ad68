# Models of the tests of `stickslip view`, into the present folder.
cat >model.yaml <<'YAML'
name: model
parameters: {a: 2, m: 1, g: 9.81}
coordinates: {x: m, y: m}
kinetic: m/2*(x'^2 + y'^2)
potential: m*g*y - m*a*x
contacts: {floor: {gap: y, slide: x'}}
run: {dt: 0.001}
draw:
  ball: {circle: [x, y, 0.1], fill: blue}
  ground: {ground: [[-1, 0], [9, 0]]}
YAML
cat >free.xml <<'XML'
<mujoco model="free"><option timestep="0.002" gravity="0 0 0"/><worldbody><body name="ball"><freejoint/>
<geom type="sphere" size="0.1"/></body></worldbody></mujoco>
XML
