import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, it } from 'vitest';
import { filesUnder, root } from '../scripts/files.mjs';

const LONGEST = 75;

/** A contract is a list of promises, each of them a test: its length is how much is promised. */
const CONTRACTS = /\/src\/testing\//;

it('no function outside the contract suites is longer than 75 lines [R9-HOUSE-SHAPE]', () => {
  const files = filesUnder('packages', /^packages\/\w+\/src\/.*(?<!\.test|\.test-data|\.d)\.tsx?$/).filter(
    (file) => !CONTRACTS.test(file),
  );
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap(longFunctions)).toEqual([]);
});

function longFunctions(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found: string[] = [];
  const look = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    const lines = text.slice(start, end).split('\n').length;
    if (lines > LONGEST) found.push(`${file}:${text.slice(0, start).split('\n').length} has ${lines} lines`);
  };
  new Visitor({ FunctionDeclaration: look, FunctionExpression: look, ArrowFunctionExpression: look }).visit(
    parseSync(file, text).program,
  );
  return found;
}
