/** The process that plays seeds: see `simulate.ts`. */
import { parseArgs } from 'node:util';
import { type Plan, planOf } from './plan.js';
import { PLAYING } from './playing.js';
import { describePlan } from './report.js';
import { shrink } from './shrink.js';
import { type Played, simulate } from './simulation.js';
import { endsWhatSpins } from './spinning.js';

const { values } = parseArgs({ options: PLAYING });

const PROGRESS_MS = 10_000;
const watched = endsWhatSpins();

async function playOne(seed: number): Promise<number> {
  const given = planOf(seed);
  const play = (one: Plan): Promise<Played> => {
    watched.began(seed);
    return simulate(one, { isTraced: true });
  };
  const plan = values.shrink ? await shrink(given, (line) => console.error(line), play) : given;
  const { violations, trace, moments, lives, ms, stops } = await play(plan);
  for (const line of describePlan(plan)) console.log(line);
  for (const line of trace) console.log(line);
  console.log(`seed ${seed}: ${moments} moments, ${lives} lives, ${ms} ms, ended as ${stops.join(', ')}`);
  for (const { rule, detail } of violations) console.log(`BROKEN ${rule}: ${detail.slice(0, 2_000)}`);
  const [broken] = violations;
  if (broken !== undefined && values.shrink) console.log(`${JSON.stringify({ rule: broken.rule, plan })}`);
  return violations.length === 0 ? 0 : 1;
}

async function playMany(first: number, count: number): Promise<number> {
  Error.stackTraceLimit = 0; // a failing seed is played again: until then nobody reads where an error came from
  const began = Date.now();
  const used = process.cpuUsage();
  let told = began;
  let failed = 0;
  let lives = 0;
  let moments = 0;
  let tried = 0;
  const speed = (): string => {
    const seconds = (Date.now() - began) / 1000;
    const { user, system } = process.cpuUsage(used);
    const worked = (user + system) / 1e6;
    return `${tried} seeds from ${first}, ${failed} failed, ${lives} lives, ${moments} moments, ${seconds.toFixed(1)} s, ${(tried / seconds).toFixed(1)} seeds/s, ${(tried / worked).toFixed(1)} for each second of processor time`;
  };
  for (let seed = first; seed < first + count; seed++) {
    watched.began(seed);
    const played = await simulate(planOf(seed));
    tried++;
    lives += played.lives;
    moments += played.moments;
    const [broken] = played.violations;
    if (broken !== undefined) {
      failed++;
      console.log(`seed ${seed} breaks ${broken.rule}: ${broken.detail.slice(0, 200)}`);
      console.log(`  npm run simulate -- --seed ${seed} --shrink`);
      if (!values.all) break;
    }
    if (Date.now() - told < PROGRESS_MS) continue;
    told = Date.now();
    console.error(speed());
  }
  console.log(`${speed()}${failed === 0 ? ', none fails' : ''}`);
  return failed === 0 ? 0 : 1;
}

const seed = values.seed === undefined ? undefined : Number(values.seed);
process.exit(seed === undefined ? await playMany(Number(values.from), Number(values.seeds)) : await playOne(seed));
