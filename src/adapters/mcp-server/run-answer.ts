import type { ErrorCode } from '../../core/errors.js';
import type { Outcome, Waiting } from '../../core/outcome.js';
import type { JsonSchema } from '../../core/schema.js';
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
      description: 'What has to happen before it goes on.',
      items: {
        type: 'object',
        properties: { kind: { type: 'string' }, name: { type: 'string' }, about: { type: 'string' } },
        required: ['kind', 'name'],
      },
    },
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
      return { ok: true, text, value: { status: 'done', runId, output } };
    }
    case 'degraded': {
      const { because } = outcome;
      const { text, output } = present(outcome.value);
      const said = `${text}\n[less than was asked for: ${because}]`;
      return { ok: true, text: said, value: { status: 'degraded', runId, output, because } };
    }
    case 'suspended':
      return suspended(runId, outcome.waiting, outcome.paused === true);
    case 'bounded':
      return failure('BOUND_REACHED', runId, `It reached the bound ${outcome.bound} of ${outcome.limit}.`);
    case 'blocked':
      return failure('BLOCKED', runId, outcome.because);
    case 'cancelled':
      return failure('CANCELLED', runId, 'It was cancelled.');
    case 'failed': {
      const { code, message } = outcome.failure;
      return failure(code, runId, TOLD.has(code) ? message : 'It failed. Its journal says why.');
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
    ? `Run ${runId} is paused. It goes on when somebody resumes it.`
    : `Run ${runId} waits for ${list.join(', ')}. It goes on when that was answered; calling again would start another run.`;
  return { ok: true, text, value: { status: 'suspended', runId, waitingFor } };
}

/** The action or question itself; what it is to be done with stays with those who decide. */
function aboutIn(request: unknown): { readonly about?: string } {
  const { action, question } = Object(request) as { readonly action?: unknown; readonly question?: unknown };
  const about = [action, question].find((one) => typeof one === 'string');
  return typeof about === 'string' ? { about: about.slice(0, 200) } : {};
}

function failure(code: string, runId: string, why: string): McpAnswer {
  return { ok: false, code, message: `Run ${runId}: ${why}` };
}
