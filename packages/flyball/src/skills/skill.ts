import type { ApprovalRules } from '../core/approval.js';
import type { AutonomyLevel } from '../tools/governance/autonomy-level.js';
import type { ToolPattern } from './tool-pattern.js';

/** The file that makes a folder a skill. */
export const SKILL_FILE = 'SKILL.md';

/** The tool with which a model activates a skill. */
export const ACTIVATE_SKILL = 'activate_skill';
/** The tool with which a model reads a file of a skill. */
export const READ_SKILL_RESOURCE = 'read_skill_resource';

/** A file of a skill, with `/` between the folders of its path. */
export interface SkillFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What holds while the skill is active. */
export interface SkillGovernance {
  readonly autonomy?: AutonomyLevel;
  /** Calls that a person has to agree to, and who. */
  readonly approval?: { readonly tools: readonly ToolPattern[]; readonly rules: Partial<ApprovalRules> };
}

/** What SKILL.md says: the front matter and the instructions below it. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** `metadata.version`; empty where there is none. */
  readonly version: string;
  /** Words by which it is found, from `metadata.keywords`. */
  readonly keywords: readonly string[];
  /** Absent where the skill names none: then it allows all. */
  readonly allowedTools?: readonly ToolPattern[];
  readonly disallowedTools: readonly ToolPattern[];
  readonly governance: SkillGovernance;
  readonly instructions: string;
}

/** A skill as it was read: its text, its files, and the hash over all of them. */
export interface Skill extends SkillText {
  /** Where it is, for people and for scripts. */
  readonly folder: string;
  /** All files, SKILL.md too, in the order of their paths. */
  readonly files: readonly SkillFile[];
  /** SHA-256 over the paths and contents of all files. */
  readonly hash: string;
  /** The bytes of one of its files. Refuses what does not lie in the folder, however it is written or linked. */
  open(path: string): Promise<Uint8Array>;
}

/** Something that is wrong with a skill, with the place and what to write instead. Lines and columns count from 1. */
export interface SkillProblem {
  /** A warning leaves the skill usable. */
  readonly level: 'error' | 'warning';
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** What is wrong, and what to write. */
  readonly message: string;
}

/** `file:line:column: message`, as editors and compilers write it. */
export function problemText({ file, line, column, level, message }: SkillProblem): string {
  return `${file}:${line}:${column}: ${level === 'warning' ? 'warning: ' : ''}${message}`;
}
