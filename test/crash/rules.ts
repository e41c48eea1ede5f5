import type { Entry, EventOf, EventType, RunEvent } from 'flyball';
import { auditLines, verifyAudit, withoutPrivate } from 'flyball/views';
import type { RollbackReport } from '../../packages/flyball/src/core/outcome.js';
import { alerts } from './alerts.js';
import type { Case } from './case.js';
import { deadlines } from './deadlines.js';
import type { Journey } from './journey.js';
import { losers } from './losers.js';
import { holds, type Program } from './program.js';
import { isNewestFirst, undonePositions } from './rollback-order.js';
import { callsOf, type Violation, type World } from './world.js';

/** One run as the rules look at it, whether it was started or forked. */
export interface Seen {
  readonly given: Case;
  readonly runId: string;
  readonly entries: readonly Entry[];
  readonly inherited: readonly Entry[];
  readonly world: World;
  readonly journey: Journey;
  readonly stop: string;
}

type Rule = (seen: Seen) => readonly Violation[];

export function eventsOf<T extends EventType>(entries: readonly Entry[], type: T): readonly EventOf<T>[] {
  return entries.flatMap(({ event }) => (event.type === type ? [event as EventOf<T>] : []));
}

const keyed = (generation: number, id: string): string => `${generation}:${id}`;

interface Ended {
  readonly intent: EventOf<'intent'>;
  readonly end: EventOf<'complete' | 'abort'> | undefined;
}

/** Every act of the run, with how it ended. */
function actsOf(entries: readonly Entry[]): readonly Ended[] {
  const acts = new Map<string, { intent: EventOf<'intent'>; end: EventOf<'complete' | 'abort'> | undefined }>();
  for (const { event, generation } of entries) {
    // another run is no deed of this one: its own are
    if (event.type === 'intent' && event.of !== 'undo' && !event.name.startsWith('start:'))
      acts.set(keyed(generation, event.id), { intent: event, end: undefined });
    const act = event.type === 'complete' || event.type === 'abort' ? acts.get(keyed(generation, event.id)) : undefined;
    if (act !== undefined && (event.type === 'complete' || event.type === 'abort')) act.end = event;
  }
  return [...acts.values()];
}

/** Nothing doubled, nothing lost, and what the journal says took place did. */
const effects: Rule = ({ entries, world, stop, runId }) => {
  const found: Violation[] = [];
  const acts = actsOf(entries);
  const report = JSON.stringify(reportsOf(entries));
  for (const { intent, end } of acts) {
    const times = world.deeds.filter(({ what, key }) => what === 'made' && key === intent.key).length;
    const about = `${intent.name} ${intent.id}`;
    if (times > 1) found.push({ rule: 'effect:doubled', detail: `${about} was made ${times} times` });
    if (end === undefined) {
      const isLeftOpen = stop === 'bounded' || stop === 'stalled' || stop === 'hangs' || stop === 'spins';
      if (!isLeftOpen) found.push({ rule: 'effect:open', detail: `${about} has an INTENT without an end` });
    } else if (end.type === 'complete' && isKnown(end) && times === 0)
      found.push({ rule: 'effect:lost', detail: `${about} is recorded as done` });
    else if (end.type === 'abort' && world.last(intent.key) === 'made' && !report.includes(`"${intent.id}"`))
      found.push({ rule: 'effect:abort', detail: `${about} is recorded as not done, and was made` });
  }
  const keys = new Set(acts.map(({ intent }) => intent.key));
  for (const { what, key } of world.deeds)
    if (what === 'made' && key.startsWith(`${runId}:`) && !keys.has(key))
      found.push({ rule: 'effect:unannounced', detail: `${key} was made without an INTENT` });
  return found;
};

/** Nobody says that it took place where it was only simulated, or where nobody knows. */
function isKnown({ how }: EventOf<'complete'>): boolean {
  return how !== 'simulated' && how !== 'unknown';
}

function reportsOf(entries: readonly Entry[]): readonly RollbackReport[] {
  return entries.flatMap(({ event }) => {
    if (event.type === 'rollback-end') return [event.report];
    if (event.type === 'run-end' && 'rollback' in event.outcome && event.outcome.rollback !== undefined)
      return [event.outcome.rollback];
    return [];
  });
}

