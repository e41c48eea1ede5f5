import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amounts, AXES, budget, type CountedAxis, checkSlice, completed } from './budget.js';
import { Ledger } from './ledger.js';

const ledger = (limits: Parameters<typeof budget>[0] = {}): Ledger => new Ledger('', budget(limits));
const one = (axis: CountedAxis, amount: number): Partial<Amounts> => ({ [axis]: amount });

describe('a budget', () => {
  it('is complete and finite on every axis, whatever is given [R2-BUDGET-AXES]', () => {
    const full = budget({ costUsd: 1 });
    expect(full.costUsd).toBe(1);
    for (const axis of [...AXES, 'depth', 'width', 'noProgress'] as const)
      expect(Number.isFinite(full[axis])).toBe(true);
    expect([...AXES].sort()).toEqual([
      'costUsd',
      'filesChanged',
      'iterations',
      'linesChanged',
      'modelCalls',
      'tokensIn',
      'tokensOut',
      'toolCalls',
      'wallMs',
    ]);
  });

  it.each([
    [
      'an unknown axis',
      { tokens: 5 },
      /Unknown budget axis "tokens"\. The axes are iterations, modelCalls, .*, deadline\./,
    ],
    ['no number', { costUsd: '5' }, /costUsd must be a finite number/],
    ['an infinity', { wallMs: Number.POSITIVE_INFINITY }, /wallMs must be a finite number/],
    ['NaN', { wallMs: Number.NaN }, /wallMs must be a finite number/],
    ['less than nothing', { toolCalls: -1 }, /at least 0, got -1/],
  ])('refuses %s with a sentence [R2-BUDGET-AXES] [R2-BAD-TYPE]', (_what, limits, message) => {
    expect(() => budget(limits as never)).toThrow(message);
  });
});

describe('a budget from a journal', () => {
  it.each(AXES)('is bounded on %s, although that axis did not exist when it was written [F-K3]', (axis) => {
    const { [axis]: _missing, ...stored } = budget({ costUsd: 1 });
    const root = new Ledger('', completed(stored));
    expect(root.reserve(one(axis, 1e9))).toMatchObject({ bound: axis, limit: axis === 'costUsd' ? 5 : budget()[axis] });
    expect(root.limits).toMatchObject({ depth: budget().depth });
  });

  it.each([undefined, Number.NaN, null])(
    'refuses where a limit is %s, and an amount that is no number [F-K3]',
    (limit) => {
      const root = new Ledger('', { ...budget(), toolCalls: limit as never });
      expect(root.reserve({ toolCalls: 1 })).toMatchObject({ bound: 'toolCalls' });
      expect(ledger().reserve({ toolCalls: Number.NaN })).toMatchObject({ bound: 'toolCalls' });
    },
  );
});

describe('a budget that became smaller than what was carved from it', () => {
  it('refuses what a child asks for, though the child has room [F-X1]', () => {
    const root = ledger({ toolCalls: 40 });
    const child = root.carve('/child', { share: 0.5 });
    const grandchild = child.carve('/child/grand', { toolCalls: 10 });
    root.become(budget({ toolCalls: 3 }));
    expect(grandchild.remaining('toolCalls')).toBe(3);
    expect(grandchild.reserve({ toolCalls: 4 })).toMatchObject({ node: '', bound: 'toolCalls', limit: 3, left: 3 });
    expect(grandchild.reserve({ toolCalls: 3 })).toBeUndefined();
    expect(child.reserve({ toolCalls: 1 })).toMatchObject({ node: '', bound: 'toolCalls', limit: 3, left: 0 });
  });
});

