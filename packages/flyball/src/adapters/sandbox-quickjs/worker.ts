/**
 * The program that evaluates one piece of code and ends. It imports nothing of this package at run time, so that Node
 * can start it from the sources as well as from the build.
 *
 * What holds the code: QuickJS is WebAssembly without imports that reach the system; its memory has a maximum that the
 * engine cannot exceed (its own memory limit does not hold); an interrupt handler ends loops; the stack is small enough
 * to overflow inside the guest and not here. Whoever started this process kills it if all that should fail.
 */
import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle } from 'quickjs-emscripten-core';
import type { WorkerAnswer, WorkerEnd, WorkerJob, WorkerLine } from './protocol.js';

declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => { readonly buffer: { readonly byteLength: number } };
};

const PAGE_BYTES = 64 * 1024;
const PAGES_PER_MEGABYTE = 16;
const INITIAL_PAGES = 256; // what the build of QuickJS was linked with
/** Memory grows by a twentieth at the least, so the last step that fits can end this far below the maximum. */
const NEARLY_FULL = 0.9;
const STACK_BYTES = 256 * 1024;
const JOBS_AT_ONCE = 100;

/** Runs inside, before the code: takes what it needs while nobody has changed it yet. */
const PREPARE = `(function (input, names, log, call, seed) {
  const { stringify, parse } = JSON;
  if (seed !== undefined) {
    delete globalThis.performance;
    const { imul } = Math;
    let state = seed;
    Math.random = () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
    };
  }
  const show = (value) => {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return String(value);
    try { return stringify(value) ?? String(value); } catch { return String(value); }
  };
  const write = (...values) => log(values.map(show).join(' '));
  globalThis.console = { log: write, info: write, warn: write, error: write, debug: write };
  for (const name of names) {
    globalThis[name] = async (value) => parse(await call(name, stringify(value) ?? 'null'));
  }
  return async (code) => stringify(await code(input)) ?? 'null';
})`;

interface Engine {
  readonly context: QuickJSContext;
  readonly memory: { readonly buffer: { readonly byteLength: number }; readonly maximum: number };
}

class Evaluation {
  private readonly job: WorkerJob;
  private readonly context: QuickJSContext;
  private readonly memory: Engine['memory'];
  private readonly deadline: number;
  private readonly logs: string[] = [];
  private readonly calls = new Map<number, QuickJSDeferredPromise>();
  private readonly arrived: WorkerAnswer[] = [];
  private answered = 0;
  private logged = 0;
  private elidedLogs = 0;
  private made = 0;
  private wake: () => void = () => undefined;
  private tripped: (WorkerEnd & { readonly how: 'limit' }) | undefined;

  constructor(job: WorkerJob, { context, memory }: Engine) {
    this.job = job;
    this.context = context;
    this.memory = memory;
    this.deadline = performance.now() + job.limits.wallMs;
    context.runtime.setMaxStackSize(STACK_BYTES);
    context.runtime.setInterruptHandler(() => this.isOver());
  }

  async run(): Promise<WorkerLine> {
    const end = await this.evaluate().catch((error: unknown) => hostFailure(error, this.job));
    return { type: 'end', end: this.tripped ?? end, logs: this.logs, elidedLogs: this.elidedLogs };
  }

  /** An answer to a call that the code made. */
  answer(answer: WorkerAnswer): void {
    this.arrived.push(answer);
    this.wake();
  }

  /**
   * Hands one answer to the code, once it has done all it could with the one before: so what it does next does not depend
   * on which answers happened to arrive together. A repeatable one gets them in the order of its calls.
   */
  private deliver(): boolean {
    const isNext = ({ id }: WorkerAnswer) => this.job.repeatable === undefined || id === this.answered + 1;
    const at = this.arrived.findIndex(isNext);
    const [answer] = at === -1 ? [] : this.arrived.splice(at, 1);
    if (answer === undefined) return false;
    this.answered++;
    this.hand(answer);
    return true;
  }

  private hand({ id, value, error, now }: WorkerAnswer): void {
    if (now !== undefined) setClock(now);
    const call = this.calls.get(id);
    this.calls.delete(id);
    if (error === undefined) this.context.newString(value ?? 'null').consume((handle) => call?.resolve(handle));
    else this.context.newError(error).consume((handle) => call?.reject(handle));
  }

