import type { ErrorCode, JsonSchema, Outcome, Waiting } from 'flyball';
import { type BareAct, bareActs } from 'flyball/internal';
import type { McpAnswer } from './offer.js';

/** What every answer about a run of an agent holds as data. */
export const RUN_ANSWER_SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    status: { type: 'string', enum: ['done', 'degraded', 'suspended', 'running'] },
    runId: { type: 'string' },
    output: { description: 'What the agent answered.' },
    because: { type: 'string', description: 'Why it is less than was asked for.' },
    waitingFor: {
      type: 'array',
      description: 'What has to happen before the run continues.',
      items: {
        type: 'object',
        properties: { kind: { type: 'string' }, name: { type: 'string' }, about: { type: 'string' } },
        required: ['kind', 'name'],
      },
    },
    acts: {
      type: 'array',
      description: 'What the run changed or tried to change, from its journal. Present once the run has ended.',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string' },
          name: { type: 'string', description: 'Of the tool or the step.' },
          class: { type: 'string' },
          what: { type: 'string', description: 'took-place, refused, failed, in-doubt or simulated.' },
          undone: { type: 'boolean' },
        },
        required: ['id', 'name', 'class', 'what'],
      },
    },
    actsLeftOut: { type: 'integer', description: 'Further acts that are not listed.' },
  },
  required: ['status', 'runId'],
};

/** Failures whose words are about the request. The words of all others may tell how the server is built. */
const TOLD: ReadonlySet<ErrorCode> = new Set([
  'INPUT_INVALID',
  'DENIED',
  'APPROVAL_REJECTED',
  'NO_ANSWER',
  'BOUND_REACHED',
  'PLAN_INVALID',
  'STEP_UNVERIFIED',
  'CLAIM_UNPROVEN',
  'QUALITY_NOT_REACHED',
]);

/** What of an agent's value is for others, as text and as data. */
export type Present = (value: unknown) => { readonly text: string; readonly output: unknown };

/** What an agent with a definition ends with holds much beside its answer: tokens, calls, why it stopped. */
const answerIn: Present = (value) => {
  const { rawText, termination, output } = Object(value) as Readonly<Record<string, unknown>>;
  if (typeof rawText !== 'string' || typeof termination !== 'string')
    return { text: textOf(value), output: value ?? null };
  if (output === undefined) return { text: rawText, output: rawText };
  const fields = typeof output === 'object' && output !== null ? Object.values(output) : [output];
  return { text: textOf(fields.length === 1 ? fields[0] : output), output };
};

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** How a run rests, for a client that called an agent. */
export function runAnswer(runId: string, outcome: Outcome<unknown>, present: Present = answerIn): McpAnswer {
  switch (outcome.stop) {
    case 'done': {
      const { text, output } = present(outcome.value);
      return { ok: true, text, value: { status: 'done', runId, output, ...actsOf(outcome) } };
    }
    case 'degraded': {
      const { because } = outcome;
      const { text, output } = present(outcome.value);
      const said = `${text}\n[less than was asked for: ${because}]`;
      return { ok: true, text: said, value: { status: 'degraded', runId, output, because, ...actsOf(outcome) } };
    }
    case 'suspended':
      return suspended(runId, outcome.waiting, outcome.paused === true);
    case 'bounded':
      return failure('BOUND_REACHED', runId, outcome, `It reached the bound ${outcome.bound} of ${outcome.limit}.`);
    case 'blocked':
      return failure('BLOCKED', runId, outcome, outcome.because);
    case 'cancelled':
      return failure('CANCELLED', runId, outcome, 'It was cancelled.');
    case 'failed': {
      const { code, message } = outcome.failure;
      return failure(code, runId, outcome, TOLD.has(code) ? message : 'It failed. Its journal says why.');
    }
  }
}

/** Nobody waits any longer, and the run goes on. */
export function stillRunning(runId: string): McpAnswer {
  return { ok: true, text: `Run ${runId} is still under way.`, value: { status: 'running', runId } };
}

function suspended(runId: string, waiting: readonly Waiting[], isPaused: boolean): McpAnswer {
  const waitingFor = waiting.map(({ kind, name, request }) => ({ kind, name, ...aboutIn(request) }));
  const list = waitingFor.map(({ kind, name, about }) => `${kind} ${name}${about === undefined ? '' : ` (${about})`}`);
  const text = isPaused
    ? `Run ${runId} is paused. It continues when somebody resumes it.`
    : `Run ${runId} waits for ${list.join(', ')}. It continues when that is answered; calling again would start another run.`;
  return { ok: true, text, value: { status: 'suspended', runId, waitingFor } };
}

/** The action or question itself; what it is to be done with stays with those who decide. */
function aboutIn(request: unknown): { readonly about?: string } {
  const { action, question } = Object(request) as { readonly action?: unknown; readonly question?: unknown };
  const about = [action, question].find((one) => typeof one === 'string');
  return typeof about === 'string' ? { about: about.slice(0, 200) } : {};
}

/** What it did, from the journal: the answer is only words. */
function actsOf({ acts, actsLeftOut }: Outcome<unknown>): {
  readonly acts?: readonly BareAct[];
  readonly actsLeftOut?: number;
} {
  if (acts === undefined) return {};
  return { acts: bareActs(acts), ...(actsLeftOut === undefined ? {} : { actsLeftOut }) };
}

/** A client that calls again has to know what took place already. An error holds no data, so it is told in words. */
function failure(code: string, runId: string, outcome: Outcome<unknown>, why: string): McpAnswer {
  const done = standing(outcome);
  const said = done.length === 0 || /[.!?]$/.test(why) ? why : `${why}.`;
  return { ok: false, code, message: [`Run ${runId}: ${said}`, ...done].join(' ') };
}

function standing({ acts = [], actsLeftOut = 0 }: Outcome<unknown>): readonly string[] {
  const named = (fate: BareAct['what']): string =>
    acts.flatMap(({ what, undone, name }) => (what === fate && undone !== true ? [name] : [])).join(', ');
  return [
    ...(named('took-place') === '' ? [] : [`Took place and was not undone: ${named('took-place')}.`]),
    ...(named('in-doubt') === '' ? [] : [`May have taken place: ${named('in-doubt')}.`]),
    ...(actsLeftOut === 0 ? [] : [`${actsLeftOut} more acts are in its journal.`]),
  ];
}
