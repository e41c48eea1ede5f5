import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { CHROMIUM, openBrowser, type Served, serve, visit } from './stage-browser.js';

if (CHROMIUM === undefined)
  console.warn('No Chromium is installed (apt install chromium): the studio is not tried in several tabs.');

const TABS = 8;

describe.skipIf(CHROMIUM === undefined)('the studio in several tabs', () => {
  let browser: Browser;
  let served: Served;

  beforeAll(async () => {
    [browser, served] = await Promise.all([openBrowser(), serve()]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });

  const start = async (agent: string, input: unknown): Promise<string> => {
    const answer = await fetch(`${served.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent, input }),
    });
    return ((await answer.json()) as { readonly id: string }).id;
  };

  it('with eight live tabs Pause reaches the server, and every tab stays live [F-D1]', async () => {
    const gate = join(served.folder, 'eight-tabs');
    const runs = await Promise.all(Array.from({ length: TABS }, () => start('walker', { steps: 4, gate })));
    const first = await visit(browser, served.url);
    const pages: Page[] = [];
    try {
      for (const [index, run] of runs.entries()) {
        const page = index === 0 ? first.page : await first.page.context().newPage();
        page.setDefaultTimeout(patient(30_000));
        pages.push(page);
        await page.goto(`${served.url}/studio/runs/${run}?tab=events`);
        await page.waitForSelector('.event-row:has-text("step-2")');
      }
      const last = pages.at(-1) as Page;
      const answered = last.waitForResponse('**/pause');
      await last.click('button:has-text("Pause")');
      expect((await answered).ok()).toBe(true);
      writeFileSync(gate, ''); // the step that is under way comes to its end first
      await last.waitForSelector('.run-title [data-status=paused]');
      // each of the others hears the rest of its own run
      for (const page of pages.slice(0, -1)) await page.waitForSelector('.run-title [data-status=done]');
      for (const page of pages.slice(0, -1)) expect(await page.innerText('main')).toContain('walked 4 steps');
      await last.click('button:has-text("Resume")');
      await last.waitForSelector('.run-title [data-status=done]');
    } finally {
      await first.close();
    }
  });
});
