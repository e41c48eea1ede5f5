import { type Agent, done, type EffectClass, failed, type Run, type Session, type Tool } from 'flyball';
import { turns } from 'flyball/testing';

/** What the fixed agent does to the world. Its answers depend on nothing but the question, so two runs can be compared. */
export class StableWorld {
  /** How often each effect was really made: by key, with its name. */
  readonly made = new Map<string, { readonly name: string; times: number }>();
  readonly undone = new Set<string>();
  /** Whether the process that is acting is dead: a dead process does nothing more. */
  isDead: () => boolean = () => false;
  /** Cancels the run from inside one of its effects. */
  cancel: (runId: string) => void = () => undefined;

  async act(name: string, key: string, dedupe = false): Promise<string> {
    const isDead = this.isDead; // of the process this body belongs to
    await turns(1);
    if (isDead()) return new Promise(() => {});
    const before = this.made.get(key);
    if (!(dedupe && before !== undefined)) this.made.set(key, { name, times: (before?.times ?? 0) + 1 });
    await turns(1);
    return isDead() ? new Promise(() => {}) : answerOf(name);
  }

  async undo(key: string): Promise<void> {
    const isDead = this.isDead;
    await turns(1);
    if (isDead()) return new Promise(() => {});
    this.undone.add(key);
  }

  /** What is left of all that was done to the world, as a sorted list of names. */
  left(): readonly string[] {
    return [...this.made].flatMap(([key, { name }]) => (this.undone.has(`${key}!undo`) ? [] : [name])).sort();
  }
}

export const answerOf = (name: string): string => `result of ${name}`;

export type Ending = 'done' | 'fails' | 'cancelled asleep' | 'cancelled awake';

type Kind = 'idempotent' | 'undoable' | 'unverified' | 'irreversible';

/** Effects of branches that lose a race, whatever happens. */
export const LOSERS = ['loser', 'vote-3', 'each-2'];

/** Pure, idempotent, undoable and irreversible effects, a tool, children, branches, races, waits, timers and model calls. */
export function mixedAgent(world: StableWorld, session: Session, ending: Ending): Agent<string, unknown> {
  const rules = (name: string, kind: Kind): EffectClass<string, string> => {
    const verify = async (_input: string, { key }: { readonly key: string }) =>
      world.made.has(key) ? ({ happened: 'yes', result: answerOf(name) } as const) : ({ happened: 'no' } as const);
    const compensate = (_input: string, _result: string, { key }: { readonly key: string }) => world.undo(key);
    switch (kind) {
      case 'idempotent':
        return { class: 'idempotent', timeoutMs: 1000 };
      case 'undoable':
        return { class: 'undoable', timeoutMs: 1000, verify, compensate };
      case 'unverified':
        return { class: 'undoable', timeoutMs: 1000, compensate };
      case 'irreversible':
        return { class: 'irreversible', timeoutMs: 1000, verify };
    }
  };
  const act = (run: Run, kind: Kind, name: string): Promise<string> =>
    run.step(name, kind, (_input, { key }) => world.act(name, key, kind === 'idempotent'), rules(name, kind));
  const mail: Tool<string, string> = {
    name: 'mail',
    description: 'Sends a letter that can be called back.',
    effect: rules('mail', 'undoable'),
    execute: (_to, { key }) => world.act('mail', key),
  };
  const child: Agent<string, unknown> = async (run, input) => {
    const reply = await run.ask(session, `child of ${input}`);
    return done([reply.text, await act(run, 'undoable', 'in-child')]);
  };

  return async (run, input) => {
    const board: unknown[] = [input];
    board.push(await run.step('look', null, () => 'seen', 'pure'));
    board.push(await act(run, 'idempotent', 'save'));
    const branches = await run.all<unknown>(
      [
        (on) => act(on, 'undoable', 'book'),
        async (on) => {
          await on.sleep(100);
          return act(on, 'unverified', 'reserve');
        },
        (on) => on.wait({ name: 'side' }),
      ],
      2,
    );
    board.push(branches.map((branch) => (branch.ok ? branch.value : branch.error.message)));
    const spawned = await run.spawn(child, 'mixed', { share: 0.5 });
    board.push('value' in spawned ? spawned.value : spawned.stop);
    // the loser sleeps far longer than any doubt lasts, so that it loses however often the process dies
    board.push(
      await run.first([
        (on) => act(on, 'undoable', 'winner'),
        async (on) => {
          await act(on, 'undoable', 'loser');
          await on.sleep(1e8);
          return 'late';
        },
      ]),
    );
    // late ones sleep as long as a loser does
    const voter = (name: string, ms: number) => async (on: Run) => {
      const voted = await act(on, 'undoable', name);
      if (ms > 0) await on.sleep(ms);
      return voted;
    };
    const votes = await run.some([voter('vote-1', 0), voter('vote-2', 10), voter('vote-3', 1e8)], {
      need: 2,
      width: 3,
    });
    board.push(votes.map(({ index }) => index).sort());
    for await (const one of run.each([voter('each-1', 0), voter('each-2', 1e8)], { width: 2 })) {
      board.push(one.index);
      break;
    }
    board.push(
      await run.enter({ pattern: 'sample', params: { n: 2 }, predicted: { min: 1, max: 1 } }, async (on) => {
        const { text } = await on.ask(session, 'one sample');
        on.best(text);
        on.learned({ length: text.length });
        return text;
      }),
    );
    board.push((await run.call(mail, 'a friend')).content);
    board.push(await act(run, 'irreversible', 'pay'));
    board.push((await run.ask(session, 'all well')).text);
    board.push(await run.wait({ name: 'never', timeoutMs: 500 }));
    board.push(await act(run, 'undoable', 'last'));
    if (ending === 'cancelled asleep') await run.wait({ name: 'end' });
    if (ending === 'cancelled awake') await run.step('stop-me', run.id, (id) => cancelled(world, id), 'pure');
    return ending === 'fails'
      ? failed({ code: 'EFFECT_FAILED', message: 'fails at its end', retryable: false })
      : done(board);
  };
}

function cancelled(world: StableWorld, runId: string): Promise<never> {
  world.cancel(runId);
  return new Promise(() => {}); // the cancellation ends it
}
