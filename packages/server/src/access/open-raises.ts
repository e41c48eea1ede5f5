import { randomUUID } from 'node:crypto';
import type { Clock, RecordKey, Store } from 'flyball';
import { SERVER_TENANT } from './names.js';
import { changeRecord } from './records.js';

/** A run that somebody is letting go on under more money. */
export interface RaisedRun {
  readonly runId: string;
  readonly tenant: string;
}

interface OpenRaise extends RaisedRun {
  readonly open: boolean;
  /** When each of those at work has to be done by: a process that died is never done. */
  readonly until: Readonly<Record<string, number>>;
}

/**
 * Who is about to raise what a run may cost, over all servers of a database. It is written before anything is granted and
 * taken off after what was not needed is given back: so whoever finds an old one knows that a process died in between.
 */
export interface OpenRaises {
  begin(run: RaisedRun, raise: { readonly id: string; readonly until: number }): Promise<void>;
  end(run: RaisedRun, ids: readonly string[]): Promise<void>;
  /** Those that were not ended in time, with the ids under which they were begun. */
  overdue(): Promise<readonly (RaisedRun & { readonly ids: readonly string[] })[]>;
}

const PLACE = { tenant: SERVER_TENANT, owner: SERVER_TENANT, collection: 'spending-raises' } as const;

export function openRaises(store: Store, clock: Clock): OpenRaises {
  const change = async (run: RaisedRun, make: (until: OpenRaise['until']) => OpenRaise['until']): Promise<void> => {
    await changeRecord(store, placeOf(run), {
      id: randomUUID(),
      now: clock.now(),
      make: (current) => {
        const until = make((current?.value as OpenRaise | undefined)?.until ?? {});
        return { ...run, open: Object.keys(until).length > 0, until } satisfies OpenRaise;
      },
    });
  };
  return {
    begin: ({ runId, tenant }, { id, until }) => change({ runId, tenant }, (known) => ({ ...known, [id]: until })),
    end: ({ runId, tenant }, ids) =>
      change({ runId, tenant }, (known) =>
        Object.fromEntries(Object.entries(known).filter(([id]) => !ids.includes(id))),
      ),
    async overdue() {
      const now = clock.now();
      const { records } = await store.query({ ...PLACE, where: { open: true } });
      return records.flatMap(({ value }) => {
        const { runId, tenant, until } = value as OpenRaise;
        const ids = Object.keys(until).filter((id) => (until[id] ?? 0) <= now);
        return ids.length === 0 ? [] : [{ runId, tenant, ids }];
      });
    },
  };
}

function placeOf({ runId, tenant }: RaisedRun): RecordKey {
  return { ...PLACE, key: JSON.stringify([tenant, runId]) };
}
