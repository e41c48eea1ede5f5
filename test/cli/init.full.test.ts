import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type Desk, lastJson, newDesk } from './flyball.js';
import { MODEL, modelDesk } from './model-desk.js';

const FILES = ['.gitignore', 'README.md', 'agent.yaml', 'package.json', 'test', 'tools'];

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

/** A command of the new project, as a person gives it there. */
async function npm(folder: string, words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  // what npm said to the process that runs these tests is not for the new project
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|FLYBALL_|NODE_OPTIONS$|VITEST|NODE_TEST)/.test(name),
  );
  const options = { cwd: folder, env: { ...Object.fromEntries(own), ...env } };
  const [program = '', ...rest] = words;
  try {
    const { stdout, stderr } = await promisify(execFile)(program, rest, options);
    return { code: 0, out: stdout, error: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, out: stdout, error: stderr };
  }
}

const install = (folder: string) => npm(folder, ['npm', 'install', '--offline', '--no-audit', '--no-fund']);

function desk(): Desk {
  const made = newDesk();
  onTestFinished(() => made.clear());
  return made;
}

describe('flyball init', () => {
  it('makes a project whose test passes and whose agent runs, without a network [R3-CLI-INIT]', async () => {
    const question = '{"question":"How many words has this?"}';
    const {
      flyball,
      folder: parent,
      server,
    } = await modelDesk([
      { toolCalls: [{ id: 'c1', name: 'count_words', arguments: '{"text":"one two three four"}' }] },
      'Four.',
      '{"answer":"Four."}',
    ]);
    const made = await flyball('init', 'my-agent');
    expect(made.code, made.error).toBe(0);
    expect(made.out).toContain('my-agent is ready.');
    expect(made.out).toContain('    cd my-agent\n    npm install\n    npm test\n');
    const folder = join(parent, 'my-agent');
    expect(readdirSync(folder).sort()).toEqual(FILES);

    expect(await install(folder)).toMatchObject({ code: 0 });
    const tested = await npm(folder, ['npm', 'test']);
    expect(tested.code, tested.out).toBe(0);
    expect(tested.out).toMatch(/pass 1/);

    const env = { OPENAI_COMPATIBLE_BASE_URL: server.baseUrl('openai-chat'), FLYBALL_MODEL: MODEL };
    const unpriced = await npm(folder, ['npx', 'flyball', 'run', 'agent.yaml', '--input', question], env);
    expect(unpriced.code).toBe(2);
    expect(unpriced.error).toContain('price: { input:');
    const agent = readFileSync(join(folder, 'agent.yaml'), 'utf8');
    writeFileSync(join(folder, 'agent.yaml'), agent.replace('# price:', 'price:')); // as the sentence says
    const ran = await npm(folder, ['npx', 'flyball', 'run', 'agent.yaml', '--input', question], env);
    expect(ran.code, ran.error).toBe(0);
    expect(ran.out.trimEnd()).toMatch(/\n {2}Four\.$/);
    const toolResults = server.requestAt(2).messages.filter(({ role }) => role === 'tool');
    expect(toolResults.map(({ content }) => content)).toEqual(['{"words":4}']);
    server.assertFinished();
    expect(existsSync(join(folder, '.flyball/flyball.db'))).toBe(true);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.flyball/');
  });

  it('makes a test that fails when the tool is broken [R3-CLI-INIT]', async () => {
    const here = desk();
    await here.flyball('init', '.', '--name', 'helper');
    expect(await install(here.folder)).toMatchObject({ code: 0 });
    const tool = join(here.folder, 'tools/count-words.mjs');
    writeFileSync(tool, readFileSync(tool, 'utf8').replace("name: 'count_words'", "name: 'count_letters'"));
    const { code, out } = await npm(here.folder, ['npm', 'test']);
    expect(code).not.toBe(0);
    expect(out).toContain('count_words');
  });

  it('depends on this very folder while there is no release of it [R3-CLI-INIT]', async () => {
    const here = desk();
    const { code, out } = await here.flyball('init', '--name', 'helper', '--json');
    expect(code).toBe(0);
    expect(lastJson(out)).toMatchObject({
      kind: 'init',
      name: 'helper',
      next: expect.arrayContaining(['npm install']),
    });
    const manifest = JSON.parse(readFileSync(join(here.folder, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: 'helper',
      dependencies: { flyball: `file:${join(root, 'packages/flyball')}` },
    });
  });

  it.each([
    ['the release that it belongs to', { resolved: 'https://registry.npmjs.org/flyball/-/flyball-1.tgz' }, 'release'],
    ['that release where npm notes no addresses', { integrity: 'sha512-abc' }, 'release'],
    ['the tarball that it was installed from', { resolved: 'file:../kept.tgz', integrity: 'sha512-abc' }, 'kept.tgz'],
    ['its own folder where that tarball is gone', { resolved: 'file:../gone.tgz', integrity: 'sha512-abc' }, 'folder'],
    ['its own folder where nobody noted where it came from', undefined, 'folder'],
  ])('depends on %s [R3-CLI-INIT] [F-N4]', async (_what, noted, expected) => {
    const here = desk();
    const project = join(here.folder, 'project');
    const packages = join(project, 'node_modules');
    mkdirSync(packages, { recursive: true });
    for (const name of ['commander', 'yaml', '@cfworker'])
      symlinkSync(join(root, 'node_modules', name), join(packages, name));
    cpSync(join(root, 'packages/flyball/dist'), join(packages, 'flyball/dist'), { recursive: true });
    cpSync(join(root, 'packages/flyball/package.json'), join(packages, 'flyball/package.json'));
    writeFileSync(join(here.folder, 'kept.tgz'), '');
    if (noted !== undefined)
      writeFileSync(
        join(packages, '.package-lock.json'),
        JSON.stringify({ packages: { 'node_modules/flyball': { version: '1.0.0', ...noted } } }),
      );
    const made = await npm(project, [process.execPath, 'node_modules/flyball/dist/cli/main.js', 'init', 'new']);
    expect(made.code, made.error).toBe(0);
    const { version } = JSON.parse(readFileSync(join(root, 'packages/flyball/package.json'), 'utf8')) as {
      version: string;
    };
    const manifest = JSON.parse(readFileSync(join(project, 'new/package.json'), 'utf8')) as { dependencies: object };
    const own = { release: `^${version}`, folder: `file:${realpathSync(join(packages, 'flyball'))}` };
    const kept = `file:${realpathSync(here.folder)}/kept.tgz`;
    expect(manifest.dependencies).toEqual({ flyball: expected === 'kept.tgz' ? kept : own[expected as 'release'] });
    expect(made.out.includes('was not installed from a registry')).toBe(expected !== 'release');
  });

  it('overwrites nothing, and writes nothing beside what is there [R3-CLI-INIT]', async () => {
    const here = desk();
    mkdirSync(join(here.folder, 'mine/tools'), { recursive: true });
    writeFileSync(join(here.folder, 'mine/agent.yaml'), 'mine');
    const { code, error } = await here.flyball('init', 'mine');
    expect(code).toBe(2);
    expect(error).toContain('mine already contains agent.yaml. Name an empty folder; nothing is overwritten.');
    expect(readFileSync(join(here.folder, 'mine/agent.yaml'), 'utf8')).toBe('mine');
    expect(readdirSync(join(here.folder, 'mine')).sort()).toEqual(['agent.yaml', 'tools']);
  });

  it.each([
    ['a file', 'taken', 'is a file'],
    ['a place that takes nothing', '/proc/flyball/new', 'cannot be written'],
    ['a name without letters', '日本', 'cannot be used as a name. Set one with letters and digits: --name'],
  ])('refuses %s with a sentence [R3-CLI-INIT]', async (_what, folder, says) => {
    const here = desk();
    writeFileSync(join(here.folder, 'taken'), '');
    const { code, error } = await here.flyball('init', folder);
    expect(code).toBe(2);
    expect(error).toContain(says);
    expect(error).not.toMatch(/\n\s+at /);
  });

  it.each([
    ['my agent', 'my-agent', `cd 'my agent'`],
    ['Über café', 'uber-cafe', `cd 'Über café'`],
    ["it's", 'it-s', `cd 'it'\\''s'`],
    ['123', '123', 'cd 123'],
    ['true', 'true', 'cd true'],
    ['_private_', 'private', 'cd _private_'],
    ['flyball', 'flyball-agent', 'cd flyball'],
    ['a/b/Deep', 'deep', 'cd a/b/Deep'],
  ])('makes a working project in a folder called %s [R3-CLI-INIT]', async (given, name, cd) => {
    const here = desk();
    const { code, out, error } = await here.flyball('init', given);
    expect(code, error).toBe(0);
    expect(out).toContain(`${name} is ready.`);
    expect(out).toContain(`    ${cd}\n`);
    const folder = join(here.folder, given);
    expect(await install(folder)).toMatchObject({ code: 0 });
    const tested = await npm(folder, ['npm', 'test']);
    expect(tested.code, tested.out).toBe(0);
  });
});
