import { checkCommand, readOnlyCommands } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { processorMs } from '../../patience.js';

/** Scripts for sed, as long as a command may be, on which a matcher that goes back and forth never ends. */
const SCRIPTS: readonly (readonly [string, (size: number) => string])[] = [
  ['blanks', (size) => `${' '.repeat(size)}x`],
  ['tabs and blanks', (size) => `${'\t '.repeat(size / 2)}x`],
  ['blanks behind an address', (size) => `1${' '.repeat(size)}x`],
  ['blanks behind a !', (size) => `1 !${' '.repeat(size)}x`],
  ['blanks behind a command', (size) => `p${' '.repeat(size)}x`],
  ['digits', (size) => `${'1'.repeat(size)}x`],
  ['a range of digits', (size) => `1,${'1'.repeat(size)}x`],
  ['addresses', (size) => '/a/,'.repeat(size / 4)],
  ['slashes', (size) => '/'.repeat(size)],
  ['backslashes', (size) => `/${'\\'.repeat(size)}`],
  ['a pattern without an end', (size) => `s/${'a'.repeat(size)}`],
  ['escapes in both halves', (size) => `s/${'\\/'.repeat(size / 4)}/${'\\/'.repeat(size / 4)}`],
  ['flags of s', (size) => `s/a/b/${'g'.repeat(size)}x`],
  ['commands', (size) => `${'p;'.repeat(size / 2)}x`],
  ['lines', (size) => `${'\n'.repeat(size)}x`],
];
const CALLS: readonly (readonly [string, (script: string) => string[]])[] = [
  ['by itself', (script) => ['sed', script]],
  ['behind -e', (script) => ['sed', '-n', '-e', script]],
  ['joined to -e', (script) => ['sed', `-ne${script}`]],
];

describe('a script for sed is judged in time that grows with its length', () => {
  it.each(SCRIPTS)('%s [R8-TRIAL3-A2]', (_, script) => {
    for (const [how, call] of CALLS) {
      const before = processorMs();
      expect(checkCommand(readOnlyCommands(), call(script(2_000))), how).toMatchObject({ ok: false });
      // cubic: seconds already here, so that the long one is not begun
      expect(processorMs() - before, how).toBeLessThan(200);
      const started = processorMs();
      expect(checkCommand(readOnlyCommands(), call(script(99_000))), how).toMatchObject({ ok: false });
      expect(processorMs() - started, how).toBeLessThan(500);
    }
  });

  it('is refused in words that do not repeat all of it [R8-TRIAL3-A2]', () => {
    const verdict = checkCommand(readOnlyCommands(), ['sed', `w${'x'.repeat(90_000)}`]);
    expect(verdict.ok ? '' : verdict.why).toMatch(/^sed may not be given “wx+…”/);
    expect(JSON.stringify(verdict).length).toBeLessThan(500);
  });

  it.each(['p', '1,3!d', '  /a/I,/b/ ! p  ', '$!d', '0~4p', '2,+3p', '1~2d', 's/ a / b /g', '2 s,a,b,2p ; =', '5q'])(
    'and still taken where it is harmless: %s [R8-TRIAL3-A2]',
    (script) => {
      expect(checkCommand(readOnlyCommands(), ['sed', '-n', script, 'x'])).toEqual({ ok: true });
    },
  );
});
