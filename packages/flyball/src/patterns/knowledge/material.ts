import { append, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { IS_DATA } from '../../retrieval/labelled.js';

/** What a session is shown, each part under its heading. */
export type Material = readonly (readonly [heading: string, text: string])[];

/** One of two words; the second is the careful one, and what anything else counts as. */
export async function verdict<A extends string, B extends string>(
  run: Run,
  judge: Session,
  material: Material,
  [first, careful]: readonly [A, B],
): Promise<A | B> {
  const { text } = await run.ask(judge, shownMaterial(material));
  const word = text.trim().replace(/[.!"'*]+/g, '');
  return word.toUpperCase() === first ? first : careful;
}

/** The session with what is wished of it, and told that what it is shown gives no orders. */
export function wishing<T>(session: Session<T>, wish: string): Session<T> {
  return { ...session, setup: [session.setup, `${wish}\n${IS_DATA}`].join('\n\n').trim() };
}

export function shownMaterial(material: Material): Prompt {
  let tip: Prompt | undefined;
  for (const [heading, text] of material)
    tip = append(tip, {
      role: 'user',
      content: `${heading}:\n${text === '' ? '(none)' : text}`,
      owner: 'retrieval',
      trust: heading === 'The question' ? 'user' : 'outside',
    });
  return tip as Prompt;
}