/** COMPENSATED is said only of what was really taken back, and only what took place is taken back. */
const compensations: Rule = ({ entries, inherited, world, runId, stop }) => {
  const found: Violation[] = [];
  const reported = JSON.stringify(reportsOf(entries));
  for (const { intent, end } of stop === 'failed' || stop === 'cancelled' ? actsOf(entries) : []) {
    const isOpen = intent.undo === true && end?.type === 'complete' && world.last(intent.key) === 'made';
    if (isOpen && !reported.includes(`"${intent.id}"`))
      found.push({ rule: 'rollback:missing', detail: `${intent.name} ${intent.id} was not undone` });
  }
  if (!isNewestFirst(undonePositions(entries)))
    found.push({ rule: 'rollback:order', detail: undonePositions(entries).join(' ') });
  const acts = actsOf(entries);
  for (const { entries: all } of reportsOf(entries)) {
    const lines = all.filter(({ name }) => !name.startsWith('start:')); // other runs are not among the acts
    // a report names effects without their generation: of one name there may be several
    for (const name of new Set(lines.map(({ effect }) => effect))) {
      const said = lines.filter(({ effect, status }) => effect === name && status === 'COMPENSATED').length;
      const own = acts.filter(({ intent }) => intent.id === name);
      const standing = own.filter(({ intent }) => world.last(intent.key) === 'made').length;
      // nobody even tried to undo it: something that was undone before answered for it
      const isTried = eventsOf(entries, 'intent').some(
        ({ of, input }) => of === 'undo' && (input as { readonly effect?: string }).effect === name,
      );
      if (said > 0 && own.length > 0 && said > own.length - standing)
        found.push({
          rule: inherited.length > 0 && !isTried ? 'report:fork' : 'report:false',
          detail: `${name} is reported as COMPENSATED and stands`,
        });
    }
  }
  const made = new Set(
    acts.flatMap(({ intent, end }) => (end?.type === 'complete' && !isKnown(end) ? [intent.key] : [])),
  );
  for (const { what, key } of world.deeds) {
    if (what === 'made') made.add(key);
    if (what === 'undone' && key.startsWith(`${runId}:`) && !made.has(key))
      found.push({ rule: 'undo:nothing', detail: `${key} was undone and never made` });
  }
  return found;
};

/** An undo belongs to one rollback: it ends once, and begins again only in another life. */
const undos: Rule = ({ entries }) => {
  const begun = new Set<string>();
  const ended = new Set<string>();
  return entries.flatMap(({ event }): readonly Violation[] => {
    if (event.type === 'attempt-start') begun.clear();
    const isUndo = 'id' in event && event.id.endsWith('!undo');
    const seen = event.type === 'intent' ? begun : event.type === 'complete' ? ended : undefined;
    if (!isUndo || seen === undefined) return [];
    if (seen.has(event.id)) return [{ rule: 'undo:twice', detail: `a second ${event.type} of ${event.id}` }];
    seen.add(event.id);
    return [];
  });
};

/** Once somebody cancelled a dead run, nothing that cannot be taken back is made. */
const cancellation: Rule = ({ world }) => {
  const since = world.deeds.findIndex(({ what }) => what === 'cancelled');
  if (since === -1) return [];
  const late = world.deeds
    .slice(since)
    // what another run does is called off when the cancellation has come to it
    .filter(
      ({ what, kind, key }) =>
        what === 'made' && !key.startsWith('run_') && (kind === 'idempotent' || kind === 'irreversible'),
    );
  return late.map(({ key, kind }) => ({
    rule: 'cancel:acted',
    detail: `${kind} ${key} was made after the cancellation`,
  }));
};

/**
 * Calls of pure tools whose process was killed before anything of them was written: changed code may do something else
 * under the same id.
 */
function forgotten({ entries, world, runId }: Seen): number {
  const told = new Set(
    entries.flatMap(({ event, generation }) => (isOfCall(event) ? [`${runId}:${keyed(generation, event.id)}`] : [])),
  );
  return [...(world.toolCalls.get(runId) ?? [])].filter((key) => !told.has(key)).length;
}

function isOfCall(event: RunEvent): event is RunEvent & { readonly id: string } {
  return event.type === 'call-start' || ('of' in event && event.of === 'call');
}

/** While a budget holds, no more tools are executed than it allows. What nobody knows of is not counted. */
const spending: Rule = (seen) => {
  const { given, journey, world, runId } = seen;
  const unknown = forgotten(seen);
  const hasLosers = given.generations.some((one) => holds(one, ({ kind }) => kind === 'first' || kind === 'race'));
  return journey.eras.flatMap(({ toolCalls, before }, n) => {
    const next = journey.eras[n + 1];
    const used = next?.called ?? next?.before ?? callsOf(world, runId);
    const detail = `${used} calls where ${toolCalls} are allowed: ${JSON.stringify(journey.eras)}`;
    return used - unknown > Math.max(toolCalls, before)
      ? [{ rule: hasLosers ? 'budget:losers' : 'budget:toolCalls', detail }]
      : [];
  });
};

