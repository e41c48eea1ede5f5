import type { Consistency, Subject } from '../../../checks/contracts.js';
import { FlyballError } from '../../../core/errors.js';
import type { Prompt } from '../../../core/prompt.js';
import type { Run } from '../../../core/run.js';
import type { Reply, Session } from '../../../core/session.js';
import type { Artefact, ExecutionOutputs, RepairHint } from '../../../core/work.js';
import type { Strategy } from '../contracts.js';
import { type Part, repairPrompt, type Told } from './prompts.js';
import { artefactsIn, unfenced, withEdges } from './reply-text.js';
import { sectionAt } from './section.js';
import { artefactAt, concerned } from './targets.js';
import { readLines } from './text-lines.js';
import { type RepairWindow, repairWindow, splice } from './window.js';

export interface Attempt {
  readonly strategy: Strategy;
  readonly session: Session;
  readonly subject: Subject;
  /** The defect that is repaired, then the others; only a full regeneration is told of them. */
  readonly told: readonly [Told, ...Told[]];
  readonly hints: readonly RepairHint[];
  readonly radius: number;
  readonly feedback?: string;
  readonly consistency?: Consistency;
  readonly perturbed: boolean;
}

/** What a model made of it. `too-large`: it did not fit into one request or one reply, so nothing of it is used. */
export type Proposal =
  | {
      readonly kind: 'changed';
      readonly artefacts: readonly Artefact[];
      readonly moved?: Moved;
      readonly logProb?: number;
    }
  | { readonly kind: 'unchanged'; readonly why: string }
  | { readonly kind: 'too-large' };

/** Lines of an artefact that became more or fewer. */
export interface Moved {
  readonly artefact: string;
  readonly window: RepairWindow;
  readonly added: number;
}

/** Asks for the part that the strategy names, and puts the reply in its place. Writes nothing. */
export async function propose(run: Run, attempt: Attempt): Promise<Proposal> {
  const told = attempt.strategy === 'full-regeneration' ? attempt.told : ([attempt.told[0]] as const);
  const part = partOf({ ...attempt, told });
  if (part === undefined) return { kind: 'unchanged', why: 'there is nothing to repair' };
  const { subject, hints, perturbed, feedback, consistency } = attempt;
  const prompt = repairPrompt({
    subject,
    told,
    hints,
    part,
    perturbed,
    ...(feedback === undefined ? {} : { feedback }),
    ...(consistency === undefined ? {} : { consistency }),
  });
  const reply = await answer(run, attempt.session, prompt);
  if (reply === 'too-large' || reply.finish === 'length') return { kind: 'too-large' };
  if (reply.finish !== 'stop') return { kind: 'unchanged', why: `the reply ended with ${reply.finish}` };
  if (reply.text.trim() === '') return { kind: 'unchanged', why: 'the reply was empty' };
  return part.kind === 'lines' ? splicedIn(part, reply) : regenerated(part.artefacts, reply);
}

/** A prompt that does not fit is a finding about the work, not a failure of the run. */
async function answer(run: Run, session: Session, prompt: Prompt): Promise<Reply<string> | 'too-large'> {
  try {
    return await run.ask(session, prompt);
  } catch (error) {
    if (error instanceof FlyballError && error.code === 'WINDOW_EXCEEDED') return 'too-large';
    throw error;
  }
}

function partOf({ strategy, subject, told, radius }: Attempt): Part | undefined {
  const { outputs } = subject;
  const { location } = told[0].defect;
  const of = artefactAt(outputs.artefacts, location);
  if (strategy === 'full-regeneration' || of === undefined || of.text.trim() === '') {
    const artefacts = concerned(
      outputs,
      told.map(({ defect }) => defect),
    );
    return artefacts.length === 0 ? undefined : { kind: 'artefacts', artefacts };
  }
  const place = location ?? { artefact: of.name };
  const window = strategy === 'minimal-edit' ? repairWindow(of.text, place, radius) : sectionAt(of.text, place);
  return { kind: 'lines', of, window, whole: readLines(of.text).lines.length };
}

function splicedIn({ of, window }: Extract<Part, { kind: 'lines' }>, reply: Reply<string>): Proposal {
  const replacement = withEdges(unfenced(reply.text, window.lines.join('\n')), window.lines);
  const text = splice(of.text, window, replacement);
  if (text === of.text) return { kind: 'unchanged', why: 'the reply is what was there' };
  const added = readLines(text).lines.length - readLines(of.text).lines.length;
  return {
    kind: 'changed',
    artefacts: [{ name: of.name, text }],
    moved: { artefact: of.name, window, added },
  };
}

function regenerated(asked: readonly Artefact[], reply: Reply<string>): Proposal {
  const [only, ...others] = asked;
  const made =
    only !== undefined && others.length === 0
      ? [{ name: only.name, text: unfenced(reply.text, only.text) }]
      : artefactsIn(reply.text, asked);
  if (made === undefined) return { kind: 'unchanged', why: 'the reply does not say which artefact is which' };
  const artefacts = made.flatMap(({ name, text }) => {
    const before = asked.find((each) => each.name === name)?.text ?? '';
    const after = endedAs(before, text);
    return after === before || text.trim() === '' ? [] : [{ name, text: after }];
  });
  if (artefacts.length === 0) return { kind: 'unchanged', why: 'the reply is what was there' };
  return { kind: 'changed', artefacts, ...averageOf(reply) };
}

/** Mark, kind of line break and last line break stay those of the text that is replaced. */
function endedAs(before: string, text: string): string {
  const { mark, lines } = readLines(before);
  if (lines.length === 0) return text;
  const whole = { from: 1, to: lines.length, lines: lines.map((line) => line.text) };
  return splice(before, whole, text.startsWith(mark) ? text.slice(mark.length) : text);
}

function averageOf({ logProbs = [] }: Reply<string>): { readonly logProb?: number } {
  if (logProbs.length === 0) return {};
  return { logProb: logProbs.reduce((sum, { logProb }) => sum + logProb, 0) / logProbs.length };
}

/**
 * The outputs with what was changed. The parsed value and the log-probability belong to the answer that was: the one is
 * gone with any change, the other with a regeneration that reports none.
 */
export function changedOutputs(
  outputs: ExecutionOutputs,
  made: Extract<Proposal, { kind: 'changed' }>,
): ExecutionOutputs {
  const { value: _stale, logProb, ...rest } = outputs;
  const kept = made.moved === undefined ? made.logProb : logProb;
  return {
    ...rest,
    artefacts: outputs.artefacts.map((each) => made.artefacts.find(({ name }) => name === each.name) ?? each),
    ...(kept === undefined ? {} : { logProb: kept }),
  };
}
