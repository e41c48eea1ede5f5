import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bubblewrapSandbox, detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/index.js';
import type { Sandbox } from '../../packages/flyball/src/ports/sandbox.js';
import { bubblewrapCases, notRunBecause, patternOf, readCase } from './bubblewrap-cases.js';
import { commandLines, HostCanaries, SECRET_TEXT } from './host-canaries.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the cases of bubblewrap: ${found.why}.\n`);

describe.skipIf(!found.available)(
  'what a program tries inside bubblewrap [R3-SANDBOX-BWRAP] [R3-SANDBOX-FRESH] [R3-SHOW-SECURITY]',
  () => {
    const host = new HostCanaries();
    let sandbox: Sandbox;
    beforeAll(async () => {
      await host.start();
      sandbox = await bubblewrapSandbox();
    });
    afterAll(() => host.stop());

    const titled = bubblewrapCases.map((each) => [`${each.id}: ${each.tries}`, each] as const);
    it.each(titled)('is contained and told — %s [V8.2] [V8.3] [V8.acceptance]', async (_name, each) => {
      const because = notRunBecause(each, sandbox);
      if (because !== undefined) {
        process.stdout.write(`Skipped ${each.id}: ${because}.\n`);
        return;
      }
      const text = await readCase({ sandbox, places: host, fill: (script) => host.fill(script) }, each);

      expect(text).toMatch(patternOf(each, sandbox));
      expect(text).not.toContain(SECRET_TEXT);
      expect(host.changes()).toEqual([]);
      expect(commandLines().filter((line) => /^sleep (?:4711|1000)/.test(line))).toEqual([]);
    });

    it('leaves no control group behind', () => {
      const left = ['memory', 'pids', 'cpuacct', ''].flatMap((name) => groupsBelow(`/sys/fs/cgroup/${name}`));
      expect(left.filter((path) => path.includes(`flyball-${process.pid}-`))).toEqual([]);
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
