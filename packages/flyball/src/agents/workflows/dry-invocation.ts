import { FlyballError, failureOf } from '../../core/errors.js';
import { done, type Outcome } from '../../core/outcome.js';
import type { Agent, Run } from '../../core/run.js';
import { check, type JsonSchema } from '../../core/schema.js';
import { jsonSchemaStandard } from '../../tools/json-schema-standard.js';
import { checkedInputs } from '../fields.js';
import { isDefined, type Registered } from './agent-registry.js';
import { type Invocation, namedAgent } from './invocation.js';
import type { DryRunReport, Invoked } from './invoked.js';
import { sampleOf } from './sample.js';
import { workflowMark } from './workflow-mark.js';

interface Given {
  readonly invocation: Invocation;
  readonly found: Registered;
  readonly inputs: unknown;
  readonly sample: unknown;
}

/** Everything up to the child itself: the name stands for something, the inputs fit, and a workflow is followed inside. */
export async function dryInvocation(run: Run, given: Given): Promise<Outcome<Invoked>> {
  const { agent, version, mode, slice, outputs } = given.invocation;
  const checked = await checkedHere(run, given);
  const inside = checked.problem === undefined ? await insideOf(run, given, checked.inputs) : undefined;
  const problem = checked.problem === undefined ? {} : { problem: checked.problem };
  const dryRun = { slice, inputs: checked.inputs, ...problem, ...(inside === undefined ? {} : { inside }) };
  run.note({ kind: 'agent-dry-run', agent, version, mode, slice, inputs: checked.inputs, ...problem });
  return done({ agent, version, mode, output: given.sample ?? sampleOf(outputs), dryRun });
}

interface Checked {
  readonly inputs: unknown;
  readonly problem?: string;
}

/** In an effect: the first check loads the validator, which the workflow's own code must not wait for. */
function checkedHere(run: Run, { invocation, found, inputs }: Given): Promise<Checked> {
  const { agent } = invocation;
  const effect = async (given: unknown): Promise<Checked> => {
    try {
      return { inputs: isDefined(found) ? await definedInputs(agent, found, given) : await fitting(invocation, given) };
    } catch (error) {
      return { inputs: given, problem: failureOf(error).message };
    }
  };
  return run.step('check-inputs', inputs ?? null, effect, 'pure');
}

async function definedInputs(agent: string, { spec }: { readonly spec: { readonly inputs?: object } }, given: unknown) {
  const { inputs = {} } = spec;
  return Object.keys(inputs).length === 0 ? given : checkedInputs(agent, inputs as never, given);
}

async function fitting({ agent, inputs }: Invocation, given: unknown): Promise<unknown> {
  if (inputs === undefined) return given;
  const checked = await check(jsonSchemaStandard(inputs as JsonSchema), given);
  if (checked.ok) return given;
  throw new FlyballError('INPUT_INVALID', `${agent} cannot start: ${checked.problem}.`, { detail: { agent } });
}

async function insideOf(run: Run, { invocation, found }: Given, inputs: unknown): Promise<DryRunReport | undefined> {
  const dry = workflowMark(found)?.dryRun as Agent<never, DryRunReport> | undefined;
  if (dry === undefined) return undefined;
  const { agent, version, slice } = invocation;
  const outcome = await run.spawn(namedAgent(agent, dry), inputs as never, slice);
  if ('value' in outcome) return outcome.value;
  const because =
    'because' in outcome ? outcome.because : `it reached its bound of ${'bound' in outcome ? outcome.bound : ''}`;
  return { workflow: agent, version, acts: [], problems: [], end: { stop: outcome.stop, because } };
}
