import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from './command-line.js';
import { SHELL_FEATURES, type ShellFeature } from './commands-features.js';

function wordsOf(line: string): string[][] {
  const parsed = parseCommandLine(line);
  if (!parsed.ok) throw new Error(parsed.why);
  return parsed.commands.map(({ words }) => words.map(({ text }) => text));
}

describe('a command line', () => {
  it.each([
    ['ls -la', [['ls', '-la']]],
    ['  ls\t-la  ', [['ls', '-la']]],
    [`echo 'a b' "c d" e\\ f`, [['echo', 'a b', 'c d', 'e f']]],
    [`echo 'it'\\''s' "\\"quoted\\"" 'a"b' "a'b"`, [['echo', `it's`, '"quoted"', 'a"b', `a'b`]]],
    [`echo "" '' x`, [['echo', '', '', 'x']]],
    [`echo a"b"'c'd`, [['echo', 'abcd']]],
    [`echo "a\\nb" 'a\\nb'`, [['echo', 'a\\nb', 'a\\nb']]],
    ['cat x|sort | uniq -c', [['cat', 'x'], ['sort'], ['uniq', '-c']]],
    [`grep 'a|b' f`, [['grep', 'a|b', 'f']]],
    [
      'echo a=b c#d {} 100% x@y ^ + - , . : /',
      [['echo', 'a=b', 'c#d', '{}', '100%', 'x@y', '^', '+', '-', ',', '.', ':', '/']],
    ],
    ['find . ! -name x', [['find', '.', '!', '-name', 'x']]],
    ['test a != b', [['test', 'a', '!=', 'b']]],
    ['echo "1 * 2 ? [3] ~ ! {a,b} # ; & < > ( )"', [['echo', '1 * 2 ? [3] ~ ! {a,b} # ; & < > ( )']]],
    [`echo 'two\nlines'`, [['echo', 'two\nlines']]],
    ['echo 5$ "$" $', [['echo', '5$', '$', '$']]],
    ['echo größe 日本', [['echo', 'größe', '日本']]],
  ])('%j becomes %j', (line, words) => {
    expect(wordsOf(line)).toEqual(words);
  });

  it.each(SHELL_FEATURES.map((feature) => [feature]))('uses %s only where it is allowed', (feature) => {
    const examples: Readonly<Record<ShellFeature, string>> = {
      pipe: 'a | b',
      'and-or': 'a || b',
      sequence: 'a; b',
      background: 'a &',
      subshell: '(a)',
      substitution: 'a $(b)',
      'process-substitution': 'a <(b)',
      variable: 'a $b',
      assignment: 'a=b c',
      redirection: 'a > b',
      'here-document': `a <<'E'\nb\nE`,
      glob: 'a *',
      braces: 'a {b,c}',
      tilde: 'a ~',
      history: 'a !b',
      comment: 'a # b',
    };
    const others = SHELL_FEATURES.filter((each) => each !== feature);
    expect(parseCommandLine(examples[feature], others)).toMatchObject({ ok: false });
    const parsed = parseCommandLine(examples[feature], [feature]);
    expect(parsed).toMatchObject({ ok: true });
    if (parsed.ok) expect([...parsed.features]).toEqual([feature]);
  });

  it('names every command inside it, however deep', () => {
    const parsed = parseCommandLine('a "$(b `c`)" <(d) && (e | f); { g; } &', SHELL_FEATURES);
    expect(parsed.ok && parsed.commands.map(({ words }) => words[0]?.text).sort()).toEqual('abcdefg'.split(''));
  });

  it('says which words are not known before they are expanded', () => {
    const parsed = parseCommandLine(`echo plain 'quoted $x' "$x" a*b $(ls)`, SHELL_FEATURES);
    const echo = parsed.ok ? parsed.commands.find(({ words }) => words[0]?.text === 'echo') : undefined;
    expect(echo?.words.map(({ opaque }) => opaque)).toEqual([false, false, false, true, true, true]);
  });
});

describe('a line that is let through', () => {
  const characters = [
    'a',
    'b',
    ' ',
    ' ',
    "'",
    '"',
    '\\',
    '$',
    '`',
    '*',
    '{',
    '}',
    ',',
    '~',
    '!',
    '#',
    '=',
    '-',
    '^',
    'ä',
    '\n',
    ';',
    '&',
    '<',
    '(',
    '/',
  ];
  const line = fc.array(fc.constantFrom(...characters), { maxLength: 14 }).map((parts) => parts.join(''));
  const accepted = fc.sample(line, { numRuns: 40_000, seed: 3 }).filter((each) => parseCommandLine(`x ${each}`).ok);

  it.each(['/bin/sh', '/bin/bash'])('means to %s what it means here', (shell) => {
    const lines = [...new Set(accepted)].slice(0, 3000);
    expect(lines.length).toBeGreaterThan(1000);
    // the letters at hand spell no program, so a line that a shell reads differently does no harm
    const script = lines.map((each) => `printf '%s\\0' x ${each}\nprintf '\\1'`).join('\n');
    const output = execFileSync(shell, ['-s'], { input: script, env: {}, maxBuffer: 1e8, encoding: 'utf8' });
    const read = output
      .split('\u0001')
      .slice(0, -1)
      .map((part) => part.split('\0').slice(0, -1));
    for (const [index, each] of lines.entries())
      expect(read[index], JSON.stringify(each)).toEqual(wordsOf(`x ${each}`)[0]);
  });
});
