import {
  type Agent,
  append,
  BoundReachedError,
  degraded,
  done,
  type Framing,
  failed,
  type MessagePart,
  type Outcome,
  type Run,
  type Session,
  type Tool,
} from 'flyball';
import { supervised } from 'flyball/patterns';
import type { BudgetSlice } from '../../packages/flyball/src/core/budget.js';
import type { ChildSlice } from '../../packages/flyball/src/core/child-slice.js';
import type { Delegation } from '../../packages/flyball/src/core/tool.js';
import { type Case, HOUR_MS } from './case.js';
import type { Program, Slice } from './program.js';
import { marksOf, pictureOf, type Tools } from './things.js';
import type { World } from './world.js';

interface Stage {
  readonly world: World;
  readonly session: Session;
  /** A model that takes nothing but text. */
  readonly textOnly: Session;
  readonly tools: Tools;
  /** Where results are put, and later inputs taken from. */
  readonly board: unknown[];
  /** Framings around this place, outermost first. */
  readonly framings: readonly string[];
}

interface Carried {
  readonly generation: number;
  readonly board: readonly unknown[];
}

/** The agent that a case stands for. `world` is where its effects go; it outlives every crash. */
export function agentOf(
  given: Case,
  on: Omit<Stage, 'board' | 'framings'>,
  life: number,
): Agent<Carried | null, unknown> {
  const programs = [...Array<Program | undefined>(given.rounds - 1).fill(given.generations[0]), ...given.generations];
  const fuzzed = async (run: Run, carried: Carried | null): Promise<Outcome<unknown>> => {
    const generation = carried?.generation ?? 0;
    if (generation === 0 && given.isPrivate) run.note({ kind: 'private' });
    const stage = { ...on, board: [...(carried?.board ?? [0])], framings: [] };
    const value = await playTop(programs[generation], run, stage);
    if (value.stop !== 'done') return value;
    if (generation < programs.length - 1)
      run.continueWith({ generation: generation + 1, board: stage.board.slice(-2) });
    if (given.isBrief === true && !given.failsAtEnd) return done(value.value);
    const last = await run.step('last', [...stage.board.slice(-4), value.value], () => on.world.fresh(), 'pure');
    if (given.more !== undefined && on.world.isMended) await play(given.more, run, stage);
    if (given.failsAtEnd) return failed({ code: 'EFFECT_FAILED', message: 'fails at its end', retryable: false });
    return done([value.value, last]);
  };
  return given.isSupervised ? supervised(fuzzed, scopeOf(life)) : fuzzed;
}

/** What the first process is sure enough of to allow, and what later ones would. */
function scopeOf(life: number): Parameters<typeof supervised>[1] {
  const classes = ['pure', 'idempotent', 'undoable'] as const;
  return {
    allow: life === 0 ? ['pure'] : classes,
    baseline: { suite: 'suite', score: 1, minimum: 0.5, classes },
  };
}

async function playTop(program: Program | undefined, run: Run, stage: Stage): Promise<Outcome<unknown>> {
  let value: unknown = null;
  for (const part of program !== undefined && 'parts' in program ? program.parts : []) {
    if (part.kind === 'spawn' && part.isPassedOn) {
      const outcome = await child(part, run, stage);
      if (!('value' in outcome)) return outcome;
      value = outcome.value;
    } else value = (await play(part, run, stage)) ?? null;
  }
  return done(value);
}

