import { budget, createRuntime, done } from 'flyball';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { patient } from '../patience.js';
import { freePort } from '../postgres/server.js';
import { serverStage } from '../server/stage-server.js';
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
    expect(await page.textContent('.queue')).toContain('The queue is empty.');
    const told = JSON.parse(await served.flyball('workers', '--json')) as { readonly workers: readonly unknown[] };
    expect(told.workers).toMatchObject([{ state: 'working', weight: 1 }]);
    await until(page, "document.querySelector('.queue').dataset.waiting === '0'");
    expect(await page.$('.dispatcher')).toBeNull();
  });

  it('shows the runs that a process holds, with their leases, and lines that no process serves [R10-WORK-VIEW]', async () => {
    const stage = await serverStage();
    onTestFinished(() => stage.close());
    const agents = { nobodys: { agent: async () => done(1), version: '7' } };
    const desk = createRuntime({ engine: stage.engine, agents, options: { worker: 'elsewhere' } });
    await desk.start('nobodys', null, { budget: budget({}) });
    await desk.close();
    const body = { agent: 'counter', input: { to: 1, pauseMs: patient(30_000) } };
    const held = (await stage.call('POST', '/v1/runs', { body })).body;
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.url}/studio/workers`);
    await page.waitForSelector('.held li');
    expect(await page.textContent('.held li')).toMatch(/^counter lease for \d+ s$/);
    expect(await page.getAttribute('.held a', 'href')).toContain(held.id);
    expect(await page.textContent('table[aria-label=Queue] tbody tr')).toMatch(/nobodys 7.*none/);
    await stage.call('POST', `/v1/runs/${held.id}/cancel`, { body: {} });
  });

  it('shows since when a process is silent, what to do about it, and how many of the waiting runs are its own [R19-SILENT-SINCE] [R19-QUEUE-TENANTS]', async () => {
    const stage = await serverStage();
    onTestFinished(() => stage.close());
    const agents = { nobodys: { agent: async () => done(1), version: '7' } };
    const desk = createRuntime({ engine: stage.engine, agents, options: { worker: 'elsewhere' } });
    await desk.start('nobodys', null, { id: 'lost', budget: budget({}) });
    await desk.start('nobodys', null, { budget: budget({}), tenant: 'other' });
    await desk.close();
    const owner = { id: 'far:1:31c5a92d', host: 'far', bootId: 'b', pid: 1, startTime: '1' };
    const now = Date.now() - 300_000;
    await stage.engine.claim('lost', { owner, now, leaseMs: 15_000, isGone: () => false });
    const page = await browser.newPage();
    onTestFinished(() => page.close());
    await page.goto(`${stage.url}/studio/workers`);
    await page.waitForSelector('.lost');
    expect(await page.textContent('.lost')).toMatch(/^Its leases ended [45] min ago\. If it is gone, .*flyball owner/);
    expect(await page.textContent('.queue')).toContain('2 waiting in the queue, 1 of them in your tenant');
  });

  it('shows what a slow server answers, however long that takes, and asks again [R10-WORK-VIEW]', async () => {
    const slow = await visit(browser, served.url);
    onTestFinished(() => slow.close());
    let asked = 0;
    await slow.page.route('**/v1/workers', async (route) => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      await route.continue();
    });
    await slow.go('/workers');
    await slow.page.waitForSelector('table[aria-label=Workers] tbody tr');
    await expect.poll(() => asked, { timeout: patient(30_000) }).toBeGreaterThan(1);
  });

  it("links to Restate's UI where Restate decides whose turn it is, also while it is away [R10-RESTATE-UI]", async () => {
    const ui = 'http://restate.example:9070/ui';
    const dispatched = await serve({
      dispatcher: `restate://127.0.0.1:${await freePort()}?listen=127.0.0.1:0&ui=${encodeURIComponent(ui)}`,
    });
    onTestFinished(() => dispatched.close());
    const seen = await visit(browser, dispatched.url);
    onTestFinished(() => seen.close());
    await seen.go('/workers');
    await seen.page.waitForSelector('.dispatcher a');
    expect(await seen.page.getAttribute('.dispatcher a', 'href')).toBe(ui);
  });
});
