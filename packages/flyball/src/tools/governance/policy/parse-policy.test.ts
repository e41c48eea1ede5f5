import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../core/errors.js';
import { parsePolicy } from './parse-policy.js';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const parse = (data: unknown) => parsePolicy(data, { now: NOW });

const rule = { id: 'no-mail', effect: 'deny', tools: 'send_mail', because: 'Mail is sent by people.' };
const waiver = {
  deny: 'no-mail',
  scope: { subject: 'ada' },
  authority: 'security board',
  expires: '2026-12-01',
};
const policy = { version: '1', reviewedBy: 'Ada', rules: [rule] };

describe('a policy', () => {
  it('carries its version, and a hash that depends on what it says and not on how it is written [R3-GOV-POLICY]', () => {
    const one = parse(policy);
    const other = parse({ rules: [{ ...rule }], reviewedBy: 'Ada', version: '1' });
    expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(other.hash).toBe(one.hash);
    expect(one.label).toBe(`1@${one.hash.slice(0, 12)}`);
    expect(parse({ ...policy, rules: [] }).hash).not.toBe(one.hash);
    expect(parse({ ...policy, version: 3 }).label).toMatch(/^3@/);
  });

  it('cannot be changed once it is read, nor through the data it was read from', () => {
    const data = { ...policy, rules: [{ ...rule, tools: ['send_mail'], when: { args: [{ path: 'to', in: ['x'] }] } }] };
    const read = parse(data);
    expect(() => (read.rules as unknown[]).push(rule)).toThrow();
    data.rules[0]?.tools.push('*');
    expect(read.rules[0]?.tools).toEqual(['send_mail']);
    expect(Object.isFrozen(data.rules)).toBe(false);
  });

  it.each([
    ['nothing', undefined, 'Policy must be a mapping'],
    ['a list', [], 'Policy must be a mapping'],
    ['a value that is no JSON', { ...policy, version: Number.NaN }, 'not valid JSON'],
    ['no version', { ...policy, version: undefined }, 'version must be a text that is not empty, and is missing'],
    ['an empty version', { ...policy, version: ' ' }, 'version must be a text that is not empty'],
    ['no reviewer', { ...policy, reviewedBy: undefined }, 'reviewedBy must be a text'],
    ['no rules', { ...policy, rules: undefined }, 'rules must be a list'],
    ['an unknown field', { ...policy, rule: [] }, 'unknown field "rule"'],
    ['an unknown default', { ...policy, default: 'maybe' }, 'default must be one of allow, deny, ask'],
    ['a default that obliges', { ...policy, default: 'oblige' }, 'default must be one of'],
  ])('with %s is refused [R3-GOV-POLICY] [V7.8]', (_, data, problem) => {
    expect(() => parse(data)).toThrow(ConfigError);
    expect(() => parse(data)).toThrow(problem);
  });

  it.each([
    ['no id', { ...rule, id: undefined }, 'Policy rule 1: id must be a text'],
    ['an id that is taken', [rule, rule], 'Policy rule "no-mail": the id is taken'],
    ['the id of the default', { ...rule, id: 'default' }, 'the id is taken'],
    [
      'an unknown effect',
      { ...rule, effect: 'permit' },
      'effect must be one of allow, deny, ask, oblige, got "permit"',
    ],
    ['a misspelt field', { ...rule, wen: {} }, 'Policy rule "no-mail": unknown field "wen"'],
    ['a misspelt condition', { ...rule, when: { tennant: 'a' } }, 'unknown field "tennant"'],
    ['no tools', { ...rule, tools: [] }, 'tools must be a text or a list of texts'],
    ['an endless pattern', { ...rule, tools: 'a'.repeat(600) }, 'more than 512 characters'],
    ['no reason', { ...rule, because: '' }, 'because must be a text'],
    ['an unknown class', { ...rule, when: { class: 'write' } }, 'class must be one of pure, idempotent'],
    ['an unknown leg', { ...rule, when: { legs: ['network'] } }, 'legs must be one of private-data'],
    ['an unknown level', { ...rule, when: { autonomy: 'full' } }, 'autonomy must be one of read-only'],
    ['two tests of one argument', { ...rule, when: { args: [{ path: 'a', equals: 1, in: [1] }] } }, 'exactly one of'],
    ['no test of an argument', { ...rule, when: { args: [{ path: 'a' }] } }, 'exactly one of'],
    ['a path it cannot read', { ...rule, when: { args: [{ path: '$..a', equals: 1 }] } }, 'cannot be read at "..a"'],
    ['an empty glob', { ...rule, when: { paths: [''] } }, 'paths must be a text or a list'],
    ['an obligation that is none', { ...rule, obligation: { firstCall: 'x' } }, 'belongs to the effect oblige'],
    ['a missing obligation', { ...rule, effect: 'oblige' }, 'obligation is missing'],
    [
      'an obligation to a pattern',
      { ...rule, effect: 'oblige', obligation: { firstCall: 'scan_*' } },
      'must name one tool, not a pattern',
    ],
  ])('that has a rule with %s is refused [R3-GOV-POLICY]', (_, rules, problem) => {
    expect(() => parse({ ...policy, rules: Array.isArray(rules) ? rules : [rules] })).toThrow(problem);
  });

  it.each([
    ['of no rule', { ...waiver, deny: 'other' }, 'names "other", which is not a deny rule'],
    ['without a scope', { ...waiver, scope: undefined }, 'scope must be a mapping'],
    ['with an empty scope', { ...waiver, scope: {} }, 'scope is empty'],
    ['without an authority', { ...waiver, authority: undefined }, 'authority must be a text'],
    ['without an end', { ...waiver, expires: undefined }, 'expires must be a text'],
    ['that has expired', { ...waiver, expires: '2026-11-15T11:59Z' }, '"2026-11-15T11:59Z" has passed'],
    ['until some day', { ...waiver, expires: 'next week' }, '"next week" is not a date'],
    ['until no day', { ...waiver, expires: '2027-02-31T99:00Z' }, 'is not a date'],
  ])('with a waiver %s is refused [R3-GOV-POLICY] [V7.6]', (_, waived, problem) => {
    expect(() => parse({ ...policy, waivers: [waiver] })).not.toThrow();
    expect(() => parse({ ...policy, waivers: [waived] })).toThrow(problem);
  });

  it('whose obligations depend on each other, or for too many, is refused [R3-GOV-POLICY]', () => {
    const oblige = (id: string, tools: string, firstCall: string) => ({
      ...{ id, effect: 'oblige', tools, because: 'Order.' },
      obligation: { firstCall },
    });
    const rules = (...list: unknown[]) => ({ ...policy, rules: list });
    expect(() => parse(rules(oblige('a', '*', 'login'), oblige('b', '*', 'scan')))).toThrow('depend on each other');
    expect(() => parse(rules(oblige('a', 'x', 'y'), oblige('b', 'y', 'z'), oblige('c', 'z', 'x')))).toThrow(
      'depend on each',
    );
    expect(() => parse(rules(oblige('a', '*', 'login')))).not.toThrow(); // login does not wait for itself
    const chain = (length: number) => Array.from({ length }, (_, at) => oblige(`r${at}`, `t${at}`, `t${at + 1}`));
    expect(() => parse(rules(...chain(5)))).not.toThrow();
    expect(() => parse(rules(...chain(6)))).toThrow('a chain of more than 5');
  });
});
