import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Message, Model, ModelRequest } from '../core/model.js';
import { recordedModel } from './recorded-model.js';
import { scriptedModel } from './scripted-model.js';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cassette-'));
  file = join(folder, 'nested', 'talk.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const how = (key = 'k') => ({ key, signal: new AbortController().signal });

function ask(session: string, content: string, more: Partial<ModelRequest> = {}): ModelRequest {
  const messages: Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content },
  ];
  return { session, model: 'vendor/large', messages, tools: [], toolChoice: 'auto', sampling: {}, ...more };
}

/** The same question gets another answer each time, so that order shows. */
function realModel(): Model {
  return scriptedModel(
    { a: (request, n) => `answer ${n} to ${request.messages.at(-1)?.content}` },
    { id: 'vendor/large' },
  );
}

async function recordThree(): Promise<void> {
  const model = recordedModel({ file, model: realModel(), mode: 'record' });
  for (const content of ['same', 'same', 'other']) await model.generate(ask('a', content), how());
}

describe('recording and replaying', () => {
  it('replays without the model what was recorded with it, identical requests in their order [R2-KIT-CASSETTE]', async () => {
    await recordThree();
    const model = recordedModel({ file, mode: 'replay' });
    expect(model.id).toBe('vendor/large');
    const texts: string[] = [];
    for (const content of ['other', 'same', 'same']) texts.push((await model.generate(ask('a', content), how())).text);
    expect(texts).toEqual(['answer 3 to other', 'answer 1 to same', 'answer 2 to same']);
    expect(model.requests.map((request) => request.messages.at(-1)?.content)).toEqual(['other', 'same', 'same']);
  });

  it('keeps the order in which overlapping calls were made', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const real = scriptedModel({ a: [{ text: 'first', gate }, 'second'] }, { id: 'vendor/large' });
    const recording = recordedModel({ file, model: real, mode: 'record' });
    const slow = recording.generate(ask('a', 'same'), how('1'));
    await recording.generate(ask('a', 'same'), how('2'));
    open();
    await slow;
    const model = recordedModel({ file, mode: 'replay' });
    expect((await model.generate(ask('a', 'same'), how())).text).toBe('first');
  });

  it('does not mind which ids the vendor gave its tool calls, nor in which order fields are written', async () => {
    const conversation = (id: string): readonly Message[] => [
      { role: 'user', content: 'find it' },
      { role: 'assistant', content: '', toolCalls: [{ id, name: 'search', arguments: '{}' }] },
      { role: 'tool', content: 'found', toolCallId: id },
    ];
    const recording = recordedModel({ file, model: realModel(), mode: 'record' });
    await recording.generate(
      ask('a', '', { messages: conversation('toolu_1'), sampling: { seed: 1, temperature: 0 } }),
      how(),
    );
    const model = recordedModel({ file, mode: 'replay' });
    const again = ask('a', '', { messages: conversation('toolu_2'), sampling: { temperature: 0, seed: 1 } });
    expect((await model.generate(again, how())).text).toContain('answer 1');
  });

  it('compares requests after normalizing them', async () => {
    const normalize = (request: ModelRequest): ModelRequest => ({
      ...request,
      messages: request.messages.map((message) => ({
        ...message,
        content: message.content.replace(/\d{4}-\d\d-\d\d/, 'DATE'),
      })),
    });
    await recordedModel({ file, model: realModel(), mode: 'record', normalize }).generate(
      ask('a', 'Today is 2026-01-01'),
      how(),
    );
    const model = recordedModel({ file, mode: 'replay', normalize });
    expect((await model.generate(ask('a', 'Today is 2026-09-30'), how())).text).toBe('answer 1 to Today is 2026-01-01');
  });

  it('in auto mode asks the model only for what is not recorded, and adds it [R2-KIT-CASSETTE]', async () => {
    await recordThree();
    const real = scriptedModel({ a: 'fresh' }, { id: 'vendor/large' });
    const auto = recordedModel({ file, model: real, mode: 'auto' });
    expect((await auto.generate(ask('a', 'other'), how())).text).toBe('answer 3 to other');
    expect((await auto.generate(ask('a', 'new'), how())).text).toBe('fresh');
    real.assertFinished();
    const model = recordedModel({ file, mode: 'replay' });
    expect((await model.generate(ask('a', 'new'), how())).text).toBe('fresh');
    expect((await model.generate(ask('a', 'same'), how())).text).toBe('answer 1 to same');
  });

  it('starts anew in record mode', async () => {
    await recordThree();
    await recordedModel({ file, model: realModel(), mode: 'record' }).generate(ask('a', 'fresh start'), how());
    const model = recordedModel({ file, mode: 'replay' });
    await expect(model.generate(ask('a', 'same'), how())).rejects.toMatchObject({ code: 'CASSETTE_MISSING' });
  });

  it('counts in replay what the real model counted', async () => {
    const real: Model = { ...realModel(), countTokens: () => 4321 };
    await recordedModel({ file, model: real, mode: 'record' }).generate(ask('a', 'same'), how());
    expect(recordedModel({ file, mode: 'replay' }).countTokens(ask('a', 'same'))).toBe(4321);
  });

  it('streams a replayed reply and rejects when aborted', async () => {
    await recordThree();
    const model = recordedModel({ file, mode: 'replay' });
    const heard: string[] = [];
    await model.generate(ask('a', 'other'), {
      ...how(),
      onDelta: (delta) => heard.push('text' in delta ? delta.text : ''),
    });
    expect(heard.join('')).toBe('answer 3 to other');
    const aborted = model.generate(ask('a', 'same'), { key: 'k', signal: AbortSignal.abort('stop') });
    await expect(aborted).rejects.toBe('stop');
  });
});

