import type { Budget } from '../core/budget.js';
import { ConfigError } from '../core/errors.js';
import type { Model } from '../core/model.js';
import { failed } from '../core/outcome.js';
import { append, type Prompt } from '../core/prompt.js';
import type { Agent, Run } from '../core/run.js';
import { type Checked, type JsonSchema, jsonSchemaOf, type StandardSchema } from '../core/schema.js';
import type { Session } from '../core/session.js';
import type { ToolRef } from '../core/tool.js';
import { DEFAULT_REPAIRS, type LoopParts, partsOf } from '../loops/tool-loop/loop-parts.js';
import { runToolLoop, type ToolLoopEnd, type ToolLoopResult } from '../loops/tool-loop/tool-loop.js';
import type { ObservationCapture } from '../memory/capture.js';
import type { Memory } from '../memory/memory.js';
import type { AutonomyBudget } from '../tools/autonomy/autonomy-budget.js';
import { autonomySeams } from '../tools/governance/governance.js';
import { type Toolset, toolset } from '../tools/toolset.js';
import type { AgentSpec } from './agent-spec.js';
import { checkAgentSpec } from './check-agent-spec.js';
import { type OpeningParts, opening, reminder } from './opening.js';
import { type OutputForm, outputForm, readOutput } from './output.js';
import { type AgentResult, singleShot } from './single-shot.js';
import { systemPrompt } from './system-prompt.js';

/** A definition in TypeScript: the data of a YAML file, with the real things where the file has names. */
export interface AgentDefinition<O = unknown> extends Omit<AgentSpec, 'model' | 'tools'>, AgentFittings<O> {
  readonly model: Model;
  readonly tools?: Toolset | readonly ToolRef[];
}

/** What an agent is fitted with beside its data. */
export interface AgentFittings<O = unknown> {
  /** Instead of `outputs`: a schema of your library, whose type the output has. */
  readonly output?: StandardSchema<unknown, O>;
  readonly outputJsonSchema?: JsonSchema;
  /** How often an answer that does not fit is asked for again: 2 where it is absent. */
  readonly maxRepairs?: number;
  /** What it is reminded of before its inputs, and may search by itself where it works with tools. */
  readonly memory?: Memory;
  /** Carries what happens into memory. */
  readonly capture?: ObservationCapture;
  /** Decides over the counters of the run; a default profile where it is absent. */
  readonly autonomyBudget?: AutonomyBudget;
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
  converse(run: Run, input: string | Prompt): Promise<ToolLoopEnd<unknown>>;
}

interface Made<O> {
  readonly definition: AgentDefinition<O>;
  readonly form: OutputForm;
  readonly session: Omit<Session, 'tools'>;
  readonly parts: LoopParts<O>;
}

/** An agent out of its definition: everything is checked here, before a token is spent. */
export function defineAgent<O = Readonly<Record<string, unknown>>>(definition: AgentDefinition<O>): DefinedAgent<O> {
  const spec = checkAgentSpec(dataOf(definition), `Agent "${String(definition.name)}"`);
  const form = outputForm(spec, schemaGiven(definition));
  const setup = systemPrompt(spec, form);
  const { name, sampling } = spec;
  const session = { name, model: definition.model, setup, ...(sampling === undefined ? {} : { sampling }) };
  const made: Made<O> = { definition, form, session, parts: loopParts(definition, session, form) };
  const talk = talking(definition, spec);
  const held = heldTo(spec);
  const invoke = inOneShot(made);
  const iterate = iterative(made);
  const invokeIterative: typeof iterate = (run, input) => iterate(held(run), input);
  return {
    name,
    version: spec.version ?? '1',
    spec,
    setup,
    budget: spec.budget ?? {},
    invoke: (run, input) => invoke(held(run), input),
    invokeIterative,
    agent: invokeIterative,
    converse: (run, input) => converse(held(run), talk, input),
  };
}

/** Whoever runs the agent, and however: its calls are held to its autonomy level. */
function heldTo({ autonomy }: AgentSpec): (run: Run) => Run {
  if (autonomy === undefined) return (run) => run;
  const seams = autonomySeams(autonomy);
  return (run) => run.guarded(seams);
}

