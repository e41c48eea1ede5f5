import { dumpJson } from '../python/json.js';
import { repr } from '../python/text.js';
import type { Fields } from './bank.js';

/** What a tool says when it does not do what was asked. Not an exception: the call counts as answered. */
export function refusal(reason: string): string {
  return `Error: ${reason}`;
}

export function notAmong(parameter: string, choices: readonly string[]): string {
  return refusal(`${parameter} is not valid. Choose one of ${repr([...choices])}.`);
}

export function missing(...parameters: readonly string[]): string {
  return refusal(`a value is missing. Needed: ${parameters.join(', ')}.`);
}

/** A headline, then one line for each fact. */
export function report(headline: string, facts: readonly (readonly [name: string, value: string])[]): string {
  return [headline, ...facts.map(([name, value]) => `- ${name}: ${value}`)].join('\n');
}

/** The call as it was understood: its name and its arguments as JSON. */
export function argumentsShown(tool: string, args: Fields): string {
  return `Done by ${tool} with ${dumpJson(new Map(Object.entries(args)), { indent: 2 })}`;
}
