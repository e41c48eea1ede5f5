import { type Budget, done, type Entry, type Outcome, type Run } from 'flyball';
import { type Script, type ScriptedModel, scriptedModel } from 'flyball/testing';
import type { Subject } from '../../packages/flyball/src/checks/contracts.js';
import type { Artefact, Defect, RepairHint } from '../../packages/flyball/src/core/work.js';
import { intensityToStrategy } from '../../packages/flyball/src/loops/commit/control/intensity.js';
import { answerWorkpiece } from '../../packages/flyball/src/loops/commit/repair/answer-workpiece.js';
import { repairSession } from '../../packages/flyball/src/loops/commit/repair/prompts.js';
import { EMPTY_RATES } from '../../packages/flyball/src/loops/commit/repair/rates.js';
import type {
  RepairInput,
  RepairParts,
  RepairResult,
} from '../../packages/flyball/src/loops/commit/repair/repair-contracts.js';
import { repairer } from '../../packages/flyball/src/loops/commit/repair/repairer.js';
import type { ScriptedModelOptions } from '../../packages/flyball/src/testing/scripted-model.js';
import { moving } from '../runtime/stage.js';

export const NOTHING_SPENT = { attempts: 0, costUsd: 0, ms: 0 };
export const ROOM = { attempts: 10, costUsd: 10, ms: 3_600_000 };

export function defect(given: Partial<Defect> = {}): Defect {
  return {
    id: 'd1',
    dimension: 'correctness',
    description: 'It says 4 where 3 is right.',
    severity: 0.5,
    scope: 'bounded',
    foundBy: 'critic',
    location: { artefact: 'answer', line: 2 },
    ...given,
  };
}

export function subject(artefacts: readonly Artefact[], more: Partial<Subject> = {}): Subject {
  return {
    task: { id: 't', goal: 'Count the pears.', requirements: ['the number of pears'], taskClass: 'count' },
    outputs: { artefacts, reports: [] },
    evidence: { items: [], gaps: [] },
    ...more,
  };
}

export interface Scene {
  readonly artefacts?: readonly Artefact[];
  readonly defects?: readonly Defect[];
  readonly hints?: readonly RepairHint[];
  readonly input?: Partial<RepairInput>;
  readonly parts?: Partial<RepairParts>;
  readonly script?: Script;
  readonly model?: ScriptedModelOptions;
  /** A defect is gone when this text is nowhere in the outputs. */
  readonly fault?: string;
  readonly limits?: Partial<Budget>;
}

export const PEARS: Artefact = { name: 'answer', text: 'There are pears.\nThere are 4 pears.\nThat is all.' };
const SCORES = { correctness: 0.5, completeness: 0.8, coherence: 0.9, safety: 1 };

export function inputOf(scene: Scene): RepairInput {
  const defects = scene.defects ?? [defect()];
  return {
    subject: subject(scene.artefacts ?? [PEARS]),
    diagnosis: {
      scores: SCORES,
      defects,
      severity: Math.max(0, ...defects.map(({ severity }) => severity)),
      hints: scene.hints ?? [],
    },
    intensity: 0.1,
    fromIntensity: intensityToStrategy,
    rates: EMPTY_RATES,
    history: [],
    spent: NOTHING_SPENT,
    wayOut: 0,
    ...scene.input,
  };
}

export function partsOf(scene: Scene, model: ScriptedModel): RepairParts {
  const fault = scene.fault ?? '4 pears';
  return {
    session: repairSession(model),
    workpiece: answerWorkpiece(),
    verifyDefect: async (run, { outputs }) =>
      run.step('verify', outputs, (given) => !given.artefacts.some(({ text }) => text.includes(fault)), 'pure'),
    budget: ROOM,
    ...scene.parts,
  };
}

export interface Repaired {
  readonly outcome: Outcome<RepairResult>;
  readonly result: RepairResult;
  readonly model: ScriptedModel;
  readonly entries: readonly Entry[];
  /** What the agent told its observers, by kind. */
  notes(kind: string): readonly unknown[];
  /** Everything the nth request of a session says. */
  asked(n?: number, session?: string): string;
}

/** One round of repairs in a real run; only the model is scripted. */
export async function repaired(scene: Scene): Promise<Repaired> {
  const stage = moving();
  const model = scriptedModel(scene.script ?? {}, { clock: stage.clock, ...scene.model });
  const agent = async (run: Run) => done(await repairer(partsOf(scene, model))(run, inputOf(scene)));
  const outcome = (await stage.open(agent).start(null, scene.limits)) as Outcome<RepairResult>;
  if (outcome.stop !== 'done') throw new Error(JSON.stringify(outcome));
  const entries = await stage.entries();
  return {
    outcome,
    result: outcome.value,
    model,
    entries,
    notes: (kind) =>
      entries.flatMap(({ event }) => (event.type === 'note' && event.event.kind === kind ? [event.event] : [])),
    asked: (n = 1, session = 'repairer') => model.promptAt(session, n),
  };
}

export function textIn({ outputs }: RepairResult, name = 'answer'): string {
  return outputs.artefacts.find((each) => each.name === name)?.text ?? '';
}
