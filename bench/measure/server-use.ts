import { readdirSync, readFileSync } from 'node:fs';
import { type BarePostgres, connectBare } from './bare-postgres.js';
import type { Place } from './places.js';

/** What a PostgreSQL on this machine has used so far. */
export interface ServerUse {
  readonly cpuMs: number;
  readonly walBytes: number;
  readonly commits: number;
}

const TICK_MS = 10;

/** Fields of /proc/<pid>/stat from the third on: the second is a name that may have blanks. */
function statOf(pid: number | string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    return []; // it has ended
  }
}

const ticks = (stat: readonly string[], ...fields: readonly number[]): number =>
  fields.reduce((sum, field) => sum + Number(stat[field - 3] ?? 0), 0);

/** Processor time of the server: its processes that are there, and those that have ended. */
function cpuOf(backend: number): number {
  const parent = statOf(backend)[1] ?? '';
  const own = ticks(statOf(parent), 14, 15, 16, 17);
  const children = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && statOf(pid)[1] === parent);
  return (own + children.reduce((sum, pid) => sum + ticks(statOf(pid), 14, 15), 0)) * TICK_MS;
}

async function one(client: BarePostgres, text: string): Promise<number> {
  const { rows } = (await client.query(text)) as { readonly rows: readonly { readonly n: unknown }[] };
  return Number(rows[0]?.n ?? 0);
}

export async function serverUse(place: Place): Promise<ServerUse> {
  const client = await connectBare(place.split('#')[0] ?? '');
  const backend = await one(client, 'SELECT pg_backend_pid() AS n');
  const walBytes = await one(client, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') AS n");
  const commits = await one(client, 'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()');
  const cpuMs = cpuOf(backend);
  await client.end();
  return { cpuMs, walBytes, commits };
}
