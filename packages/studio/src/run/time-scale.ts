import type { Entry } from '../../../flyball/src/core/events.js';

/** A stretch in which nobody worked on the run. */
export interface Gap {
  readonly from: number;
  readonly to: number;
}

/** Shorter stretches are drawn as they are. */
const REST_MS = 2000;
/** What a rest takes of the axis, however long it was: part of the time that was worked. */
const REST_SHARE = 0.06;
const REST_LEAST_MS = 40;

/** Finds the rests: time that passed between two entries without being active time. */
export class RestFold {
  private readonly gaps: Gap[] = [];
  private last: Entry | undefined;
  private startedAt: number | undefined;

  apply(entry: Entry): void {
    this.startedAt ??= entry.at;
    if (this.last !== undefined) {
      const idle = entry.at - this.last.at - (entry.activeMs - this.last.activeMs);
      if (idle > REST_MS) this.gaps.push({ from: entry.at - idle, to: entry.at });
    }
    this.last = entry;
  }

  read(): { readonly from: number; readonly to: number; readonly rests: readonly Gap[] } {
    return { from: this.startedAt ?? 0, to: this.last?.at ?? 0, rests: [...this.gaps] };
  }
}

/** Where a time stands on the axis, from 0 to 1. Rests are shortened, so that a night's wait does not hide the work. */
export class TimeScale {
  readonly from: number;
  readonly to: number;
  readonly rests: readonly Gap[];
  private readonly restWidth: number;
  private readonly total: number;

  constructor(from: number, to: number, rests: readonly Gap[]) {
    this.from = from;
    this.to = Math.max(to, from + 1);
    this.rests = rests.filter((rest) => rest.from < this.to);
    const resting = this.rests.reduce((sum, rest) => sum + Math.min(rest.to, this.to) - rest.from, 0);
    const worked = this.to - this.from - resting;
    this.restWidth = Math.max(REST_LEAST_MS, worked * REST_SHARE);
    this.total = worked + this.rests.length * this.restWidth;
  }

  at(time: number): number {
    const until = Math.min(this.to, Math.max(this.from, time));
    let drawn = until - this.from;
    for (const rest of this.rests) {
      if (rest.from >= until) break;
      const end = Math.min(rest.to, this.to);
      const passed = (Math.min(until, end) - rest.from) / Math.max(1, end - rest.from);
      drawn -= Math.min(until, end) - rest.from;
      drawn += passed * this.restWidth;
    }
    return drawn / this.total;
  }

  /** Marks of the axis at even distances of worked time: rests are drawn, not counted. */
  ticks(count: number): readonly { readonly at: number; readonly workedMs: number }[] {
    const worked = this.total - this.rests.length * this.restWidth;
    const step = niceStep(worked / count);
    const ticks: { at: number; workedMs: number }[] = [];
    for (let workedMs = 0; workedMs <= worked; workedMs += step) {
      ticks.push({ at: (workedMs + this.restsBefore(workedMs) * this.restWidth) / this.total, workedMs });
    }
    return ticks;
  }

  /** How many rests lie before the moment at which this much was worked. */
  private restsBefore(workedMs: number): number {
    let rested = 0;
    let before = 0;
    for (const rest of this.rests) {
      if (rest.from - this.from - rested > workedMs) break;
      rested += rest.to - rest.from;
      before++;
    }
    return before;
  }
}

const MINUTE = 60_000;
/** Steps that people count in, above ten seconds. */
const STEPS = [10_000, 20_000, 30_000, ...[1, 2, 5, 10, 20, 30, 60, 120, 360, 720, 1440].map((n) => n * MINUTE)];

/** 1, 2 or 5 times a power of ten up to ten seconds, then half minutes, minutes and hours. */
export function niceStep(rough: number): number {
  const long = STEPS.at(-1) ?? MINUTE;
  if (rough > long) return Math.ceil(rough / long) * long;
  if (rough > 5000) return STEPS.find((step) => step >= rough) ?? long;
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const factor = [1, 2, 5, 10].find((step) => step * power >= rough) ?? 10;
  return factor * power;
}
