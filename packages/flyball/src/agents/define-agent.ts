import { MOST_REASKS } from '../core/ask-until.js';
import type { Budget } from '../core/budget.js';
import { ConfigError } from '../core/errors.js';
import type { Model } from '../core/model.js';
import { failed, type Outcome } from '../core/outcome.js';
import { wordsOf } from '../core/parts.js';
import { append, type Prompt } from '../core/prompt.js';
import { type Proofs, unprovenClaims, unprovenInText } from '../core/proofs.js';
import { isPrompt } from '../core/request.js';
import type { Agent, Entered, MadeCall, Run } from '../core/run.js';
import { type Checked, type JsonSchema, jsonSchemaOf, type StandardSchema } from '../core/schema.js';
import type { Input, Session } from '../core/session.js';
import type { ToolRef } from '../core/tool.js';
import { patternAsPart, useFrom } from '../kit/pattern.js';
import { type LoopParts, type Prove, partsOf } from '../loops/tool-loop/loop-parts.js';
import type { ToolLoopResult } from '../loops/tool-loop/termination.js';
import { runToolLoop, type ToolLoopEnd } from '../loops/tool-loop/tool-loop.js';
import type { ObservationCapture } from '../memory/capture.js';
import type { Memory } from '../memory/memory.js';
import { loopCalls } from '../patterns/loop-calls.js';
import type { Use } from '../patterns/use.js';
import { COMPRESSED } from '../patterns/window.js';
import { type AutonomyBudget, autonomyBudget } from '../tools/autonomy/autonomy-budget.js';
import { autonomySeams } from '../tools/governance/governance.js';
import { isStandard } from '../tools/input-schema.js';
import { shapeProblem } from '../tools/json-schema-shape.js';
import { jsonSchemaStandard } from '../tools/json-schema-standard.js';
import { type Toolset, toolset } from '../tools/toolset.js';
import {
  type AgentSkills,
  lastWords,
  type ReadySkills,
  readySkills,
  type SkillUse,
  skillUse,
  withSegments,
} from './agent-skills.js';
import type { AgentSpec, Fields } from './agent-spec.js';
import { checkAgentSpec } from './check-agent-spec.js';
import { proofFields } from './check-proofs.js';
import type { AnsweredFields, GivenFields, NoFields } from './field-types.js';
import { type OpeningParts, opening, reminder } from './opening.js';
import { type OutputForm, outputForm, readOutput } from './output.js';
import { type AgentResult, singleShot } from './single-shot.js';
import { systemPrompt } from './system-prompt.js';

/** A definition in TypeScript: the fields of a YAML file, with models and tools instead of names. */
export interface AgentDefinition<O = unknown, F extends Fields = Fields, P extends Fields = Fields>
  extends Omit<AgentSpec, 'model' | 'tools' | 'skills' | 'inputs' | 'outputs'>,
    Omit<AgentFittings<O>, 'skills'> {
  /** The inputs of the agent. Without it, any input is accepted. */
  readonly inputs?: F;
  /** What it answers. */
  readonly outputs?: P;
  readonly model: Model;
  readonly tools?: Toolset | readonly ToolRef[];
  /** A library and how it is used. A list of names is only told. */
  readonly skills?: AgentSkills | readonly string[];
}

/** What an agent is fitted with beside its data. */
export interface AgentFittings<O = unknown> {
  /** Instead of `outputs`: a schema of your library, whose type the output has, or a JSON Schema object. */
  readonly output?: StandardSchema<unknown, O> | JsonSchema;
  readonly outputJsonSchema?: JsonSchema;
  /** How often the model is asked again if an answer does not fit; 2 by default. */
  readonly maxReasks?: number;
  /** A memory, whose best items are placed before the inputs. With tools, the agent can also search it. */
  readonly memory?: Memory;
  /** Copies observations of the run into memory. */
  readonly capture?: ObservationCapture;
  /** Decides over the counters of the run; a default profile where it is absent. */
  readonly autonomyBudget?: AutonomyBudget;
  /** The skills that the agent can use. */
  readonly skills?: AgentSkills;
}

