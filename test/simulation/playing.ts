import { parseArgs } from 'node:util';
import { plantedFaults } from './planted-faults.js';

export const USAGE = `Usage: npm run simulate -- [--seeds 1000] [--from 1] [--all]
       npm run simulate -- --seed 4711 [--shrink]
       npm run simulate -- --planted [name …] [--seeds 1000] [--from 1]

Simulates several machines, their storage, clocks and network, people and operators, each seed another world.

  --seeds <n>  tries so many seeds (1000 by default), and stops at the first that breaks a rule
  --from <n>   the first of them (1 by default)
  --all        goes on after a seed that breaks a rule
  --seed <n>   plays one seed and prints what happened
  --shrink     makes that seed smaller for as long as it breaks the same rule
  --planted    undoes mendings one by one, and says how many seeds each took to find
  --help       this text

Exits with 1 if a seed broke a rule or a planted fault was not found, and with 2 if it was asked for what it cannot do.`;

/** What whoever plays seeds is asked for. */
export interface Asked {
  readonly seeds: number;
  readonly from: number;
  readonly seed: number | undefined;
  readonly isShrunk: boolean;
  /** Goes on after a seed that fails. */
  readonly isAll: boolean;
  /** Names of planted faults, or all where none is named; undefined where no fault is to be planted. */
  readonly planted: readonly string[] | undefined;
}

/** Nothing is played: this is said instead. */
export interface Said {
  readonly text: string;
  readonly code: 0 | 2;
}

const OPTIONS = {
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  shrink: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  planted: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** A number that cannot be read must not pass for a run that found nothing: whoever looks at the exit code believes it. */
export function askedOf(args: readonly string[]): Asked | Said {
  let given: ReturnType<typeof parsed>;
  try {
    given = parsed(args);
  } catch (error) {
    return refused(`${(error as Error).message}\n\n${USAGE}`);
  }
  const { values, positionals: names } = given;
  if (values.help) return { text: USAGE, code: 0 };
  for (const [name, least] of [['seeds', 1] as const, ['from', 0] as const, ['seed', 0] as const]) {
    const text = values[name];
    if (text !== undefined && !(/^\d{1,15}$/.test(text) && Number(text) >= least))
      return refused(
        `--${name} must be a whole number${least > 0 ? ' above 0' : ''}, not ${JSON.stringify(text)}. Nothing was played.`,
      );
  }
  if (values.shrink && values.seed === undefined)
    return refused('--shrink makes one seed smaller: say which one with --seed. Nothing was played.');
  if (!values.planted && names.length > 0)
    return refused(`${names.join(' ')} belongs to no option: a seed is played with --seed. Nothing was played.`);
  const unknown = names.filter((name) => !plantedFaults.some((fault) => fault.name === name));
  if (unknown.length > 0) return refused(`There is no planted fault named ${unknown.join(', ')}. Nothing was played.`);
  return {
    seeds: Number(values.seeds),
    from: Number(values.from),
    seed: values.seed === undefined ? undefined : Number(values.seed),
    isShrunk: values.shrink,
    isAll: values.all,
    planted: values.planted ? names : undefined,
  };
}

function parsed(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
}

function refused(text: string): Said {
  return { text, code: 2 };
}
