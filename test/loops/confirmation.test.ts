import { CONFIRMATION } from 'flyball/loops';
import { describe, expect, it } from 'vitest';
import { smallTools } from './small-tools.js';
import { proposes, runLoop } from './stage-loop.js';

const questionsIn = (messages: readonly { readonly content: string }[] = []): number =>
  messages.filter(({ content }) => content === CONFIRMATION).length;

describe('double confirmation', () => {
  it('asks for both checks: that all parts are done, and that the results were verified [R3-LOOP-CONFIRM]', () => {
    expect(CONFIRMATION).toMatch(/every part of the task/);
    expect(CONFIRMATION).toMatch(/verified the results/);
    expect(CONFIRMATION).toMatch(/continue working/);
    expect(CONFIRMATION).toMatch(/final answer again in full/);
  });

  it('is armed again by further tool calls [R3-LOOP-CONFIRM]', async () => {
    const { model, result } = await runLoop(
      ['Plan.', proposes('next'), 'Answer.', proposes('next', {}, 'b'), 'Answer again.', 'Yes.'],
      { tools: smallTools().all },
    );
    expect(model.requests.map(({ messages }) => questionsIn(messages))).toEqual([0, 1, 1, 2, 2, 3]);
    expect(result).toMatchObject({ output: 'Yes.', iterations: 6 });
  });

  it('is armed again by calls that come to nothing, too [R3-LOOP-CONFIRM]', async () => {
    const { model } = await runLoop(['Plan.', proposes('no_such_tool'), 'Answer.', 'Yes.'], {
      tools: smallTools().all,
    });
    expect(questionsIn(model.requests.at(-1)?.messages)).toBe(2);
  });

  it('takes the last answer, not the first [R3-LOOP-CONFIRM]', async () => {
    const { result } = await runLoop(['It is 7.', 'No, I looked again: it is 8.'], { tools: smallTools().all });
    expect(result.output).toBe('No, I looked again: it is 8.');
  });

  it('is not asked for where there is nothing to work with [R3-LOOP-CONFIRM] [R3-LOOP-SINGLE]', async () => {
    const { model } = await runLoop(['Hello.']);
    expect(model.requests).toHaveLength(1);
  });

  it('counts as an iteration, so that it cannot go on for ever [R3-LOOP-CONFIRM]', async () => {
    const { result } = await runLoop(['Plan.'], { tools: smallTools().all, config: { maxIterations: 1 } });
    expect(result).toMatchObject({ termination: 'max_iterations', rawText: 'Plan.' });
    expect(result).not.toHaveProperty('output'); // it was not confirmed
  });

  it('is not asked again for an answer that has to be repaired [R3-LOOP-CONFIRM]', async () => {
    const { model, result } = await runLoop(['Seven.', 'Seven!', '7'], {
      tools: smallTools().all,
      read: async (_run, text) =>
        /^\d+$/.test(text) ? { ok: true, value: text } : { ok: false, problem: 'Digits only.' },
    });
    expect(result).toMatchObject({ termination: 'completed', output: '7' });
    expect(questionsIn(model.requests.at(-1)?.messages)).toBe(1);
  });

  it('is text of the loop, not of the user: it does not pass for the task', async () => {
    const { stage } = await runLoop(['Plan.', 'Done.'], { tools: smallTools().all });
    const starts = await stage.events('ask-start');
    const links = await stage.engine.links('default', starts.at(-1)?.tip ?? '');
    expect(links.at(-1)?.header.split('\u001f').slice(0, 4)).toEqual(['log', 'user', 'loop', 'system']);
  });
});

describe('an answer', () => {
  it('that is empty is none: it is asked for again, and not for ever', async () => {
    const { model, outcome, result } = await runLoop(['  ', ' \n ', '']);
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'REPLY_INVALID' } });
    expect(result.termination).toBe('invalid_output');
    expect(model.requests[1]?.messages.at(-1)?.content).toMatch(/The answer is empty\.$/);
  });

  it('that repeats a mistake word for word is not paid for a third time', async () => {
    const { model, result } = await runLoop(['seven', 'seven'], {
      maxReasks: 5,
      read: async () => ({ ok: false, problem: 'Digits only.' }),
    });
    expect(result.termination).toBe('invalid_output');
    expect(model.requests).toHaveLength(2);
  });
});
