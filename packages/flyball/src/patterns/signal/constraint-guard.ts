import { labelled, prompt } from '../../checks/material.js';
import { askForm, checkChecker, exactly, replyForm, TEXT } from '../../checks/reply-form.js';
import { ConfigError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { Prohibition } from './prohibition.js';

/** A prohibition that an output violates. */
export interface Breach {
  readonly id: string;
  /** The words that are the breach. */
  readonly quote: string;
  readonly by: 'pattern' | 'judge';
}

/** Reads whole outputs, whatever they say about themselves: "I never quote prices" is no proof. */
export interface ConstraintGuard {
  readonly version: string;
  /** Of all items that it checks itself. */
  readonly ids: readonly string[];
  /** Whether `review` asks the judge: for items that no pattern finds. */
  readonly asks: boolean;
  /** By patterns alone, without asking anybody. */
  find(text: string): readonly Breach[];
  /** By patterns and, where items need it, by the judge's reading. */
  review(run: Run, text: string): Promise<readonly Breach[]>;
  /** The text without what patterns find. */
  redact(text: string): string;
}

const QUESTION =
  'For each item of the list say whether the output does what the item forbids, whatever the output says about itself. Quote the words that do, word for word; leave the quote empty if there are none.';

export function constraintGuard(
  version: string,
  items: readonly Prohibition[],
  session: Session | undefined,
): ConstraintGuard {
  const patterns = items.flatMap(({ id, check }) =>
    check?.kind === 'pattern' ? [{ id, pattern: everywhere(check.pattern) }] : [],
  );
  const judged = items.filter(({ check }) => check === undefined || check.kind === 'judged');
  if (judged.length > 0 && session === undefined)
    throw new ConfigError(
      `No pattern finds ${judged.map(({ id }) => id).join(', ')}: give the guard a judge that reads outputs for them.`,
    );
  if (session !== undefined) checkChecker(session, 'constraint guard');
  const find = (text: string): readonly Breach[] =>
    patterns.flatMap(({ id, pattern }) => {
      const quote = text.match(pattern)?.[0];
      return quote === undefined ? [] : [{ id, quote, by: 'pattern' as const }];
    });
  const reader = judged.length === 0 ? undefined : session;
  return {
    version,
    asks: reader !== undefined,
    ids: items.filter(({ check }) => check?.kind !== 'enforced').map(({ id }) => id),
    find,
    review: async (run, text) => [
      ...find(text),
      ...(reader === undefined ? [] : await read(run, reader, judged, text)),
    ],
    redact: (text) => patterns.reduce((left, { id, pattern }) => left.replace(pattern, `[removed: ${id}]`), text),
  };
}

interface Reading {
  readonly items: Readonly<
    Record<string, { readonly reasoning: string; readonly quote: string; readonly breach: boolean }>
  >;
}

async function read(
  run: Run,
  session: Session,
  items: readonly Prohibition[],
  text: string,
): Promise<readonly Breach[]> {
  const each = exactly({ reasoning: TEXT, quote: { type: 'string', maxLength: 500 }, breach: { type: 'boolean' } });
  const form = replyForm<Reading>(
    exactly({ items: exactly(Object.fromEntries(items.map(({ id }) => [id, each]))) }),
    (reading) =>
      items.flatMap(({ id }) => {
        const { breach, quote } = reading.items[id] ?? { breach: false, quote: '' };
        return breach && (quote === '' || !text.includes(quote)) ? [`${id}: the quote is not in the output`] : [];
      }),
  );
  const list = items.map(({ id, forbid }) => `- ${id}: ${forbid}`).join('\n');
  const input = prompt([
    [labelled('output', {}, text), 'outputs', 'outside'],
    ['Which items does this output breach?', 'question', 'user'],
  ]);
  const { value } = await askForm(run, { session, instructions: `${QUESTION}\n${list}`, form, input });
  return items.flatMap(({ id }) => {
    const found = value.items[id];
    return found?.breach === true ? [{ id, quote: found.quote, by: 'judge' as const }] : [];
  });
}

function everywhere(pattern: RegExp): RegExp {
  return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, '')}g`);
}
