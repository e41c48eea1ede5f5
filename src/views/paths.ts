import type { EffectId, EventOf } from '../core/events.js';

/** An undo names the generation of what it undoes, because that may be an earlier one: `0:/plan/2#3!undo`. */
const GENERATION = /^\d+:/;

/** The scope an effect was made in: `/plan/2#3!gate` was made in `/plan/2`. The root is the empty path. */
export function scopeOf(id: EffectId): string {
  const mark = id.lastIndexOf('#');
  return pathOf((mark < 0 ? id : id.slice(0, mark)).replace(GENERATION, ''));
}

/** The effect a gate, a doubt or an undo belongs to: `/a#3!gate` and `0:/a#3!undo` to `/a#3`. */
export function baseOf(id: EffectId): EffectId {
  const mark = id.indexOf('!', id.lastIndexOf('#') + 1);
  return mark < 0 ? id : id.slice(0, mark).replace(GENERATION, '');
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
export function loopPathOf({ path, event }: EventOf<'note'>): string {
  const loop = event['loop'];
  return pathOf(typeof loop === 'string' ? loop : path);
}
