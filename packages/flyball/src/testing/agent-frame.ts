import { fileURLToPath } from 'node:url';

/** The folder that holds our rooms: `src` in a checkout, `dist` when published. */
const OWN_FOLDER = fileURLToPath(new URL('..', import.meta.url));
const OWN_ROOMS = ['core', 'ports', 'runtime', 'testing', 'views', 'adapters', 'chunks']; // the last as published

/** The innermost frame of a stack that is neither Node's, nor a package's, nor ours; undefined when there is none. */
export function agentFrame(stack: string | undefined): string | undefined {
  return innermost(stack, (path) => !isNodes(path) && !isOurs(path) && !isPackaged(path));
}

/** For agents that are installed as packages: the innermost frame that is neither Node's nor ours. */
export function packageFrame(stack: string | undefined): string | undefined {
  return innermost(stack, (path) => !isNodes(path) && !isOurs(path));
}

function innermost(stack: string | undefined, fits: (path: string) => boolean): string | undefined {
  return (stack ?? '')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().replace(/^at (async )?/, ''))
    .find((frame) => /:\d+:\d+\)?$/.test(frame) && fits(pathOf(frame)))
    ?.replaceAll('file://', '');
}

function pathOf(frame: string): string {
  const place = /\(([^()]+)\)$/.exec(frame)?.[1] ?? frame;
  return place.startsWith('file:') ? fileURLToPath(place.replace(/:\d+:\d+$/, '')) : place.replace(/:\d+:\d+$/, '');
}

function isNodes(path: string): boolean {
  return path.startsWith('node:');
}

function isPackaged(path: string): boolean {
  return /[/\\]node_modules[/\\]/.test(path);
}

/** Our own tests and examples count as agent code. */
function isOurs(path: string): boolean {
  if (!path.startsWith(OWN_FOLDER) || /\.test\.[jt]s$/.test(path)) return false;
  const room = path.slice(OWN_FOLDER.length).split(/[/\\]/)[0] ?? '';
  return OWN_ROOMS.includes(room);
}
