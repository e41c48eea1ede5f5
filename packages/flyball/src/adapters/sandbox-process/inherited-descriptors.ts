import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** The number of a descriptor, or what Node makes of it. */
export type Stdio = number | 'pipe' | 'ignore';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Starts a process with these descriptors and no others. Node marks what it opens itself, but a descriptor that it
 * inherited from whoever started it goes on to every child, through a sandbox as well: an open file or socket of the
 * host. Such a one is covered with /dev/null.
 */
export function withDescriptors<T>(stdio: readonly Stdio[], start: (stdio: Stdio[]) => T): T {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= stdio.length);
  if (inherited.length === 0) return start([...stdio]);
  const nothing = openSync('/dev/null', 'r+');
  try {
    const cover = (descriptor: number) => (inherited.includes(descriptor) ? nothing : 'ignore');
    const length = Math.max(...inherited) + 1;
    return start(Array.from({ length }, (_entry, descriptor) => stdio[descriptor] ?? cover(descriptor)));
  } finally {
    closeSync(nothing);
  }
}

/** Those that are not closed when a program is executed. None are known where there is no `/proc`. */
function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited);
  } catch {
    return []; // another system
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // closed since it was listed, as the listing itself is
  }
}
