import { FlyballError } from 'flyball';
import { referenceMetrics } from '../metrics/reference-metrics.js';
import { timestamp } from '../tau2/python/timestamps.js';
import type { Domain } from '../world/environment.js';
import { configurationOf } from './info-record.js';
import type { Results } from './simulation-record.js';
import { taskHash } from './task-record.js';

/** What a submission says beside its figures. */
export interface SubmissionFacts {
  readonly modelName: string;
  readonly modelOrganization: string;
  readonly submittingOrganization: string;
  readonly contact: { readonly email?: string; readonly name?: string; readonly github?: string };
  /** Milliseconds since the epoch. */
  readonly date: number;
  /** Version of the benchmark whose data were used. */
  readonly benchmarkVersion: string;
  /** What a custom scaffold changes. Required for one, together with references. */
  readonly notes?: string;
  readonly references?: readonly { readonly title: string; readonly url: string; readonly type?: string }[];
  readonly reasoningEffort?: string;
  readonly isNew?: boolean;
}

/** One domain's results file, with the domain as it is now. */
export interface SubmittedDomain {
  readonly domain: Domain;
  readonly results: Results;
  /** Name of the trajectory file, where it is handed in. */
  readonly file?: string;
}

/** The domains that the leaderboard has. */
const LISTED: ReadonlySet<string> = new Set(['retail', 'airline', 'telecom', 'banking_knowledge']);

/** The agents and users of the benchmark itself, and ours that asks the same of a model with the same words. */
const STANDARD_AGENTS: ReadonlySet<string> = new Set(['llm_agent', 'baseline']);
const STANDARD_USERS: ReadonlySet<string> = new Set(['user_simulator', 'model']);

/** Changed prompts, scaffolds and state machines make a submission custom. */
export function isCustomScaffold({ info }: Pick<Results, 'info'>): boolean {
  return !STANDARD_AGENTS.has(info.agent.implementation) || !STANDARD_USERS.has(info.user.implementation);
}

/**
 * `submission.json` of the leaderboard. Throws with every rule that is broken: a submission that is turned down later
 * costs more than one that is not written.
 */
export function leaderboardSubmission(
  facts: SubmissionFacts,
  domains: readonly SubmittedDomain[],
): Readonly<Record<string, unknown>> {
  const isCustom = domains.some(({ results }) => isCustomScaffold(results));
  const broken = [...domains.flatMap(domainProblems), ...commonProblems(domains), ...scaffoldProblems(facts, isCustom)];
  if (broken.length > 0)
    throw new FlyballError('INPUT_INVALID', `This cannot be submitted:\n- ${broken.join('\n- ')}`, {
      detail: { broken },
    });
  const files = domains.flatMap(({ domain, file }) => (file === undefined ? [] : [[domain.name, file] as const]));
  return {
    model_name: facts.modelName,
    model_organization: facts.modelOrganization,
    submitting_organization: facts.submittingOrganization,
    submission_date: dateOf(facts.date),
    submission_type: isCustom ? 'custom' : 'standard',
    modality: 'text',
    contact_info: facts.contact,
    is_new: facts.isNew ?? true,
    trajectories_available: files.length === domains.length,
    trajectory_files: files.length === 0 ? null : Object.fromEntries(files),
    references: facts.references ?? null,
    results: Object.fromEntries(domains.map((one) => [one.domain.name, figuresOf(one)])),
    methodology: methodologyOf(facts, domains, isCustom),
    ...(facts.reasoningEffort === undefined ? {} : { reasoning_effort: facts.reasoningEffort }),
  };
}

/** The folder a submission goes into. */
export function submissionFolder(
  facts: Pick<SubmissionFacts, 'modelName' | 'submittingOrganization' | 'date'>,
): string {
  const slug = (text: string): string =>
    text
      .toLowerCase()
      .replaceAll(/[^a-z0-9.]+/g, '-')
      .replace(/^-|-$/g, '');
  return `${slug(facts.modelName)}_${slug(facts.submittingOrganization)}_${dateOf(facts.date)}`;
}

