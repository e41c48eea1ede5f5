import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { readSkill } from '../../packages/flyball/src/adapters/skill-folder/index.js';
import { baseline } from '../../packages/flyball/src/agents/policies/baseline.js';
import { declarative } from '../../packages/flyball/src/agents/policies/declarative.js';
import { conversationPolicy, policyBook } from '../../packages/flyball/src/agents/policies/policies.js';
import { DEFAULT_INSTRUCTIONS } from '../../packages/flyball/src/agents/policies/setup-text.js';
import { skillsBlock } from '../../packages/flyball/src/agents/policies/skills-block.js';
import { call, converse, offered, results, setting, words } from './stage-policies.js';

const TOOLS = [offered('look'), offered('write')];
const SKILLS = [
  { name: 'b-second', text: 'Two.\n' },
  { name: 'a-first', text: '\n# One\n---\nstill one' },
];
const BLOCK = '<skills>\n## SKILL: a-first\n# One\n---\nstill one\n---\n## SKILL: b-second\nTwo.\n</skills>';

async function requestsOf(policy: typeof baseline, more: Parameters<typeof setting>[2] = {}) {
  const proposed = call('look', { id: 1 });
  const model = scriptedModel({ agent: [{ toolCalls: [proposed] }, 'Found it.', 'Good bye.'] });
  const speaker = policy(setting(model, TOOLS, more));
  speaker.open([{ by: 'self', text: 'Hi! How can I help?', calls: [] }]);
  const moves = await converse(speaker, [
    words('Where is it?'),
    (last) => results(last.calls, 'here'),
    words('Thanks.'),
  ]);
  model.assertFinished();
  return { moves, requests: model.requests, setup: speaker.setup, proposed };
}

describe('baseline', () => {
  it('asks one model call a turn, under instructions and policy, with all tools [R5-TALK-BASELINE] [R5-TALK-INTERFACE]', async () => {
    const { moves, requests, setup, proposed } = await requestsOf(baseline);
    expect(requests).toHaveLength(3);
    expect(setup).toBe(`<instructions>\n${DEFAULT_INSTRUCTIONS}\n</instructions>\n<policy>\nBe fair.\n</policy>`);
    for (const request of requests) {
      expect(request.messages[0]).toEqual({ role: 'system', content: setup });
      expect(request.tools.map(({ name }) => name)).toEqual(['look', 'write']);
      expect(request.toolChoice).toBe('auto');
    }
    expect(requests[2]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Hi! How can I help?' },
      { role: 'user', content: 'Where is it?' },
      { role: 'assistant', content: '', toolCalls: [proposed] },
      { role: 'tool', content: 'here', toolCallId: proposed.id, name: 'look' },
      { role: 'assistant', content: 'Found it.' },
      { role: 'user', content: 'Thanks.' },
    ]);
    expect(moves.map(({ text, calls }) => [text, calls.length])).toEqual([
      ['', 1],
      ['Found it.', 0],
      ['Good bye.', 0],
    ]);
    expect(moves.every(({ inside }) => inside.length === 0)).toBe(true);
  });

  it('takes the wording of the setting, to the byte, and its tool choice and sampling [R5-TALK-BASELINE]', async () => {
    const more = {
      instructions: 'Line one.\nLine two.',
      toolChoice: 'required',
      sampling: { temperature: 0, seed: 7 },
    } as const;
    const { requests, setup } = await requestsOf(baseline, more);
    expect(setup).toBe('<instructions>\nLine one.\nLine two.\n</instructions>\n<policy>\nBe fair.\n</policy>');
    expect(requests[0]).toMatchObject({ toolChoice: 'required', sampling: { temperature: 0, seed: 7 } });
  });

  it('answers a call that nobody answered before it is asked again [R5-TALK-INTERFACE]', async () => {
    const proposed = call('look');
    const model = scriptedModel({ agent: [{ toolCalls: [proposed] }, 'Yes?'] });
    await converse(baseline(setting(model, TOOLS)), [words('a'), words('b')]);
    expect(model.requests[1]?.messages.at(-2)).toMatchObject({ role: 'tool', toolCallId: proposed.id });
  });

  it('says what a move costs and how many tokens it took [R5-TALK-INTERFACE]', async () => {
    const usage = { input: 1000, output: 10, cacheRead: 600 };
    const price = { input: 2, output: 10, cacheRead: 1 };
    const model = scriptedModel({ agent: [{ text: 'a', usage }] }, { price, capabilities: { promptCache: true } });
    const [move] = await converse(baseline(setting(model, TOOLS)), [words('a')]);
    expect(move?.usage).toEqual(usage);
    expect(move?.costUsd).toBeCloseTo((400 * 2 + 600 * 1 + 10 * 10) / 1e6, 12);
  });

  it('shows each of two calls under one id its own answer [R5-TALK-INTERFACE]', async () => {
    const twins = [call('look'), call('write')].map((one) => ({ ...one, id: 'same' }));
    const model = scriptedModel({ agent: [{ toolCalls: twins }, 'Done.'] });
    await converse(baseline(setting(model, TOOLS)), [
      words('Both.'),
      (last) => results(last.calls, ({ name }) => `by ${name}`),
    ]);
    const shown = model.requests[1]?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
    expect(shown).toEqual(['by look', 'by write']);
  });
});

