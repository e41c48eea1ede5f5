import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { freshSchema, sharedServer, whyNoServer } from '../postgres/server.js';
import { CHROMIUM, openBrowser, until, type Visit, visit } from '../studio/stage-browser.js';
import { rollOut, type Scene } from './rolling.js';

const why = whyNoServer() ?? (CHROMIUM === undefined ? 'no Chromium is installed' : undefined);
if (why !== undefined) process.stdout.write(`Skipped watching the cluster in the studio: ${why}.\n`);

/** Long enough that runs are at work while the page catches up with each change. */
const STEPS = 150;

describe.skipIf(why !== undefined)('the demonstration of a cluster, watched in the studio', () => {
  let browser: Browser;
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    [browser, server] = await Promise.all([openBrowser(), sharedServer()]);
  });
  afterAll(async () => {
    await browser?.close();
    server?.remove();
  });

  it('one page, behind the balancer, shows the worker that was killed, the new version beside the old, and all runs done [R10-SHOW-DEMO]', async () => {
    let visited: Visit | undefined;
    const seen: Record<string, readonly string[]> = {};
    const watch = async (_text: string, scene?: Scene): Promise<void> => {
      if (scene === undefined) return;
      if (visited === undefined) {
        visited = await visit(browser, scene.url);
        await visited.go('/workers');
      }
      const { page } = visited;
      const rows = (): Promise<readonly string[]> =>
        page.$$eval('table[aria-label=Workers] tbody tr', (all) => all.map((row) => row.textContent ?? ''));
      const pids = (all: readonly string[]): readonly number[] =>
        all
          .filter((row) => row.includes('working'))
          .map((row) => Number(/ (\d+)working/.exec(row)?.[1]))
          .sort((a, b) => a - b);
      // the page is never loaded again: it follows, whichever server answers
      await expect
        .poll(async () => pids(await rows()), { timeout: patient(60_000), interval: 200 })
        .toEqual([...scene.working].sort((a, b) => a - b));
      seen[scene.phase] = await rows();
      if (scene.phase !== 'done') return;
      await visited.walk('/runs');
      await until(page, '(document.body.innerText.match(/\\bdone\\b/gi) ?? []).length >= 16');
    };
    const rolled = await rollOut(`${server.url}?schema=${freshSchema()}`, watch, { steps: STEPS });
    await visited?.close();
    expect(rolled).toMatchObject({ done: 16, missing: 0, keys: 1, exits: [0, 0, 0, 0], versions: ['1', '2'] });
    const versions = (phase: string) => [...new Set(seen[phase]?.flatMap((row) => /count \d/.exec(row)?.[0] ?? []))];
    expect(versions('up')).toEqual(['count 1']);
    expect(versions('mixed').sort()).toEqual(['count 1', 'count 2']);
    expect(versions('replaced')).toEqual(['count 2']);
  });
});