/** A model that reported more than is left is not asked again under that budget, and the run does not end as done. */
const tokens: Rule = ({ entries, inherited, stop }) => {
  let limit = Number.POSITIVE_INFINITY;
  let used = 0;
  const found = entries.flatMap(({ event }) => {
    if ('budget' in event && event.budget !== undefined) limit = event.budget.tokensOut;
    if (event.type === 'ask-end') used += event.spent.tokensOut ?? 0;
    const detail = `asked again after ${used} of ${limit} tokens`;
    return event.type === 'ask-start' && used > limit ? [{ rule: 'budget:tokensOut', detail }] : [];
  });
  // what a fork inherits is on its parent's bill
  if (stop === 'done' && inherited.length === 0 && used > limit)
    found.push({ rule: 'budget:overspent', detail: `done after ${used} of ${limit} tokens` });
  return found;
};

const COUNTED = ['iterations', 'modelCalls', 'toolCalls'] as const;

/**
 * What a run says it spent is within the one budget that it had, and a fork has made every call that it says it paid for:
 * what it inherits is on its parent's bill.
 */
const bill: Rule = ({ entries, inherited }) => {
  const budgets = entries.flatMap(({ event }) => {
    if (event.type !== 'run-start' && event.type !== 'run-resume') return [];
    return event.budget === undefined ? [] : [event.budget];
  });
  const [limits] = budgets;
  const outcome = eventsOf(entries, 'run-end').at(-1)?.outcome;
  const usage = outcome !== undefined && 'usage' in outcome ? outcome.usage : undefined;
  if (limits === undefined || budgets.length > 1 || usage === undefined) return [];
  const made =
    inherited.length === 0
      ? {}
      : { modelCalls: callsIn(entries, 'modelCalls'), toolCalls: callsIn(entries, 'toolCalls') };
  const most = { ...limits, ...made };
  return COUNTED.filter((axis) => usage[axis] > Math.min(limits[axis], most[axis])).map((axis) => ({
    rule: 'budget:billed',
    detail: `${usage[axis]} of ${limits[axis]} ${axis}, made ${most[axis]}`,
  }));
};

/** Of a started run counts what it used, once, and no more than its slice; a fork is not charged for those of its parent. */
const started: Rule = ({ entries }) => {
  const books = new Map<string, { slice: number; spent: number; left: number; open: boolean }>();
  return eventsOf(entries, 'complete').flatMap(({ id, ofRun, spent, possibly, result }) => {
    if (ofRun === undefined) return [];
    const known = books.get(ofRun.id);
    const moved = { spent: spent?.toolCalls ?? 0, left: possibly?.toolCalls ?? 0 };
    const now = {
      slice: known?.slice ?? moved.left,
      spent: (known?.spent ?? 0) + moved.spent,
      left: (known?.left ?? 0) + moved.left,
      open: ofRun.open,
    };
    books.set(ofRun.id, now);
    const used = (result as { outcome?: { usage?: { toolCalls: number } } }).outcome?.usage?.toolCalls ?? 0;
    const isRight =
      (known === undefined ? ofRun.open : known.open) &&
      now.spent === Math.min(used, now.slice) &&
      now.left >= 0 &&
      now.spent + now.left <= now.slice &&
      (!ofRun.open || now.spent + now.left === now.slice);
    const detail = `${id}: ${JSON.stringify(now)} of run ${ofRun.id}, which used ${used}`;
    return isRight ? [] : [{ rule: 'budget:started', detail }];
  });
};

/** Calls that these entries charge: those that ended with what they spent, and what is reserved for those that did not. */
function callsIn(entries: readonly Entry[], axis: 'modelCalls' | 'toolCalls'): number {
  const charged = new Map<string, number>();
  for (const { event, generation } of entries) {
    if (!('id' in event)) continue;
    if ('reserved' in event) charged.set(keyed(generation, event.id), event.reserved?.[axis] ?? 0);
    if ('spent' in event) charged.set(keyed(generation, event.id), event.spent?.[axis] ?? 0);
  }
  return [...charged.values()].reduce((sum, one) => sum + one, 0);
}

