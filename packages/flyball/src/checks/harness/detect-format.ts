import { jsonIn } from './json-report.js';
import { pytestCounts } from './pytest-report.js';
import type { TestFormat } from './report.js';

/** The format that a report announces by its own marks; undefined where it has none. */
export function detectFormat(text: string): TestFormat | undefined {
  const start = text
    .slice(0, 4096)
    .replace(/^\uFEFF/, '')
    .trimStart();
  if (start.startsWith('<') || /^<(?:\?xml|testsuites?[\s>/])/m.test(text)) return 'junit';
  const json = jsonIn(text);
  if (json !== undefined) return Object.hasOwn(json, 'numRuntimeErrorTestSuites') ? 'jest-json' : 'vitest-json';
  const [, version] = /^TAP version (1[34])\r?$/m.exec(text) ?? [];
  if (version !== undefined) return version === '13' && /^# Subtest: /m.test(text) ? 'node-test-tap' : 'tap';
  if (/^ℹ tests \d/m.test(text)) return 'node-test-spec';
  if (text.split('\n').some((line) => pytestCounts(line.trimEnd()) !== undefined)) return 'pytest';
  return /^(?:not )?ok(?: |$)/m.test(text) && /^1\.\.\d/m.test(text) ? 'tap' : undefined;
}
