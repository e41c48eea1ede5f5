import { type Agent, done, type Session } from 'flyball';
import { codeTest } from 'flyball/patterns';
import { planAndSolve, reAct, reflexion, selfConsistency, selfRefine } from 'flyball/patterns/reasoning';
import { zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** One example of each pattern of reasoning: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project. Not for folders.',
  input: z.object({ path: z.string() }),
  effect: 'pure',
  execute: async ({ path }) => `The text of ${path}.`,
});
const writer: Agent<string, string> = async (run, task) =>
  done((await run.ask(session('writer', 'You write release notes.'), task)).text);

// #region planAndSolve
const step = reAct({ worker: session('worker', 'You do one step.'), tools: [readFile] }, { maxIterations: 5 });
const planned = planAndSolve(
  {
    planner: session('planner', 'You plan work on a code base.'),
    worker: step,
    answerer: session('answerer', 'You answer from results.'),
    test: codeTest(({ steps }) => (steps.length <= 5 ? { ok: true } : { ok: false, because: 'At most five steps.' })),
  },
  { maxReplans: 2, maxSteps: 5 },
);
// #endregion

// #region reAct
const reader = reAct(
  { worker: session('reader', 'You answer questions about a code base.'), tools: [readFile] },
  { maxIterations: 12 },
);
// #endregion

// #region reflexion
const author = zeroShot(session('author', 'You write release notes.'));
const persistent = reflexion(
  author,
  {
    // code that can fail; commandTest runs a test command, rubricJudge asks a model
    test: codeTest((notes) =>
      notes.length <= 600 ? { ok: true } : { ok: false, because: `It has ${notes.length} characters.` },
    ),
    critic: session('critic', 'You find out why attempts fail.'),
  },
  { maxAttempts: 3 },
);
// #endregion

// #region selfRefine
const polished = selfRefine(
  writer,
  {
    critic: session('critic', 'You read release notes as a customer.'),
    reviser: session('reviser', 'You edit release notes.'),
    criteria: 'At most 50 words. Names no internal system.',
  },
  { maxRounds: 3 },
);
// #endregion

// #region selfConsistency
const solver = zeroShot(session('solver', 'You do sums. Reply with the number alone.'));
const surer = selfConsistency(solver, {}, { samples: 5, minAgreement: 0.6 });
// #endregion

export const examples = {
  planAndSolve: planned,
  reAct: reader,
  reflexion: persistent,
  selfRefine: polished,
  selfConsistency: surer,
};
