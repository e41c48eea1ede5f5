import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agent, Seams, ToolRef } from 'flyball';
import { defineAgent } from 'flyball/agents';
import { type Composition, hostOf, lint } from 'flyball/catalogue';
import { guarded, reAct, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { governance, injectionShield, joinSeams, tool } from 'flyball/tools';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { antiPatterns } from '../../packages/flyball/src/catalogue/catalogue.js';
import type { AntiPatternId } from '../../packages/flyball/src/catalogue/types.js';
import { described, useOf } from '../../packages/flyball/src/core/use.js';
import { flyball } from '../cli/in-process.js';
import { session } from '../patterns/bed.js';
import { type Planted, planted } from './planted.js';
import { use } from './systems.js';

/** What the linter and its command read off the agents of a file, and what the file states. */
const folder = mkdtempSync(join(tmpdir(), 'flyball-derived-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllGlobals());

/** A package of a provider, as far as an import needs it. */
const provider = join(folder, 'node_modules/openai');
mkdirSync(provider, { recursive: true });
writeFileSync(join(provider, 'package.json'), '{ "name": "openai", "type": "module", "exports": "./index.js" }');
writeFileSync(join(provider, 'index.js'), 'export default class OpenAI {}');

const model = scriptedModel({});
const small = { ...model, capabilities: { ...model.capabilities, window: 4_000 } };
const seat = (setup: string, more: object = {}) => session(model, 'bot', { setup, ...more });
const named = (name: string, more: Partial<ToolRef> = {}): ToolRef =>
  tool({
    name,
    description: 'Looks something up. Not for anything else.',
    effect: 'pure',
    input: { type: 'object', properties: { key: { type: 'string' } } },
    execute: async () => '',
    ...(more as object),
  });
const tools = (count: number) => Array.from({ length: count }, (_none, n) => named(`look_${n}`));
const agent = (own: Readonly<Record<string, unknown>> = {}) =>
  defineAgent({ name: 'bot', description: 'Looks things up.', model, tools: tools(2), ...own });
const plain: Agent<string, string> = async (_run, input) => ({ stop: 'done', value: input });

let files = 0;
interface Given {
  readonly agents: Readonly<Record<string, unknown>>;
  readonly seams?: Seams | undefined;
  readonly system?: unknown;
  readonly source?: string;
  readonly words?: readonly string[];
}

/** `flyball patterns check` over a file with these agents. */
async function check({ agents, seams, system, source = '', words = [] }: Given) {
  vi.stubGlobal('given', { agents, runtime: seams === undefined ? {} : { seams }, system });
  const file = join(folder, `agent-${files++}.mjs`);
  const exported = ['agents', 'runtime', ...(system === undefined ? [] : ['system'])];
  writeFileSync(
    file,
    `${exported.map((name) => `export const ${name} = globalThis.given.${name};`).join('\n')}\n${source}\n`,
  );
  const { out, code, error } = await flyball(['patterns', 'check', file, '--json', ...words]);
  if (out === '') return { code, error, findings: [] };
  const { findings } = JSON.parse(out) as { readonly findings: ReturnType<typeof lint> };
  return { code, error, findings };
}

const rulesOf = async (given: Given) =>
  (await check(given)).findings.filter(({ level }) => level !== 'info').map(({ rule }) => rule);

const stranger = named('read_page', { legs: ['untrusted-content'] });
const runsText = named('run_command', {
  effect: 'irreversible',
  inputJsonSchema: { type: 'object', properties: { command: { type: 'string' } } },
} as never);
const long = 'Sort every request by the rules of the house. '.repeat(300);

/** What is wrong, and the same without it: nothing is stated about either. */
const seen: readonly (readonly [AntiPatternId, string, Given, Given])[] = [
  ['A1', 'long instructions', { agents: { bot: agent({ instructions: long }) } }, { agents: { bot: agent() } }],
  [
    'A2',
    'a loop that may call its one tool once',
    { agents: { bot: reAct({ worker: seat('Look.'), tools: tools(1) }, { maxIterations: 2 }) } },
    { agents: { bot: reAct({ worker: seat('Look.'), tools: tools(2) }, { maxIterations: 2 }) } },
  ],
  [
    'A4',
    'no owner in production',
    { agents: { bot: agent({ policy: 'p.yaml' }) }, words: ['--profile', 'production'] },
    {
      agents: { bot: agent({ ownership: { owner: 'ann' }, policy: 'p.yaml' }) },
      words: ['--profile', 'production'],
    },
  ],
  [
    'A4',
    'two agents for one purpose',
    { agents: { bot: agent(), other: agent({ name: 'other' }) } },
    { agents: { bot: agent(), other: agent({ name: 'other', description: 'Writes letters to customers.' }) } },
  ],
  [
    'A5',
    'a guard at the output alone, although tools act',
    {
      agents: { bot: agent({ tools: [named('send', { effect: 'idempotent' }), named('look')] }) },
      seams: { output: [(next) => next] },
    },
    { agents: { bot: agent() }, seams: { output: [(next) => next] } },
  ],
  [
    'A7',
    'a window that nothing is taken out of',
    { agents: { bot: reAct({ worker: seat('Look.'), tools: tools(2), window: [] }) } },
    { agents: { bot: reAct({ worker: seat('Look.'), tools: tools(2) }) } },
  ],
  [
    'A11',
    'types of a provider',
    { agents: { bot: agent() }, source: "import OpenAI from 'openai';\nexport const client = OpenAI;" },
    { agents: { bot: agent() }, source: "// import OpenAI from 'openai';\n/*\nimport OpenAI from 'openai';\n*/" },
  ],
  [
    'A12',
    'too many tools',
    { agents: { bot: agent({ tools: tools(41), maxTools: 50 }) } },
    { agents: { bot: agent() } },
  ],
  [
    'A12',
    'schemas that fill the window',
    {
      agents: { bot: agent({ model: small, tools: [named('look', { description: `Looks. ${long}` }), named('see')] }) },
    },
    { agents: { bot: agent({ tools: [named('look', { description: `Looks. ${long}` }), named('see')] }) } },
  ],
  [
    'HA1',
    'instructions that claim a feeling',
    { agents: { bot: zeroShot(seat('Say: I feel so lonely when you leave.')) } },
    { agents: { bot: zeroShot(seat('You are a librarian.')) } },
  ],
  [
    'HA3',
    'a style without an identity',
    { agents: { bot: described(plain.bind(null), use('H7', 'withStyle')) } },
    { agents: { bot: described(plain.bind(null), use('H7', 'withStyle', { provides: ['H1'] })) } },
  ],
  [
    'HA4',
    'principles that nobody decides about',
    { agents: { bot: described(plain.bind(null), use('H5', 'constitution')) } },
    { agents: { bot: described(plain.bind(null), use('H5', 'constitution', { provides: ['V1'] })) } },
  ],
  [
    'IA1',
    'a server with long schemas',
    {
      agents: {
        bot: agent({
          tools: [named('a', { description: long.repeat(8), tags: ['mcp', 'mcp:hub'] } as never), named('b')],
        }),
      },
    },
    { agents: { bot: agent({ tools: [named('a', { tags: ['mcp', 'mcp:hub'] } as never), named('b')] }) } },
  ],
  [
    'IA2',
    'a tool that takes a command line',
    { agents: { bot: agent({ tools: [runsText, named('look')] }) } },
    { agents: { bot: agent({ tools: [named('run_command', { effect: 'irreversible' as never }), named('look')] }) } },
  ],
  [
    'IA3',
    'one long list',
    { agents: { bot: agent({ tools: tools(20), maxTools: 50 }) } },
    { agents: { bot: agent() } },
  ],
  [
    'CE1',
    'principles alone where lives depend on it',
    {
      agents: { bot: described(plain.bind(null), use('S9', 'constitutional')) },
      words: ['--profile', 'safety-critical'],
    },
    {
      agents: { bot: described(plain.bind(null), use('S9', 'constitutional', { provides: ['V7'] })) },
      words: ['--profile', 'safety-critical'],
    },
  ],
  [
    'CE7',
    'a time in what should be the same for every call',
    { agents: { bot: agent({ instructions: 'It is 2026-11-19T01:44:10Z.' }) } },
    { agents: { bot: agent({ instructions: 'Prices are those of 2026-11-19.' }) } },
  ],
];

describe('flyball patterns check', () => {
  it.each(seen)('reads %s off the agents: %s [R17-DERIVED]', async (id, _what, bad, good) => {
    expect(await rulesOf(bad)).toContain(id);
    expect(await rulesOf(good)).not.toContain(id);
  });

  const throughFile = antiPatterns.map(
    ({ id }) => [id, planted.find((each) => each.id === id && isOfAFile(each))] as const,
  );

  it.each(throughFile)(
    'finds %s by what the file states, and nothing of it after the change [R17-DERIVED]',
    async (id, one) => {
      if (one === undefined) expect.fail(`no file can have ${id}`);
      const { bad, changed } = one;
      expect(await rulesOf(givenOf(bad))).toContain(id);
      expect(await rulesOf(givenOf(changed))).not.toContain(id);
    },
  );

  it('refuses a fact that it does not know, and names the one that was meant [R17-DERIVED]', async () => {
    const { code, error } = await check({ agents: { bot: agent() }, system: { toolz: [] } });
    expect(code).toBe(2);
    expect(error).toContain('exports `system` with the unknown field "toolz". Did you mean "tools"?');
    expect((await check({ agents: { bot: agent() }, system: [] })).error).toContain('it is not a record');
  });

  it.each([
    ['edges', 5, 'a list of records'],
    ['tools', [null], 'a list of records'],
    ['agents', { bot: 'ann' }, 'a record of records'],
    ['identityFields', ['name', 1], 'a list of texts'],
    ['schemaShare', '20%', 'a number'],
    ['discovers', 1, 'true or false'],
    ['foreignLoop', {}, 'a text'],
    ['principles', [], 'a record'],
  ])('refuses %s as %j: that is not what it has to be [R17-DERIVED]', async (field, value, shape) => {
    const { code, error } = await check({ agents: { bot: agent() }, system: { [field]: value } });
    expect([code, error]).toEqual([2, expect.stringContaining(`its field "${field}" is not ${shape}`)]);
  });

  it('takes what is stated before what was read [R17-DERIVED]', async () => {
    const agents = { bot: agent({ tools: [runsText, named('look')] }) };
    expect(await rulesOf({ agents })).toContain('IA2');
    const system = { tools: [{ name: 'run_command', runs: 'arguments', sandboxed: true, lists: 'allowed' }] };
    expect(await rulesOf({ agents, system })).not.toContain('IA2');
  });

  it('holds the least that an agent calls against the budget that it brings along [R17-WORST-CASE]', async () => {
    const asked = described(plain.bind(null), use('R17', 'vote', { predicted: { min: 3, max: 9 } }));
    const bot = (modelCalls: number) => ({ agent: asked, version: '1', budget: { modelCalls } });
    expect(await rulesOf({ agents: { bot: bot(2) } })).toContain('WORST-CASE');
    expect(await rulesOf({ agents: { bot: bot(3) } })).not.toContain('WORST-CASE');
  });
});

/** A runtime records and bounds every run, so no file can leave that out. */
const isOfAFile = ({ bad, changed }: Planted): boolean => bad.host === undefined && changed.host === undefined;

/** An agent file of a composition: descriptions are carried by agents. */
const givenOf = ({ agents, system, profile = [] }: Composition): Given => ({
  agents: Object.fromEntries(
    Object.entries(agents).map(([name, own]) => [
      name,
      typeof own === 'function' ? own : described(plain.bind(null), own as ReturnType<typeof use>),
    ]),
  ),
  system: system ?? {},
  words: profile.flatMap((name) => ['--profile', name]),
});

describe('what is read off agents', () => {
  const errors = (subject: Composition) =>
    lint(subject)
      .filter(({ level }) => level === 'error')
      .map(({ rule, at }) => `${rule} at ${at}`);
  const shield = injectionShield({ secret: 'at least sixteen characters' });

  it('an agent that reads text from outside needs a shield, and one beside it that does not needs none [R17-DERIVED]', () => {
    const reader = reAct({ worker: seat('Read.'), tools: [stranger, named('look')] });
    const agents = { reader, other: reAct({ worker: seat('Look.'), tools: tools(2) }) };
    expect(errors({ agents })).toEqual(['I2 requires V6 at reader > reAct (R4)']);
    expect(errors({ agents: { ...agents, reader: guarded(reader, shield) } })).toEqual([]);
    expect(errors({ agents, seams: shield })).toEqual([]);
  });

  it('seams that were joined still say what they are [R17-DERIVED]', () => {
    const policy = { label: 'house', rules: [] } as never;
    const clock = { now: () => 0, monotonic: () => 0 };
    const joined = joinSeams(governance({ clock, policy }), joinSeams(shield));
    expect(hostOf(joined)).toEqual(expect.arrayContaining(['V6', 'V7']));
    expect(hostOf(governance({ clock }))).not.toContain('V7');
  });

  it('a person is asked about what cannot be undone, so nothing has to be added [R17-DERIVED]', () => {
    const bot = reAct({
      worker: seat('Pay.'),
      tools: [named('pay', { effect: 'irreversible' as never }), named('look')],
    });
    expect(errors({ agents: { bot } })).toEqual([]);
    const tools = [{ name: 'pay', effect: 'irreversible' as const, asks: false }];
    expect(errors({ agents: { bot }, system: { tools } })).toContain('*agent requires V1 at bot');
  });

  it('a description holds no session, so it is stored and shown as before [R17-DERIVED]', () => {
    const bot = zeroShot(seat('You are a librarian.'));
    expect(JSON.stringify(useOf(bot))).not.toContain('librarian');
    expect(lint({ agents: { bot: JSON.parse(JSON.stringify(useOf(bot))) } })).toEqual([]);
  });

  it('an agent with a version is described by the agent in it [R17-DERIVED]', () => {
    const bot = zeroShot(seat('You are a librarian.'));
    expect(lint({ agents: { bot: { agent: bot, version: '2' } } })).toEqual([]);
  });
});
