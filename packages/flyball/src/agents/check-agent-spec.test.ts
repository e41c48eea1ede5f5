import { describe, expect, it } from 'vitest';
import { ConfigError } from '../core/errors.js';
import { checkAgentSpec } from './check-agent-spec.js';

const LEAST = { name: 'clerk', description: 'You file letters.' };
const checked = (more: Record<string, unknown>) => checkAgentSpec({ ...LEAST, ...more }, 'a.yaml');

describe('a definition that is sound', () => {
  it('comes back as it is [R3-AGENT-YAML]', () => {
    const spec = {
      ...LEAST,
      version: '2',
      role: 'archivist',
      capabilities: ['read'],
      constraints: ['cite'],
      guardrails: ['no fire'],
      ownership: { owner: 'records', contact: 'x', escalation: 'y' },
      dependencies: [{ name: 'archive', why: 'letters' }],
      autonomy: 'read-only',
      inputs: {
        letter: { type: 'string', description: 'text', required: false, default: 'none', enum: ['none', 'a'] },
      },
      outputs: {
        shelf: { type: 'array', items: { type: 'string' } },
        more: { type: 'object', properties: { a: { type: 'number' } } },
      },
      model: 'openai/gpt-5',
      sampling: { maxOutputTokens: 100, temperature: 0, seed: -1, stop: ['END'], logProbs: 0, vendor: { top_k: 1 } },
      budget: { toolCalls: 10, costUsd: 0.5, depth: 1, width: 2, noProgress: 3, deadline: 1e12 },
      tools: ['read_file'],
      price: { input: 1, output: 2 },
      prices: { 'a/b': { input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25 } },
      access: { read: ['data'], write: ['out'], commands: ['make'], domains: ['example.org'] },
      policy: 'policy.yaml',
      skills: ['palaeography'],
      loop: { maxIterations: 5, parallel: 'never', window: { care: 'clear', keepRecent: 2 } },
      instructions: 'Go.',
    };
    expect(checkAgentSpec(spec, 'a.yaml')).toEqual(spec);
  });

  it('may write inputs and outputs as a list, or as names with types [R3-AGENT-YAML]', () => {
    const fields = { letter: { type: 'string', description: 'text' }, year: { type: 'integer' }, any: {} };
    const list = [{ name: 'letter', type: 'string', description: 'text' }, { name: 'year', type: 'integer' }, 'any'];
    expect(checked({ inputs: fields, outputs: list })).toEqual({ ...LEAST, inputs: fields, outputs: fields });
    expect(checked({ inputs: { letter: 'string', any: null } })).toEqual({
      ...LEAST,
      inputs: { letter: { type: 'string' }, any: {} },
    });
  });

  it('may write an owner and dependencies as names [R3-AGENT-YAML]', () => {
    expect(checked({ ownership: 'records', dependencies: ['archive', { name: 'x', why: 'y' }] })).toMatchObject({
      ownership: { owner: 'records' },
      dependencies: [{ name: 'archive' }, { name: 'x', why: 'y' }],
    });
  });
});

