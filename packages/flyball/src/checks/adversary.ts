import { ConfigError } from '../core/errors.js';
import { isJson } from '../core/read-json.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Defect, Location } from '../core/work.js';
import { type CaseRunner, type EdgeCase, type Expected, shown } from './case-runner.js';
import type { Subject } from './contracts.js';
import { defectId } from './defects.js';
import { subjectPrompt } from './material.js';
import { shownTo } from './output-view.js';
import { checkChecker, exactly, type ReplyForm, replyForm, TEXT, UNIT, withForm } from './reply-form.js';
import { DIMENSIONS } from './rubric.js';

/** What an adversary needs to propose and run edge cases. */
export interface AdversaryParts {
  /** Tries to break what was made; a session of its own. */
  readonly session: Session;
  readonly runner: CaseRunner;
  /** 8 where it is absent, 20 at most. */
  readonly maxCases?: number;
}

/** What an adversary found. */
export interface Attack {
  readonly defects: readonly Defect[];
  readonly cases: number;
  /** Cases that could not be executed, and why: they show nothing. */
  readonly notRun: readonly { readonly name: string; readonly why: string }[];
}

interface Proposed {
  readonly cases: readonly {
    readonly name: string;
    readonly input: string;
    readonly expected: { readonly returns: string | null; readonly throws: string | null };
    readonly dimension: EdgeCase['dimension'];
    readonly severity: number;
  }[];
}

const DEFAULT_CASES = 8;
const MOST_CASES = 20;
const WIDTH = 2;

const INSTRUCTIONS =
  'You try to break what others made. Look for inputs where it gives a wrong result: limits, empty and huge values, unusual types, unstated assumptions, promises it does not keep, input that is treated as an instruction, data that leaks. Every case is executed and its result compared with what you expect, so expect only what the task demands.';

/** The session of an adversary, as it is asked: its cases come in a form. */
export function attackingSession({ session, maxCases = DEFAULT_CASES }: AdversaryParts): Session<Proposed> {
  checkChecker(session, 'adversary');
  if (!(Number.isInteger(maxCases) && maxCases >= 1 && maxCases <= MOST_CASES))
    throw new ConfigError(`An adversary proposes 1 to ${MOST_CASES} cases, got ${maxCases}.`);
  return withForm(session, { instructions: INSTRUCTIONS, form: caseForm(maxCases) });
}

/** Proposes edge cases and has them executed. What it merely suspects is no defect; what fails is one. */
export function adversary(
  parts: AdversaryParts,
): (run: Run, subject: Subject, focus?: readonly Location[]) => Promise<Attack> {
  const { session, runner, maxCases = DEFAULT_CASES } = parts;
  const attacking = attackingSession(parts);
  const question = `${runner.describe}\n\nPropose up to ${maxCases} cases. Write input and the expected value as JSON texts; exactly one of returns and throws is not null.`;
  return async (run, subject, focus) => {
    const input = subjectPrompt(subject, question, shownTo(session, focus));
    const { value } = await run.ask(attacking, input);
    const cases = value.cases.map(caseFrom);
    const ends = await run.all(
      cases.map((given) => (branch: Run) => runner.runCase(branch, subject, given)),
      WIDTH,
    );
    const defects: Defect[] = [];
    const notRun: { name: string; why: string }[] = [];
    for (const [index, given] of cases.entries()) {
      const end = ends[index];
      if (end === undefined) continue;
      if (!end.ok) throw end.error;
      if (!end.value.ran) notRun.push({ name: given.name, why: end.value.problem });
      else if (!end.value.ok) defects.push(caseDefect(runner, given, end.value.actual));
    }
    run.note({ kind: 'edge-cases', cases: cases.length, failed: defects.length, notRun });
    return { defects, cases: cases.length, notRun };
  };
}

/** A case that failed, with all that is needed to run it again. */
function caseDefect(
  { artefact }: CaseRunner,
  { name, input, expected, dimension, severity }: EdgeCase,
  actual: string,
): Defect {
  return {
    id: defectId('adversary', input),
    dimension,
    description: `An edge case fails: ${name}: ${shown(input)} ${actual}, expected ${shown(expected)}`,
    severity,
    ...(artefact === undefined ? {} : { location: { artefact } }),
    scope: 'global',
    cause: dimension === 'safety' ? 'safety-violation' : 'logic-error',
    foundBy: 'adversary',
    facts: { case: name, input, expected, actual },
  };
}

/** Values travel as JSON texts: a schema with constrained decoding cannot allow just any value. */
function caseForm(maxCases: number): ReplyForm<Proposed> {
  const json = { type: ['string', 'null'], maxLength: 4000 };
  const each = exactly({
    name: { ...TEXT, maxLength: 200 },
    input: { type: 'string', minLength: 1, maxLength: 4000 },
    expected: exactly({ returns: json, throws: json }),
    dimension: { type: 'string', enum: DIMENSIONS },
    severity: UNIT,
  });
  return replyForm<Proposed>(exactly({ cases: { type: 'array', maxItems: maxCases, items: each } }), ({ cases }) =>
    cases.flatMap(({ input, expected: { returns, throws } }, index) => [
      ...unparsed(`cases.${index}.input`, input),
      ...(returns === null ? [] : unparsed(`cases.${index}.expected.returns`, returns)),
      ...((returns === null) === (throws === null)
        ? [`cases.${index}.expected: exactly one of returns and throws is not null`]
        : []),
    ]),
  );
}

function unparsed(place: string, text: string): readonly string[] {
  return isJson(text) ? [] : [`${place}: it is not JSON`];
}

function caseFrom({ name, input, expected: said, dimension, severity }: Proposed['cases'][number]): EdgeCase {
  const expected: Expected =
    said.returns === null ? { throws: said.throws ?? '' } : { returns: JSON.parse(said.returns) as unknown };
  return { name, input: JSON.parse(input) as unknown, expected, dimension, severity };
}
