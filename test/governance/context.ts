import { budget, type GuardContext, type Seams, type Tool, type ToolRef, type ToolVerdict } from 'flyball';
import { type Amounts, NOTHING } from '../../packages/flyball/src/core/budget.js';
import type { GuardDecision } from '../../packages/flyball/src/core/events.js';
import { through } from '../../packages/flyball/src/core/join-seams.js';

export interface TestContext extends GuardContext {
  /** What guards told. */
  readonly decisions: readonly GuardDecision[];
}

export interface ContextParts {
  readonly runId?: string;
  readonly subject?: string;
  readonly tenant?: string;
  readonly calledTools?: Readonly<Record<string, number>>;
  readonly spent?: Partial<Amounts>;
}

/** A guard's context without a run around it, for what needs no journal. */
export function context(parts: ContextParts = {}): TestContext {
  const decisions: GuardDecision[] = [];
  const { runId = 'run', subject = 'ada', tenant = 'acme', calledTools = {}, spent = {} } = parts;
  return {
    runId,
    subject,
    tenant,
    at: '#0',
    calledTools,
    triedTools: Object.keys(calledTools),
    budget: { limits: budget(), spent: { ...NOTHING, ...spent }, before: NOTHING },
    decide: (decision) => decisions.push(decision),
    decisions,
  };
}

/** What the seams say about a call. */
export function proposed(
  seams: Seams,
  tool: ToolRef,
  args: unknown = {},
  ctx: GuardContext = context(),
): Promise<ToolVerdict> {
  const last = async (value: { readonly args: unknown }) => ({ allow: true, args: value.args }) as const;
  return through(seams, 'tool.pre', last)({ tool, args }, ctx);
}

/** A tool that does nothing but have the given properties. */
export function toolOf<A = unknown>(parts: Partial<Tool<A, unknown>> & { readonly name: string }): Tool<A, unknown> {
  return { description: 'For tests.', effect: 'pure', execute: async () => `${parts.name} was executed`, ...parts };
}

export const undoable = { class: 'undoable', compensate: async (): Promise<void> => undefined } as const;