async function play(program: Program, run: Run, stage: Stage): Promise<unknown> {
  const { world, board } = stage;
  lookAtTheClock(run, world);
  const put = (value: unknown): unknown => {
    board.push(value ?? null);
    return value;
  };
  const branches = (parts: readonly Program[]) => parts.map((part) => (on: Run) => play(part, on, stage));
  switch (program.kind) {
    case 'step':
      return put(await act(program, run, stage));
    case 'call':
      return put((await run.call(stage.tools[program.tool], { seen: board.slice(-2) })).content);
    case 'ask':
      return put(await asked(run, stage));
    case 'wait':
      return put(await listen(program, run, world).catch(ifSimulated));
    case 'hear':
      return put(await decision(program, run, world).catch(ifSimulated));
    case 'sleep':
      await run.sleep(program.ms);
      return put(run.now() > 0 ? run.random() : 0);
    case 'take':
      run.budget.take('iterations');
      run.note({ kind: 'taken', left: run.budget.remaining('iterations') });
      return put(run.budget.remaining('iterations'));
    case 'identity':
      return put(await run.step('identity', { ref: run.id, who: run.subject }, () => 'known', 'pure'));
    case 'told':
      return put(await run.step('told', run.instructions(), (texts) => texts.length, 'pure'));
    case 'left':
      return put(await run.step('left', run.budget.remaining('iterations'), () => 'left', 'pure'));
    case 'instant':
      return put('instant');
    case 'best':
      run.best(board.at(-1) ?? null);
      return put('best');
    case 'within':
      return within(program, run, stage);
    case 'each':
      return each(program, run, stage);
    case 'some':
      return some(program, run, stage);
    case 'pattern':
      return pattern(program.parts, run, stage);
    case 'other':
      return put(await another(program, run, stage));
    case 'post':
      return put(await posted(run, stage));
    case 'show':
      return put(await shown(program, run, stage));
    case 'look':
      return put((await run.step('look', run.board('notes').read(), (seen) => seen, 'pure')).length);
    case 'dressed': {
      const id = `frame-${stage.framings.length}`;
      const inside = { ...stage, framings: [...stage.framings, id] };
      let value: unknown;
      for (const part of program.parts) value = await play(part, run.dressed(framing(id)), inside);
      return value;
    }
    case 'seq': {
      let value: unknown;
      for (const part of program.parts) value = await play(part, run, stage);
      return value;
    }
    case 'all':
      return (await run.all(branches(program.parts), 2)).map((result) => {
        if (!result.ok) throw result.error; // no branch fails by itself: it was stopped
        return result.value ?? null;
      });
    case 'raw':
      return (await Promise.all(program.parts.map((part) => play(part, run, stage)))).map((value) => value ?? null);
    case 'race':
      return Promise.race(program.parts.map((part) => play(part, run, stage)));
    case 'first':
      return program.isTold === true ? toldFirst(program, run, stage) : run.first(branches(program.parts));
    case 'latch':
      return latched(program, run, stage);
    case 'spawn': {
      const outcome = await child(program, run, stage);
      return 'value' in outcome ? outcome.value : outcome.stop;
    }
  }
}

/** Takes so many results and leaves. Whose result was taken says so: nobody may undo it for the others' sake. */
async function each(program: Program & { readonly kind: 'each' }, run: Run, stage: Stage): Promise<unknown> {
  const taken: unknown[] = [];
  const branches = program.parts.map((part) => (on: Run) => voted(part, on, stage));
  for await (const result of run.each(branches, { width: program.width })) {
    if (!result.ok) throw result.error; // no branch fails by itself: it was stopped
    run.note({ kind: 'counted', path: result.value.path });
    taken.push([result.index, result.value.value]);
    stage.board.push(result.index);
    if (taken.length === program.take) break;
  }
  return taken;
}

/** Whoever comes first says so, and so does whoever takes its result: nothing of the others may be left then. */
async function toldFirst(program: Program & { readonly kind: 'first' }, run: Run, stage: Stage): Promise<unknown> {
  const branches = program.parts.map((part) => async (on: Run) => {
    const told = await voted(part, on, stage);
    on.note({ kind: 'came-first', path: on.path });
    return told;
  });
  const { path, value } = await run.first(branches);
  run.note({ kind: 'counted', path });
  return value;
}

