import { ConfigError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import { trimmedEnd } from '../core/trimmed-end.js';
import type { EvidenceBundle } from '../core/work.js';
import { sideBySide } from './answered.js';
import { type ClaimParts, MAX_CLAIMS } from './claims.js';
import type { Claim, Entailment, JudgedClaim } from './contracts.js';
import { evidenceText, labelled, prompt } from './material.js';
import { askForm, checkChecker, exactly, type ReplyForm, replyForm, TEXT } from './reply-form.js';

const BATCH = 10;
const WIDTH = 4;

interface ClaimVerdict {
  readonly claim: number;
  readonly reasoning: string;
  readonly verdict: Entailment;
  readonly evidence: readonly string[];
}

interface Judged {
  readonly verdicts: readonly ClaimVerdict[];
}

const INSTRUCTIONS =
  'You compare claims with evidence. For each claim say what the evidence makes of it: entail (it follows from the evidence), contradict (the evidence says otherwise) or neutral (the evidence leaves it open), and name the ids of the evidence this rests on. Your own knowledge does not count.';

/**
 * Every claim against the evidence, in batches. The draft is not shown: a claim is judged by what is known, not by how
 * well it reads. What is entailed by no existing piece of evidence is neutral, whatever the judge says.
 */
export function judgeClaims(
  parts: ClaimParts,
): (run: Run, claims: readonly Claim[], evidence: EvidenceBundle) => Promise<readonly JudgedClaim[]> {
  const session = parts.judge ?? parts.session;
  checkChecker(session, 'claim judge');
  const batch = parts.batch ?? BATCH;
  if (!(Number.isInteger(batch) && batch >= 1 && batch <= MAX_CLAIMS))
    throw new ConfigError(`A batch holds 1 to ${MAX_CLAIMS} claims, got ${batch}.`);
  return async (run, claims, evidence) => {
    const batches = Array.from({ length: Math.ceil(claims.length / batch) }, (_none, index) =>
      claims.slice(index * batch, (index + 1) * batch),
    );
    const judgeOne =
      (of: readonly Claim[]) =>
      async (branch: Run): Promise<readonly JudgedClaim[]> => {
        const form = verdictForm(of.length);
        const input = prompt([
          [evidenceText(evidence), 'evidence', 'outside'],
          [claimsText(of), 'claims', 'outside'],
          ['Judge each of these claims.', 'question', 'user'],
        ]);
        const { value } = await askForm(branch, { session, instructions: INSTRUCTIONS, form, input });
        return of.map((claim, index) => {
          const said = value.verdicts.find((verdict) => verdict.claim === index + 1);
          return judgedBy(claim, said, evidence);
        });
      };
    return (await sideBySide(run, batches.map(judgeOne), WIDTH)).flat();
  };
}

function verdictForm(count: number): ReplyForm<Judged> {
  const verdict = exactly({
    claim: { type: 'integer', minimum: 1, maximum: count },
    reasoning: TEXT,
    verdict: { type: 'string', enum: ['entail', 'neutral', 'contradict'] },
    evidence: { type: 'array', maxItems: 10, items: { type: 'string' } },
  });
  const verdicts = { type: 'array', minItems: count, maxItems: count, items: verdict };
  return replyForm(exactly({ verdicts }), ({ verdicts: given }) => {
    const missing = Array.from({ length: count }, (_none, index) => index + 1).filter(
      (number) => !given.some(({ claim }) => claim === number),
    );
    return missing.length === 0 ? [] : [`verdicts: there is none on claim ${missing.join(', ')}`];
  });
}

function claimsText(claims: readonly Claim[]): string {
  return `The claims:\n${claims.map(({ text }, index) => labelled('claim', { number: String(index + 1) }, text)).join('\n')}`;
}

/** A contradiction stands without a piece of evidence too: a judge that misquotes an id still saw something wrong. */
function judgedBy(claim: Claim, said: ClaimVerdict | undefined, { items }: EvidenceBundle): JudgedClaim {
  const known = new Map(items.flatMap(({ id }) => [id, bare(id)].map((name) => [name, id])));
  const named = new Set(said?.evidence.flatMap((quoted) => idsIn(quoted, known)));
  const rests = items.filter(({ id }) => named.has(id));
  const verdict = said === undefined || (said.verdict === 'entail' && rests.length === 0) ? 'neutral' : said.verdict;
  const isSupported = verdict === 'entail' && rests.some(({ authority }) => authority);
  return { ...claim, verdict, evidence: verdict === 'neutral' ? [] : rests.map(({ id }) => id), isSupported };
}

/** Ids as judges quote them: as they are, in brackets or quotes, or several in one text. */
function idsIn(quoted: string, known: ReadonlyMap<string, string>): readonly string[] {
  const one = known.get(quoted) ?? known.get(bare(quoted));
  if (one !== undefined) return [one];
  const several = quoted.split(/[\s,;]+/).map((part) => known.get(bare(part)));
  return several.every((id) => id !== undefined) ? several : [];
}

function bare(id: string): string {
  return trimmedEnd(id.trim().replace(/^(?:id\s*[=:]\s*)?[\s[({<"'`]*/, ''), ' \t\n])}>"\'`.');
}
