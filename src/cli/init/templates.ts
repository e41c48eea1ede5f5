/** The files of a new project: one agent, one tool, one test, and nothing that has to be built. */
export function templates(given: {
  readonly name: string;
  readonly dependencies: Readonly<Record<string, string>>;
}): Readonly<Record<string, string>> {
  return {
    'package.json': `${JSON.stringify(manifest(given), null, 2)}\n`,
    'agent.yaml': agent(given.name),
    'tools/count-words.mjs': TOOL,
    'test/agent.test.mjs': TEST,
    '.gitignore': 'node_modules/\n.flyball/\n',
    'README.md': readme(given.name),
  };
}

function manifest(given: { readonly name: string; readonly dependencies: Readonly<Record<string, string>> }): unknown {
  const { name, dependencies } = given;
  return {
    name,
    private: true,
    type: 'module',
    scripts: { chat: 'flyball chat agent.yaml', doctor: 'flyball doctor', test: 'node --test test/*.test.mjs' },
    dependencies,
  };
}

function agent(name: string): string {
  return `# An agent as data. \`flyball run agent.yaml\` gives it a task, \`flyball chat agent.yaml\` talks with it.
name: ${JSON.stringify(name)}
description: You answer questions about the text files in this folder, and say where you found the answer.

capabilities:
  - Reading, listing and searching files below this folder
  - Counting words
constraints:
  - Say which file an answer comes from.
guardrails:
  - Never claim to have read a file that you did not read.

inputs:
  question:
    type: string
    description: What to find out
outputs:
  answer:
    description: The answer, with the names of the files it comes from

# Which model: FLYBALL_MODEL decides where this is absent. A model whose price is not known needs a price,
# in USD per million tokens: without one its cost could not be bounded.
# model: ollama/llama3.2
# price: { input: 0, output: 0 }

# Built-in tools, and those in tools/. They may read this folder and nothing else; access: { write: [notes] } would let
# them write, and with autonomy: supervised they would ask you first.
tools: [read_file, list_files, search_files, count_words]
autonomy: read-only

# The run cannot go past these, whatever the model says.
budget:
  costUsd: 0.5
  modelCalls: 20
  toolCalls: 40
`;
}

const TOOL = `import { tool } from 'flyball/tools';

/** A tool: what it is for, what it takes, what repeating it means, and what it does. */
export default tool({
  name: 'count_words',
  description: 'Counts the words of a text. Not for files: read those first.',
  input: {
    type: 'object',
    properties: { text: { type: 'string', description: 'the text itself' } },
    required: ['text'],
    additionalProperties: false,
  },
  effect: 'pure',
  legs: [], // it brings no text in from outside, holds nothing private and sends nothing out
  execute: async ({ text }) => ({ words: String(text).split(/\\s+/).filter((word) => word !== '').length }),
});
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budget, createRuntime, memoryEngine } from 'flyball';
import { agentFromFile, toolsFromFolder } from 'flyball/adapters/definitions';
import { bindAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { filesTools } from 'flyball/toolbox';
import { toolRegistry } from 'flyball/tools';

/** Only the model is scripted: the tools, the loop and the bounds are the real ones. */
test('counts the words of a text with its tool and answers', async () => {
  const spec = await agentFromFile('agent.yaml');
  const model = scriptedModel({
    [spec.name]: [
      { toolCalls: [{ id: 'call_1', name: 'count_words', arguments: '{"text":"one two three"}' }] },
      'Three words.',
      '{"answer":"Three words."}',
    ],
  });
  const tools = toolRegistry([...filesTools({ allow: process.cwd() }), ...(await toolsFromFolder('tools'))]);
  const agent = bindAgent(spec, { model: () => model, defaultModel: model.id, tools });
  const runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });

  const run = await runtime.start('agent', { question: 'How many words has "one two three"?' }, { budget: budget(agent.budget) });
  const outcome = await run.outcome();

  assert.equal(outcome.stop, 'done');
  assert.deepEqual(outcome.value.output, { answer: 'Three words.' });
  assert.deepEqual(outcome.value.toolsUsed, ['count_words']);
  await runtime.close();
});
`;

function readme(name: string): string {
  return `# ${name}

| Command | What it does |
| --- | --- |
| \`npm test\` | runs the agent over a scripted model: no key needed |
| \`npx flyball doctor\` | says which models are configured and whether they answer |
| \`npx flyball run agent.yaml --input '{"question":"What is in this folder?"}'\` | gives it a task |
| \`npx flyball chat agent.yaml\` | talks with it |
| \`npx flyball serve agent.yaml\` | serves it over HTTP, with a studio; first \`npm install hono @hono/node-server\` |

\`agent.yaml\` is the agent, \`tools/\` holds its tools, \`test/\` its tests. Choose a model with \`FLYBALL_MODEL\`, for instance
\`ollama/llama3.2\`, or \`openai/gpt-4.1-mini\` with \`OPENAI_API_KEY\` set.
`;
}
