import { type Budget, budget, type Entry } from 'flyball';
import { forkPoints } from 'flyball/views';
import { noteEra } from './carry.js';
import { ENOUGH, type ForkPlan } from './case.js';
import { type Driven, untilRest } from './drive.js';
import { type End, type Journey, person } from './journey.js';
import { pass } from './jumping-clock.js';

export interface Forked {
  readonly runId: string;
  readonly plan: ForkPlan;
  readonly end: End;
  readonly entries: readonly Entry[];
  readonly journey: Journey;
  /** What it has from the run it was forked from, in order, all generations. */
  readonly inherited: readonly Entry[];
}

/** Forks a run that has come to rest, as its case plans: runs and forks of forks, with code that was mended meanwhile. */
export async function forksOf(driven: Driven, patienceMs?: number): Promise<readonly Forked[]> {
  const { place } = driven;
  const forks: Forked[] = [];
  if (place.given.forks.length === 0) return forks;
  await pass(place.clock, place.given.restMs);
  place.world.isMended = true;
  let origin: Pick<Forked, 'runId' | 'entries' | 'inherited'> = { ...driven, inherited: [] };
  for (const [n, plan] of place.given.forks.entries()) {
    const from = plan.isOfFork ? origin : { ...driven, inherited: [] };
    const forked = await forkOnce(driven, from, plan, { runId: `${driven.runId}-fork-${n}`, patienceMs });
    forks.push(forked);
    origin = forked;
  }
  return forks;
}

async function forkOnce(
  { place }: Driven,
  from: Pick<Forked, 'runId' | 'entries' | 'inherited'>,
  plan: ForkPlan,
  about: { readonly runId: string; readonly patienceMs: number | undefined },
): Promise<Forked> {
  const generations = [...new Set(from.entries.map(({ generation }) => generation))];
  const generation = generations[Math.floor(plan.generation * generations.length)] ?? 0;
  const points = forkPoints(from.entries, generation);
  const at = points[Math.floor(plan.at * points.length)] ?? 0;
  const life = place.open();
  const limits: Partial<Budget> = { wallMs: 600_000, noProgress: 1000 };
  const journey: Journey = {
    runId: about.runId,
    person: person(),
    later: [],
    eras: [],
    hasPlenty: false,
    begin: (runtime) =>
      runtime.fork(from.runId, {
        id: about.runId,
        at,
        generation,
        live: plan.live,
        ...(plan.by ? { by: 'operator' } : {}),
        ...(plan.limits === undefined ? {} : { budget: budget({ ...limits, ...plan.limits }) }),
      }),
  };
  noteEra(place, journey, plan.limits?.toolCalls ?? ENOUGH.toolCalls);
  const end = (await untilRest(place, life, journey, about.patienceMs)) ?? { stop: 'hangs', because: 'it died' };
  await place.world.settled();
  life.end();
  const entries = await place.look((runtime) => runtime.entries(about.runId).catch(() => []));
  const inherited = [
    ...from.inherited,
    ...from.entries.filter((one) => one.generation < generation || (one.generation === generation && one.seq <= at)),
  ];
  return { runId: about.runId, plan, end, entries, journey, inherited };
}
