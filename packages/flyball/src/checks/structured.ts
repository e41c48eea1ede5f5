import { askUntil, NO_CALLS, type Read } from '../core/ask-until.js';
import type { Prompt } from '../core/prompt.js';
import { readJson } from '../core/read-json.js';
import type { Run } from '../core/run.js';
import { type Checked, check } from '../core/schema.js';
import type { Reply, Session } from '../core/session.js';
import type { OutputTemplate, TemplateMode } from './output-template.js';
import { checkChecker } from './reply-form.js';
import { filledSkeleton, readSkeleton } from './template-skeleton.js';

/** Structured output, with the prose around it. */
export interface Structured<T> {
  readonly value: T;
  /** What stood around the fields, in text modes with prose. */
  readonly prose: string;
  readonly mode: TemplateMode;
  readonly repairs: number;
}

type Filled<T> = Pick<Structured<T>, 'value' | 'prose'>;

/** A template to fill in, and for what. */
export interface ToFillIn<T> {
  readonly session: Session;
  readonly template: OutputTemplate<T>;
  readonly input: Prompt;
}

/** Asks a session to fill in a template. The reply is checked in every mode, and asked for again where it does not fit. */
export async function structured<T>(run: Run, { session, template, input }: ToFillIn<T>): Promise<Structured<T>> {
  checkChecker(session, 'template session');
  const mode = template.modeFor(session.model);
  const shape =
    mode === 'native'
      ? { outputJsonSchema: template.schema }
      : { setup: `${session.setup}\n\n${shapeText(template, mode)}` };
  const advice = `Its schema: ${JSON.stringify(template.schema)}`;
  const read = async ({ text, toolCalls }: Reply<string>): Promise<Read<Filled<T>>> => {
    const got =
      toolCalls.length > 0 ? { ok: false as const, problem: NO_CALLS } : await readReply(run, template, text, mode);
    return got.ok ? got : { ...got, advice };
  };
  const asked = await askUntil(run, { ...session, ...shape }, input, read, template.maxReasks);
  if (!asked.ok) throw asked.error;
  const repairs = asked.tries - 1;
  run.note({ kind: 'output-template', hash: template.hash, mode, repairs });
  return { ...asked.value, mode, repairs };
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

/** In a step of its own: the validator is loaded with the first check. */
function readReply<T>(
  run: Run,
  template: OutputTemplate<T>,
  text: string,
  mode: TemplateMode,
): Promise<Checked<Filled<T>>> {
  return run.step(
    'read-template',
    { template: template.hash, text },
    async (): Promise<Checked<Filled<T>>> => {
      if (mode === 'json' || mode === 'native') {
        const found = await readJson(text, template.output);
        return found.ok ? { ok: true, value: { value: found.value, prose: '' } } : found;
      }
      const read = readSkeleton(text, template.fields, template);
      if (!read.ok) return read;
      const checked = await check(template.output, read.value);
      return checked.ok ? { ok: true, value: { value: checked.value, prose: read.prose } } : checked;
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
