import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, openBrowser, type Served, serve, until, type Visit, visit } from './stage-browser.js';

if (CHROMIUM === undefined)
  console.warn('No Chromium is installed (apt install chromium): the everyday use of the studio is not tried.');

/** Every status that stood in the head, one after the other, and since when. */
const WATCH_STATUS = `{
  globalThis.statuses = [];
  const look = () => {
    const status = document.querySelector('.run-title [data-status]')?.dataset.status;
    if (status !== undefined && status !== statuses.at(-1)?.status) statuses.push({ status, at: performance.now() });
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
  look();
}`;

describe.skipIf(CHROMIUM === undefined)('the studio, day by day', () => {
  let browser: Browser;
  let served: Served;
  const open: Visit[] = [];

  beforeAll(async () => {
    [browser, served] = await Promise.all([openBrowser(), serve()]);
  });
  afterAll(async () => {
    await browser?.close();
    await served?.close();
  });
  afterEach(async () => {
    for (const visited of open.splice(0)) await visited.close();
  });

  const come = async (path: string, options: Parameters<typeof visit>[2] = {}): Promise<Page> => {
    const made = await visit(browser, served.url, options);
    open.push(made);
    await made.go(path);
    return made.page;
  };
  const start = async (agent: string, input: unknown): Promise<string> => {
    const answer = await fetch(`${served.url}/v1/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ agent, input }),
    });
    return ((await answer.json()) as { readonly id: string }).id;
  };

  it('tells a failed command without moving the head, and lets go of it [F-D2]', async () => {
    const page = await come(`/runs/${await start('receptionist', {})}`);
    await page.waitForSelector('[data-status=suspended]');
    await page.waitForSelector('.banner'); // it comes a moment later, and moves everything
    const boxes = () =>
      page.evaluate(
        "JSON.stringify(['.run-title h1', '.controls'].map((one) => document.querySelector(one).getBoundingClientRect()))",
      );
    const before = await boxes();
    await page.route('**/pause', (route) => route.abort());
    await page.click('button:has-text("Pause")');
    await page.waitForSelector('text=The server is not responding.');
    expect(await boxes()).toBe(before);
    await page.unroute('**/pause');
    await page.click('button:has-text("Pause")');
    await page.waitForSelector('[data-status=paused]');
    await page.waitForSelector('text=The server is not responding.', { state: 'detached' });
  });

  it('shows where an output comes from that an agent asks about, and what is recommended, which one button takes [F-P2] [R8-PLANS-REQUESTS]', async () => {
    const run = await start('editor', { guest: 'Zoe' });
    const page = await come(`/inbox?run=${run}`);
    await page.waitForSelector('article.request');
    const rows = await page.locator('.review > div').allInnerTexts();
    const row = (title: string) =>
      rows
        .find((text) => text.startsWith(title))
        ?.split('\n')
        .slice(1);
    expect(row('Recommendation')).toEqual(['modify']);
    expect(row('Source')).toEqual([
      'Proposed by writer (scripted/writer) in #0.',
      '$.text: not found word for word in any source.',
      'Other sources: 1, listed in the entries of the run.',
    ]);
    expect(await page.innerText('[aria-label="Output"]')).toContain('the ferry leaves at noon.');
    expect(await page.innerText('[aria-label="Recommended instead"]')).toContain('the ferry leaves at one.');
    await page.click('button:has-text("Approve the recommendation")');
    await page.waitForSelector('[data-status=decided]');
    await until(page, "document.querySelector('article.request').innerText.includes('approved the recommendation')");
    await page.goto(`${served.url}/studio/runs/${run}`);
    await page.waitForSelector('[data-status=done]');
    const { outcome } = (await (await fetch(`${served.url}/v1/runs/${run}`)).json()) as { outcome: unknown };
    expect(outcome).toMatchObject({ value: { value: { text: 'Dear guest, the ferry leaves at one.' } } });
  });

  it('shows what was asked in list, header and title, finds it, and sorts [F-D3] [F-D4]', async () => {
    const runs: string[] = [];
    for (const order of ['Order one', 'Order two', 'Order three'])
      runs.push(await start('cashier', { request: order }));
    const page = await come('/runs?agent=cashier');
    await page.waitForSelector('.run-row:has-text("Order two")');
    await page.fill('[type=search]', 'order two');
    await until(page, "document.querySelectorAll('.run-item').length === 1");
    await page.fill('[type=search]', '');
    await page.click('.run-row-head >> text=Asked, and now');
    await until(page, 'location.search.includes("sort=asked")');
    await until(
      page,
      "[...document.querySelectorAll('.run-asked')].map((one) => one.textContent).join() === 'Order one,Order three,Order two'",
    );
    await page.click('.run-item:has-text("Order two")');
    await page.waitForSelector('.run-head:has-text("Order two")');
    await until(page, 'document.title.includes("cashier") && document.title.includes("Order two")');
  });

  it('keeps entry, selection and tab when the page is loaded again [F-D4]', async () => {
    const page = await come(`/runs/${await start('walker', { steps: 4 })}?tab=events`);
    await page.waitForSelector('.run-title [data-status=done]');
    await page.click('.event-row:has-text("step-2") >> nth=0');
    await page.click('text=Show the run as of this entry');
    await until(page, 'location.search.includes("at=") && location.search.includes("selected=")');
    const [address, line] = [page.url(), await page.innerText('.slider-line')];
    await page.reload();
    await page.waitForSelector('.event-row.picked:has-text("step-2")');
    expect(page.url()).toBe(address);
    expect(await page.innerText('.slider-line')).toBe(line);
    expect(await page.getAttribute('[role=tab][aria-selected=true]', 'id')).toBe('tab-events');
  });

  it('comes back to the search, the order and the row of a list, and to what was found in events [F-D4]', async () => {
    for (const n of [1, 2, 3]) await start('walker', { steps: 2, file: join(served.folder, `walk ${n}`) });
    const page = await come('/runs?agent=walker');
    await page.fill('[type=search]', 'walk');
    await page.click('.run-row-head >> text=Asked, and now');
    await page.click('.run-item:has-text("walk 2")');
    await page.waitForSelector('.run-title [data-status=done]');
    await page.goBack();
    await page.waitForSelector('.run-row.picked:has-text("walk 2")');
    expect(await page.inputValue('[type=search]')).toBe('walk');
    await page.reload();
    await page.waitForSelector('.run-row.picked:has-text("walk 2")');
    await page.keyboard.press('j'); // from there on
    await page.waitForSelector('.run-row.picked:has-text("walk 3")');
    await page.keyboard.press('Enter');
    await page.click('#tab-events');
    await page.fill('[type=search]', 'step-2');
    await until(page, "location.search.includes('find=step-2')");
    const found = await page.locator('.event-row').count();
    await page.reload();
    await page.waitForSelector('.event-row:has-text("step-2")');
    expect(await page.inputValue('[type=search]')).toBe('step-2');
    expect(await page.locator('.event-row').count()).toBe(found);
  });

  it('stays calm while a run sleeps for moments, and shows its wake-ups as ticks [F-D5]', async () => {
    const naps = 30;
    const run = await start('dozer', { naps });
    const page = await come(`/runs/${run}`);
    await page.waitForSelector('.run-title [data-status]');
    await page.evaluate(WATCH_STATUS);
    await page.waitForSelector('.run-title [data-status=done]');
    // a nap on a busy machine may last long enough to be told; none is there for a moment only
    const seen = (await page.evaluate('statuses')) as readonly { readonly status: string; readonly at: number }[];
    const lasted = seen
      .slice(1, -1)
      .map(({ status, at }, index) => [status, (seen[index + 2]?.at ?? at) - at] as const);
    expect(lasted.filter(([, ms]) => ms < 1_000)).toEqual([]);
    const { entries } = (await (await fetch(`${served.url}/v1/runs/${run}/entries`)).json()) as {
      entries: readonly { readonly event: { readonly type: string } }[];
    };
    const woken = entries.filter(({ event }) => event.type === 'attempt-start').length;
    expect(woken, 'attempts in the journal').toBeGreaterThan(naps / 2);
    expect(await page.locator('.wf-row:has-text("attempt")').count()).toBe(1);
    expect(await page.locator('.wf-wake').count()).toBe(woken - 1);
  });

  it('copies, exports and runs again [F-D7]', async () => {
    const run = await start('walker', { steps: 3 });
    const page = await come(`/runs/${run}`, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.waitForSelector('.run-title [data-status=done]');
    await page.click('.run-actions button:has-text("Copy")');
    await page.waitForSelector('text=Copied');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(run);
    const saving = page.waitForEvent('download');
    await page.click('text=Export');
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(`${run}.jsonl`);
    const lines = readFileSync(await saved.path(), 'utf8')
      .trim()
      .split('\n');
    const { entries } = (await (await fetch(`${served.url}/v1/runs/${run}/entries`)).json()) as { entries: unknown[] };
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(entries);
    await page.click('text=Run again');
    await page.waitForSelector('textarea, [name=steps]');
    expect(await page.inputValue('textarea')).toContain('"steps": 3');
    await page.click('button:has-text("Start")');
    await page.waitForURL((url) => url.pathname.startsWith('/studio/runs/') && !url.pathname.endsWith(run));
    await page.waitForSelector('.run-result:has-text("walked 3 steps")');
  });
});