function figuresOf({ domain, results }: SubmittedDomain): Readonly<Record<string, unknown>> {
  const metrics = referenceMetrics(results);
  const passes = [1, 2, 3, 4].map((k) => {
    const pass = metrics.passHatK.get(k);
    return [`pass_${k}`, pass === undefined ? null : pass * 100] as const;
  });
  const isKnown = results.simulations.every(({ agentCost }) => agentCost !== null);
  return {
    ...Object.fromEntries(passes),
    cost: isKnown ? metrics.avgAgentCost : null,
    ...(domain.retrievals.length === 0 ? {} : { retrieval_config: results.info.retrieval }),
  };
}

function methodologyOf(
  facts: SubmissionFacts,
  domains: readonly SubmittedDomain[],
  isCustom: boolean,
): Readonly<Record<string, unknown>> {
  const users = [...new Set(domains.map(({ results }) => results.info.user.llm ?? results.info.user.implementation))];
  const last = Math.max(...domains.flatMap(({ results }) => results.simulations.map(({ endedAt }) => endedAt)));
  return {
    evaluation_date: dateOf(last),
    tau2_bench_version: facts.benchmarkVersion,
    user_simulator: users.join(', '),
    notes: facts.notes ?? null,
    verification: {
      modified_prompts: isCustom,
      omitted_questions: false,
      details: `All tasks of the base set, ${domains.map(({ domain, results }) => `${results.info.trials} trials of ${domain.name}`).join(', ')}.`,
    },
  };
}

function domainProblems({ domain, results }: SubmittedDomain): readonly string[] {
  const base = new Set(domain.taskSets.get('base') ?? domain.tasks.map(({ id }) => id));
  const expected = domain.tasks.filter(({ id }) => base.has(id));
  const given = new Map(results.tasks.map((task) => [task.id, taskHash(task)]));
  const counts = expected.map(({ id }) => results.simulations.filter(({ taskId }) => taskId === id));
  const missing = expected.filter(({ id }) => !given.has(id)).map(({ id }) => id);
  const changed = expected.filter((task) => given.has(task.id) && given.get(task.id) !== taskHash(task));
  const uneven = counts.some((trials) => trials.length !== results.info.trials);
  const failed = results.simulations.filter(({ termination }) => termination === 'infrastructure_error').length;
  const unscored = results.simulations.filter(
    ({ termination, reward }) => reward === null && termination !== 'infrastructure_error',
  );
  const said = (is: boolean, problem: string): readonly string[] => (is ? [`${domain.name}: ${problem}`] : []);
  return [
    ...said(!LISTED.has(domain.name), 'the leaderboard has no such domain.'),
    ...said(missing.length > 0, `tasks of the base set are missing: ${missing.join(', ')}.`),
    ...said(changed.length > 0, `tasks were changed: ${changed.map(({ id }) => id).join(', ')}.`),
    ...said(uneven, `every task needs its ${results.info.trials} trials, and not all have them.`),
    ...said(failed > 0, `${failed} simulations failed for infrastructure. Resume the experiment.`),
    ...said(
      unscored.length > 0,
      `${unscored.length} of the simulations have no grade. Grade them again: flyball evals regrade --judge provider/model.`,
    ),
    ...said(
      domain.retrievals.length > 0 && results.info.retrieval === null,
      'its retrieval configuration is not stated.',
    ),
  ];
}

/** One agent and one user configuration over all domains. */
function commonProblems(domains: readonly SubmittedDomain[]): readonly string[] {
  if (domains.length === 0) return ['there are no results.'];
  const differing = (['agent', 'user'] as const).filter(
    (side) => new Set(domains.map(({ results }) => configurationOf(results.info).get(side))).size > 1,
  );
  return differing.map((side) => `the ${side} is not configured the same in all domains.`);
}

function scaffoldProblems({ notes, references }: SubmissionFacts, isCustom: boolean): readonly string[] {
  if (!isCustom) return [];
  return [
    ...((notes ?? '') === '' ? ['a custom scaffold needs notes that say what it changes.'] : []),
    ...((references ?? []).length === 0 ? ['a custom scaffold needs references to its code or description.'] : []),
  ];
}

function dateOf(at: number): string {
  return timestamp(at).slice(0, 10);
}

/** As text, in the form of the other files. */
export function submissionText(submission: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(submission, null, 2)}\n`;
}
