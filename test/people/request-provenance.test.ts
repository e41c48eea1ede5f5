import { type ApprovalRequest, budget, done, type Entry, type Run, type ToolRef } from 'flyball';
import { requestApproval } from 'flyball/people';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { withoutPrivate } from 'flyball/views';
import { describe, expect, it } from 'vitest';
import { BLANK } from '../../packages/flyball/src/views/privacy.js';
import { moving, RUN } from '../runtime/stage.js';

const LETTER = 'Dear Ada, your order A17 left Bergen on Monday.';

const lookUp = tool({
  name: 'look_up',
  description: 'Looks an order up. Not for anything else.',
  effect: 'pure',
  input: { type: 'object', properties: { order: { type: 'string' } } },
  execute: async () => 'A17 left Bergen on Monday.',
}) as unknown as ToolRef;

const writer = {
  name: 'writer',
  model: scriptedModel({ writer: () => LETTER }, { id: 'scripted/writer' }),
  setup: 'You write letters.',
};

/** What is asked when an agent that was started with this input asks about something itself. */
async function asked(agent: (run: Run, input: unknown) => Promise<ApprovalRequest>, input: unknown = { order: 'A17' }) {
  const stage = moving();
  const { runtime } = stage.open((async (run: Run, given: unknown) =>
    done(await requestApproval(run, await agent(run, given), {}, 'review'))) as never);
  const handle = await runtime.start('agent', input, { id: RUN, budget: budget({}) });
  const outcome = await handle.outcome();
  if (outcome.stop !== 'suspended') throw new Error(`Nobody was asked: ${JSON.stringify(outcome)}`);
  const request = outcome.waiting[0]?.request as ApprovalRequest;
  return { request, provenance: request.provenance, stage, entries: await stage.entries() };
}

const drafted = async (run: Run): Promise<ApprovalRequest> => {
  const draft = await run.scope('draft').ask(writer, 'Write to Ada about order A17.');
  await run.scope('check').ask({ ...writer, name: 'checker', model: scriptedModel({ checker: 'Fine.' }) }, 'Look.');
  return { action: 'send', output: { text: draft.text } };
};

describe('a request that an agent opens itself', () => {
  it('names the reply that wrote the output, also of another scope, and what that model had read [R8-PLANS-REQUESTS]', async () => {
    const { provenance, stage } = await asked(drafted);
    const [first] = await stage.events('ask-start');
    expect(provenance).toMatchObject({
      by: { kind: 'model', session: 'writer', model: 'scripted/writer', effect: first?.id, prompt: first?.tip },
      sources: [{ what: 'message', trust: 'user', excerpt: 'Write to Ada about order A17.' }],
      values: [{ path: '$.text', sources: [] }],
    });
  });

  it('names input, results and replies where code put the output together [R8-PLANS-REQUESTS]', async () => {
    const { provenance, stage } = await asked(async (run, input) => {
      const found = await run.call(lookUp, input);
      const reply = await run.ask(writer, 'Write.');
      const { order } = input as { readonly order: string };
      return {
        action: 'send',
        input: { order, place: 'Bergen', to: 'Ada', from: 'Zoe', ok: found.ok && reply.text !== '' },
      };
    });
    const [ask] = await stage.events('ask-start');
    const [call] = await stage.events('complete');
    expect(provenance).toMatchObject({
      by: { kind: 'code' },
      sources: [
        { what: 'input', trust: 'user' },
        { what: 'result', trust: 'outside', tool: 'look_up', effect: call?.id },
        { what: 'reply', trust: 'model', session: 'writer', model: 'scripted/writer', effect: ask?.id },
      ],
      values: [
        { path: '$.order', sources: [1, 2, 3] },
        { path: '$.place', sources: [2, 3] },
        { path: '$.to', sources: [3] },
        { path: '$.from', sources: [] },
      ],
    });
  });

  it('is not said to be written by a model that repeats the input [R8-PLANS-REQUESTS]', async () => {
    const { provenance } = await asked(async (run, input) => {
      const { text } = await run.ask(writer, 'Repeat it.');
      return { action: 'send', output: text === input ? input : '' };
    }, LETTER);
    expect(provenance).toMatchObject({ by: { kind: 'code' }, values: [{ path: '$', sources: [1, 2] }] });
  });

  it('says what the journal says, whatever the code that asks gives as its provenance [R8-PLANS-REQUESTS]', async () => {
    const { provenance } = await asked(async (run) => ({
      ...(await drafted(run)),
      provenance: { by: { kind: 'code' }, sources: [], values: [] },
    }));
    expect(provenance?.by).toMatchObject({ kind: 'model', session: 'writer' });
  });
});

describe('what a request rests on that is private', () => {
  /** The request as it leaves the house. */
  const told = (entries: readonly Entry[]) => {
    const found = withoutPrivate(entries).flatMap(({ event }) => (event.type === 'wait-start' ? [event.request] : []));
    return found[0] as ApprovalRequest;
  };

  it('is not quoted in its provenance: the scope that wrote it [R8-PLANS-PRIVATE-SOURCES]', async () => {
    const { entries } = await asked(async (run) => {
      run.scope('draft').note({ kind: 'private' });
      return drafted(run);
    });
    expect(told(entries).provenance).toMatchObject({
      by: { kind: 'model', session: 'writer', prompt: BLANK },
      sources: [{ what: 'message', excerpt: BLANK }],
    });
  });

  it('is not quoted in its provenance: one tool among others [R8-PLANS-PRIVATE-SOURCES]', async () => {
    const { entries, request } = await asked(async (run) => {
      run.note({ kind: 'private', tools: ['look_up'] });
      const found = await run.call(lookUp, { order: 'A17' });
      return { action: 'send', input: { place: found.ok ? 'Bergen' : '' } };
    });
    expect(request.provenance?.sources.at(-1)?.excerpt).toContain('Bergen'); // the journal keeps it
    const { provenance, input } = told(entries);
    expect(provenance?.sources).toMatchObject([
      { what: 'input', excerpt: '{"order":"A17"}' },
      { what: 'result', tool: 'look_up', excerpt: BLANK },
    ]);
    expect(input).toEqual({ place: 'Bergen' }); // what the agent says itself is not followed
  });
});
