import type { Budget, Runtime } from 'flyball';
import type { SeededRandom } from 'flyball/testing';
import { isRunDamage } from '../../packages/flyball/src/core/engine-errors.js';
import type { EventOf } from '../../packages/flyball/src/core/events.js';
import { type Case, ENOUGH, type Limits } from '../crash/case.js';
import { PLENTY } from '../crash/place.js';
import type { World } from '../crash/world.js';
import type { Known } from './known.js';

export interface Visit {
  readonly runId: string;
  readonly given: Case;
  readonly world: World;
  readonly known: Known;
}

export interface Around {
  readonly random: SeededRandom;
  /** A server that answers, of the version of the run where one is up. */
  server(version?: string): Runtime | undefined;
  /** What the run waits for, as everybody can see it. */
  openWaits(runId: string): Promise<readonly EventOf<'wait-start'>[]>;
  /** The branch in which this doubt of a resting run holds up another one that came first. */
  heldUpBy(runId: string, doubt: string): Promise<string | undefined>;
  /** Whether a process that lives may still act under this key. */
  isActing(key: string): boolean;
  /** Whether somebody may set the stalled run going again now. */
  mayResume(visit: Visit): boolean;
  isHealed(): boolean;
  /** An operator is about to ask something of a run, and what to do should the answer be no. */
  asks(what: string, runId: string): (error: unknown) => never;
  blame(rule: string, detail: string): void;
  trace(line: string): void;
}

interface Asked {
  isAnswered: boolean;
  readonly isIgnored: boolean;
  /** Nobody looks into a doubt before nothing else of the run moves. */
  readonly isForLater: boolean;
}

/** Those who look after runs: they answer, raise budgets, end pauses, and try again when nobody answers them. */
export class People {
  private readonly around: Around;
  private readonly asked = new Map<string, Asked>();
  private readonly later = new Map<string, Limits[]>();
  private readonly raised = new Map<string, number>();
  private readonly busy = new Set<string>();
  /** Messages that were taken: who sends one again is told that it is there. */
  private readonly taken = new Set<string>();
  /** Runs that were to go on, under this budget, and of which nobody heard that they do. */
  private readonly unsure = new Map<string, Partial<Budget> | undefined>();

  constructor(around: Around) {
    this.around = around;
  }

  /** More than enough was given to it, and it stands at a bound all the same. */
  hasPlenty(runId: string): boolean {
    return (this.raised.get(runId) ?? 0) > 4;
  }

  /** Whoever looks after a run does one thing after the other. */
  async look(visit: Visit): Promise<void> {
    if (this.busy.has(visit.runId)) return;
    this.busy.add(visit.runId);
    await this.attend(visit).finally(() => this.busy.delete(visit.runId));
  }

  private async attend(visit: Visit): Promise<void> {
    const { known, runId } = visit;
    const server = this.around.server(known.version);
    if (server === undefined) return;
    switch (known.status) {
      case 'paused':
        this.unsure.set(runId, undefined);
        await this.goOn(server, runId);
        this.unsure.delete(runId);
        return;
      case 'bounded':
        return this.raise(server, visit);
      case 'stalled':
        if (this.around.mayResume(visit)) await this.goOn(server, runId);
        return;
      default:
        if (this.unsure.has(runId)) await this.tryAgain(server, visit);
        await this.respondTo(visit, await this.waitsOf(server, visit));
    }
  }

  /**
   * Where a question cannot be read any more, an operator resumes its run, which sets it aside. To wake it would not do:
   * it has nothing to do as long as nobody answers, and whoever drives it for a dispatcher leaves such a run as it is.
   */
  private async waitsOf(server: Runtime, { runId, known }: Visit): Promise<readonly EventOf<'wait-start'>[]> {
    try {
      return await this.around.openWaits(runId);
    } catch (error) {
      if (!isRunDamage(error)) throw error;
      if (known.status === 'suspended') await this.goOn(server, runId);
      return [];
    }
  }

  private async goOn(server: Runtime, runId: string, budget?: Partial<Budget>): Promise<void> {
    const refused = this.around.asks('resume', runId);
    await server.resume(runId, { by: 'op', ...(budget === undefined ? {} : { budget }) }).catch(refused);
  }

  /** Nobody knows whether it goes on: it was told to, and the answer was lost. */
  private async tryAgain(server: Runtime, { runId }: Visit): Promise<void> {
    const budget = this.unsure.get(runId);
    await this.goOn(server, runId, budget).then(
      () => this.unsure.delete(runId),
      (error: { readonly code?: string }) => {
        const { code = '' } = error;
        if (!code.startsWith('STORAGE_') && code !== 'JOURNAL_CONFLICT') this.unsure.delete(runId);
      },
    );
  }

  private async raise(server: Runtime, { runId, given, known }: Visit): Promise<void> {
    const axis = known.code as keyof Limits | 'wallMs' | 'deadline' | undefined;
    if (!given.enlarges || axis === 'wallMs' || axis === 'deadline') return;
    const later = this.later.get(runId) ?? [...given.budgets];
    this.later.set(runId, later);
    const held = later.shift() ?? ENOUGH;
    const next = later[0];
    const isMore = next !== undefined && axis !== undefined && (next[axis] ?? 0) > (held[axis] ?? 0);
    if (!isMore) later.length = 0;
    this.around.trace(`op raises the budget of ${runId}`);
    const budget = isMore ? next : PLENTY;
    this.unsure.set(runId, budget);
    const count = (): void => void this.raised.set(runId, (this.raised.get(runId) ?? 0) + 1);
    await this.goOn(server, runId, budget).catch((error: { readonly code?: string }) => {
      if (error.code === 'CONFIG_INVALID') count(); // it has as much already
      throw error;
    });
    this.unsure.delete(runId);
    count();
  }