/** `DefinedAgent` by itself is any: what it is given is checked when it runs. */
export interface DefinedAgent<I = never, O = unknown> {
  readonly name: string;
  readonly version: string;
  readonly spec: AgentSpec;
  /** JSON Schema of the output, where one is declared: by fields, by a JSON Schema or by a schema of your library. */
  readonly outputJsonSchema: JsonSchema | undefined;
  /** The system prompt. */
  readonly setup: string;
  readonly budget: Partial<Budget>;
  /** One model call, and a limited number of re-asks if the answer does not fit. */
  readonly invoke: Agent<I, AgentResult<O>>;
  /** The tool loop. Without tools, a single model call. */
  readonly invokeIterative: Agent<I, ToolLoopResult<O>>;
  /** The function that a runtime runs: the tool loop. */
  readonly agent: Agent<I, ToolLoopResult<O>>;
  /** One turn of a conversation that stands on this agent's setup. */
  /** `known`: the calls of the whole conversation, where the run is the scope of one turn. */
  converse(run: Run, input: Input, known?: Calls): Promise<ToolLoopEnd<unknown>>;
  /** Returns the same agent with another model or other settings. */
  vary(changes: Variable): DefinedAgent<I, O>;
}

/** What may differ from one request to the next. */
export type Variable = Partial<Pick<AgentDefinition, 'model' | 'sampling' | 'loop'>>;

interface Made<O> {
  readonly definition: AgentDefinition<O>;
  readonly form: OutputForm;
  readonly session: Omit<Session, 'tools'>;
  readonly parts: LoopParts<O>;
  readonly skills: SkillUse | undefined;
  /** The same session with another block about skills in its setup. */
  readonly told: (skills: string) => Omit<Session, 'tools'>;
}

/**
 * One model, one setup, at most 15 tools: start here.
 *
 * Model calls: the turns of its tool loop, and summaries where its window fills up. Throws if the definition is invalid.
 * The input type is inferred from `inputs`, the output type from `output` or `outputs`. Not where somebody else has to
 * judge (`untilApproved`) or where the work falls into parts that need nothing of each other (`mapReduce`).
 *
 * @pattern O1
 */
export function defineAgent<
  const F extends Fields = NoFields,
  const P extends Fields = NoFields,
  O = AnsweredFields<P>,
>(definition: AgentDefinition<O, F, P>): DefinedAgent<GivenFields<F>, O> {
  const given = schemaGiven(definition);
  const spec = checkAgentSpec(dataOf(definition), `Agent "${String(definition.name)}"`, given?.schema);
  checkToolCount(spec);
  const form = outputForm(spec, given);
  const profiled = withProfile(definition, spec);
  const made = madeOf(profiled, spec, form);
  const { name } = spec;
  const { setup } = made.session;
  const talk = talking(profiled, spec);
  const held = heldTo(spec, profiled.autonomyBudget);
  const invoke = inOneShot(made);
  const iterate = iterative(made);
  const invokeIterative = patternAsPart<unknown, ToolLoopResult<O>>(useOfAgent(made, 'loop'), (run, input, learned) =>
    iterate(held(run), input, learned),
  );
  return {
    name,
    version: spec.version ?? '1',
    spec,
    outputJsonSchema: form.kind === 'schema' ? form.schema : undefined,
    setup,
    budget: spec.budget ?? {},
    invoke: patternAsPart<unknown, AgentResult<O>>(useOfAgent(made, 'once'), (run, input, learned) =>
      invoke(held(run), input, learned),
    ),
    invokeIterative,
    agent: invokeIterative,
    converse: (run, input, known) => converse(held(run), talk, input, known),
    vary: (changes) => defineAgent<F, P, O>({ ...definition, ...changes }),
  };
}

/** Above 15 tools accuracy falls quickly, so that more have to be asked for by name. */
const MOST_TOOLS = 15;

