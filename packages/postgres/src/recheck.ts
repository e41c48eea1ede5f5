import type { FlyballError } from 'flyball';
import { runExists, runNotFound } from 'flyball/adapters/engine-kit';
import { integers } from './arrays.js';
import type { Connection, Rows } from './connection.js';
import { patiently } from './desk.js';
import type { Statement } from './driver.js';
import { runWithMonth } from './months.js';
import type { Settings } from './options.js';
import { CREATE_TICKET } from './rows.js';
import { restored } from './text.js';
import { batchOf, type Of, type Work } from './works.js';

/**
 * Whether a work was made before. The answer is as durable as a commit: it is read together with a write of its own,
 * which is confirmed after the one in doubt, by replicas too.
 */
export class Recheck {
  private readonly connection: Connection;
  private readonly settings: Settings;

  constructor(connection: Connection, settings: Settings) {
    this.connection = connection;
    this.settings = settings;
  }

  /** Under a claim that is current nobody else can have written its places. */
  async isWritten({ claim, batch }: Of<'append'>): Promise<boolean> {
    const { schema: s } = this.settings;
    const { entries } = batch;
    if (entries.length === 0) return false;
    const rows = await this.confirmed({
      text: `SELECT e.gen, e.seq, e.at, e.active, e.body FROM ${s}.runs r JOIN ${s}.events e ON (e.run, e.month) = ${runWithMonth(s)}
        JOIN unnest($3::int8[], $4::int8[]) AS w(gen, seq) ON w.gen = e.gen AND w.seq = e.seq
        WHERE r.id = $1 AND r.fence = $2`,
      values: [
        claim.runId,
        claim.fence,
        integers(entries.map(({ generation }) => generation)),
        integers(entries.map(({ seq }) => seq)),
      ],
    });
    const found = new Map(rows.map((row) => [`${row['gen']}/${row['seq']}`, row]));
    return entries.every(({ generation, seq, at, activeMs, body }) => {
      const row = found.get(`${generation}/${seq}`);
      return row?.['at'] === at && row['active'] === activeMs && restored(row['body'] as string) === body;
    });
  }

  async isCreated({ run, ticket }: Of<'create'>): Promise<boolean> {
    const { schema: s } = this.settings;
    const rows = await this.confirmed({
      text: `SELECT 1 FROM ${s}.runs r WHERE r.id = $1 AND ${CREATE_TICKET} = $2`,
      values: [run.id, ticket],
    });
    return rows.length > 0;
  }

  /** Its id is taken, or what it is a fork of is gone. */
  async createRefused({ run }: Of<'create'>): Promise<FlyballError> {
    if (run.fork === undefined) return runExists(run.id);
    const { schema: s } = this.settings;
    const taken = await this.confirmed({
      text: `SELECT 1 FROM ${s}.runs WHERE id = $1
        UNION ALL SELECT 1 FROM ${s}.operations WHERE of = $1 AND action IN ('prune', 'erase', 'archive') LIMIT 1`,
      values: [run.id],
    });
    return taken.length > 0 ? runExists(run.id) : runNotFound(run.fork.run);
  }

  /** The first link of a batch that refers to what is not there. */
  async dangling(work: Work): Promise<string | undefined> {
    const { schema: s } = this.settings;
    const { links = [], blobs = [] } = batchOf(work) ?? {};
    const tenant = work.kind === 'create' ? work.run.tenant : work.claim.record.tenant;
    for (const [index, { id, parent, blob }] of links.entries()) {
      const isKnown = links.slice(0, index).some((before) => before.id === parent);
      const wants = blobs.some(([hash]) => hash === blob) ? undefined : blob;
      const rows = await this.confirmed({
        text: `SELECT ($2::text IS NULL OR EXISTS (SELECT 1 FROM ${s}.links WHERE tenant = $1 AND id = $2))
          AND ($3::text IS NULL OR EXISTS (SELECT 1 FROM ${s}.blobs WHERE tenant = $1 AND hash = $3)) AS whole`,
        values: [tenant, isKnown ? null : (parent ?? null), wants ?? null],
      });
      if (rows[0]?.['whole'] !== true) return id;
    }
    return undefined;
  }

  private async confirmed(question: Statement): Promise<Rows> {
    const { schema } = this.settings;
    const write = { text: `UPDATE ${schema}.flyball_meta SET value = (value::int8 + 1)::text WHERE key = 'writes'` };
    const [, rows = []] = await patiently(() => this.connection.run([write, question]), this.settings);
    return rows;
  }
}
