import { ConfigError } from '../core/errors.js';
import { append, type NewSegment, type Prompt } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { ToolRef } from '../core/tool.js';
import { RECALL_RESULT } from '../loops/tool-loop/recall-result.js';
import { RECALL_TOOL } from '../memory/recall-tool.js';
import type { ActiveSkill } from '../skills/active-skills.js';
import { discloseCards } from '../skills/disclosure.js';
import { type MatchStages, matchSkills } from '../skills/match-skills.js';
import { narrowTools, type ToolAliases } from '../skills/narrow-tools.js';
import { ACTIVATE_SKILL } from '../skills/skill.js';
import type { SkillLibrary } from '../skills/skill-library.js';
import { type SkillRun, type SkillState, useSkills } from '../skills/skill-run.js';

/** How an agent uses skills. */
export interface SkillUse {
  readonly library: SkillLibrary;
  /** Names of skills that are active from the start. */
  readonly activate?: readonly string[];
  /** Finds further skills by the input, stage by stage. Nothing is searched for where it is absent. */
  readonly match?: MatchStages;
  /** False: the model is not told of other skills and cannot activate any. */
  readonly byModel?: boolean;
  /** What skills call the agent's tools; the names of the toolbox where it is absent. */
  readonly aliases?: ToolAliases;
}

/** The skills of an agent. */
export type AgentSkills = SkillUse | SkillLibrary;

/** A definition whose agent uses these skills. */
export function withSkills<D extends object>(
  definition: D,
  library: SkillLibrary,
  use: Omit<SkillUse, 'library'> = {},
): Omit<D, 'skills'> & { readonly skills: SkillUse } {
  return { ...definition, skills: { ...use, library } };
}

/** Undefined where the definition only lists names. A name that no skill has is a mistake here, not in the first run. */
export function skillUse(given: AgentSkills | readonly string[] | undefined, agent: string): SkillUse | undefined {
  if (given === undefined || Array.isArray(given)) return undefined;
  const use = 'library' in given ? given : { library: given as SkillLibrary };
  for (const name of use.activate ?? []) {
    try {
      use.library.activate(name);
    } catch (error) {
      throw new ConfigError(`Agent "${agent}": ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return use;
}

/** Tools that belong to the loop and to memory: what a skill allows is about the work, not about remembering. */
const ALWAYS = [RECALL_RESULT, RECALL_TOOL];

/** Skills as one run of an agent uses them. */
export interface ReadySkills {
  readonly run: Run;
  /** The block for the setup. */
  readonly disclosed: string;
  /** What becomes active by this input, as segments of the prompt. */
  guidance(input: string, band: NonNullable<NewSegment['band']>): Promise<readonly NewSegment[]>;
  /**
   * The tools that the skills active at the beginning leave, with those of the skills themselves. Later ones are held to
   * by the guard alone: another list of tools would void what a provider has cached of the conversation.
   */
  offered(tools: readonly ToolRef[]): readonly ToolRef[];
  /** Leaves with the end of a conversation's turn what the next turn goes on from. */
  leave(prompt: Prompt): void;
}

/** `canCall`: the model can activate skills by itself, if it may. `before`: the conversation so far. */
export async function readySkills(
  run: Run,
  use: SkillUse,
  { canCall, before }: { readonly canCall: boolean; readonly before?: Prompt },
): Promise<ReadySkills> {
  const from = before && stateAt(before);
  const narrowing = { always: ALWAYS, ...(use.aliases === undefined ? {} : { aliases: use.aliases }) };
  const skills = await useSkills(run, use.library, { ...narrowing, ...(from === undefined ? {} : { from }) });
  const byModel = use.byModel !== false;
  let narrowedBy = from?.narrowedBy;
  return {
    run: skills.run,
    disclosed: byModel ? discloseCards(skills.cards, canCall ? 'by-model' : 'given') : '',
    guidance: async (input, band) => {
      const names = from === undefined ? (use.activate ?? []) : [];
      const called = await segmentsFor(skills, names, 'caller', band);
      const found = await matched(skills, use, input);
      return [...called, ...(await segmentsFor(skills, found, 'match', band))];
    },
    offered: (tools) => {
      narrowedBy ??= skills.active.list();
      const own = canCall ? skills.tools().filter(({ name }) => byModel || name !== ACTIVATE_SKILL) : [];
      return [...narrowTools(tools, narrowedBy, narrowing), ...own];
    },
    leave: (prompt) =>
      void states.set(prompt, { cards: skills.cards, active: skills.active.list(), narrowedBy: narrowedBy ?? [] }),
  };
}

async function matched(skills: SkillRun, { match, library }: SkillUse, input: string): Promise<readonly string[]> {
  if (match === undefined || input.trim() === '') return [];
  const found = await matchSkills(skills.run, library, input, match);
  return found.matched.map(({ name }) => name).filter((name) => !skills.active.has(name));
}

async function segmentsFor(
  skills: SkillRun,
  names: readonly string[],
  by: 'caller' | 'match',
  band: NonNullable<NewSegment['band']>,
): Promise<readonly NewSegment[]> {
  const segments: NewSegment[] = [];
  for (const name of names) {
    const { text } = await skills.activate(name, by);
    const content = `This skill is active. Follow it.\n${text}`;
    // protected: its instructions hold for the rest of the work, so no summary may take their place
    segments.push({ role: 'user', content, owner: `skill:${name}`, trust: 'system', protect: true, band });
  }
  return segments;
}

/** Where conversations stand, by the prompt that a turn ended with: a later turn's chain grows from it. */
const states = new WeakMap<Prompt, TurnState>();

interface TurnState extends SkillState {
  /** The skills by which the offered tools were narrowed at the beginning. */
  readonly narrowedBy: readonly ActiveSkill[];
}

function stateAt(prompt: Prompt): TurnState | undefined {
  for (let link: Prompt | undefined = prompt; link !== undefined; link = link.parent) {
    const state = states.get(link);
    if (state !== undefined) return state;
  }
  return undefined;
}

/** What the person said last. */
export function lastWords(prompt: Prompt): string {
  for (let link: Prompt | undefined = prompt; link !== undefined; link = link.parent)
    if (link.segment.role === 'user' && link.segment.trust === 'user') return link.segment.content;
  return '';
}

export function withSegments(prompt: Prompt | undefined, segments: readonly NewSegment[]): Prompt | undefined {
  let tip = prompt;
  for (const segment of segments) tip = append(tip, segment);
  return tip;
}
