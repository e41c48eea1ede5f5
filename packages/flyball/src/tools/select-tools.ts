import type { ToolRef } from '../core/tool.js';
import { toolSpecOf } from './tool-spec.js';

/** A tool with its score for a task. */
export interface RankedTool {
  readonly tool: ToolRef;
  readonly score: number;
}

const K1 = 1.2;
const B = 0.75;
/** A word of the name says more about a tool than one of its description. */
const NAME_WEIGHT = 3;

/**
 * The tools that share words with a task, best first and at most `limit`: BM25 over name, description and parameter
 * names. No model is asked, so the same task gets the same tools.
 */
export function selectTools(task: string, tools: readonly ToolRef[], limit: number): readonly RankedTool[] {
  const documents = tools.map((tool) => ({ tool, words: countedWords(tool) }));
  const meanLength = documents.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, documents.length);
  const asked = [...new Set(wordsOf(task))].map((word) => {
    const holders = documents.filter(({ words }) => words.counts.has(word)).length;
    return { word, rarity: Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5)) };
  });
  const scoreOf = ({ counts, length }: CountedWords): number =>
    asked.reduce((sum, { word, rarity }) => {
      const times = counts.get(word) ?? 0;
      return sum + (rarity * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / meanLength));
    }, 0);
  return documents
    .map(({ tool, words }) => ({ tool, score: scoreOf(words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score) // stable: equal scores stay in the order of the registry
    .slice(0, limit);
}

interface CountedWords {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

function countedWords(tool: ToolRef): CountedWords {
  const { name, description, input } = toolSpecOf(tool);
  const parameters = Object.keys((input['properties'] ?? {}) as object).join(' ');
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add(name, NAME_WEIGHT);
  add(description, 1);
  add(parameters, 1);
  return { counts, length: [...counts.values()].reduce((sum, times) => sum + times, 0) };
}

const EMPTY_WORDS = new Set(
  'a an and are as at be by do for from has have if in into is it its me my not of on or our please so that the then this to up use was we what when which who will with you your'.split(
    ' ',
  ),
);

/** Words in lower case without endings; `readFile` and `read_file` are two words each. */
export function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '' && !EMPTY_WORDS.has(word))
    .map(stem);
}

function stem(word: string): string {
  if (word.length <= 4) return word.length === 4 ? word.replace(/(?<!s)s$/, '') : word;
  return word
    .replace(/(?:ies)$/, 'y')
    .replace(/(?:ing|ed|es|(?<!s)s)$/, '')
    .replace(/e$/, '');
}
