import { AXES } from '../../core/budget.js';
import { s, type TypeOf } from './schema.js';

/** What several routes answer with. Names are the journal's own. */

export const STATUSES = [
  'pending',
  'running',
  'suspended',
  'paused',
  'stalled',
  'done',
  'degraded',
  'blocked',
  'bounded',
  'failed',
  'cancelled',
] as const;
export const MODES = ['iterative', 'once', 'conversation', 'workflow', 'tool'] as const;

const instant = (description: string) => s.integer({ description: `${description}, in milliseconds since 1970` });

export const budgetSchema = s.named(
  'Bounds',
  s.object(
    Object.fromEntries(
      [...AXES, 'depth', 'width', 'noProgress', 'deadline'].map((axis) => [axis, s.optional(s.number({ minimum: 0 }))]),
    ) as Record<
      (typeof AXES)[number] | 'depth' | 'width' | 'noProgress' | 'deadline',
      ReturnType<typeof optionalNumber>
    >,
    { description: 'Limits by axis. They may lower those of the agent; what would raise one is refused.' },
  ),
);
function optionalNumber() {
  return s.optional(s.number());
}

export const agentCardSchema = s.named(
  'Agent',
  s.object({
    name: s.string(),
    version: s.string(),
    description: s.string(),
    kind: s.enumOf(['agent', 'workflow']),
    modes: s.list(s.enumOf(['iterative', 'once', 'conversation'])),
    tools: s.optional(s.list(s.string(), { description: 'Absent for an agent whose code decides what it calls.' })),
    model: s.optional(s.string()),
    demonstration: s.optional(s.string({ description: 'There when its model is a script, and what that means.' })),
  }),
);
export type AgentCard = TypeOf<typeof agentCardSchema>;

const axisUse = s.object({
  spent: s.number(),
  limit: s.optional(s.number()),
  possibly: s.optional(s.number({ description: 'What calls that were cut off may have cost beside what was spent.' })),
});

export const runCardSchema = s.named(
  'Run',
  s.object({
    id: s.string(),
    agent: s.string(),
    mode: s.enumOf(MODES),
    version: s.string(),
    tenant: s.string(),
    subject: s.string(),
    asked: s.optional(s.string({ description: 'How what was asked of it begins: its input as one line.' })),
    status: s.enumOf(STATUSES),
    createdAt: instant('When it was started'),
    updatedAt: instant('When something last happened'),
    phase: s.optional(s.string()),
    waiting: s.list(s.string(), { description: 'Names of the signals it waits for.' }),
    asks: s.integer({ description: 'Open questions to people.' }),
    crashes: s.integer({ description: 'Crashes in a row without progress.' }),
    takeovers: s.integer({ description: 'How often another process went on after a crash.' }),
    attempts: s.integer(),
    usage: s.record(axisUse, { description: 'By axis of the budget.' }),
    outcome: s.optional(
      s.object({
        stop: s.string(),
        because: s.optional(s.string()),
        answer: s.optional(s.string({ description: 'How its answer begins, where that is a text.' })),
      }),
    ),
    fork: s.optional(s.object({ run: s.string(), generation: s.integer(), seq: s.integer() })),
    attention: s.optional(s.string({ description: 'Why it is stalled.' })),
    entries: s.integer({ description: 'Length of its journal.' }),
  }),
);
export type RunCard = TypeOf<typeof runCardSchema>;

export const entrySchema = s.named(
  'Entry',
  s.object({
    generation: s.integer(),
    seq: s.integer(),
    at: instant('When it was written'),
    activeMs: s.number({ description: 'Active time of the run up to here.' }),
    event: s.any({ type: 'object', description: 'What happened: docs/events.md has every kind.', required: ['type'] }),
  }),
);

export const problemSchema = s.named(
  'Problem',
  s.object({
    title: s.string(),
    status: s.integer(),
    detail: s.string({ description: 'One sentence for a person.' }),
    code: s.string({ description: 'Which problem it is, for programs.' }),
    retryable: s.boolean({ description: 'Whether the same request may succeed later.' }),
    next: s.optional(s.string({ description: 'What to do next.' })),
    requestId: s.string(),
  }),
);
