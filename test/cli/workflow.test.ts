import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type Desk, lastJson, newDesk } from './flyball.js';
import { flyball } from './in-process.js';

/** A workflow as default export, which works through an agent that it did not bring along. */
const LETTERS = `import { done } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';

const finder = defineAgent({
  name: 'finder',
  description: 'Finds out.',
  model: scriptedModel({ finder: '{"facts":"There is room in Bergen."}' }),
  inputs: { question: { type: 'string' } },
  outputs: { facts: { type: 'string' } },
});
const shout = async (run, { text }) => done(text.toUpperCase());
export default workflow(
  {
    name: 'letter',
    inputs: { question: { type: 'string', description: 'what to find out' }, loudly: { type: 'string', default: 'shout' } },
    budget: { modelCalls: 7 },
  },
  async (run, { question, loudly }, { invokeAgent }) => {
    const found = await invokeAgent(run, 'finder', { question });
    if (found.stop !== 'done') return found;
    const said = await invokeAgent(run, loudly, { text: found.value.output.facts });
    return said.stop === 'done' ? done(said.value.output) : said;
  },
);
export const agents = { finder, shout };
`;

let desk: Desk;
beforeAll(() => {
  desk = newDesk();
  mkdirSync(join(desk.folder, 'node_modules'));
  symlinkSync(join(root, 'packages/flyball'), join(desk.folder, 'node_modules/flyball'));
  writeFileSync(join(desk.folder, 'post.mjs'), LETTERS);
});
afterAll(() => desk.clear());

/** Refusals need no process of their own. */
const refused = (...words: readonly string[]) =>
  flyball(['run', join(desk.folder, 'post.mjs'), ...words, '--db', join(desk.folder, 'never.db')]);
const QUESTION = '{"question":"Is there room?"}';

describe('flyball run of a workflow', () => {
  it('runs it under its own name and budget, and lets it find the agents beside it [R6-WORKFLOW-INVOKE]', async () => {
    const { code, out, error } = await desk.flyball('run', 'post.mjs', '--input', QUESTION, '--json');
    expect(code, error).toBe(0);
    expect(lastJson(out)).toMatchObject({ status: 'done', outcome: { value: 'THERE IS ROOM IN BERGEN.' } });
    const start = out.split('\n').find((line) => line.includes('"run-start"'));
    expect(JSON.parse(start ?? '{}')).toMatchObject({
      event: { agent: 'letter', budget: { modelCalls: 7 } },
    });
  });

  it('refuses an input that it cannot start with before there is a run', async () => {
    const { code, error } = await refused('--input', '{}');
    expect(code).toBe(2);
    expect(error).toContain('question');
    expect(error).toContain('--input');
    expect(existsSync(join(desk.folder, 'never.db'))).toBe(false);
  });

  it('offers the agents of the file and not its dry run when nobody is meant', async () => {
    const { code, error } = await refused('--agent', 'letters');
    expect(code).toBe(7);
    expect(error).toContain('It exports: letter, finder, shout.');
  });
});

describe('flyball run --dry-run', () => {
  it('tells what a workflow would do and does none of it [R6-WORKFLOW-DRY-RUN]', async () => {
    const { code, out, error } = await desk.flyball('run', 'post.mjs', '--dry-run', '--input', QUESTION);
    expect(code, error).toBe(0);
    expect(out).toContain('dry run of letter');
    expect(out).toContain('1. invoke finder (once) with {"question":"Is there room?"}, within 50 % of what is left');
    expect(out).toContain('2. invoke shout (function) with {"text":"<facts>"}');
    expect(out).toContain('Then it would end: done');
    expect(out).not.toContain('model call');
  });

  it('writes the report as data, which the run keeps [R6-WORKFLOW-DRY-RUN]', async () => {
    const words = ['--dry-run', '--input', QUESTION, '--id', 'dry-1', '--json'];
    const { out } = await desk.flyball('run', 'post.mjs', ...words);
    expect(lastJson(out)).toMatchObject({
      run: 'dry-1',
      outcome: { value: { workflow: 'letter', problems: [], acts: [{ agent: 'finder' }, { agent: 'shout' }] } },
    });
    expect((await desk.flyball('show', 'dry-1')).out).toContain('invoke finder (once)');
  });

  it('ends with 1 where something would go wrong, and says what [R6-WORKFLOW-DRY-RUN]', async () => {
    const input = '{"question":"Is there room?","loudly":"shut"}';
    const { code, out } = await desk.flyball('run', 'post.mjs', '--dry-run', '--input', input);
    expect(code).toBe(1);
    expect(out).toContain('Did you mean shout?');
  });

  it('refuses an agent that is no workflow, and starts nothing', async () => {
    const { code, error } = await refused('--agent', 'finder', '--dry-run', '--input', QUESTION);
    expect(code).toBe(2);
    expect(error).toContain('finder is not a workflow');
    expect(existsSync(join(desk.folder, 'never.db'))).toBe(false);
  });
});
