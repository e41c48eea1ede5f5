import { describe, expect, it } from 'vitest';
import { type MediaTokenRule, mediaTokens } from './media-tokens.js';
import type { MediaPart } from './parts.js';
import { requestCounter } from './token-count.js';

const base64 = (...bytes: readonly (number | string)[]): string =>
  Buffer.concat(
    bytes.map((one) => (typeof one === 'string' ? Buffer.from(one, 'latin1') : Buffer.from([one]))),
  ).toString('base64');
const u32 = (n: number): readonly number[] => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
const u16le = (n: number): readonly number[] => [n & 255, n >>> 8];

const png = (width: number, height: number): MediaPart => ({
  type: 'image',
  mediaType: 'image/png',
  data: base64('\x89PNG\r\n\x1a\n', 0, 0, 0, 13, 'IHDR', ...u32(width), ...u32(height), '12345678'),
});
const gif = (width: number, height: number): MediaPart => ({
  type: 'image',
  mediaType: 'image/gif',
  data: base64('GIF89a', ...u16le(width), ...u16le(height)),
});
const jpeg = (width: number, height: number): MediaPart => ({
  type: 'image',
  mediaType: 'image/jpeg',
  data: base64(
    ...[0xff, 0xd8, 0xff, 0xe1, 0x01, 0x00],
    'x'.repeat(254),
    ...[0xff, 0xc2, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255],
    'components',
  ),
});
const webp = (width: number, height: number): MediaPart => ({
  type: 'image',
  mediaType: 'image/webp',
  data: base64('RIFF1234WEBPVP8X', 10, 0, 0, 0, 0, 0, 0, 0, ...u16le(width - 1), 0, ...u16le(height - 1), 0),
});
const pdf = (text: string): MediaPart => ({
  type: 'file',
  mediaType: 'application/pdf',
  data: base64(`%PDF-1.7 ${text}`),
});

describe('tokens of what is not text, by the formulas that providers publish', () => {
  it.each<[MediaTokenRule, MediaPart, number]>([
    // Anthropic: width × height / 750
    ['anthropic', png(200, 200), 54],
    ['anthropic', png(1092, 1092), 1590],
    ['anthropic', png(8000, 8000), 4784],
    // OpenAI: base + 170 a tile of 512, after scaling to a short side of 768
    ['openai-4o', png(1024, 1024), 765],
    ['openai-4o', png(2048, 4096), 1105],
    ['openai-4o-mini', png(1024, 1024), 2833 + 4 * 5667],
    ['openai-5', png(1024, 1024), 70 + 4 * 140],
    ['openai-o', png(1024, 1024), 75 + 4 * 150],
    // patches of 32
    ['openai-patches', png(1024, 1024), Math.ceil(1024 * 1.72)],
    ['openai-patches-nano', png(4000, 4000), Math.ceil(1536 * 2.46)],
    // Gemini: 258 up to 384, else 258 a tile of 768
    ['gemini', png(384, 384), 258],
    ['gemini', png(960, 540), 2 * 258],
    ['gemini-3', png(4000, 4000), 1120],
    // nobody said how
    ['unknown', png(10, 10), 1600],
    ['unknown', png(9000, 9000), 16_384],
  ])('%s', (rule, part, tokens) => {
    expect(mediaTokens(part, rule)).toBe(tokens);
  });

  it('reads the size of an image off every common format, and counts the most where it cannot', () => {
    for (const part of [png(600, 300), gif(600, 300), jpeg(600, 300), webp(600, 300)])
      expect(mediaTokens(part, 'anthropic'), part.mediaType).toBe(240);
    const unreadable: MediaPart = { type: 'image', mediaType: 'image/avif', data: 'AAAA' };
    expect(mediaTokens(unreadable, 'anthropic')).toBe(4784);
    expect(mediaTokens(unreadable)).toBe(16_384);
  });

  it('counts sounds by the second, and never too few where the format does not say how long they are', () => {
    const waveOf = (rate: number): string => {
      const header = Buffer.alloc(44 + 32_000 * 10 - 44);
      header.write('RIFF1234WAVEfmt ', 'latin1');
      for (const [at, value] of [
        [20, 1],
        [22, 1],
        [32, 2],
        [34, 16],
      ] as const)
        header.writeUInt16LE(value, at);
      header.writeUInt32LE(16_000, 24);
      header.writeUInt32LE(rate, 28);
      return header.toString('base64');
    };
    const header = waveOf(32_000);
    const wave: MediaPart = { type: 'audio', mediaType: 'audio/wav', data: header };
    expect(mediaTokens(wave, 'gemini')).toBe(320);
    expect(mediaTokens(wave, 'openai-4o')).toBe(100);
    // a rate that the other fields contradict is not believed
    expect(mediaTokens({ ...wave, data: waveOf(0xffffffff) }, 'gemini')).toBeGreaterThan(13_000);
    const opus: MediaPart = { type: 'audio', mediaType: 'audio/ogg', data: base64('x'.repeat(750)) };
    expect(mediaTokens(opus, 'gemini')).toBe(32);
  });

  it('counts a document by its pages, and another file by its bytes', () => {
    const three = pdf('/Type /Pages /Count 3 /Type /Page /Type/Page /Type /Page');
    expect(mediaTokens(three, 'gemini')).toBe(3 * 258);
    expect(mediaTokens(three, 'anthropic')).toBe(3 * 4600);
    expect(mediaTokens(pdf('x'.repeat(4_000)), 'gemini')).toBe(5 * 258); // compressed: no more than its size allows
    expect(mediaTokens(pdf(`/Count 1 ${'x'.repeat(4_000)}`), 'gemini')).toBe(5 * 258);
    expect(mediaTokens(pdf(`/Type /Page /ObjStm ${'x'.repeat(4_000)}`), 'gemini')).toBe(5 * 258);
    expect(mediaTokens(pdf('/Count 2 '.repeat(200_000)), 'gemini')).toBeGreaterThan(1_000 * 258);
    expect(mediaTokens({ type: 'file', mediaType: 'application/zip', data: 'AAAA' }, 'gemini')).toBe(3);
  });

  it('counts a request with parts by the rule of the model, and its text files as text [R11-N12-COUNTED]', () => {
    const count = (rule: MediaTokenRule, part: MediaPart): number =>
      requestCounter(
        (text) => text.length,
        rule,
      )({
        session: 's',
        model: 'm',
        messages: [{ role: 'user', content: '', parts: [{ type: 'text', text: 'four' }, part] }],
        tools: [],
        toolChoice: 'auto',
        sampling: {},
      });
    expect(count('openai-4o', png(1024, 1024)) - count('openai-4o', png(512, 512))).toBe(0);
    expect(count('anthropic', png(750, 750)) - count('anthropic', png(75, 10))).toBe(749);
    const text: MediaPart = { type: 'file', mediaType: 'text/csv', data: base64('a,b\n1,2'), name: 'n.csv' };
    expect(count('anthropic', text) - count('anthropic', { ...text, data: base64('a') })).toBe(6);
  });
});
