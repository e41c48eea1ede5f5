import type { Entry, Outcome, RunRecord } from 'flyball';
import { isRunDamage } from '../../packages/flyball/src/core/engine-errors.js';
import { sourceOf } from '../../packages/flyball/src/core/other-runs.js';
import { readAll } from '../../packages/flyball/src/runtime/load.js';
import type { Case } from '../crash/case.js';
import { hasGivenAllAway, isItsOwnEnd } from '../crash/examine.js';
import { detailOf, type End, endName, person } from '../crash/journey.js';
import { brokenRules, eventsOf } from '../crash/rules.js';
import type { Plan } from './plan.js';
import type { Simulation } from './simulation.js';

/** What a child is given of the time, in generated programs. */
const CHILD_MS = 20_000;

/** Looks at everything once more when it is over: each run against its journal and against what really happened. */
export async function judge(simulation: Simulation): Promise<readonly string[]> {
  const stops: string[] = [];
  await checkStarted(simulation);
  for (const [n, given] of simulation.plan.cases.entries()) {
    const runId = `run-${n}`;
    const record = await simulation.storage.get(runId);
    if (record === undefined) continue;
    const { damage } = simulation.truth.of(runId) ?? {};
    if (damage !== undefined) {
      for (const { rule, detail } of simulation.world(runId).violations) simulation.blame(rule, `${runId} ${detail}`);
      stops.push(`${record.status} (damaged)`);
      await checkDamaged(simulation, record, damage.where);
      continue;
    }
    const entries = await readAll(simulation.storage, record);
    if (simulation.isTraced)
      for (const { generation, seq, at, event } of entries)
        simulation.trace(`${runId} ${generation}:${seq} ${at % 1e8} ${JSON.stringify(event).slice(0, 400)}`);
    for (const { rule, detail } of simulation.world(runId).violations) simulation.blame(rule, `${runId} ${detail}`);
    stops.push(record.status);
    if (!simulation.isFinal(runId)) continue; // it was told why
    const isPoisoned = simulation.plan.isPoisoned && n === 0;
    if (simulation.truth.of(runId)?.isOther === true) continue; // it did what other code does
    if (!isPoisoned) checkEnd(simulation, { runId, given, entries });
    if (isPoisoned && record.status !== 'stalled' && !simulation.cancelled.has(runId))
      simulation.blame('poison:lives', `${runId} is ${record.status}`);
    const eras = simulation.truth.of(runId)?.eras ?? [];
    const journey = { runId, person: person(), later: [], eras: [...eras], hasPlenty: false, begin: unused };
    const world = simulation.world(runId);
    for (const { rule, detail } of brokenRules({
      given,
      runId,
      entries,
      inherited: [],
      world,
      journey,
      stop: record.status,
    }))
      if (!isExcused(simulation.plan, rule)) simulation.blame(rule, `${runId} ${detail}`);
    if (record.owner !== undefined) simulation.blame('finished:held', `${runId} is held by ${record.owner.id}`);
  }
  return stops;
}

/** Whoever reads what was damaged is told so, and which run it is; so is whoever finds the run set aside. */
async function checkDamaged(simulation: Simulation, record: RunRecord, where: 'entry' | 'record'): Promise<void> {
  const { id: runId, status, code, attention = '' } = record;
  const isAside = status === 'stalled' && code === 'JOURNAL_CORRUPT';
  if (isAside && !attention.includes(`of run ${runId} is damaged`))
    simulation.blame('damage:untold', `${runId} is set aside and says "${attention}"`);
  if (where === 'record') {
    if (!isAside) simulation.blame('damage:unseen', `${runId} is shown as ${status}`);
    return;
  }
  const isRefused = await readAll(simulation.storage, record).then(() => false, isRunDamage);
  if (!isRefused) simulation.blame('damage:unseen', `the journal of ${runId} is read as if nothing had happened to it`);
}

/** What runs did that other runs started: at most once, and where they say that they are done, not less. */
async function checkStarted(simulation: Simulation): Promise<void> {
  for (const { runId, starter } of simulation.truth.runs.values()) {
    if (starter === undefined) continue;
    const record = await simulation.storage.get(runId);
    if (record === undefined) continue;
    const { status, owner, source } = record;
    if (owner !== undefined) simulation.blame('finished:held', `${runId} is held by ${owner.id}`);
    if (source !== sourceOf(starter))
      simulation.blame('start:source', `${runId} of ${starter} is said to be of ${source}`);
    const { deeds } = simulation.world(runId);
    const made = deeds.filter(({ what, key }) => what === 'made' && key.startsWith(`${runId}:`)).length;
    if (made > 1 || (made === 0 && status === 'done'))
      simulation.blame('start:acted', `${runId} is ${status} and has acted ${made} times`);
    if (!simulation.isTraced) continue;
    for (const { seq, event } of await readAll(simulation.storage, record))
      simulation.trace(`${runId} ${seq} ${JSON.stringify(event).slice(0, 400)}`);
  }
}

function unused(): never {
  throw new Error('Nobody begins a run here.');
}

/** A date that was set is as far off as somebody set it. */
function isExcused(plan: Plan, rule: string): boolean {
  return rule === 'now:stale' && hasWrongClocks(plan);
}

export function hasWrongClocks({ skews, faults }: Plan): boolean {
  return skews.some((ms) => ms !== 0) || faults.some(({ kind }) => kind === 'jump' || kind === 'set-back');
}

function checkEnd(
  simulation: Simulation,
  { runId, given, entries }: { readonly runId: string; readonly given: Case; readonly entries: readonly Entry[] },
): void {
  const outcome = eventsOf(entries, 'run-end').at(-1)?.outcome as Outcome<unknown> | undefined;
  if (outcome === undefined || outcome.stop === 'suspended') return simulation.blame('end:none', runId);
  const end: End = outcome;
  if (isItsOwnEnd(given, end) || (end.stop === 'done' && end.value === 'version 2')) return;
  if (end.stop === 'cancelled' && simulation.cancelled.has(runId)) return;
  if (end.stop === 'bounded') {
    if (end.bound === 'deadline' && hasWrongClocks(simulation.plan)) return;
    // a process that stands still is at work, and so is a dead one until its next sign of life was due
    if (end.bound === 'wallMs' && end.limit === CHILD_MS && simulation.plan.faults.length > 0) return;
    if (!given.enlarges && end.bound !== 'wallMs' && end.bound !== 'deadline') return;
    if (hasGivenAllAway(entries, end)) return;
  }
  simulation.blame(`end:${endName(end)}`, `${runId} ${detailOf(end)}`);
}
