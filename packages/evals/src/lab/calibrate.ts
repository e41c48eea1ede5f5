import { type Agent, budget, ConfigError, createRuntime, done, type Model, memoryEngine, type Session } from 'flyball';
import { answerText, type CalibrationTask, calibrationTasks, isRightReply, labelText } from './calibrate-tasks.js';
import { CONDITION } from './claim.js';
import { accuracyOf, correlationOf, type Estimate, lengthOf, type Samples, wrongAnswersOf } from './estimates.js';
import { type ExpectedGain, expectedGains } from './gain-map.js';
import { wilson } from './statistics.js';
import { LABELS, labelOf } from './worlds/intents.js';

/** What is known about a model after a number of calls. */
export interface Calibration {
  readonly model: string;
  /** Calls that were made. */
  readonly calls: number;
  readonly p: Estimate;
  /** Share of questions on which all samples fall for the same error. */
  readonly correlation: Estimate;
  readonly wrongAnswers: Estimate;
  readonly tpr: Estimate;
  readonly fpr: Estimate;
  /** Tokens after which a fact is used with probability 1/e. */
  readonly length: Estimate;
  /** Row: what a message is about. Column: what the model says. The last column is anything else. */
  readonly confusion: { readonly labels: readonly string[]; readonly counts: readonly (readonly number[])[] };
  readonly gains: readonly ExpectedGain[];
  readonly condition: string;
}

const FEWEST = 40;

export interface CalibrateOptions {
  readonly model: Model;
  readonly calls: number;
  /** Calls at a time. */
  readonly width?: number;
  readonly onCall?: (made: number, calls: number) => void;
}

interface Replied {
  readonly task: CalibrationTask;
  readonly reply: string;
}

/**
 * Measures a model with exactly so many calls: accuracy, what its errors have in common, how well it judges, how far it
 * reads, what it confuses. What patterns would gain is read off the laws of the laboratory with these parameters.
 */
export async function calibrate({ model, calls, width = 4, onCall }: CalibrateOptions): Promise<Calibration> {
  if (!(Number.isInteger(calls) && calls >= FEWEST))
    throw new ConfigError(`calibrate needs at least ${FEWEST} calls to say anything, got ${calls}.`);
  const tasks = calibrationTasks(calls, model.capabilities.window);
  const replied = await asked(model, tasks, width, onCall);
  const of = (kind: CalibrationTask['kind']): readonly Replied[] => replied.filter(({ task }) => task.kind === kind);
  const items = samplesBy(of('answer'));
  const measured = {
    p: accuracyOf(items),
    correlation: correlationOf(items),
    wrongAnswers: wrongAnswersOf(items),
    tpr: shareOf(of('judge').filter(({ task }) => task.kind === 'judge' && task.isGood)),
    fpr: shareOf(of('judge').filter(({ task }) => task.kind === 'judge' && !task.isGood)),
    length: lengthOf(
      of('recall').flatMap(({ task, reply }) =>
        task.kind === 'recall' ? [{ tokens: task.tokens, isRight: isRightReply(task, reply) }] : [],
      ),
    ),
  };
  const gains = expectedGains({
    p: measured.p.value,
    common: measured.correlation.value,
    wrong: measured.wrongAnswers.value,
    tpr: measured.tpr.value,
    fpr: measured.fpr.value,
    length: measured.length.value,
  });
  return {
    model: model.id,
    calls: replied.length,
    ...measured,
    confusion: confusionOf(of('label')),
    gains,
    condition: CONDITION,
  };
}

/** In one run, whose budget is the number of calls that was stated. */
async function asked(
  model: Model,
  tasks: readonly CalibrationTask[],
  width: number,
  onCall: CalibrateOptions['onCall'],
): Promise<readonly Replied[]> {
  const temperature = model.capabilities.temperature === false ? {} : { temperature: 0.8 };
  const session: Session = { name: 'calibrated', model, setup: '', sampling: { ...temperature, maxOutputTokens: 200 } };
  let made = 0;
  const agent: Agent<null, readonly string[]> = async (run) => {
    const settled = await run.all(
      tasks.map(({ prompt }) => async (branch) => {
        const { text } = await branch.ask(session, prompt);
        onCall?.(++made, tasks.length);
        return text;
      }),
      width,
    );
    return done(
      settled.map((one) => {
        if (one.ok) return one.value;
        throw one.error;
      }),
    );
  };
  const runtime = createRuntime({
    engine: memoryEngine(),
    agents: { calibrate: agent },
    // bounded by calls: what they cost is nobody's business here, and a model without a known price can be measured too
    prices: { [model.id]: { input: 0, output: 0 } },
    options: { worker: false },
  });
  try {
    const limits = budget({ modelCalls: tasks.length, tokensIn: 1e9, tokensOut: 1e9, costUsd: 1e6, wallMs: 1e9 });
    const outcome = await (await runtime.start('calibrate', null, { budget: limits })).outcome();
    if (outcome.stop === 'done') return outcome.value.map((reply, n) => ({ task: tasks[n] as CalibrationTask, reply }));
    throw new ConfigError(
      `The model could not be calibrated: ${'failure' in outcome ? outcome.failure.message : outcome.stop}`,
    );
  } finally {
    await runtime.close();
  }
}

function samplesBy(replied: readonly Replied[]): readonly Samples[] {
  const items = new Map<number, { readonly isRight: boolean; readonly answer: string }[]>();
  for (const { task, reply } of replied)
    items.set(task.item, [
      ...(items.get(task.item) ?? []),
      { isRight: isRightReply(task, reply), answer: answerText(reply) },
    ]);
  return [...items.values()];
}

function shareOf(replied: readonly Replied[]): Estimate {
  const right = replied.filter(({ task, reply }) => isRightReply(task, reply)).length;
  const n = replied.length;
  return { value: n === 0 ? 0 : right / n, ...wilson(right, n), n };
}

function confusionOf(replied: readonly Replied[]): Calibration['confusion'] {
  const counts = LABELS.map((label) => {
    const about = replied.filter(({ task }) => labelOf(task.item) === label).map(({ reply }) => labelText(reply));
    return [...LABELS, undefined].map((said) => about.filter((one) => one === said).length);
  });
  return { labels: LABELS, counts };
}
