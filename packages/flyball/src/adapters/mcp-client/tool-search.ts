import type { Model } from '../../core/model.js';
import type { Run } from '../../core/run.js';
import type { StandardSchema } from '../../core/schema.js';
import type { Session } from '../../core/session.js';
import type { ToolRef } from '../../core/tool.js';
import { selectTools } from '../../tools/select-tools.js';
import { type Toolset, toolset } from '../../tools/toolset.js';

/** A model that selects tools for a task. */
export interface ToolSearch {
  readonly model: Model;
  readonly tools: readonly ToolRef[];
  /** At most so many tools: 10 where absent. */
  readonly limit?: number;
}

const LIMIT = 10;
/** Of a description, which here only has to tell a tool from the others. */
const SHOWN = 200;
const SETUP =
  'You pick tools for a task and do nothing else. You are given the task and a list of tools, one in a line. ' +
  'Answer with JSON: {"tools": ["name", …]}, 3 to 10 names from the list, the most useful first.';

/**
 * The few tools that a task needs, chosen by one model call over names and first words: with more than 15 tools that is
 * cheaper than showing every schema with every request. Where the answer names none, the words of the task decide.
 */
export async function searchTools(run: Run, task: string, search: ToolSearch): Promise<Toolset> {
  const { tools, limit = LIMIT } = search;
  const all = toolset(tools);
  const lines = tools.map(({ name, description }) => `${name}: ${description.replace(/\s+/g, ' ').slice(0, SHOWN)}`);
  const { value } = await run.ask(sessionFor(search.model), `Task: ${task}\n\nTools:\n${lines.join('\n')}`);
  const known = [...new Set(value)].filter(all.has);
  const names = known.length > 0 ? known : selectTools(task, tools, limit).map(({ tool }) => tool.name);
  return all.narrow({ include: names.slice(0, limit) });
}

function sessionFor(model: Model): Session<readonly string[]> {
  return { name: 'tool-search', model, setup: SETUP, output: NAMES, outputJsonSchema: NAMES_SCHEMA };
}

const NAMES_SCHEMA = {
  type: 'object',
  properties: { tools: { type: 'array', items: { type: 'string' } } },
  required: ['tools'],
  additionalProperties: false,
} as const;

const NAMES: StandardSchema<unknown, readonly string[]> = {
  '~standard': {
    version: 1,
    vendor: 'flyball',
    validate: (value) => {
      const { tools } = Object(value) as { readonly tools?: unknown };
      if (Array.isArray(tools) && tools.every((name) => typeof name === 'string')) return { value: tools };
      return { issues: [{ message: 'answer with {"tools": ["name", …]}' }] };
    },
  },
};
