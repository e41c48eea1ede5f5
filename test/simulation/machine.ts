import { AsyncResource } from 'node:async_hooks';
import type { Clock, Engine, Runtime } from 'flyball';
import type { SeededRandom } from 'flyball/testing';
import type { Owner } from '../../packages/flyball/src/core/events.js';
import type { Host } from '../../packages/flyball/src/ports/host.js';
import { type End, Line } from './network.js';
import type { Timeline } from './timeline.js';

export interface MachineParts {
  readonly id: string;
  /** Its place: another process takes it when this one is killed. */
  readonly slot: number;
  readonly host: number;
  readonly version: string;
  readonly skewMs: number;
  readonly storage: Engine;
  readonly timeline: Timeline;
  readonly random: SeededRandom;
  readonly latencyMs: () => number;
  readonly loss: () => number;
  readonly passes: (machine: Machine, when: 'before' | 'after', runId: string | undefined) => void;
  readonly isDead: (owner: Owner) => boolean;
  readonly trace: (line: string) => void;
  readonly arrivedUnheard: (op: string, runId: string | undefined) => void;
  readonly goesAstray: () => void;
}

/** A process on a machine of its own: its clock, its line to the storage, and when it is dead or stands still. */
export class Machine implements End {
  readonly name: string;
  readonly slot: number;
  readonly version: string;
  readonly owner: Owner;
  readonly clock: Clock;
  readonly host: Host;
  readonly line: Line;
  state: 'up' | 'stopped' | 'leaving' | 'dead' = 'up';
  /** When it last stood still or was cut off. */
  awaySince = Number.NEGATIVE_INFINITY;
  private cutOff = false;
  private readonly parts: MachineParts;
  private runtime: Runtime | undefined;
  private offset: number;
  /** What came for it while it stood still. */
  private backlog: (() => void)[] = [];

  constructor(parts: MachineParts) {
    this.parts = parts;
    this.name = parts.id;
    this.slot = parts.slot;
    this.version = parts.version;
    this.offset = parts.skewMs;
    this.owner = { id: parts.id, host: `host-${parts.host}`, bootId: 'boot', pid: 1, startTime: parts.id };
    const { timeline, storage, random, latencyMs, trace, arrivedUnheard, goesAstray } = parts;
    const born = timeline.now;
    this.clock = {
      now: () => {
        timeline.use();
        return timeline.now + this.offset;
      },
      monotonic: () => {
        timeline.use();
        return timeline.now - born;
      },
      after: (ms, callback) => {
        const bound = AsyncResource.bind(callback);
        let isCancelled = false;
        const cancel = timeline.after(ms, () => this.enter(() => (isCancelled ? undefined : bound())));
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
    this.host = {
      owner: () => this.owner,
      isGone: (other) => other.host === this.owner.host && parts.isDead(other),
    };
    this.line = new Line({ inner: storage, end: this, timeline, random, latencyMs, trace, arrivedUnheard, goesAstray });
  }

  run(runtime: Runtime): void {
    this.runtime = runtime;
  }

  /** What people and operators reach it by. */
  get service(): Runtime {
    if (this.runtime === undefined) throw new Error(`${this.name} has no runtime.`);
    return this.runtime;
  }

  isDead(): boolean {
    return this.state === 'dead';
  }

  isCut(): boolean {
    return this.cutOff;
  }

  get isCutOff(): boolean {
    return this.cutOff;
  }

  set isCutOff(is: boolean) {
    if (this.cutOff && !is) this.awaySince = this.parts.timeline.now;
    this.cutOff = is;
  }

  loss(): number {
    return this.parts.loss();
  }

  passes(when: 'before' | 'after', runId: string | undefined): void {
    this.parts.passes(this, when, runId);
  }

  enter(callback: () => void): void {
    if (this.state === 'dead') return;
    this.parts.timeline.use();
    if (this.state === 'stopped') this.backlog.push(callback);
    else callback();
  }

  jump(ms: number): void {
    this.offset += ms;
  }

  setRight(): void {
    this.offset = 0;
  }

  stop(): void {
    if (this.state === 'up') this.state = 'stopped';
  }

  goOn(): void {
    if (this.state !== 'stopped') return;
    this.state = 'up';
    this.awaySince = this.parts.timeline.now;
    const waiting = this.backlog;
    this.backlog = [];
    for (const callback of waiting) callback();
  }

  kill(): void {
    if (this.state === 'dead') return;
    this.state = 'dead';
    this.backlog = [];
    this.line.die();
    this.runtime?.abandon();
  }

  /** Ends in peace, if it gets that far. */
  async leave(drainMs: number): Promise<void> {
    if (this.state !== 'up') return;
    this.state = 'leaving';
    await this.service.close({ drainMs }).catch(() => undefined);
    this.kill();
  }
}
