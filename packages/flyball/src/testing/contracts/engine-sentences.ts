import { AssertionError } from 'node:assert/strict';
import { inspect } from 'node:util';
import type { Engine } from '../../ports/engine.js';
import type { OpenEngine } from './engine-fixture.js';

/** Of the port, so that a method that is added to it is missed here. */
const METHODS: Readonly<Record<Exclude<keyof Engine, 'kind'>, true>> = {
  create: true,
  claim: true,
  take: true,
  append: true,
  renew: true,
  release: true,
  get: true,
  list: true,
  count: true,
  read: true,
  blobs: true,
  links: true,
  post: true,
  waits: true,
  inbox: true,
  requeue: true,
  announce: true,
  workers: true,
  due: true,
  overdue: true,
  queue: true,
  nextDue: true,
  watch: true,
  hold: true,
  remove: true,
  restore: true,
  collect: true,
  weigh: true,
  size: true,
  declareGone: true,
  goneOwners: true,
  operations: true,
  close: true,
};
const MOST_CHARACTERS = 400;

/** Why what was opened cannot be tested at all, in one sentence. */
export function whyNoEngine(opened: Partial<OpenEngine> | undefined): string | undefined {
  const engine = opened?.engine as Readonly<Record<string, unknown>> | undefined;
  if (typeof engine !== 'object' || engine === null)
    return 'open() gives no `engine`. Resolve to { engine, close, reopen }.';
  const missing = Object.keys(METHODS).filter((name) => typeof engine[name] !== 'function');
  if (missing.length > 0)
    return `The engine has no ${missing.join(', ')}. Nothing was tested. \`Engine\` says what each does; one that is not finished may throw.`;
  if (typeof opened?.close !== 'function') return 'open() gives no `close`. It ends the engine after each test.';
  return undefined;
}

/** What is wrong with an engine, where a test fails: what the contract requires, and what came instead. */
export function broken(title: string, error: unknown): AssertionError {
  const { actual, expected } = error instanceof AssertionError ? error : ({} as Partial<AssertionError>);
  const message = `Required: the engine ${title}. ${whatCame(error)}`;
  // with the operator of the first one, Node would add a difference of many lines to the sentence
  const told = new AssertionError({ message, actual, expected, operator: 'contract' });
  // the line of the contract is what whoever debugs this looks for, not this function
  const [, ...frames] = (error instanceof Error ? (error.stack ?? '') : '').split(/\n(?= {4}at )/);
  told.stack = [`${told.name}: ${message}`, ...frames].join('\n');
  return told;
}

function whatCame(error: unknown): string {
  if (!(error instanceof AssertionError))
    return `A call failed that has to succeed, or gave what the port does not have: ${sentence(brief(error))}`;
  const { actual, expected, generatedMessage, operator = '', message } = error;
  const isCompared = /equal/i.test(operator);
  const [own = ''] = message.split('\n'); // some versions of Node add the difference to the message that a test gives
  if (operator === 'match') return `Expected something like ${brief(expected)}; it gave ${brief(actual)}.`;
  if (generatedMessage && !isCompared) return message.split('\n\n').at(-1) ?? message;
  const compared = isCompared ? `Expected ${brief(expected)}; it gave ${brief(actual)}.` : '';
  return generatedMessage ? compared : `${sentence(own)}${compared === '' ? '' : ` ${compared}`}`;
}

function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}

/** In one line, however large it is: whoever runs the tests is shown the difference as well. */
function brief(value: unknown): string {
  const text =
    value instanceof Error ? String(value) : inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY });
  const line = text.replaceAll(/\s*\n\s*/g, ' ');
  return line.length > MOST_CHARACTERS ? `${line.slice(0, MOST_CHARACTERS)} …` : line;
}
