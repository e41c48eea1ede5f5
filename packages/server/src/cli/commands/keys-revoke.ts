import type { Command } from 'commander';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  newCommand,
  type Perform,
  printable,
} from 'flyball/internal';
import { type ApiKey, isLive } from '../../access/api-keys.js';
import { mintedBy, revokeWithMinted } from '../../access/minted-keys.js';
import { withKey } from '../keys/key-desk.js';

interface Options extends CommonOptions {
  readonly keepMinted?: boolean;
}

const ABOUT =
  'Revoke a key. All servers that use this database refuse it from the next request. The key stays in the list. ' +
  'Keys that were created with it over HTTP, and keys created with those, are revoked too unless you use --keep-minted.';

export function revokeKeyCommand(perform: Perform): Command {
  return newCommand('revoke <prefix>', ABOUT, [
    'flyball keys revoke k3v7q2ma',
    'flyball keys revoke k3v7q2ma --keep-minted',
  ])
    .option('--keep-minted', 'leave the keys created with it over HTTP working')
    .action((prefix: string, options: Options) => perform(options, {}, (call) => revoke(call, prefix, options)));
}

async function revoke(call: Call, prefix: string, { keepMinted = false }: Options): Promise<ExitCode> {
  const { screen, place } = call;
  return withKey(call, prefix, async (keys, known) => {
    const minted = keepMinted ? [] : (await revokeWithMinted(keys, known)).minted;
    const key = await keys.revoke(known.prefix);
    const working = (await mintedBy(keys, known)).filter((one) => isLive(one, Date.now()));
    const prefixes = (list: readonly ApiKey[]): readonly string[] => list.map((one) => one.prefix);
    screen.data({ kind: 'key', key, minted: { revoked: prefixes(minted), working: prefixes(working) } });
    screen.line(`Key ${key.prefix} (${printable(key.name)}) is revoked. Requests with it are refused from now on.`);
    for (const one of minted) screen.line(`Key ${one.prefix} (${printable(one.name)}), which it made, is revoked too.`);
    if (working.length > 0) {
      screen.line(`Keys that it made and that still work: ${prefixes(working).join(', ')}.`);
      screen.line(`Revoke them too: ${place.command('keys', 'revoke', key.prefix)}`);
    }
    return EXIT.ok;
  });
}
