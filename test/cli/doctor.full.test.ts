import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/detect.js';
import { quickJsSandbox } from '../../packages/flyball/src/adapters/sandbox-quickjs/quickjs-sandbox.js';
import type { Section } from '../../packages/flyball/src/cli/doctor/finding.js';
import { sandboxFindings } from '../../packages/flyball/src/cli/doctor/sandboxes.js';
import { AGENTS, type Ended, lastJson, newDesk } from './flyball.js';
import { modelDesk } from './model-desk.js';

/** Hides every browser: to start one takes several times as long as all the rest, and few of these tests are about it. */
const NO_BROWSER = {
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { existsSync } = fs;
    fs.existsSync = (path) => !/chrom/i.test(path) && existsSync(path);
    syncBuiltinESMExports();
  `)}`,
};

/** A machine on which nothing is set up: no keys, no chosen models, local providers where nobody listens. */
const NOTHING = {
  ...Object.fromEntries(
    Object.keys(process.env)
      .filter((name) => /^(FLYBALL_|OPENAI|ANTHROPIC|GOOGLE|AWS|AZURE)|_API_KEY$/.test(name))
      .map((name) => [name, undefined]),
  ),
  OLLAMA_HOST: undefined,
  ...NO_BROWSER,
};
const KEY = 'sk-a-very-secret-key-0123456789';

function desk(env: Readonly<Record<string, string | undefined>>) {
  const made = newDesk({ env: { ...NOTHING, ...env } });
  onTestFinished(() => made.clear());
  return made;
}

function finding({ out }: Ended, about: string): Section['findings'][number] | undefined {
  const { sections } = lastJson(out) as unknown as { readonly sections: readonly Section[] };
  return sections.flatMap(({ findings }) => findings).find((each) => each.about === about);
}

describe('flyball doctor', () => {
  it('says what to do where nothing is configured, and finds nothing wrong with that [R3-CLI-DOCTOR]', async () => {
    const { code, out, error } = await desk({ NODE_OPTIONS: '' }).flyball('doctor');
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^Models\n {2}· model +no model is configured\n +export FLYBALL_MODEL=/);
    expect(out).toMatch(/\n\nSandboxes\n/);
    expect(out).toMatch(/\n {2}[✓·] browser +/);
    expect(out).toMatch(/\n\nMachine\n {2}✓ node +v\d+/);
    expect(out).toMatch(/✓ database +.*flyball\.db, created with the first run/);
  });

  it('asks the chosen model, and says that it answers [R3-CLI-DOCTOR]', async () => {
    const { flyball, server } = await modelDesk(['yes'], NO_BROWSER);
    const { code, out } = await flyball('doctor');
    expect(code).toBe(0);
    expect(out).toMatch(/✓ model +openai-compatible\/test answers \(\d+ ms, \d+ tokens\)/);
    expect(out).toContain('Add a line such as price:'); // its price is not known
    expect(out).toMatch(/✓ openai-compatible +configured by OPENAI_COMPATIBLE_BASE_URL, at http:\/\/127\.0\.0\.1/);
    expect(server.requests).toHaveLength(1);
    expect(server.requestAt(1).sampling.maxOutputTokens).toBe(16);
  });

  it('asks nobody with --no-ask [R3-CLI-DOCTOR]', async () => {
    const { flyball, server } = await modelDesk([], NO_BROWSER);
    const { code, out } = await flyball('doctor', '--no-ask');
    expect(code).toBe(0);
    expect(out).toMatch(/✓ model +openai-compatible\/test, not asked/);
    expect(server.requests).toHaveLength(0);
  });

  it('tells the models of roles apart [R3-CLI-DOCTOR]', async () => {
    const { flyball } = await modelDesk(['yes', 'yes'], {
      FLYBALL_MODEL_JUDGE: 'openai-compatible/judge',
      ...NO_BROWSER,
    });
    const ended = await flyball('doctor', '--json');
    expect(finding(ended, 'model')).toMatchObject({ state: 'ok' });
    expect(finding(ended, 'model for judge')?.says).toMatch(/^openai-compatible\/judge answers/);
  });

  it.each([
    ['a server that is not there', { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, 'ECONNREFUSED'],
    ['a name that is none', { FLYBALL_MODEL: 'gpt' }, '"gpt" is not a model name. Write provider/model'],
    ['a provider without its key', { FLYBALL_MODEL: 'anthropic/claude-sonnet-4-5' }, 'Set ANTHROPIC_API_KEY'],
    ['a provider that nobody knows', { FLYBALL_MODEL: 'nowhere/x' }, 'nowhere'],
  ])('says why a model does not answer, and ends with 1: %s [R3-CLI-DOCTOR]', async (_what, env, says) => {
    const ended = await desk({ FLYBALL_MODEL: 'openai/gpt-4.1-mini', OPENAI_API_KEY: KEY, ...env }).flyball(
      'doctor',
      '--json',
    );
    expect(ended.code).toBe(1);
    expect(finding(ended, 'model')).toMatchObject({ state: 'problem', next: expect.stringContaining(says) });
    expect(ended.out + ended.error).not.toContain(KEY);
  });

  it.each([[['doctor']], [['doctor', '--json']]])(
    'never shows a key, even when the provider quotes it in its refusal: %j [R3-CLI-DOCTOR]',
    async (words) => {
      const other = 'tok-of-another-service';
      const { flyball, server } = await modelDesk(
        ({ headers }) => ({ refuse: { status: 401, message: `Wrong key ${headers.authorization}, not ${other}` } }),
        { OPENAI_COMPATIBLE_API_KEY: KEY, OTHER_SERVICE_TOKEN: other, ...NO_BROWSER },
      );
      const { code, out, error } = await flyball(...words);
      expect(code).toBe(1);
      expect(server.requestAt(1).headers.authorization).toBe(`Bearer ${KEY}`);
      expect(out).toContain('openai-compatible/test does not answer');
      expect(out).toContain('Wrong key Bearer [secret], not [secret]');
      expect(out + error).not.toContain(KEY);
      expect(out + error).not.toContain(other);
      expect(out).toContain('OPENAI_COMPATIBLE_API_KEY'); // its name helps
    },
  );

  it('shows no password that an address holds [R3-CLI-DOCTOR]', async () => {
    const env = { FLYBALL_MODEL: 'openai/x', OPENAI_BASE_URL: 'http://ada:hunter22@127.0.0.1:9/v1' };
    const { out } = await desk(env).flyball('doctor');
    expect(out).toContain('http://127.0.0.1:9/v1');
    expect(out).not.toContain('hunter22');
  });

  it('says that a provider needs more than is set [R3-CLI-DOCTOR]', async () => {
    const ended = await desk({ AZURE_API_KEY: KEY }).flyball('doctor', '--json', '--no-ask');
    expect(finding(ended, 'azure')).toMatchObject({
      state: 'absent',
      says: 'AZURE_API_KEY is set, but more is required',
    });
    expect(finding(ended, 'azure')?.next).toContain('AZURE_');
  });
});