  private async evaluate(): Promise<WorkerEnd> {
    const { context, job } = this;
    const code = context.evalCode(`(async function (input) {\n${job.code}\n})`, 'code.js', { strict: false });
    if (code.error !== undefined) return this.thrown(code.error);
    const finish = this.prepare();
    if ('how' in finish) return finish;
    const promise = context.callFunction(finish, context.undefined, code.value);
    if (promise.error !== undefined) return this.thrown(promise.error);
    for (;;) {
      const done = context.runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error !== undefined) return this.thrown(done.error);
      const state = context.getPromiseState(promise.value);
      if (state.type === 'fulfilled') return this.returned(state.value);
      if (state.type === 'rejected') return this.thrown(state.error);
      if (this.isOver()) return this.limit('wallMs');
      if (done.value > 0 || this.deliver()) continue;
      if (this.calls.size === 0) return { how: 'stuck' };
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private prepare(): QuickJSHandle | WorkerEnd {
    const { context, job } = this;
    const install = context.unwrapResult(context.evalCode(PREPARE, 'prepare.js'));
    const input = context.evalCode(`JSON.parse(${JSON.stringify(job.input ?? 'null')})`, 'input.js');
    if (input.error !== undefined) return this.thrown(input.error);
    const names = context.unwrapResult(context.evalCode(JSON.stringify(job.functions), 'names.js'));
    const log = context.newFunction('log', (text) => this.log(context.getString(text)));
    const call = context.newFunction('call', (name, value) =>
      this.call(context.getString(name), context.getString(value)),
    );
    const seed = job.repeatable === undefined ? context.undefined : context.newNumber(job.repeatable.seed);
    return context.unwrapResult(
      context.callFunction(install, context.undefined, [input.value, names, log, call, seed]),
    );
  }

  private log(text: string): void {
    this.logged += text.length + 1;
    if (this.logged > this.job.limits.outputBytes) this.elidedLogs++;
    else this.logs.push(text);
  }

  private call(name: string, value: string): QuickJSHandle {
    const deferred = this.context.newPromise();
    const { calls, outputBytes } = this.job.limits;
    const id = ++this.made;
    if (id > calls) this.tripped ??= { how: 'limit', limit: 'calls', allowed: calls };
    if (value.length > outputBytes) this.tripped ??= { how: 'limit', limit: 'outputBytes', allowed: outputBytes };
    if (this.tripped === undefined) {
      this.calls.set(id, deferred);
      void send({ type: 'call', id, name, value });
    }
    return deferred.handle;
  }

  private returned(handle: QuickJSHandle): WorkerEnd {
    const json = this.context.getString(handle);
    return json.length > this.job.limits.outputBytes ? this.limit('outputBytes') : { how: 'value', json };
  }

  private thrown(handle: QuickJSHandle): WorkerEnd {
    if (this.isOver()) return this.limit('wallMs');
    const { context } = this;
    const isObject = context.typeof(handle) === 'object' && !context.eq(handle, context.null);
    // a memory error may have had no room for an object that describes it
    if (!isObject && this.memory.buffer.byteLength >= this.memory.maximum * NEARLY_FULL) return this.limit('memoryMb');
    if (!isObject) return { how: 'error', name: 'Thrown', message: shorten(String(context.dump(handle))) };
    const text = (property: string) =>
      shorten(context.getProp(handle, property).consume((part) => context.getString(part)));
    const [name, message, stack] = [text('name'), text('message'), text('stack')];
    if (name === 'InternalError' && message === 'out of memory') return this.limit('memoryMb');
    return { how: 'error', name, message, stack };
  }

  private isOver(): boolean {
    if (this.tripped === undefined && performance.now() > this.deadline) this.tripped = this.limit('wallMs');
    return this.tripped !== undefined;
  }

  private limit(limit: 'wallMs' | 'memoryMb' | 'outputBytes'): WorkerEnd & { readonly how: 'limit' } {
    return { how: 'limit', limit, allowed: this.job.limits[limit] };
  }
}

/** Errors of this side: the engine gave up for want of memory, or ran out of our own stack. */
function hostFailure(error: unknown, { limits }: WorkerJob): WorkerEnd {
  const { name, message } = error as Error;
  if (/memory|abort|unreachable|null function/i.test(message))
    return { how: 'limit', limit: 'memoryMb', allowed: limits.memoryMb };
  return { how: 'error', name, message };
}

function shorten(text: string): string {
  return text.length > 4000 ? `${text.slice(0, 4000)}…` : text;
}

/** Resolves once it has left this process. */
function send(line: WorkerLine): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => resolve());
  });
}

async function newEngine({ limits, variant }: WorkerJob): Promise<Engine> {
  const pages = Math.max(INITIAL_PAGES, Math.floor(limits.memoryMb * PAGES_PER_MEGABYTE));
  const core = await import('quickjs-emscripten-core');
  const { default: build } = (await import(variant)) as typeof import('@jitl/quickjs-wasmfile-release-sync');
  const wasmMemory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: pages });
  const bounded = core.newVariant(build, { wasmMemory: wasmMemory as never });
  const quickjs = await core.newQuickJSWASMModuleFromVariant(bounded);
  // `buffer` is asked for anew each time: it is replaced when the memory grows
  const memory = {
    maximum: pages * PAGE_BYTES,
    get buffer() {
      return wasmMemory.buffer;
    },
  };
  return { context: quickjs.newContext(), memory };
}

/** QuickJS asks this process for the time, and nothing inside can reach around that. */
function setClock(now: number): void {
  Date.now = () => now;
}

async function begin(job: WorkerJob): Promise<Evaluation> {
  if (job.repeatable !== undefined) setClock(job.repeatable.now);
  const engine = await newEngine(job).catch(async (error: Error) => {
    await send({ type: 'missing', message: error.message });
    process.exit(0);
  });
  await send({ type: 'ready' });
  const evaluation = new Evaluation(job, engine);
  void evaluation
    .run()
    .then(send)
    .then(() => process.exit(0));
  return evaluation;
}

async function main(): Promise<void> {
  let evaluation: Evaluation | undefined;
  let rest = '';
  process.stdin.setEncoding('utf8');
  for await (const chunk of process.stdin) {
    const lines = `${rest}${chunk as string}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (evaluation === undefined) evaluation = await begin(JSON.parse(line) as WorkerJob);
      else evaluation.answer(JSON.parse(line) as WorkerAnswer);
    }
  }
}

await main();
