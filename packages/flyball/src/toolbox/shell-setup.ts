import { isAbsolute } from 'node:path';
import { isBlank } from '../core/blank.js';
import { ConfigError } from '../core/errors.js';
import type { EffectClass, TrifectaLeg } from '../core/tool.js';
import type { Mount, Sandbox, SandboxDescription, SandboxJob, SandboxLimits } from '../ports/sandbox.js';
import type { CommandRules } from '../tools/rules/commands.js';
import { readOnlyCommands } from '../tools/rules/commands-read-only.js';
import { pathRules } from '../tools/rules/paths.js';
import type { ShellCall } from './shell-call.js';
import { quietEnvironment } from './shell-git.js';
import type { ShownAmount } from './shell-output.js';
import type { ShellResult } from './shell-report.js';

/** Options of the tool `shell`. */
export interface ShellOptions {
  /** Where commands run. One that does not confine files and network has to be wrapped in `unsandboxed`. */
  readonly sandbox: Sandbox | Unsandboxed;
  /** `readOnlyCommands()` where it is absent. */
  readonly rules?: CommandRules;
  /** The working folder. */
  readonly cwd: string;
  /** The working folder, read-only, where it is absent. */
  readonly mounts?: readonly Mount[];
  /** How long a command may run; 30 s. */
  readonly timeoutMs?: number;
  readonly limits?: Partial<Omit<SandboxLimits, 'wallMs'>>;
  readonly network?: 'none' | 'host';
  readonly env?: Readonly<Record<string, string>>;
  /** Lines shown from the beginning and from the end of each stream: 100 and 50. */
  readonly head?: number;
  readonly tail?: number;
  /** Bytes shown of each stream: 32 KiB. */
  readonly maxBytes?: number;
  /**
   * What repeating a command means. Where it is absent: `pure` if nothing that is allowed can leave a trace (read-only
   * rules, or a sandbox without read-write mounts and network), else `irreversible`, which asks a person every time.
   */
  readonly effect?: EffectClass<ShellCall, ShellResult>;
  /**
   * Who asks a person about commands that rules want approved. The effect class does where it is `irreversible`; with
   * any other class such commands are refused, unless a guard is said to ask.
   */
  readonly approvals?: 'by-guard';
  readonly legs?: readonly TrifectaLeg[];
  readonly name?: string;
}

/** The decision to run commands without a sandbox, and the reason for it. */
export interface Unsandboxed {
  readonly unsandboxed: Sandbox;
  readonly why: string;
}

/** Accepts running without a sandbox. Every result says so. */
export function unsandboxed(sandbox: Sandbox, why: string): Unsandboxed {
  if (isBlank(why)) throw new ConfigError('Running commands without a sandbox needs a reason.');
  return { unsandboxed: sandbox, why };
}

type ShellEffect = Exclude<EffectClass<ShellCall, ShellResult>, string>;

/** Everything about the tool that is decided once. */
export interface ShellSetup {
  readonly sandbox: Sandbox;
  readonly description: SandboxDescription;
  readonly rules: CommandRules;
  readonly timeoutMs: number;
  readonly effect: ShellEffect;
  /** A person is asked about what rules want approved. */
  readonly asks: boolean;
  readonly legs: readonly TrifectaLeg[];
  readonly job: Omit<SandboxJob, 'stages'>;
  readonly amount: ShownAmount;
  /** Why there is no sandbox, where there is none. */
  readonly unsandboxed?: string;
}

const TIMEOUT_MS = 30_000;
const SHOWN = { head: 100, tail: 50, maxBytes: 32 * 1024 };

export function setUpShell(options: ShellOptions): ShellSetup {
  const { sandbox, why } = chosen(options.sandbox);
  const description = sandbox.describe();
  const isConfined = description.files.confined && description.network.confined;
  if (!isConfined && why === undefined) throw new ConfigError(refusalOf(description));
  if (!isAbsolute(options.cwd)) throw new ConfigError(`The working folder ${options.cwd} is not an absolute path.`);
  const mounts = options.mounts ?? [{ path: options.cwd, access: 'read-only' as const }];
  const given = options.rules ?? readOnlyCommands();
  const rules = isConfined ? given : withPaths(given, options.cwd, mounts);
  const isOffline = isConfined && options.network !== 'host';
  const effect = classOf(options.effect) ?? effectOf(rules, isOffline, mounts);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return {
    sandbox,
    description,
    rules,
    timeoutMs,
    effect,
    asks: effect.class === 'irreversible' || options.approvals === 'by-guard',
    // what it reads are files; what it fetches comes from outside, and leads there
    legs: options.legs ?? (isOffline ? ['private-data'] : ['private-data', 'untrusted-content', 'outbound']),
    job: {
      cwd: options.cwd,
      // what leaves no trace needs nothing to write to, and is then held to it
      mounts: effect.class === 'pure' ? mounts.map(({ path }) => ({ path, access: 'read-only' as const })) : mounts,
      env: { ...quietEnvironment(rules), ...options.env },
      network: options.network ?? 'none',
      limits: { ...options.limits, wallMs: timeoutMs },
    },
    amount: {
      head: options.head ?? SHOWN.head,
      tail: options.tail ?? SHOWN.tail,
      maxBytes: options.maxBytes ?? SHOWN.maxBytes,
    },
    ...(isConfined ? {} : { unsandboxed: [why, description.note].filter((part) => part !== undefined).join('; ') }),
  };
}

function chosen(given: Sandbox | Unsandboxed | undefined): { readonly sandbox: Sandbox; readonly why?: string } {
  if (given === undefined || given === null)
    throw new ConfigError(
      'The shell tool needs a sandbox: await bubblewrapSandbox(), or unsandboxed(processSandbox(), why) on purpose.',
    );
  return 'unsandboxed' in given ? { sandbox: given.unsandboxed, why: given.why } : { sandbox: given };
}

function refusalOf({ name, files, network, note }: SandboxDescription): string {
  const reasons = [files, network].filter(({ confined }) => !confined).map(({ by }) => by);
  return (
    `The sandbox “${name}” is none: ${reasons.join(', ')}${note === undefined ? '' : ` (${note})`}. ` +
    'Use bubblewrap, or wrap it in unsandboxed(…, why) if commands may run without.'
  );
}

/** Nothing but letters holds paths then: better than nothing, and said to be no more than that. */
function withPaths(rules: CommandRules, cwd: string, mounts: readonly Mount[]): CommandRules {
  if (rules.paths !== undefined) return rules;
  const roots = mounts.map(({ path, access }) => ({ path, write: access === 'read-write' }));
  const own = roots.find(({ path }) => path === cwd) ?? { path: cwd, write: false };
  return { ...rules, paths: pathRules({ roots: [own, ...roots.filter((root) => root !== own)] }) };
}

function classOf(effect: ShellOptions['effect']): ShellEffect | undefined {
  return typeof effect === 'string' ? { class: effect } : effect;
}

function effectOf(rules: CommandRules, isOffline: boolean, mounts: readonly Mount[]): ShellEffect {
  const leavesNoTrace = isOffline && mounts.every(({ access }) => access === 'read-only');
  const onlyReads = Object.values(rules.programs).every(({ readOnly }) => readOnly === true) && !canRedirect(rules);
  return leavesNoTrace || onlyReads
    ? { class: 'pure' }
    : { class: 'irreversible', why: 'a command that may change files' };
}

function canRedirect({ features = [] }: CommandRules): boolean {
  return features.includes('redirection');
}
