import type { Batch, WholeRun } from 'flyball/adapters/engine-kit';
import { floats, integers, texts } from './arrays.js';
import type { Identity } from './checks.js';
import type { Statement } from './driver.js';
import { birthOf } from './rows.js';
import { name, stored } from './text.js';
import type { Of } from './works.js';
import { changeValues, hasChanges, WRITE_VALUES, writeValues } from './write-values.js';

/** `$from::type[], …`: as parameters of unnest. */
function arrays(from: number, ...types: readonly string[]): string {
  return types.map((type, index) => `$${from + index}::${type}[]`).join(', ');
}

/**
 * Inserts entries, contents and links of the batches whose number is in `held`. A place that is taken breaks the primary
 * key; an entry without the one before it, and a link without what it refers to, leave a column empty that must not be.
 * The entry before is asked for as a value: for EXISTS, all partitions might be read into a hash.
 */
function writes(s: string, at: number): string {
  return `ev AS (INSERT INTO ${s}.events (run, gen, seq, month, at, active, body, checksum)
    SELECT h.id, e.gen, e.seq, h.month, e.at, e.active, CASE WHEN e.after < 0 OR e.after = (SELECT k.seq FROM ${s}.events k
      WHERE k.run = h.id AND k.gen = e.gen AND k.seq = e.after AND k.month = h.month) THEN e.body END, e.checksum
    FROM unnest(${arrays(at, 'int8', 'int8', 'int8', 'float8', 'float8', 'text', 'int8', 'text')})
      AS e(i, gen, seq, at, active, body, after, checksum) JOIN held h ON h.i = e.i),
  bl AS (INSERT INTO ${s}.blobs (tenant, hash, body)
    SELECT h.tenant, b.hash, b.body FROM unnest(${arrays(at + 8, 'int8', 'text', 'text')})
      WITH ORDINALITY AS b(i, hash, body, o) JOIN held h ON h.i = b.i ORDER BY h.tenant, b.hash, b.o
    ON CONFLICT (tenant, hash) DO NOTHING),
  li AS (INSERT INTO ${s}.links (tenant, id, parent, header, content, blob, whole)
    SELECT h.tenant, l.id, l.parent, l.header, l.content, l.blob, CASE WHEN
      (l.needs IS NULL OR EXISTS (SELECT 1 FROM ${s}.links k WHERE k.tenant = h.tenant AND k.id = l.needs))
      AND (l.wants IS NULL OR EXISTS (SELECT 1 FROM ${s}.blobs k WHERE k.tenant = h.tenant AND k.hash = l.wants))
      THEN true END
    FROM unnest(${arrays(at + 11, 'int8', 'text', 'text', 'text', 'text', 'text', 'text', 'text')})
      WITH ORDINALITY AS l(i, id, parent, header, content, blob, needs, wants, o)
    JOIN held h ON h.i = l.i ORDER BY h.tenant, l.id, l.o ON CONFLICT (tenant, id) DO NOTHING)`;
}

/** What batches change beside their journal: the inbox, open waits, the row of their run. */
function changes(s: string, at: number): string {
  return `took AS (UPDATE ${s}.inbox m SET taken = true FROM unnest(${arrays(at, 'int8', 'int8')}) AS t(i, number)
    JOIN held h ON h.i = t.i WHERE m.run = h.id AND m.number = t.number AND NOT m.taken RETURNING m.run),
  op AS (INSERT INTO ${s}.waits (run, token, gen, seq, asked, since)
    SELECT h.id, o.token, o.gen, o.seq, o.asked = 1, o.since
    FROM unnest(${arrays(at + 2, 'int8', 'text', 'int8', 'int8', 'int8', 'float8')})
      WITH ORDINALITY AS o(i, token, gen, seq, asked, since, o) JOIN held h ON h.i = o.i ORDER BY o.o
    ON CONFLICT (run, token) DO UPDATE SET gen = excluded.gen, seq = excluded.seq),
  cl AS (DELETE FROM ${s}.waits w USING unnest(${arrays(at + 8, 'int8', 'text')}) AS c(i, token)
    JOIN held h ON h.i = c.i WHERE w.run = h.id AND w.token = c.token),
  moved AS (SELECT h.id, g.gen, g.progress, g.version, (SELECT count(*) FROM took WHERE took.run = h.id) AS took
    FROM unnest(${arrays(at + 10, 'int8', 'int8', 'int8', 'text')}) AS g(i, gen, progress, version) JOIN held h ON h.i = g.i),
  up AS (UPDATE ${s}.runs r SET generation = CASE WHEN m.gen >= 0 THEN m.gen ELSE r.generation END,
      crashes = CASE WHEN m.progress = 1 THEN 0 ELSE r.crashes END, version = coalesce(m.version, r.version), untaken = r.untaken - m.took,
      signalled = CASE WHEN m.took > 0 AND r.untaken <= m.took THEN 0 ELSE r.signalled END
    FROM moved m WHERE r.id = m.id)`;
}

