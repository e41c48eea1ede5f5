import type { Command } from 'commander';
import { type Call, type CommonOptions, EXIT, type ExitCode, type Perform, plainCommand } from 'flyball/internal';
import { CONDITION } from '../../lab/claim.js';
import { claimsNamed } from '../../lab/registry.js';
import { reportOf } from '../../lab/report.js';
import { type Row, runClaims } from '../../lab/run-claims.js';
import { knownClaims } from '../lab-claims.js';
import { countOf, namesOf } from '../lab-options.js';

const ABOUT =
  'Run the claims of the laboratory: each compares a pattern with its cheapest baseline on simulated models, and both with what theory expects. Exits with 1 if a claim does not hold (|z| of 4 or more).';

interface RunOptions extends CommonOptions {
  readonly items: string;
  readonly claims?: string;
  readonly seed: string;
  readonly crashes?: boolean;
}

export function labRunCommand(perform: Perform): Command {
  return plainCommand('run', ABOUT, [
    'flyball lab run',
    'flyball lab run --claims R17 --items 2000',
    "flyball lab run --json | jq '.rows[] | select(.holds | not)'",
  ])
    .option('--items <number>', 'items for each claim', '300')
    .option('--claims <names>', 'patterns or claims, separated by commas (default: all)')
    .option('--seed <number>', 'decides all noise', '1')
    .option('--crashes', 'let the process die at a random write of each arm; the table must stay the same')
    .action((options: RunOptions) => perform(options, {}, (call) => run(call, options)));
}

async function run({ screen }: Call, options: RunOptions): Promise<ExitCode> {
  const items = countOf('--items', options.items);
  const seed = countOf('--seed', options.seed);
  const claims = claimsNamed(namesOf(options.claims), await knownClaims((line) => screen.line(line)));
  screen.line(CONDITION);
  screen.line();
  const rows = await runClaims(claims, {
    items,
    seed,
    crashes: options.crashes === true,
    onLeftOut: (id, why) => screen.line(`${id} is left out: ${why}`),
    onRow: (row, done) => {
      screen.line(lineOf(row));
      screen.status(`${done} of ${claims.length}`);
    },
  });
  screen.status('');
  screen.data({ kind: 'lab', ...reportOf(rows, { items, seed }) });
  const failed = rows.filter(({ holds }) => !holds);
  screen.line();
  screen.line(
    failed.length === 0
      ? `All ${rows.length} claims hold.`
      : `${failed.length} of ${rows.length} claims do not hold: ${failed.map(({ id }) => id).join(', ')}`,
  );
  return failed.length === 0 ? EXIT.ok : EXIT.failed;
}

function lineOf({ id, side, measured, baseline, paired, holds }: Row): string {
  const { value, expected, z, calls, expectedCalls, callsZ } = measured;
  const figure = (amount: number): string => amount.toFixed(3);
  const zText = (amount: number): string => (Number.isFinite(amount) ? amount.toFixed(1) : 'not equal');
  return [
    `${holds ? 'ok  ' : 'FAIL'} ${id.padEnd(18)} ${side.padEnd(5)}`,
    `${figure(value)} (expected ${figure(expected)}, z ${zText(z)})`,
    `${calls.toFixed(2)} calls (expected ${expectedCalls.toFixed(2)}, z ${zText(callsZ)})`,
    `baseline ${figure(baseline.value)} (z ${zText(baseline.z)})`,
    `gain ${figure(paired.gain)}${paired.gainPerExtraCall === undefined ? '' : `, ${figure(paired.gainPerExtraCall)} per extra call`}`,
  ].join('  ');
}
