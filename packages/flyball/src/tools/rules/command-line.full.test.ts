import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { repetitions } from '../../../../../test/repetitions.js';
import { parseCommandLine } from './command-line.js';
import { SHELL_FEATURES } from './commands-features.js';

const seeds = Array.from({ length: repetitions({ sample: 1, full: 2 }) }, (_seed, index) => index + 1);

describe('a line that uses everything a shell offers', () => {
  const name = fc.constantFrom('pa', 'pb', 'pc', 'pd', 'pe', 'pf');
  const noise = fc.constantFrom(...'$(`"\'\\|&;\n){}<>#!*~= ', '$v', '<<<', '$((', '((', ';;', "<<'E'\n");
  const { list } = fc.letrec<Record<'list' | 'pipeline' | 'command' | 'word', string>>((tie) => ({
    list: fc
      .array(fc.tuple(tie('pipeline'), fc.constantFrom('; ', ' && ', ' || ', ' & ', '\n')), {
        minLength: 1,
        maxLength: 2,
      })
      .map((all) =>
        all
          .flat()
          .join('')
          .replace(/(?:; | && | \|\| |\n)$/, ''),
      ),
    pipeline: fc.array(tie('command'), { minLength: 1, maxLength: 2 }).map((all) => all.join(' | ')),
    command: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'nesting' },
      fc.tuple(name, fc.array(tie('word'), { maxLength: 2 })).map(([first, rest]) => [first, ...rest].join(' ')),
      tie('list').map((inner) => `( ${inner})`),
      tie('list').map((inner) => `{ ${inner}\n}`),
    ),
    word: fc.oneof(
      { maxDepth: 3, depthIdentifier: 'nesting' },
      fc.oneof(name, fc.constantFrom("'pe; pf'", '"pe & pf"', 'x\\;pe', '2>&1', '>out', "'$(pf)'")),
      tie('list').map((inner) => `$(${inner})`),
      tie('list').map((inner) => `"a $(${inner})"`),
      tie('pipeline').map((inner) => `\`${inner.replaceAll(/[\\`$]/g, '\\$&')}\``),
      tie('list').map((inner) => `<(${inner})`),
    ),
  }));
  /** A sound line, or one with something put in where it may not belong. */
  const line = fc
    .tuple(list, fc.option(fc.tuple(fc.nat(), noise)))
    .map(([text, added]) => (added === null ? text : spliced(text, added[0] % (text.length + 1), added[1])));
  const spliced = (text: string, at: number, added: string) => text.slice(0, at) + added + text.slice(at);
  const named = (text: string): ReadonlySet<string> | undefined => {
    const parsed = parseCommandLine(text, SHELL_FEATURES);
    if (!parsed.ok || parsed.commands.some(({ words }) => words[0]?.opaque === true)) return undefined;
    const programs = parsed.commands.flatMap(({ words }) => words[0]?.text ?? []);
    // other names are no program's, and the rules refuse them
    return programs.every((name) => /^[\w.+-]+$/.test(name)) ? new Set(programs) : undefined;
  };

  it.each(seeds)('runs in bash nothing but the programs that were named here (seed %d)', (seed) => {
    const lines = [...new Set(fc.sample(line, { numRuns: 1200, seed }))].filter((each) => named(each) !== undefined);

    expect(lines.length).toBeGreaterThan(300);
    const folder = mkdtempSync(join(tmpdir(), 'flyball-lines-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // no such programs exist: bash calls this function instead, which writes down what would have been run
    const script = `command_not_found_handle() { printf '%s\\n' "$1" >&9; }
      i=0; while IFS= read -r -d '' line; do
        ( eval "$line"; wait ) 9> "log.$i" > /dev/null 2>&1 < /dev/null; i=$((i+1)); done`;
    execFileSync('bash', ['-c', script], {
      input: lines.map((each) => `${each}\0`).join(''),
      cwd: folder,
      env: {},
      stdio: 'pipe',
    });
    let ran = 0;
    for (const [index, each] of lines.entries()) {
      const log = join(folder, `log.${index}`);
      const executed = existsSync(log)
        ? readFileSync(log, 'utf8')
            .split('\n')
            .filter((name) => name !== '')
        : [];
      ran += executed.length;
      expect(
        executed.filter((name) => !named(each)?.has(name)),
        JSON.stringify(each),
      ).toEqual([]);
    }
    expect(ran).toBeGreaterThan(300); // it would prove little if bash had refused most of them
  });
});
