import fc from 'fast-check';

/**
 * Random agents for crash tests: nested sequences, branches, raw promises and races, children, waits, timers, model
 * and tool calls, all of them reading and writing one shared board, so that any change of order shows in a later input.
 */
export type StepEffect =
  | 'pure'
  | 'idempotent'
  /** Idempotent, and it declares a compensation. */
  | 'compensable'
  | 'undoable'
  /** Undoable, and nobody can ask whether it happened. */
  | 'unverified'
  | 'irreversible';

/** Three of them stand on the legs of the trifecta; `flaky` brings the text of strangers in an error. */
export type ToolName = 'lookup' | 'mail' | 'book' | 'read' | 'browse' | 'flaky' | 'post' | 'picture';

/** Where an image that a model is shown comes from; `refused`: first a model is asked that takes none. */
export type Picture = 'code' | 'tool' | 'refused';

/**
 * What a child is given: a share, one of two equal parts, a half of everything, nothing of its own, an hour from the run's
 * or from the world's clock, a part of the time.
 */
export type Slice = 'share' | 'of' | 'half' | 'rest' | 'hour' | 'clock' | 'wall';

export type Program =
  | { readonly kind: 'step'; readonly effect: StepEffect; readonly fails: boolean; readonly ms: number }
  | { readonly kind: 'call'; readonly tool: ToolName }
  | { readonly kind: 'ask' }
  | { readonly kind: 'wait'; readonly timeoutMs: number | undefined; readonly type: 'number' | 'string' }
  | { readonly kind: 'hear'; readonly scope: 'clerk' | 'boss' }
  | { readonly kind: 'sleep'; readonly ms: number }
  /** `instant` makes no effect: a branch that wins in the turn in which it begins. `look` reads what was posted. */
  | { readonly kind: 'take' | 'identity' | 'told' | 'left' | 'instant' | 'post' | 'look' }
  /** Starts another run, and may wait for its end. */
  | { readonly kind: 'other'; readonly joins: boolean }
  /** Shows a model an image, and goes on with the conversation, with the image once more. */
  | { readonly kind: 'show'; readonly from: Picture }
  /** Tells what it has as the best so far. */
  | { readonly kind: 'best' }
  /** `pattern` enters a scope that marks itself. */
  /** Results as they come, of which it takes so many and leaves the rest. */
  | { readonly kind: 'each'; readonly take: number; readonly width: number; readonly parts: readonly Program[] }
  /** Code with a part of the budget, which goes on where its part is used up. */
  | { readonly kind: 'within'; readonly slice: Slice; readonly parts: readonly Program[] }
  /** A quorum. `isTimed`: with a deadline that slow branches miss. */
  | {
      readonly kind: 'some';
      readonly need: number;
      readonly width: number;
      readonly isTimed: boolean;
      readonly parts: readonly Program[];
    }
  /** `dressed`: every session inside is asked under one framing more. */
  | {
      readonly kind: 'seq' | 'all' | 'raw' | 'race' | 'pattern' | 'dressed';
      readonly parts: readonly Program[];
    }
  /** `isTold`: it says which branch came first, and whose result it took. */
  | { readonly kind: 'first'; readonly isTold?: boolean; readonly parts: readonly Program[] }
  /** Code that awaits what only other code of it can give: where a bound of the run stops that, it is stuck. */
  | { readonly kind: 'latch'; readonly parts: readonly Program[] }
  | {
      readonly kind: 'spawn';
      readonly slice: Slice;
      /** At the top of a generation the outcome of a child that is not done is the run's own. */
      readonly isPassedOn: boolean;
      /** It ends `degraded`, with a reason that its parent goes by. */
      readonly isDegraded?: boolean;
      /** It shares its parent's board; otherwise it has one of its own. */
      readonly isLent: boolean;
      /** Nothing that it does goes out. */
      readonly isSimulated: boolean;
      /** It works for a tool; `hands-back`: with a last turn, should its budget end first. */
      readonly through: 'spawn' | 'tool' | 'hands-back';
      readonly parts: readonly Program[];
    };

export type Leaf = Exclude<Program, { readonly parts: readonly Program[] }>;

/** How often each kind of leaf occurs. */
export type Weights = Readonly<Record<Leaf['kind'], number>>;

export const EVEN: Weights = {
  step: 6,
  call: 3,
  ask: 2,
  wait: 1,
  hear: 1,
  sleep: 1,
  take: 1,
  identity: 0,
  told: 1,
  left: 1,
  instant: 0,
  best: 1,
  post: 2,
  look: 2,
  other: 1,
  show: 1,
};

export const NONE: Weights = {
  step: 0,
  call: 0,
  ask: 0,
  wait: 0,
  hear: 0,
  sleep: 0,
  take: 0,
  identity: 0,
  told: 0,
  left: 0,
  instant: 0,
  best: 0,
  post: 0,
  look: 0,
  other: 0,
  show: 0,
};

const EFFECTS: readonly StepEffect[] = ['pure', 'idempotent', 'compensable', 'undoable', 'unverified', 'irreversible'];
const PLAIN_TOOLS = ['lookup', 'mail', 'book'] as const;
const LEGS = ['read', 'browse', 'flaky', 'post', 'post', 'lookup'] as const;

