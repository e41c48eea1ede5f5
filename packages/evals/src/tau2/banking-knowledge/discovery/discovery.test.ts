import { describe, expect, it } from 'vitest';
import type { ToolSpec } from '../../../domains/discovery/tool-specs.js';
import { Tables } from '../../../world/database.js';
import { parseJson } from '../../python/json.js';
import { PyError, type PyValue } from '../../python/value.js';
import { tableNames } from '../bank.js';
import { type BankTool, bankTool } from '../bank-tool.js';
import { OpenBank } from '../open-bank.js';
import { BankToolkit, registryOf } from '../toolkit.js';
import { givenTool } from '../user/given-tool.js';
import { agentSide } from './agent-side.js';
import type { Owner } from './registry.js';
import { userSide } from './user-side.js';

function specOf(tool: BankTool, type: 'read' | 'write' = 'write'): ToolSpec {
  return {
    name: tool.name,
    type,
    mutates: type === 'write',
    parameters: tool.parameters.map((name) =>
      name === 'arguments' ? { name, required: false, default: '{}' } : { name, required: true },
    ),
    description: `What ${tool.name} is for.`,
    formatted: `Tool: ${tool.name}`,
    announced: '',
  };
}

const note = bankTool('note', ['text'], (bank, { text }) => {
  bank.put('task_config', 'note', { text });
  if (text === null) throw new PyError('TypeError', 'no text');
  if (text === 'bad') throw new PyError('ValueError', 'bad text');
  return text === '' ? 'Error: nothing to note' : 'noted';
});
const look = bankTool('look', [], () => 'seen');
const wave = givenTool('wave', ['hand'], (_bank, { hand }) => `waved ${String(hand)}`);

/** A bank whose agent can discover `note` and `look`, and whose user `wave`. */
function open(loggedReads: readonly string[] = []) {
  const bank = new OpenBank(Tables.read(new Map(), tableNames), new Set(loggedReads));
  const hidden = registryOf('KnowledgeTools', [note, look], [specOf(note), specOf(look, 'read')]);
  const given = registryOf('KnowledgeUserTools', [wave], [specOf(wave)]);
  const kit = (owner: Owner, tools: readonly BankTool[], others: typeof hidden): BankToolkit => {
    const registry = registryOf(
      owner,
      tools,
      tools.map((tool) => specOf(tool)),
    );
    return new BankToolkit({ owner, bank, tools: new Map([...registry, ...others]), schemas: [] });
  };
  const agent = kit('KnowledgeTools', agentSide(hidden, given), hidden);
  const user = kit('KnowledgeUserTools', userSide(given), given);
  const say = (side: BankToolkit, name: string, args: Record<string, PyValue>): string => {
    const said = side.call(name, new Map(Object.entries(args)));
    if (typeof said !== 'string') throw new Error(`${name} does not answer at once`);
    return said;
  };
  return {
    bank,
    unlock: (agent_tool_name: PyValue) => say(agent, 'unlock_discoverable_agent_tool', { agent_tool_name }),
    call: (agent_tool_name: PyValue, json: PyValue) =>
      say(agent, 'call_discoverable_agent_tool', { agent_tool_name, arguments: json }),
    give: (name: PyValue, json: PyValue = '{}') =>
      say(agent, 'give_discoverable_user_tool', { discoverable_tool_name: name, arguments: json }),
    use: (name: PyValue, json: PyValue = '{}') =>
      say(user, 'call_discoverable_user_tool', { discoverable_tool_name: name, arguments: json }),
    direct: (name: string, args: Record<string, PyValue>) => say(agent, name, args),
    log: () => [...bank.records('agent_discoverable_tools').values()].map((row) => row.get('tool_name')),
    noted: () => bank.find('task_config', 'note')?.get('text'),
  };
}

