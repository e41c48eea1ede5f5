import { describe, expect, it } from 'vitest';
import { type Amounts, NOTHING } from '../../core/budget.js';
import { domainRules } from '../rules/domains.js';
import { pathRules } from '../rules/paths.js';
import { enforce, type Facts } from './enforcement.js';
import { type AutonomySettings, autonomyProfile, DEFAULT_AUTONOMY, type EnforcementPoint } from './profile.js';

const rules: AutonomySettings = {
  paths: pathRules({ roots: [{ path: '/work', write: true }] }),
  commands: { programs: { ls: {} } },
  domains: domainRules({ allow: ['example.com'] }),
};
const spent = (amounts: Partial<Amounts> = {}): Amounts => ({ ...NOTHING, ...amounts });
const resultOf = (settings: AutonomySettings, facts: Facts, amounts: Partial<Amounts> = {}) =>
  enforce(autonomyProfile(settings), facts, spent(amounts));

/** A step that is fine, one that deserves a warning, and one too many. */
const steps: readonly (readonly [EnforcementPoint, Facts, Partial<Amounts>, Partial<Amounts>, Partial<Amounts>])[] = [
  ['EF-05', { point: 'EF-05' }, { iterations: 78 }, { iterations: 79 }, { iterations: 100 }],
  ['EF-06', { point: 'EF-06' }, { wallMs: 48 * 60_000 - 1 }, { wallMs: 48 * 60_000 }, { wallMs: 60 * 60_000 }],
  ['EF-07', { point: 'EF-07', files: 2 }, { filesChanged: 37 }, { filesChanged: 38 }, { filesChanged: 49 }],
  ['EF-08', { point: 'EF-08', lines: 100 }, { linesChanged: 3899 }, { linesChanged: 3900 }, { linesChanged: 4901 }],
  ['tool-calls', { point: 'tool-calls' }, { toolCalls: 158 }, { toolCalls: 159 }, { toolCalls: 200 }],
];

/** What the rules permit, and what they do not. */
const touches: readonly (readonly [EnforcementPoint, Facts, Facts])[] = [
  ['EF-01', { point: 'EF-01', path: '/work/a' }, { point: 'EF-01', path: '/etc/passwd' }],
  ['EF-02', { point: 'EF-02', path: '/work/a', lines: 3 }, { point: 'EF-02', path: '/etc/passwd', lines: 3 }],
  ['EF-03', { point: 'EF-03', command: 'ls -l' }, { point: 'EF-03', command: ['curl', 'evil.com'] }],
  ['EF-04', { point: 'EF-04', url: 'https://example.com/' }, { point: 'EF-04', url: 'https://evil.com/' }],
];

describe('an enforcement point', () => {
  it('asks a person where a rule about commands wants one, also without any other guard [F-S10]', () => {
    const commands = { programs: { git: { approve: ['push'] } } };
    for (const mode of ['block', 'warn', 'escalate'] as const)
      expect(
        resultOf({ commands, modes: { 'EF-03': mode } }, { point: 'EF-03', command: 'git push origin' }),
      ).toMatchObject({ result: 'escalated', why: expect.stringContaining('push') });
    expect(resultOf({ commands }, { point: 'EF-03', command: 'git status' })).toMatchObject({ result: 'allowed' });
  });

  it.each(touches)('%s allows what its rules permit and objects to the rest [R3-AUTO-POINTS]', (point, fine, wrong) => {
    expect(resultOf(rules, fine)).toMatchObject({ result: 'allowed' });
    expect(resultOf(rules, wrong)).toMatchObject({ result: 'blocked', point, why: expect.stringMatching(/.{10}/) });
    expect(resultOf({ ...rules, modes: { [point]: 'warn' } }, wrong)).toMatchObject({ result: 'warned', point });
    expect(resultOf({ ...rules, modes: { [point]: 'escalate' } }, wrong)).toMatchObject({ result: 'escalated', point });
    expect(resultOf({}, wrong)).toMatchObject({ result: 'allowed' }); // without rules there is nothing to object to
  });

  it.each(steps)(
    '%s allows, warns from 80 % on, and blocks past the limit [R3-AUTO-POINTS] [R3-AUTO-LIMITS]',
    (point, facts, fine, near, over) => {
      expect(resultOf({}, facts, fine)).toEqual({ result: 'allowed', point, why: '' });
      expect(resultOf({}, facts, near)).toMatchObject({ result: 'warned', point });
      expect(resultOf({}, facts, over)).toMatchObject({ result: 'blocked', point });
      expect(resultOf({ modes: { [point]: 'warn' } }, facts, over)).toMatchObject({ result: 'warned', point });
      expect(resultOf({ modes: { [point]: 'escalate' } }, facts, over)).toMatchObject({ result: 'escalated', point });
    },
  );

  it.each(steps)('%s blocks a run that wakes up far past its limit [R3-AUTO-POINTS]', (point, facts) => {
    const far = { iterations: 1e6, wallMs: 1e9, filesChanged: 1e6, linesChanged: 1e6, toolCalls: 1e6 };
    expect(resultOf({}, facts, far)).toMatchObject({ result: 'blocked', point });
  });

  it('EF-02 asks EF-07 and EF-08 as well [R3-AUTO-POINTS]', () => {
    const write: Facts = { point: 'EF-02', path: '/work/a', lines: 10 };
    expect(resultOf(rules, write, { filesChanged: 50 })).toMatchObject({ result: 'blocked', point: 'EF-07' });
    expect(resultOf(rules, write, { linesChanged: 4995 })).toMatchObject({ result: 'blocked', point: 'EF-08' });
    expect(resultOf(rules, write, { linesChanged: 4000 })).toMatchObject({ result: 'warned', point: 'EF-08' });
  });

  it('says of a warning whether it is a new one', () => {
    expect(resultOf({}, { point: 'EF-05' }, { iterations: 79 })).not.toHaveProperty('known');
    expect(resultOf({}, { point: 'EF-05' }, { iterations: 80 })).toMatchObject({ known: true });
    const warning: AutonomySettings = { modes: { 'EF-05': 'warn' } };
    expect(resultOf(warning, { point: 'EF-05' }, { iterations: 100 })).not.toHaveProperty('known');
    expect(resultOf(warning, { point: 'EF-05' }, { iterations: 101 })).toMatchObject({ known: true });
  });
});

describe('a profile', () => {
  it('has the limits of the source where none are given, and keeps them where only some are [R3-AUTO-LIMITS]', () => {
    expect(autonomyProfile()).toEqual(DEFAULT_AUTONOMY);
    expect(DEFAULT_AUTONOMY.limits).toEqual({
      iterations: 100,
      minutes: 60,
      toolCalls: 200,
      filesChanged: 50,
      linesChanged: 5000,
    });
    expect(autonomyProfile({ limits: { minutes: 5 } }).limits).toMatchObject({ minutes: 5, iterations: 100 });
  });

  it.each([
    [{ limits: { minutes: -1 } }, 'minutes must be a finite number'],
    [{ limits: { toolCalls: Number.POSITIVE_INFINITY } }, 'toolCalls must be a finite number'],
    [{ limits: { hours: 1 } }, 'unknown limit "hours"'],
    [{ modes: { 'EF-09': 'block' } }, 'unknown point "EF-09"'],
    [{ modes: { 'EF-01': 'maybe' } }, '"maybe" is not a mode'],
    [{ warnAt: 0 }, 'warnAt must be above 0'],
  ])('with %j is refused', (settings, problem) => {
    expect(() => autonomyProfile(settings as AutonomySettings)).toThrow(problem);
  });
});
