import { canonicalJson, sha256 } from '../core/canonical.js';
import type { Entry, EventOf } from '../core/events.js';
import { type CommitCourse, commitCoursesOf } from './commit-course.js';
import { type Effect, effectsOf } from './effects.js';
import { isInside, pathOf, scopeOf } from './paths.js';

/** What is looked at in a commit result: any record with these members, wherever it was kept. */
export interface CheckedCommit {
  readonly outputs: { readonly artefacts: readonly unknown[]; readonly value?: unknown };
  readonly contentHash: string;
  readonly provenance: {
    readonly hash: string;
    readonly taskHash: string;
    readonly planHash: string;
    readonly outputHash: string;
    readonly toolCalls: readonly { readonly effect: string; readonly tool: string; readonly ok: boolean }[];
    readonly repairs: readonly object[];
    readonly approvers: readonly string[];
  };
  readonly audit: {
    readonly transitions: readonly { readonly from: string; readonly event: string; readonly to: string }[];
  };
}

/** Whether a commit result matches its journal. */
export type CommitCheck = { readonly ok: true } | { readonly ok: false; readonly why: string };

/**
 * Holds a commit result against the journal of the run that made it. The result vouches for itself by its hashes; this
 * says whether what it claims is what happened: its outputs, its plan, its calls, its repairs, its approvers, its course.
 */
export function checkCommit(result: CheckedCommit, entries: readonly Entry[]): CommitCheck {
  try {
    const why = contentProblem(result) ?? journalProblem(result, entries);
    return why === undefined ? { ok: true } : { ok: false, why };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, why: `it is not a readable commit result: ${why}` };
  }
}

/** The result of a run that ended with a commit, whole or in part; undefined where it ended otherwise. */
export function committedIn(entries: readonly Entry[]): (CheckedCommit & { readonly resubmitted?: true }) | undefined {
  const end = entries.findLast((entry): entry is Entry<EventOf<'run-end'>> => entry.event.type === 'run-end')?.event;
  const outcome = end?.outcome;
  const value = outcome?.stop === 'done' || outcome?.stop === 'degraded' ? outcome.value : undefined;
  return isCommit(value) ? value : undefined;
}

function isCommit(value: unknown): value is CheckedCommit {
  const { outputs, provenance, audit, seal } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof seal === 'string' && [outputs, provenance, audit].every((part) => typeof part === 'object');
}

function contentProblem({ outputs, contentHash, provenance }: CheckedCommit): string | undefined {
  const { artefacts, value } = outputs;
  const hash = sha256(canonicalJson({ artefacts, ...(value === undefined ? {} : { value }) }));
  if (hash !== contentHash || hash !== provenance.outputHash) return 'its outputs are not those that were committed';
  return undefined;
}

function journalProblem(result: CheckedCommit, entries: readonly Entry[]): string | undefined {
  const effects = effectsOf(entries);
  const written = effects.find((effect) => isWritten(effect, result));
  if (written === undefined) return 'the journal does not show that it was committed';
  const inLoop = loopAround(entries, effects, written);
  if (inLoop === undefined) return 'the journal shows no commit loop around the commit';
  return (
    planProblem(result, inLoop) ??
    callProblem(result, inLoop) ??
    repairProblem(result, inLoop) ??
    courseProblem(result, inLoop) ??
    approverProblem(result, inLoop)
  );
}

/** The step that makes a result durable names its hash, and with it all that the hash is taken over. */
function isWritten({ name, verb, start, status }: Effect, { provenance }: CheckedCommit): boolean {
  if (verb !== 'step' || name !== 'commit-result' || status !== 'ok' || start?.type !== 'intent') return false;
  const { key, hash } = (start.input ?? {}) as { readonly key?: unknown; readonly hash?: unknown };
  return key === provenance.taskHash && hash === provenance.hash;
}

/** A loop, and what had happened in its scope when it committed. */
interface InLoop {
  readonly entries: readonly Entry[];
  readonly course: CommitCourse;
  readonly written: Effect;
  readonly effects: readonly Effect[];
}

function loopAround(entries: readonly Entry[], effects: readonly Effect[], written: Effect): InLoop | undefined {
  const course = commitCoursesOf(entries).findLast(
    ({ loop, generation, seq }) =>
      generation === written.generation && seq < written.seq && written.scope.startsWith(`${loop}/commit-`),
  );
  if (course === undefined) return undefined;
  const children = effects.flatMap(({ start }) => (start?.type === 'spawn-start' ? [pathOf(start.path)] : []));
  const inner = children.filter((path) => path !== course.loop && isInside(path, course.loop));
  const isOwn = ({ scope, generation, seq }: Effect): boolean =>
    generation === course.generation &&
    seq < written.seq &&
    isInside(scope, course.loop) &&
    !inner.some((child) => isInside(scope, child)); // children answer for their own calls
  return { entries, course, written, effects: effects.filter(isOwn) };
}

