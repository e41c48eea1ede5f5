import type { Entry } from '../core/events.js';
import { EffectFold } from '../views/effects.js';
import { TimelineFold } from '../views/timeline.js';
import { UsageFold } from '../views/usage.js';
import { amountText, duration } from './amounts.js';
import { Discretion } from './discretion.js';
import { printable } from './printable.js';
import type { Screen } from './screen.js';
import { timelineText } from './timeline-lines.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

/** Tells a run while it goes on: a line for each thing that happened, and what happens now in the status line. */
export class Progress {
  private readonly screen: Screen;
  private readonly runId: string;
  private readonly timeline = new TimelineFold();
  private readonly effects = new EffectFold();
  private readonly usage = new UsageFold();
  private readonly discretion = new Discretion();
  private readonly since = performance.now();
  private timer: ReturnType<typeof setInterval> | undefined;
  private frame = 0;

  constructor(screen: Screen, runId: string) {
    this.screen = screen;
    this.runId = runId;
    if (screen.live) this.timer = setInterval(() => this.draw(), FRAME_MS);
  }

  /** What happened before this process came: counts, but is not told again. */
  known(entry: Entry): void {
    this.timeline.apply(this.discretion.shown(entry));
    this.effects.apply(entry);
    this.usage.apply(entry);
  }

  happened(entry: Entry): void {
    this.effects.apply(entry);
    this.usage.apply(entry);
    const shown = this.discretion.shown(entry);
    const { generation, seq, at, activeMs, event } = shown;
    this.screen.data({ kind: 'entry', run: this.runId, generation, seq, at, activeMs, event });
    const line = this.timeline.apply(shown);
    // a question is told with its answer; until then it is what the status line shows
    if (line !== undefined && entry.event.type !== 'ask-start') this.screen.line(timelineText(line, this.screen));
    this.draw();
  }

  stop(): void {
    clearInterval(this.timer);
    this.screen.status('');
  }

  private draw(): void {
    if (!this.screen.live) return;
    this.frame = (this.frame + 1) % FRAMES.length;
    const parts = [printable(this.doing()), ...this.spending(), duration(performance.now() - this.since)];
    this.screen.status(`${FRAMES[this.frame] ?? ''} ${parts.join(' · ')}`);
  }

  private doing(): string {
    const now = this.effects.open().findLast(({ verb }) => verb !== 'spawn');
    switch (now?.verb) {
      case 'ask':
        return `asking ${now.name}`;
      case 'undo':
        return `undoing ${now.name}`;
      case 'wait':
        return `waiting for ${now.name}`;
      case 'sleep':
        return 'sleeping';
      case 'call':
      case 'step':
        return now.name;
      default:
        return 'running';
    }
  }

  private spending(): readonly string[] {
    const { spent, limits } = this.usage;
    if (limits === undefined) return [];
    return (['modelCalls', 'costUsd'] as const)
      .filter((axis) => spent[axis] > 0)
      .map((axis) => {
        const noun = axis === 'modelCalls' ? ' model calls' : '';
        return `${amountText(axis, spent[axis])} of ${amountText(axis, limits[axis])}${noun}`;
      });
  }
}
