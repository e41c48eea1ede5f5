// shows: R17-SPEED
/** How long the linter takes for a composition of 40 uses. */
import { lint } from 'flyball/catalogue';
import type { PatternId, Use } from 'flyball/patterns';
import { figure, median, rounds } from './measure/figures.js';
import { atMost, heading, judge, table } from './measure/report.js';

const USES = 40;
const ROUNDS = 31;
const LIMIT_MS = 100;
const IDS: readonly PatternId[] = [
  'R4',
  'R7',
  'O5',
  'O6',
  'O4',
  'V20',
  'R17',
  'K1',
  'S5',
  'O17',
  'V15',
  'H1',
  'I3',
  'K11',
  'R9',
  'V4',
];

/** A tree: each use has four below it, until there are 40. */
function tree(): Use {
  const useAt = (n: number): Use => ({
    id: IDS[n % IDS.length] ?? 'S1',
    name: `use${n}`,
    params: { maxRounds: 3 },
    parts: {
      worker: { session: `session${n}`, model: 'provider/model', tools: 3 },
      agent: [1, 2, 3, 4]
        .map((k) => n * 4 + k)
        .filter((m) => m < USES)
        .map(useAt),
    },
    apart: [],
    calls: 1,
    predicted: { min: 1, max: 9 },
    provides: [],
  });
  return useAt(0);
}

const agents = { system: tree() };
const found = lint({ agents });
heading(`The linter over a composition of ${USES} uses`, [
  `${found.length} findings. Median and worst of ${ROUNDS} rounds.`,
]);
const { lint: times } = await rounds(ROUNDS, {
  lint: async () => {
    const began = performance.now();
    lint({ agents, profile: ['production'], budget: { modelCalls: 5 } });
    return performance.now() - began;
  },
});
const [middle, worst] = [median(times), Math.max(...times)];
table(['ms', 'median', 'worst'], [['lint', figure(middle), figure(worst)]]);
judge([
  {
    says: `a composition of ${USES} uses is checked in ${figure(middle)} ms, at most ${LIMIT_MS} ms`,
    met: atMost(middle, LIMIT_MS, 0.2),
  },
]);