/** The runs of the claims whose number is current, under the lock of their rows. */
function held(s: string): string {
  return `WITH w AS (SELECT * FROM unnest($1::text[], $2::int8[]) WITH ORDINALITY AS w(id, fence, i)),
  held AS (SELECT r.id, r.tenant, r.month, w.i FROM ${s}.runs r JOIN w ON r.id = w.id AND r.fence = w.fence
    ORDER BY r.id FOR NO KEY UPDATE OF r)`;
}

/** Answers the numbers `i` of the works whose claim was current. */
export function appends(s: string, works: readonly Of<'append'>[]): Statement {
  const batches = works.map(({ batch }) => batch);
  const claims = works.map(({ claim }) => claim);
  const values = [
    texts(claims.map(({ runId }) => name(runId))),
    integers(claims.map(({ fence }) => fence)),
    ...writeValues(claims.map(({ runId }, at) => ({ runId, batch: batches[at] as Batch }))),
  ];
  if (!works.some(({ batch, claim }) => hasChanges(batch, claim.record.crashes)))
    return { name: 'append', text: `${held(s)},\n  ${writes(s, 3)}\n  SELECT i FROM held`, values };
  return {
    name: 'append-and-change',
    text: `${held(s)},\n  ${writes(s, 3)},\n  ${changes(s, 3 + WRITE_VALUES)}\n  SELECT i FROM held`,
    values: [...values, ...changeValues(batches)],
  };
}

/** Entries, contents and links of a run that this transaction has put back. */
export function restores(s: string, { record, entries, blobs, links }: WholeRun): Statement {
  return {
    text: `WITH held AS (SELECT id, tenant, month, 1::int8 AS i FROM ${s}.runs WHERE id = $1), ${writes(s, 2)} SELECT i FROM held`,
    values: [record.id, ...writeValues([{ runId: record.id, batch: { entries, blobs, links } }])],
  };
}

/** Answers the numbers `i` of the runs that were made. What one is forked from stays there until it is made. */
export function creates(s: string, works: readonly Of<'create'>[], identity: Identity): Statement {
  const runs = works.map(({ run, ticket }) => ({ ...run, ticket }));
  const text = `WITH given AS (SELECT * FROM unnest(${arrays(1, ...Array<string>(10).fill('text'), 'float8', 'int8')})
      WITH ORDINALITY AS g(id, agent, version, tenant, subject, source, fork, fork_of, ticket, birth, created_at, generation, i)),
    parents AS (SELECT r.id, r.tenant FROM ${s}.runs r WHERE r.id IN (SELECT fork_of FROM given) ORDER BY r.id FOR KEY SHARE OF r),
    made AS (INSERT INTO ${s}.runs (id, agent, version, tenant, subject, source, fork, fork_of, ticket, birth, created_at, updated_at, status, generation)
      SELECT id, agent, version, tenant, subject, source, fork, fork_of, ${identity.only('ticket')}, birth, created_at, created_at, 'pending', generation
      FROM given g WHERE NOT EXISTS (SELECT 1 FROM ${s}.operations o WHERE o.of = g.id AND o.action IN ('prune', 'erase', 'archive'))
        AND (g.fork_of IS NULL OR (g.fork_of, g.tenant) IN (SELECT id, tenant FROM parents))
      ORDER BY i ON CONFLICT (id) DO NOTHING RETURNING id, ticket, month),
    held AS (SELECT made.id, given.tenant, made.month, given.i FROM made JOIN given ON given.id = made.id AND given.ticket = made.ticket),
    ${writes(s, 13)}
    SELECT i FROM held`;
  return {
    name: 'create',
    text,
    values: [
      texts(runs.map(({ id }) => name(id))),
      texts(runs.map(({ agent }) => name(agent))),
      texts(runs.map(({ version }) => name(version))),
      texts(runs.map(({ tenant }) => name(tenant))),
      texts(runs.map(({ subject }) => name(subject))),
      texts(runs.map(({ source }) => (source === undefined ? undefined : stored(source)))),
      texts(runs.map(({ fork }) => (fork === undefined ? undefined : JSON.stringify(fork)))),
      texts(runs.map(({ fork }) => fork?.run)),
      texts(runs.map(({ ticket }) => ticket)),
      texts(runs.map((run) => birthOf(run))),
      floats(runs.map(({ createdAt }) => createdAt)),
      integers(runs.map(({ first }) => first.generation ?? first.entries[0]?.generation ?? 0)),
      ...writeValues(runs.map(({ id, first }) => ({ runId: id, batch: first }))),
    ],
  };
}

