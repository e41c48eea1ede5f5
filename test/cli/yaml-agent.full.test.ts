import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { jsonLines, lastJson } from './flyball.js';
import { definition, type ModelDesk, modelDesk, proposes } from './model-desk.js';

/** What the tools answered, as the model read it. */
function results(desk: ModelDesk, n: number): readonly string[] {
  return desk.heard(n).filter((text) => text.startsWith('tool: '));
}

const DONE = ['All done.', 'All done.'];

describe('flyball run agent.yaml', () => {
  it('lets the model work with built-in tools and answers with what it said [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([
      proposes('read_file', { path: 'notes.txt' }),
      'Tides turn.',
      '{"answer":"Tides turn."}',
    ]);
    desk.file('notes.txt', 'The tide turns twice a day.\n');
    desk.file('agent.yaml', definition('tools: [read_file]\noutputs: [answer]\n'));
    const { code, out, error } = await desk.flyball('run', 'agent.yaml', '--input', '"What do the notes say?"');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/is done \(3 model calls, .*1 tool call\)\n {2}Tides turn\.\n$/);
    expect(results(desk, 2)[0]).toContain('The tide turns twice a day.');
    desk.server.assertFinished();
  });

  it('finds tools in tools/, in TypeScript too, and in tools.yaml [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([
      {
        toolCalls: [
          { id: 'a', name: 'shout', arguments: '{"text":"hello"}' },
          { id: 'b', name: 'whisper', arguments: '{"text":"HELLO"}' },
          { id: 'c', name: 'length_of', arguments: '{"text":"four"}' },
        ],
      },
      ...DONE,
    ]);
    const input = `{ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }`;
    const head = (name: string) =>
      `name: '${name}', description: 'Says it.', input: ${input}, effect: 'pure', legs: []`;
    desk.file('package.json', '{ "type": "module" }');
    desk.file(
      'tools/shout.mjs',
      `export default { ${head('shout')}, execute: async ({ text }) => text.toUpperCase() };`,
    );
    desk.file(
      'tools/whisper.ts',
      `interface Given { readonly text: string }
export default { ${head('whisper')}, execute: async ({ text }: Given): Promise<string> => text.toLowerCase() };`,
    );
    desk.file('lib/length.mjs', 'export const lengthOf = async ({ text }) => text.length;');
    desk.file(
      'tools.yaml',
      `tools:
  - name: length_of
    description: Counts letters.
    input: { type: object, properties: { text: { type: string } }, required: [text] }
    effect: pure
    legs: []
    run: ./lib/length.mjs#lengthOf
`,
    );
    desk.file('agent.yaml', definition('tools: [shout, whisper, length_of]\n'));
    const { code, error } = await desk.flyball('run', 'agent.yaml', '--input', '"Try them."');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(results(desk, 2)).toEqual(['tool: HELLO', 'tool: hello', 'tool: 4']);
  });

  it('refuses what access does not grant, with a reason that the model can read [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([
      {
        toolCalls: [
          { id: 'a', name: 'read_file', arguments: '{"path":"/etc/passwd"}' },
          { id: 'b', name: 'write_file', arguments: '{"path":"elsewhere.txt","content":"x"}' },
          { id: 'c', name: 'shell', arguments: '{"command":"curl http://example.com"}' },
          { id: 'd', name: 'web_fetch', arguments: '{"url":"http://example.org/"}' },
          { id: 'e', name: 'write_file', arguments: '{"path":"out/note.txt","content":"kept\\n"}' },
        ],
      },
      ...DONE,
    ]);
    const access = 'access: { write: [out], domains: [example.com] }\nautonomy: autonomous\n';
    desk.file('agent.yaml', definition(`tools: [read_file, write_file, shell, web_fetch]\n${access}`));
    const { code } = await desk.flyball('run', 'agent.yaml', '--input', '"Try."');
    expect(code).toBe(0);
    const [passwd, outside, curl, host, written] = results(desk, 2);
    expect(passwd).toContain('lies outside the allowed folders');
    expect(outside).toContain('may be read and not written');
    expect(curl).toContain('curl is not among the allowed programs');
    expect(host).toContain('example.org');
    expect(written).toContain('Created out/note.txt');
    expect(readFileSync(join(desk.folder, 'out/note.txt'), 'utf8')).toBe('kept\n');
    expect(existsSync(join(desk.folder, 'elsewhere.txt'))).toBe(false);
  });

  it('lets nobody rewrite what governs the agent, although it may write the folder [R3-CLI-RUN-YAML]', async () => {
    const governing = [
      'agent.yaml',
      'policy.yaml',
      'tools/new.mjs',
      'tools.yaml',
      'package.json',
      'node_modules/x/y.js',
    ];
    const desk = await modelDesk([
      {
        toolCalls: [...governing, 'free.txt'].map((path, n) => ({
          id: `c${n}`,
          name: 'write_file',
          arguments: JSON.stringify({ path, content: 'mine now' }),
        })),
      },
      ...DONE,
    ]);
    desk.file('policy.yaml', 'version: 1\nreviewedBy: Ada\ndefault: allow\nrules: []\n');
    const text = definition(
      'tools: [write_file]\naccess: { write: [.] }\nautonomy: autonomous\npolicy: policy.yaml\nloop: { maxToolCallsPerIteration: 10 }\n',
    );
    desk.file('agent.yaml', text);
    expect((await desk.flyball('run', 'agent.yaml', '--input', '"Take over."')).code).toBe(0);
    const said = results(desk, 2);
    for (const [n, path] of governing.entries()) expect(said[n], path).toContain('may be read and not written');
    expect(said.at(-1)).toContain('Created free.txt');
    expect(readFileSync(join(desk.folder, 'agent.yaml'), 'utf8')).toBe(text);
  });

  it('runs commands that access grants, in the agent’s folder [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([proposes('shell', { command: 'cp a.txt out/b.txt' }), ...DONE]);
    desk.file('a.txt', 'copied\n');
    desk.file('agent.yaml', definition('tools: [shell]\naccess: { write: [out], commands: [cp] }\n'));
    const asked = await desk.flyball('run', 'agent.yaml', '--id', 'r1', '--input', '"Copy it."');
    expect(asked.code).toBe(3); // a command that may change files cannot be taken back: a person agrees first
    expect((await desk.flyball('approve', 'r1')).code).toBe(0);
    expect(readFileSync(join(desk.folder, 'out/b.txt'), 'utf8')).toBe('copied\n');
  });

  it('holds to a policy file and says which rule decided [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([proposes('read_file', { path: 'secret.txt' }), ...DONE]);
    desk.file('secret.txt', 'hush');
    desk.file(
      'policy.yaml',
      'version: 3\nreviewedBy: Ada\ndefault: allow\nrules:\n  - id: no-reading\n    effect: deny\n    tools: [read_file]\n    because: nothing here is for it\n',
    );
    desk.file('agent.yaml', definition('tools: [read_file]\npolicy: policy.yaml\n'));
    const { code, out } = await desk.flyball('run', 'agent.yaml', '--input', '"Read."');
    expect(code).toBe(0);
    expect(results(desk, 2)[0]).toContain('not permitted here'); // why is for people, not for whoever wants to get around it
    expect(out).toMatch(/policy denies it: .*nothing here is for it.*\(rule no-reading of policy 3@/);
  });

  it('refuses writes of a read-only agent with a sentence [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([proposes('write_file', { path: 'a.txt', content: 'x' }), ...DONE]);
    desk.file('agent.yaml', definition('tools: [write_file]\naccess: { write: [.] }\nautonomy: read-only\n'));
    expect((await desk.flyball('run', 'agent.yaml', '--input', '"Write."')).code).toBe(0);
    expect(results(desk, 2)[0]).toContain('This agent may only read');
    expect(existsSync(join(desk.folder, 'a.txt'))).toBe(false);
  });

  it('asks before a supervised agent writes; another process approves, shows and carries it on [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([proposes('write_file', { path: 'a.txt', content: 'x\n' }), ...DONE]);
    desk.file('agent.yaml', definition('tools: [write_file]\naccess: { write: [.] }\nautonomy: supervised\n'));
    const started = await desk.flyball('run', 'agent.yaml', '--id', 'r1', '--input', '"Write."');
    expect(started.code).toBe(3);
    expect(started.out).toContain('waits for approval of write_file');
    const shown = lastJson((await desk.flyball('show', 'r1', '--json')).out);
    expect(shown['record']).toMatchObject({ agent: 'helper', source: join(desk.folder, 'agent.yaml') });
    expect(existsSync(join(desk.folder, 'a.txt'))).toBe(false);
    const approved = await desk.flyball('approve', 'r1');
    expect(approved.code, approved.error).toBe(0);
    expect(readFileSync(join(desk.folder, 'a.txt'), 'utf8')).toBe('x\n');
    desk.server.assertFinished(); // the first call was not paid for again
  });

  it('says what to do when the file was broken in the meantime, and loses nothing [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([proposes('write_file', { path: 'a.txt', content: 'x\n' }), ...DONE]);
    const text = definition('tools: [write_file]\naccess: { write: [.] }\n');
    desk.file('agent.yaml', text);
    await desk.flyball('run', 'agent.yaml', '--id', 'r1', '--input', '"Write."');
    desk.file('agent.yaml', text.replace('tools:', 'toolz:'));
    const broken = await desk.flyball('approve', 'r1');
    expect(broken.code).toBe(2);
    expect(broken.error).toContain('agent.yaml:4: toolz is not known. Did you mean tools?');
    expect(broken.error).toContain('Nothing is lost. Fix that, then run: flyball resume r1');
    desk.file('agent.yaml', text);
    expect((await desk.flyball('resume', 'r1')).code).toBe(0);
    expect(existsSync(join(desk.folder, 'a.txt'))).toBe(true);
  });

  it('bounds a run by the budget of the file, and by --budget before it [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk((_request, n) => proposes('list_files', { path: n % 2 === 0 ? '.' : './' }));
    desk.file('agent.yaml', definition('tools: [list_files]\nbudget: { modelCalls: 2 }\n'));
    const own = await desk.flyball('run', 'agent.yaml', '--id', 'r1', '--input', '"Go."', '--json');
    expect(own.code).toBe(4);
    expect(lastJson(own.out)).toMatchObject({ outcome: { stop: 'bounded', bound: 'modelCalls', limit: 2 } });
    const given = await desk.flyball('run', 'agent.yaml', '--input', '"Go."', '--budget', 'modelCalls=1', '--json');
    expect(lastJson(given.out)).toMatchObject({ outcome: { stop: 'bounded', bound: 'modelCalls', limit: 1 } });
    const { out } = await desk.flyball('show', 'r1');
    expect(out).toContain('flyball resume r1 --budget modelCalls=4');
  });
});

