import { absolute, multiply, subtract } from '../../packages/evals/src/tau2/python/arithmetic.js';
import { daysBetween, strftime, strptime } from '../../packages/evals/src/tau2/python/dates.js';
import { isOrdered, type Ordering, pyEquals, truthy } from '../../packages/evals/src/tau2/python/equality.js';
import { dumpJson, parseJson } from '../../packages/evals/src/tau2/python/json.js';
import {
  fixed,
  floatText,
  formatFixed,
  roundTo,
  thousands,
  toFloat,
  toInt,
} from '../../packages/evals/src/tau2/python/number.js';
import { bind } from '../../packages/evals/src/tau2/python/signature.js';
import {
  isDigit,
  lengthOf,
  lower,
  repr,
  splitWords,
  str,
  strip,
  titleCase,
} from '../../packages/evals/src/tau2/python/text.js';
import { type PyDict, PyError, type PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { Question } from './python-process.js';

type Answer = (...args: never[]) => string;
const J = (text: string): PyValue => parseJson(text);
const CALCULATIONS: Readonly<Record<string, (a: PyValue, b: PyValue) => PyValue>> = {
  '-': subtract,
  '*': multiply,
};

/** The same operations as `python-process.ts`, by our own functions. */
const OURS: Readonly<Record<string, Answer>> = {
  'repr-float': (x: string) => floatText(Number(x)),
  fixed: (x: string, digits: number) => fixed(Number(x), digits),
  round: (x: string, digits: number) => floatText(roundTo(Number(x), digits)),
  thousands: (x: string, digits: number | null) => thousands(Number(x), digits ?? undefined),
  'thousands-int': (x: string) => thousands(BigInt(x)),
  'format-fixed': (value: string, digits: number) => formatFixed(J(value), digits),
  loads: (text: string) => repr(parseJson(text)),
  'loads-floats': (text: string) => repr(parseJson(text, { integers: 'float' })),
  dumps: (text: string, sortKeys: boolean, indent: number | null) =>
    dumpJson(J(text), indent === null ? { sortKeys } : { sortKeys, indent }),
  repr: (text: string) => repr(text),
  str: (value: string) => str(J(value)),
  float: (value: string) => repr(toFloat(J(value))),
  int: (value: string) => repr(toInt(J(value))),
  strptime: (value: string, format: string) => {
    const { year, month, day, hour, minute, second } = strptime(J(value), format);
    return `(${[year, month, day, hour, minute, second].join(', ')})`;
  },
  strftime: (text: string, format: string, wanted: string) => strftime(strptime(text, format), wanted),
  days: (a: string, b: string, format: string) => String(daysBetween(strptime(a, format), strptime(b, format))),
  title: (text: string) => titleCase(text),
  isdigit: (text: string) => repr(isDigit(text)),
  split: (text: string) => repr(splitWords(text)),
  strip: (text: string) => strip(text),
  lower: (text: string) => lower(text),
  len: (text: string) => String(lengthOf(text)),
  equal: (a: string, b: string) => repr(pyEquals(J(a), J(b))),
  truthy: (value: string) => repr(truthy(J(value))),
  order: (a: string, how: Ordering, b: string) => repr(isOrdered(J(a), how, J(b))),
  calculate: (a: string, how: string, b: string) => repr(CALCULATIONS[how]?.(J(a), J(b)) ?? null),
  abs: (value: string) => repr(absolute(J(value))),
  bind: (required: string[], optional: [string, string | null][], args: string) => {
    const parameters = [
      ...required.map((name) => ({ name, required: true })),
      ...optional.map(([name, value]) => ({ name, required: false, default: value })),
    ];
    return repr([...bind('Kit.tool', parameters, J(args) as PyDict).values()]);
  },
};

export function ourAnswer([operation, ...args]: Question): string {
  try {
    return (OURS[operation] as (...args: readonly unknown[]) => string)(...args);
  } catch (error) {
    if (error instanceof PyError) return `${error.kind}: ${error.message}`;
    throw error;
  }
}
