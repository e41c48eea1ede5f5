import { ConfigError, FlyballError } from '../../core/errors.js';
import {
  CODE_LIMITS,
  type CodeEnd,
  type CodeJob,
  type CodeLimits,
  type CodeResult,
  type CodeSandbox,
} from '../../ports/code-sandbox.js';
import type { SandboxDescription } from '../../ports/sandbox.js';
import { Conversation } from './conversation.js';
import type { WorkerEnd, WorkerJob } from './protocol.js';

/** Options of `quickJsSandbox`. */
export interface QuickJsOptions {
  /** Package with the build of QuickJS, when not the usual one. */
  readonly variant?: string;
}

const VARIANT = '@jitl/quickjs-wasmfile-release-sync';
const MIN_MEMORY_MB = 16;

/** Model-written JavaScript in QuickJS, each evaluation in a process of its own that may die. */
export function quickJsSandbox(options: QuickJsOptions = {}): CodeSandbox {
  const variant = options.variant ?? VARIANT;
  return { name: 'quickjs', describe, evaluate: (job, how) => evaluate(job, how.signal, variant) };
}

async function evaluate(job: CodeJob, signal: AbortSignal, variant: string): Promise<CodeResult> {
  const limits = limitsOf(job);
  const names = Object.keys(job.functions ?? {});
  const bad = names.find((name) => !/^[A-Za-z_$][\w$]*$/.test(name));
  if (bad !== undefined) throw new ConfigError(`“${bad}” is not a valid JavaScript function name.`);
  const { code, repeatable } = job;
  const began = repeatable === undefined ? undefined : { now: repeatable.now(0), seed: repeatable.seed };
  const first: WorkerJob = {
    code,
    input: jsonOf(job.input),
    functions: names,
    limits,
    repeatable: began,
    variant,
  };
  const { said, logs, elidedLogs, wallMs } = await new Conversation(first, job, signal).result();
  if (said.how === 'missing') throw missing(said.message, variant);
  return { end: endOf(said), logs, elidedLogs, usage: { wallMs } };
}

function limitsOf({ limits = {} }: CodeJob): CodeLimits {
  const all = { ...CODE_LIMITS, ...limits };
  for (const [name, limit] of Object.entries(all)) {
    if (!(Number.isFinite(limit) && limit > 0)) throw new ConfigError(`Limit ${name} must be above 0, got ${limit}.`);
  }
  if (all.memoryMb < MIN_MEMORY_MB)
    throw new ConfigError(`QuickJS needs at least ${MIN_MEMORY_MB} MB, got ${all.memoryMb}.`);
  return all;
}

function jsonOf(input: unknown): string | undefined {
  if (input === undefined) return undefined;
  try {
    return JSON.stringify(input);
  } catch (error) {
    throw new ConfigError(`The input of the code is not JSON: ${(error as Error).message}`);
  }
}

/** The other side may claim anything; what is no JSON is its error and not ours. */
function endOf(said: WorkerEnd | { readonly how: 'aborted' }): CodeEnd {
  if (said.how !== 'value') return said;
  try {
    return { how: 'value', value: JSON.parse(said.json) as unknown };
  } catch (error) {
    return { how: 'error', name: 'SyntaxError', message: `The result is not JSON: ${(error as Error).message}` };
  }
}

function missing(message: string, variant: string): FlyballError {
  return new FlyballError(
    'SANDBOX_MISSING',
    `QuickJS could not be loaded. Install it with: npm install quickjs-emscripten-core ${variant} (${message})`,
    { detail: { packages: ['quickjs-emscripten-core', variant] } },
  );
}

function describe(): SandboxDescription {
  return {
    name: 'quickjs',
    files: { confined: true, by: 'the language has no way to reach them' },
    network: { confined: true, by: 'the language has no way to reach it' },
    memory: { confined: true, by: 'a WebAssembly memory with a maximum, in a process with limits of its own' },
    processes: { confined: true, by: 'the language has no way to start one' },
    cpu: { confined: true, by: 'an interrupt handler, and the process is killed when that should fail' },
    disk: { confined: true, by: 'the language has no way to write files' },
  };
}
