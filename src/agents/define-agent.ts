import type { Amounts, Budget } from '../core/budget.js';
import { ConfigError, FlyballError, failureOf } from '../core/errors.js';
import type { Model } from '../core/model.js';
import { done, failed, type Outcome } from '../core/outcome.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Agent, Run } from '../core/run.js';
import { type Checked, type JsonSchema, jsonSchemaOf, type StandardSchema } from '../core/schema.js';
import type { Session } from '../core/session.js';
import { underSetup } from '../core/setup-chain.js';
import type { ToolRef } from '../core/tool.js';
import { type LoopFacts, type LoopObservation, type LoopParts, partsOf } from '../loops/loop-parts.js';
import type { Termination } from '../loops/termination.js';
import { runToolLoop, type ToolLoopEnd, type ToolLoopResult } from '../loops/tool-loop.js';
import type { Toolset } from '../tools/toolset.js';
import type { AgentSpec } from './agent-spec.js';
import { checkedInputs } from './fields.js';
import { type OutputForm, outputForm, readOutput } from './output.js';
import { systemPrompt } from './system-prompt.js';

/** A definition in TypeScript: the data of a YAML file, with the real things where the file has names. */
export interface AgentDefinition<O = unknown> extends Omit<AgentSpec, 'model' | 'tools'> {
  readonly model: Model;
  readonly tools?: Toolset | readonly ToolRef[];
  /** Instead of `outputs`: a schema of your library, whose type the output has. */
  readonly output?: StandardSchema<unknown, O>;
  readonly outputJsonSchema?: JsonSchema;
  /** How often an answer that does not fit is asked for again: 2 where it is absent. */
  readonly maxRepairs?: number;
  /** What the agent remembers about its inputs: a section that goes before them, or nothing. */
  readonly recall?: (run: Run, inputs: unknown) => Promise<string | undefined>;
  readonly observe?: (run: Run, observations: readonly LoopObservation[]) => Promise<void>;
  readonly mayIterate?: (spent: Amounts) => Termination | undefined;
  readonly stopWhen?: (facts: LoopFacts) => string | undefined;
}

/** What a single shot ends with. */
export interface AgentResult<O = unknown> {
  readonly output: O;
  readonly rawText: string;
  readonly tokens: number;
  readonly model: string;
}

export interface DefinedAgent<O = unknown> {
  readonly name: string;
  readonly version: string;
  readonly spec: AgentSpec;
  /** The system prompt. */
  readonly setup: string;
  readonly budget: Partial<Budget>;
  /** One model call, and a bounded number of repairs where the answer does not fit. */
  readonly invoke: Agent<unknown, AgentResult<O>>;
  /** The tool loop. Without tools it is a single shot. */
  readonly invokeIterative: Agent<unknown, ToolLoopResult<O>>;
  /** What a runtime runs: the loop. */
  readonly agent: Agent<unknown, ToolLoopResult<O>>;
  /** One turn of a conversation that stands on this agent's setup. */
  converse(run: Run, input: string | Prompt): Promise<ToolLoopEnd<O>>;
}

interface Made<O> {
  readonly definition: AgentDefinition<O>;
  readonly form: OutputForm;
  readonly session: Omit<Session, 'tools'>;
  readonly parts: LoopParts<O>;
}

/** An agent out of its definition: everything is checked here, before a token is spent. */
export function defineAgent<O = Readonly<Record<string, unknown>>>(definition: AgentDefinition<O>): DefinedAgent<O> {
  if (!/^[\w.-]+$/.test(definition.name))
    throw new ConfigError(`The name of an agent may hold letters, digits, "_", "-" and ".": got "${definition.name}".`);
  const form = outputForm(specOf(definition), schemaGiven(definition));
  const setup = systemPrompt(specOf(definition), form);
  const { name, model, sampling } = definition;
  const session = { name, model, setup, ...(sampling === undefined ? {} : { sampling }) };
  const made: Made<O> = { definition, form, session, parts: loopParts(definition, session, form) };
  const invokeIterative = iterative(made);
  return {
    name,
    version: definition.version ?? '1',
    spec: specOf(definition),
    setup,
    budget: definition.budget ?? {},
    invoke: singleShot(made),
    invokeIterative,
    agent: invokeIterative,
    converse: (run, input) => runToolLoop(run, made.parts, input),
  };
}

function loopParts<O>(definition: AgentDefinition<O>, session: Omit<Session, 'tools'>, form: OutputForm): LoopParts<O> {
  const { tools, loop, maxRepairs, observe, mayIterate, stopWhen } = definition;
  return partsOf<O>({
    session,
    read: (run, text) => read<O>(run, form, text),
    ...(tools === undefined ? {} : { tools }),
    ...(loop === undefined ? {} : { config: loop }),
    ...(maxRepairs === undefined ? {} : { maxRepairs }),
    ...(observe === undefined ? {} : { observe }),
    ...(mayIterate === undefined ? {} : { mayIterate }),
    ...(stopWhen === undefined ? {} : { stopWhen }),
  });
}

