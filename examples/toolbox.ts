import { strict as assert } from 'node:assert';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Agent, budget, createRuntime, createToolbox, done, memoryEngine, systemClock } from 'flyball';
import { governance, toolset } from 'flyball/tools';

/** The built-in tools over one folder: what is granted works, what is not is refused with a reason. */

const site = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<title>Hours</title><script>steal()</script><p>Open from 9 to 17.</p>');
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const { port } = site.address() as AddressInfo;
const folder = mkdtempSync(join(tmpdir(), 'flyball-toolbox-'));
mkdirSync(join(folder, 'out'));
writeFileSync(join(folder, 'notes.txt'), 'Call Bergen.\nCall Oslo.\n');
symlinkSync('/etc', join(folder, 'shortcut'));

// #region create
const toolbox = await createToolbox({
  root: folder, // relative paths start here
  access: {
    read: ['.'],
    write: ['out'],
    domains: [], // hosts for web_fetch and the browser, such as docs.example.com or *.example.org
    privateAddresses: [`127.0.0.1:${port}`], // allows this one local server
  },
  withoutSandbox: 'say', // without bubblewrap: run what the rules allow, and mark every result
});
const { name, files } = toolbox.sandbox ?? {}; // what confines commands here: files, network, memory, processes, CPU
console.log(`toolbox: ${name}, files ${files?.confined ? 'confined' : 'NOT confined'}: ${files?.by}`);
for (const { tool, why } of toolbox.missing) console.log(`toolbox: no ${tool}, ${why}`);
// #endregion

// #region calls
const CALLS: readonly (readonly [tool: string, args: object])[] = [
  ['search_files', { query: 'Oslo' }],
  ['write_file', { path: 'out/reply.txt', content: 'We call today.\n' }],
  ['shell', { command: 'cat notes.txt | grep -c Call' }],
  ['web_fetch', { url: `http://127.0.0.1:${port}/hours` }],
  ['run_javascript', { code: 'return input.reduce((a, b) => a + b)', input: [1, 2, 3] }],
  // refused, each with a reason that a model can read
  ['write_file', { path: 'notes.txt', content: '' }],
  ['read_file', { path: 'shortcut/passwd' }],
  ['shell', { command: 'cat notes.txt; rm -rf out' }],
  ['shell', { argv: ['python3', '-c', 'print(1)'] }],
  ['web_fetch', { url: 'http://169.254.169.254/latest/meta-data/' }],
  ['web_fetch', { url: 'https://elsewhere.example/' }],
];
// #endregion

const tools = toolset(toolbox.tools);
const agent: Agent<boolean, readonly string[]> = async (run, fails) => {
  const said: string[] = [];
  for (const [name, args] of CALLS) {
    const tool = tools.get(name);
    assert(tool !== undefined);
    said.push((await run.call(tool, args)).content);
  }
  if (fails) throw new Error('the customer called it off');
  return done(said);
};

// #region governed
const seams = governance({
  clock: systemClock(),
  tools: toolbox.tools,
  autonomy: 'autonomous',
  rateLimit: 'off',
  trifecta: 'off', // by default a person is asked before the first fetch after a file was read
  ...toolbox.rules, // the same rules for every other tool that declares what it touches
});
const runtime = createRuntime({ engine: memoryEngine(), agents: { agent }, seams });
// #endregion
const outcome = await (await runtime.start('agent', false, { budget: budget() })).outcome();
assert(outcome.stop === 'done');
const said = outcome.value;

// #region answers
const EXPECTED = [
  /notes\.txt:2.*Call Oslo\./s,
  /^Created out\/reply\.txt \(\+1 −0 lines\)\.$/,
  /exit code 0\nstdout:\n2/,
  /Title: Hours\n\nOpen from 9 to 17\.$/, // text, without the script
  /^returned 6$/,
  /may be read and not written\.$/,
  /leads through a link to where the rules do not allow it\.$/,
  /Several commands in one line .* are not allowed\./,
  /python3 is not among the allowed programs/,
  /169\.254\.169\.254 is not a public address: a cloud metadata service\.$/,
  /elsewhere\.example is not an allowed domain/,
];
for (const [n, pattern] of EXPECTED.entries()) assert.match(said[n] ?? '', pattern);
// #endregion
assert.equal(outcome.usage?.filesChanged, 1); // as the tool reported

// #region undone
assert.equal(readFileSync(join(folder, 'out/reply.txt'), 'utf8'), 'We call today.\n');
rmSync(join(folder, 'out/reply.txt'));
const failed = await (await runtime.start('agent', true, { budget: budget() })).outcome();
assert(failed.stop === 'failed');
assert.deepEqual(
  failed.rollback?.entries.map(({ name, status }) => `${name}: ${status}`),
  ['write_file: COMPENSATED'],
);
assert.equal(existsSync(join(folder, 'out/reply.txt')), false); // the saga took it away again
// #endregion

await runtime.close();
await toolbox.close();
site.close();
rmSync(folder, { recursive: true });
console.log(`toolbox: ${tools.names.join(', ')}`);
