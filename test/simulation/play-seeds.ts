/** The process that plays seeds: see `simulate.ts`. */
import { planOf } from './plan.js';
import { playOne } from './play-one.js';
import { askedOf } from './playing.js';
import { simulate } from './simulation.js';
import { endsWhatSpins } from './spinning.js';

const asked = askedOf(process.argv.slice(2));
if ('text' in asked) {
  console.error(asked.text);
  process.exit(asked.code);
}
const { seed, from, seeds, isShrunk, isAll } = asked;

const PROGRESS_MS = 10_000;
const { began, moved: onMoment } = endsWhatSpins();

async function playMany(first: number, count: number): Promise<number> {
  Error.stackTraceLimit = 0; // a failing seed is played again: until then nobody reads where an error came from
  const since = Date.now();
  const used = process.cpuUsage();
  let told = since;
  let failed = 0;
  let lives = 0;
  let moments = 0;
  let tried = 0;
  const speed = (): string => {
    const seconds = (Date.now() - since) / 1000;
    const { user, system } = process.cpuUsage(used);
    const worked = (user + system) / 1e6;
    return `${tried} seeds from ${first}, ${failed} failed, ${lives} lives, ${moments} moments, ${seconds.toFixed(1)} s, ${(tried / seconds).toFixed(1)} seeds/s, ${(tried / worked).toFixed(1)} for each second of processor time`;
  };
  for (let seed = first; seed < first + count; seed++) {
    began(seed);
    const played = await simulate(planOf(seed), { onMoment });
    tried++;
    lives += played.lives;
    moments += played.moments;
    const [broken] = played.violations;
    if (broken !== undefined) {
      failed++;
      console.log(`seed ${seed} breaks ${broken.rule}: ${broken.detail.slice(0, 200)}`);
      console.log(`  npm run simulate -- --seed ${seed} --shrink`);
      if (!isAll) break;
    }
    if (Date.now() - told < PROGRESS_MS) continue;
    told = Date.now();
    console.error(speed());
  }
  console.log(`${speed()}${failed === 0 ? ', none fails' : ''}`);
  return failed === 0 ? 0 : 1;
}

const printer = { print: (line: string) => console.log(line), tell: (line: string) => console.error(line) };
process.exit(
  seed === undefined ? await playMany(from, seeds) : await playOne(seed, isShrunk, printer, { began, onMoment }),
);
