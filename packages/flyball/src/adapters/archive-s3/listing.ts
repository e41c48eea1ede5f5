import { FlyballError } from '../../core/errors.js';
import { MOST_ARCHIVE_KEYS, MOST_KEY_BYTES } from '../../ports/archive.js';
import { eachValueOf } from './xml.js';

/** What S3 answers at most in one page: one with fewer keys counts as much. */
const KEYS_OF_PAGE = 1_000;
/** Of a key in all listings. */
const LONGEST_KEY = 1_024;
/** No server needs more to know where it was. */
const LONGEST_TOKEN = 8_192;
/** Of all pages: as many of the longest keys as a listing can have, with what S3 says beside each. */
const MOST_LISTING_BYTES = 2 * 1024 ** 3;

type Query = Readonly<Record<string, string>>;

/**
 * The keys of a listing, page after page. Whether there is more is what the server says: one that says so without going on,
 * or for ever, is told from one that has much. A key is a copy: as a part of its page it would keep all of that in memory.
 */
export async function* listed(
  place: string,
  page: (query: Query) => Promise<Uint8Array | undefined>,
): AsyncGenerator<string> {
  const asked = new Set<string>();
  const size = new Size(place);
  for (let query: Query = {}; ; ) {
    const content = await page(query);
    size.addPage(content?.byteLength ?? 0);
    const xml = new TextDecoder().decode(content);
    let last: string | undefined;
    let onPage = 0;
    for (const key of eachValueOf(xml, 'Key')) {
      onPage += 1;
      last = size.copied(key);
      yield last;
    }
    size.addKeys(Math.max(KEYS_OF_PAGE - onPage, 0));
    const [isTruncated] = eachValueOf(xml, 'IsTruncated');
    if (isTruncated !== 'true') return;
    const [token] = eachValueOf(xml, 'NextContinuationToken');
    query = next(token, last) ?? stuck(place, 'does not say where it goes on');
    const position = JSON.stringify(query);
    if (asked.has(position)) stuck(place, 'says the same again');
    asked.add(position);
  }
}

/** What a listing has been so far, and where it is too much. */
class Size {
  private keys = 0;
  private keyBytes = 0;
  private bytes = 0;
  private readonly place: string;

  constructor(place: string) {
    this.place = place;
  }

  addPage(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > MOST_LISTING_BYTES) tooLarge(this.place, `is longer than ${MOST_LISTING_BYTES} bytes`);
  }

  addKeys(count: number): void {
    this.keys += count;
    if (this.keys > MOST_ARCHIVE_KEYS) tooLarge(this.place, `has more than ${MOST_ARCHIVE_KEYS} keys`);
  }

  copied(key: string): string {
    const bytes = Buffer.from(key);
    if (bytes.length > LONGEST_KEY)
      tooLarge(this.place, `has a key of more than ${LONGEST_KEY} bytes, which no bucket has`);
    this.addKeys(1);
    this.keyBytes += bytes.length;
    if (this.keyBytes > MOST_KEY_BYTES) tooLarge(this.place, `has keys of more than ${MOST_KEY_BYTES} bytes in all`);
    return bytes.toString();
  }
}

/** Some compatible servers give no token: the last key says as much. */
function next(token: string | undefined, last: string | undefined): Query | undefined {
  const [name, value] =
    token === undefined ? (['start-after', last] as const) : (['continuation-token', token] as const);
  return value === undefined || value.length > LONGEST_TOKEN ? undefined : { [name]: value };
}

function tooLarge(place: string, how: string): never {
  throw new FlyballError(
    'STORAGE_FAILED',
    `The listing of ${place} ${how}. It was not read to its end. Check the endpoint and who can write to the bucket, or use a place with a longer prefix.`,
  );
}

function stuck(place: string, how: string): never {
  throw new FlyballError(
    'STORAGE_FAILED',
    `The listing of ${place} ${how}, although the server says that there is more. What was listed may not be all. Check the endpoint, or use a place with a longer prefix.`,
  );
}
