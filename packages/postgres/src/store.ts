import type { RecordKey, Store, StorePage, StoreQuery, StoreRecord } from 'flyball';
import { canonicalJson, hasFields, proposalUnknown, recordOvertaken } from 'flyball/adapters/engine-kit';
import { recordDamaged } from 'flyball/internal';
import { checksumOf } from './checksum.js';
import type { Desk } from './desk.js';
import type { Row, Statement } from './driver.js';
import { name, restored, stored } from './text.js';

const PLACE = 'tenant = $1 AND owner = $2 AND collection = $3 AND key = $4';
const PAGE = 200;
const placeOf = ({ tenant, owner, collection, key }: RecordKey): string[] => [tenant, owner, collection, key].map(name);

/** Records beside the runs. Each change is one transaction, and may be made twice: once its answer was lost it is. */
export function postgresStore(desk: Desk, schema: string): Store {
  return { ...readsIn(desk, schema), ...changesIn(desk, schema) };
}

function readsIn(desk: Desk, s: string): Pick<Store, 'get' | 'query' | 'history'> {
  return {
    async get(at) {
      const [row] = await desk.rows({
        name: 'store-get',
        text: `SELECT v.version, v.at, v.value, v.checksum FROM ${s}.store_records r
          JOIN ${s}.store_versions v ON v.record = r.n AND v.version = r.version WHERE ${PLACE} AND erased_at IS NULL`,
        values: placeOf(at),
      });
      return row === undefined ? undefined : recordIn(at, row);
    },

    query: (query) => pageOf(desk, s, query),

    async history(at) {
      const rows = await desk.rows({
        text: `SELECT v.version, v.at, v.value, v.checksum FROM ${s}.store_records r JOIN ${s}.store_versions v ON v.record = r.n
          WHERE ${PLACE} ORDER BY v.version`,
        values: placeOf(at),
      });
      return rows.map((row) => recordIn(at, row));
    },
  };
}

function changesIn(desk: Desk, s: string): Pick<Store, 'propose' | 'commit' | 'drop' | 'erase'> {
  const locked = (at: RecordKey): Statement => ({
    name: 'store-lock',
    text: `SELECT n FROM ${s}.store_records WHERE ${PLACE} FOR UPDATE`,
    values: placeOf(at),
  });

  return {
    async propose(at, { id, over, value }) {
      const text = stored(canonicalJson(value));
      const [, , [row] = []] = await desk.change(undefined, () => [
        {
          name: 'store-make',
          text: `INSERT INTO ${s}.store_records (tenant, owner, collection, key) VALUES ($1, $2, $3, $4)
            ON CONFLICT (tenant, owner, collection, key) DO NOTHING`,
          values: placeOf(at),
        },
        locked(at),
        {
          name: 'store-propose',
          text: proposing(s),
          values: [...placeOf(at), name(id), over, text, checksumOf(...placeOf(at), text)],
        },
      ]);
      const version = row?.['version'] as number | null | undefined;
      if (version === null || version === undefined) throw recordOvertaken(at, over, (row?.['current'] as number) ?? 0);
      return { version };
    },

    async commit(at, proposal, now) {
      const committed = { name: 'store-commit', text: committing(s), values: [...placeOf(at), name(proposal), now] };
      const [, [row] = []] = await desk.change(undefined, () => [locked(at), committed]);
      if (row === undefined) throw proposalUnknown(at, proposal);
      if (row['version'] !== null) return recordIn(at, row);
      const proposed = row['proposed'] as number | null;
      if (proposed === null) throw proposalUnknown(at, proposal);
      throw recordOvertaken(at, proposed - 1, row['current'] as number);
    },

    async drop(at, proposal) {
      const dropping = {
        name: 'store-drop',
        text: `DELETE FROM ${s}.store_proposals p USING ${s}.store_records r WHERE p.record = r.n
          AND r.tenant = $1 AND r.owner = $2 AND r.collection = $3 AND r.key = $4 AND p.proposal = $5`,
        values: [...placeOf(at), name(proposal)],
      };
      await desk.change(undefined, () => [dropping]);
    },

    async erase(at, now) {
      const ofRecord = `(SELECT n FROM ${s}.store_records WHERE ${PLACE})`;
      await desk.change(undefined, () => [
        locked(at),
        { text: `UPDATE ${s}.store_versions SET value = NULL WHERE record = ${ofRecord}`, values: placeOf(at) },
        { text: `DELETE FROM ${s}.store_proposals WHERE record = ${ofRecord}`, values: placeOf(at) },
        {
          text: `UPDATE ${s}.store_records SET erased_at = $5::float8 WHERE ${PLACE}`,
          values: [...placeOf(at), now],
        },
      ]);
    },
  };
}

