import type { ModelReply, ModelRequest } from '../core/model.js';
import type { Outcome } from '../core/outcome.js';
import type { ToolRef } from '../core/tool.js';

/**
 * Named places that no call can go around. Middleware is `(next) => (value, ctx) => …`, run in the order given:
 * the first one sees the value first and the result last. Seams inside an effect run once, live; their result is
 * journaled, so a replay never asks a guard again.
 */
export interface SeamContext {
  readonly runId: string;
  readonly tenant: string;
  readonly subject: string;
  /** Scope or effect the value belongs to. */
  readonly at: string;
}

export type Step<V, R> = (value: V, ctx: SeamContext) => Promise<R>;
export type Middleware<V, R> = (next: Step<V, R>) => Step<V, R>;

export type ToolVerdict =
  | { readonly allow: true; readonly args: unknown }
  | { readonly allow: false; readonly why: string };

export interface SeamTypes {
  /** Around the agent function. Runs again on replay: it must be as deterministic as the agent. */
  run: { value: unknown; result: Outcome<unknown> };
  /** The run's input, before it is journaled. */
  input: { value: unknown; result: unknown };
  model: { value: ModelRequest; result: ModelReply };
  'tools.load': { value: readonly ToolRef[]; result: readonly ToolRef[] };
  /** Before INTENT: allow, change the arguments, or refuse. */
  'tool.pre': { value: { readonly tool: ToolRef; readonly args: unknown }; result: ToolVerdict };
  'tool.exec': { value: { readonly tool: ToolRef; readonly args: unknown; readonly key: string }; result: unknown };
  'tool.post': { value: { readonly tool: ToolRef; readonly args: unknown; readonly result: unknown }; result: unknown };
  /** What a wait or an approval shows to the other side. */
  outbound: { value: { readonly name: string; readonly request: unknown }; result: unknown };
  'state.write': {
    value: { readonly collection: string; readonly key: string; readonly value: unknown };
    result: unknown;
  };
  handoff: { value: { readonly agent: string; readonly input: unknown }; result: unknown };
  output: { value: Outcome<unknown>; result: Outcome<unknown> };
}

export type SeamName = keyof SeamTypes;
export type Seams = { readonly [S in SeamName]?: readonly Middleware<SeamTypes[S]['value'], SeamTypes[S]['result']>[] };

/** Runs `value` through the seam's middleware and ends in `last`. */
export function through<S extends SeamName>(
  seams: Seams,
  seam: S,
  last: Step<SeamTypes[S]['value'], SeamTypes[S]['result']>,
): Step<SeamTypes[S]['value'], SeamTypes[S]['result']> {
  const chain = seams[seam] as readonly Middleware<SeamTypes[S]['value'], SeamTypes[S]['result']>[] | undefined;
  if (chain === undefined) return last;
  return chain.reduceRight((next, middleware) => middleware(next), last);
}

export function hasSeam(seams: Seams, seam: SeamName): boolean {
  return (seams[seam]?.length ?? 0) > 0;
}
