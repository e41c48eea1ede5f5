import type { Engine, RunFilter, RunRecord } from '../ports/engine.js';

const PAGE = 500;

/** All runs that fit, newest first. */
export async function* everyRun(
  engine: Pick<Engine, 'list'>,
  filter: Omit<RunFilter, 'cursor' | 'limit'> = {},
): AsyncGenerator<RunRecord> {
  for (let cursor: string | undefined; ; ) {
    const page = await engine.list({ ...filter, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    yield* page.runs;
    cursor = page.cursor;
    if (cursor === undefined) return;
  }
}
