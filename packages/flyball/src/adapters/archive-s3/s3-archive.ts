import { serviceAddress } from '../../core/service-address.js';
import { type ArchiveStore, MOST_ARCHIVE_BYTES } from '../../ports/archive.js';
import { listed } from './listing.js';
import { type Asking, answerTo } from './requests.js';
import { encoded } from './signature.js';

export interface S3Options extends Asking {
  readonly bucket: string;
  /** Before every key, without slashes at its ends. */
  readonly prefix?: string;
  /** Of a server that is compatible with S3, as in http://127.0.0.1:9000. Without it: AWS. */
  readonly endpoint?: string;
}

/** Archives in a bucket of S3, or of a server that is compatible with it. The bucket has to be there. */
export function s3Archive(options: S3Options): ArchiveStore {
  const { bucket, prefix = '' } = options;
  const base = baseOf(options);
  const before = prefix === '' ? '' : `${prefix}/`;
  const place = `s3://${bucket}/${before}`;
  const at = (key: string): URL => new URL(`${base}/${`${before}${key}`.split('/').map(encoded).join('/')}`);
  return {
    place,
    async put(key, body) {
      await answerTo({ method: 'PUT', url: at(key), body }, options, { place, mostBytes: MOST_ANSWER_BYTES });
    },
    get: (key) => answerTo({ method: 'GET', url: at(key) }, options, { place, mostBytes: MOST_ARCHIVE_BYTES }),
    async *list(wanted) {
      const begins = `${before}${wanted}`;
      const page = async (query: Readonly<Record<string, string>>) => {
        const url = new URL(`${base}/`);
        for (const [name, value] of Object.entries({ 'list-type': '2', prefix: begins, ...query }))
          url.searchParams.set(name, value);
        return answerTo({ method: 'GET', url }, options, { place, mostBytes: MOST_ANSWER_BYTES });
      };
      // a server may name what it was not asked for
      for await (const key of listed(place, page)) if (key.startsWith(begins)) yield key.slice(before.length);
    },
  };
}

/** Of what is no object: a page of a listing has 1,000 keys of at most 1,024 bytes. */
const MOST_ANSWER_BYTES = 16 * 1024 * 1024;

function baseOf({ bucket, endpoint, region = 'us-east-1' }: S3Options): string {
  if (endpoint === undefined) return `https://${bucket}.s3.${region}.amazonaws.com`;
  serviceAddress(endpoint, { setting: 'The S3 endpoint (AWS_ENDPOINT_URL_S3)', example: 'https://s3.example.com' });
  return `${endpoint.replace(/\/+$/, '')}/${encoded(bucket)}`;
}
