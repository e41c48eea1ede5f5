import type {
  GuardAt,
  GuardPoint,
  GuardResult,
  InputGuard,
  OutputGuard,
  PreCallGuard,
  ResponseGuard,
} from './guard-points.js';
import { stringsIn, wordsOf } from './strings-in.js';

/** Something to look for in texts, wherever they cross. */
export interface TextRule {
  readonly name: string;
  /** What is wrong with these texts, in words that do not quote them; undefined when nothing is. */
  find(texts: readonly string[]): { readonly ruleId: string; readonly evidence: string } | undefined;
  /** Takes it out. Where it is absent, the text is blocked. */
  redact?(text: string): string;
}

/** A guard of its own for one crossing: what stands twice is made twice. A call that is wrong is denied, never mended. */
export function textGuard<P extends GuardPoint>(rule: TextRule, at: P): GuardAt[P] {
  return GUARDS[at](rule);
}

function judge<V extends string>(
  rule: TextRule,
  texts: readonly string[],
  [fine, wrong]: readonly [V, V],
): GuardResult<V> {
  const found = rule.find(texts);
  return found === undefined ? { verdict: fine, ruleId: rule.name, evidence: '' } : { verdict: wrong, ...found };
}

const GUARDS: { readonly [P in GuardPoint]: (rule: TextRule) => GuardAt[P] } = {
  input: (rule): InputGuard => ({
    at: 'input',
    name: rule.name,
    check: (input) => judge(rule, stringsIn(input), ['pass', wrongOf(rule)]),
    ...redacting(rule),
  }),
  preCall: (rule): PreCallGuard => ({
    at: 'preCall',
    name: rule.name,
    check: ({ args }) => judge(rule, stringsIn(args), ['allow', 'deny']),
  }),
  response: (rule): ResponseGuard => ({
    at: 'response',
    name: rule.name,
    check: ({ value, text }) => judge(rule, [text, ...stringsIn(value)], ['pass', wrongOf(rule)]),
    ...redacting(rule),
  }),
  output: (rule): OutputGuard => ({
    at: 'output',
    name: rule.name,
    check: (outcome) => judge(rule, wordsOf(outcome), ['release', wrongOf(rule)]),
    ...redacting(rule),
  }),
};

function wrongOf({ redact }: TextRule): 'redact' | 'block' {
  return redact === undefined ? 'block' : 'redact';
}

function redacting({ redact }: TextRule): { redact?(text: string): string } {
  return redact === undefined ? {} : { redact };
}