it('says how to find out more when the model does not answer [R3-CLI-RUN-YAML]', async () => {
  const desk = await modelDesk(() => ({ refuse: { status: 400, message: 'this model is retired' } }));
  desk.file('agent.yaml', definition());
  const { code, out } = await desk.flyball('run', 'agent.yaml', '--input', '"Go."');
  expect(code).toBe(1);
  expect(out).toContain('this model is retired');
  expect(out.trimEnd()).toMatch(/To check which models are available.*\n {4}flyball doctor$/);
});

it('runs the definition that the documentation shows [R3-CLI-RUN-YAML]', async () => {
  const call = proposes('write_file', { path: 'notes/tides.md', content: 'The tide turns at noon.\n' });
  const desk = await modelDesk([call, 'It is noted.', '{"summary":"It is noted."}'], (server) => ({
    FLYBALL_MODEL: undefined,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: server.baseUrl('openai-chat'),
  }));
  cpSync(join(root, 'test/cli/librarian'), desk.folder, { recursive: true });
  const input = '{"task":"Note that the tide turns at noon."}';
  const waiting = await desk.flyball('run', 'agent.yaml', '--id', 'r1', '--input', input);
  expect(waiting.code, waiting.error).toBe(3);
  const done = await desk.flyball('approve', 'r1');
  expect(done.code, done.error).toBe(0);
  expect(done.out).toMatch(
    /\n {2}It is noted\.\n {2}Actions:\n {4}write_file took place \(path: "notes\/tides\.md".*\)\n$/,
  );
  expect(readFileSync(join(desk.folder, 'notes/tides.md'), 'utf8')).toBe('The tide turns at noon.\n');
});