function checkToolCount({ name, tools = [], maxTools = MOST_TOOLS }: AgentSpec): void {
  if (tools.length > maxTools)
    throw new ConfigError(
      `Agent "${name}" has ${tools.length} tools, and may have ${maxTools}. From more of them a model chooses worse: divide the work between agents, or set maxTools.`,
    );
}

/** What the agent says about itself, so that a composition with it can be read before it runs. */
function useOfAgent<O>({ definition, session, parts }: Made<O>, how: 'loop' | 'once'): Use {
  const { maxIterations, maxToolCallsPerIteration } = parts.config;
  const loop = loopCalls(parts.toolset.tools, maxIterations * maxToolCallsPerIteration);
  const params = { agent: session.name, maxIterations, tools: parts.toolset.names, how };
  const reasks = definition.maxReasks ?? MOST_REASKS;
  return useFrom({
    id: 'O1',
    name: 'defineAgent',
    params,
    parts: {
      worker: { ...session, tools: parts.toolset.tools },
      window: [COMPRESSED],
      ...(how === 'once' ? {} : loop.parts),
    },
    provides: ['R4', 'V9', 'V14'],
    calls: how === 'once' ? { fact: 'turns', least: 1, most: 1 + reasks } : loop.calls,
  });
}

/** A profile in the data is an autonomy budget, which a caller can also hand in ready made. */
function withProfile<O>(definition: AgentDefinition<O>, { name, autonomyProfile }: AgentSpec): AgentDefinition<O> {
  if (autonomyProfile === undefined) return definition;
  if (definition.autonomyBudget !== undefined)
    throw new ConfigError(`Agent "${name}" has both an autonomyProfile and an autonomyBudget. Keep one of them.`);
  return { ...definition, autonomyBudget: autonomyBudget(autonomyProfile) };
}

/** Whoever runs the agent, and however: its calls are held to the autonomy level and the profile that it names. */
function heldTo({ autonomy, autonomyProfile }: AgentSpec, profile: AutonomyBudget | undefined): (run: Run) => Run {
  const guards = [
    ...(autonomy === undefined ? [] : [autonomySeams(autonomy)]),
    ...(autonomyProfile === undefined || profile === undefined ? [] : [profile.seam()]),
  ];
  return (run) => guards.reduce((held, seams) => held.guarded(seams), run);
}

/** In a conversation an answer is text for a person: it has no format, and nobody asks whether it is the last one. */
function talking<O>(definition: AgentDefinition<O>, spec: AgentSpec): Made<unknown> {
  const { outputs: _outputs, outputSchema: _schema, ...told } = spec;
  const { output: _output, outputJsonSchema: _json, ...rest } = definition;
  const form: OutputForm = { kind: 'named', fields: [] };
  const talker: AgentDefinition = { ...rest, loop: { doubleConfirmation: false, ...definition.loop } };
  return madeOf(talker, told, form);
}

function madeOf<O>(definition: AgentDefinition<O>, spec: AgentSpec, form: OutputForm): Made<O> {
  const { name, sampling } = spec;
  const skills = skillUse(definition.skills, name);
  const sessionWith = (block?: string): Omit<Session, 'tools'> => ({
    name,
    model: definition.model,
    setup: systemPrompt(spec, form, block),
    ...(sampling === undefined ? {} : { sampling }),
  });
  const session = sessionWith(skills?.byModel === false ? '' : skills?.library.disclose());
  // the same skills make the same session, whose setup is hashed once
  let last = { block: '', session: sessionWith('') };
  const told = (block: string): Omit<Session, 'tools'> => {
    if (last.block !== block) last = { block, session: sessionWith(block) };
    return last.session;
  };
  return { definition, form, session, parts: loopParts(definition, session, form), skills, told };
}

/** What was called, where it is more than the scope of a turn knows. */
type Calls = () => readonly MadeCall[];

