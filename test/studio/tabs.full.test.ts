import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
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

  /** Each tab has a run of its own, held in its third step; keys are given to the tabs in turn. */
  const openTabs = async ({ url }: Served, context: BrowserContext, gate: string, keys: readonly string[]) => {
    const pages: Page[] = [];
    for (let index = 0; index < TABS; index++) {
      const key = keys[index % keys.length];
      const answer = await fetch(`${url}/v1/runs`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ agent: 'walker', input: { steps: 4, gate } }),
      });
      const { id } = (await answer.json()) as { readonly id: string };
      const page = await context.newPage();
      if (key !== undefined) await page.addInitScript(`sessionStorage.setItem('flyball.key', ${JSON.stringify(key)})`);
      page.setDefaultTimeout(patient(30_000));
      pages.push(page);
      await page.goto(`${url}/studio/runs/${id}?tab=events`);
      await page.waitForSelector('.event-row:has-text("step-2")');
    }
    return pages;
  };

  it('with eight live tabs Pause reaches the server, and every tab stays live [F-D1]', async () => {
    const gate = join(served.folder, 'eight-tabs');
    const first = await visit(browser, served.url);
    try {
      const pages = await openTabs(served, first.page.context(), gate, []);
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

  it('with two keys in eight tabs each hears its own runs, and Pause still arrives [F-D1]', async () => {
    const keys: string[] = [];
    const guarded = await serve({
      before: async (flyball) => {
        for (const name of ['ada', 'ben'])
          keys.push(
            /fb_[A-Za-z0-9_-]+/.exec(await flyball('keys', 'create', '--name', name, '--scope', 'admin'))?.[0] ?? '',
          );
      },
    });
    const gate = join(guarded.folder, 'two-keys');
    const first = await visit(browser, guarded.url);
    try {
      const pages = await openTabs(guarded, first.page.context(), gate, keys);
      for (const page of pages.slice(-2)) {
        const answered = page.waitForResponse('**/pause');
        await page.click('button:has-text("Pause")');
        expect((await answered).ok()).toBe(true);
      }
      writeFileSync(gate, '');
      for (const page of pages.slice(-2)) await page.waitForSelector('.run-title [data-status=paused]');
      for (const page of pages.slice(0, -2)) await page.waitForSelector('.run-title [data-status=done]');
    } finally {
      await first.close();
      await guarded.close();
    }
  });
});
