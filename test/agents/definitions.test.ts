import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, FlyballError, type Model } from 'flyball';
import { agentFromFile } from 'flyball/adapters/definitions';
import { type AgentDefinition, type AgentSpec, bindAgent, defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { toolRegistry } from 'flyball/tools';
import { describe, expect, it, onTestFinished } from 'vitest';
import { autonomyBudget } from '../../packages/flyball/src/tools/autonomy/index.js';
import { smallTools } from '../loops/small-tools.js';
import { forEver, proposes } from '../loops/stage-loop.js';
import { gained, runAgent } from './stage-agent.js';

function yamlFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-yaml-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'clerk.yaml');
  writeFileSync(file, text);
  return file;
}

const YAML = `
# An archivist.
name: clerk
version: "2"
role: archivist
description: >
  You file letters,
  and find them again.
capabilities: [read handwriting, sort by date]
constraints:
  - cite the shelf
guardrails:
  - never burn a letter
ownership: { owner: records team, escalation: ask Ann }
dependencies:
  - archive
  - { name: calendar, why: holds the dates }
autonomy: supervised
inputs:
  - { name: letter, type: string, description: its text }
  - { name: year, type: integer, default: 1900 }
outputs:
  shelf: string
  mood: { type: string, enum: [glad, sad] }
model: scripted/model
sampling: { temperature: 0 }
budget: { toolCalls: 30, wallMs: 90000 }
tools: [add_one, write]
skills: [palaeography]
loop:
  maxIterations: 8
  doubleConfirmation: false
instructions: |
  Work from left to right.
`;

function inTypeScript(model: Model): AgentDefinition {
  const { addOne, write } = smallTools();
  return {
    name: 'clerk',
    version: '2',
    role: 'archivist',
    description: 'You file letters, and find them again.\n',
    capabilities: ['read handwriting', 'sort by date'],
    constraints: ['cite the shelf'],
    guardrails: ['never burn a letter'],
    ownership: { owner: 'records team', escalation: 'ask Ann' },
    dependencies: [{ name: 'archive' }, { name: 'calendar', why: 'holds the dates' }],
    autonomy: 'supervised',
    inputs: { letter: { type: 'string', description: 'its text' }, year: { type: 'integer', default: 1900 } },
    outputs: { shelf: { type: 'string' }, mood: { type: 'string', enum: ['glad', 'sad'] } },
    model,
    sampling: { temperature: 0 },
    budget: { toolCalls: 30, wallMs: 90_000 },
    tools: [addOne, write],
    skills: ['palaeography'],
    loop: { maxIterations: 8, doubleConfirmation: false },
    instructions: 'Work from left to right.\n',
  };
}

const clerk = () => scriptedModel({ clerk: [proposes('add_one', { x: 1 }), '{"shelf": "A2", "mood": "glad"}'] });
const bindings = (model: Model = clerk(), tools = smallTools()) => ({
  model: (name: string) => (name === 'scripted/model' ? model : undefined),
  modelNames: ['scripted/model', 'scripted/small'],
  tools: toolRegistry(tools.all),
});

