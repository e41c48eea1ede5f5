import { FlyballError, failureOf } from '../../../core/errors.js';
import { type InjectionDetector, suspectOf } from './detector.js';

export interface Screening {
  /** Between 0 and 1. */
  readonly score: number;
  /** Ids of the detectors that found something. */
  readonly detectors: readonly string[];
  /** The same, each with how much its surest finding says. */
  readonly found: readonly { readonly id: string; readonly weight: number }[];
  /** Stretches of the text that were found, in order and without overlap. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Kinds of tricks add up as independent evidence does, 1 − ∏(1 − weight); the same trick twice counts once, so that a
 * long text is not suspicious for its length. Throws when a detector breaks: then nobody has looked.
 */
export async function screenText(text: string, detectors: readonly InjectionDetector[]): Promise<Screening> {
  const suspect = suspectOf(text);
  let doubt = 1;
  const found: { id: string; weight: number }[] = [];
  const spans: { start: number; end: number }[] = [];
  for (const detector of detectors) {
    const findings = await findingsOf(detector, suspect);
    if (findings.length === 0) continue;
    // not spread into arguments: a long text can have more findings than a call can have
    const weight = findings.reduce((most, finding) => Math.max(most, finding.weight ?? detector.weight), 0);
    doubt *= 1 - weight;
    found.push({ id: detector.id, weight });
    for (const { start, end } of findings) spans.push({ start, end });
  }
  return { score: 1 - doubt, detectors: found.map(({ id }) => id), found, spans: merged(spans) };
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
export function sanitised(text: string, { spans }: Screening): string {
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
