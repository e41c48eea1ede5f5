import { ConfigError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import { scoreSkills } from './lexical-score.js';
import { type Filter, type Filtered, type LoadedText, lenientFilter, strictFilter } from './match-filters.js';
import type { SkillLibrary } from './skill-library.js';

/** Which stages there are. Each may be left out; without the two filters no model is asked. */
export interface MatchStages {
  /** Words of the request against the metadata: at most `limit` candidates, 8 where it is absent. `false`: all are. */
  readonly lexical?: { readonly limit?: number; readonly minScore?: number } | false;
  /** Drops what can certainly not help, by the metadata. */
  readonly lenient?: Filter;
  /** Reads the survivors whole. Off only where nobody looks at the content: `strict` does. */
  readonly load?: boolean;
  /** Keeps what is needed, by the content. */
  readonly strict?: Filter;
  /** The request is a task of an evaluation: the strict filter drops skills that give its answer away. */
  readonly evaluation?: boolean;
}

/** A skill that matches a request. */
export interface MatchedSkill {
  readonly name: string;
  /** Of the lexical stage; absent without it. */
  readonly score?: number;
  /** The instructions; absent where nothing was loaded. */
  readonly instructions?: string;
}

/** What one stage decided. The journal holds it as a note of the kind `skill-match`. */
export interface MatchDecision {
  readonly stage: 'lexical' | 'lenient' | 'load' | 'strict';
  readonly kept: readonly string[];
  readonly dropped: readonly { readonly name: string; readonly because: string }[];
  readonly unreadable?: string;
}

/** The skills that match a request, with all decisions. */
export interface SkillMatch {
  readonly matched: readonly MatchedSkill[];
  readonly decisions: readonly MatchDecision[];
}

const CANDIDATES = 8;

/** Finds the skills for a request, from cheap to dear: words, a lenient look, loading, a strict look. */
export async function matchSkills(
  run: Run,
  library: SkillLibrary,
  request: string,
  stages: MatchStages = {},
): Promise<SkillMatch> {
  requireSound(stages);
  const decisions: MatchDecision[] = [];
  const decide = (decision: MatchDecision): void => {
    decisions.push(decision);
    run.note({ kind: 'skill-match', ...decision });
  };
  let left = await candidates(run, library, request, stages, decide);
  const { lenient, strict, load = true, evaluation = false } = stages;
  // a lone candidate is read whole at once: the lenient look saves nothing where the strict one follows
  const isLone = left.length === 1 && strict !== undefined;
  if (lenient !== undefined && left.length > 0 && !isLone)
    left = kept(left, await lenientFilter(run, lenient, { request, cards: left }), 'lenient', decide);
  if (!load || left.length === 0) return { matched: left.map(matchedOf), decisions };
  let loaded = await loadedTexts(run, library, left, decide);
  if (strict !== undefined && loaded.length > 0)
    loaded = kept(loaded, await strictFilter(run, strict, { request, loaded, evaluation }), 'strict', decide);
  return { matched: loaded.map((one) => ({ ...matchedOf(one), instructions: one.text })), decisions };
}

interface Candidate {
  readonly name: string;
  readonly description: string;
  readonly score?: number;
}

/** In an effect: the library may be another one when the run is driven again from the top. */
async function candidates(
  run: Run,
  library: SkillLibrary,
  request: string,
  { lexical = {} }: MatchStages,
  decide: (decision: MatchDecision) => void,
): Promise<readonly Candidate[]> {
  const find = (given: { readonly request: string }): readonly Candidate[] => {
    const all = library.all();
    if (lexical === false) return all.map(({ name, description }) => ({ name, description }));
    const scored = new Map(scoreSkills(given.request, all).map(({ skill, score }) => [skill.name, score]));
    return all.map(({ name, description }) => ({ name, description, score: scored.get(name) ?? 0 }));
  };
  const found = await run.step('match-skills', { request: request.slice(0, LONGEST_REQUEST) }, find, 'pure');
  if (lexical === false) return found;
  const { limit = CANDIDATES, minScore = 0 } = lexical;
  const ranked = [...found].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  const fitting = ranked.filter(({ score = 0 }) => score > 0 && score >= minScore);
  const chosen = fitting.slice(0, limit);
  const because = (one: Candidate): string => {
    if (fitting.includes(one)) return `it comes after the best ${limit}`;
    return (one.score ?? 0) > 0 ? `its score ${one.score?.toFixed(3)} is below ${minScore}` : 'it shares no word';
  };
  const dropped = ranked.filter((one) => !chosen.includes(one));
  decide({
    stage: 'lexical',
    kept: chosen.map(({ name }) => name),
    dropped: dropped.map((one) => ({ name: one.name, because: because(one) })),
  });
  return chosen;
}

const LONGEST_REQUEST = 4000;

async function loadedTexts(
  run: Run,
  library: SkillLibrary,
  left: readonly Candidate[],
  decide: (decision: MatchDecision) => void,
): Promise<readonly (Candidate & LoadedText)[]> {
  const names = left.map(({ name }) => name);
  const texts = await run.step(
    'load-skills',
    { names },
    (given) => Object.fromEntries(given.names.map((name) => [name, library.get(name)?.instructions ?? null])),
    'pure',
  );
  const loaded = left.flatMap((one) => {
    const text = texts[one.name];
    return typeof text === 'string' ? [{ ...one, text }] : [];
  });
  const dropped = names.filter((name) => typeof texts[name] !== 'string');
  decide({
    stage: 'load',
    kept: loaded.map(({ name }) => name),
    dropped: dropped.map((name) => ({ name, because: 'it no longer exists' })),
  });
  return loaded;
}

function kept<C extends Candidate>(
  candidatesOf: readonly C[],
  { verdicts, unreadable }: Filtered,
  stage: MatchDecision['stage'],
  decide: (decision: MatchDecision) => void,
): readonly C[] {
  const keeps = new Set(verdicts.filter((verdict) => verdict.keeps).map(({ name }) => name));
  decide({
    stage,
    kept: [...keeps],
    dropped: verdicts.filter((verdict) => !verdict.keeps).map(({ name, because }) => ({ name, because })),
    ...(unreadable === undefined ? {} : { unreadable }),
  });
  return candidatesOf.filter(({ name }) => keeps.has(name));
}

function matchedOf({ name, score }: Candidate): MatchedSkill {
  return { name, ...(score === undefined ? {} : { score }) };
}

function requireSound({ lexical = {}, load = true, strict }: MatchStages): void {
  if (lexical !== false && !((lexical.limit ?? 1) >= 1))
    throw new ConfigError(`limit of the lexical stage must be at least 1, got ${lexical.limit}.`);
  if (strict !== undefined && !load)
    throw new ConfigError('The strict filter reads the content of skills: leave load: false out.');
}
