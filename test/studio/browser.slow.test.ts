import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeResultsFile } from '../../src/adapters/eval-files/results-file.js';
import { results, simulation } from '../evals/stage-results.js';
import {
  CHROMIUM,
  isTooWide,
  openBrowser,
  type Served,
  serve,
  TAKES_PICTURES,
  until,
  type Visit,
  visit,
} from './stage-browser.js';

if (CHROMIUM === undefined)
  console.warn('No Chromium is installed (apt install chromium): the studio is not tried in a browser.');

/** What stood in the page for a moment, however short. */
const WATCH_ARRIVING = `{
  globalThis.arrived = new Set();
  new MutationObserver(() => {
    for (const one of document.querySelectorAll('.turn-answer.arriving')) arrived.add(one.textContent);
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}`;

interface Card {
  readonly id: string;
  readonly status: string;
}

describe.skipIf(CHROMIUM === undefined)('the studio in a browser', () => {
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
    for (const { strangers, errors, close } of open.splice(0)) {
      await close();
      expect(strangers, 'requests to other origins').toEqual([]);
      expect(errors, 'errors of the page').toEqual([]);
    }
  });

  const come = async (path: string, options: Parameters<typeof visit>[2] = {}, url = served.url): Promise<Visit> => {
    const made = await visit(browser, url, options);
    open.push(made);
    await made.go(path);
    return made;
  };
  const post = async (path: string, body: unknown): Promise<Card> => {
    const answer = await fetch(`${served.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as Card;
  };
  const read = async <T>(path: string): Promise<T> => (await (await fetch(`${served.url}${path}`)).json()) as T;
  const start = (agent: string, input: unknown): Promise<Card> => post('/v1/runs', { agent, input });
  const rested = async (id: string): Promise<Card> => {
    for (;;) {
      const card = await read<Card>(`/v1/runs/${id}`);
      if (!['pending', 'running'].includes(card.status)) return card;
    }
  };

  it('starts a run from a form, shows it live, and takes an approval [R6-SHOW-BROWSER] [R6-STUDIO-PLAYGROUND] [R6-STUDIO-INBOX] [R6-STUDIO-LIVE]', async () => {
    const { page, picture } = await come('/playground/cashier');
    expect(await page.inputValue('[name=request]')).toBe('Please refund order A-17.');
    await page.fill('[name=copies]', '1.5');
    await page.click('text=Start');
    await page.waitForSelector('text=copies must be a whole number');
    await page.fill('[name=copies]', '2');
    await page.selectOption('[name=urgent]', 'true');
    await page.click('summary:has-text("Lower its bounds")');
    await page.fill('[name=costUsd]', '0.1');
    await picture('studio-playground');
    await page.click('text=Start');
    await page.waitForURL('**/runs/*');
    await page.waitForSelector('[data-status=suspended]');
    const run = page.url().split('/').at(-1) ?? '';
    expect(await read(`/v1/runs/${run}`)).toMatchObject({
      input: { request: 'Please refund order A-17.', urgent: true, copies: 2 },
      usage: { costUsd: { limit: 0.1 } },
    });
    await page.click('text=Answer in the inbox');
    const request = page.locator('article.request');
    await request.getByText('120 EUR go back to the customer, today.').waitFor();
    for (const words of ['It cannot be taken back', 'pay back half of it', '86 %', 'rule check', 'A-17', 'pay_back'])
      expect(await request.innerText()).toContain(words);
    await picture('studio-inbox');
    await page.click('button:has-text("Approve")');
    await page.click('text=Approve now');
    await page.waitForSelector('[data-shown][data-status=decided]');
    expect(await request.innerText()).toContain('local approved');
    await page.click(`a:has-text("${run}")`);
    await page.waitForSelector('[data-status=done]');
    expect(await rested(run)).toMatchObject({ status: 'done' });
    await page.goto(`${served.url}/studio/playground/cashier`);
    await page.waitForSelector('[name=copies]');
    expect(await page.inputValue('[name=copies]')).toBe('2'); // remembered
  });

  it('rejects by keyboard, only with a reason, and the run is told it [R6-SHOW-BROWSER] [R6-STUDIO-INBOX]', async () => {
    const first = await start('cashier', { request: 'order one' });
    const second = await start('cashier', { request: 'order two' });
    await Promise.all([rested(first.id), rested(second.id)]);
    const { page } = await come('/runs');
    await page.waitForSelector('.run-row:has-text("cashier")');
    await page.keyboard.press('g');
    await page.keyboard.press('i');
    await page.waitForSelector('article.request');
    await page.keyboard.press('j');
    await page.waitForSelector('.request-row[aria-current]:has-text("pay_back") >> nth=0');
    const shown = await page.getAttribute('article.request[data-shown]', 'data-shown');
    await until(page, 'location.pathname.startsWith("/studio/inbox/")');
    await page.keyboard.press('r');
    await page.waitForSelector('.verdict-form textarea:focus');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('text=To reject needs a reason');
    await page.keyboard.type('it was paid back on Monday');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('article.request[data-status=decided]');
    expect(await page.innerText('article.request')).toContain('it was paid back on Monday');
    const { items } = await read<{ items: { id: string; run: string }[] }>('/v1/approvals?status=decided');
    const rejected = items.at(-1)?.run ?? '';
    expect([first.id, second.id]).toContain(rejected);
    expect(shown).toBeTruthy();
    await page.goto(`${served.url}/studio/runs/${rejected}`);
    await page.waitForSelector('[data-status=done]');
    const { entries } = await read<{ entries: unknown[] }>(`/v1/runs/${rejected}/entries`);
    expect(JSON.stringify(entries)).toContain('It was not paid');
    expect(JSON.stringify(entries)).toContain('it was paid back on Monday');
  });

  it('changes the arguments of an action, checked by its schema, and is asked again about the change', async () => {
    const { id } = await start('cashier', { request: 'order three' });
    await rested(id);
    const { page } = await come(`/inbox?run=${id}`);
    await page.waitForSelector('article.request');
    await page.keyboard.press('m');
    await page.fill('[name=amount]', '900');
    await page.click('text=Modify now');
    await page.waitForSelector('text=amount must be at most 500');
    await page.fill('[name=amount]', '60');
    await page.click('text=Modify now');
    await page.waitForSelector('[data-status=decided]');
    await page.goto(`${served.url}/studio/inbox?run=${id}`);
    await page.waitForSelector('text=60 EUR go back');
    expect(await page.innerText('article.request')).toContain('local modified');
    await page.keyboard.press('a');
    await page.waitForSelector('.verdict-form textarea:focus');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('[data-status=decided]');
    expect(await rested(id)).toMatchObject({ status: 'done' });
  });

  it('asks questions by their widgets, and a new one appears by itself [R6-STUDIO-INBOX] [R6-STUDIO-LIVE]', async () => {
    const { page } = await come('/inbox');
    await page.waitForSelector('.inbox-head');
    const { id } = await start('receptionist', {});
    const row = page.locator('.request-row', { hasText: 'Which berth do you want?' });
    await row.click();
    await page.click('text=Answer >> nth=-1');
    await page.waitForSelector('text=Choose one.');
    await page.check('text=the quiet one');
    await page.click('button:has-text("Answer")');
    await page.waitForSelector('[data-status=decided]');
    await page.locator('.request-row', { hasText: 'Who comes' }).click();
    await page.fill('[name=name]', 'Ada');
    await page.fill('[name=nights]', '0');
    await page.click('button:has-text("Answer")');
    await page.waitForSelector('text=nights must be at least 1');
    await page.fill('[name=nights]', '3');
    await page.click('button:has-text("Answer")');
    await page.waitForSelector('[data-status=decided]');
    expect(await rested(id)).toMatchObject({ status: 'done' });
  });

  it('holds a conversation, turn by turn [R6-STUDIO-PLAYGROUND]', async () => {
    const { page } = await come('/playground/cashier');
    await page.check('text=Conversation: turn by turn');
    await page.click('text=Begin a conversation');
    await page.fill('.say textarea', 'Good morning');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turn-answer:has-text("You said: Good morning")');
    await page.fill('.say textarea', 'And good night');
    await page.click('text=Send');
    await page.waitForSelector('.turn-answer:has-text("You said: And good night")');
    await page.reload();
    await page.check('text=Conversation: turn by turn');
    await page.waitForSelector('.turn-answer:has-text("You said: And good night")');
    expect(await page.locator('.turn').count()).toBe(2);
  });

  it('shows the words of an answer as they come, and that a demonstration is one [R6-STUDIO-LIVE]', async () => {
    const { page } = await come('/playground/harbour-desk');
    await page.waitForSelector('text=Demonstration: scripted model');
    await page.check('text=Conversation: turn by turn');
    await page.click('text=Begin a conversation');
    await page.evaluate(WATCH_ARRIVING);
    await page.fill('.say textarea', 'When is high water in Cuxhaven?');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turn-answer:not(.arriving):has-text("04:15 and 16:38")', { timeout: 20_000 });
    const whole = await page.innerText('.turn-answer');
    const parts = (await page.evaluate('[...arrived]')) as string[];
    expect(parts.some((part) => part !== '' && part.length < whole.length && whole.startsWith(part.trim()))).toBe(true);
  });

  it('sees a run go on by itself after the server was killed, each step once [R6-SHOW-BROWSER] [R6-STUDIO-LIVE]', async () => {
    const [file, gate] = [join(served.folder, 'steps.txt'), join(served.folder, 'gate')];
    const { id } = await start('walker', { steps: 6, file, gate });
    const visited = await come(`/runs/${id}?tab=events`);
    const { page } = visited;
    await page.waitForSelector('.event-row:has-text("step-2")');
    await served.kill();
    try {
      await page.waitForSelector('.connection[data-state=waiting]');
      expect(await page.innerText('.connection')).toContain('Server away, trying again');
      writeFileSync(gate, '');
    } finally {
      await served.again();
    }
    await page.waitForSelector('.run-title [data-status=done]', { timeout: 20_000 });
    await page.waitForSelector('text=Taken over once');
    const steps = readFileSync(file, 'utf8').trim().split('\n');
    expect(new Set(steps).size).toBe(6); // each under its own key
    expect(steps).toHaveLength(7); // the one in flight was begun again, under the same key
    const lost = visited.errors.filter((text) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(text));
    (visited.errors as string[]).splice(0, visited.errors.length, ...lost); // the browser tells of every lost connection
  });

  it('goes back in time, and forks from there [R6-SHOW-BROWSER]', async () => {
    const { id } = await start('walker', { steps: 4 });
    await rested(id);
    const { page, picture } = await come(`/runs/${id}`);
    await page.waitForSelector('[data-status=done]');
    const slider = page.locator('.slider-range');
    const all = Number(await slider.getAttribute('max'));
    expect(all).toBeGreaterThan(8);
    await page.keyboard.press('Home');
    await page.waitForSelector('text=As it stood');
    await page.waitForSelector('.slider-line:has-text("Entry 1 of")');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.slider-line:has-text("Entry 2 of")');
    await slider.fill(String(all - 3));
    await page.waitForSelector(`.slider-line:has-text("Entry ${all - 3} of")`);
    expect(await page.locator('.run-title [data-status=done]').count()).toBe(0);
    await picture('studio-time-travel');
    const button = page.locator('button:has-text("Fork from here")');
    if (await button.isDisabled()) await page.click('text=Go to the nearest fork point');
    await button.click();
    await page.click('dialog button.primary:has-text("Fork")');
    await page.waitForURL((to) => !to.pathname.endsWith(id));
    await page.waitForSelector('text=forked from');
    await page.waitForSelector('[data-status=done]');
  });

  it('keeps only what is seen of 10,000 events in the page [R6-STUDIO-VIRTUAL] [R6-SHOW-BROWSER]', async () => {
    const { id } = await start('teller', { events: 10_000 });
    await rested(id);
    const { page } = await come(`/runs/${id}?tab=events`);
    await until(
      page,
      '/^10,?\\d{3} events$/.test(document.querySelector(".events-head [role=status]")?.textContent ?? "")',
    );
    expect(await page.locator('.event-row').count()).toBeLessThan(150);
    await page.keyboard.press('Home');
    await page.waitForSelector('.slider-line:has-text("Entry 1 of")');
    await page.keyboard.press('End');
    await page.locator('.events').evaluate('(list) => { list.scrollTop = list.scrollHeight / 2; }');
    await until(page, 'Number(document.querySelector(".event-row")?.getAttribute("data-seq")) > 4000');
    expect(await page.locator('.event-row').count()).toBeLessThan(150);
    expect(Number(await page.evaluate('document.querySelectorAll("*").length'))).toBeLessThan(3000);
    await page.click('#tab-timeline');
    await page.waitForSelector('#panel-timeline');
    expect(Number(await page.evaluate('document.querySelectorAll("*").length'))).toBeLessThan(5000);
  });

  it('fits a phone in the dark: nothing has to be scrolled sideways [R6-STUDIO-OFFLINE]', async () => {
    const { id } = await start('cashier', { request: 'order four' });
    await rested(id);
    const phone = {
      viewport: { width: 360, height: 740 },
      colorScheme: 'dark',
      isMobile: true,
      hasTouch: true,
    } as const;
    const { page, go, picture } = await come('/runs', phone);
    for (const [path, there] of [
      ['/runs', '.run-item'],
      [`/runs/${id}`, '.run-title [data-status]'],
      [`/runs/${id}?tab=events`, '.event-row'],
      [`/runs/${id}?tab=conversation`, '#panel-conversation > *'],
      ['/inbox', '.request-row'],
      [`/inbox?run=${id}`, 'article.request'],
      ['/playground/cashier', '[name=request]'],
      ['/agents', '[data-agent=cashier]'],
      ['/evals', '.empty'],
      ['/who', '.who'],
    ] as const) {
      await go(path);
      await page.waitForSelector(there);
      expect(await isTooWide(page), path).toBe(false);
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 17, 22)');
    await go(`/inbox?run=${id}`);
    await page.waitForSelector('article.request');
    await picture('studio-phone');
  });

  it('is used by keyboard alone, and says which keys there are [R6-STUDIO-OFFLINE]', async () => {
    const { page } = await come('/runs');
    await page.waitForSelector('.runs-head');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to the content');
    await page.keyboard.press('?');
    await page.waitForSelector('dialog[open] >> text=Go to inbox');
    await page.keyboard.press('Escape');
    await page.waitForSelector('dialog[open]', { state: 'detached' });
    for (const [key, title] of [
      ['p', 'Playground'],
      ['a', 'Agents'],
      ['e', 'Evaluations'],
      ['r', 'Runs'],
    ] as const) {
      await page.keyboard.press('g');
      await page.keyboard.press(key);
      await until(page, `document.title.startsWith(${JSON.stringify(title)})`);
    }
    await page.waitForSelector('.run-item');
    await page.keyboard.press('j');
    await page.waitForSelector('.run-row.picked');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/runs/*');
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    expect(await page.getAttribute('html', 'data-theme')).toBe('dark');
  });

  it.runIf(TAKES_PICTURES)('has its picture taken', async () => {
    const asked = { 'voyage-plan': {}, 'notice-writer': {}, 'refund-desk': {}, 'night-watch': { berths: 40 } };
    const runs = new Map<string, string>();
    for (const [agent, input] of Object.entries(asked)) runs.set(agent, (await start(agent, input)).id);
    for (const agent of ['voyage-plan', 'notice-writer', 'refund-desk']) await rested(runs.get(agent) ?? '');
    const { page, go, picture } = await come('/runs');
    await page.waitForSelector('.run-item');
    await picture('studio-runs');
    for (const [agent, tab, name] of [
      ['notice-writer', 'timeline', 'studio-timeline'],
      ['refund-desk', 'conversation', 'studio-conversation'],
      ['voyage-plan', 'plan', 'studio-plan'],
      ['notice-writer', 'gates', 'studio-gates'],
      ['notice-writer', 'diff', 'studio-diff'],
    ] as const) {
      await go(`/runs/${runs.get(agent)}?tab=${tab}`);
      await page.waitForSelector(`#panel-${tab} > *`);
      await page.waitForTimeout(500);
      await picture(name);
    }
  });

  it('asks for a key, keeps it for the tab only, and shows evaluations to whoever has one [R6-STUDIO-OFFLINE] [R6-STUDIO-EVALS]', async () => {
    let secret = '';
    const evals = join(served.folder, 'evals');
    for (const [agent, rewards, agentCost] of [
      ['baseline', [1, 0, 0, 1], 0.012],
      ['governed', [1, 1, 1, 0], 0.03],
      ['verified', [1, 1, 1, 1], 0.19],
    ] as const)
      await writeResultsFile(
        join(evals, 'autumn', agent, 'results.json'),
        results(
          { agent },
          rewards.map((reward, index) => simulation(`t${index}`, reward, { agentCost })),
          [],
        ),
      );
    const guarded = await serve({
      evals,
      before: async (flyball) => {
        secret =
          /fb_[A-Za-z0-9_-]+/.exec(await flyball('keys', 'create', '--name', 'ada', '--scope', 'admin'))?.[0] ?? '';
      },
    });
    try {
      const visited = await come('/evals', {}, guarded.url);
      const { page, picture } = visited;
      await page.waitForSelector('text=Sign in');
      await page.fill('input[type=password]', 'fb_wrong_key');
      await page.keyboard.press('Enter');
      await page.waitForSelector('text=The server does not take this key');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.fill('input[type=password]', secret);
      await page.keyboard.press('Enter');
      await page.waitForSelector('svg.plot');
      expect(await page.locator('.plot-mark[data-agent]').count()).toBe(3);
      expect(await page.innerText('table')).toContain('75 %');
      await picture('studio-evaluations');
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(secret);
      await page.goto(`${guarded.url}/studio/who`);
      await page.waitForSelector('h1:has-text("ada")');
      await page.click('main >> text=Sign out');
      await page.waitForSelector('h1:has-text("Sign in")');
      expect(await page.evaluate('sessionStorage.getItem("flyball.key")')).toBeNull();
      const refused = visited.errors.filter((text) => !text.includes('401'));
      (visited.errors as string[]).splice(0, visited.errors.length, ...refused); // the browser tells of every 401
    } finally {
      for (const visited of open) await visited.page.close(); // what it still asks for would fail with the server
      await guarded.close();
    }
  });
});
