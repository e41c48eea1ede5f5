import { sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import type { StandardIssue, StandardResult, StandardSchema } from '../core/schema.js';
import type { ExecutionOutputs } from '../core/work.js';
import { answerOf } from './material.js';

export interface SchemaCheck {
  readonly ok: boolean;
  readonly problems: readonly string[];
  /** What the schema made of the answer. */
  readonly value?: unknown;
}

const MAX_PROBLEMS = 20;

/** Level 1, which asks nobody. `json` (the default) parses the answer, in a fence or not; `text` checks it as it is. */
export function checkSchema(
  outputs: ExecutionOutputs,
  schema?: StandardSchema,
  how: 'json' | 'text' = 'json',
): SchemaCheck {
  return withSchema(outputs, schema, how, (checked) => {
    const result = checked();
    if (result instanceof Promise) {
      result.catch(() => undefined); // nobody will read it
      throw new ConfigError(
        'This schema is asynchronous, which checkSchema does not support. Use verification instead.',
      );
    }
    return verdictOf(result);
  });
}

/** As `checkSchema`, inside a run: schemas that load their validator or look something up work too. */
export async function checkSchemaIn(
  run: Run,
  outputs: ExecutionOutputs,
  schema?: StandardSchema,
  how: 'json' | 'text' = 'json',
): Promise<SchemaCheck> {
  return withSchema<SchemaCheck | Promise<SchemaCheck>>(outputs, schema, how, (checked) =>
    run.step(
      'check-schema',
      { answer: sha256(answerOf(outputs)?.text ?? '') },
      async () => {
        const { ok, problems } = verdictOf(await checked());
        return { ok, problems }; // the value may be no JSON, and nobody needs it here
      },
      'pure',
    ),
  );
}

function withSchema<R>(
  outputs: ExecutionOutputs,
  schema: StandardSchema | undefined,
  how: 'json' | 'text',
  check: (checked: () => StandardResult<unknown> | Promise<StandardResult<unknown>>) => R,
): R | SchemaCheck {
  if (schema === undefined) return { ok: true, problems: [] };
  const answer = answerOf(outputs);
  if (answer === undefined)
    return failed([`there is no artefact called "answer" among the ${outputs.artefacts.length}`]);
  const read = how === 'text' ? { ok: true as const, value: answer.text } : parsed(answer.text);
  return read.ok ? check(() => schema['~standard'].validate(read.value)) : failed([read.problem]);
}

function verdictOf(result: StandardResult<unknown>): SchemaCheck {
  if (result.issues === undefined) return { ok: true, problems: [], value: result.value };
  return failed(result.issues.slice(0, MAX_PROBLEMS).map(problemText));
}

function failed(problems: readonly string[]): SchemaCheck {
  return { ok: false, problems };
}

function problemText({ message, path = [] }: StandardIssue): string {
  const place = path.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return place === '' ? message : `${place}: ${message}`;
}

function parsed(
  text: string,
): { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string } {
  try {
    return { ok: true, value: JSON.parse(withoutFence(text)) as unknown };
  } catch (error) {
    return { ok: false, problem: `it is not JSON: ${(error as Error).message}` };
  }
}

/** The content of the one fenced block that an answer consists of; text around a block is not stripped. */
function withoutFence(text: string): string {
  return /^\s*```[\w-]*[^\S\n]*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text;
}
