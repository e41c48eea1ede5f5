import type { Entry, EventOf, Outcome } from 'flyball';
import { auditLines, verifyAudit } from 'flyball/views';
import { type Desk, eventsOf } from '../processes/desk.js';
import { ACTS } from '../programs/storm-agents.js';
import type { People } from './storm-people.js';
import type { StormRun } from './storm-run.js';

/** What became of a run, held against the ledger and against what people decided. Every sentence is a fault. */

interface Line {
  readonly key: string;
  readonly what: string;
  /** Its place in the ledger. */
  readonly n: number;
}

interface Case {
  readonly run: StormRun;
  readonly entries: readonly Entry[];
  readonly outcome: Outcome<unknown>;
  readonly did: readonly Line[];
  readonly undone: readonly Line[];
}

const UNDO = '!undo';

export async function faultsOf(desk: Desk, people: People): Promise<readonly string[]> {
  const lines = (await desk.ledger.effects()).map(({ key, what }, n) => ({ key, what: String(what), n }));
  const faults = [...people.problems, ...repeated(lines.map(({ key }) => key)).map((key) => `doubled: ${key}`)];
  for (const run of people.runs) {
    const entries = await desk.runtime.entries(run.id);
    const end = entries.at(-1)?.event;
    if (end?.type !== 'run-end') {
      faults.push(`${run.id} did not end`);
      continue;
    }
    const own = lines.filter(({ key }) => key.startsWith(`${run.id}:`));
    const undone = own.filter(({ key }) => key.endsWith(UNDO));
    const did = own.filter((line) => !undone.includes(line));
    const found = { run, entries, outcome: end.outcome, did, undone };
    const parents = run.fork === undefined ? [] : await desk.runtime.entries(run.fork.of.id);
    const wrong = [...inJournal(found), ...decisions(found, people), ...inWorld(found), ...ending(found, parents)];
    faults.push(...wrong.map((what) => `${run.id} (${end.outcome.stop}): ${what}`));
  }
  return faults;
}

function inJournal({ run, entries, outcome, did }: Case): readonly string[] {
  const faults: string[] = [];
  const audit = verifyAudit(auditLines(run.id, entries));
  if (!audit.ok) faults.push(`audit: ${audit.why}`);
  entries.forEach(({ generation, seq }, n) => {
    const before = entries[n - 1];
    const next = before === undefined || before.generation !== generation ? 0 : before.seq + 1;
    if (seq !== next) faults.push(`entry ${generation}/${seq} where ${next} belongs`);
  });
  if (eventsOf(entries, 'redirect').length > run.redirects && run.fork === undefined) faults.push('told twice');
  const budgets = [
    ...entries.flatMap(({ event }) => (event.type === 'run-start' ? [event.budget] : [])),
    ...eventsOf(entries, 'run-resume').flatMap(({ budget }) => (budget === undefined ? [] : [budget])),
  ];
  const limits = budgets.at(-1);
  for (const axis of ['toolCalls', 'modelCalls', 'tokensOut', 'costUsd'] as const) {
    const spent = Math.max(outcome.usage?.[axis] ?? 0, axis === 'toolCalls' ? did.length : 0);
    if (limits !== undefined && spent > limits[axis]) faults.push(`spent ${spent} of ${limits[axis]} ${axis}`);
  }
  return faults;
}

/** Of every wait at most one answer is in the journal, and it is the one that was accepted. */
function decisions({ entries, outcome }: Case, { answers: { decided } }: People): readonly string[] {
  const faults: string[] = [];
  const tokens = new Map<string, string>();
  for (const { generation, event } of entries)
    if (event.type === 'wait-start') tokens.set(`${generation}:${event.id}`, event.token);
  const ends = entries.flatMap(({ generation, event }) =>
    event.type === 'wait-end' ? [{ token: tokens.get(`${generation}:${event.id}`) ?? '', event }] : [],
  );
  faults.push(...repeated(ends.map(({ token }) => token)).map((token) => `${token} was answered twice`));
  for (const token of new Set(tokens.values())) {
    const verdict = decided.get(token);
    const payload = ends.find((end) => end.token === token)?.event.payload as { verdict?: string } | undefined;
    if (payload?.verdict !== undefined && payload.verdict !== verdict) faults.push(`${token} heard ${payload.verdict}`);
    if (verdict !== undefined && payload === undefined && outcome.stop === 'done') faults.push(`${token} heard nobody`);
  }
  return faults;
}