describe('what is missing', () => {
  it('says in a sentence how the nearest recorded request differs [R2-KIT-CASSETTE]', async () => {
    await recordThree();
    const model = recordedModel({ file, mode: 'replay' });
    await expect(model.generate(ask('a', 'some', { toolChoice: 'none' }), how())).rejects.toMatchObject({
      code: 'CASSETTE_MISSING',
      message: expect.stringContaining(
        'number 1, differs: message 2 (user) was "same" and is "some"; toolChoice was "auto" and is "none".',
      ),
    });
  });

  it('says so when a recorded request is asked once too often', async () => {
    await recordThree();
    const model = recordedModel({ file, mode: 'replay' });
    await model.generate(ask('a', 'other'), how());
    await expect(model.generate(ask('a', 'other'), how())).rejects.toThrow('recorded once and was asked once more');
  });

  it('names the cassette that is not there', () => {
    expect(() => recordedModel({ file, mode: 'replay' })).toThrow(`There is no cassette ${file}`);
    expect(() => recordedModel({ file, mode: 'auto' })).toThrow(/needs the real model/);
  });

  it('refuses a cassette of a newer version and one that is torn', () => {
    file = join(folder, 'talk.json');
    writeFileSync(file, '{"version":2,"model":{},"interactions":[]}');
    expect(() => recordedModel({ file, mode: 'replay' })).toThrow(/version 2.*up to 1/);
    writeFileSync(file, '{"version":1,"mod');
    expect(() => recordedModel({ file, mode: 'replay' })).toThrow(/not JSON/);
  });
});

describe('the file', () => {
  it('holds request and reply content only, and no draft is left beside it', async () => {
    const leaky: Model = {
      ...realModel(),
      generate: async (request, call) =>
        Object.assign(
          { ...(await realModel().generate(request, call)) },
          { headers: { authorization: 'Bearer s3cret' } },
        ),
    };
    const asked = Object.assign(ask('a', 'hello'), { apiKey: 's3cret' });
    await recordedModel({ file, model: leaky, mode: 'record' }).generate(asked, how('run-s3cret'));
    expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
    expect(readFileSync(file, 'utf8')).toContain('hello');
    expect(readdirSync(join(folder, 'nested'))).toEqual(['talk.json']);
  });

  it('keeps nothing of a call that failed', async () => {
    const real = scriptedModel({ a: [new Error('overloaded'), 'fine'] }, { id: 'vendor/large' });
    const recording = recordedModel({ file, model: real, mode: 'record' });
    await expect(recording.generate(ask('a', 'same'), how())).rejects.toThrow('overloaded');
    await recording.generate(ask('a', 'same'), how());
    const model = recordedModel({ file, mode: 'replay' });
    expect((await model.generate(ask('a', 'same'), how())).text).toBe('fine');
  });
});
