import { type Agent, done } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';
import { atLevel, jsonLog } from '../../packages/server/src/log.js';
import { type ServerStage, serverStage, standardGroup } from './stage-server.js';

let stage: ServerStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});

const failing: Agent<unknown, string> = async (run) => {
  await run.step('break', null, () => Promise.reject(new Error('it broke')), 'pure');
  return done('never');
};
/** Asks for something else in each life. */
let lives = 0;
const changing: Agent<unknown, string> = async (run) => {
  lives++;
  await run.step(`life-${lives}`, null, async () => null, 'pure');
  return done(String(await run.wait({ name: 'go' })));
};

const open = async (): Promise<ServerStage> => {
  const group = standardGroup();
  stage = await serverStage({ groups: [{ ...group, agents: { ...group.agents, failing, changing } }] });
  return stage;
};

describe('the log of a server', () => {
  it('says of a request what was asked, by whom, about which run, and how it went [F-O6]', async () => {
    const here = await open();
    const key = await here.keyFor('harbor', ['admin']);
    await here.again();
    const started = await here.call('POST', '/v1/runs', { key, body: { agent: 'waiter' } });
    const { id } = started.body;
    await here.call('GET', `/v1/runs/${id}?`, { key, headers: { 'x-request-id': 'trace-7:abc' } });
    const requests = here.logged.filter(({ what }) => what === 'request').map(({ fields }) => fields);
    const who = { tenant: 'harbor', key: expect.stringMatching(/^key:/), run: id, remote: '127.0.0.1' };
    expect(requests.at(-2)).toMatchObject({ ...who, method: 'POST', path: '/v1/runs', route: 'startRun', status: 202 });
    expect(requests.at(-1)).toMatchObject({ ...who, method: 'GET', path: `/v1/runs/${id}`, status: 200 });
    expect(requests.at(-1)).toMatchObject({ id: 'trace-7:abc', ms: expect.any(Number) });
    expect(JSON.stringify(requests)).not.toContain(key);
  });

  it('names no run in a start that was refused [R8-DOCS-CLAIMS]', async () => {
    const here = await open();
    const key = await here.keyFor('harbor', ['agents:invoke'], { limits: { costUsdPerDay: 0 } });
    await here.again();
    const refused = await here.call('POST', '/v1/runs', { key, body: { agent: 'waiter' } });
    expect(refused.status).toBe(429);
    const { fields } = here.logged.findLast(({ what }) => what === 'request') ?? {};
    expect(fields).toMatchObject({ route: 'startRun', status: 429 });
    expect(fields).not.toHaveProperty('run');
  });

  it('keeps the id of a request that somebody gave it, if it is nothing but an id [F-O6]', async () => {
    const here = await open();
    const idFor = async (given: string) =>
      (await here.call('GET', '/health', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await idFor('0af7651916cd43dd8448eb211c80319c')).toBe('0af7651916cd43dd8448eb211c80319c');
    for (const odd of ['a b', '"}', 'x'.repeat(129), '{"level":"error"}', '-']) expect(await idFor(odd)).not.toBe(odd);
  });

  it('tells the lives of runs: started, ended and how, stalled and why [F-O6]', async () => {
    const here = await open();
    const start = async (agent: string): Promise<string> =>
      (await here.call('POST', '/v1/runs', { body: { agent, input: {} } })).body.id;
    const linesOf = (run: string) =>
      here.logged.filter(({ what, fields }) => what.startsWith('run ') && fields['run'] === run);
    const broken = await start('failing');
    await expect.poll(() => linesOf(broken).map(({ what }) => what)).toEqual(['run started', 'run ended']);
    expect(linesOf(broken)[1]).toMatchObject({
      level: 'warn',
      fields: { status: 'failed', code: 'EFFECT_FAILED', agent: 'failing', tenant: 'default' },
    });
    const changed = await start('changing');
    await expect.poll(async () => (await here.call('GET', `/v1/runs/${changed}`)).body.status).toBe('suspended');
    await here.call('POST', `/v1/runs/${changed}/signal`, { body: { name: 'go' } });
    await expect
      .poll(() =>
        linesOf(changed)
          .map(({ what }) => what)
          .at(-1),
      )
      .toBe('run stalled');
    expect(linesOf(changed).at(-1)).toMatchObject({ level: 'warn', fields: { code: 'REPLAY_DIVERGED' } });
  });

  it('has levels', () => {
    const lines: { level: string }[] = [];
    const log = jsonLog(
      (line) => lines.push(JSON.parse(line) as { level: string }),
      () => 0,
    );
    for (const level of ['debug', 'info', 'warn', 'error'] as const) {
      const each = atLevel(log, level);
      each.debug('d');
      each.info('i');
      each.warn('w');
      each.error('e', new Error('x'));
    }
    expect(lines.map(({ level }) => level[0]).join('')).toBe('diweiwewee');
  });
});
