import { memoryStore } from 'flyball';
import { virtualClock } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cursorSeal } from '../../packages/server/src/access/cursor-seal.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
const key = { ours: '', theirs: '' };
beforeAll(async () => {
  stage = await serverStage();
  key.ours = await stage.keyFor('ours', ['*']);
  key.theirs = await stage.keyFor('theirs', ['*']);
  await stage.again();
});
afterAll(() => stage.close());

const start = async (who: keyof typeof key): Promise<string> =>
  (await stage.call('POST', '/v1/runs', { key: key[who], body: { agent: 'waiter', input: {} } })).body.id;
const page = (who: keyof typeof key, more = '') => stage.call('GET', `/v1/runs?limit=1${more}`, { key: key[who] });
const following = (cursor: string): string => `&cursor=${encodeURIComponent(cursor)}`;

describe('the cursor of a list', () => {
  it('tells nothing about runs of others, and leads to the next page [R8-REST-CURSOR]', async () => {
    const ids = [await start('ours'), await start('ours')];
    const cursors: string[] = [];
    for (let others = 0; others < 3; others++) {
      const { body } = await page('ours');
      expect(body.runs[0].id).toBe(ids[1]);
      cursors.push(body.cursor);
      await start('theirs');
    }
    expect(new Set(cursors).size).toBe(3); // the same position never looks the same
    for (const cursor of cursors) {
      expect(cursor).toMatch(/^[0-9a-f]{120}$/);
      const { body } = await page('ours', following(cursor));
      expect(body).toMatchObject({ runs: [{ id: ids[0] }] });
    }
  });

  it('is of no use to anybody else, nor is a number that an engine would take [R8-REST-CURSOR]', async () => {
    await start('ours');
    await start('ours');
    const { body } = await page('ours');
    for (const cursor of [body.cursor, '1', '5', `A${body.cursor.slice(1)}`, 'A'.repeat(80)]) {
      const { status, text } = await page('theirs', following(cursor));
      expect([status, text]).toEqual([400, expect.stringContaining('Start with the first page.')]);
    }
    const { status } = await stage.call('GET', `/v1/conversations?cursor=3`, { key: key.ours });
    expect(status).toBe(400);
  });

  it('holds on another server over the same store, and after a restart [R8-REST-CURSOR]', async () => {
    const [store, clock] = [memoryStore(), virtualClock()];
    const [one, two] = [cursorSeal(store, clock), cursorSeal(store, clock)];
    const [first, second] = await Promise.all([one.seal('7', 'ours'), two.seal('8', 'ours')]); // both make a key
    expect([await two.open(first, 'ours'), await one.open(second, 'ours')]).toEqual(['7', '8']);
    expect(await cursorSeal(store, clock).open(first, 'ours')).toBe('7');
    expect((await one.seal('1234567', 'ours')).length).toBe(first.length); // 9 and 10 look alike
  });
});
