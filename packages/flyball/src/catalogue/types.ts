import type { Formula } from '../core/formula.js';
import type { PatternId } from '../core/use.js';

/**
 * The shape of the catalogue: what the linter reads, what `flyball patterns` prints, and what `flyball/catalogue.json`
 * holds. Everything a program can decide is a value here; prose is only ever an explanation.
 */

export type Category =
  | 'signal'
  | 'knowledge'
  | 'reasoning'
  | 'orchestration'
  | 'reliability'
  | 'integration'
  | 'humanizer';

/** What the function of a pattern returns, and so where it fits. */
export type PatternKind =
  | 'agent'
  | 'wrapper'
  | 'framing'
  | 'guard'
  | 'retriever'
  | 'store'
  | 'window'
  | 'tool'
  | 'test'
  | 'beside'
  | 'kernel';

export type MechanismId = `M${number}`;
export type AntiPatternId = `${'A' | 'HA' | 'IA' | 'CE'}${number}`;

/** What a system promises its operator. Some relations hold only in one of them. */
export type Profile =
  | 'production'
  | 'safety-critical'
  | 'regulated-register'
  | 'no-erasure'
  | 'shared-identity'
  | 'no-shell';

/** Who sits in a role of a pattern. */
export interface SeatSpec {
  /** A seat that judges, plans or reads hostile text has no tools. */
  readonly tools: 'none' | 'any';
  /** Roles whose session it must not share. */
  readonly apartFrom?: readonly string[];
  readonly otherModel?: 'required' | 'preferred';
}

/**
 * A parameter of a pattern: an option of its function, or another figure that decides how it does. Without a default it has
 * to be given.
 */
export interface ParamSpec {
  readonly default?: number | string;
  /** Values that are known to make sense. */
  readonly range?: readonly [number, number];
  /** Where the default comes from: the pattern's literature, or a choice of this project. */
  readonly source: 'catalogue' | 'ours';
}

/** How a failure of a pattern ends. */
export type FailureEnd =
  /** The function throws when the composition is built. */
  | 'refused'
  | 'failed'
  | 'bounded'
  | 'degraded'
  | 'blocked'
  | 'retried'
  /** Another path is taken. */
  | 'fallback'
  | 'person'
  /** The run goes on, and the journal says so. */
  | 'flagged';

export interface FailureSpec {
  readonly sign: string;
  readonly end: FailureEnd;
}

/** What tools, sessions, seams and stores of a composition decide. */
export type FactName =
  | 'irreversible-action'
  | 'outside-input'
  | 'trifecta'
  | 'judge-reads-quarantine'
  | 'privileged-tool'
  | 'outside-result'
  | 'third-party-content'
  | 'code-execution'
  | 'mutating-command'
  | 'card-text-to-model'
  | 'unknown-executor'
  | 'untrusted-executor-acts'
  | 'promotes-lessons'
  | 'structured-inner'
  | 'no-oracle'
  | 'thinker-acts'
  | 'consequential-change'
  | 'flagged-relationship'
  | 'credentialed-persona'
  | 'runtime-tools'
  | 'no-exact-scorer'
  | 'log-prefix-edited'
  | 'shared-write-surface'
  | 'proposal-against-rule'
  | 'examples-per-call'
  | 'shared-prefix'
  | 'same-corpus'
  | 'native-output'
  | 'returning-users'
  | 'executor-elsewhere'
  | 'retries-trajectory'
  | 'independent-workers'
  | 'several-roles'
  | 'cli-exists'
  | 'thinker-proposes';

/** What journals measure. */
export type MeasureName =
  | 'shape-consistency'
  | 'value-gap-rate'
  | 'failure-recurrence'
  | 'workers'
  | 'tools'
  | 'shared-tools'
  | 'capability-spread';

