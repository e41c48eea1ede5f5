import { describe, expect, it } from 'vitest';
import { Capture } from '../adapters/sandbox-process/capture.js';
import { plainText, shownOutput } from './shell-output.js';

const amount = { head: 100, tail: 50, maxBytes: 32 * 1024 };
function captured(text: string, limit = 256 * 1024) {
  const capture = new Capture(limit);
  capture.write(Buffer.from(text));
  return capture.end();
}
const numbered = (count: number) => Array.from({ length: count }, (_line, index) => `line ${index + 1}\n`).join('');

describe('output for a model [R3-SHELL-OUTPUT]', () => {
  it('is whole while it is short', () => {
    expect(shownOutput(captured('a\nb\n'), amount)).toEqual({ text: 'a\nb', lines: 2, elidedLines: 0 });
    expect(shownOutput(captured(numbered(150)), amount).elidedLines).toBe(0);
    expect(shownOutput(captured(''), amount)).toEqual({ text: '', lines: 0, elidedLines: 0 });
  });

  it('has 100 first and 50 last lines, and says how many are missing between them', () => {
    const shown = shownOutput(captured(numbered(10_000)), amount);
    const lines = shown.text.split('\n');
    expect(lines).toHaveLength(151);
    expect([lines[0], lines[99], lines[100], lines[101], lines[150]]).toEqual([
      'line 1',
      'line 100',
      '[9850 lines left out]',
      'line 9951',
      'line 10000',
    ]);
    expect(shown).toMatchObject({ lines: 10_000, elidedLines: 9850 });
  });

  it('counts what was never kept as well', () => {
    const shown = shownOutput(captured(numbered(10_000), 4000), amount);
    expect(shown.text).toContain('[9850 lines left out]');
    expect(shown.text.endsWith('line 10000')).toBe(true);
  });

  it('says one line for one line', () => {
    expect(shownOutput(captured(numbered(4)), { head: 2, tail: 1, maxBytes: 1000 }).text).toBe(
      'line 1\nline 2\n[1 line left out]\nline 4',
    );
  });

  it('cuts long lines and stays below its size', () => {
    const shown = shownOutput(captured(`${'x'.repeat(5000)}\n`.repeat(40)), amount);
    expect(shown.text).toContain('[3000 characters left out]');
    expect(Buffer.byteLength(shown.text)).toBeLessThanOrEqual(33 * 1024);
    expect(shown.text).toMatch(/\[\d+ lines left out\]/);
  });

  it('is shown without colors, titles, cursor moves and bells', () => {
    const code = '\u001b';
    const text = `${code}[1;31mred${code}[0m ${code}]0;title\u0007${code}]8;;http://x${code}\\link${code}]8;;${code}\\ ${code}(B${code}[2K${code}[?25l\u009b1mok\u0007 a\tb`;
    expect(plainText(text)).toBe('red link ok a\tb');
  });

  it('shows a progress bar as it ended', () => {
    expect(plainText('10%\r50%\r100%\ndone\r\n')).toBe('100%\ndone\n');
  });
});
