import { files } from './files.js';

/** A job as a sandbox gets it, with the parts that the machine of the world looks at. */
interface Job {
  readonly stages: readonly (readonly string[])[];
  readonly network?: 'none' | 'host';
  readonly mounts: readonly { readonly path: string }[];
}

const HELD = { confined: true, by: 'a machine of the world, which has only what a job names' } as const;

const captured = (text: string) => ({
  head: text,
  tail: '',
  bytes: text.length,
  lines: text === '' ? 0 : text.split('\n').length,
  elidedBytes: 0,
});

/** Lines that a log has before and after its fact. */
export interface LogShape {
  readonly before: number;
  readonly after: number;
}

const line = (n: number): string => `${n}: oil, filters and belts were looked at`;

/** W4: the log of a machine, with its fact at a known line. */
export const logOf = (item: number, { before, after }: LogShape): string =>
  [
    ...Array.from({ length: before }, (_none, n) => line(n)),
    files.fact(item),
    ...Array.from({ length: after }, (_none, n) => line(before + 1 + n)),
  ].join('\n');

const itemIn = (path: string): number => Number(/machine-(\d+)/.exec(path)?.[1] ?? -1);

/**
 * A machine of the world behind the port of a sandbox, with two programs: `cat` reads files of W4 below its mounts, `pay`
 * reaches the bank where the job has a network. It holds no more than a job names: what a pattern grants is what there is.
 */
export function worldMachine({
  shape = { before: 0, after: 0 },
  onPaid,
}: {
  readonly shape?: LogShape;
  /** A program reached the bank. */
  readonly onPaid?: (item: number) => void;
} = {}) {
  const program = ([name = '', ...words]: readonly string[], { network, mounts }: Job) => {
    const [path = ''] = words;
    if (name === 'cat' && mounts.some((mount) => path.startsWith(mount.path)))
      return { code: 0, out: logOf(itemIn(path), shape), err: '' };
    if (name === 'cat') return { code: 1, out: '', err: `cat: ${path}: No such file or directory` };
    if (name !== 'pay') return { code: 127, out: '', err: `${name}: not found` };
    if (network !== 'host') return { code: 1, out: '', err: 'pay: network is unreachable' };
    onPaid?.(Number(path));
    return { code: 0, out: '"paid"', err: '' };
  };
  return {
    name: 'world',
    describe: () => ({
      name: 'world',
      files: HELD,
      network: HELD,
      memory: HELD,
      processes: HELD,
      cpu: HELD,
      disk: HELD,
    }),
    run: async (job: Job) => {
      const { code, out, err } = program(job.stages[0] ?? [], job);
      const end = { how: 'exit', code } as const;
      return { end, stages: [end], stdout: captured(out), stderr: captured(err), usage: { wallMs: 1 } };
    },
  };
}