describe.each(AXES)('%s', (axis) => {
  it('agrees up to the limit and refuses past it, naming what it knows [R2-BUDGET-RESERVE]', () => {
    const root = ledger({ [axis]: 10 });
    expect(root.reserve(one(axis, 6))).toBeUndefined();
    expect(root.reserve(one(axis, 4))).toBeUndefined();
    expect(root.reserve(one(axis, 1))).toEqual({ node: '', bound: axis, limit: 10, spent: 0, wanted: 1, left: 0 });
  });

  it('takes the worst case first and gives back what was not spent [R2-BUDGET-RESERVE]', () => {
    const root = ledger({ [axis]: 10 });
    root.reserve(one(axis, 8));
    expect(root.remaining(axis)).toBe(2);
    root.settle(one(axis, 8), one(axis, 3));
    expect(root.remaining(axis)).toBe(7);
    expect(root.spent[axis]).toBe(3);
    expect(root.reserved[axis]).toBe(0);
  });

  it('refuses what is already past its limit, even a call that wants nothing of it [R2-BUDGET-PAST-LIMIT]', () => {
    const root = ledger({ [axis]: 10 });
    root.debit(one(axis, 25)); // what a journal says was spent is taken without asking
    expect(root.reserve(one(axis, 1))).toMatchObject({ bound: axis, spent: 25 });
    expect(root.reserve({})).toMatchObject({ bound: axis, spent: 25 });
    expect(root.remaining(axis)).toBe(0);
  });

  it('warns once, at 80 % [R2-BUDGET-WARN]', () => {
    const root = ledger({ [axis]: 10 });
    root.debit(one(axis, 7.9));
    expect(root.warnings(0.8)).toEqual([]);
    root.debit(one(axis, 0.1));
    expect(root.warnings(0.8)).toEqual([{ node: '', axis, spent: 8, limit: 10 }]);
    root.debit(one(axis, 1));
    expect(root.warnings(0.8)).toEqual([]);
  });
});

describe.each(AXES.filter((axis) => axis !== 'wallMs'))('%s of a child', (axis) => {
  it('carves a child whose whole part is reserved, debits upwards, and gives the rest back [R2-BUDGET-CARVE] [R2-BUDGET-DEBIT]', () => {
    const root = ledger({ [axis]: 10 });
    const child = root.carve('/child', one(axis, 6));
    const grandchild = child.carve('/child/grand', one(axis, 2));
    expect(root.remaining(axis)).toBe(4);
    expect(child.remaining(axis)).toBe(4);
    grandchild.reserve(one(axis, 2));
    grandchild.settle(one(axis, 2), one(axis, 1));
    expect([grandchild.spent[axis], child.spent[axis], root.spent[axis]]).toEqual([1, 1, 1]);
    expect(grandchild.reserve(one(axis, 2))).toMatchObject({ node: '/child/grand', bound: axis, limit: 2 });
    grandchild.close();
    expect(child.remaining(axis)).toBe(5);
    child.close();
    expect(root.remaining(axis)).toBe(9);
  });

  it('never carves more than is left [R2-BUDGET-CARVE]', () => {
    const root = ledger({ [axis]: 10 });
    expect(root.carve('/a', one(axis, 7)).limits[axis]).toBe(7);
    expect(root.carve('/b', one(axis, 7)).limits[axis]).toBe(3);
    expect(root.carve('/c', one(axis, 7)).limits[axis]).toBe(0);
  });
});

