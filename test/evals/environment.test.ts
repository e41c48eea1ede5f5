import { describe, expect, it, vi } from 'vitest';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import { Tables } from '../../packages/evals/src/world/database.js';
import type { Environment, Toolkit } from '../../packages/evals/src/world/environment.js';
import { makeEnvironment } from '../../packages/evals/src/world/live-environment.js';
import type { Requestor, SimCall, SimMessage } from '../../packages/evals/src/world/message.js';
import { Model } from '../../packages/evals/src/world/model.js';
import { type KitTool, makeToolkit } from '../../packages/evals/src/world/toolkit.js';

const argument = { name: 'value', required: true };

const TOOLS: readonly KitTool<Tables>[] = [
  {
    name: 'note',
    type: 'write',
    parameters: [argument],
    run: (database, args) =>
      String(database.add('log', String(args.get('value')), { at: BigInt(database.records('log').size) })),
  },
  { name: 'count', type: 'read', parameters: [], run: (database) => BigInt(database.records('log').size) },
  { name: 'later', type: 'read', parameters: [], run: async () => 'later' },
  {
    name: 'signal',
    type: 'generic',
    mutates: true,
    parameters: [],
    run: (database) => String(database.put('log', 'signal', {})),
  },
  { name: 'echo', type: 'read', parameters: [argument], run: (_, args) => args.get('value') ?? null },
  {
    name: 'model',
    type: 'read',
    parameters: [],
    run: () => [
      new Model([
        ['n', 1.5],
        ['on', true],
      ]),
    ],
  },
  {
    name: 'broken',
    type: 'read',
    parameters: [],
    run() {
      throw new Error('the disk is full');
    },
  },
];

function database(): Tables {
  return Tables.read(new Map(), ['log']);
}

function kit(className = 'Kit', tables = database()): Toolkit {
  const functions = [{ name: 'is_empty', parameters: [], run: (held: Tables) => held.records('log').size === 0 }];
  return makeToolkit({ className, schemas: [], tools: TOOLS, functions, database: tables });
}

function world(sync?: () => void): Environment {
  return makeEnvironment({ domain: 'd', policy: 'p', agent: kit(), user: kit('UserKit'), ...(sync ? { sync } : {}) });
}

function call(name: string, args = '{}', requestor: Requestor = 'assistant', id = 'c1'): SimCall {
  return { id, name, arguments: parseJson(args) as PyDict, requestor };
}

function answered(made: SimCall, content: string): SimMessage[] {
  return [
    { role: made.requestor, content: null, calls: [made], cost: null, at: 0 },
    { role: 'tool', id: made.id, content, requestor: made.requestor, error: false, at: 0 },
  ];
}