describe('a definition that cannot be used', () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'mistakes, each with its line',
      'name: helper\ndescripton: You help.\ntools: read_file\nbudget: { costUSD: 1 }\n',
      [
        'agent.yaml:2: descripton is not known. Did you mean description?',
        'agent.yaml:3: tools must be a list',
        'agent.yaml:4: budget.costUSD is not known. Did you mean costUsd?',
        'description is missing',
      ],
    ],
    ['YAML that cannot be parsed', 'name: [helper\n', ['agent.yaml:2:']],
    ['an empty file', '', ['agent.yaml: the definition must be a mapping with name']],
    [
      'unknown tools, each with the nearest name',
      definition('tools:\n  - read_fil\n  - list_files\n  - shel\n'),
      [
        'agent.yaml:5: there is no tool "read_fil". Did you mean read_file?',
        'agent.yaml:7: there is no tool "shel". Did you mean shell?',
      ],
    ],
    [
      'built-in tools that are not granted',
      definition('tools: [web_fetch, write_file]\n'),
      [
        'there is no tool "web_fetch". It is not granted: it goes online: name the hosts in access.domains',
        'name the folders in access.write',
      ],
    ],
    [
      'an unknown provider',
      definition('model: openai-compatble/test\n'),
      ['agent.yaml:4: there is no provider "openai-compatble"', 'Did you mean openai-compatible/test?'],
    ],
    [
      'a provider without a key',
      definition('model: openai/gpt-4.1-mini\n'),
      ['openai is not configured. Set OPENAI_API_KEY', 'flyball doctor'],
    ],
    [
      'no price',
      'name: helper\ndescription: You help.\n',
      ['no price is known for openai-compatible/test', 'price: { input:'],
    ],
    ['a folder that is not there', definition('access: { read: [gone] }\n'), ['access.read names gone']],
    ['a policy that is not there', definition('policy: gone.yaml\n'), ['gone.yaml: the policy cannot be read']],
  ];

  it.each(cases)('is told before anything starts: %s [R3-CLI-RUN-YAML]', async (_what, text, sentences) => {
    const desk = await modelDesk([], { OPENAI_API_KEY: undefined, OPENAI_BASE_URL: undefined });
    desk.file('agent.yaml', text);
    const { code, error, out } = await desk.flyball('run', 'agent.yaml');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    for (const sentence of sentences) expect(error).toContain(sentence);
    expect(error).toContain('Nothing was started. Fix that and run the command again.');
    expect(error).not.toMatch(/\n\s+at /);
    expect(lastJson((await desk.flyball('runs', '--json')).out)).toEqual({ runs: [] });
  });

  it('says how to choose a model where none is chosen [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk([], { FLYBALL_MODEL: undefined });
    desk.file('agent.yaml', definition());
    const { code, error } = await desk.flyball('run', 'agent.yaml');
    expect(code).toBe(2);
    expect(error).toContain('export FLYBALL_MODEL=');
    expect(error).toContain('flyball doctor');
  });

  it('does not mind a broken choice in the environment when it names its own model [R3-CLI-RUN-YAML]', async () => {
    const desk = await modelDesk(DONE, { FLYBALL_MODEL: 'nonsense', FLYBALL_MODEL_JUDGE: 'openai/gpt-4.1' });
    desk.file('agent.yaml', definition('model: openai-compatible/test\n'));
    expect((await desk.flyball('run', 'agent.yaml', '--input', '"Hi."')).code).toBe(0);
  });
});

