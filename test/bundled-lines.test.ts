import { expect, it } from 'vitest';
import { withoutSpaces } from '../scripts/bundle.mjs';

const table = (rows: number): string => {
  const row = (n: number) => `{ when: (code) => code === ${n}, make: (said) => new Error(\`Row ${n}: \${said}\`) }`;
  return `export const words = [${Array.from({ length: rows }, (_, n) => row(n)).join(', ')}];`;
};

it('a long table is packed in short lines, because Node prints the line that an uncaught error comes from [R19-UNCAUGHT-LINE]', () => {
  const lines = withoutSpaces('words.js', table(60)).split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
  expect(lines.length).toBeLessThan(60); // filled: a line for each part would take more of the disk
});

it('what is packed begins a line with each statement, and leaves those alone that fit', () => {
  expect(withoutSpaces('some.js', 'const a = [1, , 2]; if (a) { call(a, { b: 1 }); }\nexport { a };')).toBe(
    'const a=[1,,2];\nif(a){\ncall(a,{b:1})}\nexport{a};',
  );
});
