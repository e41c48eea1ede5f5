import {
  type Agent,
  append,
  budget,
  done,
  type MediaPart,
  type MessagePart,
  memoryEngine,
  messagesOf,
  type Prompt,
  type Run,
  type Seams,
  type Session,
  type Tool,
} from 'flyball';
import { toolLoop } from 'flyball/loops';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { possibleReferences } from '../../packages/flyball/src/core/references.js';
import { at, moving } from './stage.js';

const pngOf = (bytes: number, seed = 1): MediaPart => ({
  type: 'image',
  mediaType: 'image/png',
  name: `${seed}.png`,
  data: Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d494844520000012c0000012c0802000000', 'hex'), // 300 × 300
    Buffer.alloc(bytes, `${seed}`),
  ]).toString('base64'),
});

const TAKES_IMAGES = { media: ['image/*'], mediaTokens: 'anthropic' } as const;

function looking(replies: () => string = () => 'A lighthouse.', media: object = TAKES_IMAGES) {
  const model = scriptedModel({ eye: replies }, { capabilities: media });
  const session: Session = { name: 'eye', model, setup: 'You look.' };
  return { model, session };
}

const ask =
  (session: Session): Agent<readonly MessagePart[], string> =>
  async (run, parts) =>
    done((await run.ask(session, parts)).text);

describe('a message with an image', () => {
  it('is stored once, however many turns the conversation has [R11-N12-ONCE]', async () => {
    const image = pngOf(1_000_000);
    const { model, session } = looking();
    const stage = moving(memoryEngine());
    const agent = async (run: Run, input: readonly MessagePart[]) => {
      let prompt: Prompt | undefined;
      for (let turn = 0; turn < 20; turn++) {
        const content = turn === 0 ? input : `And what else, ${turn}?`;
        ({ prompt } = await run.ask(session, append(prompt, { role: 'user', content })));
      }
      return done(null);
    };
    expect((await stage.open(agent).start([{ type: 'text', text: 'What is it?' }, image])).stop).toBe('done');
    expect(model.requests).toHaveLength(20);
    for (const { messages } of model.requests) expect(messages[1]?.parts?.[1]).toEqual(image);
    const { bytes } = await stage.engine.size();
    expect(bytes).toBeGreaterThan(image.data.length);
    expect(bytes).toBeLessThan(image.data.length * 1.05);
  });

  it('is read back from the journal as it was sent, after a crash too [R11-N12-CHAIN]', async () => {
    const { model, session } = looking();
    const stage = moving();
    const parts = [{ type: 'text' as const, text: 'Which is higher?' }, pngOf(300, 1), pngOf(300, 2)];
    await stage.crashed(ask(session), at('after', 'ask-start'), { input: parts });
    const life = stage.open(ask(session));
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'A lighthouse.' });
    const [, second] = await stage.events('ask-start');
    expect(messagesOf(await life.runtime.prompt('run', second?.tip ?? ''))).toEqual(model.requests[0]?.messages);
    expect(model.requests[0]?.messages[1]?.parts).toEqual(parts);
  });

  it('counts by the formula of its model before the call [R11-N12-COUNTED]', async () => {
    const { session } = looking();
    const stage = moving();
    await stage.open(ask(session)).start([pngOf(300)]);
    const [start] = await stage.events('ask-start');
    const words = moving();
    await words.open(async (run: Run) => done((await run.ask(session, '')).text)).start();
    const [without] = await words.events('ask-start');
    const image = (start?.reserved.tokensIn ?? 0) - (without?.reserved.tokensIn ?? 0);
    expect(image).toBeGreaterThanOrEqual(120); // 300 × 300 / 750
    expect(image).toBeLessThan(160);
  });

  it('belongs to its tenant: another cannot read it by its hash [R11-N12-TENANT]', async () => {
    const { session } = looking();
    const stage = moving();
    const { runtime } = stage.open(ask(session));
    await (await runtime.start('agent', [pngOf(300)], { id: 'a', tenant: 'one', budget: budget() })).outcome();
    const [start] = await stage.events('ask-start', 'a');
    const links = await stage.engine.links('one', start?.tip ?? '');
    const hashes = links.flatMap(({ blob }) => (blob === undefined ? [] : [blob]));
    expect((await stage.engine.blobs('one', hashes)).size).toBe(hashes.length);
    expect(hashes.length).toBeGreaterThan(0);
    expect((await stage.engine.blobs('two', hashes)).size).toBe(0);
    expect(await stage.engine.links('two', start?.tip ?? '')).toEqual([]);
  });

  it('stays while a run refers to it, and goes with the last one [R11-N12-PRUNE]', async () => {
    const { session } = looking();
    const stage = moving();
    const image = pngOf(50_000);
    const shared: Agent<string, string> = async (run, seen) => {
      // the second run reads the image from a tool, not from its input
      const taken = seen === 'tool' ? await run.call(camera(image), {}) : undefined;
      const content = taken?.ok === true ? (taken.parts ?? '') : [image];
      return done((await run.ask(session, append(undefined, { role: 'user', content }))).text);
    };
    const { runtime } = stage.open(shared);
    for (const id of ['first', 'second'])
      await (await runtime.start('agent', id === 'first' ? 'code' : 'tool', { id, budget: budget() })).outcome();
    const remove = async (of: string) => {
      const { status, updatedAt: endedAt } = await runtime.get(of);
      const tombstone = { agent: 'agent', tenant: 'default', status, createdAt: 0, endedAt, digests: [], head: '' };
      await stage.engine.remove(of, { at: 1, by: 'me', action: 'erase', of, tombstone });
    };
    await remove('first');
    await stage.engine.collect(possibleReferences);
    const [start] = await stage.events('ask-start', 'second');
    expect(messagesOf(await runtime.prompt('second', start?.tip ?? '')).at(-1)?.parts).toContainEqual(image);
    await remove('second');
    await stage.engine.collect(possibleReferences);
    expect((await stage.engine.size()).bytes).toBe(0);
  });

  it('is there in a fork, which adds nothing to what is stored of it [R11-N12-FORK]', async () => {
    const { model, session } = looking();
    const stage = moving();
    const image = pngOf(100_000);
    const agent = async (run: Run, input: readonly MessagePart[]) => {
      const { prompt } = await run.ask(session, input);
      await run.step('between', null, () => 1, 'pure');
      return done((await run.ask(session, append(prompt, { role: 'user', content: 'And?' }))).text);
    };
    const life = stage.open(agent);
    await life.start([image]);
    const before = (await stage.engine.size()).bytes;
    const first = (await stage.entries()).find(({ event }) => event.type === 'complete');
    const fork = await life.runtime.fork('run', { at: first?.seq ?? 0, id: 'fork' });
    expect((await fork.outcome()).stop).toBe('done');
    expect(model.requests[2]?.messages[1]?.parts).toEqual([image]);
    expect((await stage.engine.size()).bytes - before).toBeLessThan(10_000);
  });
});

