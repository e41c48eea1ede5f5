export { dataFolder } from './data-folder.js';
export { type Fetched, type FetchOptions, fetchTau2 } from './fetch/fetch-tau2.js';
export { type Manifest, type PinnedFolder, TAU2 } from './fetch/manifest.js';
export { type LabCurve, type LabResults, laboratory } from './laboratory.js';
export { readResultsFile, resultsFile, writeResultsFile } from './results-file.js';
export { shippedFolder } from './shipped-folder.js';
export { vectorFolder } from './vector-folder.js';
export { workspaceFolder } from './workspace-folder.js';
