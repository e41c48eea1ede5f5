import { describe, expect, it } from 'vitest';
import { CANARY, callOnce, httpSpec, httpWorkshop, openPool, workshop } from './stage.js';

/** The canary in every form in which it would still be one. */
const FORMS = [CANARY, Buffer.from(CANARY).toString('base64').replace(/=+$/, ''), Buffer.from(CANARY).toString('hex')];

function expectNoCanaryIn(what: unknown): void {
  const text = JSON.stringify(what, (_, value: unknown) =>
    value instanceof Error ? { ...value, message: value.message, stack: value.stack, cause: value.cause } : value,
  );
  for (const form of FORMS) expect(text).not.toContain(form);
}

describe('the credentials of a server', () => {
  it('over stdio are in no description, result, error, event or journal, whatever the server does with them [R6-MCP-SECRETS] [I3.2] [I3.acceptance]', async () => {
    const { pool, events, tool } = await openPool([workshop({}, { WORKSHOP_TOKEN: CANARY })]);
    expect(tool('workshop__leak').description).toBe('Gives its key [secret] away. Not to be trusted.');
    const leaked = await callOnce(tool('workshop__leak'));
    expect(leaked.result).toMatchObject({
      content: '[secret] and [secret] and [secret]',
      value: { structured: { deep: [{ token: '[secret]' }], '[secret]': 1 } },
    });
    const failed = await callOnce(tool('workshop__fail'));
    expect(failed.result).toMatchObject({ failure: { message: 'no access with [secret]' } });
    const journals = await Promise.all([leaked, failed].map(({ runtime, id }) => runtime.entries(id)));
    expectNoCanaryIn([leaked.result, failed.result, journals, events, pool.servers(), pool.tools()]);
  });

  it('over HTTP reach the server and nobody else, from a header, a variable or the address [R6-MCP-SECRETS]', async () => {
    const seen: (string | null)[] = [];
    const server = await httpWorkshop(
      { token: CANARY },
      { see: ({ headers }) => seen.push(headers.get('authorization')) },
    );
    const withPassword = server.url.replace('//', `//ada:${CANARY}@`);
    const transports = [
      { kind: 'http', url: server.url, headers: { Authorization: `Bearer ${CANARY}` } },
      { kind: 'http', url: server.url, tokenFrom: 'DESK_TOKEN' },
      { kind: 'http', url: withPassword },
      { kind: 'http', url: `${server.url}?key=${CANARY}` },
    ] as const;
    for (const transport of transports) {
      const env = { DESK_TOKEN: CANARY };
      const { pool, events, tool } = await openPool([httpSpec(server.url, { transport })], { env });
      const results = [await callOnce(tool('workshop__leak')), await callOnce(tool('workshop__fail'))];
      expectNoCanaryIn([results.map(({ result }) => result), events, pool.servers(), pool.tools()]);
    }
    expect(new Set(seen)).toEqual(
      new Set([`Bearer ${CANARY}`, `Basic ${Buffer.from(`ada:${CANARY}`).toString('base64')}`, null]),
    );
  });

  it('are not in what is said about a server that cannot be reached or refuses them [R6-MCP-SECRETS]', async () => {
    const { listening } = await import('./stage.js');
    const refusing = await listening(async (request) => {
      const said = `no: ${request.headers.get('authorization')}`;
      return new Response(said, { status: 401 });
    });
    const headers = { Authorization: `Bearer ${CANARY}` };
    for (const url of [refusing.url, 'http://127.0.0.1:1/mcp']) {
      const transport = { kind: 'http', url, headers } as const;
      const failure = await openPool([httpSpec(url, { transport })]).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'EFFECT_FAILED', retryable: url !== refusing.url });
      expectNoCanaryIn(failure);
    }
    const transport = {
      kind: 'stdio',
      command: process.execPath,
      args: ['-e', 'console.error(process.env.K); process.exit(1)'],
      env: { K: CANARY },
    } as const;
    const failure = await openPool([workshop({ transport })]).catch((error: unknown) => error);
    expect(String(failure)).toContain('Its last words: [secret]');
    expectNoCanaryIn(failure);
    const missing = { kind: 'http', url: refusing.url, tokenFrom: 'NOT_SET' } as const;
    await expect(openPool([httpSpec(refusing.url, { transport: missing })], { env: {} })).rejects.toThrow(
      'MCP server "workshop": there is no token in NOT_SET. Set that environment variable.',
    );
  });

  it('may be named where somebody says that they are none', async () => {
    const { tool } = await openPool([workshop({ plain: ['WORKSHOP_TOKEN'] }, { WORKSHOP_TOKEN: 'green-door' })]);
    expect((await callOnce(tool('workshop__fail'))).result).toMatchObject({
      failure: { message: 'no access with green-door' },
    });
  });
});
