import { expect, it } from 'vitest';
import { tellKept } from './kept-runs.js';

it('how many runs stayed because they changed is said once, and which ones for the first few [R19-REMOVED-AS-SEEN]', () => {
  const lines: string[] = [];
  const kept = Array.from({ length: 25 }, (_, n) => ({ id: `r${n}`, why: 'it is done now', changed: n > 0 }));
  tellKept({ line: (text = '') => lines.push(text) }, kept);
  expect(lines[0]).toBe('24 runs changed after the selection and stayed. Run the command again to select anew.');
  expect(lines.slice(1, 3)).toEqual(['  r0 stays: it is done now', '  r1 stays: it is done now']);
  expect(lines).toHaveLength(22);
  expect(lines.at(-1)).toBe('  and 5 more stay; --json lists all of them');
});
