import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxJob, SandboxResult } from '../../packages/flyball/src/ports/sandbox.js';
import { commandLines, SECRET_TEXT, VARIABLE } from './host-canaries.js';

/** The contract of the Sandbox port as tests; each point names the sentence of the port that it shows. */
export function sandboxContract(name: string, make: () => Promise<Sandbox> | Sandbox): void {
  describe(`${name} keeps the contract of a sandbox`, () => {
    let sandbox: Sandbox;
    let folder: string;
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'flyball-contract-'));
      process.env[VARIABLE] = SECRET_TEXT;
      sandbox = await make();
    });
    afterAll(() => {
      rmSync(folder, { recursive: true, force: true });
      delete process.env[VARIABLE];
    });

    type Some = Partial<SandboxJob> & { readonly stages: SandboxJob['stages'] };
    const run = (job: Some, signal = new AbortController().signal): Promise<SandboxResult> =>
      sandbox.run({ cwd: folder, mounts: [{ path: folder, access: 'read-write' }], ...job }, { signal });

    it('gives a program its words exactly as they are [R3-SHELL-ARGV]', async () => {
      const words = [
        'a; touch planted',
        '$(id)',
        '`id`',
        '* ?',
        '> out',
        '| cat',
        "it's",
        '"',
        '\\',
        '',
        'ä\nb',
        '-n',
        '~',
      ];
      const { stdout, end } = await run({ stages: [['printf', '%s\\0', ...words]] });
      expect(end).toEqual({ how: 'exit', code: 0 });
      expect(stdout.head.split('\0').slice(0, -1)).toEqual(words);
    });

    it('tells exit codes apart, also of each stage', async () => {
      const { end, stages } = await run({
        stages: [
          ['sh', '-c', 'exit 3'],
          ['sh', '-c', 'cat; exit 2'],
        ],
      });
      expect(end).toEqual({ how: 'exit', code: 2 });
      expect(stages).toEqual([
        { how: 'exit', code: 3 },
        { how: 'exit', code: 2 },
      ]);
    });

    it('says when there is no such program', async () => {
      const { end } = await run({ stages: [['no-such-program-here', 'x']] });
      expect(end).toMatchObject({ how: 'not-started', because: expect.stringContaining('no-such-program-here') });
    });

    it('connects stages by pipes: a reader that has enough quietly ends its writer', async () => {
      const { end, stdout, stderr } = await run({ stages: [['yes', 'line'], ['cat'], ['head', '-n', '2']] });
      expect(end).toEqual({ how: 'exit', code: 0 });
      expect(stdout.head).toBe('line\nline\n');
      expect(stderr.head).toBe('');
    });

    it('gives the first stage its input, and nothing to read without one', async () => {
      expect((await run({ stages: [['cat'], ['wc', '-c']], stdin: 'x'.repeat(500_000) })).stdout.head.trim()).toBe(
        '500000',
      );
      expect((await run({ stages: [['cat']] })).stdout).toMatchObject({ head: '', bytes: 0 });
    });

    it('is not disturbed by a program that does not read its input', async () => {
      const { end } = await run({ stages: [['true']], stdin: 'x'.repeat(5_000_000) });
      expect(end).toEqual({ how: 'exit', code: 0 });
    });

    it('passes on no variable but those of the job [R3-SANDBOX-FRESH]', async () => {
      const { stdout } = await run({ stages: [['env']], env: { GIVEN: 'yes' } });
      const names = stdout.head
        .trim()
        .split('\n')
        .map((line) => line.split('=', 1)[0] ?? '');
      const always = ['FLYBALL_JOB', 'GIVEN', 'HOME', 'LANG', 'PATH', 'PWD'];
      expect(names.filter((each) => !always.includes(each))).toEqual([]);
      expect(stdout.head).toContain('GIVEN=yes');
      expect(stdout.head).not.toContain(SECRET_TEXT);
    });

    it('kills everything at the wall limit, grandchildren and those that ignore signals included [R3-SHELL-KILL]', async () => {
      const script = `trap "" TERM INT HUP; (sleep 3600.125 & sleep 3600.125) & sleep 3600.125`;
      const { end, usage } = await run({ stages: [['sh', '-c', script]], limits: { wallMs: 400 } });
      expect(end).toEqual({ how: 'limit', limit: 'wallMs', allowed: 400 });
      expect(usage.wallMs).toBeLessThan(10_000);
      expect(commandLines().filter((line) => line.startsWith('sleep 3600.125'))).toEqual([]);
    });

    it('kills every stage of a pipeline at the limit [R3-SHELL-KILL]', async () => {
      const stages = [['sleep', '3600.25'], ['sleep', '3600.25'], ['cat']];
      expect((await run({ stages, limits: { wallMs: 300 } })).end).toMatchObject({ how: 'limit', limit: 'wallMs' });
      expect(commandLines().filter((line) => line.startsWith('sleep 3600.25'))).toEqual([]);
    });

    it('kills everything when the call is aborted, before or while it runs', async () => {
      const stop = new AbortController();
      const running = run({ stages: [['sh', '-c', 'sleep 3600.5 & wait']] }, stop.signal);
      const ready = async () => commandLines().some((line) => line.startsWith('sleep 3600.5'));
      await expect.poll(ready).toBe(true);
      stop.abort();
      expect((await running).end).toEqual({ how: 'aborted' });
      expect(await ready()).toBe(false);
      expect((await run({ stages: [['sleep', '3600']] }, AbortSignal.abort())).end).toEqual({ how: 'aborted' });
    });

    it('leaves nothing running that a program left in the background', async () => {
      const { end, stdout } = await run({ stages: [['sh', '-c', 'sleep 3600.75 & setsid sleep 3600.75 & echo done']] });
      expect(end).toEqual({ how: 'exit', code: 0 });
      expect(stdout.head).toBe('done\n');
      expect(commandLines().filter((line) => line.includes('sleep 3600.75'))).toEqual([]);
    });

    it('keeps both ends of endless output and counts the rest', async () => {
      const { stdout } = await run({ stages: [['seq', '1', '200000']], limits: { outputBytes: 1000 } });
      expect(stdout.head.startsWith('1\n2\n3\n')).toBe(true);
      expect(stdout.tail.endsWith('199999\n200000\n')).toBe(true);
      expect(stdout.head.length + stdout.tail.length).toBeLessThanOrEqual(1000);
      expect(stdout).toMatchObject({
        bytes: 1_288_895,
        lines: 200_000,
        elidedBytes: 1_288_895 - stdout.head.length - stdout.tail.length,
      });
    });

    it('keeps stderr apart, of all stages', async () => {
      const { stdout, stderr } = await run({
        stages: [
          ['sh', '-c', 'echo one >&2; echo out'],
          ['sh', '-c', 'cat; echo two >&2'],
        ],
      });
      expect(stdout.head).toBe('out\n');
      expect(stderr.head.split('\n').sort()).toEqual(['', 'one', 'two']);
    });

    it('ends a program that computes for too long', async () => {
      const { end } = await run({
        stages: [['sh', '-c', 'while :; do :; done']],
        limits: { cpuS: 1, wallMs: 600_000 },
      });
      expect(end).toEqual({ how: 'limit', limit: 'cpuS', allowed: 1 });
    });

    it('works in the folder it is told', async () => {
      writeFileSync(join(folder, 'here'), 'found');
      expect((await run({ stages: [['cat', 'here']] })).stdout.head).toBe('found');
    });

    it.each([
      ['no stage', { stages: [] }],
      ['a stage without a program', { stages: [[]] }],
      ['an empty program', { stages: [['']] }],
      ['a zero byte', { stages: [['echo', 'a\0b']] }],
      ['a limit that is none', { stages: [['true']], limits: { wallMs: Number.NaN } }],
      ['a negative limit', { stages: [['true']], limits: { memoryMb: -1 } }],
      ['a relative folder', { stages: [['true']], cwd: 'here' }],
      ['a folder that is not there', { stages: [['true']], cwd: '/no/such/folder' }],
      ['a variable with a bad name', { stages: [['true']], env: { 'A=B': 'x' } }],
    ])('refuses a job with %s before anything starts', async (_what, job) => {
      await expect(run(job as Some)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    });
  });
}
