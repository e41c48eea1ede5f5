import { type Baseline, gainOver, patternsOf, probe, useOf, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ended, session } from '../../../../../test/patterns/bed.js';

const INSTRUCTION = 'Label this text message spam or ham. Reply with the label alone.';
const MESSAGES = Array.from({ length: 20 }, (_none, n) =>
  n % 2 === 0 ? `You have won prize ${n}. Text CLAIM to 8${n}.` : `I am late, start dinner ${n} without me.`,
);
const isLabel = (reply: string) => (/^(?:spam|ham)$/.test(reply) ? true : ('structure' as const));
const labels = (chatty: number) => Array.from({ length: 20 }, (_none, n) => (n < chatty ? 'Sure! It is spam.' : 'ham'));
const probed = (replies: readonly string[], fits: Parameters<typeof probe>[0]['fits'] = isLabel) => {
  const model = scriptedModel({ labeler: replies });
  return {
    model,
    agent: probe({ answerer: session(model, 'labeler'), instruction: INSTRUCTION, cases: MESSAGES, fits }),
  };
};

describe('zeroShot', () => {
  it('sends what it is given and adds nothing of its own [S1.1]', async () => {
    const model = scriptedModel({ labeler: 'ham' });
    await ended(zeroShot(session(model, 'labeler')), `${INSTRUCTION}\n\n${MESSAGES[0]}`);
    expect(model.requests[0]?.messages.filter(({ content }) => content !== '')).toEqual([
      expect.objectContaining({ role: 'user', content: `${INSTRUCTION}\n\n${MESSAGES[0]}` }),
    ]);
  });

  it('makes one request and returns the reply byte for byte, whatever it looks like [S1.2] [S1.acceptance]', async () => {
    const reply = '  Sure!\n\n```json\n{"label": spam\n';
    const model = scriptedModel({ labeler: reply });
    const { outcome } = await ended(zeroShot(session(model, 'labeler')), 'x');
    expect(outcome).toMatchObject({ stop: 'done', value: reply });
    expect(model.requests).toHaveLength(1);
  });

  it('asks nobody again for a reply that does not fit a schema, and keeps it in the journal [S1.2]', async () => {
    const model = scriptedModel({ labeler: 'Sure! It is spam.' });
    const output = z.object({ label: z.string() });
    const agent = zeroShot({ ...session(model, 'labeler'), output });
    const { outcome, entries } = await ended(agent, 'x');
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(entries)).toContain('Sure! It is spam.');
    expect(useOf(agent)?.predicted).toEqual({ min: 1, max: 1 });
  });

  it('refuses a session with tools [S1.2]', () => {
    const tool = { name: 'look', description: 'Looks.', effect: { class: 'pure' } } as never;
    expect(() => zeroShot({ ...session(scriptedModel({}), 'labeler'), tools: [tool] })).toThrow('use reAct (R4)');
  });
});

describe('patternsOf', () => {
  it.each([
    [INSTRUCTION, ['S1']],
    [`${INSTRUCTION}\n<example>win now → spam</example>`, ['S2']],
    [`${INSTRUCTION}\nInput: win now\nOutput: spam`, ['S2']],
    [`${INSTRUCTION}\nMessage: win now\nLabel: spam`, ['S2']],
    [`${INSTRUCTION}\n"win now" -> spam`, ['S2']],
    [`${INSTRUCTION} For example, "win now" is spam.`, ['S2']],
    [`You're a mail clerk. ${INSTRUCTION}`, ['S3']],
    [`${INSTRUCTION}\nStep 1: read.\nStep 2: label.`, ['S4']],
    ['Translate this. Note: keep names as they are.', ['S1']],
    [`You are a mail clerk. ${INSTRUCTION}`, ['S3']],
    ['1. Read it.\n2. Label it.', ['S4']],
    ['<constraints version="1">\n- a: b\n</constraints>', ['S5']],
    ['LABEL: [LABEL]', ['S6']],
    ['Think step by step.', ['R1']],
    ['You are a clerk.\n1. Read.\n2. Label.\nLABEL: [LABEL]', ['S3', 'S4', 'S6']],
  ])('reports what stands in %j [S1.4]', (text, found) => {
    expect(patternsOf(text)).toEqual(found);
    expect(useOf(zeroShot(session(scriptedModel({}), 'a', { setup: text })))?.provides).toEqual(
      found.filter((id) => id !== 'S1'),
    );
  });
});

describe('probe', () => {
  it('keeps the bare instruction at 95%, and names what to try below 90% [S1.acceptance]', async () => {
    const kept = probed(labels(1));
    const { outcome } = await ended(kept.agent, null);
    expect(outcome).toMatchObject({ stop: 'done', value: { consistency: 0.95, verdict: 'keep', samples: 20 } });
    expect(kept.model.requests).toHaveLength(20);
    for (const { messages } of kept.model.requests)
      expect(messages.filter(({ content }) => content !== '').map(({ role }) => role)).toEqual(['user']);
    expect((await ended(probed(labels(2)).agent, null)).outcome).toMatchObject({ value: { verdict: 'weigh' } });
    expect((await ended(probed(labels(3)).agent, null)).outcome).toMatchObject({ value: { verdict: 'escalate:S6' } });
    const style = (reply: string) => (/^(?:spam|ham)$/.test(reply) ? true : ('style' as const));
    expect((await ended(probed(labels(3), style).agent, null)).outcome).toMatchObject({
      value: { verdict: 'escalate:S2' },
    });
  });

  it('measures bare instructions only [S1.1] [S1.acceptance]', () => {
    const answerer = session(scriptedModel({}), 'labeler');
    const parts = { answerer, instruction: INSTRUCTION, cases: MESSAGES, fits: isLabel };
    expect(() => probe({ ...parts, instruction: `${INSTRUCTION}\n<example>a → spam</example>` })).toThrow('holds S2');
    expect(() => probe({ ...parts, answerer: { ...answerer, setup: 'Be brief.' } })).toThrow('no setup');
    expect(() => probe({ ...parts, cases: MESSAGES.slice(1) })).toThrow('needs 20 cases');
  });

  it('stores the model and the decoding, and compares nothing that differs in either [S1.3]', async () => {
    const model = scriptedModel({ labeler: labels(4) });
    const answerer = session(model, 'labeler', { sampling: { temperature: 0 } });
    const { outcome } = await ended(
      probe({ answerer, instruction: INSTRUCTION, cases: MESSAGES, fits: isLabel }),
      null,
    );
    const floor = (outcome as { value: Baseline }).value;
    expect(floor).toMatchObject({ model: 'scripted/model', decoding: { temperature: 0 } });
    expect(() => gainOver(floor, { ...floor, model: 'other/model' })).toThrow('another model');
    expect(() => gainOver(floor, { ...floor, decoding: { temperature: 1 } })).toThrow('another decoding');
    const at = (consistency: number) => gainOver(floor, { ...floor, consistency });
    expect([at(0.82), at(0.88), at(0.95)].map(({ verdict }) => verdict)).toEqual(['keep', 'weigh', 'take:S2']);
    expect(at(0.95).points).toBe(15);
  });
});
