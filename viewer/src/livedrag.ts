// Dragging bodies with the mouse: the tool pulls them with a spring.
import type { Live } from "./live";

/** What the mouse has got hold of: a body of a scene, or a shape of a drawing and, if that has no frame, one of its points. */
export interface Hit {
  body?: number;
  shape?: number;
  corner?: number;
  local: number[];
}

/** Told of by the scene where the mouse is, in m. */
export interface Grabber {
  begin(hit: Hit, target: number[]): void;
  move(target: number[]): void;
  end(): void;
}

export class Dragging implements Grabber {
  private hit: Hit | null = null;
  private latest: number[] | null = null;
  private busy = false;

  constructor(private live: Live) {}

  begin(hit: Hit, target: number[]): void {
    this.hit = hit;
    this.move(target);
  }

  move(target: number[]): void {
    this.latest = target;
    void this.push();
  }

  end(): void {
    this.hit = null;
    this.latest = null;
    this.live.send({ do: "release" });
  }

  // One on its way; of several the last counts
  private async push(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    while (this.latest && this.hit) {
      const target = this.latest;
      this.latest = null;
      const error = await this.live.ask({ do: "drag", ...this.hit, target });
      if (error) {
        this.live.notice(error);
        this.hit = null;
      }
    }
    this.busy = false;
  }
}