/** What no code can decide. A person answers it once, in `flyball.decisions.yaml`. */
export type QuestionId =
  | 'steps-need-inspection'
  | 'planning-is-its-own-call'
  | 'online-tuning-guarded'
  | 'backtracking-is-decisive'
  | 'multi-hop-queries'
  | 'broad-corpus'
  | 'decomposition-unknown'
  | 'choice-needs-language'
  | 'store-is-searched-or-navigated'
  | 'feedback-signal-exists'
  | 'problems-recur'
  | 'one-model-or-specialists'
  | 'swarm-over-hierarchy'
  | 'session-or-long-term-state'
  | 'lessons-and-skills-apart'
  | 'lesson-against-critique'
  | 'style-stored-once';

/**
 * When a relation holds. `both`: as soon as both patterns are present. `task`: where both work on the same task. `agent`:
 * where both dress one agent. `span`: where one is inside the other.
 */
export type Condition =
  | 'always'
  | 'both'
  | 'task'
  | 'agent'
  | 'span'
  | { readonly fact: FactName }
  | { readonly profile: Profile }
  | { readonly measured: MeasureName; readonly above?: number; readonly below?: number }
  | { readonly person: QuestionId }
  | { readonly present: PatternId }
  | { readonly anyOf: readonly Condition[] }
  | { readonly allOf: readonly Condition[] };

/** A check that shows a tension resolved. Without one a tension is information. */
export type CheckName =
  | 'actions-mapped'
  | 'schema-measured'
  | 'host-keeps-state'
  | 'examples-last'
  | 'log-boundary-kept'
  | 'samples-together'
  | 'attempts-capped'
  | 'constraints-rank-first'
  | 'pad-per-branch'
  | 'workers-bounded'
  | 'policy-per-role'
  | 'retries-fit-budget'
  | 'invariants-listed'
  | 'audit-first'
  | 'cap-has-destination'
  | 'fan-out-beside'
  | 'plan-beside'
  | 'overlay-last';

export type RelationKind = 'requires' | 'conflicts' | 'upgrades-to' | 'tension';

/** The five tables of the conflict map: the first and the last together make the closure of a stack. */
export type RelationTable = 'B1' | 'B2' | 'B3' | 'B4' | 'B5';

/** `*agent` is every agent, `*loop` every pattern that repeats; `*cache` the provider's prefix cache, `*native` its own structured output. */
export type RelationEnd = PatternId | `profile:${Profile}` | '*cache' | '*native';

export interface Relation {
  readonly from: PatternId | '*agent' | '*loop';
  readonly kind: RelationKind;
  /** Any of them will do. Where none is present, the first is what is missing. */
  readonly to: readonly RelationEnd[];
  readonly when: Condition;
  readonly why: string;
  readonly table: RelationTable;
  /** Of a tension: what shows that it is resolved. */
  readonly resolvedBy?: CheckName;
}

/** One pattern. Its relations say nothing about where they start: here. */
export interface PatternSpec {
  readonly id: PatternId;
  readonly name: string;
  readonly category: Category;
  /** The group within its category. */
  readonly band: string;
  readonly purpose: string;
  readonly whenNot: string;
  readonly mechanisms: readonly MechanismId[];
  /** The functions that build it, the main one first. They are there when `status` says so. */
  readonly exports: readonly string[];
  readonly kind: PatternKind;
  /** It repeats until something stops it, so it needs a bound. */
  readonly isLoop?: true;
  readonly seats: Readonly<Record<string, SeatSpec>>;
  readonly params: Readonly<Record<string, ParamSpec>>;
  readonly calls: Formula;
  /** Roles that several fill, all of whom are asked: the option that says how many there are, or the fewest. */
  readonly several?: Readonly<Record<string, string | number>>;
  /** Names of the options, or axes of the budget, that end it. */
  readonly bounds: readonly string[];
  readonly failures: readonly FailureSpec[];
  readonly relations: readonly Omit<Relation, 'from'>[];
  /** What must hold, in order: the first is clause `<id>.1`. */
  readonly clauses: readonly string[];
}

