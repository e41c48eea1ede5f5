import { type Agent, done, type Session } from 'flyball';
import { defineAgent } from 'flyball/agents';
import type { Rubric } from 'flyball/checks';
import { isolated, mapReduce, untilApproved, withReviewers } from 'flyball/patterns/orchestration';
import { rubricJudge } from 'flyball/patterns/reliability';
import { zeroShot } from 'flyball/patterns/signal';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** One example of each pattern of orchestration: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const writer: Agent<string, string> = zeroShot(session('writer', 'You write announcements.'));
const rubric: Rubric = {
  version: '1',
  threshold: 0.8,
  dimensions: [
    { name: 'correctness', weight: 0.5, minimum: 0.8, description: 'Every date and name is in the task.' },
    { name: 'coherence', weight: 0.5, minimum: 0.8, description: 'A customer knows what to do.' },
  ],
};
const weather = tool({
  name: 'weather',
  description: "Today's weather in a city. Not for forecasts.",
  input: z.object({ city: z.string() }),
  effect: 'pure',
  execute: async ({ city }) => (city === 'Bergen' ? 'rain' : 'sun'),
});

// #region defineAgent
const guide = defineAgent({
  name: 'guide',
  description: 'You tell people what to bring today.',
  model,
  tools: [weather],
  outputs: { advice: { type: 'string', description: 'one sentence' } },
  loop: { maxIterations: 8 },
});
// #endregion

// #region mapReduce
const reviewed = mapReduce(
  {
    split: (diff: string) => diff.split(/^diff --git /m).slice(1), // one task for each file
    worker: zeroShot(session('reviewer', 'You review one file of a diff.')),
    join: (slots) => slots.map(({ value, because }) => value ?? `not reviewed: ${because}`).join('\n\n'),
  },
  { maxWorkers: 10, width: 4, quorum: 8 },
); // Agent<string, string>
// #endregion

// #region untilApproved
const houseStyle = rubricJudge({ judge: session('judge', 'You judge announcements.'), rubric });
const approved = untilApproved(writer, { test: houseStyle }, { maxRounds: 3 });
// #endregion

// #region withReviewers
const checked = withReviewers(
  writer,
  {
    reviewers: {
      legal: session('legal', 'You look for promises that bind us.'),
      brand: session('brand', 'You look for words that we do not use.'),
      facts: session('facts', 'You look for claims without a source.'),
    },
    editor: session('editor', 'You turn reviews into one brief.'),
    reviser: session('reviser', 'You revise announcements.'),
  },
  { precedence: ['legal', 'facts', 'brand'], mandatory: ['legal'], maxRounds: 2 },
);
// #endregion

// #region isolated
const counter: Agent<string, string> = zeroShot(session('counter', 'You count the exports of a file.'));
const exportsOf = isolated(
  counter,
  { brief: ({ path, text }: { path: string; text: string }) => `Count the exports of ${path}:\n${text}` },
  { slice: { modelCalls: 2, costUsd: 0.05 } },
);
const total: Agent<readonly { path: string; text: string }[], string> = async (run, files) => {
  const counts: string[] = [];
  for (const file of files) {
    const counted = await exportsOf(run, file); // sees one file, and nothing of this conversation
    counts.push(counted.stop === 'done' ? counted.value : `unknown: ${counted.stop}`);
  }
  return done(counts.join(', '));
};
// #endregion

export const agents = { total };
export const examples = {
  defineAgent: guide.agent,
  mapReduce: reviewed,
  untilApproved: approved,
  withReviewers: checked,
  isolated: exportsOf,
};
