import { AssertionError } from 'node:assert/strict';
import { inspect } from 'node:util';

const MOST_CHARACTERS = 400;

/** What is wrong with an engine or a dispatcher, where a test fails: what the contract requires, and what came instead. */
export function broken(who: 'engine' | 'dispatcher', title: string, error: unknown): AssertionError {
  const { actual, expected } = error instanceof AssertionError ? error : ({} as Partial<AssertionError>);
  const message = `Required: the ${who} ${title}. ${whatCame(error)}`;
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