/** Answers the version under which it was proposed, now or before, and the current one: without the first it is refused. */
const proposing = (
  s: string,
): string => `WITH rec AS (SELECT n, version, erased_at FROM ${s}.store_records WHERE ${PLACE}),
  earlier AS (SELECT v.version FROM ${s}.store_versions v JOIN rec ON v.record = rec.n WHERE v.proposal = $5
    UNION ALL SELECT p.version FROM ${s}.store_proposals p JOIN rec ON p.record = rec.n WHERE p.proposal = $5),
  made AS (INSERT INTO ${s}.store_proposals (record, proposal, version, value, checksum)
    SELECT n, $5, version + 1, $7, $8 FROM rec WHERE NOT EXISTS (SELECT 1 FROM earlier)
      AND $6::int8 = CASE WHEN erased_at IS NULL THEN version ELSE 0 END RETURNING version)
  SELECT CASE WHEN erased_at IS NULL THEN rec.version ELSE 0 END AS current,
    coalesce((SELECT version FROM earlier LIMIT 1), (SELECT version FROM made)) AS version FROM rec`;

/** Answers the committed version, made now or before; without it, what was proposed and what is current say why not. */
const committing = (s: string): string => `WITH rec AS (SELECT n, version FROM ${s}.store_records WHERE ${PLACE}),
  committed AS (SELECT v.version, v.at, v.value, v.checksum FROM ${s}.store_versions v JOIN rec ON v.record = rec.n WHERE v.proposal = $5),
  proposed AS (SELECT p.version, p.value, p.checksum FROM ${s}.store_proposals p JOIN rec ON p.record = rec.n WHERE p.proposal = $5),
  next AS (SELECT rec.n, p.version, p.value, p.checksum FROM rec JOIN proposed p ON p.version = rec.version + 1
    WHERE NOT EXISTS (SELECT 1 FROM committed)),
  made AS (INSERT INTO ${s}.store_versions (record, version, proposal, at, value, checksum)
    SELECT n, version, $5, $6::float8, value, checksum FROM next RETURNING version, at, value, checksum),
  gone AS (DELETE FROM ${s}.store_proposals p USING next WHERE p.record = next.n AND p.proposal = $5),
  up AS (UPDATE ${s}.store_records r SET version = next.version, erased_at = NULL FROM next WHERE r.n = next.n)
  SELECT rec.version AS current, (SELECT version FROM proposed) AS proposed, c.version, c.at, c.value, c.checksum
  FROM rec LEFT JOIN (SELECT * FROM committed UNION ALL SELECT * FROM made) c ON true`;

async function pageOf(desk: Desk, s: string, query: StoreQuery): Promise<StorePage> {
  const { tenant, owner, collection, prefix = '', where = {}, limit = 100 } = query;
  const records: StoreRecord[] = [];
  for (let cursor = query.cursor; ; ) {
    const rows = await desk.rows({
      name: 'store-query',
      text: `SELECT r.key, v.version, v.at, v.value, v.checksum FROM ${s}.store_records r
        JOIN ${s}.store_versions v ON v.record = r.n AND v.version = r.version
        WHERE tenant = $1 AND owner = $2 AND collection = $3 AND erased_at IS NULL
          AND key >= $4 AND ($5::text IS NULL OR key > $5) ORDER BY key LIMIT ${PAGE}`,
      values: [...[tenant, owner, collection, prefix].map(name), cursor === undefined ? null : name(cursor)],
    });
    for (const row of rows) {
      cursor = row['key'] as string;
      if (!cursor.startsWith(prefix)) return { records };
      const record = recordIn({ tenant, owner, collection, key: cursor }, row);
      if (!hasFields(record.value, where)) continue;
      if (records.length === limit) return { records, cursor: records.at(-1)?.key ?? '' };
      records.push(record);
    }
    if (rows.length < PAGE) return { records };
  }
}

/** Throws JOURNAL_CORRUPT for a value that is not what was proposed. */
function recordIn(of: RecordKey, row: Row): StoreRecord {
  const base = { key: of.key, version: row['version'] as number, at: row['at'] as number };
  if (row['value'] === null) return { ...base, value: undefined, erased: true };
  const text = row['value'] as string;
  if (checksumOf(...placeOf(of), text) !== row['checksum']) throw recordDamaged(of, base.version);
  return { ...base, value: JSON.parse(restored(text)) as unknown };
}
