import { hostname } from 'node:os';
import { type Agent, budget, createRuntime, done, type Model } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents, type SeenEvent } from './sse-reader.js';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

const SECRET = 'known-secret-of-the-house';
const GITHUB = `ghp_${'a1B2'.repeat(9)}`;

/** Says things that must not leave, and marks a part of it as private. */
const discreet: Agent<{ readonly mark?: 'first' | 'late' }, string> = async (run, input) => {
  if (input?.mark === 'first') run.note({ kind: 'private' });
  const told = { text: 'diary of a whale', nested: [{ [`key ${GITHUB}`]: `is ${SECRET}` }] };
  await run.step('secrets', null, async () => told, 'pure');
  run.note({ kind: 'phase', phase: `with ${SECRET}` });
  await run.wait({ name: 'go' });
  if (input?.mark === 'late') run.note({ kind: 'private' });
  await run.step('more', 1, async () => 'diary of a whale, part two', 'pure');
  return done('diary of a whale, the end');
};

let speak = (): void => undefined;
const asked = new Promise<void>((resolve) => {
  speak = resolve;
});
const SPEECH = `one two three ${GITHUB} four five six seven`;
const scripted = scriptedModel({ plain: [SPEECH], desk: [] });
/** Streams a few letters at a time, so that words are cut, with a pause after each. */
const speaking: Model = {
  ...scripted,
  async generate(request, how) {
    await asked;
    for (const text of SPEECH.match(/.{1,7}/g) ?? []) {
      how.onDelta?.({ type: 'text', text });
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    return scripted.generate(request, { signal: how.signal, key: how.key });
  },
};

let stage: ServerStage;
let open: (path: string, lastEventId?: string) => ReturnType<typeof readEvents>;

beforeAll(async () => {
  const group = standardGroup(speaking);
  stage = await serverStage({
    groups: [{ ...group, agents: { ...group.agents, discreet } }],
    settings: { heartbeatMs: 60, secrets: [SECRET], maxStreams: 6 },
  });
  open = (path, lastEventId) => readEvents(`${stage.url}${path}`, lastEventId === undefined ? {} : { lastEventId });
});
afterAll(() => stage.close());

async function start(agent: string, input: unknown = {}): Promise<string> {
  const { status, body } = await stage.call('POST', '/v1/runs', { body: { agent, input } });
  expect(status).toBe(202);
  return body.id;
}
const entriesIn = (events: readonly SeenEvent[]) => events.filter(({ event }) => event === 'entry');
const idsIn = (events: readonly SeenEvent[]) => entriesIn(events).map(({ id }) => id);
const whole = (events: readonly SeenEvent[]) => idsIn(events).map((_, seq) => `0.${seq}`);

describe('several runs in one stream', () => {
  it('tells the entries of each in order from its own position, and refuses one without ending the others [F-D1]', async () => {
    const [first, second] = [await start('counter', { to: 5 }), await start('counter', { to: 5 })];
    const runs = encodeURIComponent(`${first}@0.1,${second},run_0`);
    const reader = await open(`/v1/events?runs=${runs}&cards=false`);
    let ended = 0;
    const events = await reader.until(({ data }) => data.event === 'end' && ++ended === 2);
    reader.close();
    expect(events[0]).toMatchObject({ event: 'hello' });
    const told = (run: string) => events.filter(({ data }) => data.run === run && data.event === 'entry');
    for (const [run, from] of [[first, 2] as const, [second, 0] as const]) {
      const journal = (await stage.call('GET', `/v1/runs/${run}/entries?limit=1000`)).body.entries;
      expect(told(run).map(({ data }) => data.data)).toEqual(journal.slice(from));
      expect(told(run).map(({ data }) => data.id)).toEqual(told(run).map((_, n) => `0.${n + from}`));
    }
    expect(events.filter(({ data }) => data.event === 'refused')).toMatchObject([
      { event: 'run', data: { run: 'run_0', data: { status: 404, code: 'NOT_FOUND' } } },
    ]);
  });

  it('says what is wrong with a list of runs [F-D1]', async () => {
    const many = Array.from({ length: 65 }, (_, n) => `r${n}`).join(',');
    for (const runs of ['r1@x', 'r1@0.1@0.2', '%25zz', 'r1,r1', many])
      expect(await stage.call('GET', `/v1/events?runs=${runs}`)).toMatchObject({ status: 400 });
  });
});

describe('the events of a run', () => {
  it('tells every entry once and in order, then how it ended, and closes [R6-HTTP-EVENTS]', async () => {
    const id = await start('counter', { to: 40, pauseMs: 2 });
    const reader = await open(`/v1/runs/${id}/events`);
    expect(reader.headers.get('content-type')).toContain('text/event-stream');
    expect(reader.headers.get('x-accel-buffering')).toBe('no');
    const events = await reader.rest();
    expect(idsIn(events)).toEqual(whole(events));
    const journal = (await stage.call('GET', `/v1/runs/${id}/entries?limit=1000`)).body.entries;
    expect(entriesIn(events).map(({ data }) => data)).toEqual(journal);
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'done' } });
    expect(events.filter(({ event }) => event === 'card').at(-1)?.data).toMatchObject({
      status: 'done',
      entries: journal.length,
    });
  });

  it('goes on after Last-Event-ID without a gap or a repetition, wherever the connection was cut [R6-HTTP-EVENTS]', async () => {
    const id = await start('counter', { to: 60, pauseMs: 3 });
    const seen: SeenEvent[] = [];
    let last: string | undefined;
    for (let cuts = 0; seen.at(-1)?.event !== 'end'; cuts++) {
      const reader = await open(`/v1/runs/${id}/events`, last);
      const wanted = 7 + cuts;
      let entries = 0;
      const events = await reader.until(({ event }) => event === 'entry' && ++entries === wanted);
      reader.close();
      seen.push(...events.filter(({ event }) => event !== 'card'));
      last = idsIn(seen).at(-1);
      if (cuts === 2) await stage.call('GET', '/health'); // something else in between
    }
    expect(idsIn(seen)).toEqual(whole(seen));
    expect(entriesIn(seen).length).toBeGreaterThan(100);
    const after = await open(`/v1/runs/${id}/events?after=0.100`);
    expect(idsIn(await after.rest())[0]).toBe('0.101');
  });

  it('refuses what is no position, and tells a run that has ended at once', async () => {
    const id = await start('counter', { to: 1 });
    const first = await (await open(`/v1/runs/${id}/events`)).rest();
    const again = await (await open(`/v1/runs/${id}/events`, idsIn(first).at(-1))).rest();
    expect(again.map(({ event }) => event)).toEqual(['card', 'end']);
    expect((await stage.call('GET', `/v1/runs/${id}/events`, { headers: { 'last-event-id': 'abc' } })).status).toBe(
      400,
    );
    expect((await stage.call('GET', `/v1/runs/${id}/events?after=1`)).status).toBe(400);
  });

  it('stays open with a heartbeat while a run is suspended, tells so on its card, and goes on when it does', async () => {
    const id = await start('waiter');
    const reader = await open(`/v1/runs/${id}/events`);
    await reader.until(({ event, data }) => event === 'card' && data.status === 'suspended');
    const heard = reader.comments.length;
    const rest = reader.rest(); // a heartbeat is seen by whoever reads
    await expect.poll(() => reader.comments.length).toBeGreaterThan(heard);
    await stage.call('POST', `/v1/runs/${id}/signal`, { body: { name: 'go' } });
    const events = await rest;
    expect(events.at(-1)).toMatchObject({ event: 'end', data: { status: 'done' } });
  });

  it('sees what another process writes to the same file [R6-HTTP-EVENTS]', async () => {
    const id = await start('waiter');
    const reader = await open(`/v1/runs/${id}/events`);
    const before = await reader.until(({ event, data }) => event === 'card' && data.status === 'suspended');
    const elsewhere = createRuntime({
      engine: stage.engine,
      agents: { waiter: async (run) => done(await run.wait({ name: 'go' })) },
      options: { worker: false },
    });
    await stage.server.parts.fleet.close({ drainMs: 0 }); // nobody here drives it any more
    await elsewhere.signal(id, 'go', 7);
    await (await elsewhere.wake(id)).finished();
    const after = await reader.rest();
    expect(after.at(-1)).toMatchObject({ event: 'end', data: { status: 'done' } });
    expect(idsIn([...before, ...after])).toEqual(whole([...before, ...after]));
    await elsewhere.close();
    await stage.again();
  });

  it('tells text while it arrives, joined, to whoever asks for it', async () => {
    const id = await start('waiter');
    expect((await open(`/v1/runs/${id}/events?deltas=maybe`)).status).toBe(400);
    const body = { agent: 'plain', mode: 'once', input: { question: 'count' } };
    const speaker = (await stage.call('POST', '/v1/runs', { body })).body.id;
    const reader = await open(`/v1/runs/${speaker}/events?deltas=true`);
    await reader.until(({ data }) => data.event?.type === 'ask-start');
    speak();
    const events = await reader.rest();
    const deltas = events.filter(({ event }) => event === 'delta');
    expect(deltas.every(({ id: position }) => position === undefined)).toBe(true);
    const said = deltas.map(({ data }) => data.delta.text).join('');
    expect(said).toContain('one two three [github-token removed] four');
    expect(deltas.length).toBeLessThan(SPEECH.length / 7); // joined
  });
});

