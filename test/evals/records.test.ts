import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyDict, PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { readMessage, writeMessage } from '../../packages/evals/src/world/message-record.js';
import { readTask } from '../../packages/evals/src/world/read-task.js';
import { readParameters, readToolSchema } from '../../packages/evals/src/world/tool-schema.js';
import { tau2, withTau2 } from './tau2-data.js';

const task = (criteria: string, more = ''): PyDict =>
  parseJson(
    `{"id": "t", "user_scenario": {"instructions": "do"}, "evaluation_criteria": ${criteria}${more}}`,
  ) as PyDict;

describe('a task as the files hold it', () => {
  it('has the defaults of the reference [R5-DOMAIN-INTERFACE]', () => {
    const record = task('{"actions": [{"action_id": "1", "name": "n", "arguments": {"x": 1}}]}');
    expect(readTask(record)).toEqual({
      id: 't',
      persona: null,
      instructions: 'do',
      initialState: null,
      criteria: {
        actions: [
          {
            actionId: '1',
            requestor: 'assistant',
            name: 'n',
            arguments: new Map([['x', 1n]]),
            info: null,
            compareArgs: null,
          },
        ],
        envAssertions: null,
        communicateInfo: null,
        nlAssertions: null,
        rewardBasis: ['DB', 'COMMUNICATE'],
      },
      userTools: null,
      requiredDocuments: [],
      record,
    });
    expect(readTask(task('null')).criteria).toBeNull();
  });

  it('keeps what it says itself [R5-DOMAIN-INTERFACE]', () => {
    const read = readTask(
      task(
        `{"actions": null, "reward_basis": ["ACTION"], "communicate_info": ["5"], "nl_assertions": ["ok"],
          "env_assertions": [{"env_type": "user", "func_name": "f", "arguments": {}, "assert_value": false}]}`,
        `, "user_tools": [], "required_documents": ["d"], "initial_state": {
          "initialization_data": {"agent_data": {"t": {}}},
          "initialization_actions": [{"env_type": "assistant", "func_name": "g", "arguments": {"a": 1.0}}],
          "message_history": [{"role": "user", "content": "hi"}]}`,
      ),
    );
    expect(read.criteria).toMatchObject({
      actions: null,
      rewardBasis: ['ACTION'],
      communicateInfo: ['5'],
      nlAssertions: ['ok'],
      envAssertions: [{ side: 'user', name: 'f', arguments: new Map(), assertValue: false, message: null }],
    });
    expect(read.userTools).toEqual([]);
    expect(read.requiredDocuments).toEqual(['d']);
    expect(read.initialState).toEqual({
      agentData: new Map([['t', new Map()]]),
      userData: null,
      actions: [{ side: 'assistant', name: 'g', arguments: new Map([['a', 1]]) }],
      history: [{ role: 'user', content: 'hi', calls: [], cost: null, at: 0 }],
    });
  });

  it.each([
    ['{"reward_basis": ["LUCK"]}', /reward_basis\[0\].*LUCK/],
    ['{"actions": [{"name": "n", "arguments": {}}]}', /actions\[0\]\.action_id: expected text/],
    ['{"actions": [{"action_id": "1", "name": "n", "arguments": {}, "requestor": "cat"}]}', /requestor.*cat/],
    [
      '{"env_assertions": [{"env_type": "assistant", "func_name": "f", "arguments": 5}]}',
      /arguments: expected an object/,
    ],
  ])('is refused with the place of what does not fit: %s [R5-DOMAIN-INTERFACE]', (criteria, problem) => {
    expect(() => readTask(task(criteria))).toThrow(problem);
  });
});

describe('a message as the files hold it', () => {
  it('keeps words, calls, costs, usage and raw data through the file [R5-DOMAIN-INTERFACE]', () => {
    const message = {
      role: 'assistant',
      content: 'w',
      calls: [{ id: '1', name: 'n', arguments: new Map<string, PyValue>([['x', 1n]]), requestor: 'assistant' }],
      cost: 0.5,
      usage: { completionTokens: 3, promptTokens: 7, cacheReadTokens: 2 },
      generationSeconds: 1.5,
      raw: { thought: ['a', 1] },
      at: 1_700_000_000_123,
    } as const;
    const written = writeMessage(message, 4);
    expect(written.size).toBe(22);
    expect(written.get('turn_idx')).toBe(4n);
    expect(readMessage(written)).toEqual(message);
    const result = { role: 'tool', id: '1', content: 'c', requestor: 'user', error: true, at: 5 } as const;
    expect(writeMessage(result, 5).size).toBe(7);
    expect(readMessage(writeMessage(result, 5))).toEqual(result);
  });

  it('may lack everything but its role and its calls and arguments [R5-DOMAIN-INTERFACE]', () => {
    expect(readMessage(parseJson('{"role": "tool"}'))).toEqual({
      role: 'tool',
      id: '',
      content: '',
      requestor: 'assistant',
      error: false,
      at: 0,
    });
    expect(readMessage(parseJson('{"role": "user", "usage": {}}'))).toMatchObject({
      usage: { completionTokens: 0, promptTokens: 0 },
    });
    expect(readMessage(parseJson('{"role": "user", "tool_calls": [{"name": "n", "arguments": {}}]}'))).toEqual({
      role: 'user',
      content: null,
      calls: [{ id: '', name: 'n', arguments: new Map(), requestor: 'assistant' }],
      cost: null,
      at: 0,
    });
  });

  it('tells an empty list of calls from none [R5-DOMAIN-INTERFACE]', () => {
    const spoken = { role: 'user', content: 'w', calls: [], cost: null, at: 0 } as const;
    for (const message of [spoken, { ...spoken, emptyCallList: true } as const]) {
      expect(readMessage(writeMessage(message, 0))).toEqual(message);
    }
  });

  it('is refused with a role that is none [R5-DOMAIN-INTERFACE]', () => {
    expect(() => readMessage(new Map([['role', 'judge']]))).toThrow(/role: expected one of assistant, user, tool/);
  });
});

withTau2('messages that the reference wrote', () => {
  it('come back field by field, but for the microseconds [R5-DOMAIN-INTERFACE]', () => {
    const sample = parseJson(readFileSync(`${tau2().oracle}/sample_results.json`, 'utf8')) as PyDict;
    const [simulation] = sample.get('simulations') as PyDict[];
    const messages = simulation?.get('messages') as PyDict[];
    const rounded = (record: PyDict): PyDict =>
      new Map(record).set('timestamp', String(record.get('timestamp')).replace(/\d{3}$/, '000'));
    messages.forEach((record, turn) => {
      const written = writeMessage(readMessage(record), turn);
      expect([...written]).toEqual([...rounded(record)]);
    });
  });
});

describe('a tool as the data describe it', () => {
  const tool = parseJson(`{"type": "function", "function": {"name": "n", "description": "d", "parameters": {
    "properties": {"b": {"type": "string"}, "a": {"type": "number", "default": 1.0}}, "required": ["b"]}}}`);

  it('is shown to models as it stands there [R5-DOMAIN-INTERFACE]', () => {
    expect(readToolSchema(tool)).toEqual({
      name: 'n',
      description: 'd',
      parameters: { properties: { b: { type: 'string' }, a: { type: 'number', default: 1 } }, required: ['b'] },
    });
  });

  it('has its parameters in order with their defaults [R5-DOMAIN-INTERFACE]', () => {
    expect(readParameters(tool)).toEqual([
      { name: 'b', required: true, default: null },
      { name: 'a', required: false, default: 1 },
    ]);
  });
});
