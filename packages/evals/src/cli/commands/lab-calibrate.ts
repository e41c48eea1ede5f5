import type { Command } from 'commander';
import { ConfigError } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  isModelName,
  modelFor,
  type Perform,
  plainCommand,
} from 'flyball/internal';
import { type Calibration, calibrate } from '../../lab/calibrate.js';
import type { Estimate } from '../../lab/estimates.js';
import { countOf } from '../lab-options.js';

const ABOUT =
  'Measure your own model with a stated number of calls: accuracy, correlation of its errors, true and false positive rate as a judge, how far it reads, and what it confuses. Then show what patterns should gain with these parameters.';

interface CalibrateCommand extends CommonOptions {
  readonly model: string;
  readonly calls: string;
  readonly width: string;
}

export function labCalibrateCommand(perform: Perform): Command {
  return plainCommand('calibrate', ABOUT, [
    'flyball lab calibrate --model openai/gpt-4.1-mini',
    'flyball lab calibrate --model ollama/llama3.2 --calls 400 --json',
  ])
    .requiredOption('--model <name>', 'provider/model')
    .option('--calls <number>', 'model calls, at least 40', '200')
    .option('--width <number>', 'calls at a time', '4')
    .action((options: CalibrateCommand) => perform(options, {}, (call) => measured(call, options)));
}

async function measured({ screen, env }: Call, options: CalibrateCommand): Promise<ExitCode> {
  if (!isModelName(options.model))
    throw new ConfigError(
      `There is no model "${options.model}". Set --model to provider/model, such as openai/gpt-4.1-mini or ollama/llama3.2.`,
    );
  const calls = countOf('--calls', options.calls);
  const model = await modelFor(
    { name: 'calibrate', description: '', model: options.model, price: { input: 0, output: 0 } },
    env,
  );
  const found = await calibrate({
    model,
    calls,
    width: countOf('--width', options.width),
    onCall: (made, all) => screen.status(`${made} of ${all} calls`),
  });
  screen.status('');
  screen.data({ kind: 'calibration', ...found });
  for (const line of linesOf(found)) screen.line(line);
  return EXIT.ok;
}

const estimate = ({ value, low, high, n }: Estimate, digits = 2): string =>
  `${value.toFixed(digits)} (95%: ${low.toFixed(digits)} to ${high.toFixed(digits)}, ${n} calls)`;

function linesOf({
  model,
  calls,
  p,
  correlation,
  wrongAnswers,
  tpr,
  fpr,
  length,
  confusion,
  gains,
  condition,
}: Calibration): readonly string[] {
  const rows = confusion.counts.map(
    (row, n) => `  ${(confusion.labels[n] ?? '').padEnd(10)} ${row.map((count) => String(count).padStart(5)).join('')}`,
  );
  return [
    `${model}, measured with ${calls} calls:`,
    `  accuracy p              ${estimate(p)}`,
    `  common errors           ${estimate(correlation)}`,
    `  different wrong answers ${estimate(wrongAnswers, 1)}`,
    `  judge: passes right     ${estimate(tpr)}`,
    `  judge: passes wrong     ${estimate(fpr)}`,
    `  reads L tokens          ${estimate(length, 0)}`,
    `  confusion, said as ${confusion.labels.join(', ')}, other:`,
    ...rows,
    '',
    'Expected with these parameters:',
    ...gains.map(
      ({ pattern, composition, value, baseline, gain, calls: made, gainPerExtraCall }) =>
        `  ${pattern.padEnd(4)} ${composition}: ${value.toFixed(2)} instead of ${baseline.toFixed(2)} (${gain < 0 ? '' : '+'}${gain.toFixed(2)}) in ${made.toFixed(1)} calls${gainPerExtraCall === undefined ? '' : `, ${gainPerExtraCall.toFixed(3)} per extra call`}`,
    ),
    '',
    `${condition} They are a first estimate for your model, measured on arithmetic, short facts and simple labels, not on your tasks.`,
  ];
}
