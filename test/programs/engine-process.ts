/**
 * A process of its own on a database file, for tests that need several or need one to die.
 *
 *   engine-process.js <driver> <file> race <run> <owner> <entries>   waits for a line on stdin, then claims and appends
 *   engine-process.js <driver> <file> post <run> <message>           posts one signal
 *   engine-process.js <driver> <file> die <run> <entries>            appends one by one, then dies of SIGKILL
 *
 * Says "ready" when the file is open, and at last one line of JSON.
 */
import { once } from 'node:events';
import { type SqliteOptions, sqliteEngine } from 'flyball/adapters/engine-sqlite';

const [driver, path = '', task, runId = '', ...rest] = process.argv.slice(2);
const engine = await sqliteEngine({ path, driver: driver as NonNullable<SqliteOptions['driver']> });
const say = (line: unknown) => process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
const entry = (seq: number, body: string) => ({ generation: 0, seq, at: seq, activeMs: 0, body });

async function claimAndAppend(owner: string, entries: number): Promise<number> {
  const me = { id: owner, host: 'test', bootId: 'test', pid: process.pid, startTime: '1' };
  const claim = await engine.claim(runId, { owner: me, now: 1_000, leaseMs: 1_000, isGone: () => false });
  for (let seq = 1; seq <= entries; seq += 1) await engine.append(claim, { entries: [entry(seq, owner)] });
  return entries;
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ value }),
    (error: { code?: string }) => ({ code: error.code ?? String(error) }),
  );
}

say('ready');
switch (task) {
  case 'race':
    await once(process.stdin, 'data');
    say(await outcomeOf(claimAndAppend(rest[0] ?? '', Number(rest[1]))));
    break;
  case 'post':
    say(
      await outcomeOf(
        engine.post(runId, { id: rest[0] ?? '', kind: 'signal', name: 'go', from: 'cli', at: 1, body: '{}' }),
      ),
    );
    break;
  case 'die':
    say(await outcomeOf(claimAndAppend('doomed', Number(rest[0]))));
    process.kill(process.pid, 'SIGKILL');
    break;
}
process.stdin.destroy();
await engine.close();