describe('a child', () => {
  it('spends the same minute as its parent and its siblings: time is not divided', () => {
    const root = ledger({ wallMs: 1000 });
    const left = root.carve('/left', { wallMs: 600 });
    const right = root.carve('/right', { wallMs: 5000 });
    expect([left.limits.wallMs, right.limits.wallMs]).toEqual([600, 1000]);
    expect(root.remaining('wallMs')).toBe(1000);
    left.activeFrom = 100;
    expect(left.outOfTime(699, 0)).toBeUndefined();
    expect(left.outOfTime(700, 0)).toMatchObject({ node: '/left', bound: 'wallMs', limit: 600 });
    expect(right.outOfTime(700, 0)).toBeUndefined();
  });

  it('has half of what its slice does not name, so that a bound there is its own [R11-N5-EVERY-AXIS]', () => {
    const root = ledger({ toolCalls: 6, modelCalls: 5 });
    const child = root.carve('/child', { modelCalls: 2 });
    expect([child.limits.toolCalls, root.remaining('toolCalls')]).toEqual([3, 3]);
    expect(child.reserve({ toolCalls: 4 })).toMatchObject({ node: '/child', bound: 'toolCalls', limit: 3 });
    expect(child.carvedAxes()).toEqual(AXES.filter((axis) => axis !== 'wallMs'));
  });

  it('has one of so many equal parts, in each group of them, whatever the others spend and give back [R11-N5-EQUAL]', () => {
    const root = ledger({ toolCalls: 40, costUsd: 1 });
    const parts = [0, 1, 2, 3].map((n) => root.carve(`/all.0.${n}/worker.0`, { of: 4 }));
    expect(parts.map(({ limits }) => [limits.toolCalls, limits.costUsd])).toEqual(
      [10, 10, 10, 10].map((n) => [n, 0.25]),
    );
    expect(root.remaining('toolCalls')).toBe(0);
    parts[0]?.debit({ toolCalls: 10 });
    for (const part of parts) part.close();
    // one after the other: what the first left is not divided again
    const later = [0, 1, 2].map((n) => {
      const part = root.carve(`/worker.${n}`, { of: 3 });
      part.close();
      return part.limits.toolCalls;
    });
    expect(later).toEqual([10, 10, 10]);
    expect(root.carve('/worker.3', { of: 3, toolCalls: 2 }).limits.toolCalls).toBe(2);
    expect(() => checkSlice({ of: 1.5 })).toThrow('whole number');
    expect(() => checkSlice({ of: 2, share: 0.5 })).toThrow('share or of');
  });

  it('restored from the journal is one of the equal parts, and the next is as large [R11-N5-EQUAL]', () => {
    const root = ledger({ toolCalls: 40 });
    root.restore('/worker.0', { of: 4 }, budget({ toolCalls: 10 }));
    root.restore('/worker.1', { of: 4 }, budget({ toolCalls: 10 })).close();
    expect(root.carve('/worker.2', { of: 4 }).limits.toolCalls).toBe(10);
    // another budget: each has the same part of what is left of it
    const other = ledger({ toolCalls: 40 });
    const parts = [0, 1, 2, 3].map((n) => other.carve(`/a.${n}`, { of: 4 }));
    other.become(budget({ toolCalls: 80 }));
    for (const part of parts.toReversed()) part.yieldRest();
    for (const part of parts) part.become(part.derived({ of: 4 }));
    expect(parts.map(({ limits }) => limits.toolCalls)).toEqual([20, 20, 20, 20]);
  });

  it('is an equal part of another budget as well, whoever has ended, spent or is still to come [R11-N5-EQUAL]', () => {
    const anew = (of: number, ...parts: readonly Ledger[]): readonly number[] => {
      for (const part of parts.toReversed()) part.yieldRest();
      for (const part of parts) part.become(part.derived({ of }));
      return parts.map(({ limits }) => limits.toolCalls);
    };
    const one = ledger({ toolCalls: 4 });
    const ended = one.carve('/worker.0', { of: 2 });
    ended.debit({ toolCalls: 1 });
    ended.close();
    const second = one.carve('/within.1', { of: 2 });
    one.become(budget({ toolCalls: 80 }));
    expect(anew(2, second)).toEqual([40]);
    expect(one.remaining('toolCalls')).toBe(39); // the other half, less what the first spent
    // what one has spent is of its own part
    const other = ledger({ toolCalls: 40 });
    const [busy, idle] = [0, 1].map((n) => other.carve(`/worker.${n}`, { of: 4 })) as [Ledger, Ledger];
    busy.debit({ toolCalls: 10 });
    other.become(budget({ toolCalls: 80 }));
    expect(anew(4, busy, idle)).toEqual([20, 20]);
    // and those that are given out from now on are as large, also after a crash
    expect(other.carve('/worker.2', { of: 4 }).limits.toolCalls).toBe(20);
    const replayed = ledger({ toolCalls: 40 });
    const [again] = [0, 1].map((n) => replayed.restore(`/worker.${n}`, { of: 4 }, budget({ toolCalls: 10 })));
    replayed.become(budget({ toolCalls: 80 }));
    again?.regain({ of: 4 }, budget({ toolCalls: 20 }));
    replayed.debit({ toolCalls: 30 });
    expect(replayed.carve('/worker.2', { of: 4 }).limits.toolCalls).toBe(20);
  });

  it('counts under the bill of a fork nothing that its equal parts spent before it [R11-N5-EQUAL]', () => {
    const root = ledger({ toolCalls: 40 });
    const [ended, open] = [0, 1].map((n) => root.carve(`/worker.${n}`, { of: 2 })) as [Ledger, Ledger];
    ended.debit({ toolCalls: 20 });
    ended.close();
    for (const one of [root, open]) one.beginAnew();
    root.become(budget({ toolCalls: 10 }));
    open.yieldRest();
    expect(open.derived({ of: 2 }).toolCalls).toBe(5);
  });

  it('leaves no more than the budget on the bill of a fork once a child that was open when it began has ended', () => {
    const root = ledger({ toolCalls: 40 });
    const child = root.carve('/child', { toolCalls: 20 });
    child.mayHaveCost({ toolCalls: 5 }, { shown: true });
    for (const one of [root, child]) one.beginAnew();
    expect(root.shownRemaining('toolCalls')).toBe(20);
    child.close();
    expect(root.shownRemaining('toolCalls')).toBe(40);
    expect(root.remaining('toolCalls')).toBe(40);
  });

  it('shares with its parent what it is told to', () => {
    const root = ledger({ toolCalls: 5, modelCalls: 5 });
    const child = root.carve('/child', { modelCalls: 2, shared: ['toolCalls'] });
    root.reserve({ toolCalls: 4 });
    expect(child.remaining('toolCalls')).toBe(1);
    expect(child.reserve({ toolCalls: 2 })).toMatchObject({ node: '', bound: 'toolCalls', limit: 5 });
    expect(child.reserve({ toolCalls: 1 })).toBeUndefined();
    expect(root.remaining('toolCalls')).toBe(0);
  });

  it('gets a share of what is left, in whole numbers except for money', () => {
    const root = ledger({ toolCalls: 7, costUsd: 1.5 });
    root.debit({ toolCalls: 2 });
    const child = root.carve('/child', { share: 0.5 });
    expect(child.limits.toolCalls).toBe(2);
    expect(child.limits.costUsd).toBe(0.75);
  });

  it('can narrow depth, width, progress and deadline, but never widen them', () => {
    const root = ledger({ depth: 2, width: 4, noProgress: 3, deadline: 1000 });
    // no level below the child: the child itself is the first below the run
    expect(root.carve('/a', { depth: 0, width: 2, noProgress: 1, deadline: 500 }).limits).toMatchObject({
      depth: 1,
      width: 2,
      noProgress: 1,
      deadline: 500,
    });
    expect(root.carve('/b', { depth: 9, width: 9, noProgress: 9, deadline: 9000 }).limits).toMatchObject({
      depth: 2,
      width: 4,
      noProgress: 3,
      deadline: 1000,
    });
  });

  it('counts its open branches in every ancestor', () => {
    const root = ledger({ width: 3 });
    const child = root.carve('/child', { width: 2 });
    expect(child.openBranches(2)).toBeUndefined();
    expect(child.openBranches(1)).toMatchObject({ node: '/child', bound: 'width', limit: 2, spent: 2, wanted: 1 });
    expect(root.openBranches(2)).toMatchObject({ node: '', bound: 'width', limit: 3 });
    child.closeBranches(2);
    expect(root.openBranches(3)).toBeUndefined();
  });
});

