import type { Sandbox, SandboxLimits } from '../../packages/flyball/src/ports/sandbox.js';
import { shellTool } from '../../packages/flyball/src/toolbox/shell.js';
import table from './sandbox-cases.json' with { type: 'json' };

/** An entry of sandbox-cases.json for bubblewrap. */
export interface BubblewrapCase {
  readonly id: string;
  readonly tries: string;
  readonly sh: string;
  readonly shows: string;
  readonly showsByPrlimit?: string;
  readonly needs?: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Run before it, in a sandbox of its own. */
  readonly before?: string;
}

export const bubblewrapCases: readonly BubblewrapCase[] = table.bubblewrap;

export interface Places {
  readonly work: string;
  readonly readOnly: string;
}

/** Why a case says nothing on this machine; undefined when it is to be run. */
export function notRunBecause(each: BubblewrapCase, sandbox: Sandbox): string | undefined {
  const { processes } = sandbox.describe();
  return each.needs === 'processes' && !processes.confined ? processes.by : undefined;
}

export function patternOf(each: BubblewrapCase, sandbox: Sandbox): RegExp {
  const isByGroup = sandbox.describe().memory.by.startsWith('cgroup');
  return new RegExp(isByGroup ? each.shows : (each.showsByPrlimit ?? each.shows));
}

/** Runs a case through the tool, as a model would, and gives what the model reads. */
export async function readCase(
  {
    sandbox,
    places,
    fill,
  }: { readonly sandbox: Sandbox; readonly places: Places; readonly fill: (text: string) => string },
  each: BubblewrapCase,
): Promise<string> {
  const { wallMs = 10_000, ...limits } = each.limits ?? {};
  const tool = shellTool({
    sandbox,
    // everything is allowed, so that only the sandbox is left to hold it
    rules: { programs: { sh: { permit: ['programs'] } } },
    cwd: places.work,
    mounts: [
      { path: places.work, access: 'read-write' },
      { path: places.readOnly, access: 'read-only' },
    ],
    timeoutMs: wallMs,
    limits,
  });
  const run = async (script: string) => {
    const how = { key: 'k', signal: new AbortController().signal };
    return String(tool.present?.((await tool.execute({ argv: ['sh', '-c', fill(script)] }, how)) as never) ?? '');
  };
  if (each.before !== undefined) await run(each.before);
  return run(each.sh);
}