describe('flyball doctor on databases', () => {
  it('counts the runs of one that is there [R3-CLI-DOCTOR]', async () => {
    const here = desk({});
    await here.flyball('run', AGENTS, '--agent', 'stuck');
    expect((await here.flyball('doctor')).out).toMatch(/✓ database +.*flyball\.db, 1 run\n/);
  });

  it.each([
    ['in a folder that takes nothing', '/proc/flyball/runs.db', 'nothing can be written to /proc'],
    ['below a file', 'file.txt/runs.db', 'nothing can be written to'],
    ['that is no database', 'file.txt', 'file.txt cannot be used'],
    ['that is a folder', 'folder', 'folder cannot be used'],
  ])('finds one that cannot be used, and ends with 1: %s [R3-CLI-DOCTOR]', async (_what, place, says) => {
    const here = desk({});
    writeFileSync(join(here.folder, 'file.txt'), 'This is a text and no database.\n'.repeat(100));
    mkdirSync(join(here.folder, 'folder'));
    const ended = await here.flyball('doctor', '--db', place, '--json');
    expect(ended.code).toBe(1);
    expect(finding(ended, 'database')).toMatchObject({ state: 'problem', says: expect.stringContaining(says) });
    expect(finding(ended, 'database')?.next).toContain('--db');
  });
});

describe('flyball doctor on sandboxes', () => {
  const bubblewrap = () => Promise.resolve({ available: false as const, why: 'bubblewrap is not installed' });
  const browser = () => Promise.reject(new Error('there is no Chromium'));

  it('says what confines tools, and what does not [R3-CLI-DOCTOR]', async () => {
    const findings = await sandboxFindings({ bubblewrap, browser, code: quickJsSandbox() });
    expect(findings).toEqual([
      {
        about: 'shell',
        state: 'absent',
        says: expect.stringContaining('without a sandbox'),
        next: 'bubblewrap is not installed',
      },
      { about: 'run_javascript', state: 'ok', says: 'confined by quickjs' },
      { about: 'browser', state: 'absent', says: 'cannot be started', next: 'there is no Chromium' },
    ]);
  });

  it('says where a package is missing [R3-CLI-DOCTOR]', async () => {
    const code = quickJsSandbox({ variant: 'not-installed-anywhere' });
    const [, script] = await sandboxFindings({ bubblewrap, browser, code });
    expect(script).toMatchObject({ state: 'absent', next: expect.stringContaining('not-installed-anywhere') });
  });

  it('tries bubblewrap out: one that is there and does not work is found [R3-CLI-DOCTOR]', async ({ skip }) => {
    const found = await detectBubblewrap();
    if (!found.available) {
      console.warn(`Nothing hides bubblewrap where it does not work: ${found.why}.`);
      skip();
      return;
    }
    const here = desk({});
    const whole = await here.flyball('doctor', '--json');
    expect(finding(whole, 'shell')).toMatchObject({ state: 'ok', says: `confined by bubblewrap (${found.path})` });
    const main = new URL('../../packages/flyball/dist/cli/main.js', import.meta.url).pathname;
    const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', found.path];
    const out = execFileSync(found.path, [...hidden, process.execPath, main, 'doctor', '--json'], {
      cwd: here.folder,
      env: { ...process.env, ...NO_BROWSER, FLYBALL_MODEL: '' },
      encoding: 'utf8',
    });
    const shell = finding({ code: 0, out, error: '' }, 'shell');
    expect(shell).toMatchObject({ state: 'absent', says: expect.stringContaining('without a sandbox') });
    expect(shell?.next).toContain('bubblewrap');
  });
});
