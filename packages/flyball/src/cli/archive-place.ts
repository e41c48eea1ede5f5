import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { folderArchive } from '../adapters/archive-folder/folder-archive.js';
import { s3Archive } from '../adapters/archive-s3/s3-archive.js';
import { ConfigError } from '../core/errors.js';
import type { ArchiveStore } from '../ports/archive.js';
import { withoutPassword } from './database-address.js';
import { refuseEmpty } from './refuse-empty.js';

type Environment = Readonly<Record<string, string | undefined>>;

const PLACE = 'The place of the archive';

/** For commands about an archive that must exist already. A folder whose name is mistyped would read as an empty one. */
export function archiveThere(place: string, env: Environment): ArchiveStore {
  refuseEmpty(PLACE, place);
  if (!place.includes('://') && !existsSync(place))
    throw new ConfigError(
      `There is no folder ${resolve(place)}. Name the folder or the bucket that flyball archive add has written to.`,
    );
  return archiveAt(place, env);
}

/** A folder, or s3://bucket/prefix with the credentials that other programs for S3 read from the environment too. */
export function archiveAt(place: string, env: Environment): ArchiveStore {
  refuseEmpty(PLACE, place);
  const [, scheme] = /^(\w+):\/\//.exec(place) ?? [];
  if (scheme === undefined) return folderArchive(place);
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]*)\/?(.*?)\/*$/.exec(place) ?? [];
  if (scheme !== 's3' || bucket === '')
    throw new ConfigError(`An archive is a folder or s3://bucket/prefix, not ${withoutPassword(place)}.`);
  const accessKeyId = env['AWS_ACCESS_KEY_ID'];
  const secretAccessKey = env['AWS_SECRET_ACCESS_KEY'];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ConfigError(`Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to use ${place}.`);
  const endpoint = env['AWS_ENDPOINT_URL_S3'] ?? env['AWS_ENDPOINT_URL'];
  const region = env['AWS_REGION'] ?? env['AWS_DEFAULT_REGION'];
  const sessionToken = env['AWS_SESSION_TOKEN'];
  return s3Archive({
    bucket,
    prefix,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
  });
}
