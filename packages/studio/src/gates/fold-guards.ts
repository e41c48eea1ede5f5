import type { EffectId, Entry, GuardDecision } from '../../../flyball/src/core/events.js';
import { type Effect, EffectFold } from '../../../flyball/src/views/effects.js';
import { GuardFold } from '../../../flyball/src/views/guard-decisions.js';
import { baseOf } from '../../../flyball/src/views/paths.js';
import { type Fields, fieldsOf, given, listIn, numberIn, textIn, textsIn } from '../plan/fields.js';

/** All that guards decided about one effect, or about the run itself where `effect` is empty. */
export interface GuardedEffect {
  readonly key: string;
  readonly effect: EffectId;
  readonly generation: number;
  /** What was wanted: `call delete_file`, `ask worker`, `the run`. */
  readonly what: string;
  readonly input?: unknown;
  readonly decisions: readonly GuardDecision[];
  /** The strictest of them: what the effect met with. */
  readonly verdict: GuardDecision['verdict'];
}

const STRICTEST: readonly GuardDecision['verdict'][] = [
  'denied',
  'blocked',
  'escalated',
  'asked',
  'warned',
  'obliged',
  'allowed',
];

/** What each effect met with on its way, in the order in which guards spoke. */
export function guardedEffectsOf(entries: readonly Entry[]): readonly GuardedEffect[] {
  const fold = new GuardedFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}

/** Takes entries one by one. */
export class GuardedFold {
  private readonly effects = new EffectFold();
  private readonly guards = new GuardFold();
  private readonly known = new Map<string, Effect>();
  private readonly refused = new Map<string, GuardDecision[]>();

  apply(entry: Entry): void {
    const { event, generation } = entry;
    const effect = this.effects.apply(entry);
    if (effect !== undefined) this.known.set(`${generation} ${effect.id}`, effect);
    this.guards.apply(entry);
    if (event.type !== 'guard-refused') return;
    const decision: GuardDecision = { guard: event.seam, verdict: 'denied', why: event.why };
    push(this.refused, `${generation} ${baseOf(event.id)}`, decision);
  }

  all(): readonly GuardedEffect[] {
    const byKey = new Map<string, GuardDecision[]>();
    for (const { effect, generation, ...decision } of this.guards.all())
      push(byKey, `${generation} ${effect}`, decision);
    for (const [key, own] of this.refused)
      for (const each of own) if (isNew(byKey.get(key), each)) push(byKey, key, each);
    return [...byKey].map(([key, decisions]) => guardedOf(key, decisions, this.known.get(key)));
  }
}

/** A refusal is often told twice: by the guard, and by the seam that the guard stands at. */
function isNew(known: readonly GuardDecision[] | undefined, { why }: GuardDecision): boolean {
  return known?.some((each) => each.verdict === 'denied' && (each.why === why || why.includes(each.why))) !== true;
}

function guardedOf(key: string, decisions: readonly GuardDecision[], effect: Effect | undefined): GuardedEffect {
  const [generation = '0', id = ''] = key.split(' ');
  const input = effect?.start?.type === 'intent' ? effect.start.input : undefined;
  return {
    key,
    effect: id,
    generation: Number(generation),
    what: id === '' ? 'the run itself' : effect === undefined ? id : `${effect.verb} ${effect.name}`,
    ...given('input', input),
    decisions,
    verdict: STRICTEST.find((verdict) => decisions.some((each) => each.verdict === verdict)) ?? 'allowed',
  };
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

/** Something that was checked and noted by the agent itself, outside of any guard. */
export interface CheckNote {
  readonly key: string;
  readonly check: string;
  readonly verdict: 'passed' | 'failed' | 'warned' | 'told';
  readonly text: string;
  readonly scope: string;
  readonly at: number;
}

export function checksOf(entries: readonly Entry[]): readonly CheckNote[] {
  return entries.flatMap(({ event, generation, seq, at }): readonly CheckNote[] => {
    if (event.type !== 'note') return [];
    const said = checkIn(event.event as Fields);
    return said === undefined ? [] : [{ key: `${generation}.${seq}`, ...said, scope: event.path, at }];
  });
}

type Check = Pick<CheckNote, 'check' | 'verdict' | 'text'>;

function checkIn(fields: Fields): Check | undefined {
  return CHECKS.get(fields['kind'])?.(fields);
}

/** What each kind of note says about a check. */
const CHECKS: ReadonlyMap<unknown, (fields: Fields) => Check | undefined> = new Map([
  ['step-validation', stepChecked],
  [
    'constraint-breach',
    (fields) => ({ check: 'constraints', verdict: 'failed', text: `broken: ${textsIn(fields, 'ids').join(', ')}` }),
  ],
  ['edge-cases', casesRun],
  ['output-template', templateFilled],
  [
    'plan-review',
    (fields) => ({
      check: `review of plan version ${numberIn(fields, 'version') ?? '?'}`,
      verdict: fields['approve'] === true ? 'passed' : 'failed',
      text: textIn(fields, 'notes') ?? '',
    }),
  ],
  ['plan', (fields) => planChecked(fieldsOf(fields['validation']), numberIn(fields, 'version') ?? 1)],
  [
    'decision',
    (fields) => ({
      check: textIn(fields, 'guard') ?? 'decision',
      verdict: fields['verdict'] === 'warned' ? 'warned' : 'told',
      text: [textIn(fields, 'content'), textIn(fields, 'rule')].filter((part) => part !== undefined).join(' · '),
    }),
  ],
] as readonly (readonly [string, (fields: Fields) => Check | undefined])[]);

function stepChecked(fields: Fields): Check {
  const verdict = String(fields['verdict']);
  const told = [textIn(fields, 'verdict'), textsIn(fields, 'missing').join(', '), textIn(fields, 'why')];
  return {
    check: `step ${textIn(fields, 'step') ?? ''}`,
    verdict: verdict === 'failed' || verdict === 'declined' ? 'failed' : verdict === 'stood-in' ? 'told' : 'warned',
    text: told.filter((part) => part !== undefined && part !== '').join(': '),
  };
}

function casesRun(fields: Fields): Check {
  const failed = numberIn(fields, 'failed') ?? 0;
  const text = `${numberIn(fields, 'cases') ?? 0} executed, ${failed} failed`;
  return { check: 'edge cases', verdict: failed === 0 ? 'passed' : 'failed', text };
}

function templateFilled(fields: Fields): Check {
  const repairs = listIn(fields, 'repairs').length || (numberIn(fields, 'repairs') ?? 0);
  const text = `filled in (${textIn(fields, 'mode') ?? ''}), ${repairs} repairs`;
  return { check: 'output template', verdict: 'passed', text };
}

function planChecked(validation: Fields, version: number): Pick<CheckNote, 'check' | 'verdict' | 'text'> {
  const issues = listIn(validation, 'issues').map((issue) => textIn(fieldsOf(issue), 'message') ?? '');
  const verdict = validation['valid'] === false ? 'failed' : issues.length > 0 ? 'warned' : 'passed';
  return { check: `plan version ${version}`, verdict, text: issues.join(' ') || 'all feasibility checks passed' };
}