describe('a tool that the agent has to discover', () => {
  it('is unlocked in memory only, with the words of the data', () => {
    const at = open();
    const before = at.bank.tables.hash();
    expect(at.unlock('note')).toContain('What note is for.\n\nTool: note');
    expect(at.bank.tables.hash()).toBe(before);
    expect(at.unlock('nothing')).toMatch(/^Error: 'nothing'/);
    expect(() => at.unlock(['note'])).toThrow("unhashable type: 'list'");
  });

  it('is called with whole numbers as floats, and logged once, refused calls too [R5-DOMAIN-BANKING-TOOLS]', () => {
    const at = open();
    expect(at.call('note', '{}')).toMatch(/^Error: 'note' is not unlocked/);
    at.unlock('note');
    expect(at.call('note', '{"text": ""}')).toBe('Error: nothing to note');
    expect(at.log()).toEqual(['note']);
    expect(at.call('note', '{"text": 33}')).toBe('noted');
    expect(at.noted()).toBe(33);
    expect(at.log()).toEqual(['note']);
  });

  it('leaves no log after a TypeError, but what it had changed stays changed', () => {
    const at = open();
    at.unlock('note');
    expect(at.call('note', '{"text": null}')).toBe("Error: the arguments do not fit 'note': no text");
    expect(at.noted()).toBeNull();
    expect(() => at.call('note', '{"text": "bad"}')).toThrow('bad text');
    expect(at.noted()).toBe('bad');
    expect(at.log()).toEqual([]);
  });

  it.each([
    ['{}', "KnowledgeTools.note() missing 1 required positional argument: 'text'"],
    ['{"text": 1, "x": 2}', "KnowledgeTools.note() got an unexpected keyword argument 'x'"],
    ['{"self": 1}', "KnowledgeTools.note() got multiple values for argument 'self'"],
    ['[1]', 'tau2.domains.banking_knowledge.tools.KnowledgeTools.note() argument after ** must be a mapping, not list'],
    ['{', 'Expecting property name enclosed in double quotes: line 1 column 2 (char 1)'],
  ])('refuses %s in the words of Python', (json, words) => {
    const at = open();
    at.unlock('note');
    const said = at.call('note', json);
    expect(said).toMatch(/^Error: /);
    expect(said).toContain(words);
    expect(at.log()).toEqual([]);
  });

  it('raises where the arguments are no text at all', () => {
    const at = open();
    at.unlock('note');
    expect(() => at.call('note', parseJson('{"text": 1}'))).toThrow(
      'the JSON object must be str, bytes or bytearray, not dict',
    );
  });

  it('is logged as a read only where that is asked for, and never when called by its own name', () => {
    for (const [logged, expected] of [
      [[], []],
      [['look'], ['look']],
    ] as const) {
      const at = open(logged);
      expect(at.direct('look', {})).toBe('seen');
      expect(at.direct('note', { text: 33n })).toBe('noted');
      expect(at.noted()).toBe(33n); // as it came
      expect(at.log()).toEqual([]);
      at.unlock('look');
      at.call('look', '{}');
      expect(at.log()).toEqual(expected);
    }
  });
});

describe('a tool that the agent gives away', () => {
  it('is given once, with parameters that it has, and then works for the user', () => {
    const at = open();
    expect(at.use('wave', '{"hand": "left"}')).toMatch(/^Error: the agent has not given you 'wave'/);
    expect(at.give('wave', '{"foot": 1}')).toBe('Error: the tool has no parameter foot.');
    expect(at.give('wave', '[null]')).toBe('Error: the tool has no parameter None.');
    expect(at.give('jump')).toMatch(/^Error: 'jump'/);
    expect(at.bank.records('user_discoverable_tools').size).toBe(0);
    expect(at.give('wave', '{"hand": 1, "self": 2}')).toContain('{\n  "hand": 1,\n  "self": 2\n}');
    expect(at.give('wave')).toContain('(no arguments)');
    expect(at.bank.records('user_discoverable_tools').size).toBe(1);
    expect(at.use('wave', '{"hand": "left"}')).toBe('waved left');
    const [call] = at.bank.records('user_discoverable_tool_calls').values();
    expect(call?.get('arguments')).toEqual(new Map([['hand', 'left']]));
  });

  it.each([
    ['5', "'int' object is not iterable"],
    ['null', "'NoneType' object is not iterable"],
    ['[[1]]', "unhashable type: 'list'"],
  ])('raises for %s in its place of arguments', (json, words) => {
    expect(() => open().give('wave', json)).toThrow(words);
  });

  it('is looked up by text only', () => {
    expect(() => open().give(5n)).toThrow("attribute name must be string, not 'int'");
    expect(open().use(5n)).toMatch(/^Error: there is no tool '5'/);
  });

  it.each([
    ['{}', 'Error: the parameter hand is missing.'],
    ['{"hand": 1, "foot": 2}', 'Error: the tool has no parameter foot.'],
    ['"one hand"', 'Error: the tool has no parameter o.'],
    ['["hand"]', 'must be a mapping, not list'],
  ])('refuses a call with %s', (json, words) => {
    const at = open();
    at.give('wave');
    expect(at.use('wave', json)).toContain(words);
    expect(at.bank.records('user_discoverable_tool_calls').size).toBe(0);
  });

  it('raises for a call with a number', () => {
    expect(() => open().use('wave', '5')).toThrow("argument of type 'float' is not iterable");
  });
});

describe('code and data', () => {
  it('must know the same tools with the same parameters', () => {
    const join = (tools: readonly BankTool[], specs: readonly ToolSpec[]): unknown =>
      registryOf('KnowledgeTools', tools, specs);
    expect(() => join([note], [specOf(note), specOf(look)])).toThrow(/look is unknown here.*Fetch/);
    expect(() => join([note, look], [specOf(note)])).toThrow(/look is missing there/);
    expect(() => join([note], [{ ...specOf(note), parameters: [] }])).toThrow(/note has the parameters \(\) there/);
  });

  it('refuses names that neither of the two has, tools or not', () => {
    const bank = new OpenBank(Tables.read(new Map(), tableNames), new Set());
    const kit = new BankToolkit({ owner: 'KnowledgeUserTools', bank, tools: new Map(), schemas: [] });
    expect(() => kit.call('x', new Map())).toThrow("Tool 'x' not found.");
    expect(() => kit.typeOf('x')).toThrow("Tool 'x' not found.");
    expect(() => kit.invoke('x', new Map())).toThrow("'KnowledgeUserTools' object has no attribute 'x'");
    expect(kit.invoke('query_database', new Map([['database_name', 'users']]))).toBe("No records found in 'users'.");
  });
});
