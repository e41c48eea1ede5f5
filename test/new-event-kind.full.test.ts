import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { root } from '../scripts/files.mjs';
import { patient } from './patience.js';

/** The folds over events of the kernel and the views. */
const FOLDS = [
  'core/acts.ts',
  'core/waits.ts',
  'runtime/history/budgets.ts',
  'runtime/history/effects.ts',
  'runtime/history/lives.ts',
  'runtime/history/rollbacks.ts',
  'runtime/history/standing.ts',
  'runtime/history/told.ts',
  'runtime/recorded.ts',
  'runtime/saga.ts',
  'runtime/state-fold.ts',
  'runtime/turns.ts',
  'runtime/went-on.ts',
  'runtime/writer.ts',
  'views/checkpoint.ts',
  'views/effects.ts',
  'views/loop-trace.ts',
  'views/timeline-sentences.ts',
  'views/trace.ts',
  'views/without-private.ts',
];

it(
  'a new kind of event does not compile until every fold has an answer for it [R9-KERNEL-KINDS]',
  async () => {
    const copy = mkdtempSync(join(tmpdir(), 'new-kind-'));
    try {
      for (const room of ['core', 'ports', 'runtime', 'views'])
        cpSync(join(root, 'packages/flyball/src', room), join(copy, 'src', room), { recursive: true });
      symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
      const events = join(copy, 'src/core/events.ts');
      const text = readFileSync(events, 'utf8');
      const withOne = text.replace(
        'export type ControlEvent =',
        "export type ControlEvent =\n  | { readonly type: 'of-tomorrow' }",
      );
      expect(withOne).not.toBe(text);
      writeFileSync(events, withOne);
      const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
      const { paths: _paths, ...options } = compilerOptions;
      writeFileSync(
        join(copy, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: options, files: ['src/runtime/open-runtime.ts', 'src/views/index.ts'] }),
      );
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const said = await promisify(execFile)(process.execPath, [tsc, '-p', copy, '--pretty', 'false'], {
        cwd: copy,
      }).then(
        ({ stdout }) => stdout,
        (error: { readonly stdout: string }) => error.stdout,
      );
      const broken = new Set([...said.matchAll(/^src\/(\S+?)\(\d+,\d+\): error /gm)].map((match) => match[1]));
      expect([...broken].sort()).toEqual(expect.arrayContaining(FOLDS));
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
  patient(60_000),
);
