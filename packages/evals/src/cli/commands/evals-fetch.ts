import { relative } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import type { Screen } from 'flyball/internal';
import { type Call, type CommonOptions, EXIT, type ExitCode, type Perform, plainCommand } from 'flyball/internal';
import { fetchTau2 } from '../../files/index.js';
import { FETCHED } from '../open-domain.js';

interface Options extends CommonOptions {
  readonly to: string;
  readonly from?: string;
}

const ABOUT =
  'Download the data of a benchmark, at a pinned revision and verified file by file. ' +
  'tools.json is generated from the docstrings of its Python sources. The folder is created only if everything is correct.';

export function fetchCommand(perform: Perform): Command {
  return plainCommand('fetch <benchmark>', ABOUT, [
    'flyball evals fetch tau2',
    'flyball evals fetch tau2 --to ~/data/tau2 --json',
    'flyball evals fetch tau2 --from ./tau2-bench-a2c0247.tar.gz',
  ])
    .option('--to <folder>', 'target folder; an existing folder is not changed', FETCHED)
    .option('--from <url|file>', 'a mirror of the archive, or a file that you downloaded earlier')
    .action((benchmark: string, options: Options) =>
      perform(options, {}, (call) => fetchData(call, benchmark, options)),
    );
}

async function fetchData({ screen }: Call, benchmark: string, options: Options): Promise<ExitCode> {
  if (benchmark !== 'tau2') throw new ConfigError(`There is no benchmark "${benchmark}". Available: tau2.`);
  const leaving = stopOnSignal();
  try {
    const fetched = await fetchTau2({
      to: options.to,
      ...(options.from === undefined ? {} : { from: options.from }),
      signal: leaving.signal,
      onBytes: progressOn(screen),
    });
    screen.status('');
    screen.data({ kind: 'fetched', benchmark, ...fetched });
    const { files, revision, wasThere, to } = fetched;
    const place = relative('', to) || to;
    screen.line(
      wasThere
        ? `${place} already contains revision ${revision}: ${files} files, all verified.`
        : `Fetched revision ${revision} of tau2-bench into ${place}: ${files} files, ${megabytes(fetched.bytes)}, all verified.`,
    );
    screen.line(
      `Next: flyball evals list --domain banking_knowledge${options.to === FETCHED ? '' : ` --data ${place}`}`,
    );
    return EXIT.ok;
  } catch (error) {
    if (leaving.exitCode === undefined) throw error;
    screen.status('');
    screen.complain('Stopped. Nothing was written; run the command again to restart.');
    return leaving.exitCode;
  } finally {
    leaving.end();
  }
}

const MEGABYTE = 1_000_000;
/** Where nobody looks, a line for every so many bytes. */
const LINE_EVERY = 32 * MEGABYTE;

function progressOn(screen: Screen): (got: number, of: number | undefined) => void {
  let told = 0;
  return (got, of) => {
    const text = `Fetching: ${megabytes(got)}${of === undefined ? '' : ` of ${megabytes(of)}`}`;
    screen.status(text);
    if (screen.live || got - told < LINE_EVERY) return;
    told = got;
    screen.complain(text);
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

interface Leaving {
  readonly signal: AbortSignal;
  /** Set once somebody stopped the process. */
  readonly exitCode: ExitCode | undefined;
  end(): void;
}

function stopOnSignal(): Leaving {
  const controller = new AbortController();
  let exitCode: ExitCode | undefined;
  const leave = (signal: NodeJS.Signals): void => {
    exitCode = signal === 'SIGTERM' ? EXIT.terminated : EXIT.interrupted;
    controller.abort();
  };
  process.once('SIGINT', leave).once('SIGTERM', leave);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    end: () => void process.off('SIGINT', leave).off('SIGTERM', leave),
  };
}