/** What opens the latch may be stopped by a bound of the whole run: then nobody does until the run goes on under another. */
async function latched(program: Program & { readonly kind: 'latch' }, run: Run, stage: Stage): Promise<unknown> {
  let settle: (how: { readonly error?: unknown }) => void = () => undefined;
  const opened = new Promise<{ readonly error?: unknown }>((resolve) => {
    settle = resolve;
  });
  const opens = async (on: Run): Promise<unknown> => {
    try {
      let value: unknown;
      for (const part of program.parts) value = await play(part, on, stage);
      settle({});
      return value;
    } catch (error) {
      if (!(error instanceof BoundReachedError) || error.node !== '') settle({ error });
      throw error;
    }
  };
  const [first] = await run.all<unknown>(
    [
      opens,
      async () => {
        const { error } = await opened;
        if (error !== undefined) throw error;
        return 'opened';
      },
    ],
    2,
  );
  if (first?.ok === false) throw first.error;
  return first?.value ?? null;
}

async function some(program: Program & { readonly kind: 'some' }, run: Run, stage: Stage): Promise<unknown> {
  const branches = program.parts.map((part) => (on: Run) => voted(part, on, stage));
  const need = Math.min(program.need, branches.length);
  const deadline = program.isTimed ? { deadline: run.now() + 1000 } : {};
  const votes = await run.some(branches, { need, width: program.width, ...deadline });
  const taken = votes.map((vote) => {
    if (!vote.ok) throw vote.error;
    return vote.value.path;
  });
  for (const path of taken) run.note({ kind: 'counted', path });
  stage.board.push(votes.map(({ index }) => index));
  return votes.map((vote) => (vote.ok ? vote.value.value : null));
}

async function voted(
  part: Program,
  on: Run,
  stage: Stage,
): Promise<{ readonly path: string; readonly value: unknown }> {
  return { path: on.path, value: (await play(part, on, stage)) ?? null };
}

/** Two uses of one name in one scope: each has its own path, whatever order its effects have. */
function pattern(parts: readonly Program[], run: Run, stage: Stage): Promise<unknown> {
  return run.enter({ pattern: 'pattern', params: { parts: parts.length } }, async (on) => {
    let value: unknown;
    for (const part of parts) value = await play(part, on, stage);
    on.learned({ seen: stage.board.length });
    return value;
  });
}

/** Marks what it frames, so that the reply of the model tells which framings it was asked under. */
function framing(id: string): Framing {
  return { id, session: (session) => ({ ...session, setup: `${session.setup} [${id}]`, sampling: { seed: 1 } }) };
}

/** Whatever happened in between, the model was asked under the framings around this place: the innermost first. */
async function asked(run: Run, { session, board, framings, world }: Stage): Promise<string> {
  const { text } = await run.ask(session, JSON.stringify(board.slice(-2)));
  const seen = (text.match(/\[frame-\d+\]/g) ?? []).join('');
  const expected = framings
    .map((id) => `[${id}]`)
    .reverse()
    .join('');
  if (seen !== expected) world.blame('framing:other', `asked under "${seen}" where "${expected}" holds`);
  return text;
}

/** Whatever happened in between, the model sees every image of the conversation, each with its own bytes. */
async function shown({ from }: Program & { readonly kind: 'show' }, run: Run, stage: Stage): Promise<string> {
  const { session, tools, board } = stage;
  const seen = board.slice(-2);
  let parts: readonly MessagePart[] = [pictureOf(board.length)];
  if (from === 'tool') {
    const result = await run.call(tools.picture, { seen });
    if (!result.ok) return `failed ${result.failure.code}`;
    parts = result.parts ?? [];
  }
  const asked: readonly MessagePart[] = [{ type: 'text', text: JSON.stringify(seen) }, ...parts];
  if (from === 'refused') await refusedBy(run, stage, asked);
  const first = await run.ask(session, asked);
  expectSeen(stage, first.text, parts);
  const more = [...parts, { type: 'text' as const, text: 'And again?' }, pictureOf(board.length + 100)];
  const again = await run.ask(session, append(first.prompt, { role: 'user', content: more }));
  expectSeen(stage, again.text, [...parts, ...more]);
  return again.text;
}

