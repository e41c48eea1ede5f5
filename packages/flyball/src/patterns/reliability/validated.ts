import { REPLY_REFUSED } from '../../core/ask-until.js';
import { ConfigError } from '../../core/errors.js';
import { degraded, done, type Outcome, withoutValue } from '../../core/outcome.js';
import { append, type Prompt } from '../../core/prompt.js';
import type { Agent, Entered, Run } from '../../core/run.js';
import { type Checked, check, jsonSchemaOf, type StandardSchema } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import type { Described } from '../../core/use.js';
import { withClosing, withSetup } from '../../kit/notes.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { askOnce, runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';

/** Who takes part in `validated`. */
export interface ValidatedParts<I, O> {
  /** What leaves fits it. It is also what the agent is told to write, where it can describe itself as JSON Schema. */
  readonly schema: StandardSchema<unknown, O>;
  /** Repairs an answer that does not fit, in a session of its own. Without one the agent itself is run again, with notes. */
  readonly reviser?: Session;
  /** Who answers when nothing fits. */
  readonly otherwise: Agent<I, O>;
}

/** Options of `validated`. */
export interface ValidatedOptions {
  readonly maxRetries?: number;
}

const SHAPE = 'Answer with JSON only, that fits this JSON Schema:';
const AGAIN = 'This answer did not fit. Answer again, complete and corrected, as JSON and nothing else:';
/** Few models read text in fewer tokens than a quarter of its characters. */
const CHARS_PER_TOKEN = 4;

/**
 * Lets nothing out that does not fit the schema.
 *
 * Model calls: `agents × agent + revisions × reviser + fallbacks × otherwise`. An answer that does not fit is repaired at
 * most `maxRetries` times, each time with the exact problem as the last words; the same bad answer twice is not paid for a
 * third time. After that `otherwise` answers, and the outcome is `degraded`. Text is read as JSON as a whole: nothing is
 * picked out of prose or converted. Not for a single session: give it `output`, and it is asked again by itself.
 *
 * @pattern V20
 * @example
 * ```ts
 * const invoice = validated(reader, { schema: Invoice, reviser: repairs, otherwise: byHand }, { maxRetries: 2 });
 * ```
 */
export function validated<I, O>(
  agent: Agent<I, unknown>,
  { schema, reviser, otherwise }: ValidatedParts<I, O>,
  { maxRetries = 2 }: ValidatedOptions = {},
): Described<Agent<I, O>> {
  checkGiven('validated (V20)', { agent, schema });
  checkCounts('validated (V20)', { maxRetries }, 0);
  if (otherwise === undefined)
    throw new ConfigError('validated (V20) needs otherwise: an agent that answers when nothing fits.');
  const jsonSchema = jsonSchemaOf(schema);
  const form = jsonSchema === undefined ? undefined : `${SHAPE}\n${JSON.stringify(jsonSchema)}`;
  const most = (fact: string, least: number, times: number) => ({ fact, least, most: times }) as const;
  const about = {
    id: 'V20',
    name: 'validated',
    ownBest: true, // nobody has held what its agent tells to the schema
    params: { maxRetries },
    parts: { agent, reviser, otherwise },
    apart: [['reviser', 'agent']],
    calls: {
      sum: [
        { times: [most('agents', 1, reviser === undefined ? 1 + maxRetries : 1), { part: 'agent' }] },
        ...(reviser === undefined ? [] : [{ times: [most('revisions', 0, maxRetries), { part: 'reviser' }] } as const]),
        { times: [most('fallbacks', 0, 1), { part: 'otherwise' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I): Promise<Outcome<O>> => {
    run.learned({ agents: 0, revisions: 0, fallbacks: 0 });
    const short = noRoom(run, input, maxRetries);
    if (short !== undefined) return short;
    const inShape = form === undefined ? run : withSetup(run, form);
    let made: Outcome<unknown> = await runPart(inShape, agent, input);
    run.learned({ agents: 1 });
    let last: string | undefined;
    for (let retries = 0; ; retries++) {
      if (made.stop !== 'done' && made.stop !== 'degraded') return withoutValue(made);
      const { value } = made;
      const read = await readValue(run, schema, value);
      if (read.ok) return made.stop === 'done' ? done(read.value) : degraded(read.value, made.because, made.reason);
      const { problem } = read;
      run.note({ kind: REPLY_REFUSED, session: 'validated', code: 'REPLY_INVALID', problem, tries: retries + 1 });
      const bad = shown(value);
      // the same bad answer again: another try would only buy it once more
      if (retries === maxRetries || bad === last)
        return fallenBack(run, otherwise, { input, problem, tried: retries + 1 });
      last = bad;
      const wrong = [`${AGAIN}\n\n<answer>\n${bad}\n</answer>`, `The problem: ${problem}`];
      made =
        reviser === undefined
          ? await runPart(withClosing(inShape, wrong), agent, input)
          : await askOnce(run, reviser, revision(shown(input), form, wrong));
      run.learned(reviser === undefined ? { agents: retries + 2 } : { revisions: retries + 1 });
    }
  });
}

/** Each retry sends the task, the answer and the problem again: without room for that it is not begun. */
function noRoom(run: Run, input: unknown, maxRetries: number): Outcome<never> | undefined {
  const wanted = Math.ceil(shown(input).length / CHARS_PER_TOKEN) * (1 + 2 * maxRetries);
  const left = run.budget.remaining('tokensIn');
  return wanted <= left
    ? undefined
    : { stop: 'bounded', bound: 'tokensIn', limit: run.budget.limits.tokensIn, wanted, left };
}

/** A step of its own: schemas may load what they check with. */
function readValue<O>(run: Run, schema: StandardSchema<unknown, O>, value: unknown): Promise<Checked<O>> {
  return run.step(
    'validate',
    value,
    async (given): Promise<Checked<O>> => {
      if (typeof given !== 'string') return check(schema, given);
      const whole = parsed(given);
      if (whole === undefined) return { ok: false, problem: notJson(given) };
      return check(schema, whole.value);
    },
    'pure',
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined; // an engine's words about bad JSON differ between its versions
  }
}

function notJson(text: string): string {
  const start = text.trim().slice(0, 60).replaceAll(/\s+/g, ' ');
  return `It is not JSON: it begins with "${start}". Write JSON, and nothing around it.`;
}

/** What is wrong comes last, word for word. Only the task is the author's: the answer, and what is said of it, are not. */
function revision(task: string, form: string | undefined, wrong: readonly string[]): Prompt {
  const asked = [`<task>\n${task}\n</task>`, ...(form === undefined ? [] : [form])].join('\n\n');
  const start = append(undefined, { role: 'user', content: asked, owner: 'validated' });
  return wrong.reduce(
    (tip, content) => append(tip, { role: 'user', content, owner: 'validated', trust: 'outside' }),
    start,
  );
}

async function fallenBack<I, O>(
  run: Entered,
  otherwise: Agent<I, O>,
  { input, problem, tried }: { readonly input: I; readonly problem: string; readonly tried: number },
): Promise<Outcome<O>> {
  run.learned({ fallbacks: 1 });
  const ended = await runPart(run, otherwise, input);
  if (ended.stop !== 'done') return ended;
  return degraded(ended.value, `No answer fit the schema, so another path answered. The last problem: ${problem}`, {
    code: 'exhausted',
    data: { tried },
  });
}