export interface Flavor {
  readonly weights: Weights;
  readonly tools?: 'plain' | 'legs';
  /** Bodies that take longer than a few turns, and longer than their timeout. */
  readonly isSlow?: boolean;
  /** Combinators that occur; those of `AROUND` where absent. */
  readonly around?: readonly Combinator[];
  readonly slices?: readonly Slice[];
  readonly effects?: readonly StepEffect[];
}

export type Combinator =
  | 'seq'
  | 'all'
  | 'raw'
  | 'race'
  | 'first'
  | 'pattern'
  | 'dressed'
  | 'each'
  | 'some'
  | 'within'
  | 'latch'
  | 'spawn';

/** All but those that are asked for. */
export const AROUND: readonly Combinator[] = [
  'seq',
  'all',
  'raw',
  'race',
  'first',
  'pattern',
  'dressed',
  'each',
  'some',
  'within',
  'spawn',
];
const PLAIN = ['seq', 'all', 'raw', 'race', 'first', 'pattern', 'dressed', 'latch'] as const;
const SLICES = ['share', 'of', 'half', 'rest', 'hour', 'clock', 'wall'] as const;

function leafOf({ weights, tools = 'plain', isSlow = false, effects = EFFECTS }: Flavor): fc.Arbitrary<Program> {
  const only = <K extends Leaf['kind']>(kind: K) => fc.constant(kind);
  const leaves: Readonly<Record<Leaf['kind'], fc.Arbitrary<Leaf>>> = {
    step: fc.record({
      kind: only('step'),
      effect: fc.constantFrom(...effects),
      fails: fc.boolean(),
      ms: isSlow ? fc.constantFrom(0, 400, 1500) : fc.constantFrom(0, 0, 0, 400),
    }),
    call: fc.record({ kind: only('call'), tool: fc.constantFrom(...(tools === 'legs' ? LEGS : PLAIN_TOOLS)) }),
    ask: fc.record({ kind: only('ask') }),
    wait: fc.record({
      kind: only('wait'),
      timeoutMs: fc.constantFrom(5, 5000, undefined),
      type: fc.constantFrom('number' as const, 'string' as const),
    }),
    hear: fc.record({ kind: only('hear'), scope: fc.constantFrom('clerk' as const, 'boss' as const) }),
    sleep: fc.record({ kind: only('sleep'), ms: fc.constantFrom(1, 3000) }),
    take: fc.record({ kind: only('take') }),
    identity: fc.record({ kind: only('identity') }),
    told: fc.record({ kind: only('told') }),
    left: fc.record({ kind: only('left') }),
    instant: fc.record({ kind: only('instant') }),
    best: fc.record({ kind: only('best') }),
    post: fc.record({ kind: only('post') }),
    look: fc.record({ kind: only('look') }),
    other: fc.record({ kind: only('other'), joins: fc.boolean() }),
    show: fc.record({
      kind: only('show'),
      from: fc.constantFrom('code' as const, 'tool' as const, 'refused' as const),
    }),
  };
  const kinds = Object.keys(leaves) as Leaf['kind'][];
  return fc.oneof(
    ...kinds.filter((kind) => weights[kind] > 0).map((kind) => ({ weight: weights[kind], arbitrary: leaves[kind] })),
  );
}

export function treesOf(flavor: Flavor): fc.Arbitrary<Program> {
  const around = flavor.around ?? AROUND;
  const branching = PLAIN.filter((kind) => around.includes(kind)).flatMap(
    (kind) => around.filter((one) => one === kind) as (typeof kind)[],
  );
  const { tree } = fc.letrec<{ tree: Program }>((tie) => {
    const parts = fc.array(tie('tree'), { minLength: 1, maxLength: 3 });
    const child = fc.record({
      kind: fc.constant('spawn' as const),
      slice: fc.constantFrom(...(flavor.slices ?? SLICES)),
      isPassedOn: fc.boolean(),
      isDegraded: fc.boolean(),
      isLent: fc.boolean(),
      isSimulated: fc.constantFrom(false, false, false, true),
      through: fc.constantFrom('spawn', 'spawn', 'spawn', 'tool', 'hands-back'),
      parts,
    });
    const slice = fc.constantFrom(...(flavor.slices ?? SLICES));
    const within = fc.record({ kind: fc.constant('within' as const), slice, parts });
    const few = fc.integer({ min: 1, max: 3 });
    const each = fc.record({ kind: fc.constant('each' as const), take: few, width: few, parts });
    const some = fc.record({ kind: fc.constant('some' as const), need: few, width: few, isTimed: fc.boolean(), parts });
    const nested = [
      ...(branching.length === 0 ? [] : [fc.record({ kind: fc.constantFrom(...branching), parts }).map(told)]),
      ...(around.includes('spawn') ? [child] : []),
      ...(around.includes('within') ? [within] : []),
      ...(around.includes('each') ? [each] : []),
      ...(around.includes('some') ? [some] : []),
    ];
    return {
      tree: fc.oneof({ maxDepth: 3, depthSize: 'xsmall', withCrossShrink: true }, leafOf(flavor), ...nested),
    };
  });
  return tree;
}

function told(program: Program): Program {
  return program.kind === 'first' ? { ...program, isTold: true } : program;
}

/** Whether a part of this kind occurs anywhere in it. */
export function holds(program: Program, is: (part: Program) => boolean): boolean {
  return is(program) || ('parts' in program && program.parts.some((part) => holds(part, is)));
}
