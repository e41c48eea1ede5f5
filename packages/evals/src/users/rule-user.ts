import { ConfigError, FlyballError } from 'flyball';
import { isResults } from '../simulation/message-shape.js';
import type { Incoming, Party } from '../simulation/party.js';
import { userStops } from '../simulation/stop-tokens.js';
import { pyOf } from '../tau2/python/plain-values.js';
import type { PyDict } from '../tau2/python/value.js';
import type { SpokenMessage } from '../world/message.js';

/** What a user does when it hears something: says words, or makes a call of its own. */
export type RuleAnswer =
  | { readonly say: string }
  | { readonly call: string; readonly with?: Readonly<Record<string, unknown>> };

/** One rule of a simulated user: what it reacts to, and what it answers. */
export type UserRule = RuleAnswer & {
  readonly id: string;
  /** A regular expression, looked for in what the agent said whatever the case of letters; or in a call's result. */
  readonly hears: string;
  /** `words` (the default): what the agent says. `results`: what the user's own call answered. */
  readonly in?: 'words' | 'results';
  /** How often it may answer: 1. */
  readonly times?: number;
};

/** A simulated user that answers by rules. */
export interface RuleScript {
  /** Said first, in answer to the greeting. */
  readonly opening: string;
  /** The first that fits and is not used up answers. */
  readonly rules: readonly UserRule[];
  /** Said where no rule fits; after `patience` such answers in a row the user leaves. */
  readonly otherwise: string;
  /** 3 */
  readonly patience?: number;
  /** Said by a user that leaves: '###STOP###'. */
  readonly leave?: string;
}

const LONGEST_PATTERN = 500;

/** A user that listens: what it does next follows from what it hears, and never from what is expected of the agent. */
export function ruleUser(script: RuleScript, how: { now(): number }): Party {
  const rules = readRules(script);
  const used = new Map<string, number>();
  const { patience = 3, leave = '###STOP###' } = script;
  let hasOpened = false;
  let unheard = 0;
  let calls = 0;
  const say = (content: string): SpokenMessage => ({ role: 'user', content, calls: [], cost: 0, at: how.now() });
  const answer = (incoming: Incoming): SpokenMessage => {
    const rule = rules.find((one) => one.fits(incoming) && (used.get(one.id) ?? 0) < one.times);
    if (rule === undefined) return ++unheard > patience ? say(leave) : say(script.otherwise);
    unheard = 0;
    used.set(rule.id, (used.get(rule.id) ?? 0) + 1);
    if ('say' in rule.answer) return say(rule.answer.say);
    const made = {
      id: `user_${++calls}`,
      name: rule.answer.call,
      arguments: rule.arguments,
      requestor: 'user' as const,
    };
    return { ...say(''), content: null, calls: [made] };
  };
  return {
    open: (history) => {
      hasOpened = history.some(({ role }) => role === 'user');
    },
    stops: userStops,
    take: async (incoming) => {
      if (hasOpened) return answer(incoming);
      hasOpened = true;
      return say(script.opening);
    },
  };
}

interface ReadRule {
  readonly id: string;
  readonly times: number;
  readonly answer: RuleAnswer;
  readonly arguments: PyDict;
  fits(incoming: Incoming): boolean;
}

/** Refuses a script that could never end or never be heard, before anything is simulated. */
export function readRules({ opening, rules, otherwise, patience = 3, leave }: RuleScript): readonly ReadRule[] {
  const ids = rules.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw new ConfigError(`Two rules of a user have the same id: ${ids.join(', ')}.`);
  if ([opening, otherwise, leave ?? 'x'].some((text) => text.trim() === ''))
    throw new ConfigError('A rule-based user needs an opening line and a line for messages it does not understand.');
  if (!(Number.isInteger(patience) && patience >= 0 && patience <= 20))
    throw new ConfigError(`The patience of a rule-based user must be 0 to 20, got ${patience}.`);
  return rules.map(readRule);
}

function readRule(rule: UserRule): ReadRule {
  const { id, hears, times = 1 } = rule;
  if (!(Number.isInteger(times) && times >= 1 && times <= 50))
    throw new ConfigError(`Rule ${id}: times must be 1 to 50, got ${times}.`);
  if ('say' in rule === 'call' in rule) throw new ConfigError(`Rule ${id} must either say something or make a call.`);
  if (hears.length === 0 || hears.length > LONGEST_PATTERN)
    throw new ConfigError(`Rule ${id}: what it hears must be 1 to ${LONGEST_PATTERN} characters long.`);
  const pattern = compiled(id, hears);
  const place = rule.in ?? 'words';
  return {
    id,
    times,
    answer: rule,
    arguments: pyOf('call' in rule ? (rule.with ?? {}) : {}) as PyDict,
    fits: (incoming) => {
      if (!isResults(incoming)) return place === 'words' && pattern.test(incoming.content ?? '');
      return place === 'results' && incoming.some(({ content }) => pattern.test(content));
    },
  };
}

function compiled(id: string, hears: string): RegExp {
  try {
    return new RegExp(hears, 'iu');
  } catch (cause) {
    throw new FlyballError('CONFIG_INVALID', `Rule ${id}: "${hears}" is not a valid regular expression.`, { cause });
  }
}
