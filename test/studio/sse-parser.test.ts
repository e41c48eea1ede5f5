import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseParser, type StreamEvent, StreamTooLongError } from '../../packages/studio/src/api/sse-parser.js';

function readAll(chunks: readonly string[]): readonly StreamEvent[] {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.feed(chunk));
}

const TEXT = [
  ': a heartbeat\n\n',
  'retry: 2000\nid: 0.1\nevent: entry\ndata: {"seq":1}\n\n',
  'id: 0.2\r\nevent: entry\r\ndata: first\r\ndata:second\r\n\r\n',
  'event: nothing to say\n\n',
  'data\ndata: \n\n',
  'event: card\rdata: {}\r\r',
  'event: cut off\ndata: never ends',
].join('');

const EVENTS: readonly StreamEvent[] = [
  { event: 'entry', data: '{"seq":1}', id: '0.1' },
  { event: 'entry', data: 'first\nsecond', id: '0.2' },
  { event: 'message', data: '\n' },
  { event: 'card', data: '{}' },
];

describe('the reader of server-sent events', () => {
  it('finds the same events however the text is cut [R6-STUDIO-LIVE]', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(TEXT.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), TEXT.length];
        const chunks = places.slice(1).map((to, index) => TEXT.slice(places[index], to));
        expect(readAll(chunks)).toEqual(EVENTS);
      }),
    );
  });

  it('takes up the delay that the server asks for, and no nonsense', () => {
    const parser = new SseParser();
    parser.feed('retry: soon\n\n');
    expect(parser.retryMs).toBeUndefined();
    parser.feed('retry: 2500\n\n');
    expect(parser.retryMs).toBe(2500);
  });

  it('gives up on a line without end instead of filling the memory [R6-STUDIO-LIVE]', () => {
    const parser = new SseParser();
    const megabyte = 'x'.repeat(1024 * 1024);
    expect(() => {
      for (let i = 0; i < 20; i++) parser.feed(megabyte);
    }).toThrow(StreamTooLongError);
    const lines = new SseParser();
    expect(() => {
      for (let i = 0; i < 20; i++) lines.feed(`data: ${megabyte}\n`);
    }).toThrow(StreamTooLongError);
  });
});