describe('an environment', () => {
  it.each([
    ['{"value": "plain"}', 'plain'],
    ['{"value": 5}', '"5"'],
    ['{"value": [1, 2.0, true, null, "x", {"a": 1e16}]}', '["1", "2.0", "True", null, "x", {"a": "1e+16"}]'],
    ['{"value": null}', 'null'],
  ])('renders the result of %s as %s [R5-DOMAIN-INTERFACE]', async (args, content) => {
    expect(await world().respond(call('echo', args))).toEqual({
      role: 'tool',
      id: 'c1',
      requestor: 'assistant',
      content,
      error: false,
      at: 0,
    });
  });

  it('renders models with the values they have [R5-DOMAIN-INTERFACE]', async () => {
    expect((await world().respond(call('model'))).content).toBe('[{"n": 1.5, "on": true}]');
  });

  it('waits for tools that answer later [R5-DOMAIN-INTERFACE]', async () => {
    expect((await world().respond(call('later'))).content).toBe('later');
    await expect(world().run({ side: 'assistant', name: 'later', arguments: new Map() })).rejects.toThrow(PyError);
  });

  it.each([
    ['lost', '{}', "Error: Tool 'lost' not found."],
    ['echo', '{}', "Error: Kit.echo() missing 1 required positional argument: 'value'"],
    ['echo', '{"self": 1}', "Error: Environment.make_tool_call() got multiple values for argument 'self'"],
    ['echo', '{"tool_name": 1}', "Error: Environment.make_tool_call() got multiple values for argument 'tool_name'"],
    [
      'echo',
      '{"requestor": 1}',
      "Error: tau2.environment.environment.Environment.make_tool_call() got multiple values for keyword argument 'requestor'",
    ],
  ])(
    'turns what %s %s raises into a message with the error flag [R5-DOMAIN-INTERFACE]',
    async (name, args, content) => {
      expect(await world().respond(call(name, args))).toMatchObject({ content, error: true });
    },
  );

  it('throws what is no error of the tool but of ours [R5-DOMAIN-INTERFACE]', async () => {
    await expect(world().respond(call('broken'))).rejects.toThrow('the disk is full');
  });

  it('keeps the two sides apart and synchronises them after every live call [R5-DOMAIN-INTERFACE]', async () => {
    const sync = vi.fn();
    const environment = world(sync);
    await environment.respond(call('note', '{"value": "a"}'));
    expect(environment.hashes().agent).not.toBe(environment.hashes().user);
    await environment.make(call('note', '{"value": "b"}', 'user'));
    expect(sync).toHaveBeenCalledTimes(2); // when it was made, and after the live call
    expect(await environment.run({ side: 'user', name: 'is_empty', arguments: new Map() })).toBe(false);
    expect(sync).toHaveBeenCalledTimes(3);
    await environment.replay([], { strict: true });
    expect(sync).toHaveBeenCalledTimes(4);
  });

  it('has no user tools where the domain has none [R5-DOMAIN-INTERFACE]', async () => {
    const environment = makeEnvironment({ domain: 'd', policy: 'p', agent: kit() });
    expect((await environment.respond(call('count', '{}', 'user'))).content).toBe('Error: User tools not available');
    expect(environment.hashes().user).toBeNull();
  });

  it('knows the functions of a side that are no tools, and says which one is missing [R5-DOMAIN-INTERFACE]', async () => {
    const environment = world();
    expect(await environment.run({ side: 'assistant', name: 'is_empty', arguments: new Map() })).toBe(true);
    const lost = environment.run({ side: 'assistant', name: 'lost', arguments: new Map() });
    await expect(lost).rejects.toThrow("'Kit' object has no attribute 'lost'");
    expect((await environment.respond(call('is_empty'))).error).toBe(true);
  });

  it('replays the calls that change something, whatever their type, and no others [R5-DOMAIN-INTERFACE]', async () => {
    const live = world();
    const made = [
      call('note', '{"value": "a"}'),
      call('count'),
      call('lost'),
      call('signal'),
      call('note', '{"value": "a"}'),
    ];
    const messages: SimMessage[] = [];
    for (const each of made) messages.push(...answered(each, (await live.respond(each)).content));
    const replayed = world();
    await replayed.replay(messages, { strict: true });
    expect(replayed.hashes()).toEqual(live.hashes());
    const odd = messages.map((each) =>
      each.role === 'tool' && each.content === '"1"' ? { ...each, content: 'x' } : each,
    );
    await expect(world().replay(odd, { strict: true })).resolves.toBeUndefined();
  });

  it('holds a replay to what was recorded, or says where it went another way [R5-DOMAIN-INTERFACE]', async () => {
    const messages = [...answered(call('note', '{"value": "a"}'), 'False'), ...answered(call('signal'), 'true')];
    await expect(world().replay(messages, { strict: true })).rejects.toThrow('Call c1 of note answered otherwise');
    const lenient = world();
    const drifts: string[] = [];
    await lenient.replay(messages, {
      strict: false,
      onDrift: ({ name }, old, now) => drifts.push(`${name}: ${old} ${now}`),
    });
    expect(drifts).toEqual(['note: False true']);
    expect((await lenient.respond(call('count'))).content).toBe('"2"');
  });

  it('takes two spellings of the same JSON for the same answer [R5-DOMAIN-INTERFACE]', async () => {
    const messages = answered(call('note', '{"value": "a"}'), ' true');
    await expect(world().replay(messages, { strict: true })).resolves.toBeUndefined();
  });

  it.each<[string, (calls: SimMessage[]) => SimMessage[]]>([
    ['a result without a call', ([, result]) => [result as SimMessage]],
    ['a missing result', ([spoken]) => [spoken as SimMessage]],
    [
      'words where a result belongs',
      ([spoken]) => [spoken as SimMessage, { role: 'user', content: 'u', calls: [], cost: null, at: 0 }],
    ],
    ['the result of another call', ([spoken, result]) => [spoken as SimMessage, { ...result, id: 'c2' } as SimMessage]],
  ])('refuses a history with %s [R5-DOMAIN-INTERFACE]', async (_, broken) => {
    const messages = broken(answered(call('count'), '"0"'));
    await expect(world().replay(messages, { strict: false })).rejects.toThrow('cannot be replayed');
  });

  it('sets up data, then actions, then history, and shares the data of one side [R5-DOMAIN-INTERFACE]', async () => {
    const environment = world();
    const data = parseJson('{"log": {"data": {"first": {}}}}');
    await environment.setState(
      {
        agentData: data,
        userData: null,
        actions: [{ side: 'assistant', name: 'note', arguments: new Map<string, PyValue>([['value', 'second']]) }],
        history: answered(call('note', '{"value": "third"}', 'user'), 'true'),
      },
      { strict: true },
    );
    expect([...(environment.agent.database as Tables).records('log').keys()]).toEqual(['first', 'second', 'third']);
    expect(environment.agent.database).toBe(environment.user?.database);
    expect(environment.hashes().agent).toBe(environment.hashes().user);
  });

  it('gives an agent without a user the tools of both sides, and refuses a user [R5-DOMAIN-INTERFACE]', async () => {
    const schema = { name: 'count', description: '', parameters: {} };
    const side = (): Toolkit => makeToolkit({ className: 'K', schemas: [schema], tools: TOOLS, database: database() });
    expect(() => makeEnvironment({ domain: 'd', policy: 'p', agent: side(), user: side(), solo: true })).toThrow(
      'overlap',
    );
    const solo = makeEnvironment({ domain: 'd', policy: 'p', agent: kit(), user: kit(), solo: true });
    expect((await solo.respond(call('count', '{}', 'user'))).error).toBe(true);
    const spoken: SimMessage = { role: 'user', content: 'u', calls: [], cost: null, at: 0 };
    await expect(solo.replay([spoken], { strict: true })).rejects.toThrow('solo');
  });
});
