import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapSandbox, detectBubblewrap } from '../../src/adapters/sandbox-bubblewrap/index.js';
import type { Sandbox, SandboxLimits } from '../../src/ports/sandbox.js';
import { shellTool } from '../../src/toolbox/shell.js';
import { commandLines, HostCanaries, SECRET_TEXT } from './host-canaries.js';
import table from './sandbox-cases.json' with { type: 'json' };

interface Case {
  readonly id: string;
  readonly tries: string;
  readonly sh: string;
  readonly shows: string;
  readonly limits?: Partial<SandboxLimits>;
  /** Run before it, in a sandbox of its own. */
  readonly before?: string;
}

const cases: readonly Case[] = table.bubblewrap;
const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the cases of bubblewrap: ${found.why}.\n`);

describe.skipIf(!found.available)(
  'what a program tries inside bubblewrap [R3-SANDBOX-BWRAP] [R3-SHOW-SECURITY]',
  () => {
    const host = new HostCanaries();
    let sandbox: Sandbox;
    beforeAll(async () => {
      await host.start();
      sandbox = await bubblewrapSandbox();
    });
    afterAll(() => host.stop());

    /** Runs it through the tool, as a model would, and gives what the model reads. */
    async function read(script: string, limits: Case['limits'] = {}): Promise<string> {
      const { wallMs = 10_000, ...rest } = limits;
      const tool = shellTool({
        sandbox,
        // everything is allowed, so that only the sandbox is left to hold it
        rules: { programs: { sh: { permit: ['programs'] } } },
        cwd: host.work,
        mounts: [
          { path: host.work, access: 'read-write' },
          { path: host.readOnly, access: 'read-only' },
        ],
        timeoutMs: wallMs,
        limits: rest,
      });
      const signal = new AbortController().signal;
      const made = await tool.execute({ argv: ['sh', '-c', host.fill(script)] }, { key: 'k', signal });
      return tool.present?.(made as never) ?? '';
    }

    it.each(cases.map((each) => [`${each.id}: ${each.tries}`, each] as const))(
      'is contained and told — %s',
      async (_name, each) => {
        if (each.before !== undefined) await read(each.before);
        const text = await read(each.sh, each.limits);

        expect(text).toMatch(new RegExp(each.shows));
        expect(text).not.toContain(SECRET_TEXT);
        expect(host.changes()).toEqual([]);
        expect(commandLines().filter((line) => /sleep 4711|sleep 1000/.test(line))).toEqual([]);
      },
    );

    it('leaves no control group behind', () => {
      if (sandbox.describe().memory.by.startsWith('prlimit'))
        return process.stdout.write('Skipped: limits are held by prlimit.\n');
      const left = ['memory', 'pids', 'cpuacct', ''].flatMap((name) => groupsBelow(`/sys/fs/cgroup/${name}`));
      expect(left.filter((path) => path.includes(`flyball-${process.pid}-`))).toEqual([]);
      return undefined;
    });
  },
);

function groupsBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return []; // a controller that this machine does not have
  }
}
