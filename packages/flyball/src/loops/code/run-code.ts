import { ConfigError } from '../../core/errors.js';
import type { Instant, Run } from '../../core/run.js';
import type { ToolRef } from '../../core/tool.js';
import {
  CODE_LIMITS,
  type CodeJob,
  type CodeLimits,
  type CodeResult,
  type CodeSandbox,
} from '../../ports/code-sandbox.js';

/** Code that a model wrote, and the tools that it can call. */
export interface CodeWithTools extends Pick<CodeJob, 'code' | 'input'> {
  readonly sandbox: CodeSandbox;
  /** By their names: `await name(arguments)` in the code is a governed call of the tool. */
  readonly tools: readonly ToolRef[];
  readonly limits?: Partial<CodeLimits>;
}

/** A call that the code made, and what came of it. */
interface Answered {
  readonly name: string;
  readonly value: unknown;
  readonly answer: { readonly value: unknown } | { readonly error: string };
  /** When it was there. */
  readonly at: Instant;
}

/** What a run knows of the code so far: enough to make it do the same again. */
interface Progress {
  readonly began: Instant;
  readonly seed: number;
  readonly answers: readonly Answered[];
}

/** The code comes to a call that has no answer yet, or to its end. */
type Next =
  | { readonly kind: 'call'; readonly name: string; readonly value: unknown }
  | { readonly kind: 'end'; readonly result: CodeResult };

/** Starting the sandbox takes time of its own, which is not the code's. */
const START_MS = 30_000;
/** As many as a sandbox takes. */
const SEEDS = 2 ** 32;

/**
 * Runs code whose calls come out as tool calls of the run: judged, counted and journaled like any other. The interpreter
 * has no state outside, and its clock and random numbers are the run's: for each call, and after a crash, it is simply run
 * again from the start with the answers so far. So a call may wait for a person for days, and no process is held.
 */
export async function runCode(run: Run, parts: CodeWithTools): Promise<CodeResult> {
  const { code, input = null, limits = {} } = parts;
  if (parts.sandbox === undefined) throw new ConfigError('runCode needs a sandbox, such as quickJsSandbox().');
  const tools = new Map(parts.tools.map((tool) => [tool.name, tool]));
  const timeoutMs = { ...CODE_LIMITS, ...limits }.wallMs + START_MS;
  const answers: Answered[] = [];
  const progress: Progress = { began: run.now(), seed: Math.floor(run.random() * SEEDS), answers };
  for (;;) {
    const next = await run.step(
      'code',
      { code, input, calls: answers.length },
      (_given, { signal }) => advance(parts, progress, signal),
      { class: 'pure', timeoutMs },
    );
    if (next.kind === 'end') return next.result;
    const tool = tools.get(next.name) as ToolRef; // the sandbox knows no other name
    const made = await run.call(tool, next.value);
    const answer = made.ok ? { value: made.value } : { error: made.content };
    answers.push({ name: next.name, value: next.value, answer, at: run.now() });
  }
}

/** Runs the code to its first call without an answer. */
async function advance(
  { sandbox, code, input, tools, limits }: CodeWithTools,
  { began, seed, answers }: Progress,
  signal: AbortSignal,
): Promise<Next> {
  const found = new AbortController();
  const stop = (): void => found.abort();
  signal.addEventListener('abort', stop, { once: true });
  let made = 0;
  let open: Next | undefined;
  let other: Answered | undefined;
  const called = (name: string) => (value: unknown) => {
    const known = answers[made++];
    if (known === undefined) {
      open ??= { kind: 'call', name, value };
      found.abort(); // the rest of it is run when the answer is there
      return new Promise(() => undefined);
    }
    if (known.name !== name || JSON.stringify(known.value) !== JSON.stringify(value)) other ??= known;
    if ('error' in known.answer) throw new Error(known.answer.error);
    return known.answer.value;
  };
  const functions = Object.fromEntries(tools.map(({ name }) => [name, called(name)]));
  const job = {
    code,
    functions,
    repeatable: { seed, now: (answered: number) => answers[answered - 1]?.at ?? began },
    ...(input === undefined ? {} : { input }),
    ...(limits === undefined ? {} : { limits }),
  };
  try {
    const result = await sandbox.evaluate(job, { signal: found.signal });
    signal.throwIfAborted();
    if (other !== undefined) return { kind: 'end', result: { ...result, end: changed(other) } };
    return open ?? { kind: 'end', result };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A sandbox that did not make it repeatable. Code that does not do the same again cannot be gone on with. */
function changed({ name }: Answered): CodeResult['end'] {
  const message = `It called something else than ${name} when it was run again. The sandbox has to keep to "repeatable": its clock and its random numbers.`;
  return { how: 'error', name: 'NotDeterministic', message };
}
