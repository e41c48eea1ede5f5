import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import type { ServerScript } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { patient } from '../patience.js';
import { expectConversations, expectDone, expectShown } from './checks.js';
import { FORMATS, type SpokenFormat } from './formats.js';
import { TURNS } from './task.js';
import { provider, stage, type WireOptions, type WireRun } from './wire-stage.js';

const REFUSED_FIRST: ServerScript = TURNS.flatMap((turn) => [{ misbehave: '503' }, turn]);

describe('a tool loop over HTTP', () => {
  for (const format of FORMATS) {
    it(`leaves the same journal streamed and in one piece, over ${format.name} [R3-SHOW-WIRE]`, async () => {
      for (const script of [TURNS, REFUSED_FIRST]) {
        const whole = await loop(format, script, { streaming: false });
        const streamed = await loop(format, script, { streaming: true });
        expect(streamed.pieces.length).toBeGreaterThan(TURNS.length);
        expect(timeless(streamed.entries)).toEqual(timeless(whole.entries));
      }
    });

    it(`does the same on SQLite, in real time, over ${format.name} [R3-SHOW-WIRE]`, async () => {
      const inMemory = await loop(format, TURNS, { streaming: true });
      const engine = await sqliteEngine({ path: join(newFolder(), 'runs.db') });
      onTestFinished(() => engine.close());
      const onDisk = await loop(format, TURNS, { streaming: true, engine, clock: systemClock() });
      expectDone(onDisk, format.id);
      expectShown(onDisk);
      expect(timeless(onDisk.entries)).toEqual(timeless(inMemory.entries));
    });
  }

  it('gives up on a provider that hangs when its time is over, in real time [R3-SHOW-WIRE]', async () => {
    const [format] = FORMATS;
    if (format === undefined) throw new Error('There are no formats.');
    const at = await provider(format, [{ misbehave: 'hang' }, ...TURNS]);
    const on = await stage([at], { streaming: true, clock: systemClock(), policy: { timeoutMs: patient(300) } });
    expectDone(await on.start(), format.id);
    await at.server.abandoned(1);
    expectConversations(at.server.requests, [0, 0, 1, 2, 3], format);
  });
});

async function loop(format: SpokenFormat, script: ServerScript, options: WireOptions): Promise<WireRun> {
  const at = await provider(format, script);
  const run = await (await stage([at], options)).start();
  at.server.assertFinished();
  return run;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'flyball-wire-db-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const TIMES = new Set(['at', 'activeMs', 'ms', 'owner', 'deadline', 'wallMs']);

/** Entries without the moments at which they were written, and by whom. */
function timeless(entries: readonly Entry[]): unknown {
  return JSON.parse(JSON.stringify(entries, (key, value: unknown) => (TIMES.has(key) ? undefined : value)));
}
