import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partRefused, unfitPart } from './media-fit.js';
import type { ModelCapabilities } from './model.js';
import { checkParts, isParts, layoutOf, type MessagePart, mediaIn, partsFrom, plainText, textOf } from './parts.js';
import { append, headerOf, mediaFrom, mediaLinksOf, messagesOf, segmentFrom, storedText } from './prompt.js';

const photo = { type: 'image', mediaType: 'image/png', data: 'AAAA', name: 'a b%\u001f.png' } as const;
const note = { type: 'file', mediaType: 'text/plain', data: Buffer.from('hello').toString('base64') } as const;

const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: fc.string() }),
    fc.record({
      type: fc.constant('image' as const),
      mediaType: fc.constant('image/png'),
      data: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    }),
  ),
  { minLength: 1, maxLength: 5 },
);

describe('parts of a message', () => {
  it('may be large: every character is looked at, however many there are [R11-N12-CHAIN]', () => {
    const large = 'A'.repeat(8_000_000);
    expect(isParts([{ ...photo, data: large }])).toBe(true);
    expect(isParts([{ ...photo, data: `${large}AA==` }])).toBe(true);
    expect(isParts([{ ...photo, data: `${large}A===` }])).toBe(false);
    expect(isParts([{ ...photo, data: `${large}AA A` }])).toBe(false);
  });

  it('are the same after they were stored as text and contents [R11-N12-CHAIN]', () => {
    fc.assert(
      fc.property(parts, (given) => {
        expect(partsFrom(layoutOf(given), plainText(given), mediaIn(given))).toEqual(given);
      }),
    );
  });

  it('make links of their own, from which the chain is built again with the same ids [R11-N12-CHAIN]', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const root = append(undefined, { role: 'system', content: 'Look.' });
        const tip = append(root, { role: 'user', content: [...given, photo] });
        const media = mediaLinksOf(tip).flatMap(({ header, part }) => mediaFrom(header, part.data) ?? []);
        const again = append(root, segmentFrom(headerOf(tip.segment), storedText(tip.segment), media));
        expect(again.id).toBe(tip.id);
        expect(messagesOf(again)).toEqual(messagesOf(tip));
        expect(mediaLinksOf(tip)[0]?.parent).toBe(root.id);
      }),
    );
  });

  it('have an id that changes with every byte, name and place', () => {
    const id = (...content: MessagePart[]): string => append(undefined, { role: 'user', content }).id;
    const said = { type: 'text', text: 'x' } as const;
    const ids = [
      id(photo, said),
      id(said, photo),
      id(photo, photo, said),
      id({ ...photo, data: 'AAAB' }, said),
      id({ ...photo, name: 'b.png' }, said),
      id({ ...photo, mediaType: 'image/gif' }, said),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(append(undefined, { role: 'user', content: [said] }).id).toBe(
      append(undefined, { role: 'user', content: 'x' }).id,
    );
  });

  it('follow a text that somebody changed, and keep what is not text', () => {
    const { segment } = append(undefined, { role: 'user', content: [{ type: 'text', text: 'my key' }, photo] });
    const changed = append(undefined, { ...segment, content: '[redacted]' }).segment;
    expect(changed.parts).toEqual([{ type: 'text', text: '[redacted]' }, photo]);
  });

  it('are named in the text that everybody else reads', () => {
    expect(
      textOf([
        { type: 'text', text: 'Look:' },
        { ...photo, name: 'a.png' },
      ]),
    ).toBe('Look:\n[image a.png, image/png, 3 bytes]');
  });

  it.each([
    [[], /has no parts/],
    [[{ type: 'video', mediaType: 'video/mp4', data: 'AAAA' }], /part 0 has the unknown type "video"/],
    [[{ type: 'text' }], /is text without a string/],
    [[{ ...photo, data: 'https://example.com/a.png' }], /a URL is not fetched/],
    [[{ ...photo, data: '' }], /no base64/],
    [[{ ...photo, mediaType: 'application/pdf' }], /is of type image, and its media type is application\/pdf/],
    [[{ ...photo, mediaType: 'png' }], /no media type/],
    [[{ ...photo, name: 7 }], /a name that is not a string/],
    [['words'], /part 0 is not an object/],
  ])('are refused when they are not written as they should be: %j', (given, why) => {
    expect(() => checkParts(given as unknown as MessagePart[])).toThrow(why);
    expect(isParts(given)).toBe(false);
  });
});

describe('what a model can take', () => {
  const capabilities = (media?: readonly string[]): ModelCapabilities => ({
    window: 1,
    maxOutputTokens: 1,
    tools: true,
    structuredOutput: true,
    promptCache: false,
    ...(media === undefined ? {} : { media }),
  });
  const asked = messagesOf(append(undefined, { role: 'user', content: [photo, note] }));

  it('is text and files of text, and what its capabilities name [R11-N12-REFUSED]', () => {
    expect(unfitPart(capabilities(), asked)).toMatchObject({ mediaType: 'image/png' });
    expect(unfitPart(capabilities(['image/jpeg', 'application/pdf']), asked)).toMatchObject({ type: 'image' });
    expect(unfitPart(capabilities(['image/png']), asked)).toBeUndefined();
    expect(unfitPart(capabilities(['image/*']), asked)).toBeUndefined();
    const model = { id: 'x/y', capabilities: capabilities(['image/gif']) } as never;
    expect(partRefused(model, { ...photo, name: 'a.png' })).toMatchObject({
      code: 'PART_UNSUPPORTED',
      retryable: false,
      message: expect.stringMatching(/x\/y cannot take the image a\.png.*takes text and image\/gif.*Choose a model/s),
    });
  });
});
