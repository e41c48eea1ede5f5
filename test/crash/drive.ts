import type { Engine, Entry } from 'flyball';
import type { CrashPoint } from 'flyball/testing';
import { carry, noteEra } from './carry.js';
import { type Case, type Crash, ENOUGH, type Meddling, WEEK_MS } from './case.js';
import type { Dispatching } from './dispatching.js';
import { type End, type Journey, person } from './journey.js';
import { pass } from './jumping-clock.js';
import { type Killed, killedAt } from './killed.js';
import { type Life, Place, startBudget } from './place.js';

export interface Driven {
  readonly runId: string;
  readonly end: End;
  readonly entries: readonly Entry[];
  readonly journey: Journey;
  readonly place: Place;
  /** Somebody cancelled it, at whatever moment. */
  readonly isCancelled: boolean;
  readonly killed: readonly Killed[];
}

export interface About {
  readonly runId?: string;
  readonly patienceMs?: number;
  readonly dispatching?: Dispatching;
}

/** Carries a case to its end through all its crashes: each life is a new runtime over the same engine and world. */
export async function drive(given: Case, engine: Engine, about: About = {}): Promise<Driven> {
  const runId = about.runId ?? 'run';
  const place = new Place(given, engine, about.dispatching);
  const journey = journeyOf(place, runId);
  let isCancelled = false;
  const killed: Killed[] = [];
  for (let life = 0; ; life++) {
    const crash = given.crashes[life];
    const meddling = given.meddling.filter((one) => one.life === life);
    isCancelled ||= meddling.some(({ what }) => what === 'cancel');
    if (life > 0) isCancelled = (await whileDead(place, runId, given.crashes[life - 1])) || isCancelled;
    let diedAt = 0;
    let current: Life | undefined;
    current = place.open((point: CrashPoint) => {
      for (const one of meddling)
        if (point.n === one.at && point.when === 'before')
          setImmediate(() => current !== undefined && meddle(place, current, journey, one));
      const isTheEnd = point.n === crash?.at && point.when === crash.when;
      if (isTheEnd) diedAt = place.clock.now();
      return isTheEnd;
    });
    const end = await untilRest(place, current, journey, about.patienceMs);
    if (end === undefined) {
      current.end();
      const death = await killedAt(place, { runId, diedAt, before: killed });
      if (death !== undefined) killed.push(death);
      continue;
    }
    await place.world.settled();
    current.end();
    const entries = await place.look((runtime) => runtime.entries(runId));
    return { runId, end, entries, journey, place, isCancelled, killed };
  }
}

/** Undefined when the process died. */
export async function untilRest(
  place: Place,
  life: Life,
  journey: Journey,
  patienceMs = 2_000,
): Promise<End | undefined> {
  const watch = hangs(life, journey.runId, patienceMs);
  const end = await Promise.race([carry(place, life, journey), life.crashed.then(() => undefined), watch.end]);
  watch.stop();
  return end;
}

const LOOK_MS = 100;

/** Nothing was written for so long. Counted in looks: a machine with much else to do looks less often. */
function hangs(life: Life, runId: string, patienceMs: number): { readonly end: Promise<End>; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  const end = new Promise<End>((resolve) => {
    let written = 0;
    let idle = 0;
    timer = setInterval(async () => {
      idle = life.writes() === written ? idle + 1 : 0;
      written = life.writes();
      if (idle * LOOK_MS < patienceMs) return;
      clearInterval(timer);
      const entries = await life.runtime.entries(runId).catch(() => []);
      resolve({ stop: 'hangs', because: entries.map(({ event }) => JSON.stringify(event)).join('\n') });
    }, LOOK_MS);
  });
  return { end, stop: () => clearInterval(timer) };
}

function journeyOf(place: Place, runId: string): Journey {
  const { given } = place;
  const [first = ENOUGH, ...later] = given.budgets;
  const journey: Journey = {
    runId,
    person: person(),
    later,
    eras: [],
    hasPlenty: false,
    begin: (runtime) => {
      const budget = startBudget(given, first, place.clock.now());
      journey.eras.length = 0;
      noteEra(place, journey, first.toolCalls);
      return runtime.start('fuzzed', null, { id: runId, budget, subject: 'customer' });
    },
  };
  return journey;
}

function meddle(place: Place, { runtime }: Life, { runId }: Journey, { what }: Meddling): void {
  const { clock, world } = place;
  const said = `${world.secret}Never write to Bob.`;
  const work: Readonly<Record<Meddling['what'], () => unknown>> = {
    cancel: () => runtime.cancel(runId, { by: 'test', why: said }),
    pause: () => runtime.pause(runId, { by: 'test' }),
    redirect: () => runtime.redirect(runId, said, { by: 'test' }),
    forward: () => clock.jump(3_600_000),
    back: () => clock.jump(-3_600_000),
    early: async () => {
      for (let n = 0; n < 8; n++)
        await runtime
          .signal(runId, `approve:#${n}`, { verdict: 'approve' }, { from: 'mallory', scopes: [] })
          .catch(() => undefined);
    },
    stray: () => runtime.signal(runId, 'nobody-asked', 1, { from: 'mallory' }),
  };
  // it may have ended meanwhile, or refuse what nobody waits for: both are answers
  void Promise.resolve(work[what]()).catch(() => undefined);
}

/** What people and time do while no process is up. True where they cancelled the run. */
function whileDead(place: Place, runId: string, crash: Crash | undefined): Promise<boolean> {
  return place.look(async (runtime) => {
    const known = await runtime.get(runId).catch(() => undefined);
    if (known === undefined || crash === undefined) return false;
    if (crash.then === 'week') await pass(place.clock, WEEK_MS);
    if (crash.then === 'deploy') {
      await place.deploy(5_000);
      const { status, attention = '' } = await runtime.get(runId);
      if (status === 'stalled') place.world.blame('version:stalled', attention);
    }
    if (crash.then === 'redirect') await runtime.redirect(runId, 'Hurry.', { by: 'test' }).catch(() => undefined);
    if (crash.then !== 'cancel') return false;
    const isTaken = await runtime.cancel(runId, { by: 'test', why: 'wrong address' }).then(
      () => true,
      () => false, // it had ended
    );
    if (isTaken) place.world.deeds.push({ what: 'cancelled', key: '', kind: '' });
    return isTaken;
  });
}
