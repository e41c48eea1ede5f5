import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import { describe, expect, it, vi } from 'vitest';
import { processorMs } from '../../../../../test/patience.js';
import { gptTokens } from './gpt-tokens.js';
import { pieces } from './pieces.js';
import { remembered } from './text-memo.js';

const ALL = { disallowedSpecial: new Set<string>() };

describe('counting tokens', () => {
  it('counts what the tokenizer counts, by the encoding asked for', async () => {
    const text = 'The quick brown fox, 1234567 times: naïve 你好 🎉.';
    expect((await gptTokens('cl100k_base'))(text)).toBe(encode(text).length);
    expect((await gptTokens())('')).toBe(0);
    const counts = await Promise.all([gptTokens('o200k_base'), gptTokens('r50k_base')]);
    const [newer, older] = counts.map((count) => count(text));
    expect(newer).toBeLessThan(older ?? 0);
  });

  it('takes what looks like a special token for text', async () => {
    expect((await gptTokens())('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('never counts fewer than the whole has, though it counts in pieces', async () => {
    const count = await gptTokens('cl100k_base');
    const word = fc.oneof(fc.lorem({ maxCount: 40 }), fc.base64String({ minLength: 200, maxLength: 1500 }));
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(text, (given) => {
        const exact = encode(given, ALL).length;
        expect(count(given)).toBeGreaterThanOrEqual(exact);
        expect(count(given)).toBeLessThanOrEqual(exact + 3 + given.length / 200);
      }),
      { numRuns: 60 },
    );
  });

  it('stays quick on text without a break, whose cost would grow with its square', async () => {
    const count = await gptTokens('cl100k_base');
    const began = processorMs();
    const tokens = count('a'.repeat(200_000)); // half a minute as one piece
    expect(processorMs() - began).toBeLessThan(5000);
    expect(tokens).toBeGreaterThanOrEqual(25_000);
    expect(tokens).toBeLessThan(26_000);
  });

  it('refuses an encoding that it does not know', async () => {
    await expect(gptTokens('klingon' as 'o200k_base')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('o200k_base'),
    });
  });

  it('says which package to install where it is missing', async () => {
    vi.doMock('gpt-tokenizer/encoding/p50k_edit', () => {
      throw new Error("Cannot find package 'gpt-tokenizer'");
    });
    await expect(gptTokens('p50k_edit')).rejects.toMatchObject({
      code: 'DRIVER_MISSING',
      message: expect.stringContaining('npm i gpt-tokenizer'),
    });
    vi.doUnmock('gpt-tokenizer/encoding/p50k_edit');
  });
});

describe('pieces of text', () => {
  it('are the text again, none too long, cut before white space where there is some', () => {
    const text = fc.array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 700 }), fc.constant(' \n')), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join('');
        const cut = [...pieces(whole)];
        expect(cut.map((piece) => piece.text).join('')).toBe(whole);
        for (const piece of cut) expect(piece.text.length).toBeLessThanOrEqual(1000);
      }),
    );
    const [first, second] = pieces(`${'word '.repeat(199)}lastword and more`);
    expect([first?.torn, second?.text.startsWith(' ')]).toEqual([false, true]);
  });

  it('do not cut a character in two', () => {
    const halves = /^[\udc00-\udfff]|[\ud800-\udbff]$/;
    for (const whole of ['🎉'.repeat(2000), `x${'🎉'.repeat(2000)}`]) {
      expect([...pieces(whole)].filter(({ text }) => halves.test(text))).toEqual([]);
    }
  });
});

describe('a memory for counts', () => {
  it('counts a text once while it is in use, and does not grow without end', () => {
    const counted: string[] = [];
    const count = remembered((text) => {
      counted.push(text);
      return text.length;
    }, 100);
    const long = 'x'.repeat(30);
    for (let n = 0; n < 50; n++) expect(count(long)).toBe(30);
    expect(counted).toEqual([long]);
    for (let n = 0; n < 50; n++) count(String(n).padStart(20, '.'));
    expect(counted).toHaveLength(51);
    count(long); // forgotten by now
    expect(counted).toHaveLength(52);
  });
});
