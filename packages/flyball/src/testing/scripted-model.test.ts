import { describe, expect, it } from 'vitest';
import type { ModelDelta, ModelRequest } from '../core/model.js';
import { scriptedModel } from './scripted-model.js';
import { virtualClock } from './virtual-clock.js';

const call = (key = 'k', signal = new AbortController().signal) => ({ key, signal });

function ask(session: string, ...contents: string[]): ModelRequest {
  return {
    session,
    model: 'scripted/model',
    messages: contents.map((content) => ({ role: 'user', content })),
    tools: [],
    toolChoice: 'auto',
    sampling: {},
  };
}

describe('replies', () => {
  it('answers each session from its own list, in the order of the calls [R2-KIT-SCRIPTED]', async () => {
    const model = scriptedModel({ drafter: ['one', 'two'], judge: 'accept' });
    const texts = await Promise.all(
      ['drafter', 'judge', 'drafter'].map(async (session) => (await model.generate(ask(session, 'go'), call())).text),
    );
    expect(texts).toEqual(['one', 'accept', 'two']);
    model.assertFinished();
  });

  it('keeps the order of the calls when the first reply finishes last', async () => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const model = scriptedModel({ drafter: [{ text: 'one', gate }, 'two'] });
    const first = model.generate(ask('drafter', 'a'), call('1'));
    expect((await model.generate(ask('drafter', 'b'), call('2'))).text).toBe('two');
    open();
    expect((await first).text).toBe('one');
  });

  it('completes a reply given in parts', async () => {
    const toolCalls = [{ id: '1', name: 'search', arguments: '{}' }];
    const model = scriptedModel({
      a: [{ toolCalls }, { text: 'x', finish: 'length', usage: { input: 7, output: 9 } }],
    });
    expect(await model.generate(ask('a', 'go'), call())).toMatchObject({ text: '', toolCalls, finish: 'tool_calls' });
    expect(await model.generate(ask('a', 'go'), call())).toEqual({
      text: 'x',
      toolCalls: [],
      finish: 'length',
      usage: { input: 7, output: 9 },
    });
  });

  it('lets a function that stands alone answer every call, with the request and its number', async () => {
    const model = scriptedModel({ judge: (request, n) => `${n}: ${request.messages[0]?.content}` });
    expect((await model.generate(ask('judge', 'a'), call())).text).toBe('1: a');
    expect((await model.generate(ask('judge', 'b'), call())).text).toBe('2: b');
    model.assertFinished();
  });

  it('throws a scripted error and answers the next call', async () => {
    const overloaded = new Error('overloaded');
    const model = scriptedModel({ a: [overloaded, 'fine'] });
    await expect(model.generate(ask('a', 'go'), call())).rejects.toBe(overloaded);
    expect((await model.generate(ask('a', 'go'), call())).text).toBe('fine');
  });

  it('repeats a reply for a repeated key where that is asked for', async () => {
    const model = scriptedModel({ a: ['one', 'two'] }, { repeatedKey: 'same-reply' });
    expect((await model.generate(ask('a', 'go'), call('k1'))).text).toBe('one');
    expect((await model.generate(ask('a', 'go'), call('k1'))).text).toBe('one');
    expect((await model.generate(ask('a', 'go'), call('k2'))).text).toBe('two');
  });
});

describe('running dry and leftovers', () => {
  it('says which session ran dry, at which call, and after which user message [R2-KIT-SCRIPT-STRICT]', async () => {
    const model = scriptedModel({ drafter: 'one' });
    await model.generate(ask('drafter', 'first question'), call());
    await expect(model.generate(ask('drafter', 'second question'), call())).rejects.toMatchObject({
      code: 'SCRIPT_EXHAUSTED',
      retryable: false,
      message: expect.stringMatching(/"drafter" makes call 2, but has 1 reply.*"second question"/),
    });
  });

  it('names the scripted sessions when another one asks', async () => {
    const model = scriptedModel({ drafter: 'one', judge: 'two' });
    await expect(model.generate(ask('planner', 'q'), call())).rejects.toThrow(/"planner".*drafter, judge/);
  });

  it('names the replies that are left over [R2-KIT-SCRIPT-STRICT]', async () => {
    const model = scriptedModel({ drafter: ['one', 'two'], judge: new Error('no') });
    await model.generate(ask('drafter', 'q'), call());
    expect(() => model.assertFinished()).toThrow(
      'Replies left over: drafter reply 2: "two"; judge reply 1: the error "no".',
    );
  });

  it('still fails at the end when the agent swallowed the dry script [R2-KIT-SCRIPT-STRICT]', async () => {
    const model = scriptedModel({});
    await model.generate(ask('drafter', 'q'), call()).catch(() => {});
    expect(() => model.assertFinished()).toThrow(/"drafter" makes call 1/);
  });
});

