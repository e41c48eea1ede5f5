import type { ChildSlice } from '../../core/child-slice.js';
import { FlyballError, failureOf } from '../../core/errors.js';
import { blocked, degraded, done, failed, type Outcome } from '../../core/outcome.js';
import type { Agent, Entered, Run } from '../../core/run.js';
import { type Checked, check, type StandardSchema } from '../../core/schema.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';
import { estimateTextTokens } from '../../tools/measure-tools.js';
import type { Described } from '../use.js';

/** What `isolated` needs beside its agent. */
export interface IsolatedParts<I, B, O> {
  /** Everything that the sub-task needs. Undefined where that cannot be listed: then it is refused. */
  readonly brief: (input: I) => B | undefined;
  /** What a result has to be. One that is something else is an error, not prose to go on with. */
  readonly result?: StandardSchema<unknown, O>;
}

/** Options of `isolated`. */
export interface IsolatedOptions {
  /** What it has of the budget, and which boards of its parent it may use: none where it names none. */
  readonly slice: ChildSlice;
  readonly maxBriefTokens?: number;
  /** Sub-tasks that one run or child may hand out through this pattern. */
  readonly maxSpawns?: number;
}

/** Every use of the pattern in one run or child counts on this board. */
const SPAWNS = 'isolated';

/**
 * Works in a fresh context that holds only its brief.
 *
 * Model calls: `agent`. The caller's conversation, boards and siblings are out of its reach, and of what it did only the
 * result comes back; the journal keeps the rest. It may isolate nothing further itself, unless `slice` says
 * `depth`. Not for a conversation that somebody else is to go on with, and not where the brief cannot be listed.
 *
 * @pattern O17
 * @example
 * ```ts
 * const counter = isolated(exportCounter, { brief: ({ file }) => `Count the exports of ${file}.` }, { slice: { modelCalls: 5 } });
 * ```
 */
export function isolated<I, B, O>(
  agent: Agent<B, O>,
  { brief, result }: IsolatedParts<I, B, O>,
  { slice, maxBriefTokens = 5_000, maxSpawns = 6 }: IsolatedOptions,
): Described<Agent<I, O>> {
  checkGiven('isolated (O17)', { agent, brief, slice });
  checkCounts('isolated (O17)', { maxBriefTokens, maxSpawns });
  const about = {
    id: 'O17',
    name: 'isolated',
    params: { maxBriefTokens, maxSpawns },
    parts: { agent },
    calls: { times: [{ fact: 'spawned', least: 0, most: 1 }, { part: 'agent' }] },
  } as const;
  const child = Object.defineProperty((own: Run, given: B) => runPart(own, agent, given), 'name', {
    value: 'isolated',
  });
  return pattern(about, async (run, input: I) => {
    run.learned({ spawned: 0 });
    const given = brief(input);
    if (given === undefined)
      return blocked('what the sub-task needs cannot be listed. Do it here, or hand the conversation over instead.');
    const tokens = estimateTextTokens(shown(given));
    run.learned({ briefTokens: tokens });
    if (tokens > maxBriefTokens) return tooLong(tokens, maxBriefTokens);
    const place = await run.board<string>(SPAWNS).post(run.path);
    if (place >= maxSpawns)
      return blocked(`${maxSpawns} sub-tasks were handed out, which is all that isolated (O17) may here`, {
        reason: { code: 'exhausted', data: { tried: place } },
      });
    run.learned({ spawned: 1 });
    const ended = await run.spawn<B, O>(child, given, { depth: 0, ...slice });
    return result !== undefined && 'value' in ended ? fitting(run, ended, result) : ended;
  });
}

function tooLong<O>(tokens: number, most: number): Outcome<O> {
  const why = `The brief of a sub-task takes about ${tokens} tokens, and maxBriefTokens is ${most}. Name files instead of quoting them, or raise the limit.`;
  return failed(failureOf(new FlyballError('INPUT_INVALID', why, { detail: { tokens, most } })));
}

/** In a step: the validator of the schema may have to be loaded first. */
async function fitting<O>(
  run: Entered,
  ended: Extract<Outcome<O>, { readonly value: O }>,
  schema: StandardSchema<unknown, O>,
): Promise<Outcome<O>> {
  const { value } = ended;
  const read: Checked<O> = await run.step('check-result', value, () => check(schema, value), 'pure');
  if (read.ok) return ended.stop === 'done' ? done(read.value) : degraded(read.value, ended.because, ended.reason);
  const why = `The result of the sub-task does not fit: ${read.problem}`;
  return failed(failureOf(new FlyballError('REPLY_INVALID', why, { detail: { value } })));
}