describe('every mistake gets a sentence that names the source and the place', () => {
  const mistakes: readonly (readonly [unknown, string])[] = [
    [null, 'a.yaml: the definition must be a mapping with name, '],
    [['x'], 'a.yaml: the definition must be a mapping'],
    [{ description: 'x' }, 'a.yaml: name is missing.'],
    [{ name: 'x' }, 'a.yaml: description is missing.'],
    [
      { ...LEAST, name: 'the clerk' },
      'a.yaml: name can only contain letters, digits, "_", "-" and ".", got "the clerk".',
    ],
    [{ ...LEAST, name: 7 }, 'a.yaml: name must be text that is not empty, got 7; write it in quotes: "7".'],
    [{ ...LEAST, description: '  ' }, 'a.yaml: description must be text that is not empty, got "  ".'],
    [{ ...LEAST, version: 1.1 }, 'a.yaml: version must be text that is not empty, got 1.1; write it in quotes: "1.1".'],
    [{ ...LEAST, role: null }, 'a.yaml: role must be text that is not empty, got nothing.'],
    [{ ...LEAST, capabilites: ['x'] }, 'a.yaml: capabilites is not known. Did you mean capabilities?'],
    [{ ...LEAST, zzz: 1 }, 'a.yaml: zzz is not known. Known fields: name, version, '],
    [{ ...LEAST, capabilities: 'read' }, 'a.yaml: capabilities must be a list, got "read".'],
    [{ ...LEAST, capabilities: ['a', 7] }, 'a.yaml: capabilities[1] must be text that is not empty, got 7'],
    [{ ...LEAST, guardrails: [['x']] }, 'a.yaml: guardrails[0] must be text'],
    [
      { ...LEAST, autonomy: 'supervized' },
      'a.yaml: autonomy must be one of read-only, supervised, autonomous, got "supervized". Did you mean supervised?',
    ],
    [{ ...LEAST, ownership: {} }, 'a.yaml: ownership.owner is missing.'],
    [
      { ...LEAST, ownership: { owner: 'a', contct: 'b' } },
      'a.yaml: ownership.contct is not known. Did you mean contact?',
    ],
    [{ ...LEAST, ownership: ['a'] }, 'a.yaml: ownership must be a mapping with owner, contact, escalation'],
    [{ ...LEAST, dependencies: [{ why: 'x' }] }, 'a.yaml: dependencies[0].name is missing.'],
    [{ ...LEAST, dependencies: [7] }, 'a.yaml: dependencies[0] must be a mapping with name, why, got 7.'],
    [{ ...LEAST, tools: 'shell' }, 'a.yaml: tools must be a list, got "shell".'],
    [{ ...LEAST, tools: ['a', 'b', 'a'] }, 'a.yaml: tools[2] names "a" a second time.'],
    [{ ...LEAST, skills: [''] }, 'a.yaml: skills[0] must be text that is not empty'],
    [{ ...LEAST, inputs: 'x' }, 'a.yaml: inputs must be a mapping, got "x".'],
    [
      { ...LEAST, inputs: { a: { type: 'sting' } } },
      'a.yaml: inputs.a.type must be one of string, number, integer, boolean, object, array, got "sting". Did you mean string?',
    ],
    [{ ...LEAST, inputs: { a: { typ: 'string' } } }, 'a.yaml: inputs.a.typ is not known. Did you mean type?'],
    [{ ...LEAST, inputs: { a: { required: 'yes' } } }, 'a.yaml: inputs.a.required must be true or false, got "yes".'],
    [
      { ...LEAST, inputs: { a: { type: 'integer', default: 1.5 } } },
      'a.yaml: inputs.a.default is not a valid integer.',
    ],
    [
      { ...LEAST, inputs: { a: { enum: ['x'], default: 'y' } } },
      'a.yaml: inputs.a.default is not one of the values in enum.',
    ],
    [{ ...LEAST, inputs: { a: { enum: [] } } }, 'a.yaml: inputs.a.enum allows nothing'],
    [
      { ...LEAST, inputs: { a: { type: 'string', enum: ['x', 7] } } },
      'a.yaml: inputs.a.enum[1] is not a valid string.',
    ],
    [{ ...LEAST, inputs: { a: { items: 'string' } } }, 'a.yaml: inputs.a.items must be a mapping'],
    [{ ...LEAST, inputs: { a: { properties: { b: 'string' } } } }, 'a.yaml: inputs.a.properties.b must be a mapping'],
    [{ ...LEAST, inputs: { a: 7 } }, 'a.yaml: inputs.a must be a mapping'],
    [{ ...LEAST, outputs: [{ type: 'string' }] }, 'a.yaml: outputs[0].name is missing.'],
    [{ ...LEAST, outputs: [{ name: 'a' }, { name: 'a' }] }, 'a.yaml: outputs[1].name names "a" a second time.'],
    [{ ...LEAST, outputs: [7] }, 'a.yaml: outputs[0] must be a mapping, got 7.'],
    [
      { ...LEAST, outputs: { a: {} }, outputSchema: {} },
      'a.yaml: outputSchema cannot be used together with outputs: keep one of them.',
    ],
    [{ ...LEAST, outputSchema: [] }, 'a.yaml: outputSchema must be a mapping'],
    [{ ...LEAST, model: [] }, 'a.yaml: model must be text that is not empty'],
    [{ ...LEAST, sampling: { temprature: 1 } }, 'a.yaml: sampling.temprature is not known. Did you mean temperature?'],
    [{ ...LEAST, sampling: { temperature: -1 } }, 'a.yaml: sampling.temperature must be a number from 0 to 2, got -1.'],
    [{ ...LEAST, sampling: { topP: 4 } }, 'a.yaml: sampling.topP must be a number above 0 and at most 1, got 4.'],
    [
      { ...LEAST, sampling: { maxOutputTokens: 0 } },
      'a.yaml: sampling.maxOutputTokens must be a whole number of at least 1, got 0.',
    ],
    [{ ...LEAST, sampling: { seed: 1.5 } }, 'a.yaml: sampling.seed must be a whole number, got 1.5.'],
    [{ ...LEAST, sampling: { stop: 'END' } }, 'a.yaml: sampling.stop must be a list'],
    [{ ...LEAST, price: { input: 1 } }, 'a.yaml: price.output is missing.'],
    [{ ...LEAST, prices: { gpt: { input: 1, output: 1 } } }, 'a.yaml: prices.gpt is not a model: write provider/model'],
    [{ ...LEAST, prices: { 'a/b': { input: 1 } } }, 'a.yaml: prices.a/b.output is missing.'],
    [{ ...LEAST, price: { input: -1, output: 1 } }, 'a.yaml: price.input must be a number of at least 0, got -1.'],
    [{ ...LEAST, access: { reads: ['x'] } }, 'a.yaml: access.reads is not known. Did you mean read?'],
    [{ ...LEAST, access: { read: 'x' } }, 'a.yaml: access.read must be a list, got "x".'],
    [{ ...LEAST, policy: {} }, 'a.yaml: policy must be text that is not empty'],
    [{ ...LEAST, budget: { toolcalls: 3 } }, 'a.yaml: budget.toolcalls is not known. Did you mean toolCalls?'],
    [
      { ...LEAST, budget: { toolCalls: 'many' } },
      'a.yaml: budget.toolCalls must be a number of at least 0, got "many".',
    ],
    [{ ...LEAST, budget: { costUsd: -1 } }, 'a.yaml: budget.costUsd must be a number of at least 0, got -1.'],
    [
      { ...LEAST, loop: { maxIterations: 0 } },
      'a.yaml: loop.maxIterations is wrong: maxIterations of a tool loop must be a whole number of at least 1, got 0.',
    ],
    [{ ...LEAST, loop: { maxIteration: 5 } }, 'a.yaml: loop.maxIteration is not known. Did you mean maxIterations?'],
    [
      { ...LEAST, loop: { parallel: 'all' } },
      'a.yaml: loop.parallel is wrong: parallel of a tool loop is one of pure, never, got all.',
    ],
    [{ ...LEAST, loop: { window: { trigger: 2 } } }, 'a.yaml: loop.window.trigger is wrong: '],
    [
      { ...LEAST, loop: { window: { keepRecnt: 2 } } },
      'a.yaml: loop.window.keepRecnt is not known. Did you mean keepRecent?',
    ],
    [{ ...LEAST, loop: { window: 'off' } }, 'a.yaml: loop.window must be a mapping with trigger, keepRecent, care'],
    [
      JSON.parse('{"name":"a","description":"b","inputs":{"__proto__":{"type":"string"}}}'),
      'a.yaml: inputs.__proto__ cannot be used as a name.',
    ],
  ];

  it.each(mistakes)('%j [R3-AGENT-YAML]', (data, sentence) => {
    let error: unknown;
    try {
      checkAgentSpec(data, 'a.yaml');
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as ConfigError).message.split('\n').some((line) => line.startsWith(sentence))).toBe(true);
    expect((error as ConfigError).message).not.toMatch(/\.\.|\?\./);
  });

  it('and several mistakes get several, in one message [R3-AGENT-YAML]', () => {
    const data = { name: 'a b', autonomy: 'full', budget: { toolCalls: -1, x: 1 }, loop: { maxIterations: 0 } };
    expect(() => checkAgentSpec(data, 'a.yaml')).toThrow(ConfigError);
    try {
      checkAgentSpec(data, 'a.yaml');
    } catch (error) {
      expect((error as Error).message.split('\n')).toHaveLength(6);
    }
  });

  it('and a source may be a function that finds the place [R3-AGENT-YAML]', () => {
    const source = (path: readonly (string | number)[]) => `a.yaml:${path.length + 1}`;
    expect(() => checkAgentSpec({ ...LEAST, inputs: { a: { type: 'x' } } }, source)).toThrow(
      /^a\.yaml:4: inputs\.a\.type must/,
    );
  });
});