describe('the input of a defined agent', () => {
  it.each([
    ['is missing', [], 'an object with "question", "depth" is required, got nothing'],
    ['is no object', ['--input', '"why"'], 'is required, got "why"'],
    ['has the wrong type', ['--input', '{"question":3}'], 'question'],
    ['has a field too many', ['--input', '{"question":"why","questoin":"x"}'], 'questoin'],
  ])('that %s is refused before there is a run, with an example [R3-CLI-RUN-YAML]', async (_what, options, says) => {
    const desk = await modelDesk([]);
    desk.file(
      'agent.yaml',
      definition('inputs:\n  question: { type: string }\n  depth: { type: integer, default: 1 }\n'),
    );
    const { code, error } = await desk.flyball('run', 'agent.yaml', ...options);
    expect(code).toBe(2);
    expect(error).toContain(says);
    expect(error).toContain(`--input '{"question":"…"}'`);
    expect(lastJson((await desk.flyball('runs', '--json')).out)).toEqual({ runs: [] });
  });
});

it('keeps the whole result for programs, and shows people the answer [R3-CLI-RUN-YAML]', async () => {
  const desk = await modelDesk(() => '{"title":"Tides","year":1894}');
  desk.file('agent.yaml', definition('outputs:\n  title: { type: string }\n  year: { type: integer }\n'));
  const { out } = await desk.flyball('run', 'agent.yaml', '--input', '"Go."', '--json');
  const rest = lastJson(out) as { outcome: { value: Record<string, unknown> } };
  expect(rest.outcome.value).toMatchObject({ output: { title: 'Tides', year: 1894 }, termination: 'completed' });
  expect(jsonLines(out).every((line) => line['kind'] === 'entry' || line['kind'] === 'rest')).toBe(true);
  const shown = await desk.flyball('run', 'agent.yaml', '--input', '"Go."');
  expect(shown.out.trimEnd().split('\n').at(-1)).toBe('  {"title":"Tides","year":1894}');
});

