import { describe, expect, it } from 'vitest';
import { artefactsIn, headOf, unfenced, withEdges } from './reply-text.js';

describe('a reply', () => {
  it('loses the one fence around it, and nothing else', () => {
    expect(unfenced('```ts\n  a();\n\n```', 'b();')).toBe('  a();\n');
    expect(unfenced('\n~~~\na\n~~~\n', 'b')).toBe('a');
    expect(unfenced('  a();', 'b();')).toBe('  a();');
    expect(unfenced('```\na\n```\nand\n```\nb\n```', 'x')).toBe('```\na\n```\nand\n```\nb\n```');
    expect(unfenced('Here:\n```\na\n```', 'x')).toBe('Here:\n```\na\n```');
    expect(unfenced('```\na', 'x')).toBe('```\na');
  });

  it('keeps a fence that belongs to the text', () => {
    expect(unfenced('```\nnew\n```', '```\nold\n```')).toBe('```\nnew\n```');
    expect(unfenced('````\n```\nnew\n```\n````', '```\nold\n```')).toBe('```\nnew\n```');
  });

  it('gets back the empty lines at the ends of its window', () => {
    expect(withEdges('b', ['', 'a', '', ' '])).toBe('\nb\n\n \n');
    expect(withEdges('\n\nb\nc\n\n', ['a'])).toBe('b\nc\n');
    expect(withEdges('b', ['', ''])).toBe('b\n');
    expect(withEdges('  b\r\n', ['  a'])).toBe('  b\n');
  });
});

describe('a reply with several artefacts', () => {
  const asked = [
    { name: 'src/a.ts', text: 'a' },
    { name: 'src/b.ts', text: 'b' },
    { name: 'c.md', text: '```\nc\n```' },
  ];

  it('is read by its heads, each with or without a fence', () => {
    const reply = `\n${headOf('src/b.ts')}\n\`\`\`ts\nB\n\`\`\`\n${headOf('src/a.ts')}  \nA\n@@@ not/one.ts\nA2`;
    expect(artefactsIn(reply, asked)).toEqual([
      { name: 'src/b.ts', text: 'B' },
      { name: 'src/a.ts', text: 'A\n@@@ not/one.ts\nA2' },
    ]);
    expect(artefactsIn(`\`\`\`\n${headOf('c.md')}\n\`\`\`\nC\n\`\`\`\n\`\`\``, asked)).toBeUndefined();
    expect(artefactsIn(`${headOf('c.md')}\n\`\`\`\nC\n\`\`\``, asked)).toEqual([{ name: 'c.md', text: '```\nC\n```' }]);
  });

  it('is not read in any other form', () => {
    expect(artefactsIn('A', asked)).toBeUndefined();
    expect(artefactsIn(`Sure!\n${headOf('src/a.ts')}\nA`, asked)).toBeUndefined();
    expect(artefactsIn(`${headOf('/etc/passwd')}\nA`, asked)).toBeUndefined();
    expect(artefactsIn(`${headOf('src/a.ts')}\nA\n${headOf('src/a.ts')}\nA`, asked)).toBeUndefined();
  });
});
