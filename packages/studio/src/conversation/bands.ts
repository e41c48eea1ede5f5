import { BANDS, type Band, type Trust } from '../../../flyball/src/core/prompt.js';

export { BANDS };

export const BAND_WORDS: Readonly<Record<Band, { readonly title: string; readonly about: string }>> = {
  setup: { title: 'Setup', about: 'session instructions, identical in every call' },
  stable: { title: 'Stable', about: 'skills, memory and facts, rarely changed' },
  log: { title: 'Log', about: 'the conversation so far, append-only' },
  tail: { title: 'Tail', about: 'for this call only' },
};

export const TRUST_WORDS: Readonly<Record<Trust, string>> = {
  system: 'trusted: from the system',
  user: 'from the user',
  model: 'written by the model',
  outside: 'untrusted: data, not instructions',
};

export const TRUST_TITLES: Readonly<Record<Trust, string>> = {
  system: 'system',
  user: 'user',
  model: 'model',
  outside: 'outside',
};
