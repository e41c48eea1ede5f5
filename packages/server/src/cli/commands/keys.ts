import { Command } from 'commander';
import type { Perform } from 'flyball/internal';
import { createKeyCommand } from './keys-create.js';
import { listKeysCommand } from './keys-list.js';
import { revokeKeyCommand } from './keys-revoke.js';
import { rotateKeyCommand } from './keys-rotate.js';

const ABOUT =
  'Manage the API keys of a server. Keys are stored as hashes in its database; all servers that use the database see ' +
  'changes immediately.';

const HELP = `
A key belongs to one tenant and has scopes. It looks like fb_<prefix>_<secret>; these commands use the prefix.

Examples:
  $ flyball keys create --name ci --scope agents:invoke --scope 'runs:*' --expires 90d
  $ flyball keys list
  $ flyball keys rotate k3v7q2ma --grace 24h     new secret; the old one works for another day
  $ flyball keys revoke k3v7q2ma                 effective from the next request`;

export function keysCommand(perform: Perform): Command {
  const command = new Command('keys').summary('Manage API keys').description(ABOUT).addHelpText('after', HELP);
  command.helpCommand(false);
  for (const make of [createKeyCommand, listKeysCommand, rotateKeyCommand, revokeKeyCommand])
    command.addCommand(make(perform));
  return command;
}
