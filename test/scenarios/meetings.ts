/**
 * Which features meet. The pairs are all pairs of the features that change how a run is carried on, and those of the
 * others with the ones they once did not get along with; the triples are those in which a third feature changes what
 * the first two agreed on.
 */
const CARRIED = [
  'all',
  'first',
  'child',
  'generations',
  'rolled back',
  'approval',
  'question',
  'bound',
  'time',
  'ask',
  'instructions',
] as const;

const WITH_OTHERS: readonly (readonly [string, string])[] = [
  ['children in a row', 'bound'],
  ['children in a row', 'generations'],
  ['first lost by a child', 'generations'],
  ['first lost by a child', 'bound'],
  ['asked again', 'approval'],
  ['asked again', 'generations'],
  ['child deadline', 'approval'],
  ['child deadline', 'time'],
  ['tool loop', 'bound'],
  ['tool loop', 'generations'],
  ['tool loop', 'child'],
  ['private', 'generations'],
  ['private', 'child'],
  ['trifecta', 'generations'],
  ['trifecta', 'child'],
  ['trifecta', 'approval'],
  ['supervision', 'generations'],
  ['supervision', 'bound'],
  ['memory', 'generations'],
  ['memory', 'time'],
  ['identity', 'generations'],
  ['identity', 'child'],
  ['saga', 'generations'],
  ['rolled back, with more in forks', 'generations'],
  ['saga', 'first'],
  ['spending', 'generations'],
  ['spending', 'child'],
];

export const pairs: readonly (readonly string[])[] = [
  ...CARRIED.flatMap((one, index) => CARRIED.slice(index + 1).map((other) => [one, other])),
  ...WITH_OTHERS,
];

export const triples: readonly (readonly string[])[] = [
  ['all', 'child', 'bound'],
  ['all', 'child', 'approval'],
  ['all', 'first', 'bound'],
  ['first', 'child', 'bound'],
  ['first', 'saga', 'generations'],
  ['first', 'approval', 'generations'],
  ['child', 'bound', 'generations'],
  ['child', 'rolled back', 'generations'],
  ['children in a row', 'bound', 'generations'],
  ['approval', 'bound', 'generations'],
  ['approval', 'all', 'generations'],
  ['question', 'child', 'generations'],
  ['asked again', 'approval', 'generations'],
  ['instructions', 'child', 'generations'],
  ['instructions', 'question', 'generations'],
  ['private', 'instructions', 'generations'],
  ['trifecta', 'child', 'generations'],
  ['trifecta', 'all', 'approval'],
  ['supervision', 'approval', 'generations'],
  ['memory', 'identity', 'generations'],
  ['saga', 'rolled back', 'generations'],
  ['saga', 'rolled back, with more in forks', 'generations'],
  ['ask', 'child', 'bound'],
  ['tool loop', 'approval', 'bound'],
  ['time', 'child deadline', 'generations'],
];
