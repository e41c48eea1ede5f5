import { passOver } from '../core/by-kind.js';
import type { ControlKind, LifeKind, PatternKind } from '../core/event-kinds.js';
import type { EffectId, RunEvent } from '../core/events.js';
import { isUnder, type LoadedEntry } from './loaded-entry.js';

/** A child that ended at a bound: where, under which budget it could go on, and which one it is. */
export interface BoundedChild {
  readonly place: number;
  readonly lift: number;
  readonly id: EffectId;
  readonly path: string | undefined;
}

/** Whether the code that got the outcome did anything with it before the budget changed. */
export function wentOn(entries: readonly LoadedEntry[], child: BoundedChild): boolean {
  const scope = scopeOf(child.id);
  const before = entries.slice(0, child.place);
  const asked = newestAsked(entries.slice(0, child.place + 1));
  return entries.slice(child.place + 1, child.lift).some(({ event }) => {
    if (event.type === 'cancel') return true;
    if (event.type === 'run-end') return event.outcome.stop !== 'bounded';
    if (event.type === 'spawn-end' && event.outcome.stop !== 'bounded' && isAbove(entries, event.id, scope))
      return true;
    const path = pathOf(event);
    if (path === undefined || (child.path !== undefined && isUnder(path, child.path))) return false;
    if (wasAsked(event, asked)) return false;
    const branch = branchBeside(scope, path);
    // a branch or child beside it that was at work already has nothing to do with it
    return branch === undefined || !before.some((entry) => isAtWork(signOf(entry.event), branch));
  });
}

/** Of each scope the number of the newest effect that shows in these entries: what the code asks for is numbered. */
function newestAsked(entries: readonly LoadedEntry[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { event } of entries) {
    if (!('id' in event) || typeof event.id !== 'string' || !event.id.includes('#')) continue;
    const scope = scopeOf(event.id);
    newest.set(scope, Math.max(newest.get(scope) ?? -1, numberOf(event.id)));
  }
  return newest;
}

/** More of an effect that had been asked for already: its end, another try, a question about it. */
function wasAsked(event: RunEvent, newest: ReadonlyMap<string, number>): boolean {
  if (!('id' in event) || typeof event.id !== 'string') return false;
  return numberOf(event.id) <= (newest.get(scopeOf(event.id)) ?? -1);
}

function numberOf(id: EffectId): number {
  return Number.parseInt(id.slice(id.indexOf('#') + 1), 10);
}

/** Whether what is at work in `path` shows that `branch` was asked for: it is under way, or its neighbors are. */
function isAtWork(path: string | undefined, branch: string): boolean {
  if (path === undefined) return false;
  // all branches of `all`, `first` and `some` are asked for at once; those of `each` as the code takes what there is
  const together = /^(.*\/(?:all|first|some)\.\d+)\.\d+$/.exec(branch)?.[1];
  return (
    isUnder(path, branch) || (together !== undefined && (isUnder(path, together) || path.startsWith(`${together}.`)))
  );
}

/** The scope that was at work when this was written. */
function signOf(event: RunEvent): string | undefined {
  const isTold = event.type === 'note' || event.type === 'scope-start' || event.type === 'scope-end';
  return isTold || event.type === 'best' ? event.path : pathOf(event);
}

/** The scope in which an entry shows the code at work. */
function pathOf(event: RunEvent): string | undefined {
  if ('id' in event && event.id.endsWith('!undo')) return undefined; // part of a rollback, which speaks for itself
  switch (event.type) {
    case 'spawn-start':
      return event.path; // what runs in a child has nothing to do with its neighbors
    case 'ask-start':
    case 'call-start':
    case 'intent':
    case 'wait-start':
    case 'sleep-start':
    case 'complete':
    case 'abort':
    case 'ask-end':
    case 'wait-end':
    case 'sleep-end':
    case 'post':
      return scopeOf(event.id);
    case 'spawn-end':
      return event.outcome.stop === 'bounded' ? undefined : scopeOf(event.id);
    case 'rollback-start':
    case 'rollback-end':
      return around(event.scope); // it was decided there that another branch won
    default:
      return passOver<LifeKind | ControlKind | PatternKind | 'doubt' | 'slice-change' | 'wait-close' | 'note' | 'pin'>(
        event,
      );
  }
}

/** The scope in which a branch was opened. */
export function around(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The child with this id holds the scope. */
function isAbove(entries: readonly LoadedEntry[], id: EffectId, scope: string): boolean {
  return entries.some(({ event }) => event.type === 'spawn-start' && event.id === id && isUnder(scope, event.path));
}

/** The branch or child beside `scope`, or in it, that holds `path`; undefined where `path` is `scope` or around it. */
function branchBeside(scope: string, path: string): string | undefined {
  const mine = scope.split('/');
  const theirs = path.split('/');
  let at = 0;
  while (at < mine.length && at < theirs.length && mine[at] === theirs[at]) at++;
  const name = theirs[at];
  // branches and children end in a number after a dot, and named scopes do not
  return name !== undefined && /\.\d+$/.test(name) ? theirs.slice(0, at + 1).join('/') : undefined;
}

export function scopeOf(id: EffectId): string {
  return id.slice(0, id.indexOf('#'));
}
