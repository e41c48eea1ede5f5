import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  lengthOfTime,
  newCommand,
  type Perform,
  printable,
} from 'flyball/internal';
import { holds, SCOPES } from '../../access/principal.js';
import { showSecret, withKeys } from '../keys/key-desk.js';
import { keyLines } from '../keys/key-lines.js';

interface Options extends CommonOptions {
  readonly name: string;
  readonly tenant: string;
  readonly subject?: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly rate?: string;
  readonly costPerDay?: string;
}

const ABOUT = 'Create an API key. Its secret is shown only once.';
const KNOWN = Object.entries(SCOPES).map(([scope, about]) => `  ${scope.padEnd(18)} ${about}`);

export function createKeyCommand(perform: Perform): Command {
  return newCommand('create', ABOUT, [
    'flyball keys create --name ci --scope agents:invoke --scope runs:read --expires 90d',
    'flyball keys create --name boss --scope admin',
    "flyball keys create --name site --tenant acme --scope 'agents:*' --rate 60 --cost-per-day 5",
    "KEY=$(flyball keys create --name ci --scope 'runs:*' --json | jq -r .secret)",
  ])
    .requiredOption('--name <name>', 'display name')
    .option('--tenant <tenant>', 'tenant whose runs it can read and start', 'default')
    .option('--subject <subject>', 'user it acts for (default: its name)')
    .requiredOption('--scope <scope>', 'what it may do; repeat it for several', (scope, all: string[] = []) => [
      ...all,
      scope,
    ])
    .option('--expires <time>', 'when it stops working, such as 90d or 12h (default: never)')
    .option('--rate <requests>', 'requests per minute')
    .option('--cost-per-day <usd>', 'maximum cost per day (UTC) of the runs it starts, in US dollars')
    .addHelpText('after', `\nScopes ("runs:*" includes all that begin with "runs:"):\n${KNOWN.join('\n')}`)
    .action((options: Options) => perform(options, {}, (call) => create(call, options)));
}

async function create(call: Call, options: Options): Promise<ExitCode> {
  const { name, tenant, subject, scope, expires } = options;
  const life = expires === undefined ? undefined : lengthOfTime('--expires', expires);
  const limits = limitsOf(options);
  const now = Date.now();
  const { isFirst, key, secret } = await withKeys(call, async (keys) => ({
    isFirst: !(await keys.any()),
    ...(await keys.create({
      name,
      tenant,
      scopes: scope,
      limits,
      ...(subject === undefined ? {} : { subject }),
      ...(life === undefined ? {} : { expiresAt: now + life }),
    })),
  }));
  call.screen.data({ kind: 'key', key, secret });
  for (const line of keyLines(key, now, call.screen)) call.screen.line(line);
  showSecret(call, secret);
  if (isFirst)
    call.screen.line(
      'This is the first key: from now on, servers that use this database, and their studio, require credentials.',
    );
  for (const name of scope.filter((name) => !isKnown(name)))
    call.screen.complain(
      call.screen.paint(
        'yellow',
        `${printable(name)} does not give access to any route; it is only used by approvals that require it.`,
      ),
    );
  return EXIT.ok;
}

/** Whether it gives a right to anything that a server has. */
function isKnown(scope: string): boolean {
  return Object.keys(SCOPES).some((known) => holds([scope], known));
}

function limitsOf({ rate, costPerDay }: Options): { requestsPerMinute?: number; costUsdPerDay?: number } {
  return {
    ...(rate === undefined ? {} : { requestsPerMinute: amount('--rate', rate) }),
    ...(costPerDay === undefined ? {} : { costUsdPerDay: amount('--cost-per-day', costPerDay) }),
  };
}

function amount(option: string, text: string): number {
  if (/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return Number(text);
  throw new ConfigError(`${option} takes a number, such as 60 or 2.50.`);
}
