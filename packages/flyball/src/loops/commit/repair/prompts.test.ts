import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { defect, PEARS, subject } from '../../../../../../test/loops/repair-bed.js';
import { linksOf } from '../../../core/prompt.js';
import type { Evidence } from '../../../core/work.js';
import { type PromptParts, repairPrompt, repairSession } from './prompts.js';
import { repairWindow } from './window.js';

function evidence(n: number, text: string): Evidence {
  return { id: `e${n}`, text, source: 's', place: 'p', query: 'q', score: 1, authority: false, trust: 'outside' };
}

function partsOf(given: Partial<PromptParts> = {}, items: readonly Evidence[] = []): PromptParts {
  const window = repairWindow(PEARS.text, { artefact: 'answer', line: 2 }, 1);
  return {
    subject: subject([PEARS], { evidence: { items, gaps: [] } }),
    told: [{ defect: defect(), cause: 'logic-error' }],
    hints: [],
    part: { kind: 'lines', of: PEARS, window, whole: 3 },
    perturbed: false,
    ...given,
  };
}

function shown(parts: PromptParts): readonly (readonly [string, string])[] {
  return linksOf(repairPrompt(parts)).map(({ segment }) => [segment.trust, segment.content] as const);
}

describe('a repair prompt', () => {
  it('says of each part who wrote it', () => {
    const trusts = shown(partsOf({}, [evidence(1, 'It is right that 3 is right.')])).map(([trust, text]) => [
      trust,
      text.split('\n')[0],
    ]);
    expect(trusts).toEqual([
      ['user', '# Task'],
      ['outside', '# Evidence'],
      ['model', '# What is wrong'],
      ['model', '# The part'],
      ['user', 'Write lines 1 to 3 anew, all of them, without line numbers and without any other lines.'],
    ]);
  });

  it('shows evidence that speaks about the defect, a few pieces, each shortened', () => {
    const items = [evidence(0, 'volcano'), ...[1, 2, 3, 4, 5, 6].map((n) => evidence(n, `right ${'x'.repeat(5000)}`))];
    const text = shown(partsOf({}, items))
      .map(([, content]) => content)
      .join('\n');
    expect(text.match(/\[e\d\]/g)).toEqual(['[e1]', '[e2]', '[e3]', '[e4]']);
    expect(text.length).toBeLessThan(12_000);
  });

  it('is bounded however many and long the findings are', () => {
    const told = Array.from({ length: 200 }, (_none, n) => ({
      defect: defect({ id: `d${n}`, description: 'x'.repeat(9000), facts: { stack: 'y'.repeat(9000) } }),
      cause: 'logic-error' as const,
    }));
    const text = shown(partsOf({ told }))
      .map(([, content]) => content)
      .join('\n');
    expect(text).toContain('(and 180 more of less weight)');
    expect(text.length).toBeLessThan(140_000);
  });

  it('fences the part so that nothing in it ends the fence', () => {
    const of = { name: 'a.md', text: '```\ncode\n```\n' };
    const window = repairWindow(of.text, { artefact: 'a.md', line: 2 }, 1);
    const text = shown(partsOf({ part: { kind: 'lines', of, window, whole: 3 } }))
      .map(([, content]) => content)
      .join('\n');
    expect(text).toContain('````\n```\ncode\n```\n````');
  });
});

describe('the session that repairs', () => {
  it('is one of its own, with a setup that appears in no user turn', () => {
    const session = repairSession(scriptedModel({}));
    expect(session.name).toBe('repairer');
    expect(shown(partsOf()).some(([, text]) => text.includes(session.setup))).toBe(false);
  });
});

describe('evidence in a repair prompt', () => {
  it('is about the task where no finding speaks of any [F-P2]', () => {
    const vague = defect({ description: 'gate-consistency is closed: 0.33 of 0.7' });
    const about = subject([PEARS], { evidence: { items: [evidence(1, 'pears cost three')], gaps: [] } });
    const task = { ...about.task, goal: 'Say what pears cost.' };
    const text = shown(partsOf({ told: [{ defect: vague, cause: 'logic-error' }], subject: { ...about, task } }))
      .map(([, content]) => content)
      .join('\n');
    expect(text).toContain('[e1]');
  });
});
