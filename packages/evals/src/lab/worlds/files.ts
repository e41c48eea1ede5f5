import type { Questions } from 'flyball/testing/simulated';
import { draw } from '../simulated.js';
import { mark } from './arithmetic.js';

/** W4: a tree of files, with one planted fact for each item. */
export const files: Questions & {
  readonly path: (item: number) => string;
  readonly content: (item: number) => string;
  readonly fact: (item: number) => string;
  /** A page that has nothing to do with it. */
  readonly page: (item: number, n: number) => string;
} = {
  ask: (item) => `${mark(item)}: what is the code of the machine in hall ${item}?`,
  truth: (item) => codeOf(item),
  wrong: (item, n) => `${codeOf(item)}-${n}`,
  path: (item) => `plant/hall-${item % 10}/machine-${item}.txt`,
  fact: (item) => `The code of the machine in hall ${item} is ${codeOf(item)}.`,
  content: (item) => `${files.path(item)}\nServiced in spring. ${files.fact(item)} It runs well.`,
  page: (item, n) => `Page ${n} about hall ${item}. ${'Oil, filters and belts were looked at. '.repeat(20)}`,
};

const codeOf = (item: number): string => `c${Math.floor(draw('W4', item) * 1e9)}`;
