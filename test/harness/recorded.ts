import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ReportText, TestFormat } from '../../packages/flyball/src/checks/harness/report.js';

/** All reports of this folder, with what their format is and where they were made. */
export const RECORDED = {
  'node24-tap': ['node-test-tap', '/tmp/shop'],
  'node24-junit': ['junit', '/tmp/shop'],
  'node24-spec': ['node-test-spec', '/tmp/shop'],
  'node24-edges-tap': ['node-test-tap', '/tmp/shop'],
  'node24-edges-junit': ['junit', '/tmp/shop'],
  'vitest-json': ['vitest-json', '/tmp/shop'],
  'vitest-junit': ['junit', '/tmp/shop'],
  'vitest-tap': ['tap', '/tmp/shop'],
  'jest-json-written-by-hand': ['jest-json', '/tmp/shop'],
  'jest-junit-written-by-hand': ['junit', '/tmp/shop'],
  'tap14-written-by-hand': ['tap', '/tmp/shop'],
  'pytest-quiet': ['pytest', '/tmp/shop/py'],
  'pytest-verbose': ['pytest', '/tmp/shop/py'],
  'pytest-short': ['pytest', '/tmp/shop/py'],
  'pytest-native': ['pytest', '/tmp/shop/py'],
  'pytest-junit': ['junit', '/tmp/shop/py'],
  'pytest-edges-verbose': ['pytest', '/tmp/shop/pyedges'],
  'pytest-edges-junit': ['junit', '/tmp/shop/pyedges'],
  'pytest-collection': ['pytest', '/tmp/shop/pybroken'],
} as const satisfies Record<string, readonly [TestFormat, string]>;

export type RecordedName = keyof typeof RECORDED | 'node24-edges-spec';

export function textOf(name: RecordedName): string {
  return readFileSync(fileURLToPath(new URL(`./reports/${name}.txt`, import.meta.url)), 'utf8');
}

export function recorded(name: keyof typeof RECORDED): { readonly format: TestFormat; readonly input: ReportText } {
  const [format, cwd] = RECORDED[name];
  return { format, input: { stdout: textOf(name), exitCode: 1, cwd } };
}
