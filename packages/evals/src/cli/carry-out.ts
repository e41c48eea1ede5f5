import { nodeHost, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import type { Screen } from 'flyball/internal';
import { EXIT, type ExitCode, printable } from 'flyball/internal';
import type { ExperimentReport } from '../experiment/experiment.js';
import { runExperiment } from '../experiment/run-experiment.js';
import type { ExperimentSettings } from '../experiment/settings.js';
import type { ExperimentFolder } from './experiment-folder.js';
import { hold } from './hold.js';
import { pricesBy } from './models.js';
import type { Prepared } from './prepare.js';
import { ExperimentProgress } from './progress.js';

export interface CarriedOut {
  readonly report: ExperimentReport;
  /** Why it ended before everything was run; absent when everything was. */
  readonly stopped?: { readonly why: string; readonly exitCode: ExitCode };
}

/** Runs what is left of an experiment, tells how it goes, and stops at a safe point when somebody asks. */
export async function carryOut(
  prepared: Prepared,
  {
    settings,
    folder,
    screen,
    resume,
    begin,
  }: {
    readonly settings: ExperimentSettings;
    readonly folder: ExperimentFolder;
    readonly screen: Screen;
    /** The command that goes on with it. */
    readonly resume: string;
    /** Writes the settings of a new one. */
    begin?(): Promise<void>;
  },
): Promise<CarriedOut> {
  const held = await hold(folder.lock);
  const engine = await sqliteEngine({ path: folder.journal })
    .then(async (opened) => {
      await begin?.(); // not before: what could not be opened leaves no experiment behind
      return opened;
    })
    .catch(async (error: unknown) => {
      await held.release();
      throw error;
    });
  const progress = new ExperimentProgress(screen);
  const stop = stopper(screen, settings.maxCost);
  try {
    stop.spent(await spentBefore(prepared, folder));
    const report = await runExperiment({
      ...prepared,
      trials: settings.trials,
      seed: settings.seed,
      concurrency: settings.concurrency,
      limits: { maxSteps: settings.maxSteps, maxErrors: settings.maxErrors },
      runtime: {
        engine,
        clock: systemClock(),
        host: nodeHost(),
        options: { leaseMs: LEASE_MS },
        prices: pricesBy(settings),
        onProblem: (error, doing) =>
          screen.complain(printable(`While ${doing}: ${error instanceof Error ? error.message : String(error)}`)),
      },
      checkpoint: (condition) => folder.checkpoint(condition),
      onProgress: (told) => {
        progress.told(told);
        stop.spent(told.costUsd);
      },
      signal: stop.signal,
    });
    const why = report.ended === 'complete' ? undefined : stop.why();
    return { report, ...(why === undefined ? {} : { stopped: why }) };
  } catch (error) {
    progress.stop();
    screen.complain(`The experiment stopped early. Finished simulations are saved. Fix the cause, then run: ${resume}`);
    throw error;
  } finally {
    progress.stop();
    stop.forget();
    await engine.close();
    await held.release();
  }
}

/** What earlier processes spent: a bound over everything holds over resumes too. */
async function spentBefore({ conditions }: Prepared, folder: ExperimentFolder): Promise<number> {
  const kept = await Promise.all(conditions.map((condition) => folder.checkpoint(condition).load()));
  return kept
    .flatMap((results) => results?.simulations ?? [])
    .reduce((sum, { agentCost, userCost }) => sum + (agentCost ?? 0) + (userCost ?? 0), 0);
}

/** A thread that is busy with something large renews nothing; that a process died is seen by its id, not by its lease. */
const LEASE_MS = 120_000;

const SIGNALS = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const;

/** The first Ctrl-C takes nothing new and keeps what is done; the second leaves at once, which loses nothing either. */
function stopper(screen: Screen, maxCost: number | undefined) {
  const controller = new AbortController();
  let why: NonNullable<CarriedOut['stopped']> = { why: 'it was stopped', exitCode: EXIT.interrupted };
  const handler = (signal: NodeJS.Signals): void => {
    const exitCode = SIGNALS[signal as keyof typeof SIGNALS];
    if (controller.signal.aborted) process.exit(exitCode);
    why = { why: 'it was interrupted', exitCode };
    screen.complain(
      'Stopping: finished simulations are saved, and running ones stay in the journal. Press Ctrl-C again to exit immediately.',
    );
    controller.abort();
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, handler);
  return {
    signal: controller.signal,
    why: () => why,
    spent(costUsd: number): void {
      if (maxCost === undefined || costUsd < maxCost || controller.signal.aborted) return;
      why = {
        why: `it has cost $${costUsd.toFixed(2)}, and --max-cost is $${maxCost.toFixed(2)}`,
        exitCode: EXIT.bounded,
      };
      controller.abort();
    },
    forget(): void {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, handler);
    },
  };
}
