import type { ToolRef } from 'flyball';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { measureTools, tool, toolBudget } from './index.js';
import { estimateTextTokens } from './measure-tools.js';
import { SIXTY } from './sixty-tools.test-data.js';
import { admitTools } from './tool-budget.js';
import { toolSpecOf } from './tool-spec.js';

const one = () => 1;
const bare = (name: string, more: { readonly surface?: number } = {}): ToolRef =>
  tool({ name, description: 'Does it. Not more.', effect: 'pure', execute: async () => '', ...more });
const several = (n: number) => Array.from({ length: n }, (_, index) => bare(`tool_${index}`));

/** Counts a tool with as many tokens as its description says. */
const asSaid = (text: string): number => Number((JSON.parse(text) as { readonly description: string }).description);
const heavy = (name: string, tokens: number) => tool({ ...bare(name), description: String(tokens) } as never);

describe('tools are measured', () => {
  it('on the JSON of what a request says about them [R3-TOOL-TOKENS]', () => {
    const counted: string[] = [];
    const lookUp = tool({
      name: 'look_up',
      description: 'Looks up a word. Not for names.',
      input: z.object({ word: z.string().describe('The word.') }),
      effect: 'pure',
      execute: async ({ word }) => word,
      scopes: ['words'],
      timeoutMs: 500,
    });
    const measured = measureTools(
      [lookUp],
      (text) => {
        counted.push(text);
        return text.length;
      },
      1000,
    );
    const sent =
      '{"name":"look_up","description":"Looks up a word. Not for names.","input":{"type":"object","properties":{"word":{"type":"string","description":"The word."}},"required":["word"]}}';
    expect(counted).toEqual([sent]);
    expect(counted).toEqual([JSON.stringify(toolSpecOf(lookUp))]);
    expect(measured).toEqual({
      tools: [{ name: 'look_up', tokens: sent.length, surface: 1 }],
      count: 1,
      tokens: sent.length,
      window: 1000,
      share: sent.length / 1000,
    });
  });

  it('with a tool that fronts others counting for all it can reach [V13.5]', () => {
    const measured = measureTools([bare('gateway', { surface: 38 }), ...several(3)], one, 1000);
    expect(measured).toMatchObject({ count: 41, tokens: 4 });
    expect(admitTools(measured)).toMatchObject({ ok: false, why: expect.stringContaining('represents 38 tools') });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('against a real window, which %d is not', (window) => {
    expect(() => measureTools([], one, window)).toThrow('so no share of it can be taken');
  });

  it.each([
    ['English', JSON.stringify(SIXTY.map(toolSpecOf))],
    ['German', 'Überweist den Betrag an den Empfänger; nicht für Rücküberweisungen geeignet.'],
    ['Russian', 'Переводит текст на другой язык. Не для целых файлов.'],
    ['Japanese', '指定された文章を別の言語に翻訳します。ファイル全体には使わないでください。'],
  ])('by an estimate that does not fall below a real tokenizer on %s, nor far above', (_, text) => {
    expect(estimateTextTokens(text)).toBeGreaterThanOrEqual(countTokens(text));
    expect(estimateTextTokens(text)).toBeLessThan(3.5 * countTokens(text));
  });
});

describe('the tool budget', () => {
  it.each([
    [15, true, 0],
    [16, true, 1],
    [40, true, 1],
    [41, false, 1],
  ])('for %d tools: admitted %s, with %d warnings [R3-TOOL-BUDGET]', (count, ok, warned) => {
    const admission = admitTools(measureTools(several(count), one, 1e6));
    expect(admission.ok).toBe(ok);
    expect(admission.warnings).toHaveLength(warned);
  });

  it.each([
    [50, true, 0],
    [51, true, 1],
    [100, true, 1],
    [101, false, 1],
  ])(
    'for schemas of %d tokens in a window of 1000: admitted %s, with %d warnings [R3-TOOL-SHARE]',
    (tokens, ok, warned) => {
      const admission = admitTools(measureTools([heavy('large', tokens)], asSaid, 1000));
      expect(admission.ok).toBe(ok);
      expect(admission.warnings).toHaveLength(warned);
    },
  );

  it('refuses with the limit, the heaviest tools and what to do', () => {
    const tools = [heavy('a', 10), heavy('b', 90), heavy('c', 20), heavy('d', 30)];
    expect(admitTools(measureTools(tools, asSaid, 1000))).toMatchObject({
      ok: false,
      why: expect.stringMatching(
        /^tool schemas take 15\.0 % of the window, and at most 10\.0 % are allowed\. The largest are b \(90 tokens\), d \(30 tokens\), c \(20 tokens\)\..*smaller toolset/,
      ),
    });
  });

  it('is raised only on purpose, and says so where it matters [R3-TOOL-BUDGET]', () => {
    expect(() => toolBudget({ refuseAbove: 60 })).toThrow("refuseAbove above the usual 40. Say why: because: '…'.");
    expect(() => toolBudget({ maxShare: 0.2, because: ' ' })).toThrow('maxShare above the usual 0.1');
    const raised = toolBudget({ refuseAbove: 60, because: 'the audit of March allows 60' });
    const admission = admitTools(measureTools(several(60), one, 1e6), raised);
    expect(admission).toMatchObject({
      ok: true,
      warnings: [
        expect.stringContaining(
          '60 tools, more than 15: the choice among them gets unreliable. Accepted because: the audit',
        ),
      ],
    });
    expect(admitTools(measureTools(several(61), one, 1e6), raised).ok).toBe(false);
    expect(admitTools(measureTools(several(20), one, 1e6), raised).warnings.join()).not.toContain('audit');
  });

  it('is lowered without a reason', () => {
    const strict = toolBudget({ warnAbove: 2, refuseAbove: 3 });
    expect(admitTools(measureTools(several(4), one, 1e6), strict).ok).toBe(false);
  });

  it.each([
    [{ refuseAbove: Number.NaN }, 'refuseAbove is NaN'],
    [{ warnAbove: -1 }, 'warnAbove is -1'],
    [{ maxShare: 2, because: 'large' }, 'maxShare is 2'],
    [{ refuseAbove: 10 }, 'a warning must come before the refusal'],
    [{ maxShare: 0.01 }, 'a warning must come before the refusal'],
  ])('of %j is refused', (options, sentence) => {
    expect(() => toolBudget(options)).toThrow(sentence);
  });
});
