import { INJECTION_DETECTORS, mapStrings, sanitized, screenText, stringsIn } from 'flyball/internal';

/** Longer prose says nothing more about a skill, and everything that reads it pays for it. */
const LONGEST = 2_000;

/**
 * The same value without anything in its texts that reads like an instruction to a model: a card is written by strangers
 * and ends up in the prompt of whoever plans with it. Answers how many texts were changed.
 */
export async function neutralProse<T>(value: T): Promise<{ readonly value: T; readonly neutralized: number }> {
  const clean = new Map<string, string>();
  for (const text of new Set(stringsIn(value))) clean.set(text, await neutral(text));
  const neutralized = [...clean].filter(([text, kept]) => text !== kept).length;
  return { value: mapStrings(value, (text) => clean.get(text) ?? ''), neutralized };
}

async function neutral(text: string): Promise<string> {
  const visible = text.replaceAll(/[\p{Cc}\p{Cf}]/gu, ' ').slice(0, LONGEST);
  return sanitized(visible, await screenText(visible, INJECTION_DETECTORS));
}
