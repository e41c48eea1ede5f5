import { type Composition, lint } from 'flyball/catalogue';
import { reAct } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partOf } from '../../packages/flyball/src/core/use.js';
import { session } from '../patterns/bed.js';
import { seat, stackOf, use } from './systems.js';

const model = scriptedModel({});
const found = (rule: string, subject: Composition) =>
  lint(subject)
    .filter((each) => each.rule === rule)
    .map(({ level, at }) => [level, at]);
const one = (agent: unknown, more: Partial<Composition> = {}): Composition => ({ agents: { bot: agent }, ...more });
const tools = (count: number) =>
  Array.from({ length: count }, (_none, n) =>
    tool({ name: `look_${n}`, description: 'Looks. Not for else.', effect: 'pure', execute: async () => '' }),
  );
const worker = (name: string, count: number) =>
  reAct({ worker: session(model, name, { setup: `You are ${name}.` }), tools: tools(count) });

describe('upgrades-to', () => {
  it('both for one job are a warning, beside each other and inside each other [R17-UPGRADES]', () => {
    const rule = 'R9 upgrades to R10';
    const beside = use('R8', 'selfRefine', { parts: { agent: use('R9', 'tree'), other: use('R10', 'lats') } });
    expect(found(rule, one(beside))).toEqual([['warning', 'bot > selfRefine (R8) > agent > tree (R9)']]);
    const inside = use('R10', 'lats', { parts: { rollout: use('R9', 'tree') } });
    expect(found(rule, one(inside))).toEqual([['warning', 'bot > lats (R10) > rollout > tree (R9)']]);
  });

  it('are none where each has its own work, where nobody needs both, and where a person said no [R17-UPGRADES]', () => {
    const rule = 'R9 upgrades to R10';
    const routed = use('O3', 'router', { parts: { to: [use('R9', 'tree'), use('R10', 'lats')] } });
    expect(found(rule, one(routed))).toEqual([]);
    expect(found(rule, { agents: { a: use('R9', 'tree'), b: use('R10', 'lats') } })).toEqual([]);
    const both = use('R10', 'lats', { parts: { rollout: use('R9', 'tree') } });
    const questions = { 'backtracking-is-decisive': false };
    expect(found(rule, one(both, { decisions: { questions } }))).toEqual([]);
    expect(
      found(rule, one(use('R9', 'tree'), { decisions: { questions: { 'backtracking-is-decisive': true } } })),
    ).toEqual([['info', 'bot > tree (R9)']]);
  });

  it.each([
    ['R7 upgrades to H2', use('H2', 'withLessons', { parts: { agent: use('R7', 'reflexion') } })], // H2 requires R7
    ['S1 upgrades to S2', use('S2', 'fewShot', { parts: { agent: use('S1', 'zeroShot') } })], // a call with examples
  ] as const)('%s: what the better one is made of is no second one [R17-UPGRADES]', (rule, agent) => {
    expect(found(rule, one(agent))).toEqual([]);
  });

  it('S3 to H7 is advised only beside an identity, S3 to H1 without one [R17-CONDITIONS]', () => {
    const decisions = { facts: { 'returning-users': true } } as const;
    const alone = one(use('S3', 'persona'), { decisions });
    expect([found('S3 upgrades to H7', alone).length, found('S3 upgrades to H1', alone).length]).toEqual([0, 1]);
    const beside = one(stackOf(['S3', 'H1']), { decisions });
    expect(found('S3 upgrades to H7', beside)).toHaveLength(1);
  });

  it('I2 to I3 is advised for five tools that three agents share, too [R17-CONDITIONS]', () => {
    const rule = 'I2 upgrades to I3';
    const crew = (agents: number, count: number): Composition => ({
      agents: Object.fromEntries(Array.from({ length: agents }, (_none, n) => [`w${n}`, worker(`w${n}`, count)])),
    });
    expect(found(rule, crew(3, 5))).toHaveLength(1);
    expect(found(rule, crew(2, 5))).toEqual([]);
    expect(found(rule, crew(3, 4))).toEqual([]);
  });
});

describe('H3', () => {
  const answer = { ...session(model, 'w'), output: z.object({ answer: z.string() }) };
  const inner = (given: object) => use('S1', 'zeroShot', { parts: { answerer: partOf(given).part } });
  const curious = (agent: ReturnType<typeof use>) => use('H3', 'withCuriosity', { parts: { agent } });

  it('requires a check of what it wraps where that answers in a form, and nowhere else [R17-CONDITIONS]', () => {
    const rule = 'H3 requires V20';
    expect(found(rule, one(curious(inner(answer))))).toHaveLength(1);
    expect(found(rule, one(curious(inner(session(model, 'w')))))).toEqual([]);
    const elsewhere = use('O3', 'router', {
      parts: { to: [curious(inner(session(model, 'w'))), use('S6', 'shaped')] },
    });
    expect(found(rule, one(elsewhere))).toEqual([]);
  });

  it('conflicts with a check in its span, and not with one beside it [R17-CONDITIONS]', () => {
    const rule = 'H3 conflicts with V20';
    const checked = use('V20', 'validated', { parts: { agent: inner(answer) } });
    expect(found(rule, one(curious(checked)))).toHaveLength(1);
    const beside = use('R8', 'selfRefine', { parts: { agent: curious(inner(answer)), critic: checked } });
    expect(found(rule, one(beside))).toEqual([]);
  });
});

describe('seats', () => {
  const drafts = (test: unknown) =>
    one(use('O5', 'untilApproved', { parts: { agent: seat('writer'), test: test as never } }));

  it('are apart although an agent sits in one of them [R17-SEATS]', () => {
    const judge = (name: string) => use('S1', 'zeroShot', { parts: { answerer: seat(name) } });
    expect(found('SEAT-APART', drafts(judge('writer')))).toEqual([['error', 'bot > untilApproved (O5)']]);
    expect(found('SEAT-APART', drafts(judge('judge')))).toEqual([]);
  });

  it('without tools have none although an agent sits in them [R17-SEATS]', () => {
    const judge = (count: number) => use('R4', 'reAct', { parts: { worker: seat('judge', count) } });
    expect(found('SEAT-TOOLS', drafts(judge(3)))).toEqual([['error', 'bot > untilApproved (O5)']]);
    expect(found('SEAT-TOOLS', drafts(judge(0)))).toEqual([]);
  });
});
