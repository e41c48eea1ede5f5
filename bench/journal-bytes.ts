// shows: R2-SHOW-BYTES
/** Bytes that the journal of a conversation needs beyond what was said, at 10, 100 and 1,000 steps. */
import { join } from 'node:path';
import { fileGrowthPerStep, growthPerStep, type StepKind, weighConversation } from './measure/conversation.js';
import { figure } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';

const LIMIT = 600;
const KINDS: Readonly<Record<StepKind, string>> = {
  talk: 'a message of 800 B and a reply of 800 B',
  'tool-call': 'a message of 800 B, a tool call with a result of 1,000 B, and a reply of 800 B',
};
/** Two more effects a step (the call and the second reply): shown, not held to the limit for one. */
const JUDGED: StepKind = 'talk';

heading('Bytes of a conversation in SQLite', [
  'The database file after a checkpoint, less the same file before the run, less every text that was said, counted once.',
]);

const targets: Target[] = [];
for (const kind of ['talk', 'tool-call'] as const) {
  const weighed = await inFolder(async (folder) => {
    const rows = [];
    for (const steps of [10, 100, 1_000]) rows.push(await weighConversation(join(folder, `${steps}.db`), steps, kind));
    return rows;
  });
  console.log(`  One step: ${KINDS[kind]}`);
  table(
    ['steps', 'file', 'said', 'beyond, a step', 'a further step'],
    weighed.map((row, index) => {
      const before = weighed[index - 1];
      return [
        figure(row.steps),
        `${figure(row.fileBytes / 1024)} KB`,
        `${figure(row.uniqueBytes / 1024)} KB`,
        `${figure(growthPerStep(row))} B`,
        before === undefined ? '' : `${figure(growthPerStep(row, before))} B`,
      ];
    }),
  );
  const [ten, hundred, thousand] = weighed;
  if (ten === undefined || hundred === undefined || thousand === undefined) throw new Error('Nothing was weighed.');
  console.log(`  (the file before the run: ${figure(ten.emptyBytes / 1024)} KB)\n`);
  if (kind !== JUDGED) continue;
  const early = fileGrowthPerStep(hundred, ten);
  const late = fileGrowthPerStep(thousand, hundred);
  targets.push(
    {
      says: `1,000 steps need ${figure(growthPerStep(thousand))} B a step beyond what was said, at most ${LIMIT} B`,
      met: atMost(growthPerStep(thousand), LIMIT),
    },
    {
      says: `the curve is linear: a step after 100 costs ${figure(late / early)} × a step before, at most 1.2 ×`,
      met: atMost(late / early, 1.2),
    },
  );
}
console.log(
  '  For comparison, measured elsewhere and not in this run: the checkpoints of a 100-step run of LangGraph 1.4.18',
);
console.log('  came to 22.6 MB for a final state of 196 KB.\n');
judge(targets);
