import { useFrom } from '../kit/pattern.js';
import { MOST_CALLS } from '../loops/tool-loop/compress.js';
import { described } from './use.js';

/** What a tool loop does about its window where it is told nothing else. */
export const COMPRESSED = described(
  { name: 'compression' },
  useFrom({ id: 'K6', name: 'compression', parts: {}, calls: { fact: 'asked', least: 0, most: MOST_CALLS } }),
);
