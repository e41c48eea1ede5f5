import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { type ModelServer, modelServer } from 'flyball/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { chooseModel } from '../../examples/studio/choose-model.js';
import { root } from '../../scripts/files.mjs';

const START = join(root, 'packages/flyball/dist-examples/studio/start.js');
/** Nothing of whoever runs the tests decides which model it is. */
const { FLYBALL_MODEL: _model, OPENAI_API_KEY: _key, OLLAMA_HOST: _host, ...inherited } = process.env;
const NO_OLLAMA = { OLLAMA_HOST: 'http://127.0.0.1:9' };

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

function launch(program: string, words: readonly string[], more: { readonly cwd: string; readonly env?: object }) {
  const child = spawn(program, words, {
    cwd: more.cwd,
    env: { ...inherited, ...NO_OLLAMA, NODE_OPTIONS: '', ...more.env },
  });
  open.push(() => child.kill('SIGKILL'));
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said.text += String(chunk)));
  return { child, said, ended: once(child, 'close').then(([code]) => code as number | null) };
}

describe('npm start', () => {
  it('shows a live run, an approval and a crash that resumes, on a script that it names as one [R6-START-DEMO]', async () => {
    const { said, ended } = launch(process.execPath, [START, '--check'], { cwd: root });
    expect(await ended, said.text).toBe(0);
    expect(said.text).toContain('not from a language model');
    expect(said.text).toContain(
      'The check passed: the watch is done, the refund waits for a person, the killed run was resumed',
    );
  });

  it('runs the same agents on a real model where there is one, and ends on a signal [R6-START-REAL-MODEL]', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flyball-start-'));
    open.push(() => rmSync(folder, { recursive: true, force: true }));
    const model = await served(() => 'High water is at 06:40.');
    const env = {
      FLYBALL_MODEL: 'openai/gpt-4.1-mini',
      OPENAI_API_KEY: 'key-of-this-test',
      OPENAI_BASE_URL: model.baseUrl('openai-chat'),
    };
    const { child, said, ended } = launch(process.execPath, [START, '--port', '0'], { cwd: folder, env });
    const url = await addressIn(child, said);
    const { agents } = (await (await fetch(`${url}/v1/agents`)).json()) as { readonly agents: readonly object[] };
    expect(agents[0]).toMatchObject({ name: 'harbor-desk', model: 'openai/gpt-4.1-mini' });
    expect(agents[0]).not.toHaveProperty('demonstration');
    const answer = await fetch(`${url}/v1/agents/harbor-desk/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ inputs: { question: 'When is high water?' } }),
    });
    expect(await answer.json()).toMatchObject({ output: { answer: 'High water is at 06:40.' } });
    expect(said.text).toContain('The agents run on openai/gpt-4.1-mini');
    expect(said.text).not.toContain('Demonstration');
    child.kill('SIGINT');
    expect(await ended, said.text).toBe(0);
  });

  it.each([
    [['--frsh'], '--frsh'],
    [['--port', 'many'], 'from 0 to 65535'],
  ])('refuses %j and says what there is', async (words, because) => {
    const { said, ended } = launch(process.execPath, [START, ...words], { cwd: tmpdir() });
    expect(await ended).toBe(2);
    expect(said.text).toContain(because);
    expect(said.text).toContain('npm start -- --fresh');
  });
});

describe('the model of the demonstration', () => {
  it('is what Ollama has where it runs on this machine [R6-START-REAL-MODEL]', async () => {
    const ollama = await served(() => 'Aye.', ['llama3.2']);
    const chosen = await chooseModel({ OLLAMA_HOST: ollama.url });
    expect(chosen.demonstration).toBeUndefined();
    expect(chosen.model.id).toBe('ollama/llama3.2');
    const mate: Agent<null, string> = async (run) =>
      done((await run.ask({ name: 'mate', model: chosen.model, setup: 'Obey.' }, 'All fast?')).text);
    const runtime = createRuntime({ engine: memoryEngine(), agents: { mate } });
    open.push(() => runtime.close());
    expect(await (await runtime.start('mate', null, { budget: budget() })).outcome()).toMatchObject({ value: 'Aye.' });
  });

  it('is a script where there is no other, and where one is asked for [R6-START-DEMO]', async () => {
    for (const env of [NO_OLLAMA, { FLYBALL_DEMONSTRATION: '1', OPENAI_API_KEY: 'key-of-this-test' }]) {
      const { model, demonstration } = await chooseModel(env);
      expect(model.id).toBe('demonstration/script');
      expect(demonstration).toContain('not from a language model');
    }
  });
});

async function served(reply: () => string, models: readonly string[] = []): Promise<ModelServer> {
  const server = await modelServer({ replies: reply, models });
  open.push(() => server.close());
  return server;
}

/** Where it says that its studio is. */
async function addressIn(child: ChildProcess, said: { readonly text: string }): Promise<string> {
  for (;;) {
    const found = /Flyball studio: (\S+)\/studio/.exec(said.text)?.[1];
    if (found !== undefined) return found;
    if (child.exitCode !== null) throw new Error(`It ended before it served:\n${said.text}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
