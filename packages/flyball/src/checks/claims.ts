import { sha256 } from '../core/canonical.js';
import { ConfigError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { linesOf } from './artefact-view.js';
import type { Claim, Subject } from './contracts.js';
import { outputsText, prompt } from './material.js';
import { shownTo } from './output-view.js';
import { askForm, checkChecker, exactly, type ReplyForm, replyForm, TEXT } from './reply-form.js';

/** What claim checking needs. */
export interface ClaimParts {
  /** Finds the claims, and judges them where nobody else is given for that. */
  readonly session: Session;
  /** Another session, on another model perhaps, to judge what the first one found. */
  readonly judge?: Session;
  /** At most this many are taken: 40 where it is absent. */
  readonly maxClaims?: number;
  /** Judged in one call: 10 where it is absent. */
  readonly batch?: number;
}

export const MAX_CLAIMS = 40;
const LONGEST_CLAIM = 500;

interface Extracted {
  readonly claims: readonly { readonly text: string; readonly artefact: string; readonly line: number | null }[];
}

const INSTRUCTIONS =
  'You list what a text claims. A claim states one fact that can be true or false by itself, in a full sentence that is understood without the text around it. Leave out opinions, questions, instructions, code and what is merely announced. You do not say whether a claim is true.';

/** The claims of an output. The evidence is not shown, so that nothing is claimed because it was found. */
export function extractClaims(parts: ClaimParts): (run: Run, subject: Subject) => Promise<readonly Claim[]> {
  checkChecker(parts.session, 'claim extractor');
  const { maxClaims = MAX_CLAIMS } = parts;
  if (!(Number.isInteger(maxClaims) && maxClaims >= 1 && maxClaims <= MAX_CLAIMS))
    throw new ConfigError(`1 to ${MAX_CLAIMS} claims can be taken, got ${maxClaims}.`);
  return async (run, { outputs }) => {
    const form = extractionForm(
      outputs.artefacts.map(({ name }) => name),
      maxClaims,
    );
    const question = `List its claims, the most important first, ${maxClaims} at most; none where nothing is claimed.`;
    const { value } = await askForm(run, {
      session: parts.session,
      instructions: INSTRUCTIONS,
      form,
      input: prompt([
        [outputsText(outputs, shownTo(parts.session)), 'outputs', 'outside'],
        [question, 'question', 'user'],
      ]),
    });
    return distinct(value.claims.map((claim) => claimFrom(claim, outputs.artefacts)));
  };
}

/** The same words are the same claim, however they are spaced or capitalized. */
export function claimId(text: string): string {
  return `claim-${sha256(text.trim().replaceAll(/\s+/g, ' ').toLowerCase()).slice(0, 12)}`;
}

function extractionForm(artefacts: readonly string[], maxClaims: number): ReplyForm<Extracted> {
  const claim = exactly({
    text: { ...TEXT, maxLength: LONGEST_CLAIM },
    artefact: { type: 'string', enum: artefacts },
    line: { type: ['integer', 'null'] },
  });
  return replyForm(exactly({ claims: { type: 'array', maxItems: maxClaims, items: claim } }));
}

function claimFrom(
  { text, artefact, line }: Extracted['claims'][number],
  artefacts: readonly { readonly name: string; readonly text: string }[],
): Claim {
  const lines = linesOf(artefacts.find(({ name }) => name === artefact)?.text ?? '').length;
  const exists = line !== null && line >= 1 && line <= lines;
  return { id: claimId(text), text, artefact, ...(exists ? { line } : {}) };
}

function distinct(claims: readonly Claim[]): readonly Claim[] {
  return [...new Map(claims.toReversed().map((claim) => [claim.id, claim])).values()].reverse();
}
