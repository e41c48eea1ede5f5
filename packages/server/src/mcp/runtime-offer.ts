import type { Entry, Outcome, ToolRef, ToolResult } from 'flyball';
import { type Budget, budget as budgetOf, FlyballError } from 'flyball';
import { requireUnique } from './join-offers.js';
import type { McpAnswer, McpCallContext, McpOffer } from './offer.js';
import { type McpAgent, offeredAgent, offeredTool } from './offered.js';
import { runAnswer, stillRunning } from './run-answer.js';
import { progressIn } from './run-progress.js';
import { TOOL_CALL, toolCallBudget } from './tool-call-agent.js';

/** The part of a runtime that is needed here. */
export interface McpRunner {
  start(
    agent: string,
    input: unknown,
    options: { readonly budget: Budget; readonly subject?: string; readonly tenant?: string; readonly source?: string },
  ): Promise<{ readonly id: string; outcome(): Promise<Outcome<unknown>> }>;
  cancel(runId: string, options?: { readonly by?: string; readonly why?: string }): Promise<void>;
  subscribe(listener: (runId: string, entries: readonly Entry[]) => void): () => void;
}

/** What `runtimeOffer` needs. */
export interface RuntimeOfferParts<W> {
  readonly runtime: McpRunner;
  /** The runtime needs `toolCallAgent` over these under the name `TOOL_CALL`. */
  readonly tools?: readonly ToolRef[];
  readonly agents?: readonly McpAgent[];
  /** For whom runs are started. */
  readonly startedBy?: (who: W) => { readonly subject?: string; readonly tenant?: string; readonly source?: string };
  /** Longer than this nobody is kept waiting; the run goes on. 10 minutes where absent. */
  readonly waitMs?: number;
}

const WAIT_MS = 600_000;
/** A run that only sleeps wakes by itself: it is looked at again after so long. */
const LOOK_MS = 100;

/** The agents and tools of a runtime: every call is a run, with a journal, a budget and the guards of the runtime. */
export function runtimeOffer<W = undefined>(parts: RuntimeOfferParts<W>): McpOffer<W> {
  const { tools = [], agents = [] } = parts;
  const byName = new Map(agents.map((agent) => [offeredAgent(agent).name, agent]));
  const offered = [...agents.map(offeredAgent), ...tools.map(offeredTool)];
  requireUnique(offered.map(({ name }) => name));
  return {
    tools: () => offered,
    call: async (name, args, ctx) => {
      const agent = byName.get(name);
      if (agent === undefined) return callOfTool(parts, { tool: name, args }, ctx);
      const input = agent.inputSchema === undefined ? (args['input'] ?? null) : args;
      const limits = budgetOf({ ...agent.budget });
      const rest = await runToRest(parts, ctx, { agent: agent.name, input, budget: limits });
      if ('answer' in rest) return rest.answer;
      return runAnswer(rest.runId, rest.outcome, agent.present);
    },
  };
}

async function callOfTool<W>(
  parts: RuntimeOfferParts<W>,
  input: { readonly tool: string; readonly args: unknown },
  ctx: McpCallContext<W>,
): Promise<McpAnswer> {
  const rest = await runToRest(parts, ctx, { agent: TOOL_CALL, input, budget: toolCallBudget() });
  if ('answer' in rest) return rest.answer;
  const { runId, outcome } = rest;
  return outcome.stop === 'done' ? observed(outcome.value as ToolResult) : runAnswer(runId, outcome);
}

/** What a tool failed with is an observation for a model, here as in every loop. */
function observed(result: ToolResult): McpAnswer {
  if (result.ok) {
    const { content, parts, value } = result;
    return { ok: true, text: content, ...(parts === undefined ? {} : { parts }), value };
  }
  const { code, message } = result.failure;
  return { ok: false, code, message };
}

type Rest = { readonly runId: string; readonly outcome: Outcome<unknown> } | { readonly answer: McpAnswer };

/** Starts a run and stays with it: until it ends, waits for somebody, is taken back, or has taken too long. */
async function runToRest<W>(
  { runtime, startedBy, waitMs = WAIT_MS }: RuntimeOfferParts<W>,
  { who, signal, progress }: McpCallContext<W>,
  { agent, input, budget }: { readonly agent: string; readonly input: unknown; readonly budget: Budget },
): Promise<Rest> {
  const by = startedBy?.(who) ?? {};
  const run = await started(() => runtime.start(agent, input, { budget, ...by }));
  if ('answer' in run) return run;
  const stopListening = runtime.subscribe((runId, entries) => {
    if (runId === run.id) for (const message of entries.flatMap(progressIn)) progress(message);
  });
  const cancel = (): void => {
    const why = 'the MCP client took its call back or has gone';
    runtime.cancel(run.id, { by: by.subject ?? 'mcp', why }).catch(() => undefined); // it has ended by itself meanwhile
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const outcome = await within(waitMs, (isOver) => restOf(run, isOver));
    return outcome === undefined ? { answer: stillRunning(run.id) } : { runId: run.id, outcome };
  } finally {
    stopListening();
    signal.removeEventListener('abort', cancel);
  }
}

type Started = Awaited<ReturnType<McpRunner['start']>>;

/** What is refused about the request is told; every other failure is the server's own. */
async function started(start: () => Promise<Started>): Promise<Started | { readonly answer: McpAnswer }> {
  try {
    return await start();
  } catch (error) {
    const told = refusalIn(error);
    if (told === undefined) throw error;
    return { answer: { ok: false, ...told } };
  }
}

/** Refusals of guards and agents, and those that an HTTP edge has worded for its clients: over limits, say. */
function refusalIn(error: unknown): { readonly code: string; readonly message: string } | undefined {
  const { code, status, message } = Object(error) as Readonly<Record<string, unknown>>;
  const isOurs = error instanceof FlyballError && (error.code === 'INPUT_INVALID' || error.code === 'DENIED');
  const isWorded = typeof status === 'number' && status >= 400 && status < 500;
  if (!(isOurs || isWorded) || typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message };
}

async function restOf(run: Started, isOver: () => boolean): Promise<Outcome<unknown>> {
  for (;;) {
    const outcome = await run.outcome();
    const isAsleep =
      outcome.stop === 'suspended' && outcome.paused !== true && outcome.waiting.every(({ kind }) => kind === 'sleep');
    if (!isAsleep || isOver()) return outcome;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** What the work gives, or nothing when it takes longer. */
async function within<T>(ms: number, work: (isOver: () => boolean) => Promise<T>): Promise<T | undefined> {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve(undefined);
    }, ms);
  });
  try {
    return await Promise.race([work(() => isOver), late]);
  } finally {
    clearTimeout(timer);
  }
}
