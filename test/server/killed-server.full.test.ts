import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type Answered, callAt } from './stage-server.js';

/** Real processes of the built command line over one database; what its agents do to the world is a line in a file. */
const folder = mkdtempSync(join(tmpdir(), 'flyball-killed-'));
const ledger = join(folder, 'ledger');
const slow = join(folder, 'slow');
const agents = join(folder, 'agents.mjs');
writeFileSync(
  agents,
  `import { appendFileSync, existsSync } from 'node:fs';
import { done } from ${JSON.stringify(join(root, 'packages/flyball/dist/index.js'))};
import { tool } from ${JSON.stringify(join(root, 'packages/flyball/dist/tools/index.js'))};
const write = (what) => { appendFileSync(${JSON.stringify(ledger)}, what + '\\n'); return what; };
const act = (run, what) => run.step('act', what, write, 'idempotent');
const rest = (run) => run.step('rest', 0, () => new Promise((resolve) =>
  setTimeout(resolve, existsSync(${JSON.stringify(slow)}) ? 600000 : 0)), 'pure');
const pay = tool({
  name: 'pay', description: 'Pays.', input: { type: 'object', properties: {}, additionalProperties: false },
  effect: { class: 'irreversible', why: 'money leaves' }, execute: async () => write('paid'),
});
export const agents = {
  actor: async (run) => { await act(run, 'invoked'); await rest(run); return done('acted'); },
  talker: async (run, text) => { await act(run, 'said ' + text); await rest(run); return done('heard ' + text); },
  payer: async (run) => { const paid = await run.call(pay, {}); await rest(run); return done(paid.content); },
};
`,
);

const children: ChildProcess[] = [];
const flyball = (...words: readonly string[]): ChildProcess => {
  const all = [join(root, 'packages/flyball/dist/cli/main.js'), ...words, '--db', join(folder, 'runs.db'), '--json'];
  const child = spawn(process.execPath, all, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  children.push(child);
  return child;
};
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function serve(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const child = flyball('serve', agents, '--port', '0');
  let out = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      const line = out.split('\n').find((text) => text.includes('"serving"'));
      if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url);
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code} before it served: ${out}`)));
  });
  return { child, url };
}

const lines = (): readonly string[] =>
  existsSync(ledger) ? readFileSync(ledger, 'utf8').trim().split('\n').sort() : [];
const eventually = <T>(look: () => T) => expect.poll(look);

describe('a server that is killed between acting and answering [R6-ACCESS-IDEMPOTENCY]', () => {
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve();
  });
  const post = (path: string, body: unknown, key: string): Promise<Answered> =>
    callAt(server.url, 'POST', path, { body, headers: { 'idempotency-key': key } });
  const openRequest = async (run: string): Promise<string> => {
    let id = '';
    await eventually(async () => {
      const { body } = await callAt(server.url, 'GET', `/v1/approvals?run=${run}&status=open`);
      id = body.items[0]?.id ?? '';
      return id;
    }).not.toBe('');
    return encodeURIComponent(id);
  };

  it('has acted once when the same requests are sent again, and answers them', async () => {
    const { body: talk } = await callAt(server.url, 'POST', '/v1/conversations', { body: { agent: 'talker' } });
    const { body: run } = await callAt(server.url, 'POST', '/v1/runs', { body: { agent: 'payer' } });
    const asked = await openRequest(run.id);
    const requests = () => [
      post('/v1/agents/actor/invoke', { inputs: {} }, 'invoke-1'),
      post(`/v1/conversations/${talk.id}/messages`, { text: 'hello' }, 'say-1'),
      post(`/v1/approvals/${asked}/decide`, { verdict: 'approve' }, 'decide-1'),
    ];
    writeFileSync(slow, '');
    const lost = Promise.allSettled(requests());
    await eventually(lines).toEqual(['invoked', 'paid', 'said hello']);
    const journaled = async (): Promise<number> => {
      const { body } = await callAt(server.url, 'GET', '/v1/runs');
      const journals = (body.runs as readonly { id: string }[]).map(({ id }) => `/v1/runs/${id}/entries`);
      const texts = await Promise.all(journals.map(async (at) => (await callAt(server.url, 'GET', at)).text));
      return texts.filter((text) => /"type":"complete"/.test(text)).length;
    };
    await eventually(journaled).toBe(3);
    server.child.kill('SIGKILL');
    await once(server.child, 'exit');
    await lost;
    rmSync(slow);
    server = await serve();
    const [invoked, said, decided] = await Promise.all(requests());
    expect(invoked).toMatchObject({ status: 200, body: { output: 'acted' } });
    expect(said).toMatchObject({ status: 200, body: { turns: [{ said: 'hello', answer: 'heard hello' }] } });
    expect(decided).toMatchObject({ status: 200, body: { status: 'decided', decision: { verdict: 'approve' } } });
    expect(lines()).toEqual(['invoked', 'paid', 'said hello']);
  });

  it('shows what a run of the command line asks, and lets it go on [R6-HTTP-APPROVALS]', async () => {
    await callAt(server.url, 'GET', '/v1/approvals'); // somebody looks at the inbox already
    const child = flyball('run', agents, '--agent', 'payer', '--id', 'from-a-terminal');
    child.stdout?.resume();
    await once(child, 'exit');
    const asked = await openRequest('from-a-terminal');
    const decided = await callAt(server.url, 'POST', `/v1/approvals/${asked}/decide`, { body: { verdict: 'approve' } });
    expect(decided).toMatchObject({ status: 200, body: { status: 'decided' } });
    await eventually(async () => (await callAt(server.url, 'GET', '/v1/runs/from-a-terminal')).body.status).toBe(
      'done',
    );
    expect(lines()).toEqual(['invoked', 'paid', 'paid', 'said hello']);
    server.child.kill('SIGTERM');
    expect((await once(server.child, 'exit'))[0]).toBe(0);
  });
});
