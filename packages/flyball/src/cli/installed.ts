import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** As our own imports find it. A package that is there for imports only is there. */
export function isBesideUs(name: string): boolean {
  return isFoundFrom(import.meta.url, name);
}

/** Beside us, or in the project that the command is given in. */
export function isInstalled(name: string): boolean {
  return [import.meta.url, projectUrl()].some((from) => isFoundFrom(from, name));
}

/** Where a file of the project would import from. */
export function projectUrl(): string {
  return pathToFileURL(join(process.cwd(), 'project.js')).href;
}

function isFoundFrom(from: string, name: string): boolean {
  try {
    createRequire(from).resolve(name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED';
  }
}
