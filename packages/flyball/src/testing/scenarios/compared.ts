import type { EffectId, Entry } from '../../core/events.js';
import type { RollbackEntry, RollbackReport } from '../../core/outcome.js';
import type { Played, Way } from './play.js';
import type { Scenario } from './scenario.js';

/** What came out otherwise than in the straight play and must not. */
export function compared(scenario: Scenario, way: Way, straight: Played, played: Played): string[] {
  const same = shown(scenario, played) === shown(scenario, straight);
  if (way.resumeWith !== undefined) return isSound(played) ? [] : [`it ended ${shown(scenario, played)}`];
  if (way.name.includes('cancelled'))
    return same || played.outcome.stop === 'cancelled' ? [] : [`it ended ${shown(scenario, played)}`];
  if (way.name.includes('redirected') && scenario.heedsInstructions === true)
    return isSound(played) ? [] : [`it ended ${shown(scenario, played)}`];
  return [
    ...(same ? [] : [`it ended ${shown(scenario, played)} instead of ${shown(scenario, straight)}`]),
    ...sameNames(straight.outside.names(), played.outside.names()),
  ];
}

export function comparedFork(scenario: Scenario, way: Way, straight: Played, played: Played): string[] {
  if (way.fork?.live !== true) {
    const acted = played.outside.names();
    return [
      ...(acted.length === 0 ? [] : [`a simulated fork did ${acted.join(', ')}`]),
      ...(isSound(played) ? [] : [`it ended ${shown(scenario, played)}`]),
    ];
  }
  const asked = played.asked.filter((name) => name.endsWith('live-fork')).length;
  const askedOnce = asked <= 1 ? [] : [`its live fork was approved ${asked} times`];
  const races = scenario.racesTime === true && findsDue(straight, way.fork, played);
  const mayWait = races && played.outcome.stop === 'stuck';
  // a fork before the redirection is not redirected
  const maySay = way.name.includes('redirected') && scenario.heedsInstructions === true;
  if (way.fork.budget !== undefined || scenario.changesInForks === true || races || maySay)
    return [...askedOnce, ...(isSound(played) || mayWait ? [] : [`it ended ${shown(scenario, played)}`])];
  const inherited = inheritedActs(straight, way.fork);
  return [
    ...askedOnce,
    // what the parent did is the parent's to undo
    ...(shown(scenario, played, 'rollback') === shown(scenario, straight, 'rollback')
      ? []
      : [`it ended ${shown(scenario, played)} instead of ${shown(scenario, straight)}`]),
    ...sameNames(straight.outside.names(), [...inherited, ...played.outside.names()].sort()),
  ];
}

interface ForkPoint {
  readonly at: number;
  readonly generation?: number;
}

function inheritedBy({ at, generation: of = 0 }: ForkPoint): (entry: Entry) => boolean {
  return ({ generation, seq }) => generation < of || (generation === of && seq <= at);
}

/** A sleep, or the deadline of a child, was under way at the fork point and is over when the fork begins. */
function findsDue(straight: Played, point: ForkPoint, fork: Played): boolean {
  const begins = fork.entries[0]?.at ?? 0;
  const due = new Map<EffectId, number>();
  const bounded = new Set<EffectId>();
  for (const { event } of straight.entries.filter(inheritedBy(point))) {
    const id = 'id' in event ? event.id : undefined;
    // a child that was bounded goes on in a fork, unless its parent did something after that
    for (const child of bounded)
      if (id !== undefined && scopeOf(id) === scopeOf(child)) {
        due.delete(child);
        bounded.delete(child);
      }
    if (event.type === 'sleep-start') due.set(event.id, event.due);
    if (event.type === 'sleep-end') due.delete(event.id);
    if (event.type === 'spawn-start' && event.slice.deadline !== undefined) due.set(event.id, event.slice.deadline);
    if (event.type !== 'spawn-end') continue;
    if (event.outcome.stop === 'bounded') bounded.add(event.id);
    else due.delete(event.id);
  }
  return [...due.values()].some((time) => time <= begins);
}

function scopeOf(id: EffectId): string {
  return id.slice(0, id.indexOf('#'));
}

/** What the parent had done up to the fork point. */
function inheritedActs(straight: Played, point: ForkPoint): readonly string[] {
  const keys = new Set(
    straight.entries.filter(inheritedBy(point)).flatMap(({ event }) => (event.type === 'intent' ? [event.key] : [])),
  );
  const made = new Map(
    straight.outside.acts.filter(({ key }) => keys.has(key)).map(({ what, key }) => [`${what} ${key}`, what]),
  );
  return [...made.values()];
}

function sameNames(wanted: readonly string[], got: readonly string[]): string[] {
  return wanted.join() === got.join() ? [] : [`it did [${got.join(', ')}] instead of [${wanted.join(', ')}]`];
}

/** It came to an end that a run can come to: not thrown, not stuck, not at odds with its own journal. */
export function isSound({ outcome }: Played): boolean {
  if (outcome.stop === 'threw' || outcome.stop === 'stuck') return false;
  return outcome.stop !== 'failed' || !BROKEN.has(outcome.failure.code);
}
const BROKEN = new Set(['FOREIGN_AWAIT', 'REPLAY_DIVERGED', 'JOURNAL_CORRUPT', 'CONTINUE_REFUSED']);

/** How it ended, without what differs from play to play. */
function shown({ compare = (value) => value }: Scenario, { outcome }: Played, ...without: readonly string[]): string {
  const left = new Set(['usage', 'acts', ...without]);
  const kept = Object.entries(outcome).filter(([name]) => !left.has(name));
  const same = (name: string, value: unknown): unknown => {
    if (name === 'value') return compare(value);
    if (name === 'rollback')
      return { ...(value as RollbackReport), entries: byBranch((value as RollbackReport).entries) };
    return value;
  };
  return JSON.stringify(Object.fromEntries(kept.map(([name, value]) => [name, same(name, value)])));
}

/**
 * Branches run side by side, and a crash may let another one act first. So the order within a branch has to be the
 * same in every play; that the whole report goes from the newest to the oldest is held against the play's own journal.
 */
function byBranch(entries: readonly RollbackEntry[]): readonly RollbackEntry[] {
  const branchOf = ({ generation, effect }: RollbackEntry): string =>
    `${generation}:${/^.*\/(all|first)\.\d+\.\d+/.exec(effect)?.[0] ?? ''}`;
  const branches = [...new Set(entries.map(branchOf))].sort();
  return branches.flatMap((branch) => entries.filter((entry) => branchOf(entry) === branch));
}