function iterative<O>(made: Made<O>): Agent<unknown, ToolLoopResult<O>> {
  return async (run, given) => {
    const prompt = await opening(run, made, given);
    return prompt.ok ? (await runToolLoop(run, made.parts, prompt.value)).outcome : failed(prompt.failure);
  };
}

const DEFAULT_REPAIRS = 2;

function singleShot<O>(made: Made<O>): Agent<unknown, AgentResult<O>> {
  const { definition, form } = made;
  const session: Session = { ...made.session, ...nativeSchema(definition.model, form) };
  return async (run, given) => {
    const opened = await opening(run, made, given);
    if (!opened.ok) return failed(opened.failure);
    let prompt = opened.value;
    let tokens = 0;
    for (let repairs = 0; ; repairs++) {
      const reply = await run.ask(session, prompt);
      tokens += reply.usage.input + reply.usage.output;
      const output = await read<O>(run, form, reply.text);
      if (output.ok) return done({ output: output.value, rawText: reply.text, tokens, model: reply.model });
      if (repairs >= (definition.maxRepairs ?? DEFAULT_REPAIRS)) return unfit(definition.name, output.problem);
      const content = `That answer does not fit the required format. Give it again, corrected. ${output.problem}`;
      prompt = append(reply.prompt, { role: 'user', content, owner: 'loop', trust: 'system' });
    }
  };
}

function unfit<O>(name: string, problem: string): Outcome<O> {
  return failed(
    failureOf(new FlyballError('REPLY_INVALID', `The answer of ${name} does not fit its schema: ${problem}`)),
  );
}

/** A provider that can hold the model to the schema is asked to; the answer is checked all the same. */
function nativeSchema(model: Model, form: OutputForm): Pick<Session, 'outputJsonSchema'> {
  return form.kind === 'schema' && model.capabilities.structuredOutput ? { outputJsonSchema: form.schema } : {};
}

type Opening =
  | { readonly ok: true; readonly value: Prompt }
  | { readonly ok: false; readonly failure: ReturnType<typeof failureOf> };

/** The inputs as the first message, after what is remembered. Inputs are checked before anything is spent. */
async function opening<O>(run: Run, { definition, session }: Made<O>, given: unknown): Promise<Opening> {
  const inputs = await inputsOf(run, definition, given);
  if (!inputs.ok) return inputs;
  const remembered = await definition.recall?.(run, inputs.value);
  const content = typeof inputs.value === 'string' ? inputs.value : JSON.stringify(inputs.value, null, 2);
  // recalled text may have come from outside: it is material, and goes before the task
  const base =
    remembered === undefined
      ? undefined
      : append(undefined, { role: 'user', content: remembered, owner: 'memory', trust: 'outside' });
  return { ok: true, value: underSetup(session, append(base, { role: 'user', content })) };
}

type Inputs =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: ReturnType<typeof failureOf> };

function inputsOf<O>(run: Run, { name, inputs = {} }: AgentDefinition<O>, given: unknown): Promise<Inputs> {
  if (Object.keys(inputs).length === 0) return Promise.resolve({ ok: true, value: given ?? '' });
  // in an effect: the first check loads the validator, which the agent's own code must not wait for
  return run.step(
    'check-inputs',
    given ?? null,
    async (value): Promise<Inputs> => {
      try {
        return { ok: true, value: await checkedInputs(name, inputs, value) };
      } catch (error) {
        return { ok: false, failure: failureOf(error) };
      }
    },
    'pure',
  );
}

function read<O>(run: Run, form: OutputForm, text: string): Promise<Checked<O>> {
  return run.step('read-output', text, () => readOutput(form, text) as Promise<Checked<O>>, 'pure');
}

function schemaGiven<O>(
  definition: AgentDefinition<O>,
): { readonly schema: JsonSchema; readonly check: StandardSchema } | undefined {
  const { output, outputJsonSchema, name } = definition;
  if (output === undefined) return undefined;
  const schema = outputJsonSchema ?? jsonSchemaOf(output as StandardSchema);
  if (schema === undefined)
    throw new ConfigError(`The output schema of ${name} cannot be shown to a model: pass outputJsonSchema beside it.`);
  return { schema, check: output as StandardSchema };
}

/** The data of a definition, for views and for the prompt. */
function specOf<O>(definition: AgentDefinition<O>): AgentSpec {
  const {
    model,
    tools = [],
    output: _output,
    recall: _recall,
    observe: _observe,
    mayIterate: _may,
    stopWhen: _stop,
    outputJsonSchema,
    maxRepairs: _repairs,
    ...data
  } = definition;
  const names = ('narrow' in tools ? tools.tools : tools).map(({ name }) => name);
  return {
    ...data,
    model: model.id,
    tools: names,
    ...(outputJsonSchema === undefined ? {} : { outputSchema: outputJsonSchema }),
  };
}
