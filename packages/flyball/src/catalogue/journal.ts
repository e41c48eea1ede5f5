import type { Entry, EventOf } from '../core/events.js';
import type { Mark } from '../core/mark.js';

/** A pattern as it ran: what `patternsIn` of `flyball/views` reads from a journal. */
export interface Span extends Mark {
  readonly generation: number;
  readonly path: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly how?: EventOf<'scope-end'>['how'];
  readonly learned?: Readonly<Record<string, unknown>>;
  readonly modelCalls: number;
}

/** A piece of a request to a model. */
export interface PromptPiece {
  /** Who put it there. */
  readonly owner: string;
  readonly content: string;
}

/** One run: its journal, and the patterns in it. */
export interface RunJournal {
  readonly run: string;
  readonly entries: readonly Entry[];
  readonly spans: readonly Span[];
  /** What was asked, by the `tip` of each `ask-start`. Without it nothing is said about what requests hold. */
  readonly prompts?: ReadonlyMap<string, readonly PromptPiece[]>;
}

/** A tool call as the journal has it. */
export interface MadeCall {
  readonly path: string;
  readonly name: string;
  readonly input: unknown;
  readonly result: unknown;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Where an effect was made: `/reAct.0#3` is in `/reAct.0`. */
export const scopeOfEffect = (id: string): string => id.split('#')[0] ?? id;

/** The tool calls of a run, in order. */
export function callsIn(entries: readonly Entry[]): readonly MadeCall[] {
  const begun = new Map<string, { readonly name: string; readonly input: unknown; readonly at: number }>();
  const made: MadeCall[] = [];
  for (const { event, at } of entries) {
    if (event.type === 'intent' && event.of === 'call')
      begun.set(event.id, { name: event.name, input: event.input, at });
    if (event.type !== 'complete') continue;
    const start =
      begun.get(event.id) ?? (event.of === 'call' ? { name: event.name ?? '', input: event.input, at } : undefined);
    if (start !== undefined)
      made.push({
        path: scopeOfEffect(event.id),
        name: start.name,
        input: start.input,
        result: event.result,
        startedAt: start.at,
        endedAt: at,
      });
  }
  return made;
}

/** Words and numbers of a value that are worth recognizing elsewhere. */
function wordsOf(value: unknown): ReadonlySet<string> {
  return new Set((JSON.stringify(value) ?? '').match(/[\p{L}\p{N}_./@-]{4,}/gu) ?? []);
}

/** Whether something in `later` comes from `earlier`, and was not known before. */
export function uses(later: unknown, earlier: unknown, known: unknown): boolean {
  const before = wordsOf(known);
  const from = wordsOf(earlier);
  return [...wordsOf(later)].some((word) => from.has(word) && !before.has(word));
}

/** What the run was given. */
export function inputOf(entries: readonly Entry[]): unknown {
  const start = entries.find(({ event }) => event.type === 'run-start')?.event;
  return start?.type === 'run-start' ? start.input : undefined;
}

/** The share of a loop's calls after the first that used no earlier result; undefined below three calls. */
export function unusedShare(entries: readonly Entry[], { path }: Pick<Span, 'path'>): number | undefined {
  const calls = callsIn(entries).filter((call) => call.path === path || call.path.startsWith(`${path}/`));
  if (calls.length < 3) return undefined;
  const given = inputOf(entries);
  const unused = calls
    .slice(1)
    .filter(
      ({ input }, n) => !calls.slice(0, n + 1).some(({ result, input: own }) => uses(input, result, [given, own])),
    );
  return unused.length / (calls.length - 1);
}

/**
 * Children of one parent that ran one after another although the later one used nothing of the earlier. What comes after a
 * child that failed may be there because of that.
 */
export function serialChildren(
  entries: readonly Entry[],
): readonly { readonly first: string; readonly second: string }[] {
  const open = new Map<
    string,
    { readonly name: string; readonly input: unknown; readonly parent: string; readonly at: number }
  >();
  const ended: {
    readonly name: string;
    readonly input: unknown;
    readonly parent: string;
    readonly from: number;
    readonly to: number;
    readonly result: EventOf<'spawn-end'>['outcome'];
  }[] = [];
  for (const [seq, { event }] of entries.entries()) {
    if (event.type === 'spawn-start' && event.within !== true)
      open.set(event.id, { name: event.name, input: event.input, parent: scopeOfEffect(event.id), at: seq });
    if (event.type !== 'spawn-end') continue;
    const start = open.get(event.id);
    if (start !== undefined) ended.push({ ...start, from: start.at, to: seq, result: event.outcome });
  }
  const given = inputOf(entries);
  const hasValue = ({ result }: (typeof ended)[number]): boolean =>
    result.stop === 'done' || result.stop === 'degraded';
  return ended.filter(hasValue).flatMap((first) =>
    ended
      .filter((second) => second.parent === first.parent && second.from > first.to)
      .slice(0, 1)
      .filter((second) => !uses(second.input, first.result, [given, first.input]))
      .map((second) => ({ first: first.name, second: second.name })),
  );
}

/** Input tokens of each session's calls, in order. */
export function tokensBySession(entries: readonly Entry[]): ReadonlyMap<string, readonly number[]> {
  const sessions = new Map<string, string>();
  const tokens = new Map<string, readonly number[]>();
  for (const { event } of entries) {
    if (event.type === 'ask-start') sessions.set(event.id, `${scopeOfEffect(event.id)} ${event.session}`);
    if (event.type !== 'ask-end' || event.reply === undefined) continue;
    const key = sessions.get(event.id);
    if (key !== undefined) tokens.set(key, [...(tokens.get(key) ?? []), event.spent.tokensIn ?? 0]);
  }
  return tokens;
}
