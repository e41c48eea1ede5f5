/** What the other packages of this project use and nobody else should: it changes with any release. */
export { servedName } from './agents/served-agent.js';
export { isBesideUs } from './cli/serve/needed-packages.js';
