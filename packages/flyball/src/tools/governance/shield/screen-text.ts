import { FlyballError, failureOf } from '../../../core/errors.js';
import { type InjectionDetector, suspectOf } from './detector.js';

/** What detectors found in a text. */
export interface Screening {
  /** Between 0 and 1. */
  readonly score: number;
  /** Ids of the detectors that found something. */
  readonly detectors: readonly string[];
  /** Stretches of the text that were found, in order and without overlap. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** Screened at once; between two of them others have their turn. The overlap holds any one phrase. */
const WINDOW = { chars: 16_384, overlap: 1_024 };

/**
 * Kinds of tricks add up as independent evidence does, 1 − ∏(1 − weight); the same trick twice counts once, so that a
 * long text is not suspicious for its length. Throws when a detector breaks: then nobody has looked.
 */
export async function screenText(text: string, detectors: readonly InjectionDetector[]): Promise<Screening> {
  const weights = new Map<string, number>();
  const spans: { start: number; end: number }[] = [];
  for (let from = 0; from === 0 || from < text.length; from += WINDOW.chars) {
    if (from > 0) await new Promise<void>((resolve) => setImmediate(resolve));
    const at = Math.max(0, from - WINDOW.overlap);
    const suspect = suspectOf(text.slice(at, from + WINDOW.chars));
    for (const detector of detectors)
      for (const { start, end, weight = detector.weight } of await findingsOf(detector, suspect)) {
        weights.set(detector.id, Math.max(weight, weights.get(detector.id) ?? 0));
        spans.push({ start: at + start, end: at + end });
      }
  }
  const doubt = [...weights.values()].reduce((rest, weight) => rest * (1 - weight), 1);
  return { score: 1 - doubt, detectors: [...weights.keys()], spans: merged(spans) };
}

/** What a text costs beside its length, in characters: every detector starts anew. */
const COST_OF_ONE = 512;

/** Each text once, however often it is given. Others have their turn between many short texts as in one long one. */
export async function* screenTexts(
  texts: Iterable<string>,
  detectors: readonly InjectionDetector[],
): AsyncGenerator<readonly [text: string, screening: Screening]> {
  let cost = 0;
  for (const text of new Set(texts)) {
    cost += text.length + COST_OF_ONE;
    if (cost > WINDOW.chars) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      cost = 0;
    }
    yield [text, await screenText(text, detectors)];
  }
}

async function findingsOf(detector: InjectionDetector, suspect: Parameters<InjectionDetector['find']>[0]) {
  try {
    return await detector.find(suspect);
  } catch (error) {
    throw new FlyballError('DENIED', `The detector ${detector.id} failed: ${failureOf(error).message}`, {
      cause: error,
    });
  }
}

const NOTICE = '[removed]';

/** The text with a notice in place of everything that was found. */
export function sanitized(text: string, { spans }: Screening): string {
  let [clean, from] = ['', 0];
  for (const { start, end } of spans) {
    clean += `${text.slice(from, start)}${NOTICE}`;
    from = end;
  }
  return clean + text.slice(from);
}

function merged(spans: readonly { readonly start: number; readonly end: number }[]): Screening['spans'] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}
