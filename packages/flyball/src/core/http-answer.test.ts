import { expect, it } from 'vitest';
import { isPassingStatus, mayHaveBeenWorked, retryAfterMs } from './http-answer.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

it.each([
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Thu, 01 Jan 2020 00:00:00 GMT' }, 0],
  [{ 'retry-after-ms': '250', 'retry-after': '7' }, 250],
  [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
  [{ 'retry-after': '-1' }, undefined],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '' }, undefined],
  [{}, undefined],
])('reads %j as %s ms', (headers, ms) => {
  expect(retryAfterMs(headers, NOW)).toBe(ms);
});

it('reads no date where there is no clock to measure it against', () => {
  expect(retryAfterMs({ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, Number.NaN)).toBeUndefined();
});

it.each([
  [400, false, true],
  [408, true, true],
  [429, true, false],
  [500, true, true],
  [503, true, false],
  [529, true, false],
])('knows whether %d may pass and may have been paid for [R9-KERNEL-RETRY]', (status, passes, worked) => {
  expect([isPassingStatus(status), mayHaveBeenWorked(status)]).toEqual([passes, worked]);
});
