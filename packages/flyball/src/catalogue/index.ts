/** The catalogue of patterns as data, and the linter that reads compositions with it. */
export { patternSpec } from './catalogue.js';
export { catalogueJson } from './json.js';
export type { CatalogueJson, PatternSpec } from './types.js';
