import { sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import { wholeJson } from '../core/read-json.js';
import type { Run } from '../core/run.js';
import type { StandardIssue, StandardResult, StandardSchema } from '../core/schema.js';
import type { ExecutionOutputs } from '../core/work.js';
import { answerOf } from './material.js';

/** Whether an output matches its schema. */
export interface SchemaCheck {
  readonly ok: boolean;
  readonly problems: readonly string[];
  /** What the schema made of the answer. */
  readonly value?: unknown;
}

const MAX_PROBLEMS = 20;
/** How much of unreadable text is shown back. */
const SHOWN = 60;

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
  const read = how === 'text' ? { value: answer.text } : wholeJson(answer.text);
  if (read === undefined) return failed([`it is not JSON; it begins with: ${answer.text.trim().slice(0, SHOWN)}`]);
  return check(() => schema['~standard'].validate(read.value));
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
