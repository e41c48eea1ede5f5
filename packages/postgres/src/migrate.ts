import { randomUUID } from 'node:crypto';
import { ConfigError, FlyballError } from 'flyball';
import type { Connection, Rows } from './connection.js';
import { storageError } from './errors.js';
import { migrations, storage, withoutMonths } from './schema.js';

/** What a database lacks is found one by one, and others may be quicker. */
const MOST_TRIES = 8;

type Ask = (text: string) => Promise<Rows>;

/** The version of the tables in a schema: 0 where there are none. */
export async function versionIn(schema: string, ask: Ask): Promise<number> {
  const tables = await ask(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`);
  if (tables.length === 0) return 0;
  if (!tables.some((row) => row['name'] === 'flyball_meta'))
    throw new ConfigError(
      `The schema ${schema} holds tables of another program, or ones that this user may not see. Choose another schema.`,
    );
  const rows = await ask(`SELECT value FROM ${schema}.flyball_meta WHERE key = 'schema'`);
  return Number(rows[0]?.['value'] ?? 0);
}

export function refuseNewer(schema: string, version: number, known = migrations(schema).length): void {
  if (version <= known) return;
  throw new FlyballError(
    'JOURNAL_NEWER',
    `The schema ${schema} was written by a newer version (${version}; this one knows ${known}). It was left as it is. Upgrade flyball and @flyball/postgres together to open it.`,
    {
      detail: {
        schema,
        version,
        known,
        next: 'Run npm install flyball@latest @flyball/postgres@latest, with the other @flyball packages that you use, and run the command again. Nothing was changed.',
      },
    },
  );
}

/** What not every database has. */
type Lack = 'collations' | 'months' | 'storage' | 'locks';

interface Refusal {
  readonly code?: string;
  readonly message?: string;
}

const LACKING = new Set(['0A000', '22023', '42601', '42704', '42883']);
/** Somebody else was quicker, or is at it. */
const CROSSED = new Set(['23502', '42P07', '42P06', '23505', '40001']);

/** In the order in which a refusal is taken for the lack of it. One that refuses "C" as a name orders texts by bytes anyway. */
const LACKS: readonly (readonly [Lack, (refusal: Required<Refusal>) => boolean])[] = [
  ['collations', ({ message }) => /locale|collation/i.test(message)],
  ['months', ({ code, message }) => code === '42601' || /partition/i.test(message)],
  ['storage', () => true],
  ['locks', () => true],
];

function lackIn({ code = '', message = '' }: Refusal, lacks: ReadonlySet<Lack>): Lack | undefined {
  if (!LACKING.has(code)) return undefined;
  return LACKS.find(([lack, isIt]) => !lacks.has(lack) && isIt({ code, message }))?.[0];
}

/**
 * Brings the schema up to date, all of it or nothing. One process at a time: the others find it done. Where there are no
 * advisory locks the first table that is made twice stops the second one, which looks again.
 */
export async function migrate(connection: Connection, schema: string, steps = migrations(schema)): Promise<void> {
  const ask: Ask = async (text) => (await connection.run([{ text }]))[0] ?? [];
  const lacks = new Set<Lack>();
  for (let tries = 0; ; tries += 1) {
    const from = await versionIn(schema, ask);
    refuseNewer(schema, from, steps.length);
    if (from === steps.length) return;
    try {
      await connection.run([
        ...(lacks.has('locks') ? [] : [{ text: `SELECT pg_advisory_xact_lock(hashtext('flyball ${schema}'))` }]),
        ...(from > 0 ? [] : await firstTables(schema, ask)),
        // refused where somebody else was quicker: what is to be done was decided before the lock
        {
          text: `UPDATE ${schema}.flyball_meta SET value = CASE WHEN value = '${from}' THEN '${steps.length}' END WHERE key = 'schema'`,
        },
        ...steps.slice(from).flatMap((step) => statementsIn(without(lacks, step))),
        ...(from > 0 || lacks.has('storage') ? [] : storage(schema, !lacks.has('months')).map((text) => ({ text }))),
      ]);
      return;
    } catch (error) {
      const { code = '', message = '' } = error as Refusal;
      const lack = lackIn({ code, message }, lacks);
      if (lack !== undefined) lacks.add(lack);
      else if (!CROSSED.has(code) || tries === MOST_TRIES)
        throw isReserved(schema, code, message) ? reserved(schema) : storageError(error);
    }
  }
}

function without(lacks: ReadonlySet<Lack>, step: string): string {
  const unparted = lacks.has('months') ? withoutMonths(step) : step;
  return lacks.has('collations') ? unparted.replaceAll(' COLLATE "C"', '') : unparted;
}

const isReserved = (schema: string, code: string, message: string): boolean =>
  code === '42601' && message.includes(`near "${schema}"`);

function reserved(schema: string): ConfigError {
  return new ConfigError(`"${schema}" is a word of SQL and cannot be the name of a schema here. Choose another name.`);
}

async function firstTables(schema: string, ask: Ask) {
  // whoever may not create schemas may still have been given one
  const isThere = (await ask(`SELECT 1 FROM pg_namespace WHERE nspname = '${schema}'`)).length > 0;
  return [
    ...(isThere ? [] : [{ text: `CREATE SCHEMA ${schema}` }]),
    { text: `CREATE TABLE ${schema}.flyball_meta (key text PRIMARY KEY, value text NOT NULL)` },
    {
      text: `INSERT INTO ${schema}.flyball_meta VALUES ('schema', '0'), ('id', '${randomUUID()}'), ('writes', '0'), ('swept', '0')`,
    },
  ];
}

function statementsIn(step: string) {
  const texts = step.replaceAll(/--.*$/gm, '').split(';');
  return texts.flatMap((text) => (text.trim() === '' ? [] : [{ text }]));
}
