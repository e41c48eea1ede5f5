// shows: R2-SHOW-RESUME-TIME
/** Time to resume a run with 1,000, 5,000 and 10,000 effects, on SQLite and in memory. */
import { join } from 'node:path';
import { type Engine, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { figure } from './measure/figures.js';
import { inFolder } from './measure/folder.js';
import { atMost, heading, judge, type Target, table } from './measure/report.js';
import { type Filling, timeResume } from './measure/resume.js';

const SIZES = [1_000, 5_000, 10_000];
const FILLINGS: readonly Filling[] = ['pure step', 'idempotent step', 'ask', 'conversation'];
const TIMES = 5;
/** "In the order of 10 to 20 ms": only what is far beyond it is a miss. */
const EXPECTED_MS = 20;

heading('Resuming a run', [
  'From `resume` until the code is past all its effects again: reading the journal and replaying it. Best of',
  `${TIMES}, in ms per 1,000 effects.`,
]);

const targets: Target[] = [];
const rows: string[][] = [];
await inFolder(async (folder) => {
  const engines: Readonly<Record<string, Engine>> = {
    SQLite: await sqliteEngine({ path: join(folder, 'runs.db') }),
    memory: memoryEngine(),
  };
  for (const [name, engine] of Object.entries(engines)) {
    for (const filling of FILLINGS) {
      const perThousand: number[] = [];
      for (const effects of SIZES) {
        const times = await timeResume(engine, { effects, filling, times: TIMES });
        perThousand.push((Math.min(...times) / effects) * 1_000);
      }
      const [small = 1, , large = 1] = perThousand;
      rows.push([`${name}, ${filling}`, ...perThousand.map(figure), `${figure(large / small)} ×`]);
      targets.push(
        {
          says: `${name}, ${filling}: ${figure(large)} ms per 1,000 of 10,000 effects, in the order of 10 to 20 ms`,
          met: atMost(large, EXPECTED_MS, 1),
        },
        {
          says: `${name}, ${filling}: ${figure(large / small)} × as much for each as at 1,000: linear, at most 1.5 ×`,
          met: atMost(large / small, 1.5, 0.5),
        },
      );
    }
    await engine.close();
  }
});
table(['', ...SIZES.map((size) => size.toLocaleString('en-US')), '10,000 : 1,000'], rows);
judge(targets);
