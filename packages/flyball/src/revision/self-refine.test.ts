import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfRefine, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { root } from '../../../../scripts/files.mjs';
import { ended, session } from '../../../../test/patterns/bed.js';

const README = readFileSync(join(root, 'README.md'), 'utf8').slice(0, 1_500);
const TASK = `Summarize this in under 50 words:\n${README}`;
const words = (count: number, word: string) => Array.from({ length: count }, () => word).join(' ');
const ISSUES = JSON.stringify({ issues: [{ text: 'It has 60 words; 49 are allowed.', severity: 'high' }] });

function bed(script: { writer?: string; critic: readonly string[]; reviser?: readonly string[] }) {
  const model = scriptedModel({
    writer: script.writer ?? words(60, 'long'),
    critic: script.critic,
    reviser: script.reviser ?? [],
  });
  return {
    model,
    agent: zeroShot(session(model, 'writer', { setup: 'You summarize.' })),
    critic: session(model, 'critic', { setup: 'You are strict.' }),
    reviser: session(model, 'reviser', { setup: 'You edit.' }),
  };
}

describe('selfRefine', () => {
  it('has a summary of a real README made shorter, in four calls [R8.acceptance] [R8.5]', async () => {
    const at = bed({ critic: [ISSUES, 'DONE'], reviser: [words(40, 'short')] });
    const { outcome, uses } = await ended(selfRefine(at.agent, at), TASK);
    expect(outcome).toMatchObject({ stop: 'done', value: words(40, 'short') });
    expect(at.model.requests).toHaveLength(4);
    for (const part of [README.slice(0, 100), words(60, 'long'), 'It has 60 words; 49 are allowed.'])
      expect(at.model.promptAt('reviser')).toContain(part);
    expect(uses[0]?.learned).toMatchObject({ critiques: 2, revisions: 1, contentAtOnce: false });
    expect(uses[0]?.learned?.['similarity']).toEqual([0]);
  });

  it('takes two calls where the first critique is DONE, and revises nothing after it [R8.6] [R8.acceptance]', async () => {
    const at = bed({ critic: ['DONE'] });
    const { outcome, uses } = await ended(selfRefine(at.agent, at), TASK);
    expect([outcome.stop, at.model.requests.length]).toEqual(['done', 2]);
    expect(uses[0]?.learned).toMatchObject({ contentAtOnce: true, revisions: 0 });
  });

  it('ends bounded with the last version after three rounds, in seven calls [R8.8] [R8.acceptance]', async () => {
    const at = bed({ critic: [ISSUES, ISSUES, ISSUES], reviser: ['a', 'b', 'c'] });
    const { outcome } = await ended(selfRefine(at.agent, at), TASK);
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'maxRounds', limit: 3, partial: 'c' });
    expect(at.model.requests).toHaveLength(7);
    for (const maxRounds of [0, Number.POSITIVE_INFINITY])
      expect(() => selfRefine(at.agent, at, { maxRounds })).toThrow('selfRefine (R8) needs maxRounds');
  });

  it('refuses a critic of another model, and names the pattern for it [R8.1] [R8.acceptance]', () => {
    const at = bed({ critic: [] });
    const other = session(scriptedModel({}, { id: 'other/model' }), 'critic');
    expect(() => selfRefine(at.agent, { ...at, critic: other })).toThrow('use untilApproved (O5)');
    const elsewhere = zeroShot(session(scriptedModel({}, { id: 'other/model' }), 'writer'));
    expect(() => selfRefine(elsewhere, at)).toThrow('needs one model');
    const reviser = session(scriptedModel({}, { id: 'other/model' }), 'reviser');
    expect(() => selfRefine(at.agent, { ...at, reviser })).toThrow('needs one model');
  });

  it('gives every revision the task, the result as it is by then and what was said of that one [R8.5]', async () => {
    const found = (text: string) => JSON.stringify({ issues: [{ text, severity: 'high' }] });
    const at = bed({
      writer: 'VERSION-0',
      critic: ['FAULT-0', 'FAULT-1', 'FAULT-2'].map(found),
      reviser: ['VERSION-1', 'VERSION-2', 'VERSION-3'],
    });
    await ended(selfRefine(at.agent, at), TASK);
    for (const n of [0, 1, 2]) {
      const prompt = at.model.promptAt('reviser', n + 1);
      expect(prompt).toContain(README.slice(0, 100));
      expect(prompt.match(/VERSION-\d|FAULT-\d/g)).toEqual([`VERSION-${n}`, `FAULT-${n}`]);
    }
  });

  it('gives every session a setup of its own [R8.2]', async () => {
    const at = bed({ critic: [ISSUES, 'DONE'], reviser: ['short'] });
    await ended(selfRefine(at.agent, at), TASK);
    const setups = ['writer', 'critic', 'reviser'].map((name) => at.model.requestsOf(name)[0]?.messages[0]?.content);
    expect(new Set(setups).size).toBe(3);
    expect(() => selfRefine(at.agent, { ...at, critic: { ...at.critic, setup: 'You summarize.' } })).toThrow(
      'needs a critic that is not the session of its agent',
    );
  });

  it('demands faults of the critic, in its setup [R8.3]', async () => {
    const at = bed({ critic: ['DONE'] });
    await ended(selfRefine(at.agent, at), TASK);
    expect(at.model.requestsOf('critic')[0]?.messages[0]?.content).toMatch(/^You are strict\.\n\nYou look for faults/);
  });

  it('tells the agent and the critic the same criteria [R8.4]', async () => {
    const at = bed({ critic: ['DONE'] });
    const criteria = 'At most 49 words, no adjectives.';
    await ended(selfRefine(at.agent, { ...at, criteria }), TASK);
    for (const name of ['writer', 'critic']) expect(at.model.promptAt(name)).toContain(criteria);
  });

  it('does not take a critique that talks of DONE for one that says it [R8.7]', async () => {
    const talk = JSON.stringify({ issues: [{ text: 'It is not DONE: too long.', severity: 'high' }] });
    const at = bed({ critic: [talk, 'DONE'], reviser: ['short'] });
    const { outcome } = await ended(selfRefine(at.agent, at), TASK);
    expect(outcome).toMatchObject({ stop: 'done', value: 'short' });
    expect(at.model.requestsOf('critic')).toHaveLength(2);
  });

  it('asks once again for a critique that cannot be read, then stops with what there is [R8.7]', async () => {
    const at = bed({ critic: ['I like it, DONE I guess.', 'Really.'] });
    const { outcome } = await ended(selfRefine(at.agent, at), TASK);
    expect(outcome).toMatchObject({ stop: 'degraded', value: words(60, 'long') });
    expect(at.model.requestsOf('critic')).toHaveLength(2);
  });

  it('logs every version with its critique [R8.9]', async () => {
    const at = bed({ critic: [ISSUES, 'DONE'], reviser: ['short version'] });
    const { entries } = await ended(selfRefine(at.agent, at), TASK);
    const journal = JSON.stringify(entries);
    for (const part of [words(60, 'long'), 'It has 60 words', 'short version', 'DONE']) expect(journal).toContain(part);
  });
});
