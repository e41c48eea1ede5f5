import { describe, expect, it } from 'vitest';
import { EXIT } from '../../packages/flyball/src/cli/exit-codes.js';
import { AGENT_MODEL, deskServer, evals, place, simulationsIn, USER_MODEL } from './evals-stage.js';

const ONE = ['run', '--tasks', 'energy_001', '--retrieval', 'bm25', '--model', AGENT_MODEL, '--user', USER_MODEL];
const FREE = ['--price', '0/0'];

type Body = Readonly<Record<string, unknown>>;
const REFUSED = { text: '', refuse: { status: 400, message: 'temperature is not supported with this model.' } };

/** The desk's model refuses every request that holds a temperature, as some models do. */
function strictServer() {
  return deskServer({
    instead: ({ model, body }) => (model === 'desk' && 'temperature' in (body as Body) ? REFUSED : undefined),
  });
}

type Server = Awaited<ReturnType<typeof deskServer>>;
const told = (server: Server, model: string, ...names: readonly string[]): readonly unknown[] => [
  ...new Set(
    server.requests
      .filter((request) => request.model === model)
      .map(({ body }) => JSON.stringify(names.map((name) => (body as Body)[name] ?? null))),
  ),
];

describe('settings of models', () => {
  it('are the command line’s, for each model and each use: also that no temperature is sent [F-E1]', async () => {
    const here = place();
    const server = await strictServer();
    const settings = [
      ...['--temperature', `${AGENT_MODEL}=none`, 'user=0.7', '--reasoning-effort', `${AGENT_MODEL}=high`],
      ...['--vendor', '{"top_p": 0.9}', `${USER_MODEL}={"top_p": 0.5}`, '--max-output-tokens', '2000'],
    ];
    const ran = await evals([...ONE, ...FREE, ...settings, '--out', here.at('x')], { env: server.env });
    expect(ran).toMatchObject({ code: EXIT.ok, error: '' });
    expect(told(server, 'desk', 'temperature', 'reasoning_effort', 'top_p', 'max_tokens')).toEqual([
      '[null,"high",0.9,2000]',
    ]);
    expect(told(server, 'customer', 'temperature', 'reasoning_effort', 'top_p')).toEqual(['[0.7,null,0.5]']);
    const { info } = JSON.parse(here.read('x/baseline-bm25/results.json')) as { info: Record<string, unknown> };
    expect(info['agent_info']).toMatchObject({ llm_args: { reasoningEffort: 'high', vendor: { top_p: 0.9 } } });
    expect(info['user_info']).toMatchObject({ llm_args: { temperature: 0.7 } });
  });

  it('are a file’s, and options win over it [F-E1]', async () => {
    const here = place();
    const server = await strictServer();
    const config = here.file(
      'x.yaml',
      `modelSettings:
  default: { reasoningEffort: low }
  ${AGENT_MODEL}: { temperature: none, price: { input: 1, output: 2, cacheRead: 0.1 } }
  ${USER_MODEL}: { temperature: 0.2, price: { input: 0, output: 0 } }
`,
    );
    const words = [...ONE, '--config', config, '--temperature', `${USER_MODEL}=0.4`, '--out', here.at('x')];
    expect(await evals(words, { env: server.env })).toMatchObject({ code: EXIT.ok, error: '' });
    expect(told(server, 'desk', 'temperature', 'reasoning_effort')).toEqual(['[null,"low"]']);
    expect(told(server, 'customer', 'temperature', 'reasoning_effort')).toEqual(['[0.4,"low"]']);
  });

  it('are temperature 0 where nobody says otherwise, as in the benchmark [F-E1]', async () => {
    const here = place();
    const server = await deskServer();
    expect(await evals([...ONE, ...FREE, '--out', here.at('x')], { env: server.env })).toMatchObject({ code: EXIT.ok });
    for (const model of ['desk', 'customer'])
      expect(told(server, model, 'temperature', 'reasoning_effort')).toEqual(['[0,null]']);
  });

  it.each([
    ['a word', ['--temperature', 'warm'], /^✗? ?.*--temperature: temperature must be a number from 0 to 2, or none/],
    [
      'a model that is none',
      ['--temperature', 'gpt=1'],
      /"gpt" is not provider\/model\. It can also be default, agent, user/,
    ],
    ['arguments that are no JSON', ['--vendor', 'x/y={top_p}'], /--vendor takes JSON, as in/],
    ['a price of a use', ['--price', 'user=1/2'], /--price: a price belongs to a model: name it as provider\/model/],
  ])('refuse %s before anything is started [F-E1]', async (_, words, message) => {
    const here = place();
    const ran = await evals([...ONE, ...words, '--out', here.at('x')]);
    expect(ran).toMatchObject({ code: EXIT.usage, out: '' });
    expect(ran.error).toMatch(message);
  });

  it('tell mistakes of a file with their lines [F-E1]', async () => {
    const here = place();
    const text = 'modelSettings:\n  a/b: { temperature: hot }\n  c/d: { prise: 1 }\n  e/f: { price: { input: 1 } }\n';
    const ran = await evals(['run', '--config', here.file('m.yaml', text), '--out', here.at('x')]);
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.error).toMatch(
      /m\.yaml:2: temperature must .*\n.*m\.yaml:3: there is no setting "prise" of a model.*\n.*m\.yaml:4: a price is/,
    );
  });
});

describe('prices of models', () => {
  // every reply: 1,000 prompt tokens, 640 of them from the cache, and 100 output tokens
  const usage = { input: 1_000, output: 100, cacheRead: 640 };

  it('are one for each, with rates for the cache [F-E2]', async () => {
    const here = place();
    const server = await deskServer({ usage });
    const prices = ['--price', `${AGENT_MODEL}=1/2/0.1`, `${USER_MODEL}=10/20`];
    expect(await evals([...ONE, ...prices, '--out', here.at('x')], { env: server.env })).toMatchObject({
      code: EXIT.ok,
      error: '',
    });
    const [one] = simulationsIn(here.read('x/baseline-bm25/results.json'));
    const asked = (model: string) => server.requests.filter((request) => request.model === model).length;
    // agent: (360 · 1 + 640 · 0.1 + 100 · 2) / 1,000,000 = 624 / 1,000,000 a call; at 1/2 without a cache rate it would be 1,200
    expect(one?.agent_cost).toBeCloseTo(asked('desk') * 0.000624, 12);
    // user: no rate for the cache, so (1,000 · 10 + 100 · 20) / 1,000,000
    expect(one?.user_cost).toBeCloseTo(asked('customer') * 0.012, 12);
  });

  it('are said for a model that nothing is known about, by name [F-E2]', async () => {
    const here = place();
    const server = await deskServer();
    const ran = await evals([...ONE, '--price', `${USER_MODEL}=0/0`, '--out', here.at('x')], { env: server.env });
    expect(ran.code).toBe(EXIT.usage);
    expect(ran.error).toContain(`No price is known for ${AGENT_MODEL}`);
    expect(ran.error).toContain(`--price ${AGENT_MODEL}=0.25/2`);
  });
});
