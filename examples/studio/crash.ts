import { strict as assert } from 'node:assert';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Entry } from 'flyball';
import type { SqliteEngine } from 'flyball/adapters/engine-sqlite';

/** A run that another process holds, and that process. */
export interface Crash {
  readonly id: string;
  readonly child: ChildProcess;
}

/** Looks again and again until there is something, or fails with the sentence. */
type Until = <T>(look: () => Promise<T | undefined>, otherwise: string) => Promise<T>;

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Another process starts the run. Resolves once the record of the run names that process as its owner. */
export async function holdElsewhere(
  engine: SqliteEngine,
  run: { readonly id: string; readonly agents: string; readonly database: string },
  until: Until,
): Promise<Crash> {
  const { id, agents, database } = run;
  const words = ['run', agents, '--agent', 'month-end', '--id', id, '--input', '{"month":"October"}', '--db', database];
  // its bank is slow enough that it is still at work when the server is up, also on a busy machine
  const env = { ...process.env, FLYBALL_BANK_MS: '3000' };
  const child = spawn(process.execPath, [CLI, ...words, '--subject', 'demonstration'], { stdio: 'ignore', env });
  process.once('exit', () => child.kill('SIGKILL')); // who stops this before the crash does not want it later
  await until(async () => {
    assert(child.exitCode === null, `the process to kill exited early with code ${child.exitCode}`);
    return (await engine.get(id))?.owner?.pid === child.pid || undefined;
  }, 'no other process started the run');
  return { id, child };
}

/** Kills the process in the middle of a booking. What is said about it was read in the journal first. */
export async function killAndFollow(
  { id, child }: Crash,
  {
    journal,
    enough,
    until,
  }: {
    readonly journal: (id: string) => Promise<readonly Entry[]>;
    readonly enough: () => Promise<boolean>;
    readonly until: Until;
  },
): Promise<void> {
  await until(async () => (await enough()) || undefined, 'it booked nothing to interrupt');
  assert(child.exitCode === null, `process ${child.pid} had ended before it could be killed`);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  assert.equal(child.signalCode, 'SIGKILL', `process ${child.pid} had ended before it could be killed`);
  const told = await until(
    async () => takeoverIn(await journal(id), child.pid),
    `process ${child.pid} was killed, and nobody resumed its run`,
  );
  console.log(`  ${id}: ${told}`);
}

/** What the journal says of a crash: who held the run, what it was at, and who went on. Undefined while nobody has. */
export function takeoverIn(entries: readonly Entry[], killed: number | undefined): string | undefined {
  const at = entries.findIndex(({ event }) => event.type === 'attempt-start' && event.why === 'takeover');
  const takeover = entries[at]?.event;
  if (takeover?.type !== 'attempt-start') return undefined;
  const before = entries.slice(0, at);
  const last = before.filter(({ event }) => event.type === 'attempt-start').at(-1)?.event;
  assert(last?.type === 'attempt-start' && last.owner.pid === killed, `the run was not held by process ${killed}`);
  const open = openIntent(before);
  const where = open === undefined ? 'between two bookings' : `in the middle of ${open}`;
  return `process ${killed} was killed ${where}, and process ${takeover.owner.pid} resumed the run.`;
}

function openIntent(entries: readonly Entry[]): string | undefined {
  const ended = new Set(
    entries.flatMap(({ event }) => (event.type === 'complete' || event.type === 'abort' ? [event.id] : [])),
  );
  return entries.flatMap(({ event }) => (event.type === 'intent' && !ended.has(event.id) ? [event.name] : []))[0];
}
