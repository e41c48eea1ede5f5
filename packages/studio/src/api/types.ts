import type { CountedAxis } from '../../../flyball/src/core/budget.js';
import type { ForkPoint } from '../../../flyball/src/core/events.js';
import type { AxisUse, RunSummary, SummaryStatus } from '../../../flyball/src/views/summary.js';

/** What the server's resources look like from here; its own schemas are described at /openapi.json. */
export type RunStatus = SummaryStatus | 'stalled';

export interface RunCard {
  readonly id: string;
  readonly agent: string;
  readonly mode: 'iterative' | 'once' | 'conversation' | 'workflow' | 'tool';
  readonly version: string;
  readonly tenant: string;
  readonly subject: string;
  /** How what was asked of it begins. */
  readonly asked?: string;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly phase?: string;
  readonly waiting: readonly string[];
  /** Approvals and questions that wait for a person. */
  readonly asks: number;
  readonly crashes: number;
  readonly takeovers: number;
  readonly attempts: number;
  readonly usage: Readonly<Partial<Record<CountedAxis, AxisUse>>>;
  readonly outcome?: {
    readonly stop: string;
    readonly because?: string;
    /** How its answer begins. */
    readonly answer?: string;
  };
  readonly fork?: ForkPoint;
  readonly attention?: string;
  readonly entries: number;
}

export interface RunDetail extends RunCard {
  readonly summary: RunSummary;
  readonly input: unknown;
}

export interface RunList {
  readonly runs: readonly RunCard[];
  readonly cursor?: string;
}

export interface AgentCard {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly kind: 'agent' | 'workflow';
  readonly modes: readonly ('iterative' | 'once' | 'conversation')[];
  /** Absent where its code decides. */
  readonly tools?: readonly string[];
  readonly model?: string;
  /** Set when it runs on the scripted demonstration model. */
  readonly demonstration?: string;
}

export interface WhoAmI {
  readonly id: string;
  readonly kind: string;
  readonly tenant: string;
  readonly subject: string;
  readonly scopes: readonly string[];
}
