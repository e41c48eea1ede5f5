import { agentCardSchema, budgetSchema } from './resources.js';
import { s, type TypeOf } from './schema.js';

/** Requests and answers of the two invoke routes: the one place with names in snake case, as their clients know them. */

const invokeFields = {
  inputs: s.any({ description: 'The inputs of the agent, matching its schema.' }),
  model: s.optional(s.string({ description: 'Another model, if the server allows it.', maxLength: 200 })),
  temperature: s.optional(s.number({ minimum: 0, maximum: 2 })),
  budget: s.optional(budgetSchema),
};

export const invokeSchema = s.named('InvokeRequest', s.object(invokeFields));
export type InvokeRequest = TypeOf<typeof invokeSchema>;

export const invokeIterativeSchema = s.named(
  'InvokeIterativeRequest',
  s.object({
    ...invokeFields,
    max_iterations: s.optional(s.integer({ minimum: 1, description: 'At most what the agent allows.' })),
    max_tool_calls_per_iteration: s.optional(s.integer({ minimum: 1, description: 'At most what the agent allows.' })),
    error_threshold: s.optional(
      s.integer({ minimum: 1, description: 'Failed calls in a row that end the loop; at most what the agent allows.' }),
    ),
    loop_detection_threshold: s.optional(
      s.integer({
        minimum: 2, // the first call of its kind repeats nothing
        description: 'How often the same call can return the same result; at most what the agent allows.',
      }),
    ),
    enable_double_confirmation: s.optional(s.boolean({ description: 'Ask the model once to confirm its answer.' })),
  }),
);
export type InvokeIterativeRequest = TypeOf<typeof invokeIterativeSchema>;

const resultFields = {
  agent: s.string(),
  output: s.any({ description: 'The output of the agent; null until there is one.' }),
  tokens_used: s.integer(),
  model: s.string(),
  run_id: s.string(),
  stop: s.string({ description: '`running` if it continues without its client, otherwise how it stopped.' }),
  because: s.optional(s.string()),
  waiting_for: s.optional(s.list(s.string())),
  approvals: s.optional(
    s.list(
      s.object({
        id: s.string(),
        kind: s.enumOf(['approval', 'question', 'doubt']),
        about: s.string(),
        url: s.string({ description: 'URL of the request. Append `/decide` or `/answer` to respond.' }),
      }),
      { description: 'Open requests to people that the run waits for.' },
    ),
  ),
  acts: s.optional(
    s.list(
      s.object({
        id: s.string(),
        name: s.string({ description: 'Name of the tool or step.' }),
        effect_class: s.string(),
        what: s.string({ description: '`took-place`, `refused`, `failed`, `in-doubt` or `simulated`.' }),
        undone: s.optional(s.boolean()),
      }),
      { description: 'What the run changed or tried to change, from its journal. Present once the run has ended.' },
    ),
  ),
  acts_left_out: s.optional(s.integer({ description: 'Number of further acts that are not listed.' })),
};

export const invokedSchema = s.named('InvokeResponse', s.object(resultFields));
export type Invoked = TypeOf<typeof invokedSchema>;

export const invokedIterativeFields = {
  ...resultFields,
  iterations: s.integer(),
  tool_calls_made: s.integer(),
  tools_used: s.list(s.string()),
  termination_reason: s.string({ description: 'Why the loop ended; empty until it has.' }),
};

export const invokedIterativeSchema = s.named('InvokeIterativeResponse', s.object(invokedIterativeFields));

export const agentDetailSchema = s.named(
  'AgentDetail',
  s.object({
    ...(agentCardFields() as Record<string, ReturnType<typeof s.any>>),
    skills: s.list(s.string()),
    budget: s.record(s.number(), { description: 'Limits of every run of the agent.' }),
    models: s.list(s.string(), { description: 'Models that a request may choose.' }),
    inputs: s.optional(s.any({ description: 'JSON Schema of the inputs.' })),
    outputs: s.optional(s.any({ description: 'JSON Schema of the output.' })),
  }),
);

/** The fields of a card again, each under its own schema. */
function agentCardFields(): Record<string, unknown> {
  const { properties = {}, required = [] } = agentCardSchema.json as {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
  return Object.fromEntries(
    Object.entries(properties).map(([name, json]) => [
      name,
      required.includes(name) ? { json } : { json, optional: true },
    ]),
  );
}
