import { AXES } from '../../core/budget.js';
import type { EventOf } from '../../core/events.js';
import { auditLines, verifyAudit } from '../../views/audit.js';
import { summarise } from '../../views/summary.js';
import { timelineOf } from '../../views/timeline.js';
import { traceOf } from '../../views/trace.js';
import { withoutPrivate } from '../../views/without-private.js';
import { begunInSpite } from './held.js';
import type { Played } from './play.js';
import type { Scenario } from './scenario.js';

/** What must hold of every play, however it went: the journal, its views and the world outside tell one story. */
export function booksOf(scenario: Scenario, played: Played): readonly string[] {
  return [
    ...journalAgainstWorld(played),
    ...rollbackAgainstWorld(played),
    ...rollbackOrder(played),
    ...(played.pausedFrom === undefined ? [] : begunInSpite(played.entries, played.pausedFrom)),
    ...budgetOf(played),
    ...viewsOf(played),
    ...secretsIn(scenario, played),
    ...(scenario.never ?? [])
      .filter((name) => played.outside.acts.some(({ what }) => what === name))
      .map((name) => `${name} took place, which must never happen`),
    ...played.problems.map((problem) => `a problem was reported: ${problem}`),
  ];
}

/** Nothing takes place without an INTENT, twice, or after the journal said that it did not. */
function journalAgainstWorld({ entries, outside }: Played): string[] {
  const wrong: string[] = [];
  const intents = new Map<string, EventOf<'intent'>>();
  const ends = new Map<string, EventOf<'complete' | 'abort'>>();
  for (const { event, generation } of entries) {
    if (event.type === 'intent') intents.set(event.key, event);
    if (event.type === 'complete' || event.type === 'abort') ends.set(`${generation} ${event.id}`, event);
  }
  const times = new Map<string, number>();
  for (const { key } of outside.acts) times.set(key, (times.get(key) ?? 0) + 1);
  for (const { what, key } of outside.acts) {
    const intent = intents.get(key);
    if (intent === undefined) {
      wrong.push(`${what} took place without an INTENT`);
      continue;
    }
    if ((times.get(key) ?? 0) > 1 && intent.class !== 'idempotent')
      wrong.push(`${what} took place ${times.get(key)} times`);
    const generation = entries.findLast(({ event }) => event === intent)?.generation ?? 0;
    if (ends.get(`${generation} ${intent.id}`)?.type === 'abort')
      wrong.push(`${what} took place, and the journal says ABORT`);
  }
  return wrong;
}

/** A report says COMPENSATED of what was undone, and of nothing else. */
function rollbackAgainstWorld({ entries, outside, outcome }: Played): string[] {
  const wrong: string[] = [];
  const keys = new Map<string, EventOf<'intent'>>();
  for (const { event } of entries) if (event.type === 'intent' && event.of !== 'undo') keys.set(event.id, event);
  const acted = (key: string): boolean => outside.acts.some((act) => act.key === key);
  const undone = (key: string): boolean => outside.undone.some((act) => act.key.startsWith(key));
  const report = 'rollback' in outcome ? outcome.rollback : undefined;
  for (const { effect, status } of report?.entries ?? []) {
    const intent = keys.get(effect);
    if (intent === undefined || !acted(intent.key)) continue;
    if (status === 'COMPENSATED' && !undone(intent.key)) wrong.push(`${intent.name} is reported undone and was not`);
    if (status !== 'COMPENSATED' && undone(intent.key))
      wrong.push(`${intent.name} was undone and is reported ${status}`);
  }
  if (outcome.stop !== 'cancelled' && outcome.stop !== 'failed') return wrong;
  // a loser of `first` is rolled back by itself, before the run is
  const reports = [report, ...entries.map(({ event }) => (event.type === 'rollback-end' ? event.report : undefined))];
  const reported = new Set(reports.flatMap((one) => one?.entries ?? []).map(({ effect }) => effect));
  for (const [id, { key, name }] of keys)
    if (acted(key) && !undone(key) && !reported.has(id))
      wrong.push(`${name} took place and the report is silent about it`);
  return wrong;
}

