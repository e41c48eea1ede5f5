import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, type Served, serve, until, type Visit, visit } from './stage-browser.js';

if (CHROMIUM === undefined)
  console.warn('No Chromium is installed (apt install chromium): the page of workers is not tried.');

describe.skipIf(CHROMIUM === undefined)('the workers page of the studio', () => {
  let browser: Browser;
  let served: Served;
  let visited: Visit;

  beforeAll(async () => {
    [browser, served] = await Promise.all([openBrowser(), serve()]);
    visited = await visit(browser, served.url);
  });
  afterAll(async () => {
    await visited?.close();
    await browser?.close();
    await served?.close();
  });

  it('shows who works, on which versions, and what waits in line [R10-WORK-VIEW]', async () => {
    await visited.go('/runs');
    const { page } = visited;
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.waitForSelector('table[aria-label=Workers] tbody tr');
    const row = await page.textContent('table[aria-label=Workers] tbody tr');
    expect(row).toContain('working');
    expect(row).toMatch(/receptionist 1/);
    expect(row).toMatch(/\d+ of [\d,]+/);
    expect(await page.textContent('.queue')).toContain('No run waits in line.');
    const told = JSON.parse(await served.flyball('workers', '--json')) as { readonly workers: readonly unknown[] };
    expect(told.workers).toMatchObject([{ state: 'working', weight: 1 }]);
    await until(page, "document.querySelector('.queue').dataset.waiting === '0'");
  });
});
