import { FlyballError } from '../../core/errors.js';
import { append } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { JsonSchema, StandardSchema } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import type { StepRecord } from '../../plans/plan.js';
import type { Toolset } from '../../tools/toolset.js';
import { type Statement, statementProblems } from './synthesis-check.js';
import { SYNTHESIS_SETUP, synthesisMaterial } from './synthesis-prompts.js';

/** Who puts the results of all steps together, at the end of a plan that was completed. */
export interface SynthesisParts {
  /** The worker's model under a name of its own where it is absent. It never has tools. */
  readonly session?: Pick<Session, 'name' | 'model'> & Partial<Session>;
}

/** What a synthesis says, each statement with the steps that it rests on. */
export interface Synthesis {
  readonly statements: readonly Statement[];
}

export type Synthesized =
  | { readonly ok: true; readonly output: string; readonly synthesis: Synthesis }
  | { readonly ok: false; readonly why: string };

/**
 * One answer over all results. Whoever writes it says of each statement what kind it is and which steps it rests on, and
 * that is held against the records, which come from the journal. It is asked again as often as any reply; what is still
 * not right then is not given out.
 */
export async function synthesize(
  run: Run,
  { session, tools }: { readonly session: Session; readonly tools: Toolset },
  about: { readonly goal: string; readonly records: readonly StepRecord[]; readonly mostChars: number },
): Promise<Synthesized> {
  const { output: _text, ...speaker } = session;
  const writer: Session<Synthesis> = { ...speaker, ...formFor(about.records, tools) };
  const seen = append(undefined, {
    role: 'user',
    content: synthesisMaterial(about, tools),
    owner: 'plan',
    trust: 'outside',
  });
  const question = `Write the answer to this goal, from the steps above and nothing else: ${about.goal}`;
  try {
    const { value } = await run.ask(writer, append(seen, { role: 'user', content: question, owner: 'plan' }));
    run.note({ kind: 'plan-synthesis', statements: value.statements });
    return { ok: true, output: value.statements.map(({ text }) => text).join('\n'), synthesis: value };
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code !== 'REPLY_INVALID') throw error;
    run.note({ kind: 'plan-synthesis', refused: error.message });
    return { ok: false, why: `there is no synthesis that the journal bears out: ${error.message}` };
  }
}

export function synthesisSession({ session }: SynthesisParts, worker: Session): Session {
  const {
    tools: _tools,
    toolChoice: _choice,
    output: _output,
    outputJsonSchema: _schema,
    ...given
  } = session ?? {
    name: `${worker.name}-synthesis`,
    model: worker.model,
  };
  const setup = given.setup === undefined ? SYNTHESIS_SETUP : `${given.setup}\n\n${SYNTHESIS_SETUP}`;
  return { ...given, setup };
}

function formFor(
  records: readonly StepRecord[],
  tools: Toolset,
): Required<Pick<Session<Synthesis>, 'output' | 'outputJsonSchema'>> {
  const output: StandardSchema<unknown, Synthesis> = {
    '~standard': {
      version: 1,
      vendor: 'flyball',
      validate: (value) => {
        const problems = statementProblems(value, records, tools);
        return problems.length === 0 ? { value: value as Synthesis } : { issues: [{ message: problems.join('; ') }] };
      },
    },
  };
  return { output, outputJsonSchema: FORM };
}

const FORM = {
  type: 'object',
  required: ['statements'],
  additionalProperties: false,
  properties: {
    statements: {
      type: 'array',
      items: {
        type: 'object',
        required: ['text', 'kind', 'steps'],
        additionalProperties: false,
        properties: {
          text: { type: 'string' },
          kind: { enum: ['done', 'found', 'concluded', 'not-done'] },
          steps: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
} as const satisfies JsonSchema;
