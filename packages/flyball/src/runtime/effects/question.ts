import { FlyballError } from '../../core/errors.js';
import { isDeclined, type Question, type QuestionRequest } from '../../core/question.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { type Act, recordFailure, recordKept, recordValue } from './act.js';
import { passGates } from './gate.js';
import { subWait } from './wait.js';

/** A tool that asks a person: the run waits, and the answer is what the tool gives back. Nothing is executed. */
export async function driveQuestion(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  asked: (args: unknown) => Question,
): Promise<void> {
  if (pending.scope.world !== undefined) return recordFailure(attempt, pending, act, nobodyAsked(act.name));
  const known = attempt.delivery.calls.answerTo(pending.scope.ledger, pending.fp);
  // a model that asks the same again has forgotten that it knows: the person is not asked twice
  if (known !== undefined && !isAsked(attempt, pending)) return recordKept(attempt, pending, act, known, 'person');
  try {
    const passed = await passGates(attempt, pending, act);
    if (passed !== undefined) await waitForAnswer(attempt, pending, passed, asked(passed.input));
  } catch (error) {
    recordFailure(attempt, pending, act, error); // a question that cannot be put is a failure of the call, not of the run
  }
}

/** A simulated child asks nobody. */
function nobodyAsked(tool: string): FlyballError {
  return new FlyballError('NOT_SIMULATED', `${tool} asks a person and this child is simulated: nobody is asked.`);
}

/** Somebody was asked this very question: then it is their answer that counts. */
function isAsked(attempt: Attempt, { id }: Pending): boolean {
  return attempt.recorded.starts.get(`${id}!ask`)?.some(({ inherited }) => inherited === undefined) === true;
}

async function waitForAnswer(attempt: Attempt, pending: Pending, act: Act, question: Question): Promise<void> {
  const { answer, answerJsonSchema, timeoutMs, scopes = [] } = question;
  const end = await subWait(attempt, pending, `${pending.id}!ask`, {
    kind: 'question',
    name: `answer:${pending.id}`,
    timeoutMs,
    request: requestFor(act, question),
    schema: answer,
    jsonSchema: answerJsonSchema,
    asking: { scopes, notBy: [] },
    admitted: { args: act.input }, // what guards let pass before it was asked, they are not asked about again
  });
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  if (end.timedOut === true) {
    const why = `${act.name}: nobody answered in time. Continue without the answer, or say that it is missing.`;
    return recordFailure(attempt, pending, act, new FlyballError('NO_ANSWER', why));
  }
  const value = end.payload ?? null;
  const isNo = isDeclined(question, value); // of what they said, before a guard made something else of it
  const shown = act.observe === undefined ? value : await act.observe(value);
  recordValue(attempt, pending, act, shown, 'person', isNo ? { declined: true } : {});
}

function requestFor(act: Act, { widget, prompt, details, risk }: Question): QuestionRequest {
  return {
    tool: act.name,
    widget,
    prompt,
    ...(details === undefined ? {} : { details }),
    ...(risk === undefined ? {} : { risk }),
  };
}
