import { useFrom } from '../../core/about.js';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { check, type StandardSchema } from '../../core/schema.js';
import type { Tool } from '../../core/tool.js';
import { type Described, described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import {
  type Mount,
  SANDBOX_LIMITS,
  type Sandbox,
  type SandboxDescription,
  type SandboxEnd,
  type SandboxJob,
  type SandboxResult,
} from '../../ports/sandbox.js';

/**
 * A tool that is a program. A function of this process cannot be confined: it has all that the process has. So the tool says
 * what to run, and what its output has to be.
 */
export interface ProgramTool<A, R>
  extends Omit<Tool<A, R>, 'execute' | 'asks' | 'delegates' | 'transfers' | 'timeoutMs'> {
  /** Words of the command, what it reads, and the only variables it gets. No shell reads them. */
  command(args: A): {
    readonly argv: readonly string[];
    readonly stdin?: string;
    readonly env?: Readonly<Record<string, string>>;
  };
  /** What the program writes to its output, as JSON. */
  readonly output: StandardSchema<unknown, R>;
}

/** What is granted. What is not named is denied. */
export interface SandboxedOptions {
  readonly wallMs?: number;
  readonly cpuS?: number;
  readonly memoryMb?: number;
  readonly processes?: number;
  readonly outputBytes?: number;
  /** Addresses cannot be told apart by a sandbox: none, or all that the host reaches. */
  readonly network?: 'deny' | 'host';
  /** The first is the working folder. */
  readonly mounts?: readonly Mount[];
}

/** The sandbox ends a program first, so that the caller reads which limit it was. */
const MARGIN_MS = 5000;
const SHOWN = 2000;

/**
 * Runs a tool with nothing but what it is granted.
 *
 * Model calls: none. Each call is a new environment without files, network, variables and processes of the host, ended hard
 * at its limits, and the failure names the limit. What it writes is checked, limited in size and counts as text from
 * outside. A sandbox that does not confine is refused. Not for code that calls tools of the run: `runCode` does that.
 *
 * @pattern V8
 * @example
 * ```ts
 * const count = sandboxed(
 *   { name: 'count', description: 'Counts words. Not for files.', effect: 'pure', input: Text, output: Count,
 *     command: ({ text }) => ({ argv: ['wc-json'], stdin: text }) },
 *   { sandbox }, { wallMs: 10_000, memoryMb: 256 });
 * ```
 */
export function sandboxed<A, R>(
  program: ProgramTool<A, R>,
  { sandbox }: { readonly sandbox: Sandbox },
  options: SandboxedOptions = {},
): Described<Tool<A, R>> {
  const { command, output, ...rest } = program;
  const { name, description, effect } = rest;
  checkGiven('sandboxed (V8)', { name, description, effect, command, output });
  if (sandbox === undefined) throw new ConfigError('sandboxed (V8) needs a sandbox.');
  const { network = 'deny', mounts = [] } = options;
  refuseUnconfined(sandbox.describe(), network);
  const limits = limitsOf(options);
  const grant = { ...limits, network, mounts };
  const job: Omit<SandboxJob, 'stages'> = {
    cwd: mounts[0]?.path ?? '/tmp',
    mounts,
    network: network === 'deny' ? 'none' : 'host',
    limits,
  };
  const tool: Tool<A, R> = {
    ...rest,
    timeoutMs: limits.wallMs + MARGIN_MS,
    legs: [...new Set([...(program.legs ?? []), 'untrusted-content' as const])],
    execute: async (args, { signal }) => {
      const { argv, stdin, env } = command.call(program, args);
      const given = {
        ...job,
        stages: [argv],
        ...(stdin === undefined ? {} : { stdin }),
        ...(env === undefined ? {} : { env }),
      };
      return readOutput(program, await sandbox.run(given, { signal }), grant);
    },
  };
  const params = { tool: program.name, sandbox: sandbox.name, ...grant };
  return described(tool, useFrom({ id: 'V8', name: 'sandboxed', params, parts: {}, calls: 0 }));
}

const CONFINED = ['files', 'network', 'memory', 'processes', 'cpu'] as const;

function refuseUnconfined(held: SandboxDescription, network: 'deny' | 'host'): void {
  const wanted = CONFINED.filter((what) => what !== 'network' || network === 'deny');
  const open = wanted.filter((what) => !held[what].confined);
  if (open.length === 0) return;
  const why = open.map((what) => `${what} (${held[what].by})`).join(', ');
  throw new ConfigError(`sandboxed (V8) needs a sandbox that confines the program. ${held.name} does not: ${why}.`);
}

function limitsOf(options: SandboxedOptions) {
  const { wallMs, cpuS, memoryMb, processes, outputBytes } = { ...SANDBOX_LIMITS, ...options };
  for (const [name, value] of Object.entries({ wallMs, cpuS, memoryMb, processes, outputBytes }))
    if (!(Number.isFinite(value) && value > 0))
      throw new ConfigError(`sandboxed (V8) needs ${name} to be more than 0: got ${value}.`);
  return { wallMs, cpuS, memoryMb, processes, outputBytes };
}

async function readOutput<A, R>(program: ProgramTool<A, R>, result: SandboxResult, grant: object): Promise<R> {
  const { end, stdout, stderr, usage } = result;
  const refuse = (what: string, code: 'EFFECT_FAILED' | 'SANDBOX_LIMIT' = 'EFFECT_FAILED') =>
    new FlyballError(code, `${program.name} ${what}.`, {
      detail: { grant, usage, end, stderr: stderr.head.slice(0, SHOWN) },
    });
  if (end.how === 'limit') throw refuse(`was ended at its limit ${end.limit} (${end.allowed})`, 'SANDBOX_LIMIT');
  if (end.how !== 'exit' || end.code !== 0) throw refuse(`${endText(end)}: ${stderr.head.slice(0, SHOWN).trim()}`);
  if (stdout.elidedBytes > 0) throw refuse(`wrote ${stdout.bytes} bytes, which is more than it may`, 'SANDBOX_LIMIT');
  const parsed = parse(stdout.head);
  if (parsed === undefined) throw refuse('wrote something that is not JSON');
  const checked = await check(program.output, parsed.value);
  if (!checked.ok) throw refuse(`wrote what does not fit its output: ${checked.problem}`);
  return checked.value;
}

function endText(end: SandboxEnd): string {
  if (end.how === 'exit') return `failed with exit code ${end.code}`;
  if (end.how === 'signal') return `was ended by ${end.signal}`;
  return end.how === 'not-started' ? `was not started (${end.because})` : `ended as ${end.how}`;
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
