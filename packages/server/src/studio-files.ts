import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Encoding, encodingFor, isCompressible, smallest } from './compress.js';
import { Problem } from './problem.js';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};

interface StaticFile {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
  /** The same bytes made smaller, where they can be. */
  readonly smaller: Readonly<Partial<Record<Encoding, Uint8Array<ArrayBuffer>>>>;
}

export type StaticFiles = (path: string, request: Request) => Promise<Response>;

/** Where the package keeps the built studio. */
export const STUDIO_FOLDER = fileURLToPath(new URL('../dist-studio/', import.meta.url));

/**
 * The files of a folder, read once when first asked for. A path is looked up in the list of what was found there and
 * never joined to anything, so that none leads out of the folder; links are left out.
 */
export function studioFiles(folder: string = STUDIO_FOLDER): StaticFiles {
  let files: Promise<ReadonlyMap<string, StaticFile>> | undefined;
  return async (path, request) => {
    files ??= load(folder);
    const found = await files.catch((error: unknown) => {
      files = undefined; // it may be built meanwhile
      throw notBuilt(error);
    });
    const file = found.get(path) ?? (extname(path) === '' ? found.get('index.html') : undefined);
    if (file === undefined)
      throw new Problem(404, 'NOT_FOUND', 'The studio has no such file.', { next: 'Open /studio.' });
    return answer(file, request, path.startsWith('assets/'));
  };
}

function answer({ bytes, type, etag, smaller }: StaticFile, request: Request, hashed: boolean): Response {
  const encoding = encodingFor(request.headers.get('accept-encoding'));
  const small = encoding === undefined ? undefined : smaller[encoding];
  const tag = small === undefined ? etag : `${etag.slice(0, -1)}-${encoding}"`; // other bytes, another tag
  const headers = {
    ...(isCompressible(type) ? { vary: 'accept-encoding' } : {}),
    ...(small === undefined || encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-type': type,
    etag: tag,
    // names of assets change with their contents
    'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers });
  return new Response(request.method === 'HEAD' ? null : (small ?? bytes), { headers });
}

async function load(folder: string): Promise<ReadonlyMap<string, StaticFile>> {
  const names = await readdir(folder, { recursive: true });
  const real = await realpath(folder);
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const path = join(folder, name);
    // listing a folder follows links to other folders, which may be anywhere
    if (!(await lstat(path)).isFile() || (await realpath(path)) !== join(real, name)) continue;
    const bytes = new Uint8Array(await readFile(path));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    const type = TYPES[extname(name)] ?? 'application/octet-stream';
    files.set(name.replaceAll('\\', '/'), { bytes, type, etag, smaller: isCompressible(type) ? smallest(bytes) : {} });
  }
  if (!files.has('index.html')) throw new Error(`${folder} has no index.html`);
  return files;
}

function notBuilt(cause: unknown): Problem {
  return new Problem(503, 'NOT_FOUND', 'The studio is not built.', {
    next: 'Run npm run build.',
    retryable: true,
    cause,
  });
}
