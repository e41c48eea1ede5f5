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
  return `# The agent. \`flyball run agent.yaml\` gives it a task, \`flyball chat agent.yaml\` starts a chat.
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

# The model; if not set, FLYBALL_MODEL is used. A model without a known price needs a price in USD per million
# tokens, so that its cost can be limited.
# model: ollama/llama3.2
# price: { input: 0, output: 0 }

# Built-in tools, and those in tools/. They can only read this folder. To let them write, add access: { write: [notes] };
# with autonomy: supervised, the agent asks you first.
tools: [read_file, list_files, search_files, count_words]
autonomy: read-only

# Hard limits of a run.
budget:
  costUsd: 0.5
  modelCalls: 20
  toolCalls: 40
`;
}

const TOOL = `import { tool } from 'flyball/tools';

/** A tool: its description, its input, its effect class, and what it does. */
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
  legs: [], // no untrusted content, no private data, no outbound access
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

/** Only the model is scripted; the tools, the loop and the limits are real. */
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
| \`npm test\` | runs the agent with a scripted model; needs no API key |
| \`npx flyball doctor\` | checks which models are configured and available |
| \`npx flyball run agent.yaml --input '{"question":"What is in this folder?"}'\` | gives the agent a task |
| \`npx flyball chat agent.yaml\` | chats with the agent |
| \`npx flyball serve agent.yaml\` | serves the agent over HTTP, with a studio; first \`npm install @flyball/server\` |

\`agent.yaml\` defines the agent, \`tools/\` contains its tools and \`test/\` its tests. Choose a model with \`FLYBALL_MODEL\`, for example
\`ollama/llama3.2\`, or \`openai/gpt-4.1-mini\` with \`OPENAI_API_KEY\` set.
`;
}