type Note = Readonly<Record<string, unknown>>;

function notesIn({ entries, course, written }: InLoop, kinds: readonly string[]): readonly Note[] {
  return entries.flatMap(({ event, generation, seq }) => {
    if (event.type !== 'note' || generation !== course.generation || !kinds.includes(event.event.kind)) return [];
    const isOwn = seq >= course.seq && seq < written.seq && isInside(pathOf(event.path), course.loop);
    return isOwn ? [event.event] : [];
  });
}

function planProblem({ provenance }: CheckedCommit, of: InLoop): string | undefined {
  const isNoted = notesIn(of, ['plan', 'plan-start']).some(({ hash }) => hash === provenance.planHash);
  return isNoted ? undefined : `the journal has no plan ${provenance.planHash}`;
}

function callProblem({ provenance }: CheckedCommit, { effects }: InLoop): string | undefined {
  const made = effects.filter(({ verb, end }) => verb === 'call' && end !== undefined);
  const byId = new Map(made.map((effect) => [effect.id, effect]));
  for (const { effect, tool, ok } of provenance.toolCalls) {
    const known = byId.get(effect);
    if (known === undefined) return `the journal has no tool call ${effect}`;
    if (known.name !== tool) return `tool call ${effect} was one of ${known.name}, not of ${tool}`;
    if (hasSucceeded(known) !== ok) return `tool call ${effect} ${ok ? 'did not succeed' : 'succeeded'}`;
    byId.delete(effect); // named once
  }
  const [left] = byId.values();
  return left === undefined ? undefined : `tool call ${left.id} of ${left.name} is not named`;
}

/** What was done and could not be kept gave no result. */
function hasSucceeded({ end }: Effect): boolean {
  return end?.type === 'complete' ? end.failure === undefined : end?.type === 'wait-end';
}

function repairProblem({ provenance }: CheckedCommit, of: InLoop): string | undefined {
  const noted = notesIn(of, ['repair']).map(({ kind: _kind, why: _why, ...entry }) => entry);
  return canonicalJson(noted) === canonicalJson(provenance.repairs)
    ? undefined
    : 'its repairs are not those that the journal tells';
}

function courseProblem({ audit }: CheckedCommit, { course }: InLoop): string | undefined {
  const told = course.transitions.map(({ from, event, to }) => ({ from, event, to }));
  const before = told.at(-1)?.event === 'committed' ? told.slice(0, -1) : told; // a result is made before it is durable
  return canonicalJson(before) === canonicalJson(audit.transitions)
    ? undefined
    : 'its transitions are not those that the journal tells';
}

/** Whoever agreed in the phase that led to the commit. */
function approverProblem({ provenance, audit }: CheckedCommit, { effects, course }: InLoop): string | undefined {
  const index = audit.transitions.findLastIndex(({ from, to }) => to === 'COMMIT' && from !== 'COMMIT');
  const phase = `/${audit.transitions[index]?.from.toLowerCase()}-${index}`;
  const agreed = new Set(
    effects.flatMap(({ id, seq, start, end }) => {
      const isHere = seq > course.seq && isPhaseOf(course.loop, phase, scopeOf(id));
      const isVerdict = isHere && start?.type === 'wait-start' && start.kind === 'approval';
      if (!isVerdict || end?.type !== 'wait-end' || end.from === undefined) return [];
      return (end.payload as { readonly verdict?: unknown } | undefined)?.verdict === 'approve' ? [end.from] : [];
    }),
  );
  const named = new Set(provenance.approvers);
  const isSame = named.size === agreed.size && [...named].every((name) => agreed.has(name));
  return isSame ? undefined : 'its approvers are not those who agreed';
}

/** Between a loop and its phases is the part of the pattern that makes them, and nothing else: the phase of a loop inside is not meant. */
function isPhaseOf(loop: string, phase: string, scope: string): boolean {
  const part = /^\/untilApproved\.\d+\/(part|test)\.\d+/.exec(isInside(scope, loop) ? scope.slice(loop.length) : '');
  return part !== null && scope === `${loop}${part[0]}${phase}`;
}
