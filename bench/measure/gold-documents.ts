import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoldTask {
  readonly id: string;
  /** What the user is told to be and to want. */
  readonly instructions: string;
  /** Ids of the documents that solving it takes. */
  readonly gold: ReadonlySet<string>;
}

export interface GoldDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** The banking domain's folder, beside the checkout or where FLYBALL_TAU2 says; undefined where there is none. */
export function bankingFolder(): string | undefined {
  const data = process.env['FLYBALL_TAU2'] ?? join(process.cwd(), '..', 'shared', 'tau2', 'data');
  const folder = join(data, 'domains', 'banking_knowledge');
  return existsSync(join(folder, 'documents')) ? folder : undefined;
}

export function documentsIn(folder: string): readonly GoldDocument[] {
  return jsonFiles(join(folder, 'documents'))
    .map((value) => value as Record<'id' | 'title' | 'content', string>)
    .map(({ id, title, content }) => ({ id, title, text: content }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

export function tasksIn(folder: string): readonly GoldTask[] {
  return jsonFiles(join(folder, 'tasks')).map((value) => {
    const task = value as {
      readonly id: string;
      readonly user_scenario: { readonly instructions: string };
      readonly required_documents: readonly string[];
    };
    return { id: task.id, instructions: task.user_scenario.instructions, gold: new Set(task.required_documents) };
  });
}

function jsonFiles(folder: string): readonly unknown[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown);
}

/** Words with which somebody says what they want. */
const WISH =
  /\b(?:wants?|wish(?:es)?|needs?|goals?|like to|looking (?:for|to)|ask(?:s|ing)? (?:for|about|to)|requests?|trying to|interested in|wondering|help)\b/i;
/** What is said only if the agent does something is no request: it tells what the agent will find. */
const CONDITIONAL = /^(?:if|once|when|after|unless|only if)\b/i;

/**
 * What the user asks for, one sentence each: those that say what the user wants and those that the user is to say in these
 * words, without the ones that depend on what the agent does. All of it where there are none.
 */
export function requestsOf(instructions: string): readonly string[] {
  const lines = instructions
    .replace(/\*\*|__/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, '').trim())
    .filter((line) => line !== '' && !CONDITIONAL.test(line));
  const sentences = lines
    .flatMap((line) => line.split(/(?<=[.!?]["”]?)\s+(?=["“\p{Lu}])/u))
    .filter((sentence) => sentence.length >= 20 && !CONDITIONAL.test(sentence));
  const wishes = sentences.filter((sentence) => WISH.test(sentence) || /["“][^"”]{20,}["”]/.test(sentence));
  return wishes.length > 0 ? wishes : sentences;
}
