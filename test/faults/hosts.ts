import { spawnSync } from 'node:child_process';

/** Network namespaces: each worker has an address, a host name and process numbers of its own, as on another machine. */

function ip(...words: readonly string[]): boolean {
  return spawnSync('ip', words).status === 0;
}

/** Why there can be none here; undefined where there can. */
export function whyNoHosts(): string | undefined {
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  if (spawnSync('ip', ['-V']).status !== 0) return 'the command ip (iproute2) is not installed';
  const name = `fbtry${process.pid}`;
  const isMade = ip('netns', 'add', name);
  ip('netns', 'del', name);
  return isMade ? undefined : 'this machine does not let us make network namespaces';
}

export interface TestHost {
  /** Where this machine is, seen from there. */
  readonly gateway: string;
  /** A command that runs what follows it there. */
  readonly command: readonly string[];
  /** Takes its cable out, or puts it back. */
  cable(is: 'in' | 'out'): void;
  remove(): void;
}

export function testHost(n: number): TestHost {
  const [name, outside, inside] = [
    `fb${process.pid}n${n}`,
    `fbo${process.pid % 10_000}n${n}`,
    `fbi${process.pid % 10_000}n${n}`,
  ];
  const net = `10.${200 + (process.pid % 50)}.${n}`;
  const all = [
    ['netns', 'add', name],
    ['link', 'add', outside, 'type', 'veth', 'peer', 'name', inside],
    ['link', 'set', inside, 'netns', name],
    ['addr', 'add', `${net}.1/24`, 'dev', outside],
    ['link', 'set', outside, 'up'],
    ['-n', name, 'addr', 'add', `${net}.2/24`, 'dev', inside],
    ['-n', name, 'link', 'set', inside, 'up'],
    ['-n', name, 'link', 'set', 'lo', 'up'],
  ];
  for (const words of all) if (!ip(...words)) throw new Error(`ip ${words.join(' ')} failed`);
  const start = `hostname ${name}; exec "$@"`;
  return {
    gateway: `${net}.1`,
    command: [
      'ip',
      'netns',
      'exec',
      name,
      'unshare',
      '--uts',
      '--pid',
      '--fork',
      '--kill-child',
      '--mount-proc',
      'sh',
      '-c',
      start,
      'sh',
    ],
    cable: (is) => void ip('link', 'set', outside, is === 'in' ? 'up' : 'down'),
    remove() {
      ip('link', 'del', outside);
      ip('netns', 'del', name);
    },
  };
}
