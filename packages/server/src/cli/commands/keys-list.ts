import type { Command } from 'commander';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  isThere,
  newCommand,
  type Perform,
} from 'flyball/internal';
import { withKeys } from '../keys/key-desk.js';
import { keyLines } from '../keys/key-lines.js';

interface Options extends CommonOptions {
  readonly tenant?: string;
}

const ABOUT = 'List API keys with their tenant, scopes, expiry and last use.';

export function listKeysCommand(perform: Perform): Command {
  return newCommand('list', ABOUT, [
    'flyball keys list',
    'flyball keys list --tenant acme',
    "flyball keys list --json | jq -r '.keys[].prefix'",
  ])
    .option('--tenant <tenant>', 'only keys of this tenant')
    .action((options: Options) => perform(options, {}, (call) => list(call, options)));
}

async function list(call: Call, { tenant }: Options): Promise<ExitCode> {
  const { screen, place } = call;
  const found = (await isThere(place)) ? await withKeys(call, (keys) => keys.list(tenant)) : [];
  screen.data({ kind: 'keys', keys: found });
  for (const key of found) for (const line of keyLines(key, Date.now(), screen)) screen.line(line);
  if (found.length === 0)
    screen.line(
      `There are no keys. To create one, run: ${place.command('keys', 'create', '--name', '<name>', '--scope', 'admin')}`,
    );
  return EXIT.ok;
}
