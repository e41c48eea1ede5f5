import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAgentModule } from '../../packages/flyball/src/cli/agent-module.js';
import { useOf } from '../../packages/flyball/src/core/use.js';
import { root } from '../../scripts/files.mjs';
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

  it.each(['studio/agents.ts', 'desk/agent.yaml', 'desk/bounded-agent.yaml'])(
    '%s: no error and at most three warnings [R17-SILENT]',
    async (file) => {
      const env = { OPENAI_API_KEY: 'none', FLYBALL_MODEL: 'openai/gpt-4.1-mini', FLYBALL_DEMONSTRATION: '1' };
      const { agents, runtime } = await loadAgentModule(join(examples, file), env);
      const own = Object.fromEntries(Object.entries(agents).filter(([name]) => !name.includes(':')));
      expect(Object.keys(own).length).toBeGreaterThan(0);
      expectSilent(file, own, runtime.seams);
    },
  );
});
