import { branchDepth, MAX_BRANCH_DEPTH, MAX_BRANCHES, type Ways } from './branches.js';
import { orderOf } from './graph.js';
import type { FailureAction, Plan, PlanIssue } from './plan.js';

/** What is wrong with a plan whatever the world is like: names of steps that are not there, and sides that never meet. */
export function structureIssues(plan: Plan, ways: Ways): readonly PlanIssue[] {
  return [
    ...repeatedIds(plan),
    ...missingSteps(plan),
    ...emptyLinks(plan),
    ...looseBindings(plan),
    ...impossibleDependencies(plan, ways),
    ...branchIssues(plan),
  ];
}

function issue(message: string, steps: readonly string[], action: FailureAction = 'replan'): PlanIssue {
  return { check: 'structure', severity: 'error', action, message, steps };
}

function repeatedIds({ steps }: Plan): readonly PlanIssue[] {
  const repeated = new Set(steps.map(({ id }) => id).filter((id, index, ids) => ids.indexOf(id) !== index));
  return [...repeated].map((id) => issue(`Several steps are called ${id}. Give each its own id.`, [id]));
}

/** Every place where a step is named, with whom it concerns when the name leads nowhere. */
function missingSteps(plan: Plan): readonly PlanIssue[] {
  const known = new Set(plan.steps.map(({ id }) => id));
  const named = [
    ...plan.steps.flatMap(({ id, dependsOn }) =>
      dependsOn.map((to) => ({ to, where: `Step ${id} depends on`, steps: [id] })),
    ),
    ...(plan.links ?? []).flatMap((link) =>
      [link.by, link.for].map((to) => ({
        to,
        where: `The link for "${link.condition}" names`,
        steps: [link.by, link.for],
      })),
    ),
    ...(plan.orderings ?? []).flatMap(({ before, after }) =>
      [before, after].map((to) => ({
        to,
        where: `The ordering of ${before} before ${after} names`,
        steps: [before, after],
      })),
    ),
    ...(plan.branches ?? []).flatMap(({ at, ifSo, ifNot }) => {
      const steps = [at, ...ifSo, ...ifNot].filter((id) => known.has(id));
      return [at, ...ifSo, ...ifNot].map((to) => ({ to, where: `The branch at ${at} names`, steps }));
    }),
  ];
  return named
    .filter(({ to }) => !known.has(to))
    .map(({ to, where, steps }) =>
      issue(
        `${where} ${to}, but no step is called that.`,
        steps.filter((id) => known.has(id)),
      ),
    );
}

/** What a link promises must be an effect of its maker: at run time only effects count. */
function emptyLinks({ steps, links = [] }: Plan): readonly PlanIssue[] {
  return links.flatMap(({ by, condition }) => {
    const maker = steps.find(({ id }) => id === by);
    if (maker === undefined || maker.effects.includes(condition)) return [];
    return [issue(`A link says that ${by} makes "${condition}" true, but its effects do not.`, [by])];
  });
}

/** A result can only be read from a step that is over for sure. */
function looseBindings(plan: Plan): readonly PlanIssue[] {
  const { before } = orderOf(plan);
  return plan.steps.flatMap(({ id, bindings }) =>
    Object.entries(bindings).flatMap(([name, binding]) => {
      if (!('from' in binding) || before.get(id)?.has(binding.from) === true) return [];
      const message = `Step ${id} reads ${name} from ${binding.from}, which does not come before it. Add it to dependsOn.`;
      return [issue(message, [id], 'reorder-or-add-prerequisite')];
    }),
  );
}

function impossibleDependencies(plan: Plan, { ids, rows }: Ways): readonly PlanIssue[] {
  if (rows.length <= 1) return []; // nothing is decided, so that all run together
  const runs = new Map(ids.map((id, at) => [id, rows.map((row) => row[at] === 1)]));
  return plan.steps.flatMap(({ id, dependsOn }) => {
    const own = runs.get(id) ?? [];
    const against = dependsOn.filter(
      (other) => runs.get(other)?.some((isIn, way) => isIn && own[way] === true) === false,
    );
    return against.map((other) => issue(`Step ${id} depends on ${other}, but no branch runs both.`, [id, other]));
  });
}

function branchIssues(plan: Plan): readonly PlanIssue[] {
  const branches = plan.branches ?? [];
  const points = branches.map(({ at }) => at);
  const found = branches.flatMap(({ at, ifSo, ifNot }) => {
    const both = ifSo.filter((id) => ifNot.includes(id));
    return both.length === 0 ? [] : [issue(`The branch at ${at} has ${both.join(', ')} on both sides.`, [at, ...both])];
  });
  const depth = branchDepth(plan);
  const tooMuch = (message: string): PlanIssue => ({ ...issue(message, points), check: 'branch-depth' });
  if (depth > MAX_BRANCH_DEPTH)
    found.push(tooMuch(`Branches are nested ${depth} deep; ${MAX_BRANCH_DEPTH} is the most. Decide less in advance.`));
  if (branches.length > MAX_BRANCHES)
    found.push(tooMuch(`There are ${branches.length} branches; ${MAX_BRANCHES} is the most. Decide less in advance.`));
  return found;
}