describe('what does not leave', () => {
  it('blanks secrets by shape and by value, in entries, cards, pages, views and prompts [R6-ACCESS-NO-LEAKS]', async () => {
    const id = await start('discreet');
    const reader = await open(`/v1/runs/${id}/events`);
    const live = await reader.until(({ event, data }) => event === 'card' && data.status === 'suspended');
    await stage.call('POST', `/v1/runs/${id}/signal`, { body: { name: 'go' } });
    const texts = [JSON.stringify([...live, ...(await reader.rest())])];
    for (const path of ['', '/entries', '/views/trace', '/views/audit', '/views/provenance'])
      texts.push((await stage.call('GET', `/v1/runs/${id}${path}`)).text);
    texts.push((await stage.call('GET', '/v1/runs')).text);
    for (const text of texts) {
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(GITHUB);
    }
    expect(texts[0]).toContain('[github-token removed]');
    expect(texts[0]).toContain('[secret removed]');
    expect(texts[0]).toContain('diary of a whale');
  });

  it('blanks what is private for every reader, also what came before the mark [R6-ACCESS-NO-LEAKS]', async () => {
    const first = await start('discreet', { mark: 'first' });
    const reader = await open(`/v1/runs/${first}/events`);
    const live = await reader.until(({ event, data }) => event === 'card' && data.status === 'suspended');
    await stage.call('POST', `/v1/runs/${first}/signal`, { body: { name: 'go' } });
    expect(JSON.stringify([...live, ...(await reader.rest())])).not.toContain('whale');

    const late = await start('discreet', { mark: 'late' });
    const early = await open(`/v1/runs/${late}/events`);
    await early.until(({ event, data }) => event === 'card' && data.status === 'suspended');
    await stage.call('POST', `/v1/runs/${late}/signal`, { body: { name: 'go' } });
    expect(JSON.stringify(await early.rest())).not.toContain('whale');
    for (const path of ['/events', '/entries', '', '/views/trace'])
      expect((await stage.call('GET', `/v1/runs/${late}${path}`)).text, path).not.toContain('whale');
    // a fork inherits the mark with the part that made it
    const points = (await stage.call('GET', `/v1/runs/${late}/fork-points`)).body.points;
    const forked = (await stage.call('POST', `/v1/runs/${late}/fork`, { body: { at: points.at(-3).seq } })).body.id;
    expect(JSON.stringify(await (await open(`/v1/runs/${forked}/events`)).rest())).not.toContain('whale');
  });
});