/** How runs rest, with the end of each journal: one that is lost later is missed. It never moves back. */
function resting(s: string): string {
  return `SELECT x.*, CASE WHEN (e.gen, e.seq) > (t.tip_gen, t.tip_seq) THEN e.gen ELSE t.tip_gen END AS tip_gen,
      CASE WHEN (e.gen, e.seq) > (t.tip_gen, t.tip_seq) THEN e.seq ELSE t.tip_seq END AS tip_seq
    FROM unnest(${arrays(1, 'text', 'int8', 'text', 'float8', 'float8', 'text', 'text', 'text', 'float8', 'int8')})
      AS x(id, fence, status, now, wake, waiting, attention, code, active, yields) JOIN ${s}.runs t ON t.id = x.id
    LEFT JOIN LATERAL (SELECT gen, seq FROM ${s}.events WHERE run = x.id AND month = t.month
      ORDER BY gen DESC, seq DESC LIMIT 1) e ON true`;
}

/** By the row of the run, which is read again under its lock: what stands in the inbox by now might not be seen. */
const CANCELLED = 'x.yields = 1 AND r.signalled = 3';

export function releases(s: string, works: readonly Of<'release'>[]): Statement {
  const rests = works.map(({ rest }) => rest);
  const unlessCancelled = (rest: string): string => `CASE WHEN ${CANCELLED} THEN NULL ELSE ${rest} END`;
  return {
    name: 'release',
    text: `UPDATE ${s}.runs r SET status = CASE WHEN ${CANCELLED} THEN 'pending' ELSE x.status END,
        crashes = CASE WHEN ${CANCELLED} THEN 0 ELSE r.crashes END, fence = r.fence + 1, owner = NULL, lease_until = NULL, updated_at = x.now,
        wake_at = x.wake, waiting = x.waiting, attention = ${unlessCancelled('x.attention')}, code = ${unlessCancelled('x.code')}, active = coalesce(x.active, r.active), tip_gen = x.tip_gen, tip_seq = x.tip_seq
      FROM (${resting(s)}) x WHERE r.id = x.id AND r.fence = x.fence`,
    values: [
      texts(works.map(({ claim }) => claim.runId)),
      integers(works.map(({ claim }) => claim.fence)),
      texts(rests.map(({ status }) => status)),
      floats(rests.map(({ now }) => now)),
      floats(rests.map((rest) => (rest.status === 'suspended' ? rest.wakeAt : undefined))),
      texts(rests.map((rest) => (rest.status === 'suspended' ? stored(JSON.stringify(rest.waiting)) : '[]'))),
      texts(rests.map((rest) => (rest.status === 'stalled' ? stored(rest.attention) : undefined))),
      texts(rests.map((rest) => ('code' in rest ? rest.code : undefined))),
      floats(rests.map(({ activeMs }) => activeMs)),
      integers(rests.map((rest) => (rest.unlessCancelled === true ? 1 : 0))),
    ],
  };
}
