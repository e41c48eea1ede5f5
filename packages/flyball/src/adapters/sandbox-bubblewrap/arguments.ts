import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, normalize, relative, sep } from 'node:path';
import { ConfigError } from '../../core/errors.js';
import type { Mount, SandboxJob, SandboxLimits } from '../../ports/sandbox.js';
import { baseEnvironment } from '../sandbox-process/environment.js';

/** How this machine lets bubblewrap work. */
export interface BubblewrapMode {
  /** A user namespace of its own; an ordinary user needs it, root is better off with it. */
  readonly userNamespace: boolean;
  /** Further user namespaces inside are refused, and with them most of the kernel that a program could attack. */
  readonly noNestedNamespaces: boolean;
}

/** Descriptors on which bubblewrap finds what it is given. */
export interface DescriptorNumbers {
  readonly status: number;
  readonly passwd: number;
  readonly group: number;
}

const MEGABYTE = 1024 * 1024;
const SYSTEM_LINKS = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
/** What programs need of /etc. Neither accounts nor keys: as root every file in there would be readable. */
const SYSTEM_FILES = [
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
];
const NETWORK_FILES = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/services'];
/** Entries of /proc that tell about the whole machine or reach into the kernel. */
const HIDDEN_FILES = ['kcore', 'keys', 'key-users', 'kmsg', 'kpagecgroup', 'kpagecount', 'kpageflags', 'timer_list'];
const HIDDEN_FOLDERS = ['acpi', 'asound', 'scsi'];

/**
 * The job as options of bubblewrap. Order matters: later mounts cover earlier ones, and the root is made read-only last.
 * /proc is read-only too, because the kernel lets uid 0 write its settings there even without any capability.
 */
export function bubblewrapArguments(
  job: SandboxJob,
  how: { readonly mode: BubblewrapMode; readonly limits: SandboxLimits; readonly fds: DescriptorNumbers },
): string[] {
  requireReachable(job);
  const size = ['--size', String(Math.ceil(how.limits.tmpMb * MEGABYTE))];
  return [
    ...namespaces(how.mode, job.network ?? 'none'),
    ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv'],
    ...Object.entries({ ...baseEnvironment(), HOME: '/tmp', ...job.env }).flatMap((pair) => ['--setenv', ...pair]),
    ...['--ro-bind', '/usr', '/usr'],
    ...SYSTEM_LINKS.flatMap(systemLink),
    ...[...SYSTEM_FILES, ...(job.network === 'host' ? NETWORK_FILES : [])].flatMap(readOnly),
    ...['--ro-bind-data', String(how.fds.passwd), '/etc/passwd'],
    ...['--ro-bind-data', String(how.fds.group), '/etc/group'],
    ...['--proc', '/proc', ...hidden(), '--dev', '/dev'],
    ...['--perms', '1777', ...size, '--tmpfs', '/dev/shm', '--perms', '1777', ...size, '--tmpfs', '/tmp'],
    ...parentsFirst(held(job.mounts)).flatMap(({ path, access }) => [
      access === 'read-write' ? '--bind' : '--ro-bind',
      path,
      path,
    ]),
    ...['--remount-ro', '/dev', '--remount-ro', '/proc', '--remount-ro', '/', '--chdir', job.cwd],
    ...['--json-status-fd', String(how.fds.status)],
  ];
}

function namespaces(mode: BubblewrapMode, network: 'none' | 'host'): string[] {
  return [
    ...['--unshare-ipc', '--unshare-pid', '--unshare-uts', '--unshare-cgroup-try', '--hostname', 'sandbox'],
    ...(network === 'none' ? ['--unshare-net'] : []),
    ...(mode.userNamespace ? ['--unshare-user'] : []),
    ...(mode.noNestedNamespaces ? ['--disable-userns'] : []),
  ];
}

/** Merged systems link these to /usr, older ones have them as folders. */
function systemLink(path: string): string[] {
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

function readOnly(path: string): string[] {
  return existsSync(path) ? ['--ro-bind', path, path] : [];
}

function hidden(): string[] {
  return [
    ...HIDDEN_FILES.map((name) => `/proc/${name}`)
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...HIDDEN_FOLDERS.map((name) => `/proc/${name}`)
      .filter((path) => existsSync(path))
      .flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
  ];
}

/**
 * A folder that holds something read-only could be renamed and made anew, with other contents under the same name. A
 * mount point cannot: every folder on the way down to one becomes a mount of itself.
 */
function held(mounts: readonly Mount[]): readonly Mount[] {
  const known = new Set(mounts.map(({ path }) => path));
  const writable = mounts.filter(({ access }) => access === 'read-write');
  const between = mounts
    .filter(({ access }) => access === 'read-only')
    .flatMap(({ path }) =>
      writable.flatMap((top) => {
        const ways: string[] = [];
        for (let folder = dirname(path); folder !== top.path && isWithin(top.path, folder); folder = dirname(folder))
          ways.push(folder);
        return ways;
      }),
    );
  const added = [...new Set(between)].filter((path) => !known.has(path) && !isBelowReadOnly(path, mounts));
  return [...mounts, ...added.map((path) => ({ path, access: 'read-write' as const }))];
}

/** The innermost mount decides: what lies in a read-only one must not become writable on the way. */
function isBelowReadOnly(path: string, mounts: readonly Mount[]): boolean {
  const [innermost] = mounts
    .filter((mount) => isWithin(mount.path, path))
    .sort((a, b) => b.path.length - a.path.length);
  return innermost?.access === 'read-only';
}

function parentsFirst(mounts: readonly Mount[]): Mount[] {
  return [...mounts].sort((a, b) => a.path.length - b.path.length);
}

function requireReachable({ cwd, mounts }: SandboxJob): void {
  for (const { path } of mounts) {
    if (normalize(path) !== path)
      throw new ConfigError(`Mount ${path} is not a normalized path. Write ${normalize(path)}.`);
    if (path === sep || ['/proc', '/sys', '/dev'].some((kernel) => isWithin(kernel, path)))
      throw new ConfigError(`Mount ${path} would give away the whole machine. Mount the folders the job needs.`);
    if (!existsSync(path)) throw new ConfigError(`Mount ${path} does not exist.`);
  }
  if (![...mounts.map(({ path }) => path), '/tmp', '/usr'].some((root) => isWithin(root, cwd)))
    throw new ConfigError(`The working folder ${cwd} is in none of the mounts. Mount it, or choose another one.`);
}

function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
