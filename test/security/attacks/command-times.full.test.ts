import { checkCommand, pathRules, readOnlyCommands } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from '../../../packages/flyball/src/tools/rules/addresses.js';
import { parseCommandLine } from '../../../packages/flyball/src/tools/rules/command-line.js';
import { SHELL_FEATURES } from '../../../packages/flyball/src/tools/rules/commands-features.js';
import { TRAITS } from '../../../packages/flyball/src/tools/rules/commands-hatches.js';
import { checkUrl, domainRules } from '../../../packages/flyball/src/tools/rules/domains.js';
import { matchesGlob, readGlob } from '../../../packages/flyball/src/tools/rules/glob.js';
import { checkPath } from '../../../packages/flyball/src/tools/rules/paths.js';
import { processorMs } from '../../patience.js';

/** Every rule for commands, paths and addresses, on texts that make a careless matcher go back and forth. */
const PROGRAMS = [
  // those with a pattern of their own; the others share the rest with them
  ...Object.keys(TRAITS).filter((name) => TRAITS[name]?.values ?? TRAITS[name]?.operands ?? TRAITS[name]?.maxOperands),
  ...['sed', 'awk', 'xxd', 'git', 'node', 'find', 'cat', 'cloc'],
];
const UNITS = [
  ...' a1()/.,-=@:%~\\\'"{}[]!$`|><;\n\t+*?#&^_'.split(''),
  ...['./', '../', '--', 'a1.', '{a', '{,', 'a[', ',u', 'u+r,', 's/', '\\/', 'p;', '0x', '7.', '::', ':.', '%G', '/*'],
  ...['a=', 'a;', '<<', '$(', '"$', 'ä', '\ufdfa', '.a/', '-a '],
];
const paths = pathRules({
  roots: [{ path: '/work', write: true }],
  deny: ['**/.secret/**', '**/*.{pem,key}', 'a*b*c'],
});
const rules = readOnlyCommands({
  paths,
  features: SHELL_FEATURES,
  programs: Object.fromEntries(
    PROGRAMS.map((name) => [name, { permit: ['programs'], denyFlags: ['--no'], approve: ['push --force'] }]),
  ),
});

function words(text: string, each: number): string[] {
  return text.match(new RegExp(`[^]{1,${each}}`, 'g')) ?? [];
}
const FORMS: readonly ((text: string) => readonly string[])[] = [
  (text) => [text],
  (text) => [`${text}x`],
  (text) => [`-${text}x`],
  (text) => ['log', `--name=${text}`, `-e${text.slice(0, 1000)}`],
  (text) => ['log', '-e', ...words(text, 4000)],
  (text) => ['branch', '-f', ...words(text, 100).slice(0, 990)],
  (text) => words(text, 4000).map((word) => `-aaaaaaa.a/${word}`),
];

function cost(work: () => unknown): number {
  const before = processorMs();
  work();
  return processorMs() - before;
}

/** Eight times the text may take about eight times as long; what grows with the square takes sixty-four times. */
function growth(work: (size: number) => unknown, size: number): string | undefined {
  const quick = cost(() => work(size / 8));
  if (quick > 400) return `${quick} ms for ${size / 8} characters`; // the whole is not even begun
  const whole = cost(() => work(size));
  if (
    whole < 120 ||
    Math.min(
      whole,
      cost(() => work(size)),
    ) <
      quick * 24
  )
    return undefined;
  return `${quick} ms for ${size / 8} characters, ${whole} ms for ${size}`;
}

function slow(units: readonly string[], size: number, work: (text: string) => unknown): string[] {
  return units.flatMap((unit) => {
    const found = growth((length) => work(unit.repeat(length / unit.length)), size);
    return found === undefined ? [] : [`${JSON.stringify(unit)}: ${found}`];
  });
}

describe('rules take time that grows with the length of what they judge', () => {
  it.each(PROGRAMS)('arguments of %s [R8-TRIAL3-A2]', (program) => {
    for (const [at, form] of FORMS.entries()) {
      const found = slow(UNITS, 96_000, (text) => checkCommand(rules, [program, ...form(text)]));
      expect(found, `form ${at}`).toEqual([]);
    }
  });

  it('names of programs, and arguments of a program of no known family [R8-TRIAL3-A2]', () => {
    expect(slow(UNITS, 96_000, (text) => checkCommand(rules, [text]))).toEqual([]);
    expect(slow(UNITS, 96_000, (text) => checkCommand(rules, [`/usr/bin/${text}`, 'x']))).toEqual([]);
  });

  it('command lines [R8-TRIAL3-A2]', () => {
    for (const before of ['', 'cat ', "cat '", 'cat "', 'a=', 'cat <', '(', "cat <<'E'\n"])
      expect(
        slow(UNITS, 16_000, (text) => parseCommandLine(before + text, SHELL_FEATURES)),
        before,
      ).toEqual([]);
    expect(slow(UNITS, 16_000, (text) => checkCommand(rules, `cat ${text}`))).toEqual([]);
  });

  it('paths, patterns and addresses [R8-TRIAL3-A2]', () => {
    const domains = domainRules({ allow: ['*.example.org'], allowPrivate: ['10.0.0.1:80'] });
    expect(slow(UNITS, 96_000, (text) => checkPath(paths, text, 'write'))).toEqual([]);
    expect(slow(UNITS, 4_000, (text) => checkPath(paths, `a/${text}`, 'write'))).toEqual([]);
    expect(slow(UNITS, 96_000, (text) => classifyAddress(text))).toEqual([]);
    expect(slow(UNITS, 96_000, (text) => classifyAddress(`[:${text}:x]`))).toEqual([]);
    expect(slow(UNITS, 96_000, (text) => checkUrl(domains, `https://${text}`))).toEqual([]);
    expect(slow(UNITS, 2_000, (text) => checkUrl(domains, `https://a.example.org/${text}`))).toEqual([]);
    expect(slow(UNITS, 480, (text) => matchesGlob(readGlob(text) ?? [], 'a/'.repeat(2_000)))).toEqual([]);
  });
});
