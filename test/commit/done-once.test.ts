import { FlyballError } from 'flyball';
import { tool } from 'flyball/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import { proposes } from '../loops/stage-loop.js';
import { moving } from '../runtime/stage.js';
import { courseOf, criticized, judging, notesOf, resultOf, runCommit, type sessionsOf, TASK } from './stage-commit.js';

beforeAll(async () => {
  await import('@cfworker/json-schema');
});

/** A letter box, and the loop's part with the tool that fills it. */
function box() {
  const sent: unknown[] = [];
  const send = tool({
    name: 'send',
    description: 'Sends a letter. Not for notes.',
    effect: 'undoable',
    timeoutMs: 1000,
    execute: async () => {
      sent.push('letter');
      return 'sent: receipt 7';
    },
    compensate: async () => undefined,
  });
  const parts = (session: ReturnType<typeof sessionsOf>) => ({
    planner: { session: session('planner'), tools: [send] },
    execution: { worker: { session: session('worker'), tools: [send] } },
  });
  return { sent, parts };
}

const SEND = {
  id: 'send',
  description: 'Send the letter.',
  stepType: 'tool',
  requiredTools: ['send'],
  toolValidationMode: 'strict',
  expectedOutcome: 'a receipt',
  reversibility: 'undoable',
  compensation: { tool: 'send', args: {} },
};
const TELL = {
  id: 'tell',
  description: 'Tell what was sent.',
  expectedOutcome: 'an account',
  dependsOn: ['send'],
  bindings: { receipt: { from: 'send' } },
};
const planOf = (...steps: readonly object[]): string => JSON.stringify({ goal: TASK.goal, steps });

type Messages = { readonly messages: readonly { readonly role: string; readonly content: string }[] };
const said = ({ messages }: Messages): string => JSON.stringify(messages);

/** Sends when it is told to, and answers all else with what `tell` says. */
function worker(tell: (shown: string) => string | FlyballError) {
  return (request: Messages) => {
    if (!said(request).includes('Send the letter') || said(request).includes('Tell what was sent.'))
      return tell(said(request));
    return request.messages.some(({ role }) => role === 'tool') ? 'sent: receipt 7' : proposes('send');
  };
}

const retriever = { name: 'shelf', retrieve: async () => [] };

describe('what was done to the world', () => {
  it('is not done again when the loop comes back from looking for more; what was thought is [R4-LOOP-GAP] [R4-LOOP-INVARIANTS] [R7.users]', async () => {
    const { sent, parts } = box();
    let told = 0;
    const run = await runCommit(
      {
        planner: () => planOf(SEND, TELL),
        worker: worker((shown) => `Account ${++told}${shown.includes('receipt 7') ? ' of receipt 7' : ''}.`),
        judge: judging(
          (shown) => ({ completeness: shown.includes('Account 1') ? 0.5 : 1 }),
          (shown) => (shown.includes('Account 1') ? ['postage tables'] : []),
        ),
      },
      { retriever, parts },
    );
    expect((await courseOf(run.stage)).slice(4, 7)).toEqual([
      ...['VERIFY retrieval-gap RETRIEVE', 'RETRIEVE retrieved ACT', 'ACT acted VERIFY'],
    ]);
    expect(sent).toEqual(['letter']);
    const { outputs, provenance } = resultOf(run);
    expect(outputs.artefacts[0]?.text).toBe('Account 2 of receipt 7.'); // it was given what the first step had brought
    expect(outputs.reports.map(({ subTask }) => subTask)).toEqual(['send', 'tell']);
    expect(provenance.toolCalls.filter(({ tool }) => tool === 'send')).toHaveLength(1);
  });

  it('is all there is to do where every step did something, and what was repaired since stays repaired', async () => {
    const { sent, parts } = box();
    const run = await runCommit(
      {
        planner: () => planOf(SEND),
        worker: worker(() => 'never asked'),
        judge: judging((shown) => ({
          correctness: shown.includes('Signed.') ? 1 : shown.includes('Mended') ? 0.7 : 0.6,
        })),
        critic: ({ messages }) =>
          said({ messages }).includes('Mended')
            ? criticized({ description: 'postage tables are not covered', cause: 'retrieval-gap' })
            : criticized({ description: 'unsigned' }),
        repairer: (request) =>
          said(request).includes('postage tables are not covered') ? 'Mended. Signed.' : 'Mended.',
      },
      { retriever, parts, exit: { novelty: 1, pAuto: 0.5, pReview: 0.4 } },
    );
    const course = await courseOf(run.stage);
    expect(course).toContain('REPAIR retrieval-gap RETRIEVE');
    expect(sent).toEqual(['letter']);
    // what was measured next is what was repaired, and not what the worker had said
    const errors = (await notesOf(run.stage, 'control')).map(({ error }) => Number(error).toFixed(2));
    expect([errors[0], ...new Set(errors.slice(1))]).toEqual(['0.35', '0.25', '0.00']);
    expect(resultOf(run).outputs.artefacts[0]?.text).toBe('Mended. Signed.');
  });

  it('is not done again when a later step fails and ACT is repeated [R4-LOOP-RETRY] [R4-LOOP-INVARIANTS]', async () => {
    const { sent, parts } = box();
    let failures = 0;
    const stage = moving();
    const run = await runCommit(
      {
        planner: () => planOf(SEND, TELL),
        worker: worker(() =>
          ++failures <= 3 ? new FlyballError('MODEL_UNAVAILABLE', 'Busy.', { retryable: true }) : 'Told.',
        ),
      },
      {
        stage,
        stays: true,
        parts,
      },
    );
    expect((await courseOf(run.stage)).filter((told) => told.startsWith('ACT'))).toEqual([
      ...['ACT retry ACT', 'ACT acted VERIFY'],
    ]);
    expect(sent).toEqual(['letter']);
    expect(resultOf(run).outputs.reports.map(({ subTask }) => subTask)).toEqual(['send', 'tell']);
  });

  it('is told to a new plan, whose steps are carried out although they have the same names [R4-LOOP-REDECOMPOSE]', async () => {
    const { sent, parts } = box();
    const again = { ...SEND, description: 'Send the letter to Bob too.' };
    const run = await runCommit(
      {
        planner: (request) => planOf(said(request).includes('too many readers') ? again : SEND),
        worker: worker(() => 'never asked'),
        judge: judging(() => ({ correctness: sent.length === 2 ? 1 : 0.5 })),
        critic: () => criticized({ description: 'too many readers at a time', cause: 'complexity-exceeded' }),
      },
      { parts },
    );
    expect(run.model.promptAt('planner', 2)).toContain('done already with send, not to be repeated: Send the letter.');
    expect(sent).toEqual(['letter', 'letter']);
    expect(run.outcome.stop).toBe('done');
  });
});