/** In a conversation an answer is text for a person: it has no format, and nobody asks whether it is the last one. */
function talking<O>(definition: AgentDefinition<O>, spec: AgentSpec): Made<unknown> {
  const { outputs: _outputs, outputSchema: _schema, ...told } = spec;
  const { output: _output, outputJsonSchema: _json, ...rest } = definition;
  const form: OutputForm = { kind: 'named', fields: [] };
  const { name, sampling } = spec;
  const session = {
    name,
    model: definition.model,
    setup: systemPrompt(told, form),
    ...(sampling === undefined ? {} : { sampling }),
  };
  const talker: AgentDefinition = { ...rest, loop: { doubleConfirmation: false, ...definition.loop } };
  return { definition: talker, form, session, parts: loopParts(talker, session, form) };
}

function loopParts<O>(
  definition: AgentDefinition<O>,
  session: Omit<Session, 'tools'>,
  form: OutputForm,
  tools = definition.tools,
): LoopParts<O> {
  const { loop, maxRepairs, capture, autonomyBudget } = definition;
  return partsOf<O>({
    session,
    read: (run, text) => read<O>(run, form, text),
    ...(tools === undefined ? {} : { tools }),
    ...(loop === undefined ? {} : { config: loop }),
    ...(maxRepairs === undefined ? {} : { maxRepairs }),
    ...(capture === undefined ? {} : { capture }),
    ...(autonomyBudget === undefined ? {} : { autonomy: autonomyBudget }),
  });
}

function iterative<O>(made: Made<O>): Agent<unknown, ToolLoopResult<O>> {
  return async (run, given) => {
    const opened = await opening(run, openingParts(made, canRecall(made)), given);
    if (!opened.ok) return failed(opened.failure);
    return (await runToolLoop(run, partsFor(run, made), opened.prompt)).outcome;
  };
}

async function converse(run: Run, made: Made<unknown>, input: string | Prompt): Promise<ToolLoopEnd<unknown>> {
  const parts = partsFor(run, made);
  if (typeof input !== 'string') return runToolLoop(run, parts, input);
  const remembered = await reminder(run, openingParts(made, canRecall(made)), input);
  return runToolLoop(run, parts, append(remembered, { role: 'user', content: input }));
}

function inOneShot<O>(made: Made<O>): Agent<unknown, AgentResult<O>> {
  const { definition, form, parts } = made;
  const session: Session = { ...made.session, ...nativeSchema(definition.model, form) };
  const shot = {
    session,
    maxRepairs: definition.maxRepairs ?? DEFAULT_REPAIRS,
    capture: definition.capture,
    read: parts.read,
  };
  return async (run, given) => {
    const opened = await opening(run, openingParts(made, false), given);
    return opened.ok ? singleShot(run, shot, opened.prompt) : failed(opened.failure);
  };
}

function openingParts<O>({ definition, session }: Made<O>, recalls: boolean): OpeningParts {
  const { name, inputs = {}, memory } = definition;
  return { name, inputs, session, memory, canRecall: recalls };
}

/** Only beside other tools: an agent without any stays a single shot. */
function canRecall<O>({ definition, parts }: Made<O>): boolean {
  return definition.memory !== undefined && parts.toolset.tools.length > 0;
}

/** The tool that searches memory searches that of one run, so a loop that has it is fitted for its run. */
function partsFor<O>(run: Run, made: Made<O>): LoopParts<O> {
  const { definition, session, form, parts } = made;
  if (definition.memory === undefined || !canRecall(made)) return parts;
  const given = definition.tools ?? [];
  const tools = 'narrow' in given ? given.tools : given;
  return loopParts(definition, session, form, toolset([...tools, definition.memory.tool(run)]));
}

/** A provider that can hold the model to the schema is asked to; the answer is checked all the same. */
function nativeSchema(model: Model, form: OutputForm): Pick<Session, 'outputJsonSchema'> {
  return form.kind === 'schema' && model.capabilities.structuredOutput ? { outputJsonSchema: form.schema } : {};
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

/** The data of a definition: what a YAML file would hold. */
function dataOf<O>(definition: AgentDefinition<O>): AgentSpec {
  const {
    model,
    tools = [],
    output: _output,
    outputJsonSchema: _schema,
    maxRepairs: _repairs,
    memory: _memory,
    capture: _capture,
    autonomyBudget: _autonomy,
    ...data
  } = definition;
  const names = ('narrow' in tools ? tools.tools : tools).map(({ name }) => name);
  return { ...data, model: model.id, tools: names };
}
