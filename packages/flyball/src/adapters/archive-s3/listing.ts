import { FlyballError } from '../../core/errors.js';
import { MOST_ARCHIVE_KEYS } from '../../ports/archive.js';
import { valuesOf } from './xml.js';

/** What S3 answers at most in one page: one with fewer keys counts as much. */
const KEYS_OF_PAGE = 1_000;
/** No server needs more to know where it was. */
const LONGEST_TOKEN = 8_192;

type Query = Readonly<Record<string, string>>;

/**
 * The keys of a listing, page after page. Whether there is more is what the server says: one that says so without going on,
 * or for ever, is told from one that has much.
 */
export async function* listed(
  place: string,
  page: (query: Query) => Promise<Uint8Array | undefined>,
): AsyncGenerator<string> {
  const asked = new Set<string>();
  let counted = 0;
  for (let query: Query = {}; ; ) {
    const xml = new TextDecoder().decode(await page(query));
    const keys = valuesOf(xml, 'Key');
    counted += Math.max(keys.length, KEYS_OF_PAGE);
    if (counted > MOST_ARCHIVE_KEYS) stuck(place, `has not ended after ${MOST_ARCHIVE_KEYS} keys`);
    yield* keys;
    if (valuesOf(xml, 'IsTruncated')[0] !== 'true') return;
    query =
      next(valuesOf(xml, 'NextContinuationToken')[0], keys.at(-1)) ?? stuck(place, 'does not say where it goes on');
    const position = JSON.stringify(query);
    if (asked.has(position)) stuck(place, 'says the same again');
    asked.add(position);
  }
}

/** Some compatible servers give no token: the last key says as much. */
function next(token: string | undefined, last: string | undefined): Query | undefined {
  const [name, value] =
    token === undefined ? (['start-after', last] as const) : (['continuation-token', token] as const);
  return value === undefined || value.length > LONGEST_TOKEN ? undefined : { [name]: value };
}

function stuck(place: string, how: string): never {
  throw new FlyballError(
    'STORAGE_FAILED',
    `The listing of ${place} ${how}, although the server says that there is more. What was listed may not be all. Check the endpoint, or use a place with a longer prefix.`,
  );
}
