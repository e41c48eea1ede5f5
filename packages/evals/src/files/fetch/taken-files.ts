import { createHash } from 'node:crypto';
import { ConfigError } from 'flyball';
import type { Manifest } from './manifest.js';
import { type TarFile, tarFiles } from './tar-reader.js';

/** What was found of a manifest: data by their place in the data folder, and the Python files of the two domains. */
export interface TakenFiles {
  readonly data: ReadonlyMap<string, Buffer>;
  readonly sources: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

const MOST_FILE = 4 * 1024 * 1024;
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_FILES = 10_000;
/** Unpacked; the whole repository of the benchmark is a small part of it. */
const MOST_ARCHIVE = 16 * 1024 ** 3;

/** Where single files may lie. Their hashes say which they are, so that it matters little where exactly. */
const SINGLES =
  /^(?:data\/tau2\/(?:domains\/(?:banking_knowledge|mock)|user_simulator)\/|web\/leaderboard\/public\/submissions\/(?:schema\.json|[^/]+\/submission\.json)$|LICENSE$)/;
const SOURCE = /^src\/tau2\/domains\/(banking_knowledge|mock)\/([^/]+\.py)$/;

/** Picks what is wanted out of an archive. Nothing of it is written here, and no name of it becomes a path as it is. */
export async function takeFiles(chunks: AsyncIterable<Uint8Array>, manifest: Manifest): Promise<TakenFiles> {
  const data = new Map<string, Buffer>();
  const sources = new Map<string, Map<string, string>>();
  const byHash = new Map(Object.entries(manifest.files).map(([to, hash]) => [hash, to]));
  let [bytes, files] = [0, 0];
  const wants = (path: string, size: number): boolean => size <= MOST_FILE && isWanted(insideOf(path), manifest);
  for await (const { path, content } of tarFiles(limited(chunks, MOST_ARCHIVE), wants)) {
    bytes += content.length;
    if (++files > MOST_FILES || bytes > MOST_BYTES) throw tooMuch();
    put({ path: insideOf(path), content }, { data, sources, byHash, manifest });
  }
  return { data, sources };
}

/** A few bytes can unpack to any number of them: at some point it is no archive of ours. */
export async function* limited(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > most) throw tooMuch();
    yield chunk;
  }
}

function put(
  { path, content }: TarFile,
  into: {
    readonly data: Map<string, Buffer>;
    readonly sources: Map<string, Map<string, string>>;
    readonly byHash: ReadonlyMap<string, string>;
    readonly manifest: Manifest;
  },
): void {
  const [, domain = '', name] = SOURCE.exec(path) ?? [];
  if (name !== undefined) {
    into.sources.set(
      domain,
      (into.sources.get(domain) ?? new Map<string, string>()).set(name, content.toString('utf8')),
    );
    return;
  }
  const to = placeIn(path, into.manifest) ?? into.byHash.get(sha256Of(content));
  if (to !== undefined) into.data.set(to, content);
}

function isWanted(path: string, manifest: Manifest): boolean {
  return placeIn(path, manifest) !== undefined || SINGLES.test(path) || SOURCE.test(path);
}

/** A direct child of a folder that is taken whole keeps its name. */
function placeIn(path: string, { folders }: Manifest): string | undefined {
  for (const { from, to, ending } of folders) {
    const name = path.startsWith(`${from}/`) ? path.slice(from.length + 1) : '';
    if (name.endsWith(ending) && !name.includes('/')) return `${to}/${name}`;
  }
  return undefined;
}

/** The path below the archive's first folder. A name that would lead out of it is not passed over: such an archive is none. */
function insideOf(path: string): string {
  const parts = path.split('/');
  if (path.startsWith('/') || path.includes('\\') || path.includes('\0') || parts.includes('..'))
    throw new ConfigError(`The archive names ${JSON.stringify(path)}, which leads out of it. Nothing was written.`);
  return parts
    .filter((part) => part !== '' && part !== '.')
    .slice(1)
    .join('/');
}

export function sha256Of(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

function tooMuch(): ConfigError {
  return new ConfigError('The archive holds more than the benchmark ever did. Nothing was written.');
}
