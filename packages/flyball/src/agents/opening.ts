import { type Failure, failureOf } from '../core/errors.js';
import { type Content, describePart, isMediaPart, isParts, type MediaPart, wordsOf } from '../core/parts.js';
import { append, type NewSegment, type Prompt } from '../core/prompt.js';
import { underSetup } from '../core/request.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Memory } from '../memory/memory.js';
import { recallSection } from '../memory/recall-section.js';
import { RECALL_TOOL } from '../memory/recall-tool.js';
import { withSegments } from './agent-skills.js';
import type { Fields } from './agent-spec.js';
import { checkedInputs } from './fields.js';

export interface OpeningParts {
  readonly name: string;
  readonly inputs: Fields;
  readonly session: Pick<Session, 'name' | 'setup'>;
  readonly memory: Memory | undefined;
  /** The model can read more of what it is reminded of. */
  readonly canRecall: boolean;
  /** What skills have to say about this input, before it. */
  readonly guidance?: (input: string) => Promise<readonly NewSegment[]>;
}

export type Opening =
  | { readonly ok: true; readonly prompt: Prompt }
  | { readonly ok: false; readonly failure: Failure };

/** The inputs as the first message, after what is remembered. Inputs are checked before anything is spent. */
export async function opening(run: Run, parts: OpeningParts, given: unknown): Promise<Opening> {
  const inputs = await inputsOf(run, parts, given);
  if (!inputs.ok) return inputs;
  const content = saidBy(inputs.value);
  const words = typeof content === 'string' ? content : wordsOf(content);
  const remembered = await reminder(run, parts, words);
  const guided = withSegments(remembered, (await parts.guidance?.(words)) ?? []);
  return { ok: true, prompt: underSetup(parts.session, append(guided, { role: 'user', content })) };
}

/** Inputs as a message. Parts are sent as they are; in fields they are named, and follow. */
function saidBy(inputs: unknown): Content {
  if (typeof inputs === 'string' || isParts(inputs)) return inputs;
  const media: MediaPart[] = [];
  const named = (_key: string, value: unknown): unknown => {
    if (!isMediaPart(value)) return value;
    media.push(value);
    return `[${describePart(value)}]`;
  };
  const text = JSON.stringify(inputs, named, 2);
  return media.length === 0 ? text : [{ type: 'text', text }, ...media];
}

/** Progressive recall: the index of the best five, and the way to read more where there is one. */
export async function reminder(
  run: Run,
  { memory, canRecall }: Pick<OpeningParts, 'memory' | 'canRecall'>,
  about: string,
): Promise<Prompt | undefined> {
  if (memory === undefined || about.trim() === '') return undefined;
  const { items } = await memory.recall(run, { query: about.slice(0, LONGEST_QUERY) });
  const section = recallSection(items, canRecall ? { tool: RECALL_TOOL } : {});
  return section === undefined ? undefined : append(undefined, section);
}

/** More words do not make a search better, and it is kept in the journal. */
const LONGEST_QUERY = 2000;

type Inputs = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly failure: Failure };

function inputsOf(run: Run, { name, inputs }: OpeningParts, given: unknown): Promise<Inputs> {
  if (Object.keys(inputs).length === 0) return Promise.resolve({ ok: true, value: given ?? '' });
  // in an effect: the first check loads the validator, which the agent's own code must not wait for
  return run.step(
    'check-inputs',
    given ?? null,
    async (value): Promise<Inputs> => {
      try {
        return { ok: true, value: await checkedInputs(name, inputs, value) };
      } catch (error) {
        return { ok: false, failure: failureOf(error) };
      }
    },
    'pure',
  );
}
