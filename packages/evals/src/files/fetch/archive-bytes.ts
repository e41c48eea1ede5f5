import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createGunzip, type Gunzip } from 'node:zlib';
import { ConfigError, FlyballError } from 'flyball';
import { isPassingStatus } from 'flyball/internal';
import { cutShort } from './tar-reader.js';

export interface ArchiveOptions {
  readonly signal: AbortSignal;
  /** Told how many bytes have come, and of how many where that is known. */
  readonly onBytes: (got: number, of: number | undefined) => void;
}

/** The bytes of a `tar.gz`, unpacked, from an address or a file. */
export async function* archiveBytes(from: string, options: ArchiveOptions): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const feeding = feed(gunzip, from, options);
  feeding.catch((error: unknown) => gunzip.destroy(error as Error));
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
    await feeding;
  } catch (error) {
    throw options.signal.aborted ? stopped() : gzipProblem(error, from);
  } finally {
    gunzip.destroy(); // whoever has found everything leaves early
  }
}

async function feed(gunzip: Gunzip, from: string, options: ArchiveOptions): Promise<void> {
  for await (const chunk of await opened(from, options))
    await new Promise<void>((done, fail) => gunzip.write(chunk, (error) => (error ? fail(error) : done())));
  gunzip.end();
}

async function opened(from: string, options: ArchiveOptions): Promise<AsyncIterable<Uint8Array>> {
  if (/^https?:/i.test(from)) return download(from, options);
  const path = /^file:/i.test(from) ? fileURLToPath(from) : from;
  return counted(createReadStream(path), undefined, options);
}

async function download(url: string, options: ArchiveOptions): Promise<AsyncIterable<Uint8Array>> {
  const answer = await fetch(url, { signal: options.signal, redirect: 'follow' }).catch((error: unknown) => {
    throw options.signal.aborted ? stopped() : unreachable(url, error);
  });
  if (answer.status !== 200 || answer.body === null) throw refused(url, answer.status);
  const length = Number(answer.headers.get('content-length') ?? Number.NaN);
  return counted(answer.body, Number.isFinite(length) ? length : undefined, options);
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  of: number | undefined,
  { signal, onBytes }: ArchiveOptions,
): AsyncGenerator<Uint8Array> {
  let got = 0;
  for await (const chunk of chunks) {
    if (signal.aborted) throw stopped();
    got += chunk.length;
    onBytes(got, of);
    yield chunk;
  }
}

const WAYS =
  'Without a way there, fetch the archive elsewhere and name it with --from FILE, or a mirror with --from URL; ' +
  'a folder that holds the data already is named with --data or FLYBALL_TAU2.';

function unreachable(url: string, error: unknown): FlyballError {
  const { cause, message } = error as Error;
  const why = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
  return new FlyballError('EFFECT_FAILED', `${url} cannot be reached: ${why}. ${WAYS}`, {
    retryable: true,
    cause: error,
  });
}

function refused(url: string, status: number): FlyballError {
  const retryable = isPassingStatus(status);
  const message = `${url} answers with status ${status}. ${WAYS}`;
  return retryable ? new FlyballError('EFFECT_FAILED', message, { retryable }) : new ConfigError(message);
}

export function stopped(): FlyballError {
  return new FlyballError('CANCELLED', 'Stopped while fetching. Nothing was written.');
}

function gzipProblem(error: unknown, from: string): unknown {
  if (error instanceof FlyballError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return cutShort();
  if (code?.startsWith('Z_') === true) return new ConfigError(`${from} is not a tar.gz file: ${message}.`);
  if (code === 'ENOENT' || code === 'EISDIR' || code === 'EACCES')
    return new ConfigError(
      `${from} cannot be read: ${message}. Name an archive, or an address that begins with https:.`,
    );
  return new FlyballError('EFFECT_FAILED', `The connection to ${from} broke: ${message}.`, {
    retryable: true,
    cause: error,
  });
}