function loopParts<O>(
  definition: AgentDefinition<O>,
  session: Omit<Session, 'tools'>,
  form: OutputForm,
  { tools = definition.tools, known }: { readonly tools?: AgentDefinition['tools']; readonly known?: Calls } = {},
): LoopParts<O> {
  const { loop, maxReasks, capture, autonomyBudget, proofs, whenUnproven } = definition;
  return partsOf<O>({
    session,
    ...(proofs === undefined ? {} : { prove: proverOf(proofs, form, known) }),
    ...(whenUnproven === undefined ? {} : { whenUnproven }),
    read: (run, text) => read<O>(run, form, text),
    ...(tools === undefined ? {} : { tools }),
    ...(loop === undefined ? {} : { config: loop }),
    ...(maxReasks === undefined ? {} : { maxReasks }),
    ...(capture === undefined ? {} : { capture }),
    ...(autonomyBudget === undefined ? {} : { autonomy: autonomyBudget }),
  });
}

/** An answer without a form is words for a person, in which claims may stand. */
function proverOf(proofs: Proofs, form: OutputForm, known: Calls | undefined): Prove {
  if (form.kind === 'named' && form.fields.length === 0)
    return (run, _output, text) => unprovenInText(proofs, text, known?.() ?? run.calls());
  const fields = form.kind === 'schema' ? proofFields(proofs, form.schema) : {};
  return (run, output) => unprovenClaims(proofs, output, known?.() ?? run.calls(), fields);
}

/** The body of an agent, which tells how many turns it took. */
type Body<R> = (run: Run, input: unknown, learned: Entered['learned']) => Promise<Outcome<R>>;

function iterative<O>(made: Made<O>): Body<ToolLoopResult<O>> {
  return async (given, input, learned) => {
    learned({ turns: 0 });
    const ready = await readied(given, made, canCallTools(made));
    const opened = await opening(ready.run, openingParts(ready, canRecall(made)), input);
    if (!opened.ok) return failed(opened.failure);
    const { outcome, turns } = await runToolLoop(ready.run, partsFor(ready), opened.prompt);
    learned({ turns });
    return outcome;
  };
}

async function converse(given: Run, made: Made<unknown>, input: Input, known?: Calls): Promise<ToolLoopEnd<unknown>> {
  const ready = await readied(given, made, canCallTools(made), isPrompt(input) ? input : undefined);
  const prompt = await turnOf(ready, input); // before the parts: what becomes active decides what is offered
  const end = await runToolLoop(ready.run, partsFor(ready, known), prompt);
  ready.skills?.leave(end.prompt);
  return end;
}

/** What is asked in a turn: what is remembered and the skills that fit come before the first words, and after later ones. */
async function turnOf(ready: Ready<unknown>, input: Input): Promise<Prompt> {
  const { run, made, skills } = ready;
  if (isPrompt(input)) return withSegments(input, (await skills?.guidance(lastWords(input), 'log')) ?? []) ?? input;
  const words = typeof input === 'string' ? input : wordsOf(input);
  const remembered = await reminder(run, openingParts(ready, canRecall(made)), words);
  const guided = withSegments(remembered, (await skills?.guidance(words, 'stable')) ?? []);
  return append(guided, { role: 'user', content: input });
}

/** An agent fitted for one run: skills are those that there are when it begins. */
interface Ready<O> {
  readonly run: Run;
  readonly made: Made<O>;
  readonly skills: ReadySkills | undefined;
}

async function readied<O>(run: Run, made: Made<O>, canCall: boolean, before?: Prompt): Promise<Ready<O>> {
  if (made.skills === undefined) return { run, made, skills: undefined };
  const how = { canCall, ...(before === undefined ? {} : { before }) };
  const skills = await readySkills(run, made.skills, how);
  return { run: skills.run, made: { ...made, session: made.told(skills.disclosed) }, skills };
}

function canCallTools<O>({ definition: { model, loop } }: Made<O>): boolean {
  return model.capabilities.tools || (loop?.textCalls ?? 'off') !== 'off';
}