/** Of what was refused nothing is stored: what comes after it has to store all of it. */
async function refusedBy(run: Run, { textOnly, world }: Stage, parts: readonly MessagePart[]): Promise<void> {
  const code = await run.ask(textOnly, parts).then(
    () => 'no refusal',
    (error: { readonly code?: string }) => {
      if (error.code === 'BOUND_REACHED' || error.code === 'CANCELLED') throw error;
      return error.code;
    },
  );
  if (code !== 'PART_UNSUPPORTED') world.blame('parts:taken', `a model of text was shown an image: ${code}`);
}

function expectSeen({ world }: Stage, text: string, parts: readonly MessagePart[]): void {
  const expected = marksOf([{ parts }]);
  if (!text.includes(expected)) world.blame('parts:other', `"${text}" was said of ${expected}`);
}

/** Another run that acts once. What a simulated child or fork would start is not there. */
async function another(program: Program & { readonly kind: 'other' }, run: Run, { board }: Stage): Promise<unknown> {
  try {
    const ref = await run.start('helper', board.length, { slice: { share: 0.01 } });
    if (!program.joins) return 'started';
    const { stop } = await run.join(ref);
    return stop;
  } catch (error) {
    const { code } = error as { readonly code?: string };
    return code === 'DENIED' ? code : ifSimulated(error as { readonly code?: string });
  }
}

/** The agent of other runs: one act, made once. */
export function helperOf(world: World): Agent<number, number> {
  return async (run, input) => {
    const body = (_input: unknown, how: Parameters<World['execute']>[0]): Promise<unknown> =>
      world.execute(how, { effect: 'idempotent', fails: false, ms: 0 });
    await run.step('helped', input, body, world.rules('idempotent'));
    return done(input);
  };
}

/** What was posted is on the board at the position that it was told. */
async function posted(run: Run, { board, world }: Stage): Promise<number> {
  const notes = run.board('notes');
  const entry = { seen: JSON.stringify(board.at(-1) ?? null) };
  const position = await notes.post(entry);
  const found = JSON.stringify(notes.read()[position]?.entry);
  if (found !== JSON.stringify(entry)) world.blame('board:position', `${found} stands at ${position}`);
  return position;
}

/** Time never goes back within one execution of the code. */
function lookAtTheClock(run: Run, world: World): void {
  const seen = lastSeen.get(run.signal) ?? Number.NEGATIVE_INFINITY;
  const now = run.now();
  lastSeen.set(run.signal, Math.max(now, seen));
  if (now < seen) world.blame('now:back', `run.now() was ${seen} and is ${now}`);
}
const lastSeen = new WeakMap<AbortSignal, number>();

async function child(program: Program & { readonly kind: 'spawn' }, run: Run, stage: Stage): Promise<Outcome<unknown>> {
  const { world, board } = stage;
  const worker = async (on: Run, input: unknown): Promise<Outcome<unknown>> => {
    const own = { ...stage, board: [input] };
    let value: unknown;
    for (const part of program.parts) value = await play(part, on, own);
    if (program.isDegraded !== true) return done(value ?? null);
    return degraded(value ?? null, 'they disagree', { code: 'uncertain', data: { agreement: own.board.length } });
  };
  const slice = (): ChildSlice => ({
    ...sliceOf(program.slice, run, world),
    ...(program.isLent ? { boards: ['notes'] } : {}),
    ...(program.isSimulated ? { world: 'simulated' as const } : {}),
  });
  const input = board.at(-1) ?? null;
  const isSpawned = program.through === undefined || program.through === 'spawn';
  const outcome = isSpawned
    ? await run.spawn(worker, input, slice())
    : await delegated(run, { agent: worker, input, slice }, program.through === 'hands-back');
  if (outcome.stop === 'degraded' && outcome.reason?.code !== 'uncertain')
    world.blame('reason:lost', JSON.stringify(outcome));
  board.push(
    outcome.stop === 'degraded' ? outcome.reason?.data : outcome.stop === 'done' ? outcome.value : outcome.stop,
  );
  return outcome;
}

