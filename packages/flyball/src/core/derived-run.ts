import type { Run } from './run.js';

/** Members of a run that give code a run of its own to work with, in a scope, a branch or a pattern. */
type Opens = Pick<Run, 'scope' | 'guarded' | 'dressed' | 'enter' | 'within' | 'all' | 'first' | 'each' | 'some'>;

/** What opens scopes in this run, and gives each the run that `derive` makes of its own. */
export function scopesOf(run: Run, derive: (inner: Run) => Run): Opens {
  const inside =
    <T>(branch: (inner: Run) => Promise<T>) =>
    (inner: Run): Promise<T> =>
      branch(derive(inner));
  return {
    scope: (name) => derive(run.scope(name)),
    guarded: (seams) => derive(run.guarded(seams)),
    dressed: (framing) => derive(run.dressed(framing)),
    enter: (mark, body) =>
      run.enter(mark, (entered) => body(Object.assign(derive(entered), { learned: entered.learned }))),
    within: (slice, body) => run.within(slice, inside(body)),
    all: (branches, width) => run.all(branches.map(inside), width),
    first: (branches) => run.first(branches.map(inside)),
    each: (branches, how) => run.each(branches.map(inside), how),
    some: (branches, how) => run.some(branches.map(inside), how),
  };
}

/**
 * The same run with some other members, here and in every scope, branch and pattern inside it. On top of the run and not
 * a copy of it: members of a run are read when they are needed, and some change (`signal`).
 */
export function derivedRun(run: Run, members: (inner: Run) => Partial<Run>): Run {
  const own = { ...scopesOf(run, (inner) => derivedRun(inner, members)), ...members(run) };
  return Object.create(run, Object.getOwnPropertyDescriptors(own)) as Run;
}
