import { starterIn } from '../core/other-runs.js';
import { possibleReferences } from '../core/references.js';
import type { Engine, RunRecord, RunStatus } from '../ports/engine.js';
import { everyRun } from './every-run.js';

/** Which runs are to go. A run goes only where all that is said here is true of it. */
export interface RetentionRule {
  /** Last changed before this time. */
  readonly before?: number;
  /** The oldest go until journals and contents of all runs together are no larger than this. */
  readonly maxBytes?: number;
  readonly statuses: readonly RunStatus[];
  readonly agent?: string;
  readonly tenant?: string;
  readonly subject?: string;
  /** Also runs that a run which has not ended has started and may still ask for: it is told that they were removed. */
  readonly evenAwaited?: true;
}

export interface RetentionPlan {
  /** In the order in which they can go: forks before what they were forked from. */
  readonly going: readonly PlannedRun[];
  /** Runs that fit the rule and stay all the same. */
  readonly staying: readonly Staying[];
  /** Of the journals and contents of all runs. */
  readonly bytes: number;
}

export interface Staying {
  readonly run: RunRecord;
  readonly because: 'held' | 'forked' | 'open' | 'awaited';
  /** For `awaited`: the run that started it, or a fork of that one, which can join whatever it inherited. */
  readonly by?: string;
}

/** Why it stays, for people. */
export function whyItStays({ because, by = '' }: Staying): string {
  if (because === 'held') return 'under a legal hold';
  if (because === 'open') return 'not ended: cancel it first';
  return because === 'forked' ? 'needed by a fork that stays' : `needed by run ${by}, which has not ended`;
}

export interface PlannedRun {
  readonly run: RunRecord;
  readonly bytes: number;
}

export const ENDED: readonly RunStatus[] = ['done', 'degraded', 'blocked', 'cancelled', 'failed'];
/** What may be removed, although it could go on. */
export const REMOVABLE: readonly RunStatus[] = [...ENDED, 'bounded', 'stalled'];

/** What would go. Decides nothing on the way: whoever carries it out is refused what has changed since. */
export async function planRetention(
  engine: Pick<Engine, 'list' | 'weigh'>,
  rule: RetentionRule,
): Promise<RetentionPlan> {
  const runs: RunRecord[] = [];
  for await (const run of everyRun(engine)) runs.push(run);
  const fitting = runs.filter((run) => fits(run, rule)).sort((a, b) => a.updatedAt - b.updatedAt);
  const mayGo = new Set(fitting.filter(({ hold }) => hold === undefined));
  // what stays is weighed last: contents that it shares with what goes stay with it
  const order = [...mayGo, ...runs.filter((run) => !mayGo.has(run))];
  const weights = await engine.weigh(
    order.map(({ id }) => id),
    possibleReferences,
  );
  const bytesOf = ({ id }: RunRecord): number => weights.get(id) ?? 0;
  const total = runs.reduce((sum, run) => sum + bytesOf(run), 0);
  const wanted = overSize(fitting, { rule, total, bytesOf });
  const needed = new Set<string>();
  const going: PlannedRun[] = [];
  const known = { needed, joiners: rule.evenAwaited === true ? new Map<string, string>() : joinersIn(runs) };
  const staying: Staying[] = [];
  for (const run of runs) {
    // newest first, and a fork is newer than what it was forked from: whether any of them stays is known by now
    const because = wanted.has(run.id) ? reasonToStay(run, known) : undefined;
    if (wanted.has(run.id) && because === undefined) going.push({ run, bytes: bytesOf(run) });
    else if (run.fork !== undefined) needed.add(idOf(run.tenant, run.fork.run));
    if (because !== undefined) staying.push({ run, ...because });
  }
  return { going, staying, bytes: total };
}

function fits(run: RunRecord, { before, statuses, agent, tenant, subject }: RetentionRule): boolean {
  return (
    statuses.includes(run.status) &&
    (before === undefined || run.updatedAt < before) &&
    (agent === undefined || run.agent === agent) &&
    (tenant === undefined || run.tenant === tenant) &&
    (subject === undefined || run.subject === subject)
  );
}

/** Of runs from the oldest on; with a limit on size only as many as it takes. */
function overSize(
  fitting: readonly RunRecord[],
  about: { readonly rule: RetentionRule; readonly total: number; readonly bytesOf: (run: RunRecord) => number },
): ReadonlySet<string> {
  const { rule, total, bytesOf } = about;
  if (rule.maxBytes === undefined) return new Set(fitting.map(({ id }) => id));
  const wanted = new Set<string>();
  let left = total;
  for (const run of fitting) {
    if (left <= rule.maxBytes) break;
    if (run.hold !== undefined) continue;
    wanted.add(run.id);
    left -= bytesOf(run);
  }
  return wanted;
}

function reasonToStay(
  run: RunRecord,
  { needed, joiners }: { readonly needed: ReadonlySet<string>; readonly joiners: ReadonlyMap<string, string> },
): Omit<Staying, 'run'> | undefined {
  if (run.hold !== undefined) return { because: 'held' };
  if (!REMOVABLE.includes(run.status)) return { because: 'open' };
  if (needed.has(idOf(run.tenant, run.id))) return { because: 'forked' };
  const starter = run.fork === undefined ? starterIn(run.source) : undefined;
  const by = starter === undefined ? undefined : joiners.get(idOf(run.tenant, starter));
  return by === undefined ? undefined : { because: 'awaited', by };
}

/**
 * For each run that may have started others: one that has not ended and may still join them. That is the run itself, or
 * else a fork of it, or a fork of a fork. A fork from before the start counts too: its journal is not read for this.
 */
function joinersIn(runs: readonly RunRecord[]): ReadonlyMap<string, string> {
  const parents = new Map(
    runs.flatMap(({ tenant, id, fork }) => (fork === undefined ? [] : [[idOf(tenant, id), idOf(tenant, fork.run)]])),
  );
  const open = runs.filter(({ status }) => !ENDED.includes(status));
  const joiners = new Map(open.map(({ tenant, id }) => [idOf(tenant, id), id]));
  for (const { tenant, id } of open)
    for (let at = parents.get(idOf(tenant, id)); at !== undefined && !joiners.has(at); at = parents.get(at))
      joiners.set(at, id);
  return joiners;
}

/** No run needs one of another tenant, whatever it says it was forked from or started by. */
function idOf(tenant: string, runId: string): string {
  return JSON.stringify([tenant, runId]);
}
