import { describe, expect, it } from 'vitest';
import { isDrawn, mediaOf, withoutBytes } from '../../packages/studio/src/ui/media.js';

const photo = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(4_000), name: 'a.png' } as const;

describe('images and files in the studio', () => {
  it('are found among the parts of a message and the fields of an input [R11-N12-SHOWN]', () => {
    expect(mediaOf([{ type: 'text', text: 'x' }, photo])).toEqual([photo]);
    expect(mediaOf({ question: 'x', photo })).toEqual([photo]);
    expect(mediaOf(photo)).toEqual([photo]);
    for (const none of [undefined, null, 'words', 7, [], { type: 'image' }]) expect(mediaOf(none)).toEqual([]);
  });

  it('are shown in JSON by their size [R11-N12-SHOWN]', () => {
    expect(JSON.stringify({ deep: [photo] }, withoutBytes)).toBe(
      '{"deep":[{"type":"image","mediaType":"image/png","data":"(3 kB)","name":"a.png"}]}',
    );
  });

  it('are drawn only where their format holds nothing but pixels', () => {
    expect(['image/png', 'image/webp'].every(isDrawn)).toBe(true);
    expect(['image/svg+xml', 'text/html', 'application/pdf'].some(isDrawn)).toBe(false);
  });
});