describe('time', () => {
  it('is over at the limit and ever after [R2-BUDGET-PAST-LIMIT]', () => {
    const root = ledger({ wallMs: 100, deadline: 5000 });
    expect(root.outOfTime(99, 4999)).toBeUndefined();
    expect(root.outOfTime(100, 0)).toMatchObject({ bound: 'wallMs', limit: 100, spent: 100 });
    expect(root.outOfTime(1e9, 0)).toMatchObject({ bound: 'wallMs', spent: 1e9 });
    expect(root.outOfTime(0, 5000)).toMatchObject({ bound: 'deadline', limit: 5000 });
    expect(root.outOfTime(0, 1e9)).toMatchObject({ bound: 'deadline', spent: 1e9 });
  });
});

interface Move {
  readonly kind: 'reserve' | 'settle' | 'carve' | 'close';
  readonly axis: CountedAxis;
  readonly amount: number;
  readonly which: number;
}

const moves = fc.array(
  fc.record<Move>({
    kind: fc.constantFrom('reserve', 'settle', 'carve', 'close'),
    axis: fc.constantFrom('toolCalls', 'tokensIn', 'costUsd'),
    amount: fc.integer({ min: 0, max: 12 }),
    which: fc.nat({ max: 30 }),
  }),
  { maxLength: 60 },
);