function inOneShot<O>(made: Made<O>): Body<AgentResult<O>> {
  const { definition, form, parts } = made;
  const native = nativeSchema(definition.model, form);
  const fixed: Session = { ...made.session, ...native };
  const shot = {
    maxReasks: definition.maxReasks ?? MOST_REASKS,
    capture: definition.capture,
    read: parts.read,
    prove: parts.prove,
    whenUnproven: parts.whenUnproven,
  };
  return async (given, input, learned) => {
    learned({ turns: 0 });
    const ready = await readied(given, made, false);
    const opened = await opening(ready.run, openingParts(ready, false), input);
    const session = ready.skills === undefined ? fixed : { ...ready.made.session, ...native };
    if (!opened.ok) return failed(opened.failure);
    const { outcome, turns } = await singleShot(ready.run, { ...shot, session }, opened.prompt);
    learned({ turns });
    return outcome;
  };
}

function openingParts<O>({ made, skills }: Ready<O>, recalls: boolean): OpeningParts {
  const { name, inputs = {}, memory } = made.definition;
  const guidance = skills === undefined ? {} : { guidance: (input: string) => skills.guidance(input, 'stable') };
  return { name, inputs, session: made.session, memory, canRecall: recalls, ...guidance };
}

/** Only beside other tools: an agent without any stays a single shot. */
function canRecall<O>({ definition, parts }: Made<O>): boolean {
  return definition.memory !== undefined && parts.toolset.tools.length > 0;
}

/** Tools that search the memory of one run or read its skills are of that run, so a loop with them is fitted for it. */
function partsFor<O>({ run, made, skills }: Ready<O>, known?: Calls): LoopParts<O> {
  const { definition, session, form, parts } = made;
  const recalls = definition.memory !== undefined && canRecall(made);
  const needsKnown = known !== undefined && definition.proofs !== undefined;
  if (!recalls && skills === undefined && !needsKnown) return parts;
  const given = definition.tools ?? [];
  const own = 'narrow' in given ? given.tools : given;
  const tools = definition.memory !== undefined && recalls ? [...own, definition.memory.tool(run)] : own;
  const offered = toolset(skills === undefined ? tools : skills.offered(tools));
  return loopParts(definition, session, form, { tools: offered, ...(known === undefined ? {} : { known }) });
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
  if (!isStandard(output)) return plainSchema(name, output);
  const schema = outputJsonSchema ?? jsonSchemaOf(output);
  if (schema === undefined)
    throw new ConfigError(
      `The output schema of ${name} cannot be converted to JSON Schema. Pass outputJsonSchema as well.`,
    );
  return { schema, check: output };
}

/** A JSON Schema object, as tools take one. */
function plainSchema(name: string, output: unknown): { readonly schema: JsonSchema; readonly check: StandardSchema } {
  if (typeof output !== 'object' || output === null || Array.isArray(output))
    throw new ConfigError(
      `The output of ${name} is ${JSON.stringify(output)}: pass a Standard Schema (zod, valibot, arktype) or a JSON Schema object.`,
    );
  const problem = shapeProblem(output as JsonSchema, 'output');
  if (problem !== undefined) throw new ConfigError(`The output schema of ${name} is not valid: ${problem}`);
  return { schema: output as JsonSchema, check: jsonSchemaStandard(output as JsonSchema) };
}

/** The data of a definition: what a YAML file would hold. */
function dataOf<O>(definition: AgentDefinition<O>): AgentSpec {
  const {
    model,
    tools = [],
    output: _output,
    outputJsonSchema: _schema,
    maxReasks: _reasks,
    memory: _memory,
    capture: _capture,
    autonomyBudget: _autonomy,
    skills,
    ...data
  } = definition;
  const names = ('narrow' in tools ? tools.tools : tools).map(({ name }) => name);
  return { ...data, model: model.id, tools: names, ...skillNames(skills) };
}

function skillNames(skills: AgentDefinition['skills']): Pick<AgentSpec, 'skills'> {
  if (skills === undefined) return {};
  if (isNames(skills)) return { skills };
  return { skills: ('library' in skills ? skills.library : skills).names() };
}

function isNames(skills: AgentSkills | readonly string[]): skills is readonly string[] {
  return Array.isArray(skills);
}
