/**
 * Judgments of people on pairs of answers, and scores that a model gave to the same answers: the first 34 pairs of the
 * part "Natural" of LLMBar (Zeng et al. 2023, https://github.com/princeton-nlp/LLMBar, MIT License), from
 * Dataset/LLMBar/Natural/evaluators/GPT-4/Rating/result.json. Each row: which of two answers to one instruction people
 * prefer, and what GPT-4 gave the first and the second one, each by itself, from 0 to 10.
 */
export const LLMBAR_NATURAL: readonly (readonly [preferred: 1 | 2, first: number, second: number])[] = [
  [1, 6, 1],
  [1, 5, 1],
  [1, 9, 3],
  [1, 9, 7],
  [2, 4, 7],
  [1, 7, 1],
  [1, 8, 8],
  [2, 7, 8],
  [1, 9, 6],
  [2, 9, 9],
  [1, 5, 1],
  [2, 1, 5],
  [1, 7, 7],
  [1, 9, 8],
  [1, 9, 9],
  [2, 5, 8],
  [2, 2, 6],
  [2, 0, 9],
  [2, 2, 8],
  [2, 4, 8],
  [1, 9, 4],
  [2, 4, 9],
  [1, 8, 4],
  [2, 8, 9],
  [1, 9, 4],
  [2, 4, 9],
  [1, 9, 7],
  [2, 6, 9],
  [2, 4, 8],
  [2, 0, 8],
  [1, 9, 4],
  [1, 8, 4],
  [2, 4, 8],
  [2, 9, 9],
];