  private async respondTo(visit: Visit, waits: readonly EventOf<'wait-start'>[]): Promise<void> {
    for (const wait of waits) {
      if (wait.name.startsWith('ended:')) continue; // another run says so
      const isOnlyOne = waits.filter(({ name }) => name === wait.name).length === 1;
      await this.respond(visit, wait, isOnlyOne);
    }
  }

  private async respond(visit: Visit, wait: EventOf<'wait-start'>, isOnlyOne: boolean): Promise<void> {
    const { people } = visit.given;
    const known = this.asked.get(wait.token) ?? {
      isAnswered: false,
      isIgnored: isShort(wait) || (wait.due !== undefined && this.asked.size < people.ignores),
      isForLater: wait.kind === 'doubt' && this.around.random.int(2) === 0,
    };
    this.asked.set(wait.token, known);
    const isSure = known.isAnswered && this.around.random.int(4) > 0; // now and then somebody sends it again
    if (isSure || (known.isIgnored && !(this.around.isHealed() && wait.due === undefined))) return;
    if (this.around.random.int(3) === 0) return; // not now
    if (wait.kind === 'doubt') await this.settleDoubt(visit, wait, known);
    else if (wait.kind === 'approval') await this.decide(visit, wait, known);
    else await this.tell(visit, wait, { known, isOnlyOne });
  }

  /** Nobody can say what became of something that may still happen. */
  private async settleDoubt({ runId, world, known }: Visit, wait: EventOf<'wait-start'>, asked: Asked): Promise<void> {
    const { key } = wait.request as { readonly key: string };
    if (this.around.isActing(key) || (asked.isForLater && known.status !== 'suspended')) return;
    const branch = known.status === 'suspended' ? await this.around.heldUpBy(runId, wait.id) : undefined;
    if (branch !== undefined)
      this.around.blame('first:held-up', `${wait.id} of ${runId} holds up who won against ${branch}`);
    const happened = world.made(key) > 0;
    const answer = happened ? { happened, result: `told ${key}` } : { happened };
    asked.isAnswered = (await this.send(runId, wait.token, answer, 'ann', wait.token)) !== false;
  }

  private async decide({ runId, given, world }: Visit, wait: EventOf<'wait-start'>, asked: Asked): Promise<void> {
    const yes = { verdict: 'approve' };
    const no = { verdict: 'reject', reason: 'no' };
    const verdict = given.people.verdict === 'approve' ? yes : no;
    if (!given.people.isRaced) {
      asked.isAnswered = (await this.send(runId, wait.token, verdict, 'ann', wait.token)) !== false;
      return;
    }
    const said = await Promise.all([
      this.send(runId, wait.token, yes, 'ann', wait.token),
      this.send(runId, wait.token, no, 'bob', wait.token),
    ]);
    if (said.every((one) => one === 'delivered')) world.blame('verdict:both', `both verdicts on ${wait.name} count`);
    asked.isAnswered = said.some(Boolean);
  }

  private async tell(
    { runId, given, world }: Visit,
    wait: EventOf<'wait-start'>,
    { known, isOnlyOne }: { readonly known: Asked; readonly isOnlyOne: boolean },
  ): Promise<void> {
    const { type } = wait.request as { readonly type: 'number' | 'string' };
    const [right, wrong] = type === 'number' ? [5, 'five'] : ['five', 5];
    // by a name that two waits have, the answer to one of them would reach the other
    const to = given.people.by === 'name' && isOnlyOne ? wait.name : wait.token;
    if (given.people.isLate && (await this.send(runId, wait.token, wrong, 'sam', wait.token)))
      world.blame('signal:wrong-type', `${wait.name} takes a ${type} and took ${wrong}`);
    known.isAnswered = (await this.send(runId, to, right, 'sam', wait.token)) !== false;
  }

  /** What the sender was told; false where nobody took it, or nobody knows. */
  private async send(
    runId: string,
    to: string,
    payload: unknown,
    from: string,
    token: string,
  ): Promise<'delivered' | 'buffered' | 'duplicate' | false> {
    const server = this.around.server();
    if (server === undefined) return false;
    const id = `${from} to ${token} ${JSON.stringify(payload)}`;
    const said = await server
      .signal(runId, to, payload, { from, scopes: ['*'], id })
      .then(({ delivery }) => delivery)
      .catch((error: Error & { readonly code?: string }) => {
        this.around.trace(`${from} was refused by ${runId}: ${error.code ?? ''} ${error.message.slice(0, 100)}`);
        return false as const;
      });
    if (said === 'delivered' || said === 'buffered') {
      if (this.taken.has(`${runId} ${id}`)) this.around.blame('message:kept-twice', `${runId} took "${id}" again`);
      this.taken.add(`${runId} ${id}`);
    }
    this.around.trace(`${from} tells ${runId} ${to.slice(-12)} ${JSON.stringify(payload)}: ${said}`);
    return said;
  }
}

/** A wait of a few milliseconds is one that nobody answers in time. */
function isShort({ request }: EventOf<'wait-start'>): boolean {
  return (request as { readonly isShort?: boolean } | undefined)?.isShort === true;
}