it('no tree of reservations, settlements and children ever exceeds a limit [R2-BUDGET-RESERVE] [R2-BUDGET-CARVE] [R2-BUDGET-DEBIT]', () => {
  fc.assert(
    fc.property(moves, fc.integer({ min: 0, max: 40 }), (sequence, limit) => {
      const root = ledger({ toolCalls: limit, tokensIn: limit, costUsd: limit });
      const nodes = [{ node: root, open: true, children: 0, parent: -1 }];
      const reservations: { readonly node: number; readonly axis: CountedAxis; readonly amount: number }[] = [];
      for (const move of sequence) {
        const index = move.which % nodes.length;
        const at = nodes[index];
        if (at === undefined || !at.open) continue;
        if (move.kind === 'reserve' && at.node.reserve(one(move.axis, move.amount)) === undefined)
          reservations.push({ node: index, axis: move.axis, amount: move.amount });
        if (move.kind === 'carve') {
          at.children++;
          nodes.push({
            node: at.node.carve(`/${nodes.length}`, one(move.axis, move.amount)),
            open: true,
            children: 0,
            parent: index,
          });
        }
        if (move.kind === 'settle' && reservations.length > 0) {
          const [made] = reservations.splice(move.which % reservations.length, 1);
          if (made !== undefined)
            nodes[made.node]?.node.settle(
              one(made.axis, made.amount),
              one(made.axis, Math.min(made.amount, move.amount)),
            );
        }
        // a child ends when nothing of it is open any more
        if (
          move.kind === 'close' &&
          index > 0 &&
          at.children === 0 &&
          reservations.every(({ node }) => node !== index)
        ) {
          at.node.close();
          at.open = false;
          const parent = nodes[at.parent];
          if (parent !== undefined) parent.children--;
        }
        for (const { node } of nodes) {
          for (const axis of ['toolCalls', 'tokensIn', 'costUsd'] as const) {
            expect(node.spent[axis] + node.reserved[axis]).toBeLessThanOrEqual(node.limits[axis] + 1e-9);
            expect(node.reserved[axis]).toBeGreaterThanOrEqual(-1e-9);
          }
        }
      }
      const spentBelow = reservations.length === 0 && nodes.slice(1).every(({ open }) => !open);
      if (spentBelow)
        for (const axis of ['toolCalls', 'tokensIn', 'costUsd'] as const) expect(root.reserved[axis]).toBeCloseTo(0);
    }),
    { numRuns: 2000 },
  );
});
