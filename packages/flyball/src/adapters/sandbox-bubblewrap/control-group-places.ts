import { dirname, join } from 'node:path';

/** Folders of control groups in which this process may try to make one of its own. */
export type ControlGroupPlaces =
  | { readonly version: 1; readonly memory: string; readonly pids: string; readonly cpuacct: string | undefined }
  | { readonly version: 2; readonly parents: readonly string[] };

/**
 * Reads `/proc/self/cgroup` and `/proc/self/mountinfo`. In version 2 a group that holds processes cannot hand its
 * controllers to groups below it, so the group beside this process's own comes into question as well.
 */
export function controlGroupPlaces(cgroup: string, mountinfo: string): ControlGroupPlaces | undefined {
  const mounts = mountinfo.split('\n').flatMap(parseMount);
  const own = new Map(cgroup.split('\n').flatMap(parseMembership));
  const version1 = (controller: string): string | undefined => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const path = own.get(controller);
    return mount === undefined || path === undefined ? undefined : inMount(mount, path);
  };
  const [memory, pids] = [version1('memory'), version1('pids')];
  if (memory !== undefined && pids !== undefined) return { version: 1, memory, pids, cpuacct: version1('cpuacct') };
  const unified = mounts.find(({ type }) => type === 'cgroup2');
  const path = own.get('');
  if (unified === undefined || path === undefined) return undefined;
  const place = inMount(unified, path);
  return { version: 2, parents: place === unified.at ? [place] : [place, dirname(place)] };
}

interface MountLine {
  readonly root: string;
  readonly at: string;
  readonly type: string;
  readonly options: readonly string[];
}

/** `31 23 0:28 <root> <mount point> <options> [<tags> …] - <type> <source> <super options>` */
function parseMount(line: string): MountLine[] {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , root, at] = before.split(' ');
  const [type, , options = ''] = after.split(' ');
  return root === undefined || at === undefined || type === undefined
    ? []
    : [{ root, at, type, options: options.split(',') }];
}

/** `<number>:<controllers>:<path>`; version 2 names no controller. */
function parseMembership(line: string): [string, string][] {
  const [, controllers, ...path] = line.split(':');
  return controllers === undefined ? [] : controllers.split(',').map((name) => [name, path.join(':')]);
}

/** In a container only a part of the tree may be mounted, under its name outside. */
function inMount({ root, at }: MountLine, path: string): string {
  const below = root !== '/' && (path === root || path.startsWith(`${root}/`)) ? path.slice(root.length) : path;
  return join(at, below).replace(/(.)\/$/, '$1');
}