/** The child works for a tool. Where its budget ends first, somebody may hand back what there is. */
async function delegated(
  run: Run,
  work: Omit<Delegation, 'slice'> & { readonly slice: () => ChildSlice },
  handsBack: boolean,
): Promise<Outcome<unknown>> {
  const closer = async (on: Run, ended: unknown): Promise<Outcome<unknown>> =>
    done(await on.step('hand-back', ended, () => 'handed back', 'pure'));
  const handBack = ({ bound }: { readonly bound: string }): Delegation => ({ agent: closer, input: bound, slice: {} });
  const tool: Tool<unknown> = {
    name: 'delegate',
    description: 'Delegates.',
    effect: 'pure',
    // of the turn in which the child begins: the call before it may belong to another life
    delegates: () => ({ ...work, slice: work.slice(), ...(handsBack ? { handBack } : {}) }),
    execute: async () => 'never',
  };
  const result = await run.call(tool, { seen: work.input });
  return done(result.ok ? result.value : `failed ${result.failure.code}`);
}

/** Nobody hears of what a simulated child waits for. */
function ifSimulated(error: { readonly code?: string }): string {
  if (error.code !== 'NOT_SIMULATED') throw error;
  return 'nobody';
}

function sliceOf(slice: Slice, run: Run, world: World): BudgetSlice {
  const slices: Readonly<Record<Slice, BudgetSlice>> = {
    share: { share: 0.5 },
    of: { of: 2 },
    half: {},
    rest: { shared: true },
    hour: { deadline: run.now() + HOUR_MS, shared: true },
    clock: { deadline: world.clock.now() + HOUR_MS, shared: true },
    wall: { wallMs: 20_000, shared: true },
  };
  return slices[slice];
}

/** Goes on where its own part is used up: what is around it has its own. */
async function within(program: Program & { readonly kind: 'within' }, run: Run, stage: Stage): Promise<unknown> {
  let path: string | undefined; // a bound that is reached before the code begins is not its own
  const body = async (on: Run): Promise<unknown> => {
    ({ path } = on);
    let value: unknown;
    for (const part of program.parts) value = await play(part, on, stage);
    return value;
  };
  try {
    return await run.within(sliceOf(program.slice, run, stage.world), body);
  } catch (error) {
    if (!(error instanceof BoundReachedError) || error.node !== path) throw error;
    stage.board.push(error.bound);
    return `bounded ${error.bound}`;
  }
}

function listen(program: Program & { readonly kind: 'wait' }, run: Run, world: World): Promise<unknown> {
  return run.wait({
    name: 'go',
    jsonSchema: { type: program.type },
    request: { type: program.type, isShort: program.timeoutMs === 5, words: `${world.secret}please` },
    ...(program.timeoutMs === undefined ? {} : { timeoutMs: program.timeoutMs }),
  });
}

async function decision(program: Program & { readonly kind: 'hear' }, run: Run, world: World): Promise<unknown> {
  const heard = await run.hear({
    name: 'allow',
    approval: { scopes: [program.scope], notBy: [] },
    request: { scope: program.scope, words: `${world.secret}please` },
    timeoutMs: 60_000,
  });
  return heard === 'timed-out' ? heard : heard.from;
}

async function act(program: Program & { readonly kind: 'step' }, run: Run, stage: Stage): Promise<unknown> {
  const body = (_input: unknown, how: Parameters<World['execute']>[0]): Promise<unknown> =>
    stage.world.execute(how, program);
  return run
    .step(program.effect, stage.board.slice(-3), body, stage.world.rules(program.effect))
    .catch((error: { readonly code?: string }) => {
      if (error.code === 'BOUND_REACHED' || error.code === 'CANCELLED') throw error;
      return `failed ${error.code ?? ''}`;
    });
}
