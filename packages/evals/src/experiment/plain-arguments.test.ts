import { expect, it } from 'vitest';
import { dumpJson, parseJson } from '../tau2/python/json.js';
import type { PyDict } from '../tau2/python/value.js';
import { dictFromPlain, fromPlain, toPlain } from './plain-arguments.js';

const through = (text: string): string => dumpJson(fromPlain(JSON.parse(JSON.stringify(toPlain(parseJson(text))))));

it('carries arguments through JSON without losing what the benchmark can tell apart', () => {
  for (const text of [
    '{"a": 33, "b": 33.0, "c": 0.5, "d": -0.0, "e": 1e+300}',
    '{"big": 9007199254740993, "negative": -9007199254740993, "safe": 9007199254740991}',
    '{"odd": [NaN, Infinity, -Infinity, null, true, "text"]}',
    '{"10": 1, "2": 2, "b": 3}',
    '{"$float": "33", "nested": {"$int": 1, "__proto__": {"x": 1.0}}}',
    '{"$pairs": [1, 2]}',
  ])
    expect(through(text)).toBe(text);
});

it('shows ordinary arguments to guards as what they are', () => {
  expect(toPlain(parseJson('{"user": "u1", "amount": 12.5, "times": [1, 2], "note": null}'))).toEqual({
    user: 'u1',
    amount: 12.5,
    times: [1, 2],
    note: null,
  });
  expect(toPlain(parseJson('{"amount": 33.0}'))).toEqual({ amount: { $float: '33' } });
});

it('takes what a guard put in place of arguments', () => {
  const changed: PyDict = dictFromPlain({ amount: 3, rate: 0.5, who: { name: 'x' } });
  expect(dumpJson(changed)).toBe('{"amount": 3, "rate": 0.5, "who": {"name": "x"}}');
  expect(dictFromPlain('nothing').size).toBe(0);
});
