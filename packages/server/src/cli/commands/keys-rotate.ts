import type { Command } from 'commander';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  lengthOfTime,
  newCommand,
  type Perform,
} from 'flyball/internal';
import { showSecret, withKey } from '../keys/key-desk.js';
import { keyLines } from '../keys/key-lines.js';

interface Options extends CommonOptions {
  readonly grace: string;
}

const ABOUT =
  'Give a key a new secret, which is shown only once. The old secret keeps working for the time given by --grace.';

export function rotateKeyCommand(perform: Perform): Command {
  return newCommand('rotate <prefix>', ABOUT, [
    'flyball keys rotate k3v7q2ma',
    'flyball keys rotate k3v7q2ma --grace 0s     the old secret stops at once',
  ])
    .option('--grace <time>', 'how long the old secret keeps working, at most 30d', '24h')
    .action((prefix: string, options: Options) => perform(options, {}, (call) => rotate(call, prefix, options)));
}

async function rotate(call: Call, prefix: string, { grace }: Options): Promise<ExitCode> {
  const graceMs = lengthOfTime('--grace', grace);
  return withKey(call, prefix, async (keys, known) => {
    const { key, secret } = await keys.rotate(known.prefix, graceMs);
    call.screen.data({ kind: 'key', key, secret });
    for (const line of keyLines(key, Date.now(), call.screen)) call.screen.line(line);
    showSecret(call, secret);
    return EXIT.ok;
  });
}
