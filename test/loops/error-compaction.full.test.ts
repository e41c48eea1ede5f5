import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tool } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { estimateTokens } from '../../packages/flyball/src/testing/token-estimate.js';
import { forEver, proposes, runLoop } from './stage-loop.js';

const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flyball-errors-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles with the real compiler; its complaints are the failure. */
const compile = tool({
  name: 'compile',
  description: 'Compiles a file. Not for anything else.',
  effect: 'pure',
  retry: { retries: 0 },
  input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
  execute: ({ file }) =>
    new Promise((resolve, reject) => {
      execFile(
        process.execPath,
        [TSC, '--noEmit', '--pretty', 'false', '--types', '', String(file)],
        { cwd: folder },
        // the same file fails again, which says nothing about the health of the compiler
        (error, stdout) =>
          error === null ? resolve('It compiles.') : reject(Object.assign(new Error(stdout), { retryable: false })),
      );
    }),
});

/** Connects to a port where nobody listens. */
const dial = tool({
  name: 'dial',
  description: 'Connects to a port. Not for anything else.',
  effect: 'pure',
  retry: { retries: 0 },
  input: { type: 'object', properties: { port: { type: 'number' } }, required: ['port'] },
  execute: ({ port }) =>
    new Promise((resolve, reject) => {
      connect(Number(port), '127.0.0.1', () => resolve('connected')).on('error', (error) => {
        // as many tools do it: the stack comes along
        reject(new Error(`${error.stack}\n${'request dump: '.repeat(40)}`));
      });
    }),
});

async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const toolTexts = (messages: readonly { readonly role: string; readonly content: string }[] = []) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content);

describe('errors that repeat', () => {
  it('of a real compiler cost at least 80 % fewer tokens than raw; the journal has all of them [R3-LOOP-COMPACT-ERRORS] [V11.acceptance]', async () => {
    const wrong = Array.from({ length: 40 }, (_, n) => `const value${n}: number = "text ${n}";`).join('\n');
    writeFileSync(join(folder, 'wrong.ts'), wrong);
    const { model, stage, result } = await runLoop(
      [...Array.from({ length: 8 }, () => proposes('compile', { file: 'wrong.ts' })), 'I give up.'],
      {
        tools: [compile],
        config: { doubleConfirmation: false, maxConsecutiveErrors: 20, repeatLimit: 20 },
        limits: { noProgress: 100 },
      },
    );
    expect(result.termination).toBe('completed');
    const seen = toolTexts(model.requests.at(-1)?.messages);
    const raw = (await stage.events('abort')).map(({ failure }) => failure.message);
    expect(raw).toHaveLength(8);
    for (const message of raw) expect(message).toContain('wrong.ts(40,7): error TS2322'); // whole, in the journal
    expect(seen[0]).toContain('wrong.ts(1,7): error TS2322');
    expect(seen.slice(1)).toEqual(
      Array.from({ length: 7 }, (_, n) =>
        expect.stringMatching(new RegExp(`^Error EFFECT_FAILED \\(×${n + 2}\\), as before: wrong`)),
      ),
    );
    expect(estimateTokens(seen.join('\n'))).toBeLessThan(0.2 * estimateTokens(raw.join('\n')));
    expect(estimateTokens(seen.slice(1).join('\n'))).toBeLessThan(0.1 * estimateTokens(raw.slice(1).join('\n')));
  });

  it('are kept apart by where they are: two mistakes are two lines [R3-LOOP-COMPACT-ERRORS] [V11.acceptance]', async () => {
    writeFileSync(join(folder, 'one.ts'), 'const a: number = "x";\n');
    writeFileSync(join(folder, 'two.ts'), '\n\nconst a: number = "x";\n');
    const { model } = await runLoop(
      [proposes('compile', { file: 'one.ts' }), proposes('compile', { file: 'two.ts' }), 'Two mistakes.'],
      { tools: [compile], config: { doubleConfirmation: false } },
    );
    const [one, two] = toolTexts(model.requests.at(-1)?.messages);
    expect(one).toMatch(/^Error EFFECT_FAILED: one\.ts\(1,7\)/);
    expect(two).toMatch(/^Error EFFECT_FAILED: two\.ts\(3,7\)/);
  });

  it('of refused connections on other ports are one kind, end the loop at the third, and bring no stack [R3-LOOP-COMPACT-ERRORS] [V11.acceptance]', async () => {
    const ports = [await closedPort(), await closedPort(), await closedPort()];
    const { model, stage, result, outcome } = await runLoop(
      forEver((n) => proposes('dial', { port: ports[n - 1] ?? 1 })),
      { tools: [dial] },
    );
    expect(result).toMatchObject({ termination: 'error', iterations: 3 });
    expect(outcome.stop).toBe('failed');
    const seen = toolTexts(model.requests.at(-1)?.messages);
    expect(seen[0]).toContain('ECONNREFUSED');
    expect(seen[1]).toMatch(/^Error EFFECT_FAILED \(×2\), as before: .*ECONNREFUSED/);
    for (const request of model.requests)
      for (const text of toolTexts(request.messages)) expect(text).not.toMatch(/^\s*at |node:/m);
    const raw = (await stage.events('abort')).map(({ failure }) => failure.message);
    for (const message of raw) expect(message).toMatch(/\n\s+at /); // the journal keeps it
  });
});