describe('declarative', () => {
  it('sends what baseline sends, byte for byte, with the skills after it and nothing else [R5-TALK-DECLARATIVE]', async () => {
    const more = { instructions: 'I.', toolChoice: 'auto', sampling: { temperature: 0 } } as const;
    const plain = await requestsOf(baseline, more);
    const skilled = await requestsOf(declarative(SKILLS), more);
    const bytes = (requests: typeof plain.requests) =>
      requests.map((request) => JSON.stringify(request).replaceAll(/"c\d+"/g, '"c"'));
    const without = bytes(skilled.requests).map((text) => text.replace(JSON.stringify(`\n${BLOCK}`).slice(1, -1), ''));
    expect(without).toEqual(bytes(plain.requests));
    expect(skilled.setup).toBe(`${plain.setup}\n${BLOCK}`);
  });

  it('holds the files whole, by name, joined by a rule [R5-TALK-DECLARATIVE]', () => {
    expect(skillsBlock(SKILLS)).toBe(BLOCK);
    expect(skillsBlock([...SKILLS].reverse())).toBe(BLOCK);
  });

  it('reads its skills when it is made, not when it speaks [R5-TALK-DECLARATIVE]', async () => {
    const skills = [{ name: 'one', text: 'before' }];
    const policy = declarative(skills);
    skills[0] = { name: 'one', text: 'after' };
    const model = scriptedModel({ agent: 'a' });
    await converse(policy(setting(model, TOOLS)), [words('a')]);
    expect(model.promptAt('agent')).toContain('before');
  });

  it('is not made without a skill, or with two of one name [R5-TALK-DECLARATIVE]', () => {
    expect(() => declarative([])).toThrow(/at least one/);
    expect(() =>
      declarative([
        { name: 'a', text: '1' },
        { name: 'a', text: '2' },
      ]),
    ).toThrow(/called "a"/);
  });
});

describe('policies by name', () => {
  it('are the four, and those that a user adds [R5-TALK-INTERFACE]', () => {
    expect(policyBook().names).toEqual(['baseline', 'declarative', 'imperative', 'governed']);
    const mine = policyBook({ mine: () => baseline });
    expect(mine.names).toContain('mine');
    expect(mine.make('mine', {})).toBe(baseline);
    expect(() => policyBook({ baseline: () => baseline })).toThrow(/already/);
  });

  it('say what they miss, and which there are [R5-TALK-INTERFACE]', () => {
    expect(conversationPolicy('baseline', {})).toBe(baseline);
    expect(() => conversationPolicy('declarative', {})).toThrow('The policy declarative needs skills');
    expect(() => conversationPolicy('imperative', {})).toThrow('needs a machine');
    expect(() => conversationPolicy('governed', { skills: SKILLS })).toThrow('needs gate rules');
    expect(() => conversationPolicy('other', {})).toThrow(/baseline, declarative, imperative, governed/);
  });
});

describe('the skills that ship', () => {
  const root = fileURLToPath(new URL('../../packages/evals/data/skills', import.meta.url));
  it('are there for every domain, are sound skills, and go into a prompt whole [R5-TALK-SKILL-FILES] [R5-TALK-DECLARATIVE]', async () => {
    const found: string[] = [];
    for (const domain of readdirSync(root)) {
      const read = await Promise.all(
        readdirSync(join(root, domain)).map((name) => readSkill(join(root, domain, name))),
      );
      expect(read.flatMap(({ problems }) => problems)).toEqual([]);
      const skills = read.flatMap(({ skill }) =>
        skill === undefined ? [] : [{ name: skill.name, text: skill.instructions }],
      );
      found.push(...skills.map(({ name }) => `${domain}/${name}`));
      for (const { text } of skills) expect(skillsBlock(skills)).toContain(text.trim());
    }
    expect(found.sort()).toEqual([
      'banking_knowledge/banking-procedures',
      'banking_knowledge/customer-interaction',
      'banking_knowledge/knowledge-discovery',
      'energy_desk/customer-interaction',
      'energy_desk/energy-procedures',
      'energy_desk/knowledge-discovery',
      'mock/task-desk',
    ]);
  });

  it('name no specialised tool in full: its digits are for a document to tell [R5-TALK-SKILL-FILES]', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
    for (const path of files)
      expect(readFileSync(join(root, path), 'utf8')).not.toMatch(/\b[a-z]+(?:_[a-z0-9]+)+_\d{4}\b/);
  });
});