describe('a definition', () => {
  it('takes identity, capabilities, constraints, guardrails, inputs, outputs, model, budget, tools and skills [R3-AGENT-DEFINE]', () => {
    const agent = defineAgent(inTypeScript(clerk()));
    expect(agent).toMatchObject({ name: 'clerk', version: '2', budget: { toolCalls: 30, wallMs: 90_000 } });
    expect(agent.spec).toMatchObject({
      model: 'scripted/model',
      tools: ['add_one', 'write'],
      skills: ['palaeography'],
    });
    for (const word of [
      'archivist',
      'read handwriting',
      'cite the shelf',
      'never burn',
      'palaeography',
      'letter',
      'shelf',
    ])
      expect(agent.setup).toContain(word);
  });

  it('in a YAML file makes the same agent: the same system prompt to the byte, the same data [R3-AGENT-YAML] [R3-AGENT-DEFINE]', async () => {
    const spec = await agentFromFile(yamlFile(YAML));
    const fromYaml = bindAgent(spec, bindings());
    const fromCode = defineAgent(inTypeScript(clerk()));
    expect(fromYaml.setup).toBe(fromCode.setup);
    expect(fromYaml.spec).toEqual(fromCode.spec);
    expect([fromYaml.name, fromYaml.version, fromYaml.budget]).toEqual([
      fromCode.name,
      fromCode.version,
      fromCode.budget,
    ]);
  });

  it('in a YAML file runs: with its tools, its loop and its schema [R3-AGENT-YAML]', async () => {
    const model = clerk();
    const tools = smallTools();
    const agent = bindAgent(await agentFromFile(yamlFile(YAML)), bindings(model, tools));
    const { outcome } = await runAgent(agent.agent, { letter: 'Dear Ann' });
    expect(gained(outcome)).toMatchObject({ output: { shelf: 'A2', mood: 'glad' }, toolsUsed: ['add_one'] });
    expect(tools.done).toEqual(['add_one 1']);
    expect(model.requests[0]).toMatchObject({ sampling: { temperature: 0 } });
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['add_one', 'write']);
  });

  it('in TypeScript is checked like one in YAML, before a token is spent [R3-AGENT-DEFINE]', () => {
    const model = clerk();
    const wrong = (more: object) => () => defineAgent({ name: 'clerk', description: 'x', model, ...more });
    expect(wrong({ name: 'the clerk' })).toThrow(/Agent "the clerk": name can only contain/);
    expect(wrong({ description: '' })).toThrow(/Agent "clerk": description must be text/);
    expect(wrong({ budget: { toolCalls: Number.NaN } })).toThrow(/budget.toolCalls/);
    expect(wrong({ loop: { maxIterations: 0 } })).toThrow(/maxIterations/);
    expect(wrong({ maxReasks: -1 })).toThrow(/maxReasks/);
    expect(wrong({ inputs: { a: { type: 'date' } } })).toThrow(/inputs.a.type/);
    expect(wrong({ capabilites: ['x'] })).toThrow(/capabilites is not known\. Did you mean capabilities\?/);
    expect(wrong({ autonomyBudget: autonomyBudget() })).not.toThrow();
  });

  it('brings the autonomy that its loop is held to [R3-AGENT-DEFINE]', async () => {
    const model = scriptedModel({ clerk: forEver(() => proposes('next')) as never });
    const agent = defineAgent({
      name: 'clerk',
      description: 'x',
      model,
      tools: smallTools().all,
      autonomyBudget: autonomyBudget({ limits: { iterations: 2 } }),
    });
    const { outcome } = await runAgent(agent.agent, 'go');
    expect(outcome).toMatchObject({ stop: 'bounded', partial: { termination: 'budget_exceeded', iterations: 2 } });
  });
});

describe('names in a definition', () => {
  const spec: AgentSpec = { name: 'clerk', description: 'x', model: 'scripted/model', tools: ['add_one'] };
  const problemOf = (given: Partial<AgentSpec>, more: object = {}): Error => {
    try {
      bindAgent({ ...spec, ...given }, { ...bindings(), ...more });
    } catch (error) {
      return error as Error;
    }
    throw new Error('It was bound.');
  };

  it('that stand for nothing are refused with the nearest ones [R3-AGENT-YAML]', () => {
    expect(problemOf({ tools: ['addone'] })).toBeInstanceOf(ConfigError);
    expect(problemOf({ tools: ['addone'] }).message).toBe(
      'Agent "clerk": there is no tool "addone". Did you mean add_one?',
    );
    expect(problemOf({ tools: ['zzz'] }).message).toMatch(/Known names: add_one, next, write, fail\.$/);
    expect(problemOf({ model: 'scripted/modl' }).message).toBe(
      'Agent "clerk": there is no model "scripted/modl". Did you mean scripted/model?',
    );
    expect(problemOf({ tools: ['x'] }, { tools: undefined }).message).toMatch(/Known names: none\./);
  });

  it('may come from a view of the registry, which is not widened [R3-AGENT-YAML]', () => {
    const view = toolRegistry(smallTools().all).toolset({ include: ['next'] });
    expect(bindAgent({ ...spec, tools: ['next'] }, { ...bindings(), tools: view }).spec.tools).toEqual(['next']);
    expect(() => bindAgent(spec, { ...bindings(), tools: view })).toThrow(/there is no tool "add_one"/);
  });

  it('of a model may be left out where there is one by default [R3-AGENT-YAML]', () => {
    const { model: _model, ...nameless } = spec;
    expect(() => bindAgent(nameless, bindings())).toThrow(
      /Agent "clerk" names no model\. Add "model: provider\/model"/,
    );
    expect(bindAgent(nameless, { ...bindings(), defaultModel: 'scripted/model' }).spec.model).toBe('scripted/model');
  });

  it('that a router refuses keep its words, with the agent before them [R3-AGENT-YAML]', () => {
    const router = () => {
      throw new FlyballError('CONFIG_INVALID', 'No model is set for the role "x".');
    };
    expect(problemOf({}, { model: router }).message).toBe(
      'Agent "clerk", model "scripted/model": No model is set for the role "x".',
    );
  });
});
