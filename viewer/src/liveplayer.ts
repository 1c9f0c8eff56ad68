// The present of a live simulation is its last row, unless it stands and someone looks back.
import type { Live } from "./live";
import { Player, SPEEDS } from "./player";

export class LivePlayer extends Player {
  private span: number;
  private seen = -Infinity;

  constructor(private live: Live) {
    super(live.run);
    this.speed = live.status.speed;
    this.span = 4 * Math.min(1, this.speed);
    live.listen(() => this.follow());
    this.follow();
  }

  private follow(): void {
    const playing = this.live.status.running && !this.live.gone;
    if (playing === this.playing && this.speed === this.live.status.speed) return;
    this.playing = playing;
    this.speed = this.live.status.speed;
    this.changed();
  }

  override grown(): void {
    const jumped = this.end < this.seen;
    if (this.playing || jumped || this.t >= this.seen) {
      this.t = this.end;
      super.setWindow(Math.max(this.start, this.end - this.span), this.end);
    }
    this.seen = this.end;
    super.grown();
  }

  /** While it runs, the window ends at the present whatever its width. */
  override setWindow(a: number, b: number): void {
    this.span = Math.max(1e-6, b - a);
    if (this.playing) super.setWindow(this.end - this.span, this.end);
    else super.setWindow(a, b);
  }

  override toggle(): void {
    this.live.send({ do: "run", on: !this.playing });
    if (!this.playing) this.t = this.end;
  }

  override pause(): void {
    if (this.playing) this.live.send({ do: "run", on: false });
    this.playing = false;
  }

  override step(by: number): void {
    if (by > 0 && this.t >= this.end) this.live.send({ do: "step", n: by });
    else super.step(by);
  }

  override reverse(): void {}

  override faster(by: number): void {
    const near = SPEEDS.reduce((best, s) => (Math.abs(Math.log(s / this.speed)) < Math.abs(Math.log(best / this.speed)) ? s : best));
    const i = Math.min(SPEEDS.length - 1, Math.max(0, SPEEDS.indexOf(near) + by));
    this.pace(SPEEDS[i]);
  }

  pace(speed: number): void {
    this.span *= Math.min(1, speed) / Math.min(1, this.speed);
    this.live.send({ do: "speed", speed });
  }

  reset(): void { this.live.send({ do: "reset" }); }
}
