import { done, type EffectClass, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { eventsOf, still } from './stage.js';

type Branch = (run: Run) => Promise<unknown>;

/** One booking whose cancellation takes its time, and a count of how many are under way at once. */
class Desk {
  begun = 0;
  atOnce = 0;
  most = 0;
  isDead = (): boolean => false;
  private letGo: (() => void) | undefined;
  /** Resolves when an undo has begun. */
  private readonly undoing = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  /** Books, and then never gets any further. */
  loser = async (run: Run): Promise<unknown> => {
    await this.book(run);
    return run.wait({ name: 'never' });
  };

  /** Succeeds when the undo is under way: in a life in which it began before, at once. */
  late = (run: Run): Promise<unknown> => run.step('late', null, () => this.undoing.then(() => 'late'), 'pure');

  private book(run: Run): Promise<unknown> {
    const rules: EffectClass<null, string> = {
      class: 'undoable',
      compensate: () => this.cancel(this.isDead),
    };
    return run.step('book', null, () => 'booked', rules);
  }

  private async cancel(isDead: () => boolean): Promise<void> {
    if (isDead()) return;
    this.begun++;
    this.most = Math.max(this.most, ++this.atOnce);
    this.letGo?.();
    await turns(30);
    this.atOnce--;
  }
}

/** Wins when `book` of the other branch has ended. */
const early: Branch = async (run) => {
  for (let n = 0; n < 3; n++) await run.step('early', n, () => turns(2), 'pure');
  return 'early';
};

const stay: Branch = (run) => run.wait({ name: 'never' });
const then =
  (...parts: readonly Branch[]): Branch =>
  async (run) => {
    for (const part of parts) await part(run);
  };
const first =
  (...branches: readonly Branch[]): Branch =>
  (run) =>
    run.first(branches);
const child =
  (body: Branch): Branch =>
  (run) =>
    run.spawn(async (on: Run) => done(await body(on)), null, { share: 0.5 });

const threeDeep = (desk: Desk): Branch =>
  first(then(first(then(first(desk.loser, early), stay), desk.late), stay), desk.late);

const shapes: readonly [string, (desk: Desk) => Branch][] = [
  ['in one another', (desk) => first(then(first(desk.loser, early), stay), desk.late)],
  ['in a child', (desk) => first(child(then(first(desk.loser, early), stay)), desk.late)],
  ['three deep', threeDeep],
];

describe('an undo under way when the branch around it loses', () => {
  it.each(shapes)('is done once, by one rollback, with firsts %s [R7-BODIES-UNDOONCE]', async (_how, shape) => {
    const stage = still();
    const desk = new Desk();
    const body = shape(desk);
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await body(run));
    const outcome = await stage.open(agent).start();
    expect(outcome).toMatchObject({ stop: 'done', value: 'late' });
    expect(desk.begun).toBe(1);
    const entries = await stage.entries();
    expect(eventsOf(entries, 'intent').filter(({ of }) => of === 'undo')).toHaveLength(1);
    expect(eventsOf(entries, 'complete').filter(({ id }) => id.endsWith('!undo'))).toHaveLength(1);
    const reported = eventsOf(entries, 'rollback-end').flatMap(({ report }) => report.entries);
    expect(reported).toMatchObject([{ name: 'book', status: 'COMPENSATED' }]);
  });

  it('is never begun twice at once, wherever a crash falls [R7-BODIES-UNDOONCE]', async () => {
    let crashes = 0;
    for (let at = 1; at <= 40; at++) {
      const stage = still();
      const desk = new Desk();
      const body = threeDeep(desk);
      const agent = async (run: Run): Promise<Outcome<unknown>> => done(await body(run));
      let writes = 0; // since the first rollback was announced
      const life = stage.open(agent, {
        crash: ({ op, entries }) =>
          op === 'append' && (writes > 0 || entries?.includes('rollback-start') === true) && ++writes === at,
      });
      desk.isDead = life.isDead;
      const ended = await Promise.race([life.start(), life.crashed.then(() => undefined)]);
      if (ended === undefined) {
        crashes++;
        life.die();
        await turns(40); // what the dead process began is over
        desk.most = 0;
        const next = stage.open(agent);
        desk.isDead = next.isDead;
        expect(await next.resume()).toMatchObject({ stop: 'done', value: 'late' });
      }
      expect(desk.most).toBeLessThanOrEqual(1);
      const entries = await stage.entries();
      expect(eventsOf(entries, 'complete').filter(({ id }) => id.endsWith('!undo'))).toHaveLength(1);
      if (ended !== undefined) break;
    }
    expect(crashes).toBeGreaterThan(5);
  });
});
