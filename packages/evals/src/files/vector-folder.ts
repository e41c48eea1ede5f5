import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FlyballError } from 'flyball';
import type { VectorCache } from 'flyball/retrieval';

type Vectors = Map<string, Float32Array>;

/**
 * Keeps vectors in a folder: one folder for each embedder, in it one file for each batch, a line of JSON with the keys
 * followed by the numbers. A file is written beside its place and then moved there, so a reader finds it whole or not at
 * all; one that cannot be read counts as absent.
 */
export function vectorFolder(folder: string): VectorCache {
  const loaded = new Map<string, Promise<Vectors>>();
  const of = (embedder: string): Promise<Vectors> => {
    const known = loaded.get(embedder) ?? readAll(placeOf(folder, embedder), embedder);
    loaded.set(embedder, known);
    return known;
  };
  return {
    async get(embedder, keys) {
      const vectors = await of(embedder);
      return keys.map((key) => vectors.get(key));
    },
    async put(embedder, vectors) {
      if (vectors.size === 0) return;
      const known = await of(embedder);
      for (const [key, vector] of vectors) known.set(key, vector);
      await write(placeOf(folder, embedder), embedder, vectors);
    },
  };
}

/** Named for people to recognise and by a hash to be sure: two ids may look the same once they fit a file name. */
function placeOf(folder: string, embedder: string): string {
  const hash = createHash('sha256').update(embedder).digest('hex').slice(0, 12);
  return join(folder, `${embedder.replace(/[^a-zA-Z0-9.-]+/g, '_').slice(0, 60)}-${hash}`);
}

async function readAll(place: string, embedder: string): Promise<Vectors> {
  const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new FlyballError('STORAGE_FAILED', `Cannot read vectors in ${place}: ${error.message}`, { cause: error });
  });
  const vectors: Vectors = new Map();
  for (const name of names.filter((each) => each.endsWith('.vectors')).sort())
    for (const [key, vector] of parsed(await readFile(join(place, name)), embedder)) vectors.set(key, vector);
  return vectors;
}

function parsed(bytes: Buffer, embedder: string): Vectors {
  const vectors: Vectors = new Map();
  const line = bytes.indexOf(10);
  const header = headerOf(bytes.subarray(0, Math.max(0, line)).toString('utf8'));
  if (header?.embedder !== embedder) return vectors;
  const { keys, dimensions } = header;
  const numbers = bytes.subarray(line + 1);
  if (numbers.length !== keys.length * dimensions * 4) return vectors;
  for (const [nth, key] of keys.entries()) {
    const vector = new Float32Array(dimensions);
    for (let at = 0; at < dimensions; at++) vector[at] = numbers.readFloatLE((nth * dimensions + at) * 4);
    vectors.set(key, vector);
  }
  return vectors;
}

interface Header {
  readonly embedder: string;
  readonly dimensions: number;
  readonly keys: readonly string[];
}

function headerOf(line: string): Header | undefined {
  try {
    const value = JSON.parse(line) as Partial<Header> | null;
    const { embedder, dimensions, keys } = value ?? {};
    const fits = typeof embedder === 'string' && Number.isInteger(dimensions) && Array.isArray(keys);
    return fits ? { embedder, dimensions: dimensions ?? 0, keys: keys ?? [] } : undefined;
  } catch {
    return undefined; // what was cut off counts as absent: the vectors are made again
  }
}

async function write(place: string, embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
  const keys = [...vectors.keys()];
  const dimensions = vectors.get(keys[0] ?? '')?.length ?? 0;
  const numbers = Buffer.alloc(keys.length * dimensions * 4);
  for (const [nth, vector] of [...vectors.values()].entries())
    for (const [at, value] of vector.entries()) numbers.writeFloatLE(value, (nth * dimensions + at) * 4);
  const name = createHash('sha256').update(keys.join('\n')).digest('hex').slice(0, 24);
  const beside = join(place, `${randomUUID()}.part`);
  await mkdir(place, { recursive: true });
  await writeFile(beside, Buffer.concat([Buffer.from(`${JSON.stringify({ embedder, dimensions, keys })}\n`), numbers]));
  await rename(beside, join(place, `${name}.vectors`));
}
