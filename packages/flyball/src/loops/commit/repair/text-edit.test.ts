import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits } from '../../../toolbox/files-edit.js';
import { editBetween } from './text-edit.js';

describe('the edit between two texts', () => {
  it('names no more lines than it needs to be unmistakable', () => {
    expect(editBetween('a\nb\nc', 'a\nB\nc')).toEqual({ old: 'b', new: 'B' });
    expect(editBetween('x\na\nx\nb\nx', 'x\na\ny\nb\nx')).toEqual({ old: 'a\nx\nb', new: 'a\ny\nb' });
    expect(editBetween('a\nb\nc', 'a\nc')).toEqual({ old: 'a\nb\nc', new: 'a\nc' });
    expect(editBetween('same', 'same')).toBeUndefined();
    expect(editBetween('', 'new')).toBeUndefined();
    expect(editBetween('\n', 'new')).toBeUndefined();
  });

  it('makes the one out of the other, with and without a last line break that nobody was shown', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'aa', ''), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, fc.constantFrom('\n', '\r\n'), fc.boolean(), (old, fresh, eol, ends) => {
        // as it is shown: without its last \n
        const shown = (text: readonly string[]) => text.join(eol) + (ends ? eol.slice(0, -1) : '');
        const [before, after, end] = [shown(old), shown(fresh), ends ? '\n' : ''];
        const edit = editBetween(before, after);
        if (edit === undefined) expect(before === after || /^\n*$/.test(before)).toBe(true);
        else expect(applyEdits(before + end, [edit])).toBe(after + end);
      }),
      { numRuns: 1000 },
    );
  });

  it('of a long text that repeats itself is found soon', () => {
    const before = 'same\n'.repeat(20_000);
    const edit = editBetween(before, `${'same\n'.repeat(10_000)}other\n${'same\n'.repeat(9_999)}`);
    expect(edit?.new).toContain('other');
  });
});
