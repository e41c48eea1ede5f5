import {
  type Agent,
  budget,
  createRuntime,
  done,
  type Model,
  memoryEngine,
  type Run,
  type RunHandle,
  type StreamedEvent,
} from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { gate, RUN } from './stage.js';

const limits = { budget: budget(), id: RUN };

function open<O>(agent: Agent<null, O>) {
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
  onTestFinished(() => runtime.close());
  return runtime;
}

async function all(events: AsyncIterable<StreamedEvent>): Promise<readonly StreamedEvent[]> {
  const seen: StreamedEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

const types = (events: readonly StreamedEvent[]) => events.map(({ type }) => type);
const textOf = (events: readonly StreamedEvent[]) =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');

/** Asks a model, waits for a person, and asks again. */
const model = () => scriptedModel({ guide: ['Take an umbrella.', 'And a coat, then.'] });
/** A model that says one reply as it is told to. */
function spoken(speak: (say: (text: string) => void) => Promise<void>): Model {
  const like = scriptedModel({});
  return {
    ...like,
    countTokens: (request) => like.countTokens(request),
    generate: async (_request, { onDelta }) => {
      let text = '';
      await speak((piece) => {
        text += piece;
        onDelta?.({ type: 'text', text: piece });
      });
      return { text, toolCalls: [], finish: 'stop', usage: { input: 1, output: 1 } };
    },
  };
}

const talk = (asked: Model) => async (run: Run) => {
  const first = await run.ask({ name: 'guide', model: asked, setup: 'You advise.' }, 'Bergen?');
  await run.wait({ name: 'more' });
  const second = await run.ask({ name: 'guide', model: asked, setup: 'You advise.' }, 'More?');
  return done(`${first.text} ${second.text}`);
};

describe('events of a run', () => {
  it('are read in five lines: its text while it is written, then its typed outcome [F-N5]', async () => {
    const heard = gate();
    const slow = spoken(async (say) => {
      say('Take an ');
      await heard.opened; // the model goes on only when its first words were read
      say('umbrella.');
    });
    const runtime = open(async (run) =>
      done((await run.ask({ name: 'guide', model: slow, setup: 'You advise.' }, 'Bergen?')).text),
    );
    const texts: string[] = [];
    let end = '';
    const handle = await runtime.start('agent', null, limits);
    for await (const event of handle.events()) {
      if (event.type === 'text-delta') texts.push(event.text);
      if (texts.length === 1) heard.open();
      if (event.type === 'run-end' && event.outcome.stop === 'done') {
        expectTypeOf(event.outcome.value).toEqualTypeOf<string>();
        end = event.outcome.value;
      }
    }
    expect([texts, end]).toEqual([['Take an ', 'umbrella.'], 'Take an umbrella.']);
  });

  it('come in the order of the journal, a reply between its start and its end [F-N5]', async () => {
    const runtime = open(talk(model()));
    const handle = await runtime.start('agent', null, limits);
    const seen = await all(handle.events());
    const journal = (await runtime.entries(RUN)).map(({ event }) => event.type);
    expect(types(seen).filter((type) => !type.endsWith('-delta'))).toEqual(journal);
    expect(seen.flatMap((event) => ('position' in event ? [event.position.seq] : []))).toEqual(
      journal.map((_, i) => i),
    );
    const from = types(seen).indexOf('ask-start');
    expect(types(seen).slice(from, from + 3)).toEqual(['ask-start', 'text-delta', 'ask-end']);
  });

  it('end when the run rests, and go on over its suspensions until its end where that is asked for [F-N5]', async () => {
    const runtime = open(talk(model()));
    const handle = await runtime.start('agent', null, limits);
    const whole = all(handle.events({ until: 'end' }));
    const resting = await all(handle.events());
    expect(types(resting)).not.toContain('run-end');
    expect(types(resting).at(-1)).toBe('wait-start');
    await runtime.signal(RUN, 'more');
    const seen = await whole;
    expect(textOf(seen)).toBe('Take an umbrella.And a coat, then.');
    expect(types(seen).at(-1)).toBe('run-end');

    const last = resting.findLast((event) => 'position' in event);
    if (last === undefined || !('position' in last)) throw new Error('nothing was told');
    const rest = await all(handle.events({ after: last.position }));
    expect(textOf(rest)).toBe('And a coat, then.');
    expect([...types(resting), ...types(rest)].filter((type) => type === 'ask-end')).toHaveLength(2);
  });

  it('of a run that is over are all there, with the text of replies that nobody streamed [F-N5]', async () => {
    const asked = model();
    const runtime = open(talk(asked));
    const handle = await runtime.start('agent', null, limits);
    await runtime.signal(RUN, 'more');
    await handle.finished();
    const seen = await all(runtime.handle(RUN).events());
    expect(textOf(seen)).toBe('Take an umbrella.And a coat, then.');
    expect(types(seen)[0]).toBe('run-start');
    expect(types(seen).at(-1)).toBe('run-end');
  });

  it('wait for a slow reader, which holds nothing back and misses nothing [F-N5]', async () => {
    const runtime = open(talk(model()));
    const handle = await runtime.start('agent', null, limits);
    const slow = handle.events({ until: 'end' });
    const first = await slow.next();
    expect(first.value).toMatchObject({ type: 'run-start' });
    await runtime.signal(RUN, 'more');
    expect(await handle.finished()).toMatchObject({ stop: 'done' }); // while the reader is at its first event
    const seen = [first.value as StreamedEvent, ...(await all(slow))];
    expect(types(seen).filter((type) => !type.endsWith('-delta'))).toEqual(
      (await runtime.entries(RUN)).map(({ event }) => event.type),
    );
    expect(types(seen).filter((type) => type === 'text-delta')).toHaveLength(2); // its pieces were joined
    expect(textOf(seen)).toBe('Take an umbrella.And a coat, then.');
  });

  it('are the same for several readers [F-N5]', async () => {
    const runtime = open(talk(model()));
    const handle = await runtime.start('agent', null, limits);
    const readers = [handle, handle, runtime.handle(RUN)].map((one: RunHandle) => all(one.events({ until: 'end' })));
    await runtime.signal(RUN, 'more');
    const [first, ...others] = await Promise.all(readers);
    for (const other of others) {
      expect(textOf(other)).toBe(textOf(first ?? []));
      expect(other.filter((event) => 'position' in event)).toEqual(first?.filter((event) => 'position' in event));
    }
  });

  it('stop with a break, or when a waiting reader is closed; models need not stream then [F-N5]', async () => {
    const streamed: boolean[] = [];
    const scripted = model();
    const watching: Model = {
      ...scripted,
      countTokens: (request) => scripted.countTokens(request),
      generate: (request, how) => {
        streamed.push(how.onDelta !== undefined);
        return scripted.generate(request, how);
      },
    };
    const runtime = open(talk(watching));
    const handle = await runtime.start('agent', null, limits);
    for await (const event of handle.events()) if (event.type === 'ask-end') break;
    const waiting = handle.events({ until: 'end' });
    for (let next = await waiting.next(); next.value.type !== 'wait-start'; next = await waiting.next());
    const pending = waiting.next();
    await turns();
    await waiting.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    await runtime.signal(RUN, 'more');
    expect(await handle.finished()).toMatchObject({ stop: 'done' });
    expect(streamed).toEqual([true, false]);
  });

  it('say when what came of a reply is void, and add up to the reply that counts [F-N5]', async () => {
    const scripted = scriptedModel({ guide: ['Go to Oslo.'] });
    const stumbling: Model = {
      ...scripted,
      countTokens: (request) => scripted.countTokens(request),
      generate: (request, how) => {
        how.onDelta?.({ type: 'text', text: 'Go to Ber' });
        how.onDelta?.({ type: 'restart', why: 'The connection broke.' });
        return scripted.generate(request, { ...how, onDelta: () => undefined });
      },
    };
    const runtime = open(async (run) =>
      done((await run.ask({ name: 'guide', model: stumbling, setup: 'You advise.' }, 'Where?')).text),
    );
    const handle = await runtime.start('agent', null, limits);
    let text = '';
    for await (const event of handle.events()) {
      if (event.type === 'reply-restart') text = '';
      if (event.type === 'text-delta') text += event.text;
    }
    expect(text).toBe('Go to Oslo.');
  });

  it('come from another process too, which does not announce them here [F-N5]', async () => {
    const here = gate();
    const agent = async (run: Run) => {
      await run.step('work', null, () => here.opened.then(() => null), 'pure');
      return done(null);
    };
    const engine = memoryEngine();
    const process = () => {
      const runtime = createRuntime({ engine, agents: { agent }, options: { worker: false, pollMs: 5 } });
      onTestFinished(() => runtime.close());
      return runtime;
    };
    await process().start('agent', null, limits);
    const reader = process().handle(RUN).events();
    expect((await reader.next()).value).toMatchObject({ type: 'run-start' });
    here.open();
    expect(types(await all(reader)).at(-1)).toBe('run-end');
  });

  it('end with the error of a runtime that is closed under the reader [F-N5]', async () => {
    const runtime = open(talk(model()));
    const handle = await runtime.start('agent', null, limits);
    const reading = all(handle.events({ until: 'end' }));
    await handle.outcome();
    await runtime.close();
    await expect(reading).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
  });
});
