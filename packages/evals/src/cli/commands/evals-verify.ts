import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import type { Screen } from 'flyball/internal';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  type Perform,
  plainCommand,
  plural,
  printable,
} from 'flyball/internal';
import type { OpenDomain } from '../../verify/check.js';
import { type Verified, verifyRecording } from '../../verify/verify.js';
import type { Domain } from '../../world/environment.js';
import { openDomain } from '../open-domain.js';

interface Options extends CommonOptions {
  readonly data?: string;
  readonly oracle: string;
  readonly show: string;
}

const ABOUT =
  'Reproduce recordings of the reference benchmark: calls, evaluations, conversations, searches, prompts, metrics and results files. ' +
  'Reports how many agree, and fails if any do not.';

export function verifyEvalsCommand(perform: Perform): Command {
  return plainCommand('verify', ABOUT, [
    'flyball evals verify --data ./tau2/data --oracle ./tau2/oracle',
    'flyball evals verify --oracle ./recordings --json | jq .disagreements',
  ])
    .option('--data <folder>', 'data of tau2-bench (default: FLYBALL_TAU2, or .flyball/tau2)')
    .requiredOption('--oracle <folder>', 'recordings: .json, .jsonl and .jsonl.gz')
    .option('--show <n>', 'maximum number of differences shown per file', '5')
    .action((options: Options) => perform(options, {}, (call) => verify(call, options)));
}

async function verify({ screen, env }: Call, options: Options): Promise<ExitCode> {
  const most = Number(options.show);
  if (!(Number.isSafeInteger(most) && most >= 0))
    throw new ConfigError(`--show must be a whole number, got "${options.show}".`);
  const open = onceEach((name) => openDomain(name, options, env));
  const found: Verified[] = [];
  for (const name of await recordingsIn(options.oracle)) {
    screen.status(`Reproducing ${name}`);
    const verified = await verifyRecording(await textOf(join(options.oracle, name)), name, open);
    screen.status('');
    if (verified === undefined) screen.complain(`  ${name} is not a known kind of recording; skipped.`);
    else found.push(tell(screen, verified, most));
  }
  if (found.length === 0) throw new ConfigError(`There are no recordings in ${options.oracle}. Name another folder.`);
  const differing = found.reduce((sum, one) => sum + one.differing.length, 0);
  const agreeing = found.reduce((sum, one) => sum + one.agreeing, 0);
  screen.data({ kind: 'verified', files: found.length, agreeing, differing });
  screen.line(`${agreeing} of ${agreeing + differing} recordings agree, in ${plural(found.length, 'file')}.`);
  return differing === 0 ? EXIT.ok : EXIT.failed;
}

function tell(screen: Screen, verified: Verified, most: number): Verified {
  const { file, kind, agreeing, differing, skipped } = verified;
  const shown = differing.slice(0, most);
  screen.data({
    kind: 'recording',
    file,
    recorded: kind,
    agreeing,
    differing: differing.length,
    skipped: skipped.length,
    disagreements: shown,
  });
  const mark = differing.length === 0 ? screen.paint('green', '✓') : screen.paint('red', '✗');
  const left = skipped.length === 0 ? '' : `, ${skipped.length} skipped`;
  screen.line(`${mark} ${printable(file)}  ${kind}: ${agreeing} of ${agreeing + differing.length} agree${left}`);
  for (const { what, differs } of shown) screen.complain(printable(`    ${what}: ${differs[0] ?? ''}`));
  if (differing.length > shown.length) screen.complain(`    … and ${differing.length - shown.length} more`);
  for (const { what, skipped: why } of skipped) screen.complain(printable(`    ${what} was skipped: ${why ?? ''}`));
  return verified;
}

async function recordingsIn(folder: string): Promise<readonly string[]> {
  if (!existsSync(folder))
    throw new ConfigError(`There is no folder ${folder}. Name the one that holds the recordings.`);
  const names = await readdir(folder).catch((error: Error) => {
    throw new ConfigError(`${folder} cannot be read: ${error.message}.`);
  });
  return names.filter((name) => /\.jsonl?(?:\.gz)?$/.test(name)).sort();
}

async function textOf(path: string): Promise<string> {
  try {
    const bytes = await readFile(path);
    return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  } catch (error) {
    throw new ConfigError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}

/** Domains are loaded when a recording asks for them, once. */
function onceEach(load: (name: string) => Promise<Domain>): OpenDomain {
  const loaded = new Map<string, Promise<Domain>>();
  return (name) => {
    const domain = loaded.get(name) ?? load(name);
    loaded.set(name, domain);
    return domain;
  };
}
