import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Seams, ToolRef } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadYamlAgent } from '../../packages/flyball/src/cli/yaml-agent.js';
import { through } from '../../packages/flyball/src/core/join-seams.js';
import { context, proposed, toolOf } from './context.js';

// nothing is asked of it: these tests look at the guards around an agent, and no model is called
const ENV = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1', FLYBALL_MODEL: 'openai-compatible/test' };

/** The guards that the command line puts around an agent in a folder with these files. */
async function seamsOf(agent: string, files: Readonly<Record<string, string>> = {}): Promise<Seams> {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-governed-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const head = 'name: helper\ndescription: You help.\nprice: { input: 1, output: 2 }\n';
  for (const [name, text] of Object.entries({ ...files, 'agent.yaml': `${head}${agent}` })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const { runtime } = await loadYamlAgent(join(folder, 'agent.yaml'), ENV);
  return (runtime as { readonly seams: Seams }).seams;
}

const toolFile = (name: string, more: string): string =>
  `export default { name: '${name}', description: 'Answers.', input: { type: 'object' }, effect: 'pure', ${more} execute: async () => 'x' };`;

describe('the guards around an agent in a YAML file', () => {
  it.each([
    ['autonomy: read-only\n', 'read-only'],
    ['autonomy: supervised\n', 'supervised'],
    ['autonomy: autonomous\n', 'autonomous'],
    ['', 'supervised'],
  ])(
    'show a policy the level that the definition names: %j is %s [R3-GOV-POLICY] [R3-GOV-AUTONOMY]',
    async (line, level) => {
      const rules = ['read-only', 'supervised', 'autonomous'].map(
        (each) => `  - { id: ${each}, effect: deny, tools: '*', when: { autonomy: [${each}] }, because: told apart }\n`,
      );
      const policy = `version: 1\nreviewedBy: Ada\ndefault: allow\nrules:\n${rules.join('')}`;
      const ctx = context();
      const seams = await seamsOf(`${line}policy: policy.yaml\n`, { 'policy.yaml': policy });
      expect(await proposed(seams, toolOf({ name: 'look' }), {}, ctx)).toMatchObject({ allow: false });
      expect(ctx.decisions).toMatchObject([{ guard: 'policy', verdict: 'denied', rule: level }]);
    },
  );

  it('screen what a tool says that does not say where its text comes from [R3-GOV-SHIELD]', async () => {
    const seams = await seamsOf('tools: [silent, own, outside, read_file, run_javascript]\n', {
      'package.json': '{ "type": "module" }',
      'tools/silent.mjs': toolFile('silent', ''),
      'tools/own.mjs': toolFile('own', 'legs: [],'),
      'tools/outside.mjs': toolFile('outside', "legs: ['untrusted-content'],"),
    });
    const read = async (tool: ToolRef): Promise<string> => {
      const guard = through(seams, 'tool.post', async ({ value, text }) => ({ value, text }));
      return (await guard({ tool, args: {}, value: 'plain', text: 'plain' }, context())).text;
    };
    expect(await read(toolOf({ name: 'silent' }))).toMatch(/^<<outside-/);
    expect(await read(toolOf({ name: 'outside', legs: ['untrusted-content'] }))).toMatch(/^<<outside-/);
    expect(await read(toolOf({ name: 'own', legs: [] }))).toBe('plain');
    expect(await read(toolOf({ name: 'read_file', legs: ['private-data'] }))).toBe('plain');
    expect(await read(toolOf({ name: 'run_javascript' }))).toBe('plain'); // built in
  });

  it('let nobody write the code that tools.yaml names, nor package.json [R3-GOV-PATHS]', async () => {
    const entry = (name: string, rest: string): string =>
      `  - { name: ${name}, description: Does it., input: { type: object }, ${rest} }\n`;
    const undo = 'effect: undoable, run: { module: ./lib/b.mjs, compensate: ./lib/undo.mjs#undo }';
    const seams = await seamsOf('access: { write: [.] }\nautonomy: autonomous\n', {
      'lib/a.mjs': 'export const a = async () => 1;',
      'lib/b.mjs': 'export default async () => 2;',
      'lib/undo.mjs': 'export const undo = async () => undefined;',
      'tools.yaml': `tools:\n${entry('a', 'effect: pure, run: ./lib/a.mjs#a')}${entry('b', undo)}`,
    });
    const writing = (path: string) =>
      proposed(seams, toolOf({ name: 'writes', effect: 'idempotent', touches: () => ({ writes: [{ path }] }) }));
    for (const path of ['lib/a.mjs', 'lib/b.mjs', 'lib/undo.mjs', 'package.json'])
      expect(await writing(path), path).toMatchObject({
        allow: false,
        why: expect.stringContaining('may be read and not written'),
      });
    expect(await writing('lib/notes.txt')).toMatchObject({ allow: true });
  });
});