/** What is private stays private in every view, whatever the run was forked from or goes on as. */
const privacy: Rule = ({ given, entries }) => {
  if (!given.isPrivate) return [];
  return withoutPrivate(entries)
    .filter((entry) => JSON.stringify(entry).includes('SECRET'))
    .map(({ event }) => ({ rule: `private:${event.type}`, detail: JSON.stringify(event) }));
};

/** Failures of what was never tried. */
const REFUSED = new Set(['DENIED', 'NOT_SIMULATED', 'CANCELLED', 'BOUND_REACHED']);

/** A third leg is never called after the other two, in the run and its forks. */
const trifecta: Rule = ({ given, inherited, entries, runId, world }) => {
  if (!given.isGuarded) return [];
  const called = new Set<string>();
  const names = new Map<string, string>();
  const found: Violation[] = [];
  for (const { event, generation } of [...inherited, ...entries]) {
    if (event.type === 'intent' && event.of === 'call') {
      names.set(keyed(generation, event.id), event.name);
      const isThird = event.name === 'post' && called.has('read') && (called.has('browse') || called.has('flaky'));
      if (isThird && event.key.startsWith(`${runId}:`) && world.made(event.key) > 0)
        found.push({ rule: called.has('browse') ? 'guard:legs' : 'guard:error', detail: `${event.id} posted` });
    }
    const isRefused = event.type === 'abort' && REFUSED.has(event.failure.code);
    if ((event.type === 'complete' || event.type === 'abort') && !isRefused)
      called.add(names.get(keyed(generation, event.id)) ?? event.name ?? '');
  }
  return found;
};

/** What the first process did not allow, no later process and no later generation does. */
const supervision: Rule = ({ given, entries, world }) => {
  if (!given.isSupervised) return [];
  const pinned = JSON.stringify(
    entries.find(({ event }) => JSON.stringify(event).includes('supervised-scope'))?.event ?? null,
  );
  if (pinned.includes('idempotent')) return []; // the first process died before it had said anything
  return eventsOf(entries, 'intent')
    .filter(({ of, key }) => of === 'call' && world.made(key) > 0)
    .map(({ name, id }) => ({ rule: 'pin:widened', detail: `${name} ${id} was made outside the scope` }));
};

/** Only an answer that was asked for decides. */
const verdicts: Rule = ({ entries }) =>
  eventsOf(entries, 'wait-end')
    .filter(({ from }) => from === 'mallory' || from === 'late')
    .map(({ id, from }) => ({ rule: 'verdict:stray', detail: `${id} was decided by ${from}` }));

const liveForks: Rule = ({ journey }) => {
  const { size } = journey.person.liveForkAsked;
  return size > 1 ? [{ rule: 'fork:asked-again', detail: `somebody was asked ${size} times` }] : [];
};

/** What a generation hands on does not grow with what it did; what people said is theirs, and runs not joined may go on. */
const generationSize: Rule = ({ entries }) => {
  const sizes = eventsOf(entries, 'generation-start').map(({ input: _input, state, ...rest }) => {
    const { instructions: _said, askers: _askers, best: _best, startedRuns: _started, ...kept } = state;
    const { possibly: _possibly, ...spent } = kept.spent;
    return JSON.stringify({ ...rest, kept: { ...kept, spent } }).length;
  });
  const growth = (sizes.at(-1) ?? 0) - (sizes[0] ?? 0);
  const allowed = 150 + 12 * sizes.length; // counts get longer, names of tools come up
  return growth > allowed ? [{ rule: 'generation:grows', detail: sizes.join(' ') }] : [];
};

/** A budget that is nearly used up is told, each one anew. */
const warnings: Rule = ({ entries, stop }) => {
  if (stop !== 'done') return [];
  const resume = eventsOf(entries, 'run-resume').findLast((event) => event.budget !== undefined);
  const limit = resume?.budget?.toolCalls;
  const end = eventsOf(entries, 'run-end').at(-1)?.outcome;
  const used = end !== undefined && 'usage' in end ? (end.usage?.toolCalls ?? 0) : 0;
  if (limit === undefined || used < limit * 0.8) return [];
  const isTold = eventsOf(entries, 'budget-warning').some(
    (event) => event.axis === 'toolCalls' && event.limit === limit,
  );
  return isTold ? [] : [{ rule: 'warning:missing', detail: `${used} of ${limit} calls, and no warning` }];
};

const hasRacingPattern = (part: Program): boolean =>
  part.kind === 'race' && holds(part, ({ kind }) => kind === 'pattern');

