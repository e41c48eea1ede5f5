import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped the settings of tables on PostgreSQL: ${why}.\n`);

describe.skipIf(why !== undefined)('tables on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  it('leave room for changes in place, and are vacuumed often [R10-PG-STORAGE]', async () => {
    const schema = freshSchema();
    await (await open(server.url, { schema })).close();
    const rows = await asAdmin(
      server.url,
      `SELECT relname, array_to_string(reloptions, ' ') AS options FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND reloptions IS NOT NULL ORDER BY relname`,
    );
    const options = Object.fromEntries(rows.map((row) => [row['relname'], row['options']]));
    const tables = Object.keys(options).filter((name) => !/^events_\d/.test(name)); // with those of three months
    expect(tables).toEqual(['blobs', 'events_default', 'inbox', 'links', 'runs', 'waits', 'workers']);
    expect(Object.keys(options)).toHaveLength(tables.length + 3);
    expect(options['runs']).toBe(
      'fillfactor=70 autovacuum_vacuum_scale_factor=0.02 autovacuum_analyze_scale_factor=0.02',
    );
    for (const [name, given] of Object.entries(options))
      if (name.startsWith('events')) expect(given).toContain('autovacuum_vacuum_insert_scale_factor=0.05');
  });
});