describe('a model that cannot take a part', () => {
  it('is not asked: the refusal says what to do, and nothing is reserved or sent [R11-N12-REFUSED]', async () => {
    const { model, session } = looking(() => 'never', {});
    const stage = moving();
    const outcome = await stage.open(ask(session)).start([pngOf(300)]);
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'PART_UNSUPPORTED', retryable: false, message: expect.stringContaining('Choose a model') },
      usage: { modelCalls: 0, tokensIn: 0, costUsd: 0 },
    });
    expect(model.requests).toEqual([]);
    expect(await stage.events('ask-start')).toEqual([]);
  });

  it('is refused even where the budget would not have had room for the call [R11-N12-REFUSED]', async () => {
    const { session } = looking(() => 'never', {});
    const outcome = await moving()
      .open(ask(session))
      .start([pngOf(300)], { tokensIn: 1 });
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'PART_UNSUPPORTED' } });
  });

  it('was refused for good: a later life with another model goes by it, and stores what comes after [R11-N12-REFUSED]', async () => {
    const blind = looking(() => 'never', {});
    const seeing = looking();
    const agent =
      (first: Session) =>
      async (run: Run): Promise<{ readonly stop: 'done'; readonly value: string }> => {
        const code = await run.ask(first, [pngOf(300)]).catch((error: { readonly code: string }) => error.code);
        await run.step('pause', null, () => 1, 'pure');
        const { text } = await run.ask(seeing.session, [pngOf(300)]);
        return { stop: 'done', value: `${String(code)} ${text}` };
      };
    const stage = moving();
    await stage.crashed(agent(blind.session), at('after', 'ask-start'));
    const outcome = await stage.open(agent(seeing.session)).resume();
    expect(outcome).toMatchObject({ stop: 'done', value: 'PART_UNSUPPORTED A lighthouse.' });
    expect(seeing.model.requests).toHaveLength(1);
    const [, start] = await stage.events('ask-start');
    expect(await stage.open(agent(seeing.session)).runtime.prompt('run', start?.tip ?? '')).toBeDefined();
  });

  it('still reads a file of text, as text [R11-N12-TEXT-FILE]', async () => {
    const { model, session } = looking(() => 'Two rows.', {});
    const data = Buffer.from('a,b\n1,2\n').toString('base64');
    const table: MediaPart = { type: 'file', mediaType: 'text/csv', name: 'table.csv', data };
    const outcome = await moving().open(ask(session)).start([table]);
    expect(outcome).toMatchObject({ stop: 'done', value: 'Two rows.' });
    expect(model.requests[0]?.messages[1]?.parts).toEqual([table]);
  });
});

