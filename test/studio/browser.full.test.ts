import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { writeResultsFile } from '../../packages/evals/src/files/results-file.js';
import { results, said, simulation } from '../evals/stage-results.js';
import {
  CHROMIUM,
  cutOff,
  expectOnlyText,
  isTooWide,
  openBrowser,
  type Served,
  serve,
  TAKES_PICTURES,
  tooSmallToTouch,
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

/** The details of each once, in one frame each. */
const OPEN_EVERY_EVENT = `(async () => {
  for (const row of document.querySelectorAll('.event-row')) {
    row.click();
    await new Promise(requestAnimationFrame);
    if (document.querySelector('main :is(img, script, iframe)') !== null) globalThis.hacked = 'an element was made';
  }
})()`;

const PROMPTS: Readonly<Record<string, string>> = {
  'choose-several': 'Which flags?',
  file: 'The list of names, please.',
  number: 'How many crew?',
  confirm: 'Is that all?',
};

const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'dark', isMobile: true, hasTouch: true } as const;

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
      await new Promise((resolve) => setTimeout(resolve, 25)); // the server needs the processor more than we do
    }
  };

  it('starts a run from a form, shows it live, and takes an approval [R6-SHOW-BROWSER] [R6-STUDIO-PLAYGROUND] [R6-STUDIO-INBOX] [R6-STUDIO-LIVE]', async () => {
    const { page } = await come('/playground/cashier');
    expect(await page.inputValue('[name=request]')).toBe('Please refund order A-17.');
    await page.fill('[name=copies]', '1.5');
    await page.click('button:has-text("Start")');
    await page.waitForSelector('text=copies must be a whole number');
    await page.fill('[name=copies]', '2');
    await page.selectOption('[name=urgent]', 'true');
    await page.click('summary:has-text("Lower the limits")');
    await page.fill('[name=costUsd]', '0.1');
    await page.click('button:has-text("Start")');
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
    await page.waitForURL('**/studio/inbox/*');
    const opened = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
    const { run: rejected } = await read<{ run: string }>(`/v1/approvals/${encodeURIComponent(opened)}`);
    await page.waitForSelector(`.request-row[aria-current]:has-text("pay_back")`);
    await page.waitForSelector(`article.request[data-shown="${opened}"]`); // and not the one before it
    await page.keyboard.press('r');
    await page.waitForSelector('.verdict-form textarea:focus');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('text=Enter a reason to reject');
    await page.keyboard.type('it was paid back on Monday');
    await page.keyboard.press('Control+Enter');
    await page.waitForSelector('article.request[data-status=decided]');
    expect(await page.innerText('article.request')).toContain('it was paid back on Monday');
    await page.goto(`${served.url}/studio/runs/${rejected}`);
    await page.waitForSelector('[data-status=done]');
    const { entries } = await read<{ entries: unknown[] }>(`/v1/runs/${rejected}/entries`);
    expect(JSON.stringify(entries)).toContain('It was not paid');
    expect(JSON.stringify(entries)).toContain('it was paid back on Monday');
  });

  it('changes the arguments of an action, where the cursor is, checked by its schema, and is asked again about the change [F-D7]', async () => {
    const { id } = await start('cashier', { request: 'order three' });
    await rested(id);
    const { page } = await come(`/inbox?run=${id}`);
    await page.waitForSelector('article.request');
    await page.keyboard.press('m');
    await page.waitForSelector('.verdict-form :is(input, select, textarea):focus');
    // in the arguments, and not in the reason below them [F-D7]
    expect(
      await page.evaluate(
        "document.activeElement === document.querySelector('.verdict-form :is(input, select, textarea)')",
      ),
    ).toBe(true);
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
    const answer = page.locator('.verdict button:has-text("Answer")');
    await answer.click();
    await page.waitForSelector('text=Choose one.');
    await page.check('text=the quiet one');
    await answer.click();
    await page.waitForSelector('[data-status=decided]');
    await page.locator('.request-row', { hasText: 'Who comes' }).click();
    await page.fill('[name=name]', 'Ada');
    await page.fill('[name=nights]', '0');
    await answer.click();
    await page.waitForSelector('text=nights must be at least 1');
    await page.fill('[name=nights]', '3');
    await answer.click();
    await page.waitForSelector('[data-status=decided]');
    expect(await rested(id)).toMatchObject({ status: 'done' });
  });

  it('takes days, several choices, files, numbers and a yes, each checked before it is sent [R6-STUDIO-INBOX]', async () => {
    const { id } = await start('clerk', {});
    await rested(id);
    const { page } = await come(`/inbox?run=${id}`);
    const send = page.locator('.verdict button.primary');
    const asked = async (widget: string): Promise<void> => {
      await page.locator(`.request-row`, { hasText: PROMPTS[widget] ?? '' }).click();
      await page.waitForSelector(`[data-widget=${widget}]`);
    };
    await page.waitForSelector('.menu a:has-text("Inbox") .count');
    await page.fill('[name=answer]', '2030-05-01');
    await send.click();
    await asked('choose-several');
    await page.check('.choices label:has-text("A")');
    await send.click();
    await page.waitForSelector('text=Choose at least 2.');
    await page.check('.choices label:has-text("C")');
    await send.click();
    await asked('file');
    const file = (content: string) => ({ name: 'names.txt', mimeType: 'text/plain', buffer: Buffer.from(content) });
    await page.setInputFiles('input[type=file]', file('x'.repeat(41)));
    await page.waitForSelector('text=names.txt has 41 bytes; at most 40 are allowed.');
    await page.setInputFiles('input[type=file]', file('Ada, Grace'));
    await page.waitForSelector('.field-problem', { state: 'detached' });
    await send.click();
    await asked('number');
    await page.fill('[name=answer]', '0');
    await send.click();
    await page.waitForSelector('text=must be at least 1');
    await page.fill('[name=answer]', '4');
    await send.click();
    await asked('confirm');
    await page.click('.verdict >> text=Yes');
    await page.waitForSelector('[data-status=decided]');
    expect(await rested(id)).toMatchObject({ status: 'done' });
    const { outcome } = await read<{ outcome: { value: string } }>(`/v1/runs/${id}`);
    for (const part of ['2030-05-01', 'A', 'C', 'Ada, Grace', '4']) expect(outcome.value).toContain(part);
  });

  it('passes a request on to somebody else, with a reason, and says to whom [R6-STUDIO-INBOX]', async () => {
    const { id } = await start('cashier', { request: 'order five' });
    await rested(id);
    const { page } = await come(`/inbox?run=${id}`);
    await page.waitForSelector('article.request');
    await page.keyboard.press('e');
    await page.click('text=Escalate now');
    await page.waitForSelector('text=Enter a reason to escalate');
    await page.keyboard.type('more than I may pay');
    await page.click('text=Escalate now');
    await page.waitForSelector('[data-status=decided]');
    await page.goto(`${served.url}/studio/inbox?run=${id}`);
    await page.waitForSelector('text=It was escalated to the head of the desk.');
    expect(await page.innerText('article.request')).toContain('more than I may pay');
  });

  it('shows hostile text as text, wherever a run can put one [R6-STUDIO-OFFLINE]', async () => {
    const runs = await Promise.all(['mimic', 'scribbler'].map((agent) => start(agent, {})));
    await Promise.all(runs.map(({ id }) => rested(id)));
    const { page, go } = await come('/agents');
    await page.waitForSelector('[data-agent=mimic]');
    await expectOnlyText(page);
    for (const { id } of runs) {
      await go(`/inbox?run=${id}`);
      await page.waitForSelector('article.request:has-text("<img src=x onerror")');
      await page.waitForSelector('article.request:has-text("[U+202E]021 RUE")');
      await expectOnlyText(page);
    }
    await page.check('.choices label >> nth=0');
    await page.click('.verdict button.primary');
    await page.waitForSelector('[data-status=decided]');
    await go(`/inbox?run=${runs[0]?.id}`);
    await page.click('button:has-text("Approve")');
    await page.click('text=Approve now');
    await page.waitForSelector('[data-status=decided]');
    await Promise.all(runs.map(({ id }) => rested(id)));
    for (const { id } of runs) {
      await go(`/runs/${id}`);
      await page.waitForSelector('.wf-row');
      for (const tab of await page.locator('[role=tab]').all()) {
        await tab.click();
        await page.waitForSelector(`#${(await tab.getAttribute('aria-controls')) ?? ''} > *`);
        await expectOnlyText(page);
      }
      await page.evaluate(OPEN_EVERY_EVENT);
      await expectOnlyText(page);
    }
    await go('/runs');
    await page.waitForSelector('.run-now:has-text("<img src=x onerror")');
    await expectOnlyText(page);
  });

  it('holds a conversation, turn by turn [R6-STUDIO-PLAYGROUND]', async () => {
    const { page } = await come('/playground/cashier');
    await page.check('text=Conversation: several turns');
    await page.click('text=Start a conversation');
    await page.fill('.say textarea', 'Good morning');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turn-answer:has-text("You said: Good morning")');
    await page.fill('.say textarea', 'And good night');
    await page.click('text=Send');
    await page.waitForSelector('.turn-answer:has-text("You said: And good night")');
    await page.reload();
    await page.check('text=Conversation: several turns');
    await page.waitForSelector('.turn-answer:has-text("You said: And good night")');
    expect(await page.locator('.turn').count()).toBe(2);
  });

  it('shows the words of an answer as they come, and that a demonstration is one [R6-STUDIO-LIVE]', async () => {
    const { page } = await come('/playground/harbor-desk');
    // some agents of this server are scripted as a demonstration, some are not
    await page.waitForSelector('.banner:has-text("replies of 7 agents are canned; no language model is used")');
    await page.waitForSelector('.playground .badge:has-text("Demo")');
    await page.click('.banner >> text=Hide');
    await page.waitForSelector('.banner', { state: 'detached' });
    await page.check('text=Conversation: several turns');
    await page.click('text=Start a conversation');
    await page.evaluate(WATCH_ARRIVING);
    await page.fill('.say textarea', 'When is high water in Cuxhaven?');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.turn-answer:not(.arriving):has-text("04:15 and 16:38")');
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
      expect(await page.innerText('.connection')).toContain('Server unreachable, reconnecting');
      writeFileSync(gate, '');
    } finally {
      await served.again();
    }
    await page.waitForSelector('.run-title [data-status=done]');
    await page.waitForSelector('text=Crashed and resumed');
    const steps = readFileSync(file, 'utf8').trim().split('\n');
    expect(new Set(steps).size).toBe(6); // each under its own key
    expect(steps).toHaveLength(7); // the one in flight was begun again, under the same key
    const lost = visited.errors.filter((text) => !/ERR_(CONNECTION|INCOMPLETE|EMPTY)/.test(text));
    (visited.errors as string[]).splice(0, visited.errors.length, ...lost); // the browser tells of every lost connection
  });

  it('goes back in time, and forks from there [R6-SHOW-BROWSER] [R6-STUDIO-TIME] [R6-STUDIO-FORK] [R6-STUDIO-RUNS]', async () => {
    const { id } = await start('walker', { steps: 4 });
    await rested(id);
    const { page } = await come(`/runs/${id}`);
    await page.waitForSelector('.run-result'); // the card may be there before the journal is
    const slider = page.locator('.slider-range');
    const all = Number(await slider.getAttribute('max'));
    expect(all).toBeGreaterThan(8);
    await page.keyboard.press('Home');
    await page.waitForSelector('text=Historical view');
    await page.waitForSelector('.slider-line:has-text("Entry 1 of")');
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('.slider-line:has-text("Entry 2 of")');
    await slider.fill(String(all - 3));
    await page.waitForSelector(`.slider-line:has-text("Entry ${all - 3} of")`);
    expect(await page.locator('.run-title [data-status=done]').count()).toBe(0);
    const button = page.locator('button:has-text("Fork from here")');
    if (await button.isDisabled()) await page.click('text=Go to the nearest fork point');
    await button.click();
    await page.click('dialog button.primary:has-text("Fork")');
    await page.waitForURL((to) => !to.pathname.endsWith(id));
    await page.waitForSelector('text=forked from');
    await page.waitForSelector('[data-status=done]');
    await page.waitForSelector('.run-result:has-text("walked 4 steps")');
    await page.waitForSelector('.run-facts:has-text("entries inherited")');
    await page.click('.brand');
    await page.waitForSelector('.run-row:has-text("Fork") .run-now:has-text("walked 4 steps")');
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

  it('says what is wrong and what to do next where there is nothing to show, and comes back by itself', async () => {
    const visited = await come('/agents');
    const { page, walk } = visited;
    // what a shared worker asks for cannot be answered by a test; without one the page holds the stream itself
    await page.addInitScript('delete globalThis.SharedWorker');
    await visited.go('/playground/nobody');
    await page.waitForSelector('text=There is no agent nobody on this server');
    await walk('/runs/nothing');
    await page.waitForSelector('[role=alert]:has-text("There is no run nothing.")');
    const { id } = await start('walker', { steps: 1 });
    const card = { ...(await rested(id)), id: 'fresh', agent: 'retired', status: 'pending', outcome: undefined };
    await page.route('**/v1/runs/fresh', (route) => route.fulfill({ json: card }));
    await page.route('**/v1/events?runs=fresh*', (route) =>
      route.fulfill({ headers: { 'content-type': 'text/event-stream' }, body: ': nothing yet\n\n' }),
    );
    await walk('/runs/fresh');
    await page.waitForSelector('text=No events yet');
    await page.waitForSelector('.badge:has-text("Agent not on this server")');
    const refusal = {
      title: 'Not allowed',
      status: 403,
      code: 'FORBIDDEN',
      retryable: false,
      next: 'Use another key.',
    };
    await page.route('**/v1/approvals?*', (route) =>
      route.fulfill({ status: 403, json: { ...refusal, detail: 'This requires the scope approvals:decide.' } }),
    );
    await walk('/inbox');
    await page.waitForSelector('[role=alert]:has-text("approvals:decide") >> text=Use another key.');
    await page.route('**/v1/**', (route) => route.abort());
    await walk(`/runs/${id}`);
    await page.waitForSelector('[role=alert]:has-text("The server is not responding.")');
    await walk('/agents');
    await page.waitForSelector('[role=alert]:has-text("The server is not responding.")');
    await page.unroute('**/v1/**');
    await page.waitForSelector('[data-agent=cashier]');
    (visited.errors as string[]).splice(0); // the browser tells of every refusal
  });

  it('fits a phone in the dark: nothing has to be scrolled sideways, and no page or tab is cut off [R6-STUDIO-OFFLINE] [R8-REST-PHONE]', async () => {
    const { id } = await start('cashier', { request: 'order four' });
    await rested(id);
    const { page, walk } = await come('/runs', PHONE);
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
      await walk(path);
      await page.waitForSelector(there);
      expect(await isTooWide(page), path).toBe(false);
      expect(await tooSmallToTouch(page), path).toEqual([]);
      for (const width of [390, 360]) {
        await page.setViewportSize({ width, height: 844 });
        expect(await cutOff(page), `${path} at ${width}`).toEqual([]);
      }
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(14, 17, 22)');
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
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Skip to the content'); // where it was
    for (const [key, title] of [
      ['p', 'Playground'],
      ['a', 'Agents'],
      ['e', 'Evaluations'],
      ['w', 'Workers'],
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
    const demonstration = await serve({ agents: 'demonstration' });
    const begin = async (agent: string, input: unknown): Promise<string> => {
      const body = JSON.stringify({ agent, input });
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${demonstration.url}/v1/runs`, { method: 'POST', headers, body });
      return ((await answer.json()) as Card).id;
    };
    const { page, go, picture } = await come('/runs', {}, demonstration.url);
    try {
      const desk = await begin('harbor-desk', {});
      const voyage = await begin('voyage-plan', {});
      const notice = await begin('notice-writer', {});
      for (const id of [desk, voyage, notice]) await page.waitForSelector(`#run-${id} [data-status=done]`);
      const refund = await begin('refund-desk', { request: 'I cancelled order A-17 in time. Please pay me back.' });
      await page.waitForSelector(`#run-${refund} [data-status=suspended]`);
      await begin('night-watch', { berths: 40 });
      await page.waitForSelector('.run-now:has-text("Phase: round")');
      await page.waitForSelector('.count');
      await picture('studio-runs');
      for (const [id, tab, there] of [
        [notice, 'timeline', '.wf-row'],
        [refund, 'conversation', '.segment'],
        [voyage, 'plan', '.node'],
        [notice, 'gates', 'details[open] table'],
        [notice, 'diff', '[data-diff]'],
      ] as const) {
        await go(`/runs/${id}?tab=${tab}`);
        await page.waitForSelector(`#panel-${tab} ${there}`);
        if (tab === 'timeline') await page.click('[role=treeitem][aria-label^="Model call"] >> nth=2');
        if (tab === 'conversation') await page.click('.index-row >> nth=1');
        await until(page, '!document.body.innerText.includes("Loading the prompt")');
        if (tab === 'timeline') await page.evaluate('scrollTo(0, 0)');
        await picture(`studio-${tab}`);
      }
      await go(`/runs/${voyage}?tab=plan`);
      await page.waitForSelector('.slider-range');
      await page.locator('.slider-range').fill('42');
      await page.waitForSelector('.node[data-state=running]');
      await picture('studio-time-travel');
      await go(`/inbox?run=${refund}`);
      await page.waitForSelector('article.request');
      await picture('studio-inbox');
      await go('/playground/refund-desk');
      await page.waitForSelector('[name=request]');
      await picture('studio-playground');
      const phone = await come('/runs', PHONE, demonstration.url);
      await phone.go(`/inbox?run=${refund}`);
      await phone.page.waitForSelector('article.request');
      await phone.picture('studio-phone');
    } finally {
      for (const visited of open) await visited.page.close();
      await demonstration.close();
    }
  });

  it('asks for a key, keeps it for the tab only, and shows evaluations, down to each conversation, to whoever has one [R6-STUDIO-OFFLINE] [R6-STUDIO-EVALS] [R8-EVAL-STUDIO]', async () => {
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
          rewards.map((reward, index) =>
            simulation(`t${index}`, reward, { agentCost, messages: [said('user', `Question ${index}.`)] }),
          ),
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
      await page.waitForSelector('text=The server did not accept this key');
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      await page.fill('input[type=password]', secret);
      await page.keyboard.press('Enter');
      await page.waitForSelector('svg.plot');
      expect(await page.locator('.plot-mark[data-agent]').count()).toBe(3);
      expect(await page.innerText('table')).toContain('75 %');
      await picture('studio-evaluations');
      await page.click('a.eval-cell:has-text("2 / 4 = 50 %")'); // the baseline's DB match
      await page.waitForSelector('h2:has-text("Simulations of m1 / baseline")');
      await page.click('td a:has-text("t2")');
      await page.waitForSelector('.eval-talk:has-text("Question 2.")');
      expect(await page.innerText('h2')).toContain('failed');
      await page.reload(); // where one is stands in the address
      await page.waitForSelector('.eval-talk:has-text("Question 2.")');
      await page.click('text=All simulations of the condition');
      await page.waitForSelector('h2:has-text("Simulations of m1 / baseline")');
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(secret);
      await page.goto(`${guarded.url}/studio/who`);
      await page.waitForSelector('h1:has-text("ada")');
      await page.waitForSelector('.tools a:has-text("ada")');
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
