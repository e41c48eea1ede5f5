import { canonicalJson, sha256 } from './canonical.js';

/** 96 bits: no two pieces of a corpus meet by chance. */
const LENGTH = 24;

/** The id of a piece of evidence: the same source, place and text have the same id in every run and every retriever. */
export function evidenceId(source: string, place: string, text: string): string {
  return sha256(canonicalJson([source, place, text])).slice(0, LENGTH);
}
