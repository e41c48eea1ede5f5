import { FlyballError } from '../core/errors.js';
import { append, type Prompt } from '../core/prompt.js';
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

/**
 * Asks a session to fill in a template. The reply is checked in every mode; one that does not fit is repaired a bounded
 * number of times, except where the provider itself promises the shape: there it fails at once.
 */
export async function structured<T>(
  run: Run,
  given: { readonly session: Session; readonly template: OutputTemplate<T>; readonly input: Prompt },
): Promise<Structured<T>> {
  const { session, template } = given;
  checkChecker(session, 'template session');
  const mode = template.modeFor(session.model);
  const filled = mode === 'native' || mode === 'json' ? await asJson(run, given, mode) : await asText(run, given, mode);
  run.note({ kind: 'output-template', hash: template.hash, mode, repairs: filled.repairs });
  return { ...filled, mode };
}

type Filled<T> = Omit<Structured<T>, 'mode'>;
type Given<T> = Parameters<typeof structured<T>>[1];

async function asJson<T>(
  run: Run,
  { session, template, input }: Given<T>,
  mode: 'native' | 'json',
): Promise<Filled<T>> {
  const shown =
    mode === 'native' ? '' : `\n\nReply with JSON only, of this schema:\n${JSON.stringify(template.schema)}`;
  const asked = {
    ...session,
    setup: `${session.setup}${shown}`,
    output: template.output,
    ...(mode === 'native' ? { outputJsonSchema: template.schema } : {}),
    maxReasks: mode === 'native' ? 0 : template.maxRepairs,
  } as Session<T>;
  try {
    const before = run.budget.spent('modelCalls');
    const { value } = await run.ask(asked, input);
    if (value === undefined) throw new ShapeError(`${session.name} proposed tool calls instead of an answer.`);
    return { value, prose: '', repairs: Math.max(0, run.budget.spent('modelCalls') - before - 1) };
  } catch (error) {
    if (!(error instanceof FlyballError) || error.code !== 'REPLY_INVALID' || error instanceof ShapeError) throw error;
    throw new ShapeError(error.message, { template: template.hash, mode }, error);
  }
}

async function asText<T>(
  run: Run,
  { session, template, input }: Given<T>,
  mode: 'text' | 'examples',
): Promise<Filled<T>> {
  const asked: Session = { ...session, setup: `${session.setup}\n\n${skeletonText(template, mode)}` };
  let tip = input;
  for (let repairs = 0; ; repairs++) {
    const reply = await run.ask(asked, tip);
    const read = await readText(run, template, reply.text);
    if (read.ok) return { value: read.value, prose: read.prose, repairs };
    if (repairs >= template.maxRepairs)
      throw new ShapeError(`${session.name} did not fill in the template: ${read.problem}.`, {
        template: template.hash,
        mode,
      });
    // the bad reply stands right before this, and the skeleton in the setup
    const content = `That does not fit: ${read.problem}. Its schema: ${JSON.stringify(template.schema)}\nFill it in again, whole.`;
    tip = append(reply.prompt, { role: 'user', content });
  }
}

function skeletonText<T>(
  { skeleton, narrative, fields, hash, examples }: OutputTemplate<T>,
  mode: TemplateMode,
): string {
  const unknown = fields.some(({ nullable }) => nullable) ? ' Where nothing is known, write "unknown".' : '';
  const around = narrative ? 'Prose goes before or after it.' : 'Write nothing else.';
  const shown =
    mode === 'examples' ? examples.map((one) => `For example:\n${filledSkeleton(one, fields, hash)}\n`) : [];
  return `Fill in this form: keep every line and its order, and put content in the place of what is in square brackets.${unknown} ${around}\n${shown.join('')}${skeleton ?? ''}`;
}

type TextRead<T> =
  | { readonly ok: true; readonly value: T; readonly prose: string }
  | { readonly ok: false; readonly problem: string };

function readText<T>(run: Run, template: OutputTemplate<T>, text: string): Promise<TextRead<T>> {
  return run.step(
    'read-template',
    { template: template.hash, text },
    async (): Promise<TextRead<T>> => {
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
