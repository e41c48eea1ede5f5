import { passOver } from '../core/by-kind.js';
import type { ControlKind, RollbackKind } from '../core/event-kinds.js';
import type { Entry, RunEvent } from '../core/events.js';
import { foundAnti } from './anti-pattern-finding.js';
import type { Finding } from './finding.js';
import { inputOf, type RunJournal, scopeOfEffect, uses } from './journal.js';

/** What failed, and what it was asked to do. */
interface Failed {
  readonly kind: 'ask' | 'act' | 'spawn';
  readonly scope: string;
  readonly message: string;
  /** A session, a tool or a child. */
  readonly name: string;
  readonly input: unknown;
}

/** Ends that say so. What a pattern threw or failed with may still be swallowed around it. */
const WORTH_LESS: ReadonlySet<string> = new Set(['degraded', 'bounded', 'blocked']);
/** Notes that are written whatever happens: these have to name the error. What an agent notes of its own accord is an answer. */
const ALWAYS: ReadonlySet<string> = new Set([
  'agent-invoked',
  'branch',
  'constraints',
  'context-cleared',
  'context-compacted',
  'context-kept',
  'control',
  'digest',
  'exit',
  'identity',
  'identity-commit',
  'iteration',
  'loop-end',
  'loop-start',
  'observation',
  'phase',
  'plan',
  'plan-end',
  'plan-review',
  'plan-start',
  'plan-synthesis',
  'skill-distilled',
  'skill-match',
  'skill-run',
  'skills-retrieved',
  'step-end',
  'step-start',
  'step-validation',
  'track-record',
  'turn-end',
]);

/**
 * An error after which nobody is told: the run ends as if nothing had happened, and nothing later in it names the error,
 * does the same work in another way, asks a person or says that its result is worth less.
 */
export function silent(journal: RunJournal): readonly Finding[] {
  const { run, entries } = journal;
  const end = entries.at(-1)?.event;
  if (end?.type !== 'run-end' || end.outcome.stop !== 'done') return [];
  return entries.flatMap(({ event }, index) => {
    const failed = failureIn(journal, event, index);
    if (failed === undefined || entries.slice(index + 1).some((later) => isAnswer(journal, failed, later.event)))
      return [];
    return [
      foundAnti('A10', {
        at: `${run}:${failed.scope}`,
        why: `${failed.name} failed, and nothing after it reports, replaces or escalates that.`,
        change: 'Say so in the result, try another way, or ask a person: {V1}.',
      }),
    ];
  });
}

function failureIn(journal: RunJournal, event: RunEvent, index: number): Failed | undefined {
  const before = journal.entries.slice(0, index).map((entry: Entry) => entry.event);
  if (event.type === 'ask-end' && event.failure !== undefined && event.cutOff !== true) {
    const start = before.findLast((each) => each.type === 'ask-start' && each.id === event.id);
    const asked = start?.type === 'ask-start' ? start : undefined;
    const name = asked?.session ?? event.session ?? 'a model call';
    return failed('ask', event.id, { failure: event.failure, name, input: lastAsked(journal, asked?.tip) });
  }
  const isAct = (event.type === 'abort' && event.ran === true && event.cutOff !== true) || event.type === 'complete';
  if (isAct && event.failure !== undefined) {
    const start = before.findLast((each) => each.type === 'intent' && each.id === event.id);
    const made = start?.type === 'intent' ? start : { name: event.name ?? 'a call', input: event.input };
    return failed('act', event.id, { failure: event.failure, name: made.name, input: made.input });
  }
  if (event.type === 'spawn-end' && event.outcome.stop === 'failed') {
    const start = before.findLast((each) => each.type === 'spawn-start' && each.id === event.id);
    if (start?.type !== 'spawn-start') return undefined;
    return failed('spawn', event.id, { failure: event.outcome.failure, name: start.name, input: start.input });
  }
  return undefined;
}

function failed(
  kind: Failed['kind'],
  id: string,
  {
    failure,
    name,
    input,
  }: { readonly failure: { readonly code: string; readonly message: string } } & Pick<Failed, 'name' | 'input'>,
): Failed {
  return { kind, scope: scopeOfEffect(id), message: `${failure.code} ${failure.message}`, name, input };
}

/** Whether an event after a failure is about it. */
function isAnswer(journal: RunJournal, from: Failed, event: RunEvent): boolean {
  const names = (value: unknown): boolean => uses(value, from.message, inputOf(journal.entries));
  const isAbout = ({ name, input }: { readonly name?: string | undefined; readonly input?: unknown }): boolean =>
    names(input) || doesAgain(from, name, input);
  switch (event.type) {
    case 'wait-start':
      return isNear(from.scope, event.id);
    case 'scope-end':
      return WORTH_LESS.has(event.how) && isNear(from.scope, event.path);
    case 'spawn-end':
      return event.outcome.stop !== 'done' && isNear(from.scope, event.id);
    case 'note':
      return names(event.event) || (!ALWAYS.has(event.event.kind) && isNear(from.scope, event.path));
    case 'ask-start':
      return isNear(from.scope, event.id) && (asksAgain(journal, from, event) || namesIn(journal, names, event.tip));
    case 'intent':
    case 'complete':
      return isNear(from.scope, event.id) && isAbout(event);
    case 'spawn-start':
      return isAbout(event);
    case 'post':
      return names(event.entry);
    case 'run-end':
      return 'value' in event.outcome && names(event.outcome.value);
    default:
      passOver<
        | ControlKind
        | RollbackKind
        | 'run-start'
        | 'generation-start'
        | 'generation-end'
        | 'attempt-start'
        | 'run-resume'
        | 'run-pause'
        | 'ask-end'
        | 'call-start'
        | 'abort'
        | 'doubt'
        | 'slice-change'
        | 'wait-end'
        | 'wait-close'
        | 'sleep-start'
        | 'sleep-end'
        | 'scope-start'
        | 'best'
        | 'pin'
      >(event);
      return false;
  }
}

/** In one line of work: the same scope, one around it, or one inside it. Branches beside each other are not. */
function isNear(scope: string, id: string): boolean {
  const [one, other] = [scope, scopeOfEffect(id)].map((path) => (path.endsWith('/') ? path : `${path}/`));
  return one === undefined || other === undefined || one.startsWith(other) || other.startsWith(one);
}

function asksAgain(
  journal: RunJournal,
  { kind, name, input }: Failed,
  event: { readonly session: string; readonly tip: string },
): boolean {
  return kind === 'ask' && (event.session === name || (input !== undefined && lastAsked(journal, event.tip) === input));
}

/** The same tool or child once more, or another one with the same work. */
function doesAgain({ kind, name, input }: Failed, again: string | undefined, given: unknown): boolean {
  if (again === name && kind !== 'ask') return true;
  if (kind === 'ask') return input !== undefined && uses(given, input, undefined);
  return given !== undefined && JSON.stringify(given) === JSON.stringify(input);
}

/** Without the prompts nobody can tell that a request does not name it. */
function namesIn({ prompts }: RunJournal, names: (value: unknown) => boolean, tip: string): boolean {
  return prompts === undefined || (prompts.get(tip) ?? []).some(({ content }) => names(content));
}

function lastAsked({ prompts }: RunJournal, tip: string | undefined): string | undefined {
  return tip === undefined ? undefined : prompts?.get(tip)?.at(-1)?.content;
}
