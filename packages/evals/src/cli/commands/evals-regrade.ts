import type { Command } from 'commander';
import { budget, createRuntime, done, EffectError, memoryEngine } from 'flyball';
import {
  type Call,
  type CommonOptions,
  EXIT,
  type ExitCode,
  type Perform,
  plainCommand,
  plural,
} from 'flyball/internal';
import type { SettingsByModel } from '../../experiment/model-settings.js';
import type { ModelSide } from '../../experiment/sides.js';
import { writeResultsFile } from '../../files/results-file.js';
import { modelJudge } from '../../grading/model-judge.js';
import { regradeResults } from '../../grading/regrade.js';
import type { NlJudge } from '../../grading/reward.js';
import type { Results } from '../../results/simulation-record.js';
import { resultsUnder } from '../experiment-folder.js';
import { type ModelOptions, modelSettingsFrom, withModelOptions } from '../model-options.js';
import { modelSide, pricesBy } from '../models.js';
import { openDomain } from '../open-domain.js';

interface Options extends CommonOptions, ModelOptions {
  readonly judge?: string;
  readonly data?: string;
  readonly tasks?: string;
}

const ABOUT =
  'Grade results again by replaying their calls in fresh environments. Reads results of this command and of tau2-bench. ' +
  'With a judge, also grades what needs one. The files are rewritten in place.';

export function regradeCommand(perform: Perform): Command {
  const command = plainCommand('regrade <paths...>', ABOUT, [
    'flyball evals regrade runs/pilot --judge openai/gpt-4.1',
    'flyball evals regrade results.json --data ./tau2 --tasks domain',
  ]).option('--judge <model>', 'judges natural-language assertions');
  return withModelOptions(command)
    .option('--data <folder>', 'data of tau2-bench, for results of its domains')
    .option('--tasks <which>', 'file: tasks as the file has them (default); domain: as they are now')
    .action((paths: readonly string[], options: Options) =>
      perform(options, {}, (call) => regrade(call, paths, options)),
    );
}

async function regrade({ screen, env }: Call, paths: readonly string[], options: Options): Promise<ExitCode> {
  const { judge, data, tasks } = options;
  const modelSettings = modelSettingsFrom(options) ?? {};
  const by = judge === undefined ? undefined : await modelSide(judge, 'judge', { settings: { modelSettings }, env });
  const nlJudge = by === undefined ? {} : { nlJudge: judgeOf(by, modelSettings) };
  for (const { file, results } of await resultsUnder(paths)) {
    screen.status(`Grading ${file} …`);
    const domain = await openDomain(results.info.domain, data === undefined ? {} : { data }, env);
    const graded = await regradeResults(domain, results, { ...nlJudge, tasks: tasks === 'domain' ? 'domain' : 'file' });
    await writeResultsFile(file, graded);
    const changed = changedIn(results, graded);
    const unscored = graded.simulations.filter(
      ({ reward, termination }) => reward === null && termination !== 'infrastructure_error',
    ).length;
    screen.data({ kind: 'regraded', file, simulations: graded.simulations.length, changed, unscored });
    screen.line(
      `${file}: ${plural(graded.simulations.length, 'simulation')}, ${changed} with another reward, ${unscored} without one`,
    );
  }
  return EXIT.ok;
}

/** One question at a time, each a run of its own in memory: a judgement that is cut off is asked again. */
function judgeOf(by: ModelSide, settings: SettingsByModel): NlJudge {
  const price = pricesBy({ modelSettings: settings })(by.model.id, by.model.price);
  return async (assertions, transcript) => {
    const runtime = createRuntime({
      engine: memoryEngine(),
      agents: { judge: async (run) => done(await modelJudge(run, by)(assertions, transcript)) },
      ...(price === undefined ? {} : { prices: { [by.model.id]: price } }),
    });
    try {
      const handle = await runtime.start('judge', null, { budget: budget({ modelCalls: 5, costUsd: 5 }) });
      const outcome = await handle.outcome();
      if (outcome.stop === 'done') return outcome.value as Awaited<ReturnType<NlJudge>>;
      throw outcome.stop === 'failed'
        ? new EffectError(outcome.failure)
        : new Error(`The judge ended ${outcome.stop}.`);
    } finally {
      await runtime.close();
    }
  };
}

function changedIn(before: Results, after: Results): number {
  const rewards = new Map(before.simulations.map(({ id, reward }) => [id, reward?.reward]));
  return after.simulations.filter(({ id, reward }) => rewards.get(id) !== reward?.reward).length;
}