export interface CategorySpec {
  readonly id: Category;
  readonly letter: string;
  readonly about: string;
  /** What pulls in different directions, so that there is no one best pattern. */
  readonly forces: readonly string[];
}

/** A property of language models that patterns follow from. */
export interface MechanismSpec {
  readonly id: MechanismId;
  readonly name: string;
  /** `axiom`: follows from the architecture. `direction`: which way is certain, how far is measured. */
  readonly grade: 'axiom' | 'direction';
  readonly says: string;
  readonly therefore: string;
}

export type Level = 'error' | 'warning' | 'info';

/** A composition that goes wrong in a known way. */
export interface AntiPatternSpec {
  readonly id: AntiPatternId;
  readonly name: string;
  readonly goesWrong: string;
  /** What the linter looks for in the description of a system. */
  readonly static?: string;
  /** What it looks for in journals. */
  readonly trace?: string;
  /** The worst level it is reported at. */
  readonly level: Level;
  /** Patterns that resolve it. Where none does, `instead` says what does. */
  readonly fix: readonly PatternId[];
  readonly instead?: string;
}

/** One row of a decision guide, as data: `when` these answers are given, take `take`. */
export interface GuideRule {
  readonly id: string;
  readonly guide:
    | 'integration'
    | 'humanizer'
    | 'choice'
    | 'threshold'
    | 'reasoning'
    | 'orchestration'
    | 'signal'
    | 'knowledge';
  /** Fields of a task description and what they have to be. All of them hold. */
  readonly when: Readonly<
    Record<
      string,
      | boolean
      | string
      | { readonly atLeast?: number; readonly atMost?: number; readonly above?: number; readonly below?: number }
    >
  >;
  readonly take: readonly PatternId[];
  readonly instead?: readonly PatternId[];
  readonly because: string;
}

/** A known stack, with what its headline leaves out. */
export interface StackSpec {
  readonly id: string;
  readonly name: string;
  readonly patterns: readonly PatternId[];
  /** What the unconditional rows of B1 add. */
  readonly missing?: readonly PatternId[];
  /** What the rows of B5 add to that. */
  readonly thenMissing?: readonly PatternId[];
  readonly note?: string;
}

/** One clause, and the tests that show it. */
export interface ClauseStatus {
  readonly id: string;
  readonly text: string;
  /** Test files whose titles name the clause; empty where none does yet. */
  readonly shows: readonly string[];
}

/** `complete`, or the clauses that no test shows yet. */
export type PatternStatus = 'complete' | { readonly missing: readonly string[] };

/** How a function of a pattern is called, in code that is compiled and run by our tests. */
export interface PatternExample {
  /** The function. */
  readonly export: string;
  /** What the code needs besides what it imports: sessions, tools, agents. */
  readonly setup: string;
  readonly code: string;
}

/** One pattern as `flyball/catalogue.json` has it. */
export interface CatalogueEntry extends Omit<PatternSpec, 'clauses'> {
  readonly clauses: readonly ClauseStatus[];
  readonly status: PatternStatus;
  /** The call formula as a person writes it. */
  readonly formula: string;
  /** Ids of the anti-patterns that it resolves. */
  readonly resolves: readonly AntiPatternId[];
  /** One for each function; none where it is not built. */
  readonly examples: readonly PatternExample[];
}

/** `flyball/catalogue.json`. Version 1; fields are added, never changed. */
export interface CatalogueJson {
  readonly version: 1;
  readonly categories: readonly CategorySpec[];
  readonly mechanisms: readonly MechanismSpec[];
  readonly patterns: readonly CatalogueEntry[];
  /** All 214, those of the patterns included. */
  readonly relations: readonly Relation[];
  readonly antiPatterns: readonly AntiPatternSpec[];
  readonly guides: readonly GuideRule[];
  readonly stacks: readonly StackSpec[];
}