describe('recording', () => {
  it('records every request in full, also the failed one, and nobody can change it [R2-KIT-SCRIPTED]', async () => {
    const model = scriptedModel({ a: ['one'] });
    const request = ask('a', 'setup', 'question');
    await model.generate(request, call());
    await model.generate(ask('b', 'other'), call()).catch(() => {});
    expect(model.requests).toEqual([request, ask('b', 'other')]);
    expect(model.requestsOf('b')).toHaveLength(1);
    expect(() => Object.assign(model.requests[0]?.messages[0] ?? {}, { content: 'forged' })).toThrow(TypeError);
  });

  it('gives the text of the n-th prompt, the first one by default', async () => {
    const model = scriptedModel({ a: ['one', 'two'] });
    await model.generate(ask('a', 'setup', 'first'), call());
    await model.generate(ask('a', 'setup', 'second'), call());
    expect(model.promptAt('a')).toBe('setup\n\nfirst');
    expect(model.promptAt('a', 2)).toBe('setup\n\nsecond');
    expect(() => model.promptAt('a', 3)).toThrow('made 2 calls');
  });
});

describe('usage', () => {
  it('estimates a token for every four bytes and reports what it counted', async () => {
    const model = scriptedModel({ a: 'Grüße!' }); // 8 bytes
    const request = ask('a', 'abcd', 'efghi');
    const { usage } = await model.generate(request, call());
    expect(usage).toEqual({ input: 3, output: 2 });
    expect(model.countTokens(request)).toBe(3);
  });

  it('never counts less than a reply is scripted to report', () => {
    const model = scriptedModel({ a: ['x', { text: 'y', usage: { input: 5000, output: 1 } }] });
    expect(model.countTokens(ask('a', 'short'))).toBe(5000);
  });

  it('reports no more output than the call was allowed', async () => {
    const model = scriptedModel({ a: ['x'.repeat(400), 'x'.repeat(400)] }, { capabilities: { maxOutputTokens: 50 } });
    expect((await model.generate(ask('a', 'q'), call())).usage.output).toBe(50);
    const limited = { ...ask('a', 'q'), sampling: { maxOutputTokens: 10 } };
    expect((await model.generate(limited, call())).usage.output).toBe(10);
  });
});

describe('calls in flight', () => {
  it('holds a reply for its latency on the clock', async () => {
    const clock = virtualClock();
    const model = scriptedModel({ a: { text: 'late', latencyMs: 500 } }, { clock });
    let text = '';
    const asked = model.generate(ask('a', 'q'), call()).then((reply) => {
      text = reply.text;
    });
    await clock.advance(499);
    expect(text).toBe('');
    await clock.advance(1);
    expect(text).toBe('late');
    await asked;
  });

  it('refuses a latency without a clock before anything is asked', () => {
    expect(() => scriptedModel({}, { latencyMs: 5 })).toThrow(/needs a clock/);
  });

  it('rejects with the reason of an abort while in flight, and takes its timer back', async () => {
    const clock = virtualClock();
    const stop = new AbortController();
    const model = scriptedModel({ a: { text: 'late', latencyMs: 500 } }, { clock });
    const asked = model.generate(ask('a', 'q'), call('k', stop.signal));
    const settled = expect(asked).rejects.toThrow('out of budget');
    await model.reached('a');
    await clock.advance(1);
    stop.abort(new Error('out of budget'));
    await settled;
    expect(clock.pending()).toEqual([]);
  });

  it('makes no call when it is aborted before', async () => {
    const model = scriptedModel({ a: 'one' });
    await expect(model.generate(ask('a', 'q'), call('k', AbortSignal.abort('no')))).rejects.toBe('no');
    expect(model.requests).toEqual([]);
  });

  it('tells when a call has been reached', async () => {
    const model = scriptedModel({ a: ['one', { text: 'held', gate: new Promise(() => {}) }] });
    const second = model.reached('a', 2);
    await model.generate(ask('a', 'q'), call());
    void model.generate(ask('a', 'q'), call());
    await second;
    expect(model.requestsOf('a')).toHaveLength(2);
  });

  it('streams the text in pieces and stops at an abort', async () => {
    const stop = new AbortController();
    const model = scriptedModel({ a: [{ text: 'one two three', reasoning: 'hm' }, 'one two three'] });
    const deltas: ModelDelta[] = [];
    await model.generate(ask('a', 'q'), { ...call(), onDelta: (delta) => deltas.push(delta) });
    expect(deltas.flatMap((delta) => (delta.type === 'text' ? [delta.text] : []))).toEqual(['one ', 'two ', 'three']);
    expect(deltas[0]).toEqual({ type: 'reasoning', text: 'hm' });

    const heard: string[] = [];
    const onDelta = (delta: ModelDelta) => {
      heard.push('text' in delta ? delta.text : '');
      stop.abort('enough');
    };
    await expect(model.generate(ask('a', 'q'), { ...call('k', stop.signal), onDelta })).rejects.toBe('enough');
    expect(heard).toEqual(['one ']);
  });
});