function camera(image: MediaPart, more: Partial<Tool> = {}): Tool<never, readonly MessagePart[]> {
  return {
    name: 'camera',
    description: 'Takes a picture.',
    effect: 'pure',
    execute: async () => [{ type: 'text', text: 'Taken.' }, image],
    ...more,
  } as Tool<never, readonly MessagePart[]>;
}

describe('a tool that returns parts', () => {
  it('gives them to the code and to the model, in the journal once [R11-N12-TOOL]', async () => {
    const image = pngOf(100_000);
    const { model, session } = looking();
    const stage = moving();
    const agent = async (run: Run) => {
      const result = await run.call(camera(image), {});
      if (!result.ok) throw new Error(result.content);
      await run.ask(session, append(undefined, { role: 'user', content: result.parts ?? '' }));
      return done(result);
    };
    expect(await stage.open(agent).start()).toMatchObject({
      stop: 'done',
      value: {
        content: expect.stringMatching(/^Taken\.\n\[image 1\.png, image\/png, 100 kB\]$/),
        parts: [{ type: 'text' }, image],
        value: [{ type: 'text' }, image],
      },
    });
    expect(model.requests[0]?.messages[1]?.parts?.[1]).toEqual(image);
    expect((await stage.engine.size()).bytes).toBeLessThan(image.data.length * 1.1);
  });

  it('may keep a value of its own, and present it in parts', async () => {
    const image = pngOf(300);
    const chart = tool({
      name: 'chart',
      description: 'Draws.',
      effect: 'pure',
      execute: async () => ({ points: 3, image }),
      present: ({ points, image: drawn }) => [{ type: 'text', text: `${points} points` }, drawn],
    });
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(chart, {})))
      .start();
    expect(outcome).toMatchObject({ value: { value: { points: 3 }, parts: [{ text: '3 points' }, image] } });
  });

  it('is shown under the text that a response guard leaves [R11-N12-GUARD]', async () => {
    const image = pngOf(300);
    const guard: Seams = {
      'tool.post': [(next) => async (seen, ctx) => ({ ...(await next(seen, ctx)), text: 'No words.' })],
    };
    const outcome = await moving()
      .open(async (run: Run) => done(await run.call(camera(image), {})), { seams: guard })
      .start();
    expect(outcome).toMatchObject({ value: { parts: [{ type: 'text', text: 'No words.' }, image] } });
  });
});

describe('a tool loop', () => {
  const calling = { toolCalls: [{ id: 'c1', name: 'camera', arguments: '{}' }] };
  const looped = (media: object) => {
    const model = scriptedModel({ eye: [calling, 'A cat.'] }, { capabilities: media });
    return {
      model,
      loop: toolLoop({
        session: { name: 'eye', model, setup: 'Look.' },
        tools: [camera(pngOf(300))],
        config: { doubleConfirmation: false },
      }),
    };
  };

  it('shows the model the image that its tool returned [R11-N12-TOOL]', async () => {
    const { model, loop } = looped(TAKES_IMAGES);
    expect(await moving().open(loop).start('What do you see?')).toMatchObject({ value: { output: 'A cat.' } });
    const result = model.requests[1]?.messages.at(-1);
    expect(result).toMatchObject({ role: 'tool', toolCallId: 'c1', parts: [{ text: 'Taken.' }, { type: 'image' }] });
  });

  it('tells a model that cannot see it what was left out, and goes on [R11-N12-TOOL]', async () => {
    const { model, loop } = looped({});
    expect(await moving().open(loop).start('What do you see?')).toMatchObject({ value: { output: 'A cat.' } });
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({
      content: expect.stringMatching(/^Taken\.\n\[image 1\.png.*left out/),
    });
    expect(model.requests[1]?.messages.at(-1)?.parts).toBeUndefined();
  });

  it('takes an image as its input, and ends where the model cannot take it [R11-N12-REFUSED]', async () => {
    const { model, loop } = looped({});
    expect(
      await moving()
        .open(loop)
        .start([pngOf(300)]),
    ).toMatchObject({
      stop: 'failed',
      failure: { code: 'PART_UNSUPPORTED' },
    });
    expect(model.requests).toEqual([]);
  });
});

it('is what a defined agent is given too, by itself or in a field [R11-N12-AGENT]', async () => {
  const { defineAgent } = await import('flyball/agents');
  const model = scriptedModel({ teller: () => 'A cat.' }, { capabilities: TAKES_IMAGES });
  const teller = defineAgent({ name: 'teller', description: 'Tells what is there.', model });
  const image = pngOf(300);
  for (const input of [[{ type: 'text', text: 'What?' }, image], { question: 'What?', photo: image }])
    expect((await moving().open(teller.agent).start(input)).stop).toBe('done');
  const [direct, inFields] = model.requests.map(({ messages }) => messages.at(-1)?.parts);
  expect(direct).toEqual([{ type: 'text', text: 'What?' }, image]);
  expect(inFields).toEqual([{ type: 'text', text: expect.stringMatching(/"photo": "\[image 1\.png/) }, image]);
});
