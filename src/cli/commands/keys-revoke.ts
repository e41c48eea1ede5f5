import type { Command } from 'commander';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { withKey } from '../keys/key-desk.js';

const ABOUT =
  'Revoke a key: every server over this database refuses it from the next request on. It stays in the list.';

export function revokeKeyCommand(perform: Perform): Command {
  return newCommand('revoke <prefix>', ABOUT, ['flyball keys revoke k3v7q2ma']).action(
    (prefix: string, options: CommonOptions) => perform(options, {}, (call) => revoke(call, prefix)),
  );
}

async function revoke(call: Call, prefix: string): Promise<ExitCode> {
  return withKey(call, prefix, async (keys, known) => {
    const key = await keys.revoke(known.prefix);
    call.screen.data({ kind: 'key', key });
    call.screen.line(`Key ${key.prefix} (${key.name}) is revoked: the next request with it is refused.`);
    return EXIT.ok;
  });
}