/** Effects, what undid them, and what is said about both. */
function inWorld({ run, entries, outcome, did, undone }: Case): readonly string[] {
  const faults: string[] = repeated(did.map(({ what }) => what)).map((what) => `doubled: ${what}`);
  const intents = new Map<string, { readonly at: string; readonly intent: EventOf<'intent'> }>();
  for (const { generation, event } of entries)
    if (event.type === 'intent') intents.set(event.key, { at: `${generation}:${event.id}`, intent: event });
  for (const { key, what, n } of did) {
    if (!intents.has(key)) faults.push(`acted without INTENT: ${what}`);
    if (run.cancelledDeadAt !== undefined && n >= run.cancelledDeadAt)
      faults.push(`acted after it was cancelled: ${what}`);
    const undo = undone.find((line) => line.key === `${key}${UNDO}`);
    if (undo !== undefined && undo.n < n) faults.push(`acted after it was undone: ${what}`);
  }
  const acted = new Map(did.map((line) => [line.key, line]));
  for (const { key, what } of undone)
    if (!acted.has(key.slice(0, -UNDO.length))) faults.push(`undid what never was: ${what}`);
  const isUndone = (key: string) => undone.some((line) => line.key === `${key}${UNDO}`);
  const report = 'rollback' in outcome ? (outcome.rollback?.entries ?? []) : [];
  const said = new Map(report.map(({ generation, effect, status }) => [`${generation}:${effect}`, status]));
  const isUndoing = outcome.stop === 'failed' || outcome.stop === 'cancelled';
  for (const [key, { at, intent }] of intents) {
    if (intent.of === 'undo') continue;
    const status = said.get(at);
    if (status === 'COMPENSATED' && !isUndone(key)) faults.push(`said to be undone, and is not: ${key}`);
    if (isUndoing && acted.has(key) && !isUndone(key) && (status === undefined || status === 'COMPENSATED'))
      faults.push(`happened, not undone, not reported: ${key}`);
  }
  return faults;
}

/** It ended as it had to, and a run that is done did all there was to do. */
function ending(found: Case, parents: readonly Entry[]): readonly string[] {
  const { run, entries, outcome, did, undone } = found;
  const isCancelled = eventsOf(entries, 'cancel').length > 0;
  if (outcome.stop === 'cancelled') return isCancelled ? [] : ['nobody cancelled it'];
  if (run.fork?.live === false && did.length + undone.length > 0) return ['a simulated fork acted'];
  if (outcome.stop === 'failed')
    return run.fails && outcome.because.includes('planned failure') ? [] : [`failed: ${outcome.because}`];
  if (outcome.stop !== 'done' || run.fails) return ['this is no way to end'];
  if (undone.length > 0) return ['undone though it is done'];
  if (run.fork?.live === false) return [];
  const expected = expectedOf(found, parents);
  const done = new Set(did.map(({ what }) => what));
  return [
    ...[...expected].filter((what) => !done.has(what)).map((what) => `lost: ${what} (${saidOf(what, entries)})`),
    ...[...done].filter((what) => !expected.has(what)).map((what) => `nobody wanted: ${what}`),
  ];
}

function expectedOf({ run, entries }: Case, parents: readonly Entry[]): ReadonlySet<string> {
  const first = run.fork?.generation ?? 0;
  const expected = new Set<string>();
  for (let round = first + 1; round <= run.rounds; round++) for (const act of ACTS) expected.add(`${act} ${round}`);
  const inherited = parents.filter(({ generation, seq }) => generation === first && seq <= (run.fork?.at ?? -1));
  for (const what of completedActs(inherited)) expected.delete(what);
  const waits = rejectedWaits([...entries, ...inherited]);
  if (waits.some(({ id }) => id.endsWith('!live'))) return new Set();
  for (const { generation, id } of waits)
    if (id.includes('!gate')) expected.delete(`pay ${(run.fork !== undefined ? first : 0) + generation + 1}`);
  // a no that its parent heard at any time before the fork was made stands in the fork too
  const refused = new Set(eventsOf(entries, 'abort').flatMap((end) => (isRejected(end) ? [whatOf(end.input)] : [])));
  for (const { generation, id } of rejectedWaits(parents))
    if (id.includes('!gate') && refused.has(`pay ${generation + 1}`)) expected.delete(`pay ${generation + 1}`);
  return expected;
}

function rejectedWaits(entries: readonly Entry[]): readonly { readonly generation: number; readonly id: string }[] {
  return entries.flatMap(({ generation, event }) =>
    event.type === 'wait-end' && (event.payload as { verdict?: string } | null)?.verdict === 'reject'
      ? [{ generation, id: event.id }]
      : [],
  );
}

function isRejected({ failure }: EventOf<'abort'>): boolean {
  return failure.code === 'APPROVAL_REJECTED';
}

function whatOf(input: unknown): string | undefined {
  return (input as { readonly what?: string } | undefined)?.what;
}

/** What took place in this part of a journal. What only a bound stopped is made after all, once there is more. */
function completedActs(entries: readonly Entry[]): readonly string[] {
  const whats = new Map(eventsOf(entries, 'intent').map(({ id, input }) => [id, whatOf(input)]));
  return eventsOf(entries, 'complete').flatMap(({ id, how }) => (how === 'unknown' ? [] : (whats.get(id) ?? [])));
}

/** What the journal says became of an act. */
function saidOf(what: string, entries: readonly Entry[]): string {
  const ids = new Set<string>();
  const said = entries.flatMap(({ event }) => {
    if (event.type === 'intent' && whatOf(event.input) === what) ids.add(event.id);
    if (event.type === 'complete' && ids.has(event.id)) return [event.failure?.message ?? event.how ?? 'complete'];
    return event.type === 'abort' && ids.has(event.id) ? [event.failure.message] : [];
  });
  return said.length > 0 ? said.join('; ') : ids.size > 0 ? 'INTENT without an end' : 'never intended';
}

function repeated(values: readonly string[]): readonly string[] {
  return values.filter((value, n) => values.indexOf(value) !== n);
}