/**
 * A pattern begins once and ends once, unless the bound that it ended at was lifted; its scope is not another's. What
 * lost a raw race is still at work as the run ends.
 */
const patterns: Rule = ({ entries, stop, given }) => {
  const open = new Map<string, number>();
  const found: Violation[] = [];
  for (const { event, generation } of entries) {
    if (event.type === 'run-resume') open.clear(); // what was told on the way out of a bound is told again
    if (event.type !== 'scope-start' && event.type !== 'scope-end') continue;
    const key = keyed(generation, event.path);
    if (event.type === 'scope-end') open.set(key, 0);
    else if (open.has(key)) found.push({ rule: 'pattern:twice', detail: key });
    else open.set(key, 1);
  }
  const left = given.generations.some((program) => holds(program, hasRacingPattern))
    ? []
    : [...open].filter(([, n]) => n === 1);
  if (stop === 'done' && left.length > 0) found.push({ rule: 'pattern:open', detail: JSON.stringify(left) });
  return found;
};

/**
 * What the code told, as far as it stands: what it told after a bound was reached, it tells again if it is still true once
 * the run has gone on under another budget.
 */
class Standing<T> {
  all: T[] = [];
  private stopped: number | undefined;

  read({ event }: Entry): void {
    const isLift = (event.type === 'run-resume' && event.budget !== undefined) || event.type === 'run-start';
    const isStop = event.type === 'trip' || (event.type === 'spawn-end' && event.outcome.stop === 'bounded');
    if (isStop) this.stopped ??= this.all.length;
    if (isLift) this.all = this.all.slice(0, this.stopped);
    if (isLift || event.type === 'generation-start') this.stopped = undefined;
  }
}

/** A quorum undoes no voter, and a loop that is left none whose result it took. */
const voters: Rule = ({ entries }) => {
  const counted = new Standing<string>();
  return entries.flatMap((entry): readonly Violation[] => {
    const { event, generation } = entry;
    counted.read(entry);
    if (event.type === 'note' && event.event.kind === 'counted')
      counted.all.push(keyed(generation, String(event.event['path'])));
    if (event.type !== 'rollback-start' || !counted.all.includes(keyed(generation, event.scope))) return [];
    return [{ rule: 'vote:undone', detail: `${event.scope} was counted and undone` }];
  });
};

/** The best that the run was told is the partial value of an end without a value. */
const bests: Rule = ({ entries, inherited }) => {
  const end = eventsOf(entries, 'run-end').at(-1)?.outcome;
  const told = new Standing<unknown>();
  for (const entry of [...inherited, ...entries]) {
    told.read(entry);
    if (entry.event.type === 'best' && entry.event.level === '') told.all.push(entry.event.value);
  }
  if (end === undefined || told.all.length === 0 || !('because' in end || end.stop === 'bounded')) return [];
  if (end.stop === 'degraded') return [];
  return 'partial' in end ? [] : [{ rule: 'best:lost', detail: JSON.stringify(end) }];
};

/** Journal, books and chain agree with themselves. */
const books: Rule = ({ entries, runId, stop }) => {
  const found: Violation[] = [];
  const perGeneration = new Map<number, number>();
  for (const { generation, seq } of entries) {
    const expected = perGeneration.get(generation) ?? 0;
    if (seq !== expected) found.push({ rule: 'journal:gap', detail: `${generation}:${seq} stands at ${expected}` });
    perGeneration.set(generation, seq + 1);
  }
  const end = eventsOf(entries, 'run-end').at(-1)?.outcome;
  if (end !== undefined && end.stop !== stop && stop !== 'stalled' && stop !== 'hangs' && stop !== 'spins')
    found.push({ rule: 'journal:end', detail: `${stop}, and the journal says ${end.stop}` });
  const wallMs = end !== undefined && 'usage' in end ? (end.usage?.wallMs ?? 0) : 0;
  if (wallMs < 0) found.push({ rule: 'time:negative', detail: `wallMs is ${wallMs}` });
  const back = entries.findIndex(({ at }, n) => n > 0 && at < (entries[n - 1]?.at ?? 0));
  if (back !== -1) found.push({ rule: 'time:back', detail: `entry ${back} is older than the one before it` });
  const verdict = verifyAudit(auditLines(runId, entries));
  if (!verdict.ok) found.push({ rule: 'audit:broken', detail: JSON.stringify(verdict) });
  return found;
};

