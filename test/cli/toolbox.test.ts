import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToolbox, type Toolbox } from 'flyball';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { detectBubblewrap } from '../../packages/flyball/src/adapters/sandbox-bubblewrap/detect.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'flyball-toolbox-'));
  writeFileSync(join(root, 'notes.txt'), 'tides');
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs/guide.txt'), 'moon');
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

/** Calls a tool as a run does, without the guards around it. */
async function call({ tools }: Toolbox, name: string, args: unknown): Promise<string> {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`There is no ${name}.`);
  const how = { key: 'k', signal: new AbortController().signal };
  const result: unknown = await tool.execute(args as never, how);
  return JSON.stringify(result);
}

const namesOf = ({ tools }: Toolbox) => tools.map(({ name }) => name);
const missingIn = ({ missing }: Toolbox) => missing.map(({ tool }) => tool);

describe('a toolbox', () => {
  it('reads its own folder and nothing else where nothing is granted [R3-CLI-RUN-YAML]', async () => {
    const toolbox = await createToolbox({ root });
    expect(await call(toolbox, 'read_file', { path: 'notes.txt' })).toContain('tides');
    await expect(call(toolbox, 'read_file', { path: '/etc/hostname' })).rejects.toThrow('outside the allowed folders');
    expect(namesOf(toolbox)).not.toContain('write_file');
    expect(namesOf(toolbox)).not.toContain('web_fetch');
    expect(missingIn(toolbox)).toEqual(
      expect.arrayContaining(['write_file', 'edit_file', 'web_fetch', 'browser_open']),
    );
  });

  it('still reads its own folder where it may write another one, and starts paths from it [R3-CLI-RUN-YAML]', async () => {
    mkdirSync(join(root, 'out'));
    const toolbox = await createToolbox({ root, access: { write: ['out'] } });
    expect(await call(toolbox, 'read_file', { path: 'notes.txt' })).toContain('tides');
    await call(toolbox, 'write_file', { path: 'out/new.txt', content: 'written' });
    expect(readFileSync(join(root, 'out/new.txt'), 'utf8')).toBe('written');
    await expect(call(toolbox, 'write_file', { path: 'new.txt', content: 'x' })).rejects.toThrow('not written');
  });

  it('reads only what access.read names, where it names something [R3-CLI-RUN-YAML]', async () => {
    const toolbox = await createToolbox({ root, access: { read: ['docs'] } });
    expect(await call(toolbox, 'read_file', { path: join(root, 'docs/guide.txt') })).toContain('moon');
    await expect(call(toolbox, 'read_file', { path: join(root, 'notes.txt') })).rejects.toThrow('outside');
  });

  it('keeps what is protected as it is, there or not yet [R3-CLI-RUN-YAML]', async () => {
    const toolbox = await createToolbox({ root, access: { write: ['.'] }, protect: ['notes.txt', 'docs', 'later'] });
    for (const path of ['notes.txt', 'docs/guide.txt', 'docs/new.txt', 'later/x.mjs'])
      await expect(call(toolbox, 'write_file', { path, content: 'x' }), path).rejects.toThrow('not written');
    await expect(call(toolbox, 'delete_file', { path: 'notes.txt' })).rejects.toThrow('not written');
    await call(toolbox, 'write_file', { path: 'free.txt', content: 'x' });
    expect(await call(toolbox, 'read_file', { path: 'docs/guide.txt' })).toContain('moon');
  });

  it('has tools that go online only for the hosts that it names [R3-CLI-RUN-YAML]', async () => {
    const toolbox = await createToolbox({ root, access: { domains: ['example.com'] } });
    expect(namesOf(toolbox)).toEqual(expect.arrayContaining(['web_fetch', 'browser_open', 'browser_read']));
    expect(missingIn(toolbox)).not.toContain('web_fetch');
    await expect(call(toolbox, 'web_fetch', { url: 'http://example.org/' })).rejects.toThrow('example.org');
    await toolbox.close(); // no browser was started: nothing to close
  });
});

const found = await detectBubblewrap();
if (!found.available) console.warn(`What bubblewrap confines is not shown here: ${found.why}.`);

describe.skipIf(!found.available)('the shell of a toolbox', () => {
  it('is confined by bubblewrap, which holds protected files too [R3-CLI-RUN-YAML]', async () => {
    const toolbox = await createToolbox({
      root,
      access: { write: ['.'], commands: ['cp'] },
      protect: ['notes.txt', 'later'],
    });
    expect(toolbox.sandbox).toMatchObject({ files: { confined: true }, network: { confined: true } });
    expect(await call(toolbox, 'shell', { command: 'cp docs/guide.txt copy.txt' })).toContain('"code":0');
    expect(readFileSync(join(root, 'copy.txt'), 'utf8')).toBe('moon');
    await call(toolbox, 'shell', { command: 'cp docs/guide.txt notes.txt' }).catch(() => undefined);
    expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('tides');
  });

  it('is left out without a sandbox, or says in every result that there is none [R3-CLI-RUN-YAML]', () => {
    const path = found.available ? found.path : '';
    const entry = new URL('../../packages/flyball/dist/index.js', import.meta.url).href;
    const program = `
const { createToolbox } = await import(${JSON.stringify(entry)});
const root = ${JSON.stringify(root)};
const refused = await createToolbox({ root });
const said = await createToolbox({ root, withoutSandbox: 'say' });
const shell = said.tools.find(({ name }) => name === 'shell');
const result = await shell.execute({ command: 'cat notes.txt' }, { key: 'k', signal: new AbortController().signal });
console.log(JSON.stringify({ missing: refused.missing.find(({ tool }) => tool === 'shell'), sandbox: said.sandbox, text: shell.present(result) }));
process.exit(0);`;
    const hidden = ['--dev-bind', '/', '/', '--ro-bind', '/dev/null', path]; // a machine where it does not work
    const out = execFileSync(path, [...hidden, process.execPath, '--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    const seen = JSON.parse(out) as {
      missing: { why: string };
      sandbox: { files: { confined: boolean } };
      text: string;
    };
    expect(seen.missing.why).toContain('bubblewrap');
    expect(seen.sandbox.files.confined).toBe(false);
    expect(seen.text).toContain('tides');
    expect(seen.text).toMatch(/without (a )?sandbox|no sandbox|not sandboxed|unconfined/i);
  });
});
