import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CHROMIUM,
  isTooWide,
  openBrowser,
  type Served,
  serve,
  tooSmallToTouch,
  until,
  type Visit,
  visit,
} from './stage-browser.js';

if (CHROMIUM === undefined)
  console.warn('No Chromium is installed (apt install chromium): the page and the tab of patterns are not tried.');

describe.skipIf(CHROMIUM === undefined)('patterns in the studio', () => {
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

  const ran = async (agent: string): Promise<string> => {
    const answer = await fetch(`${served.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent, input: 'When does the ferry leave?' }),
    });
    return ((await answer.json()) as { readonly id: string }).id;
  };

  it('the page: a grid by category, a filter that stands in the address, and a graph of relations [R17-STUDIO-PAGE]', async () => {
    await visited.go('/runs');
    const { page } = visited;
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForSelector('.pattern-card');
    expect(await page.locator('.pattern-card').count()).toBe(94);
    expect(await page.locator('section[data-category=reasoning] .pattern-card').count()).toBeGreaterThan(15);
    await page.fill('input[type=search]', 'vote majority agree');
    await until(page, "document.querySelector('[data-count]').dataset.count === '0'");
    await page.fill('input[type=search]', 'selfConsistency');
    await until(page, "document.querySelector('[data-count]').dataset.count === '1'");
    expect(page.url()).toContain('q=selfConsistency');
    await page.fill('input[type=search]', '');
    await page.selectOption('select[aria-label=Category]', 'humanizer');
    await until(page, "document.querySelector('[data-count]').dataset.count === '10'");
    await page.selectOption('select[aria-label=Category]', '');
    await page.click('button:has-text("Show the graph")');
    await page.waitForSelector('[data-relation="O6 requires O17"]', { state: 'attached' });
    expect(await page.locator('.relation-node').count()).toBe(94);
    await page.locator('.relation-node[data-pattern=R17]').click();
    await page.waitForSelector('h1:has-text("R17 Self-Consistency Voting")');
    expect([visited.errors, visited.strangers]).toEqual([[], []]);
  });

  it('one pattern: parameters in, calls out, and the curves of the laboratory with their condition [R17-STUDIO-PAGE]', async () => {
    await visited.go('/patterns/selfConsistency');
    const { page } = visited;
    await page.waitForSelector('output.calculated:has-text("10 to 12 model calls")');
    await page.fill('input[name=samples]', '5');
    await page.waitForSelector('output.calculated:has-text("5 to 7 model calls")');
    await page.fill('input[name="part agent"]', '3');
    await page.fill('input[name="fact grouped"]', '1');
    await page.waitForSelector('output.calculated:has-text("16 model calls")');
    await page.fill('input[name="fact grouped"]', '9');
    await page.waitForSelector('output.calculated:has-text("grouped is between 0 and 2")');
    await page.waitForSelector('section[aria-label=Laboratory] .curve-dot');
    expect(await page.locator('section[aria-label=Laboratory] .curve').count()).toBe(2);
    expect(await page.textContent('section[aria-label=Laboratory]')).toContain('simulated models');
    expect(await page.locator('table[aria-label=Claims] tbody tr').count()).toBeGreaterThan(1);
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await isTooWide(page)).toBe(false);
    expect(await tooSmallToTouch(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('the tab of a run: the tree of patterns with predicted and actual calls and cost [R17-STUDIO-TAB]', async () => {
    const { page } = visited;
    await visited.go(`/runs/${await ran('committee')}?tab=patterns`);
    await page.waitForSelector('[data-span="/reflexion.0"]');
    const own = '[data-span="/reflexion.0"] > .span-line';
    await page.waitForSelector(`${own}:has-text("7 model calls")`);
    expect(await page.textContent(own)).toMatch(/reflexion \(R7\).*done.*predicted at least 3.*\$0\.\d+/);
    const votes = page.locator('[data-span="/reflexion.0"] > .span-tree > li > .span-line:has-text("selfConsistency")');
    expect(await votes.count()).toBe(2);
    expect(await votes.first().textContent()).toMatch(/3 model calls.*predicted 3/);
    // the slider goes back to before the second attempt
    await page.keyboard.press('Home');
    await until(page, "document.querySelectorAll('[data-span]').length < 3");
    expect(visited.errors).toEqual([]);
  });

  it('the tab of a run: what the linter finds, at the pattern that it is about [R17-STUDIO-TAB]', async () => {
    const { page } = visited;
    await visited.go(`/runs/${await ran('waiter')}?tab=patterns`);
    const at = '[data-span="/greeting.0"]';
    await page.waitForSelector(`${at} > .span-findings [data-rule=UNPREDICTED]`);
    expect(await page.textContent(`${at} > .span-findings`)).toContain(
      'It made 1 model calls, and 2 to 3 were predicted',
    );
    expect(await page.textContent(`${at} > .span-line`)).toContain('fewer than predicted');
    const about = 'section[aria-label="Findings about the run"]';
    expect(await page.locator(`${about} [data-rule=HA1]`).count()).toBe(1);
    expect(await page.locator(`${about} [data-rule=OPAQUE]`).count()).toBe(1);
  });
});