/** A report, and what was undone for it, go from what the journal says was done last to what was done first. */
function rollbackOrder({ entries, outside }: Played): string[] {
  const ends = new Map<string, number>();
  const keys = new Map<string, string>();
  const nameOf = (generation: number, effect: string): string => `${generation} ${effect}`;
  entries.forEach(({ event, generation }, index) => {
    if (event.type === 'complete') ends.set(nameOf(generation, event.id), index);
    if (event.type === 'intent') keys.set(nameOf(generation, event.id), `${event.key}!undo`);
  });
  const undone = [...new Set(outside.undone.map(({ key }) => key))];
  const rises = (positions: readonly number[]): boolean =>
    positions.every((position, n) => n === 0 || position > (positions[n - 1] ?? 0));
  return entries.flatMap(({ event }) => {
    if (event.type !== 'rollback-end') return [];
    const told = event.report.entries.filter(({ status }) => status !== 'IN_DOUBT');
    const names = told.map(({ generation, effect }) => nameOf(generation, effect));
    const made = names.map((name) => undone.indexOf(keys.get(name) ?? '')).filter((position) => position !== -1);
    return [
      ...(rises(names.map((name) => -(ends.get(name) ?? 0)))
        ? []
        : [`a rollback is not newest first: ${names.join(', ')}`]),
      ...(rises(made) ? [] : [`what was undone was not undone in the order of the report: ${names.join(', ')}`]),
    ];
  });
}

/**
 * What an outcome says was spent is within the budget of the last word about it, or was spent before that word: a run
 * may be resumed with less than it has used already, and then uses nothing more.
 */
function budgetOf({ entries, outcome }: Played): string[] {
  if (!('usage' in outcome) || outcome.usage === undefined) return [];
  const { usage } = outcome;
  const last = entries.findLastIndex(({ event }) => 'budget' in event && event.budget !== undefined);
  const event = entries[last]?.event;
  const limits = event !== undefined && 'budget' in event ? event.budget : undefined;
  if (limits === undefined) return [];
  const before = event?.type === 'run-resume' ? summarise(entries.slice(0, last)).usage : undefined;
  return AXES.filter((axis) => {
    const most = Math.max(limits[axis], before?.[axis].spent ?? 0);
    return axis !== 'wallMs' && usage[axis] > most + 1e-9;
  }).map((axis) => `${axis}: ${usage[axis]} spent of ${limits[axis]}`);
}

const ENDED = new Set(['done', 'degraded', 'blocked', 'cancelled', 'failed']);

function viewsOf({ runId, entries, outcome, record }: Played): string[] {
  const wrong: string[] = [];
  if (entries.length === 0) return wrong;
  const summary = summarise(entries);
  if (ENDED.has(outcome.stop)) {
    if (summary.status !== outcome.stop)
      wrong.push(`the summary says ${summary.status} of a run that is ${outcome.stop}`);
    if (record?.status !== outcome.stop)
      wrong.push(`the record says ${record?.status} of a run that is ${outcome.stop}`);
    if (summary.waiting.length > 0) wrong.push(`an ended run waits for ${summary.waiting.map(({ name }) => name)}`);
  }
  const audit = verifyAudit(auditLines(runId, entries));
  if (!audit.ok) wrong.push(`the audit chain breaks at line ${audit.line}: ${audit.why}`);
  traceOf(runId, entries);
  timelineOf(entries);
  const backwards = entries.findIndex(({ at }, index) => at < (entries[index - 1]?.at ?? 0));
  if (backwards !== -1) wrong.push(`time goes backwards at entry ${backwards}`);
  return wrong;
}

function secretsIn({ secrets = [] }: Scenario, { runId, entries }: Played): string[] {
  if (secrets.length === 0) return [];
  const open = withoutPrivate(entries);
  const text = `${JSON.stringify(open)}${auditLines(runId, open).join('')}${JSON.stringify(traceOf(runId, open))}`;
  return secrets.filter((secret) => text.includes(secret)).map((secret) => `a view shows ${secret}`);
}
