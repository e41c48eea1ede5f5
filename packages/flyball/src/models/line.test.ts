import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Line } from './line.js';

const never = new AbortController().signal;
const quiet = (): void => undefined;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function settled(promise: Promise<unknown>): Promise<'in' | 'waiting'> {
  return Promise.race([promise.then(() => 'in' as const), turn().then(() => 'waiting' as const)]);
}

describe('the line in front of a provider', () => {
  it('lets in as many as the limit and keeps the others waiting in the order they came [R3-ROUTER-CONCURRENCY]', async () => {
    const line = new Line({ limit: 1, maxWaiting: 10 });
    const order: string[] = [];
    await line.enter(never, quiet);
    const second = line.enter(never, quiet).then(() => order.push('second'));
    const third = line.enter(never, quiet).then(() => order.push('third'));
    expect(line.length).toBe(2);
    line.leave();
    await second;
    expect(order).toEqual(['second']);
    line.leave();
    await third;
    line.leave();
    expect([order, line.inFlight, line.length]).toEqual([['second', 'third'], 0, 0]);
  });

  it('hands a free place to who has waited longest, never to who comes just then', async () => {
    const line = new Line({ limit: 1, maxWaiting: 10 });
    await line.enter(never, quiet);
    const waiting = line.enter(never, quiet);
    line.leave();
    const late = line.enter(never, quiet);
    expect(await settled(waiting)).toBe('in');
    expect(await settled(late)).toBe('waiting');
  });

  it('says how many are ahead', async () => {
    const line = new Line({ limit: 1, maxWaiting: 10 });
    const heard: number[] = [];
    for (let n = 0; n < 3; n++) void line.enter(never, (ahead) => heard.push(ahead));
    expect(heard).toEqual([0, 1]);
  });

  it('is left at once by an abort, with its reason, and whoever waits behind moves up [R3-ROUTER-TIMEOUT]', async () => {
    const line = new Line({ limit: 1, maxWaiting: 10 });
    await line.enter(never, quiet);
    const impatient = new AbortController();
    const gone = line.enter(impatient.signal, quiet);
    const patient = line.enter(never, quiet);
    impatient.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    expect(line.length).toBe(1);
    line.leave();
    await patient;
    expect(line.inFlight).toBe(1);
  });

  it('is not entered with a signal that is aborted already', async () => {
    const line = new Line({ limit: 1, maxWaiting: 10 });
    await expect(line.enter(AbortSignal.abort(new Error('too late')), quiet)).rejects.toThrow('too late');
    expect(line.inFlight).toBe(0);
  });

  it('has a bound of its own: one more is refused with what to do', async () => {
    const line = new Line({ limit: 1, maxWaiting: 1 });
    await line.enter(never, quiet);
    void line.enter(never, quiet);
    await expect(line.enter(never, quiet)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('concurrency.maxWaiting'),
    });
  });
});

type Deed = { readonly do: 'come' } | { readonly do: 'finish' | 'abort'; readonly which: number };

const deeds = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constant<Deed>({ do: 'come' }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('finish' as const), which: fc.nat(1_000) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('abort' as const), which: fc.nat(1_000) }) },
  ),
  { maxLength: 60 },
);

interface Caller {
  readonly controller: AbortController;
  state: 'waiting' | 'in' | 'done' | 'aborted';
  readonly settled: Promise<void>;
}

class Crowd {
  readonly callers: Caller[] = [];
  readonly order: Caller[] = [];
  private readonly line: Line;

  constructor(line: Line) {
    this.line = line;
  }

  come(): void {
    const controller = new AbortController();
    const caller: Caller = {
      controller,
      state: 'waiting',
      settled: this.line.enter(controller.signal, quiet).then(
        () => {
          caller.state = 'in';
          this.order.push(caller);
        },
        () => {
          caller.state = 'aborted';
        },
      ),
    };
    this.callers.push(caller);
  }

  finish(caller: Caller): void {
    caller.state = 'done';
    this.line.leave();
  }

  of(state: Caller['state']): Caller[] {
    return this.callers.filter((caller) => caller.state === state);
  }
}

it('never lets in more than the limit, starves nobody and loses no place to an abort, whatever happens in which order [R3-ROUTER-CONCURRENCY]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), deeds, async (limit, list) => {
      const line = new Line({ limit, maxWaiting: 1_000 });
      const crowd = new Crowd(line);
      for (const deed of list) {
        if (deed.do === 'come') crowd.come();
        else {
          const among = crowd.of(deed.do === 'finish' ? 'in' : 'waiting');
          const one = among[deed.which % Math.max(1, among.length)];
          if (one !== undefined && deed.do === 'finish') crowd.finish(one);
          if (one !== undefined && deed.do === 'abort') one.controller.abort();
        }
        await turn();
        expect(crowd.of('in').length).toBeLessThanOrEqual(limit);
        expect(line.inFlight).toBe(crowd.of('in').length);
        // no place stays empty while somebody waits
        expect(crowd.of('waiting').length === 0 || crowd.of('in').length === limit).toBe(true);
      }
      while (crowd.of('in').length > 0) {
        for (const caller of crowd.of('in')) crowd.finish(caller);
        await turn();
      }
      await Promise.all(crowd.callers.map((caller) => caller.settled));
      expect(crowd.of('waiting')).toEqual([]);
      expect(crowd.order).toEqual(crowd.callers.filter((caller) => crowd.order.includes(caller))); // first come, first in
      expect([line.inFlight, line.length]).toEqual([0, 0]);
    }),
    { numRuns: 200 },
  );
});
