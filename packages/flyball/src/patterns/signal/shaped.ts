import { REPLY_REFUSED } from '../../core/ask-until.js';
import { ConfigError } from '../../core/errors.js';
import type { Entry } from '../../core/events.js';
import type { JsonSchema, StandardSchema } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import { checkGiven } from '../../kit/options.js';
import { useFrom } from '../../kit/pattern.js';
import { carriedBy, carrying, type Described, described } from '../use.js';
import { type Narrated, replyShape, type ShapeOptions } from './reply-shape.js';

/**
 * Gives a session the shape its replies must have.
 *
 * Model calls: one an ask, and at most `maxRepairs` more where a reply does not fit; none more where the provider holds the
 * model to the schema. Replies are checked in every mode, and what still does not fit fails with REPLY_INVALID: never part
 * of the data. With `narrative` prose may stand around the fields. Not for free text.
 *
 * @pattern S6
 * @example
 * ```ts
 * const reader = shaped(session, z.strictObject({ name: z.string(), license: z.string().nullable() }));
 * ```
 */
export function shaped<T>(
  session: Session,
  schema: StandardSchema<unknown, T> | JsonSchema,
  options?: ShapeOptions<T> & { readonly narrative?: false },
): Described<Session<T>>;
export function shaped<T>(
  session: Session,
  schema: StandardSchema<unknown, T> | JsonSchema,
  options: ShapeOptions<T> & { readonly narrative: true },
): Described<Session<Narrated<T>>>;
export function shaped<T>(
  session: Session,
  schema: StandardSchema<unknown, T> | JsonSchema,
  { narrative = false, ...options }: ShapeOptions<T> & { readonly narrative?: boolean } = {},
): Described<Session<T>> {
  checkGiven('shaped (S6)', { session, schema });
  if (session.output !== undefined)
    throw new ConfigError(`shaped (S6) gives a session its shape, and "${session.name}" has one already.`);
  const {
    mode,
    hash,
    schema: json,
    text,
    output,
    warnings,
  } = replyShape(session.model, schema, { ...options, narrative });
  const maxRepairs = mode === 'native' ? 0 : (options.maxRepairs ?? 1);
  const isForm = mode === 'text' || mode === 'examples';
  const given: Session<T> = {
    ...session,
    setup: [session.setup, text].filter((part) => part !== '').join('\n\n'),
    output,
    maxReasks: maxRepairs,
    ...(mode === 'native' ? { outputJsonSchema: json } : {}),
    ...(isForm ? { reads: 'text' as const } : {}),
  };
  const repairs = { fact: 'repairs', least: 0, most: { param: 'maxRepairs' } } as const;
  const about = { id: 'S6', name: 'shaped', params: { mode, hash, maxRepairs, warnings } } as const;
  const use = useFrom({ ...about, parts: {}, calls: { sum: [1, repairs] }, provides: carriedBy(session) });
  return described(carrying(given, ['S6']), use);
}

/** Repairs are a sign that the form is unclear: above the limit somebody should fix it. Read off journals. */
export function repairAlarm(
  entries: readonly Entry[],
  session: string,
  limit = 0.05,
): { readonly rate: number; readonly alarm: string | undefined } {
  const asked = entries.filter(
    ({ event }) => event.type === 'ask-start' && event.attempt === 1 && event.session === session,
  );
  const refused = entries.filter(
    ({ event }) =>
      event.type === 'note' &&
      event.event.kind === REPLY_REFUSED &&
      (event.event as { readonly session?: unknown }).session === session,
  );
  const first = asked.length - refused.length; // each repair is an ask of its own
  const rate = first <= 0 ? (refused.length > 0 ? 1 : 0) : refused.length / first;
  const alarm =
    rate > limit
      ? `${(rate * 100).toFixed(0)}% of the replies had to be repaired: fix the schema or the setup`
      : undefined;
  return { rate, alarm };
}
