import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';

const FOLDER = join(root, 'packages/flyball/dist-examples');
const temporary = mkdtempSync(join(tmpdir(), 'flyball-examples-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** Refuses every connection that leaves this machine, in the process and in all Node processes it starts. */
const NO_NETWORK = `data:text/javascript,${encodeURIComponent(`
  import net from 'node:net';
  const connect = net.Socket.prototype.connect;
  net.Socket.prototype.connect = function (...given) {
    const host = given.flat()[0]?.host ?? '127.0.0.1';
    if (!['127.0.0.1', 'localhost', '::1'].includes(host)) throw new Error('no network: ' + host);
    return connect.apply(this, given);
  };
`)}`;

/** As in a fresh shell: no key of any service in the environment. */
async function run(file: string): Promise<{ readonly code: number | null; readonly out: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [join(FOLDER, file)], {
    cwd: root,
    env: { PATH, HOME, TMPDIR: temporary, NODE_OPTIONS: `--import ${NO_NETWORK}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  const [code] = await once(child, 'close');
  return { code: code as number | null, out };
}

describe('examples', () => {
  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.js')))('%s holds what it asserts', async (file) => {
    const { code, out } = await run(file);
    expect(code, out).toBe(0);
  });
});

describe('the demonstration', () => {
  it('spends a budget, waits for an approval, is killed, resumes, and pays once; it needs no key and no network [R2-REPO-DEMO] [R2-REPO-OFFLINE]', async () => {
    const { code, out } = await run('demo/demo.js');
    expect(code, out).toBe(0);
    expect(out).toContain('scripted model, no API key needed');
    const chapters = [
      'modelCalls at 80 %',
      'waiting for approval of pay',
      'kill -9, at the worst moment',
      'resumed after a crash',
      'exactly one payment',
    ];
    const positions = chapters.map((text) => out.indexOf(text));
    expect(positions, out).toEqual([...positions].sort((a, b) => a - b)); // told in this order
    expect(positions, out).not.toContain(-1);
  });
});
