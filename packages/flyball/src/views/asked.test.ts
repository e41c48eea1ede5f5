import { describe, expect, it } from 'vitest';
import { askedIn } from './asked.js';

describe('what was asked, as one line', () => {
  it('is the text itself, whatever its field is called, then what else was given [F-D3]', () => {
    expect(askedIn('Please refund\n  order A-17.')).toBe('Please refund order A-17.');
    expect(askedIn({ request: 'Please refund order A-17.', urgent: true, copies: 2 })).toBe(
      'Please refund order A-17. · urgent: true · copies: 2',
    );
    expect(askedIn({ from: 'Kiel', to: 'Cuxhaven', stops: ['Brunsbüttel'] })).toBe(
      'from: Kiel · to: Cuxhaven · stops: ["Brunsbüttel"]',
    );
    expect(askedIn(17)).toBe('17');
  });

  it('names the images and files of a message, and not their bytes [R11-N12-SHOWN]', () => {
    const photo = { type: 'image', mediaType: 'image/png', data: 'A'.repeat(1_000_000), name: 'a.png' };
    expect(askedIn([{ type: 'text', text: 'What\nis it?' }, photo])).toBe('What is it? [image a.png]');
    expect(askedIn({ question: 'What is it?', photo })).toBe('What is it? · photo: [image a.png]');
  });

  it('is nothing where nothing went in, and never longer than a line [F-D3]', () => {
    for (const nothing of [undefined, null, '', {}, [], { note: '' }]) expect(askedIn(nothing)).toBeUndefined();
    const long = askedIn({ request: `${'x'.repeat(158)}😀${'y'.repeat(1_000_000)}` }) ?? '';
    expect(long.length).toBeLessThanOrEqual(160);
    expect(long.endsWith('…')).toBe(true);
    expect(/[\ud800-\udbff](?![\udc00-\udfff])/.test(long)).toBe(false);
  });
});
