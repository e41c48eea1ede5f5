import assert from 'node:assert/strict';
import type { Message, ModelReply } from '../../core/model.js';
import { mediaIn } from '../../core/parts.js';
import { type DeclareModelTest, LOOK_UP, quiet, request, WAYS } from './model-fixture.js';

const OUTPUT = {
  type: 'object',
  properties: { year: { type: 'integer' } },
  required: ['year'],
  additionalProperties: false,
} as const;

/** What goes out: everything the port can say. */
export function requestsContract(test: DeclareModelTest): void {
  test('carries every role to the wire, in order', 'Fine.', async ({ model, server, can }) => {
    await model.generate(request({ messages: CONVERSATION, tools: [LOOK_UP] }), quiet());
    const { messages } = server.requestAt(1);
    assert.deepEqual(
      messages.map(({ role, content }) => [role, content]),
      CONVERSATION.map(({ role, content }) => [role, content]),
    );
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
    assert.deepEqual(
      calls.map(({ name, arguments: given }) => [name, JSON.parse(given)]),
      [
        ['look_up', { word: 'fly' }],
        ['look_up', { word: 'ball' }],
      ],
    );
    const results = messages.filter((message) => message.role === 'tool');
    if (can('call-ids'))
      assert.deepEqual(
        results.map(({ toolCallId }) => toolCallId),
        ['c1', 'c2'],
      );
    else
      assert.deepEqual(
        results.map(({ name }) => name),
        ['look_up', 'look_up'],
      );
  });

  test(
    'offers tools with their schema, and carries the choice among them',
    ['Fine.', 'Fine.', 'Fine.', 'Fine.'],
    async ({ model, server, can }) => {
      const choices = ['auto', 'required', 'none', { tool: 'look_up' }] as const;
      for (const toolChoice of choices) await model.generate(request({ tools: [LOOK_UP], toolChoice }), quiet());
      const [offered] = server.requestAt(1).tools;
      assert.deepEqual([offered?.name, offered?.description], [LOOK_UP.name, LOOK_UP.description]);
      const { type, properties, required } = (offered?.input ?? {}) as {
        type?: string;
        properties?: unknown;
        required?: unknown;
      };
      assert.deepEqual([type?.toLowerCase(), required], ['object', ['word']]);
      assert.match(JSON.stringify(properties), /word.*string/i);
      if (can('tool-choice'))
        assert.deepEqual(
          server.requests.map(({ toolChoice }) => toolChoice),
          choices,
        );
      if (!can('tool-choice'))
        assert.deepEqual(server.requestAt(3).tools, [], 'a tool that must not be called is offered');
    },
  );

  test('carries temperature, seed, stop sequences, maximum tokens and log-probabilities', {
    text: 'Yes',
    logProbs: [{ token: 'Yes', logProb: -0.25, alternatives: [{ token: 'No', logProb: -1.5 }] }],
  }, async ({ model, server, can }) => {
    const sampling = { temperature: 0.5, seed: 7, stop: ['END'], maxOutputTokens: 123, logProbs: 1 };
    const reply = await model.generate(request({ sampling }), quiet());
    const sent = server.requestAt(1).sampling;
    assert.deepEqual([sent.temperature, sent.maxOutputTokens], [0.5, 123]);
    if (can('seed')) assert.equal(sent.seed, 7);
    if (can('stop')) assert.deepEqual(sent.stop, ['END']);
    if (!can('log-probs')) return;
    assert.equal(sent.logProbs, 1);
    assert.deepEqual(reply.logProbs, [
      { token: 'Yes', logProb: -0.25, alternatives: [{ token: 'No', logProb: -1.5 }] },
    ]);
  });

  // apart from a temperature: some vendors take one of the two
  test('carries topP', ['Yes'], async ({ model, server }) => {
    await model.generate(request({ sampling: { topP: 0.9 } }), quiet());
    assert.deepEqual([server.requestAt(1).sampling.topP, server.requestAt(1).sampling.temperature], [0.9, undefined]);
  });

  test('asks for structured output by its schema', ['{"year":1894}', '{"year":1894}'], async ({ model, server }) => {
    for (const { ask } of WAYS) {
      const reply = await ask(model, request({ output: OUTPUT }));
      assert.deepEqual(JSON.parse(reply.text), { year: 1894 });
    }
    for (const sent of server.requests) assert.match(JSON.stringify(sent.output ?? {}), /year.*integer/i);
  });

  test(
    'hands reasoning back with the turn it belongs to',
    [THOUGHT, 'Done.', THOUGHT, 'Done.'],
    async ({ model, server, can }) => {
      for (const { ask } of WAYS) {
        const first = await ask(model, request({ tools: [LOOK_UP] }));
        await ask(model, request({ tools: [LOOK_UP], messages: continued(first) }));
      }
      for (const n of [2, 4]) {
        const turn = server.requestAt(n).messages.find(({ role }) => role === 'assistant');
        const reasoning = turn?.role === 'assistant' ? turn.reasoning : undefined;
        assert.equal(reasoning?.text, THOUGHT.reasoning);
        if (can('reasoning-signature')) assert.equal(reasoning?.opaque, THOUGHT.opaqueReasoning);
      }
    },
  );

  test(
    'marks the end of what the provider should cache',
    'Fine.',
    async ({ model, server }) => {
      const rules: Message = { role: 'system', content: 'Long rules.', cache: true };
      const lastResult: Message = {
        role: 'tool',
        toolCallId: 'c2',
        name: 'look_up',
        content: 'A sphere.',
        cache: true,
      };
      const messages = [rules, ...CONVERSATION.slice(1, 4), lastResult, ...CONVERSATION.slice(5)];
      await model.generate(request({ messages }), quiet());
      const marked = server.requestAt(1).messages.filter(({ cache }) => cache === true);
      assert.deepEqual(
        marked.map(({ content }) => content),
        ['Long rules.', 'A sphere.'],
      );
    },
    'cache-markers',
  );

  test(
    'carries images between the words around them',
    'Fine.',
    async ({ model, server }) => {
      const parts = [{ type: 'text', text: 'Before.' } as const, PIXEL, { type: 'text', text: 'After.' } as const];
      await model.generate(request({ messages: [{ role: 'user', content: '', parts }] }), quiet());
      const { messages } = server.requestAt(1);
      assert.deepEqual(mediaSent(messages), [{ type: 'image', mediaType: 'image/png', data: PIXEL.data }]);
      const words = messages.map(({ content }) => content).join(' ');
      assert.match(words, /Before\..*After\./s);
      assert.ok(!words.includes(PIXEL.data), 'the bytes are sent as text');
    },
    'images',
  );

  for (const [needs, part] of [
    ['documents', { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0xLjQ=', name: 'a.pdf' }],
    ['audio', { type: 'audio', mediaType: 'audio/wav', data: 'UklGRg==' }],
  ] as const)
    test(
      `carries ${needs}`,
      'Fine.',
      async ({ model, server }) => {
        await model.generate(request({ messages: [{ role: 'user', content: '', parts: [part] }] }), quiet());
        const { type, mediaType, data } = part;
        assert.deepEqual(mediaSent(server.requestAt(1).messages), [{ type, mediaType, data }]);
      },
      needs,
    );

  test('sends a file of text as text', 'Fine.', async ({ model, server }) => {
    const data = Buffer.from('a,b').toString('base64');
    const parts = [{ type: 'file', mediaType: 'text/csv', data, name: 't.csv' } as const];
    await model.generate(request({ messages: [{ role: 'user', content: '', parts }] }), quiet());
    const { messages } = server.requestAt(1);
    assert.equal(messages.map(({ content }) => content).join(''), '[file t.csv]\na,b');
    assert.deepEqual(mediaSent(messages), []);
  });

  test(
    'sends the images of tool results after all of the results',
    'Fine.',
    async ({ model, server }) => {
      const results = CONVERSATION.map((message) =>
        message.role === 'tool' && message.toolCallId === 'c1'
          ? { ...message, parts: [{ type: 'text' as const, text: 'An insect.' }, PIXEL] }
          : message,
      );
      await model.generate(request({ messages: results, tools: [LOOK_UP] }), quiet());
      const { messages } = server.requestAt(1);
      const roles = messages.map(({ role }) => role);
      assert.deepEqual(roles.slice(0, 6), ['system', 'user', 'assistant', 'tool', 'tool', 'user']);
      assert.deepEqual(mediaSent(messages), [{ type: 'image', mediaType: 'image/png', data: PIXEL.data }]);
      assert.equal(messages.find(({ role }) => role === 'tool')?.content, 'An insect.');
    },
    'images',
  );

  test('never counts fewer tokens than there can be, and counts what grows', [], async ({ model }) => {
    const small = model.countTokens(request({ messages: CONVERSATION }));
    const large = model.countTokens(
      request({ messages: [...CONVERSATION, ...CONVERSATION], tools: [LOOK_UP], output: OUTPUT }),
    );
    assert.ok(small > 0 && large > small);
  });
}

const PIXEL = {
  type: 'image',
  mediaType: 'image/png',
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
} as const;

/** What arrived beside text, without names, which not every wire carries. */
function mediaSent(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap(({ parts }) =>
    mediaIn(parts).map(({ type, mediaType, data }) => ({ type, mediaType, data })),
  );
}

const CONVERSATION: readonly Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Look up two words.' },
  {
    role: 'assistant',
    content: 'I will.',
    toolCalls: [
      { id: 'c1', name: 'look_up', arguments: '{"word":"fly"}' },
      { id: 'c2', name: 'look_up', arguments: '{"word":"ball"}' },
    ],
  },
  { role: 'tool', toolCallId: 'c1', name: 'look_up', content: 'An insect.' },
  { role: 'tool', toolCallId: 'c2', name: 'look_up', content: 'A sphere.' },
  { role: 'user', content: 'Thanks.' },
];

const THOUGHT = {
  text: 'I look.',
  reasoning: 'Better look it up.',
  opaqueReasoning: 'signed-by-the-provider',
  toolCalls: [{ id: 'c9', name: 'look_up', arguments: '{"word":"fly"}' }],
};

/** The conversation after a reply with one call, as a loop continues it. */
function continued(reply: ModelReply): readonly Message[] {
  const opaque = reply.opaqueReasoning === undefined ? {} : { opaque: reply.opaqueReasoning };
  return [
    { role: 'user', content: 'Say something.' },
    {
      role: 'assistant',
      content: reply.text,
      toolCalls: reply.toolCalls,
      reasoning: { text: reply.reasoning ?? '', ...opaque },
    },
    { role: 'tool', toolCallId: reply.toolCalls[0]?.id ?? '', name: 'look_up', content: 'An insect.' },
  ];
}
