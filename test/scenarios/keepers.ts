import { type Agent, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { type SeededRandom, scriptedModel, seededRandom } from 'flyball/testing';

/** Agents that keep something outside the journal, and their twins that do the same and keep it inside. */
export interface Keeper {
  readonly name: string;
  readonly agent: Agent<null, unknown>;
}

interface Shelf {
  /** In the function of the agent: gone with the process. */
  readonly own: string[];
  /** In its module: there as long as the process. */
  readonly module: string[];
}

/** Puts something on the shelf that the journal does not hold. */
type Leak = (run: Run, shelf: Shelf) => Promise<void>;

const tool = (name: string, onCall: () => void, onPresent: () => void): Tool => ({
  name,
  description: `${name}.`,
  effect: 'pure',
  execute: async () => {
    onCall();
    return 'looked';
  },
  present: (value) => {
    onPresent();
    return String(value);
  },
});

const nothing = (): void => undefined;

const LEAKS: Readonly<Record<string, Leak>> = {
  'a child that fills a list of its parent': async (run, { own }) => {
    const child: Agent<number, null> = async (at, n) => {
      own.push(`child ${await at.step('count', n, (given) => given, 'pure')}`);
      return done(null);
    };
    for (const n of [1, 2]) await run.spawn(child, n, { share: 0.2 });
  },
  'a step that sets a variable': async (run, { own }) => {
    await run.step('set', null, () => void own.push('set'), 'pure');
  },
  'an idempotent step that sets a variable': async (run, { own }) => {
    await run.step('set', null, () => void own.push('set'), 'idempotent');
  },
  'a tool that sets a variable': async (run, { own }) => {
    await run.call(
      tool('look', () => own.push('called'), nothing),
      {} as never,
    );
  },
  'a presentation that sets a variable': async (run, { own }) => {
    await run.call(
      tool('look', nothing, () => own.push('shown')),
      {} as never,
    );
  },
  'children side by side that fill a list': async (run, { own }) => {
    const child: Agent<number, null> = async (at, n) => {
      await at.step('work', n, (given) => given, 'pure');
      own.push('one more');
      return done(null);
    };
    await run.all(
      [1, 2].map((n) => (branch) => branch.spawn(child, n, { share: 0.2 })),
      2,
    );
  },
  'a counter in the module': async (run, { module }) => {
    module.push('counted');
    await run.step('between', null, () => null, 'pure');
  },
  'a memory in the module': async (run, { module }) => {
    if (module.length === 0) module.push(await run.step('expensive', null, () => 'worth it', 'pure'));
  },
  'chance that did not go through the run': async (run, { own }) => {
    own.push(`${process.hrtime.bigint()}`);
    await run.step('between', null, () => null, 'pure');
  },
};

/** What comes of it later. Each gives what it saw, so that the outcome tells too. */
const USES: Readonly<Record<string, (run: Run, kept: readonly string[]) => Promise<unknown>>> = {
  'in its outcome': async (_run, kept) => kept.join(),
  'as the input of a step': (run, kept) => run.step('use', kept, (seen) => seen.length, 'pure'),
  'in a prompt': async (run, kept) => (await run.ask(session, `Known: ${kept.join()}`)).text,
  'to decide how often': async (run, kept) => {
    for (const one of kept) await run.step('each', one.length, (length) => length, 'pure');
    return kept.length;
  },
  'to decide which': (run, kept) =>
    kept.length > 1 ? run.step('many', null, () => 'many', 'pure') : run.step('few', kept.length, () => 'few', 'pure'),
};

const session: Session = { name: 'reader', model: scriptedModel({ reader: () => 'read' }), setup: 'You read.' };

/** Uses by which a different value shows, where there is always one of it. */
const BY_VALUE = ['in its outcome', 'as the input of a step', 'in a prompt'];

const PLACES: Readonly<Record<string, (run: Run, work: (at: Run) => Promise<void>) => Promise<unknown>>> = {
  'at the top': (run, work) => work(run),
  'in a scope': (run, work) => work(run.scope('inner')),
  'in a branch': (run, work) => run.all([work], 1),
  'in a child': (run, work) =>
    run.spawn(
      async (at: Run): Promise<Outcome<null>> => {
        await work(at);
        return done(null);
      },
      null as never,
      { share: 0.5 },
    ),
};

function one<T>(random: SeededRandom, of: Readonly<Record<string, T>>, only = Object.keys(of)): readonly [string, T] {
  const name = only[random.int(only.length)] as string;
  return [name, of[name] as T];
}

/** A violator: the leak and the use are drawn by the seed. */
export function keeperOf(seed: number): Keeper {
  const random = seededRandom(seed * 7919);
  const leaks = Object.keys(LEAKS);
  const leakName = leaks[seed % leaks.length] as string;
  const leak = LEAKS[leakName] as Leak;
  const isChance = leakName.startsWith('chance');
  const [useName, use] = one(random, USES, isChance ? BY_VALUE : Object.keys(USES));
  const [placeName, place] = one(random, PLACES);
  const isSlow = random.int(2) === 0;
  const module: string[] = [];
  const agent: Agent<null, unknown> = async (run) => {
    const shelf: Shelf = { own: [], module };
    await place(run, (at) => leak(at, shelf));
    if (isSlow) await run.sleep(60_000);
    return done((await use(run, [...shelf.own, ...module])) ?? null);
  };
  return { name: `${leakName}, ${placeName}, used ${useName}`, agent };
}

/** The same with what the journal holds: a board that children are lent, and results that effects return. */
export function twinOf(seed: number): Keeper {
  const random = seededRandom(seed * 104_729);
  const [useName, use] = one(random, USES);
  const [placeName, place] = one(random, PLACES, ['at the top', 'in a scope', 'in a branch']);
  const width = 1 + random.int(3);
  const child: Agent<number, string> = async (run, n) => {
    await run.board<string>('kept').post(`child ${await run.step('count', n, (given) => given, 'pure')}`);
    return done(`child ${n}`);
  };
  const agent: Agent<null, unknown> = async (run) => {
    const kept = run.board<string>('kept');
    await place(run, async (at) => {
      const jobs = [1, 2, 3].map((n) => (branch: Run) => branch.spawn(child, n, { share: 0.2, boards: ['kept'] }));
      await at.all(jobs, width);
    });
    await run.sleep(60_000);
    return done(
      (await use(
        run,
        kept.read().map(({ entry }) => entry),
      )) ?? null,
    );
  };
  return { name: `a board filled ${width} at a time, ${placeName}, used ${useName}`, agent };
}
