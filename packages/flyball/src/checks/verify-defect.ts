import type { Run } from '../core/run.js';
import type { Defect, Location } from '../core/work.js';
import type { AdversaryParts } from './adversary.js';
import { answered } from './answered.js';
import { baselineOf } from './baseline.js';
import type { Expected } from './case-runner.js';
import { claimId } from './claims.js';
import type { Subject, TestHarness, VerifyContext } from './contracts.js';
import { placesOf } from './defects.js';
import { judgeClaims } from './judge-claims.js';
import { outputsText, prompt, subjectPrompt } from './material.js';
import { shownTo } from './output-view.js';
import { askForm, exactly, replyForm, TEXT } from './reply-form.js';
import { checkSchemaIn } from './schema-check.js';
import { scoreDimensions } from './score-dimensions.js';
import { type CheckedParts, checkedParts, type VerificationParts } from './verify-parts.js';

/** `adversary`: whose cases are run again, where it found any. */
export type ReverifyParts = VerificationParts & { readonly adversary?: Pick<AdversaryParts, 'runner'> };

/** Checks whether a defect is resolved. */
export type VerifyDefect = (run: Run, subject: Subject, defect: Defect, context: VerifyContext) => Promise<boolean>;

/**
 * Looks again at one defect, as cheaply as its kind allows, and says whether it is gone. Whatever cannot be established
 * (an unreadable answer, a test that did not run, a case that could not be executed) is not gone.
 */
export function verifyDefect(parts: ReverifyParts): VerifyDefect {
  const checked = { ...checkedParts(parts), ...(parts.adversary === undefined ? {} : { adversary: parts.adversary }) };
  return async (run, subject, defect, context) => {
    const { foundBy, facts = {} } = defect;
    if (foundBy === 'schema') return (await checkSchemaIn(run, subject.outputs, checked.schema, checked.how)).ok;
    if (foundBy.startsWith('test:')) return passesNow(run, checked, defect, context);
    if (foundBy === 'claim' && checked.claims !== undefined)
      return claimHolds(run, checked.claims, subject, { text: String(facts['claim']), defect });
    if (foundBy === 'rubric') return reachesMinimum(run, checked, subject, defect);
    if (foundBy === 'requirement')
      return says(run, checked, subject, `Is this requirement covered now: ${String(facts['requirement'])}`);
    if (foundBy === 'gap') return isAnswered(run, checked, subject, String(facts['query']));
    if (foundBy === 'adversary' && checked.adversary !== undefined) {
      const given = { input: facts['input'], expected: facts['expected'] as Expected };
      const result = await checked.adversary.runner.runCase(run, subject, given);
      return result.ran && result.ok;
    }
    const question = `Is this defect gone from what was made: ${defect.description}`;
    return says(run, checked, subject, question, placesOf([defect]));
  };
}

type Checked = CheckedParts & Pick<ReverifyParts, 'adversary'>;

async function passesNow(run: Run, { tests = [] }: Checked, defect: Defect, context: VerifyContext): Promise<boolean> {
  const { test, command, cwd, file } = (defect.facts ?? {}) as Readonly<Record<string, string | undefined>>;
  const harness = harnessOf(tests, defect.foundBy, { command, cwd });
  if (harness === undefined) return false;
  const report = await harness.runTests(run, baselineOf(context.baseline, harness));
  if (report.problem !== undefined) return false;
  if (test === undefined) return report.passed + report.failed > 0; // it was the command that failed
  const stillFails = report.failures.some((failure) => failure.test === test && (failure.file ?? '') === (file ?? ''));
  if (stillFails) return false;
  // gone from the report is not passed, somebody may have removed the test; but names of very many tests are cut short
  const isCut = report.passing.length < report.passed && report.failures.length === report.failed;
  return report.passing.includes(test) || isCut;
}

function harnessOf(
  tests: readonly TestHarness[],
  foundBy: string,
  { command, cwd }: { readonly command: string | undefined; readonly cwd: string | undefined },
): TestHarness | undefined {
  return tests.find(
    (harness) =>
      `test:${harness.level}` === foundBy &&
      harness.command === command &&
      (cwd === undefined || harness.cwd === undefined || harness.cwd === cwd),
  );
}

const STATED = replyForm<{ readonly reasoning: string; readonly stated: boolean }>(
  exactly({ reasoning: TEXT, stated: { type: 'boolean' } }),
);

/** Gone when it is no longer stated, or when the evidence carries it by now. */
async function claimHolds(
  run: Run,
  parts: NonNullable<CheckedParts['claims']>,
  subject: Subject,
  { text, defect }: { readonly text: string; readonly defect: Defect },
): Promise<boolean> {
  const stated = await answered(
    askForm(run, {
      session: parts.session,
      instructions: 'You find out whether a text states something, in whatever words.',
      form: STATED,
      input: prompt([
        [outputsText(subject.outputs, shownTo(parts.session, placesOf([defect]))), 'outputs', 'outside'],
        [`Does it state this: ${text}`, 'question', 'user'],
      ]),
    }),
  );
  if (!stated.ok) return false;
  if (!stated.value.value.stated) return true;
  const claim = { id: claimId(text), text, artefact: defect.location?.artefact ?? '' };
  const judged = await answered(judgeClaims(parts)(run, [claim], subject.evidence));
  return judged.ok && judged.value[0]?.verdict === 'entail';
}

async function reachesMinimum(run: Run, parts: Checked, subject: Subject, defect: Defect): Promise<boolean> {
  const { dimension } = defect;
  const isApart = dimension === 'coherence' && parts.coherence !== undefined;
  const by = isApart ? parts.coherent : parts.judged.find(({ name }) => name === dimension);
  if (by === undefined) return false;
  const session = isApart ? (parts.coherence ?? parts.judge.session) : parts.judge.session;
  const said = await scoreDimensions({ ...parts.judge, session }, [by])(run, subject, placesOf([defect]));
  return said.kind === 'scored' && (said.scores[dimension] ?? 0) >= by.minimum;
}

/** A query that found something by now is answered; one that was put in other words is asked about. */
async function isAnswered(run: Run, parts: Checked, subject: Subject, query: string): Promise<boolean> {
  const { items, gaps } = subject.evidence;
  if (items.some((item) => item.query === query)) return true;
  if (gaps.includes(query) || items.length === 0) return false;
  return says(run, parts, subject, `Does the evidence answer this query: ${query}`);
}

const YES_OR_NO = replyForm<{ readonly reasoning: string; readonly yes: boolean }>(
  exactly({ reasoning: TEXT, yes: { type: 'boolean' } }),
);

async function says(
  run: Run,
  { judge }: Checked,
  subject: Subject,
  question: string,
  about: readonly Location[] = [],
): Promise<boolean> {
  const reply = await answered(
    askForm(run, {
      session: judge.session,
      instructions:
        'You answer one question about what others made, yes or no. Where it cannot be told, the answer is no.',
      form: YES_OR_NO,
      input: subjectPrompt(subject, question, shownTo(judge.session, about)),
    }),
  );
  return reply.ok && reply.value.value.yes;
}
