import type { Database, Row } from './database.js';
import { asContent, asNumbers, expandedText, hashId, integer, optionalInteger, text } from './row.js';
import { entryShorthand } from './shorthand.js';

/** Entries looked at in one go. */
const CHUNK = 2_000;
/** What a row takes beside its body, about. */
const ROW_BYTES = 60;

interface Part {
  readonly bytes: number;
  readonly parent?: number;
  readonly blob?: number;
}

/** How much goes with each of several runs that go one after the other. */
export class Weights {
  private readonly database: Database;

  constructor(database: Database) {
    this.database = database;
  }

  of(runIds: readonly string[], referencesIn: (body: string) => Iterable<string>): ReadonlyMap<string, number> {
    const places = this.placesOf(runIds);
    const weights = runIds.map(() => 0);
    const blobs = this.parts('blobs', 'hash', 'length(body)', '');
    const links = this.parts('links', 'id', 'length(header) + ifnull(length(content), 0)', 'parent, blob');
    /** The last run that refers to each, by its place. */
    const last = new Map<string, number>();
    for (const row of this.entries()) {
      const place = places.get(integer(row, 'run'));
      if (place === undefined) continue;
      weights[place] = (weights[place] ?? 0) + integer(row, 'bytes');
      for (const id of [...referencesIn(expandedText(row, 'body', entryShorthand))].map(ofTenant(row)))
        if (blobs.numbers.has(id) || links.numbers.has(id)) last.set(id, Math.max(last.get(id) ?? 0, place));
    }
    const seen = new Set<Part>();
    const count = (part: Part | undefined, place: number): boolean => {
      if (part === undefined || seen.has(part)) return false;
      seen.add(part);
      weights[place] = (weights[place] ?? 0) + part.bytes;
      return true;
    };
    for (const [id, place] of [...last].sort(([, a], [, b]) => b - a)) {
      count(blobs.of.get(blobs.numbers.get(id) ?? 0), place);
      let link = links.of.get(links.numbers.get(id) ?? 0);
      for (; link !== undefined && count(link, place); link = links.of.get(link.parent ?? 0))
        count(blobs.of.get(link.blob ?? 0), place);
    }
    return new Map(runIds.map((id, place) => [id, weights[place] ?? 0]));
  }

  private placesOf(runIds: readonly string[]): ReadonlyMap<number, number> {
    const place = new Map(runIds.map((id, at) => [id, at]));
    const rows = this.database.all(`SELECT ${asNumbers('n')}, CAST(id AS BLOB) AS id FROM runs`);
    return new Map(
      rows.flatMap((row) => {
        const at = place.get(text(row, 'id'));
        return at === undefined ? [] : [[integer(row, 'n'), at] as const];
      }),
    );
  }

  private parts(
    table: 'blobs' | 'links',
    name: 'hash' | 'id',
    bytes: string,
    more: '' | 'parent, blob',
  ): { readonly numbers: ReadonlyMap<string, number>; readonly of: ReadonlyMap<number, Part> } {
    const columns = more === '' ? asNumbers('n', 'tenant') : asNumbers('n', 'tenant', 'parent', 'blob');
    const numbers = new Map<string, number>();
    const of = new Map<number, Part>();
    for (const row of this.database.all(
      `SELECT ${columns}, ${asContent(name)}, CAST(${bytes} + ${ROW_BYTES} AS REAL) AS bytes FROM ${table}`,
    )) {
      numbers.set(ofTenant(row)(hashId(row, name)), integer(row, 'n'));
      of.set(integer(row, 'n'), more === '' ? { bytes: integer(row, 'bytes') } : linkOf(row));
    }
    return { numbers, of };
  }

  private *entries(): Generator<Row> {
    for (let pos = 0; ; ) {
      const rows = this.database.all(
        `SELECT ${asNumbers('events.pos', 'events.run')}, CAST(ifnull(tenants.n, 0) AS REAL) AS tenant,
        ${asContent('events.body')}, CAST(length(events.body) + ${ROW_BYTES} AS REAL) AS bytes
        FROM events LEFT JOIN runs ON runs.n = events.run LEFT JOIN tenants ON tenants.name = runs.tenant
        WHERE events.pos > ? ORDER BY events.pos LIMIT ${CHUNK}`,
        pos,
      );
      yield* rows;
      const end = rows.at(-1);
      if (end === undefined) return;
      pos = integer(end, 'pos');
    }
  }
}

function ofTenant(row: Row): (id: string) => string {
  return (id) => `${integer(row, 'tenant')}/${id}`;
}

function linkOf(row: Row): Part {
  const blob = optionalInteger(row, 'blob');
  return { bytes: integer(row, 'bytes'), parent: integer(row, 'parent'), ...(blob === undefined ? {} : { blob }) };
}
