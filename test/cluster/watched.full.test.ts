import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { patient } from '../patience.js';
import { whyNoServer } from '../postgres/server.js';
import { CHROMIUM, openBrowser, until, visit } from '../studio/stage-browser.js';

const why = whyNoServer() ?? (CHROMIUM === undefined ? 'no Chromium is installed' : undefined);
if (why !== undefined) process.stdout.write(`Skipped watching the cluster in the studio: ${why}.\n`);

interface Demonstration {
  /** What was said up to the next stop, and which processes work then. */
  stopped(): Promise<{ readonly said: string; readonly working: readonly number[] }>;
  pressEnter(): void;
  /** The rest of what it says, and its exit code. */
  ended(): Promise<{ readonly said: string; readonly code: number | null }>;
}

/** The command itself, as somebody types it. */
function demonstration(): Demonstration {
  const { NODE_OPTIONS: _hooks, ...env } = process.env;
  const child = spawn('npm', ['run', '-s', 'demo:cluster', '--', '--pause'], {
    ...{ cwd: root, env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'close') as Promise<[number | null]>;
  child.stdin.on('error', () => undefined); // it has ended
  onTestFinished(async () => {
    child.stdin.end(); // it goes on without stops, and cleans up after itself
    await exit;
  }, patient(300_000));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  const taken = (): string => {
    const text = said;
    said = '';
    return text;
  };
  const STOP = /At work: ([\d, ]+)\. Press Enter/;
  return {
    async stopped() {
      await expect.poll(() => said, { timeout: patient(120_000), interval: 100 }).toMatch(STOP);
      const working = STOP.exec(said)?.[1]?.split(', ').map(Number) ?? [];
      return { said: taken(), working: working.sort((a, b) => a - b) };
    },
    pressEnter: () => void child.stdin.write('\n'),
    async ended() {
      const [code] = await exit;
      return { said: taken(), code };
    },
  };
}

interface Row {
  readonly pid: number;
  readonly version: string;
}

/** Processes that the page shows at work. */
async function working(page: Page): Promise<readonly Row[]> {
  const rows: readonly (readonly string[])[] = await page.$$eval('table[aria-label=Workers] tbody tr', (all) =>
    all.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent ?? '')),
  );
  return rows
    .filter(([, state]) => state === 'working')
    .map(([process = '', , agents = '']) => ({
      pid: Number(process.split(' ').at(-1)),
      version: /count \d+/.exec(agents)?.[0] ?? agents,
    }))
    .sort((a, b) => a.pid - b.pid);
}

describe.skipIf(why !== undefined)('npm run demo:cluster, watched in the studio', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  it(
    'one page, behind the balancer, shows the worker that was killed, the new version beside the old, and all runs done [R10-SHOW-DEMO]',
    async () => {
      const demo = demonstration();
      const up = await demo.stopped();
      const url = /Studio: (http:\/\/[^/]+)/.exec(up.said)?.[1] ?? '';
      const visited = await visit(browser, url);
      const { page } = visited;
      await visited.go('/workers');
      // the page is never loaded again: it follows, whichever server answers
      const shows = async ({ working: pids }: { readonly working: readonly number[] }): Promise<readonly Row[]> => {
        const seen = async () => (await working(page)).map(({ pid }) => pid);
        await expect.poll(seen, { timeout: patient(60_000), interval: 200 }).toEqual(pids);
        return working(page);
      };
      const next = (): ReturnType<Demonstration['stopped']> => {
        demo.pressEnter();
        return demo.stopped();
      };
      const versions = (rows: readonly Row[]) => [...new Set(rows.map(({ version }) => version))].sort();

      expect(up.working).toHaveLength(3);
      expect(versions(await shows(up))).toEqual(['count 1']);

      const killed = await next();
      expect(killed.said).toContain('Killed worker');
      expect(killed.working).toHaveLength(2);
      expect(up.working).toEqual(expect.arrayContaining([...killed.working]));
      expect(versions(await shows(killed))).toEqual(['count 1']);

      const mixed = await next();
      expect(versions(await shows(mixed))).toEqual(['count 1', 'count 2']);

      const replaced = await next();
      expect(versions(await shows(replaced))).toEqual(['count 2']);
      expect(replaced.working.some((pid) => up.working.includes(pid))).toBe(false);

      await next();
      await visited.walk('/runs');
      await until(page, '(document.body.innerText.match(/\\bdone\\b/gi) ?? []).length >= 16');
      await visited.close();
      demo.pressEnter();
      const end = await demo.ended();
      expect(end.said).toContain('16 runs are done. 0 steps are missing');
      expect(end.said).toContain('Versions 1 and 2 worked on them. Stopped processes exited with 0, 0, 0, 0.');
      expect(end.code).toBe(0);
    },
    patient(300_000),
  );
});
