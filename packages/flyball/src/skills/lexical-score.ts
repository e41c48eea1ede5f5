import { wordsOf } from '../tools/select-tools.js';
import type { Skill } from './skill.js';

/** A skill with its score. */
export interface ScoredSkill<S> {
  readonly skill: S;
  readonly score: number;
}

/** What is looked at: no more than is disclosed anyway, and the words its author gave it. */
export type Findable = Pick<Skill, 'name' | 'description'> & { readonly keywords?: readonly string[] };

const K1 = 1.2;
const B = 0.75;
/** A word of the name or a keyword says more about a skill than one of its description. */
const NAME_WEIGHT = 3;
const KEYWORD_WEIGHT = 2;

/** BM25 over the metadata, best first; those that share no word with the request are left out. No model is asked. */
export function scoreSkills<S extends Findable>(request: string, skills: readonly S[]): readonly ScoredSkill<S>[] {
  const documents = skills.map((skill) => ({ skill, counts: countedWords(skill) }));
  const lengths = documents.map(({ counts }) => sum(counts.values()));
  const mean = Math.max(1, sum(lengths) / Math.max(1, documents.length));
  const asked = [...new Set(wordsOf(request))].map((word) => {
    const holders = documents.filter(({ counts }) => counts.has(word)).length;
    return { word, rarity: Math.log(1 + (documents.length - holders + 0.5) / (holders + 0.5)) };
  });
  const scoreOf = (counts: ReadonlyMap<string, number>, length: number): number =>
    sum(
      asked.map(({ word, rarity }) => {
        const times = counts.get(word) ?? 0;
        return (rarity * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / mean));
      }),
    );
  return documents
    .map(({ skill, counts }, index) => ({ skill, score: scoreOf(counts, lengths[index] ?? 0) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1));
}

/** How much of what was asked for a skill is about: the share of the words of the request that it knows. */
export function coverage(request: string, skill: Findable): number {
  const asked = [...new Set(wordsOf(request))];
  const known = countedWords(skill);
  return asked.length === 0 ? 0 : asked.filter((word) => known.has(word)).length / asked.length;
}

function countedWords({ name, description, keywords = [] }: Findable): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  add(name, NAME_WEIGHT);
  add(keywords.join(' '), KEYWORD_WEIGHT);
  add(description, 1);
  return counts;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
