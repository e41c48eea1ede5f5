import { Command } from 'commander';
import type { Perform } from '../command.js';
import { createKeyCommand } from './keys-create.js';
import { listKeysCommand } from './keys-list.js';
import { revokeKeyCommand } from './keys-revoke.js';
import { rotateKeyCommand } from './keys-rotate.js';

const ABOUT =
  'Look after the API keys of a server. They are kept in its database as hashes; servers over the same database know ' +
  'of every change at once.';

const HELP = `
A key belongs to one tenant and holds scopes. It looks like fb_<prefix>_<secret>; the prefix names it here.

Examples:
  $ flyball keys create --name ci --scope agents:invoke --scope 'runs:*' --expires 90d
  $ flyball keys list
  $ flyball keys rotate k3v7q2ma --grace 24h     a new secret; the old one works for a day more
  $ flyball keys revoke k3v7q2ma                 from the next request on`;

export function keysCommand(perform: Perform): Command {
  const command = new Command('keys').summary('Look after API keys').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [createKeyCommand, listKeysCommand, rotateKeyCommand, revokeKeyCommand])
    command.addCommand(make(perform));
  return command;
}