/** The journal names the framings that a reply came under. */
const framings: Rule = ({ entries }) => {
  const named = new Map<string, string>();
  return entries.flatMap(({ event, generation }) => {
    if (event.type === 'ask-start')
      named.set(keyed(generation, event.id), [...(event.framings ?? [])].reverse().join(','));
    if (event.type !== 'ask-end' || event.reply === undefined) return [];
    const seen = (event.reply.text.match(/frame-\d+/g) ?? []).join(',');
    const said = named.get(keyed(generation, event.id));
    return said === undefined || said === seen ? [] : [{ rule: 'framing:journal', detail: `${said} is not ${seen}` }];
  });
};

/**
 * Whoever looks at a board sees what the journal holds of it, in its order, and nothing else: of what simulated children
 * posted, only what was posted in a world around the one that looks.
 */
const boards: Rule = ({ entries, inherited }) => {
  const found: Violation[] = [];
  const posts = new Map<
    string,
    { readonly id: string; readonly entry: string; readonly world: string | undefined }[]
  >();
  let worlds: string[] = [];
  const isInside = (id: string, world: string): boolean => id.startsWith(`${world}#`) || id.startsWith(`${world}/`);
  for (const { event } of [...inherited, ...entries]) {
    if (event.type === 'generation-start') {
      posts.clear();
      worlds = [];
    }
    if (event.type === 'spawn-start' && event.world === 'simulated') worlds.push(event.path);
    if (event.type === 'post') {
      const around = worlds.filter((path) => isInside(event.id, path)).sort((a, b) => b.length - a.length);
      const one = { id: event.id, entry: JSON.stringify(event.entry), world: around[0] };
      posts.set(event.owner, [...(posts.get(event.owner) ?? []), one]);
    }
    if (event.type !== 'complete' || event.name !== 'look') continue;
    const seen = event.result as readonly { readonly entry: unknown; readonly author: string }[];
    const isBeginning = (all: readonly { readonly id: string; readonly entry: string }[]): boolean =>
      seen.every(({ entry, author }, n) => {
        const one = all[n];
        return one?.id.startsWith(`${author}#`) === true && one.entry === JSON.stringify(entry);
      });
    const visible = [...posts.values()].map((all) =>
      all.filter(({ world }) => world === undefined || isInside(event.id, world)),
    );
    if (seen.length > 0 && !visible.some(isBeginning))
      found.push({ rule: 'board:other', detail: `${event.id} saw ${JSON.stringify(seen)}` });
  }
  return found;
};

/** From a simulated child nothing goes out, and nobody is asked. */
const simulations: Rule = ({ entries, inherited, world, runId }) => {
  const found: Violation[] = [];
  let paths: string[] = [];
  const isInside = (id: string): boolean =>
    paths.some((path) => id.startsWith(`${path}#`) || id.startsWith(`${path}/`));
  for (const { event, generation } of [...inherited, ...entries]) {
    if (event.type === 'generation-start') paths = [];
    if (event.type === 'spawn-start' && event.world === 'simulated') paths.push(event.path);
    if (event.type === 'wait-start' && isInside(event.id))
      found.push({ rule: 'simulated:asked', detail: `${event.id} asks for ${event.name}` });
    const isActed = (key: string): boolean => world.made(key) > 0;
    if (event.type === 'intent' && event.of !== 'undo' && isInside(event.id) && isActed(event.key))
      found.push({ rule: 'simulated:acted', detail: `${event.id} of generation ${generation} of ${runId} acted` });
  }
  return found;
};

/** What another run does is done once, however often it was started. */
const others: Rule = ({ entries, world }) => {
  const found: Violation[] = [];
  for (const { event } of entries) {
    const run = event.type === 'complete' ? (event.result as { readonly run?: unknown } | null)?.run : undefined;
    if (typeof run !== 'string') continue;
    const keys = world.deeds.filter(({ what, key }) => what === 'made' && key.startsWith(`${run}:`));
    if (keys.length > 1) found.push({ rule: 'other:twice', detail: `${run} acted ${keys.length} times` });
  }
  return found;
};

const RULES: readonly Rule[] = [
  effects,
  compensations,
  undos,
  cancellation,
  spending,
  bill,
  started,
  tokens,
  privacy,
  trifecta,
  supervision,
  verdicts,
  liveForks,
  generationSize,
  warnings,
  framings,
  boards,
  simulations,
  others,
  deadlines,
  patterns,
  voters,
  losers,
  bests,
  books,
  alerts,
];

export function brokenRules(seen: Seen): readonly Violation[] {
  return RULES.flatMap((rule) => rule(seen));
}
