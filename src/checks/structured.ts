import { FlyballError } from '../core/errors.js';
import { append, type Prompt } from '../core/prompt.js';
import { readJson } from '../core/read-json.js';
import type { Run } from '../core/run.js';
import { check } from '../core/schema.js';
import type { Session } from '../core/session.js';
import { type OutputTemplate, ShapeError, type TemplateMode } from './output-template.js';
import { checkChecker } from './reply-form.js';
import { filledSkeleton, readSkeleton } from './template-skeleton.js';

export interface Structured<T> {
  readonly value: T;
  /** What stood around the fields, in text modes with prose. */
  readonly prose: string;
  readonly mode: TemplateMode;
  readonly repairs: number;
}

type Filled<T> = Omit<Structured<T>, 'mode'>;

export interface ToFillIn<T> {
  readonly session: Session;
  readonly template: OutputTemplate<T>;
  readonly input: Prompt;
}

/**
 * Asks a session to fill in a template. The reply is checked in every mode; one that does not fit is repaired a bounded
 * number of times, except where the provider itself promises the shape: there it fails at once.
 */
export async function structured<T>(run: Run, given: ToFillIn<T>): Promise<Structured<T>> {
  const { session, template } = given;
  checkChecker(session, 'template session');
  const mode = template.modeFor(session.model);
  const filled = mode === 'native' ? await native(run, given) : await written(run, given, mode);
  run.note({ kind: 'output-template', hash: template.hash, mode, repairs: filled.repairs });
  return { ...filled, mode };
}

async function native<T>(run: Run, { session, template, input }: ToFillIn<T>): Promise<Filled<T>> {
  const { output, schema } = template;
  try {
    const asked = { ...session, output, outputJsonSchema: schema, maxReasks: 0 } as Session<T>;
    const { value } = await run.ask(asked, input);
    if (value !== undefined) return { value, prose: '', repairs: 0 };
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code !== 'REPLY_INVALID') throw error;
    throw new ShapeError(error.message, { template: template.hash, mode: 'native' }, error);
  }
  throw new ShapeError(`${session.name} proposed tool calls instead of an answer.`);
}

async function written<T>(
  run: Run,
  { session, template, input }: ToFillIn<T>,
  mode: Exclude<TemplateMode, 'native'>,
): Promise<Filled<T>> {
  const asked: Session = { ...session, setup: `${session.setup}\n\n${shapeText(template, mode)}` };
  let tip = input;
  for (let repairs = 0; ; repairs++) {
    const reply = await run.ask(asked, tip);
    const read = await readReply(run, template, reply.text, mode);
    if (read.ok) return { value: read.value, prose: read.prose, repairs };
    if (repairs >= template.maxRepairs)
      throw new ShapeError(`${session.name} did not fill in the template: ${read.problem}.`, {
        template: template.hash,
        mode,
      });
    // the bad reply stands right before this
    const content = `That does not fit: ${read.problem}. Its schema: ${JSON.stringify(template.schema)}\nFill it in again, whole.`;
    tip = append(reply.prompt, { role: 'user', content });
  }
}

function shapeText<T>(template: OutputTemplate<T>, mode: TemplateMode): string {
  const { skeleton = '', narrative, fields, hash, examples, schema } = template;
  if (mode === 'json') return `Reply with JSON only, of this schema:\n${JSON.stringify(schema)}`;
  const unknown = fields.some(({ nullable }) => nullable) ? ' Where nothing is known, write "unknown".' : '';
  const around = narrative ? 'Prose goes before or after it.' : 'Write nothing else.';
  const shown =
    mode === 'examples' ? examples.map((one) => `For example:\n${filledSkeleton(one, fields, hash)}\n`) : [];
  return `Fill in this form: keep every line and its order, and put content in the place of what is in square brackets.${unknown} ${around}\n${shown.join('')}${skeleton}`;
}

type Read<T> =
  | { readonly ok: true; readonly value: T; readonly prose: string }
  | { readonly ok: false; readonly problem: string };

/** In a step of its own: the validator is loaded with the first check. */
function readReply<T>(run: Run, template: OutputTemplate<T>, text: string, mode: TemplateMode): Promise<Read<T>> {
  return run.step(
    'read-template',
    { template: template.hash, text },
    async (): Promise<Read<T>> => {
      if (mode === 'json') {
        const found = await readJson(text, template.output);
        return found.ok ? { ok: true, value: found.value, prose: '' } : found;
      }
      const read = readSkeleton(text, template.fields, template);
      if (!read.ok) return read;
      const checked = await check(template.output, read.value);
      return checked.ok ? { ok: true, value: checked.value, prose: read.prose } : checked;
    },
    'pure',
  );
}

/** Repairs are a sign that the skeleton is unclear: above the limit somebody should mend it. */
export function repairAlarm(
  replies: readonly { readonly repairs: number }[],
  limit = 0.05,
): { readonly rate: number; readonly alarm: string | undefined } {
  const rate = replies.length === 0 ? 0 : replies.filter(({ repairs }) => repairs > 0).length / replies.length;
  const alarm =
    rate > limit ? `${(rate * 100).toFixed(0)} % of replies had to be repaired: fix the skeleton` : undefined;
  return { rate, alarm };
}