describe('the cards of all runs', () => {
  it('tells a card for each run that changes, of the own tenant only', async () => {
    const reader = await open('/v1/events');
    expect(await reader.next()).toMatchObject({ event: 'hello', data: { tenant: 'default' } });
    const { parts } = stage.server;
    const foreign = await parts.fleet.start(
      'counter',
      { to: 1 },
      { budget: parts.directory.get('counter')?.budget ?? budget(), tenant: 'island' },
    );
    await foreign.finished();
    const id = await start('counter', { to: 2 });
    const events = await reader.until(({ data }) => data.id === id && data.status === 'done');
    expect(events.every(({ event, data }) => event === 'card' && data.tenant === 'default')).toBe(true);
    reader.close();
  });

  it('hears of runs that another process starts', async () => {
    const reader = await open('/v1/events');
    await reader.next();
    const elsewhere = createRuntime({
      engine: stage.engine,
      agents: { stranger: async () => done(1) },
      options: { worker: false },
    });
    const { id } = await elsewhere.start('stranger', null, { budget: budget() });
    const events = await reader.until(({ data }) => data.id === id && data.status === 'done');
    expect(events.at(-1)?.data).toMatchObject({ agent: 'stranger' });
    reader.close();
    await elsewhere.close();
  });
});

describe('streams', () => {
  it('are limited in number for each principal, and a slot is free again when its reader has gone', async () => {
    const id = await start('waiter');
    const readers = await Promise.all(Array.from({ length: 6 }, () => open(`/v1/runs/${id}/events`)));
    expect(readers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const refused = await stage.call('GET', '/v1/events');
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    for (const reader of readers) reader.close();
    await expect.poll(() => stage.server.parts.feed.stats().readers).toBe(0);
    await expect
      .poll(async () => {
        const next = await open('/v1/events');
        next.close();
        return next.status;
      })
      .toBe(200);
  });

  it('end when the server closes, so that a reader comes back to another one', async () => {
    const id = await start('waiter');
    const [run, all] = [await open(`/v1/runs/${id}/events`), await open('/v1/events')];
    const ended = Promise.all([run.rest(), all.rest()]);
    await stage.again();
    const [events] = await ended;
    expect(events.some(({ event }) => event === 'end')).toBe(false);
    const back = await open(`/v1/runs/${id}/events`, idsIn(events).at(-1));
    await stage.call('POST', `/v1/runs/${id}/signal`, { body: { name: 'go' } });
    const rest = await back.rest();
    expect(idsIn([...events, ...rest])).toEqual(whole([...events, ...rest]));
  });
});

describe('where a run is worked on', () => {
  it('is nothing that leaves: attempts are told apart, and machines are not named [R6-ACCESS-NO-LEAKS]', async () => {
    const { body } = await stage.call('POST', '/v1/runs', { body: { agent: 'counter', input: { to: 1 } } });
    await stage.server.parts.fleet.handle(body.id).finished();
    const { text } = await stage.call('GET', `/v1/runs/${body.id}/entries`);
    expect(text).toContain('"attempt-start"');
    expect(text).not.toContain(hostname());
    expect(text).not.toContain(`"pid":${process.pid}`);
  });
});
