import { AXES } from 'flyball/internal';
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
    { description: 'Limits by axis. They can lower those of the agent; raising one is refused.' },
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
    tools: s.optional(s.list(s.string(), { description: 'Absent if only the code of the agent knows what it calls.' })),
    model: s.optional(s.string()),
    demonstration: s.optional(s.string({ description: 'Present if its model is a script; explains what that means.' })),
  }),
);
/** An A2A agent card. */
export type AgentCard = TypeOf<typeof agentCardSchema>;

const axisUse = s.object({
  spent: s.number(),
  limit: s.optional(s.number()),
  possibly: s.optional(
    s.number({
      description:
        'What interrupted calls may have cost, and runs that were started and not joined may cost, in addition.',
    }),
  ),
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
    asked: s.optional(s.string({ description: 'The start of its input, as one line.' })),
    status: s.enumOf(STATUSES),
    createdAt: instant('When it was started'),
    updatedAt: instant('When it last changed'),
    phase: s.optional(s.string()),
    waiting: s.list(s.string(), { description: 'Names of the signals the run waits for.' }),
    asks: s.integer({ description: 'Number of open requests to people.' }),
    crashes: s.integer({ description: 'Crashes in a row without progress.' }),
    takeovers: s.integer({ description: 'How often another process resumed it after a crash.' }),
    attempts: s.integer(),
    usage: s.record(axisUse, { description: 'By axis of the budget.' }),
    outcome: s.optional(
      s.object({
        stop: s.string(),
        because: s.optional(s.string()),
        answer: s.optional(s.string({ description: 'The start of its answer, if it is text.' })),
      }),
    ),
    fork: s.optional(s.object({ run: s.string(), generation: s.integer(), seq: s.integer() })),
    attention: s.optional(s.string({ description: 'Why it is stalled.' })),
    entries: s.integer({ description: 'Length of its journal.' }),
  }),
);
/** The status of a run in lists and streams. */
export type RunCard = TypeOf<typeof runCardSchema>;

export const entrySchema = s.named(
  'Entry',
  s.object({
    generation: s.integer(),
    seq: s.integer(),
    at: instant('When it was written'),
    activeMs: s.number({ description: 'Active time of the run up to here.' }),
    event: s.any({ type: 'object', description: 'The event; docs/events.md lists all types.', required: ['type'] }),
  }),
);

export const problemSchema = s.named(
  'Problem',
  s.object({
    title: s.string(),
    status: s.integer(),
    detail: s.string({ description: 'A sentence for people.' }),
    code: s.string({ description: 'The error code, for programs.' }),
    retryable: s.boolean({ description: 'Whether the same request can succeed later.' }),
    next: s.optional(s.string({ description: 'What to do next.' })),
    requestId: s.string(),
  }),
);
