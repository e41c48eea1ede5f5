import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Capture } from './capture.js';

function captured(chunks: readonly Buffer[], limit: number) {
  const capture = new Capture(limit);
  for (const chunk of chunks) capture.write(chunk);
  return capture.end();
}

describe('a captured stream', () => {
  it('is whole while it fits, however it arrives', () => {
    const text = 'ä€😀\nsecond line\n';
    const bytes = [...Buffer.from(text)].map((byte) => Buffer.of(byte));
    expect(captured(bytes, 100)).toEqual({
      head: text,
      tail: '',
      bytes: Buffer.byteLength(text),
      lines: 2,
      elidedBytes: 0,
    });
  });

  it('counts a last line without a line break', () => {
    expect(captured([Buffer.from('a\nb')], 100).lines).toBe(2);
    expect(captured([Buffer.from('a\nb\n')], 100).lines).toBe(2);
    expect(captured([], 100)).toEqual({ head: '', tail: '', bytes: 0, lines: 0, elidedBytes: 0 });
  });

  it('cuts between characters, never inside one', () => {
    const { head, tail } = captured([Buffer.from('😀'.repeat(50))], 30);
    expect(`${head}${tail}`).not.toContain('\ufffd');
    expect(head).toBe('😀'.repeat(3));
    expect(tail).toBe('😀'.repeat(3));
  });

  it('keeps the two ends of any stream, whatever the sizes of its chunks', () => {
    const chunks = fc.array(
      fc.string({ maxLength: 40 }).map((text) => Buffer.from(text.replaceAll(/[^ -~]/g, 'x'))),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(chunks, fc.integer({ min: 2, max: 300 }), (parts, limit) => {
        const all = Buffer.concat(parts).toString();
        const half = Math.floor(limit / 2);
        const { head, tail, bytes, elidedBytes } = captured(parts, limit);
        expect(bytes).toBe(all.length);
        expect(head.length + tail.length + elidedBytes).toBe(bytes);
        if (elidedBytes === 0) expect(head).toBe(all);
        else expect([head, tail]).toEqual([all.slice(0, half), all.slice(-half)]);
      }),
    );
  });

  it('holds no more than twice its limit while it is written', () => {
    const capture = new Capture(1000);
    for (let written = 0; written < 10_000; written++) capture.write(Buffer.alloc(7, 0x61));
    const held = (capture as unknown as { readonly tail: readonly Buffer[] }).tail.reduce(
      (sum, part) => sum + part.length,
      0,
    );
    expect(held).toBeLessThanOrEqual(1000);
    expect(capture.end()).toMatchObject({ bytes: 70_000, elidedBytes: expect.any(Number) });
  });
});
