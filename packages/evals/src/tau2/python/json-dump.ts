import { compareText } from './equality.js';
import { floatText } from './float-text.js';
import type { PyDict, PyValue } from './value.js';

export interface DumpOptions {
  readonly sortKeys?: boolean;
  readonly indent?: number;
}

/** `json.dumps`: ASCII only, `, ` and `: ` between, floats as Python prints them. */
export function dumpJson(value: PyValue, options: DumpOptions = {}): string {
  return dumped(value, options, '\n');
}

function dumped(value: PyValue, options: DumpOptions, line: string): string {
  if (typeof value === 'string') return dumpText(value);
  if (value instanceof Map) return dumpDict(value, options, line);
  if (Array.isArray(value)) {
    const inner = deeper(options, line);
    return enclosed(
      '[]',
      value.map((item) => dumped(item, options, inner)),
      options,
      line,
    );
  }
  return dumpScalar(value);
}

function dumpDict(dict: PyDict, options: DumpOptions, line: string): string {
  const inner = deeper(options, line);
  const keys = [...dict.keys()];
  if (options.sortKeys === true) keys.sort(compareText);
  const items = keys.map((key) => `${dumpText(key)}: ${dumped(dict.get(key) ?? null, options, inner)}`);
  return enclosed('{}', items, options, line);
}

function deeper({ indent }: DumpOptions, line: string): string {
  return line + ' '.repeat(indent ?? 0);
}

function enclosed(brackets: string, items: readonly string[], options: DumpOptions, line: string): string {
  const [open, close] = [brackets.charAt(0), brackets.charAt(1)];
  if (options.indent === undefined || items.length === 0) return open + items.join(', ') + close;
  const inner = deeper(options, line);
  return open + inner + items.join(`,${inner}`) + line + close;
}

function dumpScalar(value: null | boolean | bigint | number): string {
  if (typeof value !== 'number') return String(value);
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

const SHORT: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
  '\b': '\\b',
};

function dumpText(text: string): string {
  const escaped = text.replace(/["\\]|[^ -~]/g, (unit) => SHORT[unit] ?? unitEscape(unit));
  return `"${escaped}"`;
}

function unitEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
