import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { type Budget, budget } from '../../core/budget.js';
import { collectBudget } from '../budget-option.js';
import { type Call, type CommonOptions, newCommand, type Perform } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { whoAmI } from '../place.js';
import { positionOption } from '../positions.js';
import { goOn } from '../steer.js';
import { openExisting, type Workplace } from '../workplace.js';

interface Options extends CommonOptions {
  readonly at: number;
  readonly generation?: number;
  readonly live?: boolean;
  readonly budget?: Partial<Budget>;
  readonly id?: string;
}

const ABOUT =
  'Start a new run from an entry of another run. ' +
  'Everything up to that entry is inherited and is not made or billed again. Effects are simulated unless you use --live, which waits for an approval. ' +
  'If the entry is inside an effect, the command refuses and names the nearest valid entry.';

export function forkCommand(perform: Perform): Command {
  return newCommand('fork <run>', ABOUT, [
    'flyball fork run_1f0c --at 12',
    'flyball fork run_1f0c --at 12 --live --budget costUsd=1',
  ])
    .requiredOption('--at <entry>', 'the last entry to inherit, as flyball show numbers them', positionOption)
    .option('--generation <number>', 'generation that --at refers to (default: the last)', positionOption)
    .option('--live', 'make real effects, after an approval')
    .option(
      '--budget <axis=value>',
      'a different limit than the original run; repeat it for several axes',
      collectBudget,
    )
    .option('--id <id>', 'id of the new run (default: a new one)')
    .action((runId: string, options: Options) => perform(options, { runId }, (call) => fork(call, { runId, options })));
}

async function fork(
  call: Call,
  { runId, options }: { readonly runId: string; readonly options: Options },
): Promise<ExitCode> {
  const workplace = await openExisting(call.place, runId);
  try {
    const parent = await workplace.desk.get(runId);
    const id = options.id ?? `run_${randomUUID().replaceAll('-', '').slice(0, 20)}`;
    const limits = options.budget === undefined ? {} : { budget: await enlarged(workplace, runId, options.budget) };
    const { screen } = call;
    return await goOn(call, {
      workplace,
      record: { ...parent, id },
      launch: async (runtime) => {
        const handle = await runtime.fork(runId, {
          at: options.at,
          id,
          by: whoAmI(),
          live: options.live ?? false,
          ...limits,
          ...(options.generation === undefined ? {} : { generation: options.generation }),
        });
        screen.line(`${screen.paint('bold', id)}: fork of ${runId} after entry ${options.at}`);
        return handle;
      },
    });
  } finally {
    await workplace.close();
  }
}

async function enlarged(workplace: Workplace, runId: string, limits: Partial<Budget>): Promise<Budget> {
  const first = (await workplace.desk.entries(runId))[0]?.event;
  return budget({ ...(first?.type === 'run-start' ? first.budget : {}), ...limits });
}
