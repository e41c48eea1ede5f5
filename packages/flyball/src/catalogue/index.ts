/** The catalogue of patterns as data, and the linter that reads compositions with it. */
export { patternSpec } from './catalogue.js';
export { composition } from './composition.js';
export type { Finding } from './finding.js';
export { catalogueJson } from './json.js';
export { lint } from './lint.js';
export { lintJournals } from './lint-journal.js';
export { type Composition, hostOf } from './subject.js';
export { suggestForTask, suggestFromJournals } from './suggest.js';
export type { CatalogueJson, PatternSpec } from './types.js';
