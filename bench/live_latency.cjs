// How long it takes from a slider to the changed motion in `stickslip view`: a value is set, and the clock stops when the
// first row of the new model has come.  SS_TOOL=build/release/stickslip node bench/live_latency.cjs [repeats]
const { Tool } = require("../test/viewer/support/view.cjs");

const CASES = [["woodpecker", "mu", ["0.3", "0.31"]], ["ball", "g", ["9.81", "9.8"]],
               ["billiards", "geom.table.friction", ["0.1", "0.2"]], ["stack10", "geom.floor.friction", ["0.5", "0.6"]],
               ["humanoid", "option.gravity", ["0 0 -9.81", "0 0 -9.8"]]];

async function measure([model, path, values], repeats) {
  const tool = await Tool.start([model], "."), socket = await tool.connect(await tool.key()), times = [];
  await socket.until(() => socket.rows.length > 3, "rows");
  for (let i = 0; i < repeats; i++) {
    await new Promise((done) => setTimeout(done, 50));
    const models = socket.texts.filter((m) => m.model).length, start = process.hrtime.bigint();
    socket.send({ do: "set", path, value: values[i % 2] });
    await socket.until(() => socket.texts.filter((m) => m.model).length > models, "the new model");
    const rows = socket.rows.length;
    await socket.until(() => socket.rows.length > rows + 1, "its motion");  // the first row is where it was
    times.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  await tool.end();
  times.sort((a, b) => a - b);
  console.log(`${model.padEnd(12)} best ${times[0].toFixed(1)} ms, median ${times[repeats >> 1].toFixed(1)} ms`);
}

(async () => {
  for (const c of CASES) await measure(c, Number(process.argv[2] ?? 40));
  process.exit(0);
})();
