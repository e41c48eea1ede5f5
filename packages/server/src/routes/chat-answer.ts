import type { Outcome } from 'flyball';
import { answerIn, redactSecrets } from 'flyball/internal';
import type { Principal } from '../access/principal.js';
import type { Parts } from '../parts.js';
import { Problem, type ProblemCode } from '../problem.js';
import { becauseOf, failureWords } from './failure-words.js';
import { askedFields } from './invocation-answer.js';

export interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

/** The text that a run gave as its answer. Without one it is an error, which no client may take for an answer. */
export async function chatText(
  parts: Parts,
  { runId, principal }: { readonly runId: string; readonly principal: Principal },
  outcome: Outcome<unknown> | undefined,
): Promise<string> {
  const at = `/v1/runs/${encodeURIComponent(runId)}`;
  const ended = (code: ProblemCode, message: string, next: string): Problem =>
    new Problem(422, code, message, { next, headers: { location: at } });
  if (outcome === undefined)
    throw ended('TIMEOUT', 'The run takes longer than the server timeout. It continues.', `Follow it: GET ${at}`);
  const { because = 'no reason was given' } = failureWords(principal, {
    stop: outcome.stop,
    because: becauseOf(outcome),
  });
  switch (outcome.stop) {
    case 'done':
    case 'degraded':
      return redactSecrets(answerIn(outcome).answer ?? '', parts.settings.secrets);
    case 'suspended': {
      const { approvals = [] } = askedFields(runId, await parts.fleet.entries(runId));
      const asked = approvals.map(({ kind, url }) => `${kind} ${url}`).join(', ');
      const what = `The run waits for somebody${asked === '' ? '' : `: ${asked}`}.`;
      throw ended('RUN_WAITS', what, `Follow it: GET ${at}`);
    }
    case 'bounded':
      throw ended('BOUND_REACHED', `The run stopped at a limit: ${because}.`, `See GET ${at}`);
    default:
      throw ended('RUN_ENDED', `The run ended without an answer (${outcome.stop}): ${because}.`, `See GET ${at}`);
  }
}

export async function usageOf({ feed, fleet }: Parts, runId: string): Promise<Usage> {
  const { usage } = await feed.card(await fleet.get(runId));
  const prompt_tokens = usage['tokensIn']?.spent ?? 0;
  const completion_tokens = usage['tokensOut']?.spent ?? 0;
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}