it('tells its model what the definition says, and counts the cache at its own rate [F-E1] [F-E2]', async () => {
  const usage = { input: 1_000, output: 100, cacheRead: 640 };
  const desk = await modelDesk(() => ({ text: 'Done.', usage }));
  const sampling = 'sampling: { temperature: 0.3, reasoningEffort: low, vendor: { top_p: 0.9 } }\n';
  const price = 'price: { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 }\n';
  const path = desk.file('helper.yaml', `name: helper\ndescription: You help.\n${price}${sampling}`);
  const ran = await desk.flyball('run', path, '--input', '"Hello"', '--json');
  expect(ran.code).toBe(0);
  const { body } = desk.server.requestAt(1);
  expect(body).toMatchObject({ temperature: 0.3, reasoning_effort: 'low', top_p: 0.9 });
  // (360 · 1 + 640 · 0.1 + 100 · 2) / 1,000,000
  expect(ran.out).toContain('0.000624');
});

it('counts each model of a chain at its own price [F-E2]', async () => {
  const usage = { input: 1_000, output: 100, cacheRead: 640 };
  const desk = await modelDesk(
    ({ model }) => (model === 'first' ? { text: '', refuse: { status: 400 } } : { text: 'Done.', usage }),
    { FLYBALL_MODEL: 'openai-compatible/first,openai-compatible/second' },
  );
  const prices = `prices:
  openai-compatible/first: { input: 100, output: 200 }
  openai-compatible/second: { input: 1, output: 2, cacheRead: 0.1 }
`;
  const path = desk.file('helper.yaml', `name: helper\ndescription: You help.\n${prices}`);
  const ran = await desk.flyball('run', path, '--input', '"Hello"', '--json');
  expect(ran.code).toBe(0);
  expect(desk.server.requests.map(({ model }) => model)).toContain('first');
  expect(ran.out).toContain('0.000624'); // what the second costs, with its cache rate
});
