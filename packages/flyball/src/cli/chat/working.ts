import { duration } from '../amounts.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Says what the agent is doing while there is nothing to read. Only where somebody looks. */
export class Working {
  private readonly screen: Screen;
  private timer: ReturnType<typeof setInterval> | undefined;
  private doing = '';
  private since = 0;
  private frame = 0;

  constructor(screen: Screen) {
    this.screen = screen;
  }

  show(doing: string): void {
    if (!this.screen.live) return;
    this.doing = printable(doing);
    this.since = performance.now();
    this.timer ??= setInterval(() => this.draw(), FRAME_MS);
    this.draw();
  }

  hide(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.screen.status('');
  }

  private draw(): void {
    this.frame = (this.frame + 1) % FRAMES.length;
    const time = duration(Math.floor((performance.now() - this.since) / 100) * 100);
    this.screen.status(`${FRAMES[this.frame] ?? ''} ${this.doing} · ${time}`);
  }
}
