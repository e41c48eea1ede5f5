import { FlyballError } from '../core/errors.js';
import { toolFrom } from '../tools/define-tool.js';
import type { DefinedTool, ToolDefinition } from '../tools/tool-definition.js';
import { judgeCall, SHELL_INPUT, type ShellCall, shellInput } from './shell-call.js';
import { withPlainGit } from './shell-git.js';
import { withKeptFolders } from './shell-mounts.js';
import { presentShell, type ShellResult, shellResult } from './shell-report.js';
import { type ShellOptions, type ShellSetup, setUpShell } from './shell-setup.js';

export type { ShellCall } from './shell-call.js';
export type { ShellResult } from './shell-report.js';
export { type ShellOptions, type Unsandboxed, unsandboxed } from './shell-setup.js';

/** The sandbox ends a command first, so that the model reads which limit it was; the runtime's own timeout comes after. */
const MARGIN_MS = 5000;

/**
 * Runs allowed programs in a sandbox, by argument vectors: there is no shell.
 *
 * Model calls: none. Not for a service with credentials that several agents share: that is an MCP server.
 *
 * @pattern I4
 */
export function shellTool(options: ShellOptions): DefinedTool<ShellCall, ShellResult> {
  const setup = setUpShell(options);
  const definition: ToolDefinition<ReturnType<typeof shellInput>, ShellResult> = {
    name: options.name ?? 'shell',
    description: descriptionOf(setup),
    input: shellInput(setup.rules),
    inputJsonSchema: SHELL_INPUT,
    effect: setup.effect,
    timeoutMs: setup.timeoutMs + MARGIN_MS,
    legs: setup.legs,
    touches: (call) => ({ commands: commandsIn(call) }),
    present: presentShell,
    execute: async (call, { signal }) => {
      // judged again although the schema did: a guard may have changed the arguments since
      const judged = judgeCall(setup.rules, call);
      if (!judged.ok) throw new FlyballError('DENIED', judged.why);
      if (judged.approval !== undefined && !setup.asks)
        throw new FlyballError('DENIED', `${judged.approval} Nobody can be asked here, so it is not run.`);
      const job = { ...setup.job, mounts: withKeptFolders(setup.job, setup.rules), stages: judged.stages };
      const result = await setup.sandbox.run(await withPlainGit(setup.sandbox, setup.rules, job, signal), { signal });
      return shellResult(result, { ...setup, sandbox: setup.sandbox.name });
    },
  };
  // its commands are judged (V6), what they print is cut (V11), and where it is confined a sandbox runs them (V8)
  const provides = [...(setup.unsandboxed === undefined ? (['V8'] as const) : []), 'V6', 'V11', 'V14'] as const;
  return toolFrom(definition, undefined, { id: 'I4', name: 'shellTool', provides }) as DefinedTool<
    ShellCall,
    ShellResult
  >;
}

function commandsIn(call: ShellCall): readonly (string | readonly string[])[] {
  if ('command' in call) return [call.command];
  return 'argv' in call ? [call.argv] : call.pipeline;
}

function descriptionOf({ rules, job, timeoutMs, unsandboxed }: ShellSetup): string {
  const writable = job.mounts.filter(({ access }) => access === 'read-write').map(({ path }) => path);
  return [
    'Runs a command-line program and returns its exit code and output. There is no shell: no variables, patterns, redirections or chaining; pipes work.',
    `Allowed programs: ${Object.keys(rules.programs).sort().join(', ')}.`,
    `Working folder: ${job.cwd}. ${writable.length === 0 ? 'Nothing can be written.' : `Writable: ${writable.join(', ')}.`}`,
    `${job.network === 'host' || unsandboxed !== undefined ? '' : 'No network. '}A command is killed after ${timeoutMs / 1000} s.`,
  ].join(' ');
}
