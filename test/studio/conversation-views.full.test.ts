import { type Agent, done, type Model, type Run, systemClock } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { type DefinedTool, tool } from 'flyball/tools';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/flyball/src/core/events.js';
import { governance, parsePolicy } from '../../packages/flyball/src/tools/governance/index.js';
import { criticized, judging, loopWith, SMOOTH, TASK } from '../commit/stage-commit.js';
import { call, proposes, proposesAll } from '../loops/stage-loop.js';
import { planAgent, planText, thinking, toolStep } from '../plans/stage-plan.js';
import { gate } from '../runtime/stage.js';
import { type ServerStage, serverStage } from '../server/stage-server.js';

/** Opened by the tests that watch a step under way, and a reply while it is said. */
let searching = gate();
let listening = gate();
let speaking = gate();

const named = (name: string, execute: () => Promise<string>) =>
  tool({
    name,
    description: `Does ${name}. Not for anything else.`,
    effect: 'pure',
    input: { type: 'object', properties: { path: { type: 'string' } } },
    retry: { retries: 0 },
    execute,
  }) as unknown as DefinedTool;

const read = named('read_file', async () => 'The figures are in order.');
const mail = named('send_mail', async () => 'sent');
const search = named('search', async () => {
  await searching.opened;
  return 'found';
});

