export interface Sentence {
  readonly symbol: string;
  readonly text: string;
  /** For those who want to know more: ids, values cut short. */
  readonly detail?: string;
}

const DETAIL_LENGTH = 200;

export function say(symbol: string, text: string, detail?: unknown): Sentence {
  if (detail === undefined) return { symbol, text };
  const full = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return { symbol, text, detail: full.length > DETAIL_LENGTH ? `${full.slice(0, DETAIL_LENGTH)}…` : full };
}
