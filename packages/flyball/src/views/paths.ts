import type { EffectId, EventOf } from '../core/events.js';
import { loopOf } from '../core/private-marks.js';

/** An undo names the run and the generation of what it undoes: `run:0:/plan/2#3!undo`. */
const GENERATION = /^.*:(\d+):(?=[/#])/s;

/** The scope an effect was made in: `/plan/2#3!gate` was made in `/plan/2`. The root is the empty path. */
export function scopeOf(id: EffectId): string {
  const own = id.replace(GENERATION, '');
  const mark = own.lastIndexOf('#');
  return pathOf(mark < 0 ? own : own.slice(0, mark));
}

/** The effect a gate, a doubt or an undo belongs to: `/a#3!gate` and `run:0:/a#3!undo` to `/a#3`. */
export function baseOf(id: EffectId): EffectId {
  const own = id.replace(GENERATION, '');
  const mark = own.indexOf('!', own.lastIndexOf('#') + 1);
  return mark < 0 ? id : own.slice(0, mark);
}

/** Paths without a trailing slash, so that the root compares as a prefix of everything. */
export function pathOf(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

/** A path and all paths around it, innermost first, the root last. */
export function pathsAround(path: string): readonly string[] {
  const paths: string[] = [];
  for (let at = pathOf(path); at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) paths.push(at);
  return [...paths, ''];
}

/** `/a` is inside `/a` and the root, but not inside `/ab`. */
export function isInside(path: string, around: string): boolean {
  const outer = pathOf(around);
  return outer === '' || path === outer || path.startsWith(`${outer}/`);
}

/** The scope of a loop: the one its note names, else the one it was noted in. */
export function loopPathOf(note: EventOf<'note'>): string {
  return pathOf(loopOf(note));
}

/** The generation of what an undo undoes. */
export function generationOf(id: EffectId): number | undefined {
  const named = GENERATION.exec(id)?.[1];
  return named === undefined ? undefined : Number(named);
}