function agents() {
  const model = scriptedModel({
    ...SMOOTH,
    reader: ({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return { ...proposes('read_file', { path: 'reports/q1.md' }), text: 'I read it first.' };
      return results === 1 ? proposes('send_mail', { path: 'ada' }, 'c2') : 'Nothing was sent.';
    },
    planner: ({ messages }) =>
      messages.some(({ content }) => content.includes(TASK.goal))
        ? planText([thinking('explain')])
        : planText([toolStep('find', 'search'), thinking('sum', { dependsOn: ['find'] })], { shape: 'partial' }),
    worker: ({ messages, tools }) => {
      if (tools.length === 0) return 'Tides turn.\nBecause of the moon.';
      const asked = messages.some(({ content }) => content.includes('Do find.'));
      return asked && messages.at(-1)?.role === 'user' ? proposesAll(call('search', { path: 'tides' })) : 'Done.';
    },
    judge: judging((shown) => (shown.includes('the sun') ? {} : { correctness: 0.4 })),
    critic: () => criticized({ description: 'The sun is missing.' }),
    speaker: () => 'Half of it, and the rest.',
    repairer: () => 'Tides turn.\nBecause of the moon and the sun.',
  });
  /** Says half of its reply, and the rest when the test lets it. */
  const slow: Model = {
    ...model,
    generate: async (request, how) => {
      await listening.opened;
      how.onDelta?.({ type: 'text', text: 'Half of it, ' });
      await speaking.opened;
      return model.generate(request, how);
    },
  };
  const reader = toolLoop({
    session: { name: 'reader', model, setup: 'You read reports.' },
    tools: [read, mail],
    config: { doubleConfirmation: false },
  });
  const plan = planAgent(model, { tools: [search] });
  return {
    reader: (run: Run) => reader(run, 'Read the report and tell Ada.'),
    plan: (run: Run) => plan(run, 'Do it.'),
    speaker: async (run: Run) =>
      done((await run.ask({ name: 'speaker', model: slow, setup: 'Speak.' }, 'Say it.')).text),
    commit: (run: Run) => loopWith(model)(run, TASK),
  } as unknown as Readonly<Record<string, Agent<unknown, unknown>>>;
}

const NO_MAIL = parsePolicy(
  {
    version: '5',
    reviewedBy: 'Ada',
    rules: [{ id: 'no-mail', effect: 'deny', tools: ['send_mail'], because: 'Mail goes out by hand.' }],
  },
  { now: 0 },
);

describe('the views of a run in a browser', () => {
  let stage: ServerStage;
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    const tools = [read, mail, search];
    const seams = governance({ clock: systemClock(), tools, autonomy: 'autonomous', policy: NO_MAIL });
    stage = await serverStage({ groups: [{ agents: agents(), seams, source: 'views' }] });
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
  });

  afterAll(async () => {
    await browser?.close();
    await stage?.close();
  });

  const start = async (agent: string): Promise<string> => {
    const { body } = await stage.call('POST', '/v1/runs', { body: { agent } });
    return body.id as string;
  };
  const ended = async (id: string): Promise<void> => {
    await expect.poll(async () => (await stage.call('GET', `/v1/runs/${id}`)).body.outcome).toBeDefined();
  };
  const open = (id: string, tab: string) => page.goto(`${stage.url}/studio/runs/${id}?tab=${tab}`);

  it('show prompts by band with the cached part folded, calls with arguments, results and refusals [R6-STUDIO-CONVERSATION]', async () => {
    const id = await start('reader');
    await ended(id);
    await open(id, 'conversation');
    const first = page.getByRole('article', { name: 'Model call 1, reader' });
    await first.locator('.segment[data-band="setup"]').getByText('You read reports.').waitFor();
    expect(
      await first.locator('.segment').evaluateAll((all) => all.map((one) => one.getAttribute('data-cached'))),
    ).toEqual(['false', 'false']);
    expect(await first.locator('.use').innerText()).toMatch(/reports\/q1\.md[\s\S]*The figures are in order/);

    const second = page.getByRole('article', { name: 'Model call 2, reader' });
    const known = second.getByRole('button', { name: /2 unchanged segments/ });
    await known.waitFor();
    expect(await second.locator('.segment[data-cached="true"]').count()).toBe(0);
    await known.click();
    expect(await second.locator('.segment[data-cached="true"]').count()).toBe(2);
    expect(await second.locator('.segment[data-cached="true"]').first().innerText()).toContain('cached');
    expect(await second.locator('.use[data-status="refused"]').innerText()).toMatch(/denied[\s\S]*no-mail/);
  });

  it('follow the time slider [R6-STUDIO-CONVERSATION]', async () => {
    const calls = page.getByRole('article');
    await calls.nth(2).waitFor();
    await page.getByRole('slider').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => calls.count()).toBe(0);
    await page.keyboard.press('End');
    await expect.poll(() => calls.count()).toBe(3);
  });

  it('show a reply while it is said, and as it was said in the end [R6-STUDIO-CONVERSATION]', async () => {
    [listening, speaking] = [gate(), gate()];
    const id = await start('speaker');
    await open(id, 'conversation');
    await page.getByRole('article').getByText('asking').waitFor();
    listening.open();
    await page.locator('.arriving').getByText('Half of it,').waitFor();
    expect(await page.getByRole('article').innerText()).not.toContain('the rest');
    speaking.open();
    await page.locator('.reply').getByText('Half of it, and the rest.').waitFor();
    expect(await page.locator('.arriving').count()).toBe(0);
  });

  it('fill the graph of a plan in while its steps are carried out [R6-STUDIO-PLAN]', async () => {
    searching = gate();
    const id = await start('plan');
    await open(id, 'plan');
    const node = (step: string) => page.locator(`.node[data-step="${step}"]`);
    await page.locator('.node[data-step="find"][data-state="running"]').waitFor();
    expect(await node('sum').getAttribute('data-state')).toBe('planned');
    expect(await page.locator('.edge').count()).toBe(1);
    searching.open();
    await page.locator('.node[data-step="find"][data-state="verified"]').waitFor();
    await page.locator('.node[data-step="sum"][data-state="done"]').waitFor();
    await node('find').click();
    expect(await page.locator('.step-details [data-satisfied="true"]').innerText()).toMatch(/search\s+by/);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => page.locator('.step-details h3').innerText()).toContain('sum');
    await page.getByRole('button', { name: 'List' }).click();
    expect(await page.locator('.plan-list > li').count()).toBe(2);
  });

  it('show gates and attempts of a commit loop, and what changed between two of them [R6-STUDIO-GATES]', async () => {
    const id = await start('commit');
    await ended(id);
    await open(id, 'gates');
    const gates = page.getByRole('table', { name: 'Gates of attempt 2' });
    await gates.waitFor();
    expect(await gates.getByRole('row', { name: /correctness/ }).innerText()).toMatch(/1\.00[\s\S]*0\.60[\s\S]*open/);
    await open(id, 'diff');
    await page.locator('[data-diff="new"]').getByText('Because of the moon and the sun.').waitFor();
    expect(await page.locator('[data-diff="gone"]').innerText()).toContain('Because of the moon.');
    const scores = page.getByRole('table', { name: 'Score changes' });
    expect(await scores.getByRole('row', { name: /correctness/ }).innerText()).toMatch(
      /0\.40[\s\S]*1\.00[\s\S]*▲ 0\.60/,
    );
  });

  it('compare a fork with the run it came from [R6-STUDIO-GATES]', async () => {
    const parent = await start('reader');
    await ended(parent);
    const { points } = (await stage.call('GET', `/v1/runs/${parent}/fork-points`)).body;
    const at = points[2].seq;
    const fork = (await stage.call('POST', `/v1/runs/${parent}/fork`, { body: { at } })).body.id;
    await ended(fork);
    await open(fork, 'diff');
    await page.getByText(`Fork of ${parent}`).waitFor();
    await page.locator('.fork-row').first().waitFor();
    expect(await page.locator('.fork-row[data-kind="same"]').count()).toBeGreaterThan(0);
  });

  it('show a fork with all that it inherited, marked as such and counted once [R6-STUDIO-FORK] [R6-STUDIO-CONVERSATION]', async () => {
    const parent = await start('reader');
    await ended(parent);
    const { entries } = (await stage.call('GET', `/v1/runs/${parent}/entries`)).body;
    const second = entries.filter(({ event }: Entry) => event.type === 'ask-start')[1] as Entry;
    const at = second.seq - 1; // all of the first call, nothing of the second
    const fork = (await stage.call('POST', `/v1/runs/${parent}/fork`, { body: { at } })).body.id;
    await ended(fork);
    await open(fork, 'conversation');
    const first = page.getByRole('article', { name: 'Model call 1, reader' });
    await first.getByText('inherited').waitFor();
    await first.locator('.segment[data-band="setup"]').getByText('You read reports.').waitFor();
    const own = page.getByRole('article', { name: 'Model call 2, reader' });
    await own.getByRole('button', { name: /2 unchanged segments/ }).waitFor();
    expect(await own.innerText()).not.toContain('inherited');
    expect(await page.locator('.run-gauges').innerText()).toMatch(/Model calls\s+2/); // its own
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText(`${at + 1} inherited`).waitFor();
    await page.locator('.events').evaluate((list) => list.scrollTo(0, 0));
    const dimmed = page.locator('.event-row.inherited').first();
    await dimmed.click();
    await page.locator('.details').getByText(parent).waitFor();
  });

  it('are readable on a phone, and load nothing that the strict policy of the page refuses [R6-STUDIO-OFFLINE]', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const { runs } = (await stage.call('GET', '/v1/runs')).body;
    for (const [agent, tab] of [
      ['reader', 'conversation'],
      ['plan', 'plan'],
      ['commit', 'gates'],
      ['commit', 'diff'],
    ]) {
      await open(runs.find((run: { readonly agent: string }) => run.agent === agent).id, tab ?? '');
      await page.locator(`#panel-${tab} > *`).first().waitFor();
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([tab, wider]).toEqual([tab, 0]);
    }
    expect(complaints).toEqual([]);
  });
});
