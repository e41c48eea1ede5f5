import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useOf } from '../../packages/flyball/src/core/use.js';
import { root } from '../../scripts/files.mjs';
import { flyball } from '../cli/in-process.js';
import { expectSilent } from './silence.js';

const examples = join(root, 'examples');

/** Agents in a module that describe themselves. Guards, framings and stores are parts of one. */
function describedIn(value: unknown, name: string, depth = 3): readonly (readonly [string, unknown])[] {
  if (useOf(value) !== undefined) return typeof value === 'function' ? [[name, value]] : [];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => describedIn(inner, key, depth - 1));
}

describe('what is shipped', () => {
  const files = readdirSync(join(examples, 'patterns')).filter((name) => name.endsWith('.ts'));

  it('the examples of every pattern have no error and at most three warnings each [R17-SILENT]', async () => {
    let count = 0;
    for (const file of files) {
      const module = (await import(join(examples, 'patterns', file))) as object;
      for (const [name, agent] of describedIn({ ...module }, file)) {
        expectSilent(`${file} ${name}`, { [name]: agent });
        count += 1;
      }
    }
    expect(files.length).toBeGreaterThan(8);
    expect(count).toBeGreaterThan(8);
  });

  /** No error and at most three warnings. */
  async function expectQuiet(file: string): Promise<void> {
    const env = { OPENAI_API_KEY: 'none', FLYBALL_MODEL: 'openai/gpt-4.1-mini', FLYBALL_DEMONSTRATION: '1' };
    const { code, out, error } = await flyball(['patterns', 'check', file, '--json'], env);
    expect([error, code]).toEqual(['', 0]);
    const { errors, warnings } = JSON.parse(out) as { readonly errors: number; readonly warnings: number };
    expect(errors).toBe(0);
    expect(warnings).toBeLessThanOrEqual(3);
  }

  it.each(['studio/agents.ts', 'desk/agent.yaml', 'desk/bounded-agent.yaml'])(
    'the command has no error and at most three warnings about %s [R17-SILENT]',
    (file) => expectQuiet(join(examples, file)),
  );

  it('the command has no error and at most three warnings about a commit loop beside its work [R17-SILENT]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-silent-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    cpSync(join(examples, 'mender'), folder, { recursive: true });
    mkdirSync(join(folder, 'shop'), { recursive: true });
    await expectQuiet(join(folder, 'mender.yaml'));
  });
});
